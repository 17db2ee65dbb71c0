package credit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/account"
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

// AboutIn is what Sealed is bound to in a place: an envelope that was copied to another
// row, or beside another fingerprint, does not open.
func (b *BankAccount) AboutIn(place string) string { return place + "/" + b.Fingerprint }

// Seal puts details into an account that has its fingerprint.
func (b *BankAccount) Seal(place string, x AccountDetails, seal func(plain []byte, about string) []byte) error {
	plain, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("seal account: %w", err)
	}
	b.Sealed = seal(plain, b.AboutIn(place))
	return nil
}

// errDetails says that an envelope opens and holds no account.
var errDetails = errors.New("credit: what is sealed is no account")

// Open opens the details of an account that stands in a place. Its errors are those of
// open, and hold nothing of the account.
func (b *BankAccount) Open(place string, open func(sealed []byte, about string) ([]byte, error)) (AccountDetails, error) {
	var x AccountDetails
	plain, err := open(b.Sealed, b.AboutIn(place))
	if err != nil {
		return x, err
	}
	if json.Unmarshal(plain, &x) != nil || x.Routing == "" || x.Number == "" {
		return AccountDetails{}, errDetails // the decoder's own would show a part of it
	}
	return x, nil
}

// Mark sets the blind indexes of the account that has these details.
func (b *BankAccount) Mark(x AccountDetails, index func(routing, number string) string) {
	b.Fingerprint, b.BareHash, b.Holder = index(x.Routing, x.Number), "", index(HolderIndex, x.Holder)
	if bare := strings.TrimLeft(x.Number, "0"); bare != x.Number {
		b.BareHash = index(x.Routing, bare)
	}
}

// HolderMark stands before the fingerprint of a holder's name, where names are listed.
const HolderMark = "holder:"

// HolderName is what stands in Names for a holder with a fingerprint.
func HolderName(fingerprint string) string { return HolderMark + fingerprint }

// Accounts are the accounts that stand in a merchant's row: the one it is paid to, and
// the one that waits to take its place.
func (m *Merchant) Accounts() []*BankAccount {
	list := []*BankAccount{m.Account.Bank}
	if m.Account.Pending != nil {
		list = append(list, m.Account.Pending.Bank)
	}
	return slices.DeleteFunc(list, func(b *BankAccount) bool { return b == nil })
}

// Check reports why a bank account cannot be used (F22, F41.11). What is sealed was looked
// at by who sealed it.
func (b *BankAccount) Check() string {
	if why := account.KindProblem(b.AccountType, b.HolderType); why != "" {
		return why
	}
	if len(b.Sealed) == 0 || len(b.Last4) == 0 || len(b.Last4) > 4 || b.Fingerprint == "" {
		return "The account number is missing."
	}
	return ""
}

// Micro-deposits (F22).
const (
	VerificationTries = 3
	VerificationDays  = 10
)

// An account is debited, credited or autopay's only after it has been verified, and who may
// use or change it follows from who added it (F36, F41.1): neither is a merchant's choice.

// Standing is how an account came to be verified, and whether its company has consented to
// it in its own name.
type Standing struct {
	Verified  string          `json:"verified,omitzero"` // a word of VerifiedBy…; "" if nothing has
	At        time.Time       `json:"at,omitzero"`
	By        string          `json:"by,omitzero"`     // client whose word it is, of the operator's
	Reason    string          `json:"reason,omitzero"` // of that word
	Consented *CompanyConsent `json:"consented,omitzero"`
}

// CompanyConsent is a company's own consent to an account that somebody else has added, as
// the operator has recorded it or an owner has given it in her own session: a merchant's
// reference is none (F41.8).
type CompanyConsent struct {
	By        string    `json:"by"` // client that has recorded it
	At        time.Time `json:"at"`
	Reference string    `json:"reference"`
}

// VerifyPolicy says which accounts of companies are proved before their first debit. It is
// the lender's, and no word of a merchant changes it (F41.1).
type VerifyPolicy string

// The policies. There is none between them: whose an account is, and how its debits were
// authorized, only the merchant says.
const (
	VerifyAlways VerifyPolicy = "always"
	VerifyNever  VerifyPolicy = "never" // the lender takes merchants' word; what has failed stays failed
)

// Policy is the policy that holds.
func (s *LenderSettings) Policy() VerifyPolicy { return cmp.Or(s.VerifyAccounts, VerifyAlways) }

// Usable reports that an account may be debited or credited: only what has verified it makes
// it ACTIVE.
func (m *PaymentMethod) Usable() bool { return m.Status == MethodActive }

// Consented reports that the company stands behind an account itself: an owner added it in her
// own session, the operator added it on its word, or has recorded its consent (F41.8).
func (m *PaymentMethod) Consented() bool { return m.Merchant == "" || m.Standing.Consented != nil }

// UsableBy reports that a caller may debit an account: who added it, and the operator. What
// the operator added stands for the lender's own mandate, under which any linked merchant
// asks for what is owed to the lender.
func (m *PaymentMethod) UsableBy(a Actor) bool {
	return a.Operator || m.Merchant == "" || m.Merchant == a.Merchant
}

// OwnedBy reports that a caller may change or remove an account, and see whose it is: who
// added it, and the operator (F36).
func (m *PaymentMethod) OwnedBy(a Actor) bool { return a.Operator || m.Merchant == a.Merchant }
