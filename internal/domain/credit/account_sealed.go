package credit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/ulid"
)

// What a bank file needs to name an account is sealed as one: the routing number, the
// account number and the holder's name. The domain sees none of them. It compares accounts
// by their fingerprint and holders by theirs, and the edges open the rest (A61).

// AccountDetails is what is sealed of a bank account.
type AccountDetails struct {
	Routing string `json:"routing"`
	Number  string `json:"number"`
	Holder  string `json:"holder"` // "": not named, so that it is the owner
}

// HolderIndex is what stands for the routing number in the blind index of a holder's name:
// no routing number has letters.
const HolderIndex = "holder"

// Format keeps every verb from printing an account.
func (AccountDetails) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("[redacted]")) }

// MethodAccount is the table, row and column in which a payment method's account stands.
func MethodAccount(method string) string { return "payment_methods/" + method + "/bank" }

// PaidAccount is the table, row and column in which a merchant's account stands: that
// which waits to take its place, too, because it will.
func PaidAccount(merchant string) string { return "merchants/" + merchant + "/account" }

// AboutIn is what Sealed is bound to in a place: an envelope that was copied to another
// row, or beside another fingerprint, does not open.
func (b *BankAccount) AboutIn(place string) string { return place + "/" + b.Fingerprint }

// Seal puts details into an account that has its fingerprint, and leaves nothing of them
// readable.
func (b *BankAccount) Seal(place string, x AccountDetails, seal func(plain []byte, about string) []byte) error {
	plain, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("seal account: %w", err)
	}
	b.Routing, b.HolderName, b.Sealed = "", "", seal(plain, b.AboutIn(place))
	return nil
}

// SealedAccount is a bank account whose details are sealed for the place in which it is to
// stand, with its blind indexes and its last four digits.
func SealedAccount(place string, x AccountDetails, b BankAccount, index func(routing, number string) string, seal func(plain []byte, about string) []byte) (*BankAccount, error) {
	b.Last4 = x.Number[max(0, len(x.Number)-4):]
	b.Mark(x, index)
	if err := b.Seal(place, x, seal); err != nil {
		return nil, err
	}
	return &b, nil
}

// errDetails says that an envelope opens and holds no account.
var errDetails = errors.New("credit: what is sealed is no account")

// Open opens the details of an account that stands in a place. Of one that was added
// before routing numbers and holders were sealed, the number alone is. Its errors are those
// of open, and hold nothing of the account.
func (b *BankAccount) Open(place string, open func(sealed []byte, about string) ([]byte, error)) (AccountDetails, error) {
	var x AccountDetails
	if b.Routing != "" {
		number, err := open(b.Sealed, b.About())
		return AccountDetails{Routing: b.Routing, Number: string(number), Holder: b.HolderName}, err
	}
	plain, err := open(b.Sealed, b.AboutIn(place))
	if err != nil {
		return x, err
	}
	if json.Unmarshal(plain, &x) != nil || x.Routing == "" || x.Number == "" {
		return AccountDetails{}, errDetails // the decoder's own would show a part of it
	}
	return x, nil
}

// MethodID draws the identifier of a new payment method from a seed at an instant of
// business time, so that its account can be sealed for it before it is made.
func MethodID(seed [16]byte, at time.Time) string {
	g := IDs{seed: seed, ms: at.UnixMilli()}
	return g.Next(prefixMethod)
}

// methodShaped reports that a text has the form of a payment method's identifier.
func methodShaped(id string) bool {
	drawn, ok := strings.CutPrefix(id, prefixMethod)
	return ok && ulid.Is(drawn)
}

// Mark sets the blind indexes of the account that has these details.
func (b *BankAccount) Mark(x AccountDetails, index func(routing, number string) string) {
	b.Fingerprint, b.BareHash, b.Holder = index(x.Routing, x.Number), "", index(HolderIndex, x.Holder)
	if bare := strings.TrimLeft(x.Number, "0"); bare != x.Number {
		b.BareHash = index(x.Routing, bare)
	}
}

// number is what the account is told from others by, where it is checked at a company.
func (b *BankAccount) number() string { return cmp.Or(b.BareHash, b.Fingerprint) }

// holderMark stands before the fingerprint of a holder's name, where names are listed.
const holderMark = "holder:"

// HolderNamed is the fingerprint of the holder that a name of Names stands for, "" if the
// name is written out.
func HolderNamed(name string) string {
	print, marked := strings.CutPrefix(name, holderMark)
	if !marked {
		return ""
	}
	return print
}

// HolderName is what stands in Names for a holder with a fingerprint.
func HolderName(fingerprint string) string { return holderMark + fingerprint }

// Accounts are the accounts that stand in a merchant's row: the one it is paid to, and
// the one that waits to take its place.
func (m *Merchant) Accounts() []*BankAccount {
	list := []*BankAccount{m.Account.Bank}
	if m.Account.Pending != nil {
		list = append(list, m.Account.Pending.Bank)
	}
	return slices.DeleteFunc(list, func(b *BankAccount) bool { return b == nil })
}
