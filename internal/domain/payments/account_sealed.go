package payments

import (
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ulid"
)

// MethodAccount is the table, row and column that hold a payment method's account.
func MethodAccount(method string) string { return "payment_methods/" + method + "/bank" }

// PaidAccount is the table, row and column that hold a merchant's account, including a pending
// one, because it will move there.
func PaidAccount(merchant string) string { return "merchants/" + merchant + "/account" }

// SealedAccount returns a bank account with its details sealed for the place that will hold
// it, its blind indexes and its last four digits.
func SealedAccount(place string, x credit.AccountDetails, b credit.BankAccount, index func(routing, number string) string, seal func(plain []byte, about string) []byte) (*credit.BankAccount, error) {
	b.Last4 = x.Number[max(0, len(x.Number)-4):]
	b.Mark(x, index)
	if err := b.Seal(place, x, seal); err != nil {
		return nil, err
	}
	return &b, nil
}

// MethodID generates the identifier of a new payment method from a seed at an instant of
// business time, so that its account can be sealed for it in advance.
func MethodID(seed [16]byte, at time.Time) string {
	g := ulid.StreamAt(seed, at)
	return g.Next(credit.PrefixMethod)
}

// methodShaped reports whether a text has the form of a payment method's identifier.
func methodShaped(id string) bool {
	drawn, ok := strings.CutPrefix(id, credit.PrefixMethod)
	return ok && ulid.Is(drawn)
}

// HolderNamed is the holder's fingerprint that an entry of Names represents, "" for a plain
// name.
func HolderNamed(name string) string {
	print, marked := strings.CutPrefix(name, credit.HolderMark)
	if !marked {
		return ""
	}
	return print
}
