package payments

import (
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ulid"
)

// MethodAccount is the table, row and column in which a payment method's account stands.
func MethodAccount(method string) string { return "payment_methods/" + method + "/bank" }

// PaidAccount is the table, row and column in which a merchant's account stands: that
// which waits to take its place, too, because it will.
func PaidAccount(merchant string) string { return "merchants/" + merchant + "/account" }

// SealedAccount is a bank account whose details are sealed for the place in which it is to
// stand, with its blind indexes and its last four digits.
func SealedAccount(place string, x credit.AccountDetails, b credit.BankAccount, index func(routing, number string) string, seal func(plain []byte, about string) []byte) (*credit.BankAccount, error) {
	b.Last4 = x.Number[max(0, len(x.Number)-4):]
	b.Mark(x, index)
	if err := b.Seal(place, x, seal); err != nil {
		return nil, err
	}
	return &b, nil
}

// MethodID draws the identifier of a new payment method from a seed at an instant of
// business time, so that its account can be sealed for it before it is made.
func MethodID(seed [16]byte, at time.Time) string {
	g := credit.IDsAt(seed, at)
	return g.Next(credit.PrefixMethod)
}

// methodShaped reports whether a text has the form of a payment method's identifier.
func methodShaped(id string) bool {
	drawn, ok := strings.CutPrefix(id, credit.PrefixMethod)
	return ok && ulid.Is(drawn)
}

// HolderNamed is the fingerprint of the holder that a name of Names stands for, "" if the
// name is written out.
func HolderNamed(name string) string {
	print, marked := strings.CutPrefix(name, credit.HolderMark)
	if !marked {
		return ""
	}
	return print
}
