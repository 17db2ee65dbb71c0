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

// What a bank file needs to identify an account is sealed together: the routing number, the
// account number and the holder's name. The domain sees none of them. It compares accounts and
// holders by their fingerprints, and the edges open the rest (A61).

// AccountDetails is the sealed content of a bank account.
type AccountDetails struct {
	Routing string `json:"routing"`
	Number  string `json:"number"`
	Holder  string `json:"holder"` // "": not given, so the owner
}

// HolderIndex takes the place of the routing number in the blind index of a holder's name: no
// routing number has letters.
const HolderIndex = "holder"

// Format keeps every formatting verb from printing an account.
func (AccountDetails) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("[redacted]")) }

// AboutIn is the context that Sealed is bound to in a place: an envelope copied to another
// row, or next to another fingerprint, does not open.
func (b *BankAccount) AboutIn(place string) string { return place + "/" + b.Fingerprint }

// Seal seals details into an account that has its fingerprint.
func (b *BankAccount) Seal(place string, x AccountDetails, seal func(plain []byte, about string) []byte) error {
	plain, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("seal account: %w", err)
	}
	b.Sealed = seal(plain, b.AboutIn(place))
	return nil
}

// errDetails is returned when an envelope opens but holds no account.
var errDetails = errors.New("credit: sealed value is not an account")

// Open opens the details of an account stored in a place. Its errors are those of open and
// contain nothing of the account.
func (b *BankAccount) Open(place string, open func(sealed []byte, about string) ([]byte, error)) (AccountDetails, error) {
	var x AccountDetails
	plain, err := open(b.Sealed, b.AboutIn(place))
	if err != nil {
		return x, err
	}
	if json.Unmarshal(plain, &x) != nil || x.Routing == "" || x.Number == "" {
		return AccountDetails{}, errDetails // the decoder's error would show part of it
	}
	return x, nil
}

// Mark sets the blind indexes of the account with these details.
func (b *BankAccount) Mark(x AccountDetails, index func(routing, number string) string) {
	b.Fingerprint, b.BareHash, b.Holder = index(x.Routing, x.Number), "", index(HolderIndex, x.Holder)
	if bare := strings.TrimLeft(x.Number, "0"); bare != x.Number {
		b.BareHash = index(x.Routing, bare)
	}
}

// HolderMark prefixes the fingerprint of a holder's name in lists of names.
const HolderMark = "holder:"

// HolderName is the entry in Names for a holder's fingerprint.
func HolderName(fingerprint string) string { return HolderMark + fingerprint }

// Accounts are the accounts in a merchant's row: the one it is paid to, and the pending one.
func (m *Merchant) Accounts() []*BankAccount {
	list := []*BankAccount{m.Account.Bank}
	if m.Account.Pending != nil {
		list = append(list, m.Account.Pending.Bank)
	}
	return slices.DeleteFunc(list, func(b *BankAccount) bool { return b == nil })
}

// Check returns why a bank account cannot be used, or "" (F22, F41.11). Sealed members were
// checked by whoever sealed them.
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

// An account must be verified before it is debited, credited or used for autopay. Who may use
// or change it depends on who added it (F36, F41.1). Neither is a merchant's choice.

// Standing is how an account was verified, and whether its company consented to it in its own
// name.
type Standing struct {
	Verified  string          `json:"verified,omitzero"` // a VerifiedBy… constant; "" if not verified
	At        time.Time       `json:"at,omitzero"`
	By        string          `json:"by,omitzero"`     // operator's client that vouched for it
	Reason    string          `json:"reason,omitzero"` // the reason it gave
	Consented *CompanyConsent `json:"consented,omitzero"`
}

// CompanyConsent is a company's own consent to an account that somebody else added, recorded
// by the operator or given by an owner in her own session. A merchant's reference is not
// consent (F41.8).
type CompanyConsent struct {
	By        string    `json:"by"` // client that recorded it
	At        time.Time `json:"at"`
	Reference string    `json:"reference"`
}

// VerifyPolicy is which company accounts must be proved before their first debit. It is the
// lender's, and a merchant cannot change it (F41.1).
type VerifyPolicy string

// The policies. There is nothing in between: whose an account is, and how its debits were
// authorized, only the merchant states.
const (
	VerifyAlways VerifyPolicy = "always"
	VerifyNever  VerifyPolicy = "never" // the lender trusts merchants; a failed account stays failed
)

// Policy is the effective policy.
func (s *LenderSettings) Policy() VerifyPolicy { return cmp.Or(s.VerifyAccounts, VerifyAlways) }

// Usable reports whether an account may be debited or credited: only its verification makes it
// ACTIVE.
func (m *PaymentMethod) Usable() bool { return m.Status == MethodActive }

// Consented reports whether the company itself stands behind an account: an owner added it in
// her own session, the operator added it on the company's instruction, or the operator
// recorded its consent (F41.8).
func (m *PaymentMethod) Consented() bool { return m.Merchant == "" || m.Standing.Consented != nil }

// UsableBy reports whether a caller may debit an account: whoever added it, and the operator.
// An account that the operator added represents the lender's own mandate, under which any
// linked merchant may request what is owed to the lender.
func (m *PaymentMethod) UsableBy(a Actor) bool {
	return a.Operator || m.Merchant == "" || m.Merchant == a.Merchant
}

// OwnedBy reports whether a caller may change or remove an account and see its owner: whoever
// added it, and the operator (F36).
func (m *PaymentMethod) OwnedBy(a Actor) bool { return a.Operator || m.Merchant == a.Merchant }
