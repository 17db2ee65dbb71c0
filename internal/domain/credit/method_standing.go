package credit

import (
	"cmp"
	"slices"
	"strings"
	"time"
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

// What an account can be verified by (F41.1).
const (
	VerifiedByMicro     = "micro_deposits"
	VerifiedByPrenote   = "prenote" // counts from the company's consent on
	VerifiedByOperator  = "operator"
	VerifiedBySandbox   = "sandbox"   // a test account whose behavior is known
	VerifiedByProcessor = "processor" // a card: each charge asks its processor
	VerifiedByPolicy    = "policy"    // the lender asks for no proof of such an account
)

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

// Usable reports that an account may be debited or credited: it is ACTIVE, and has been
// verified. One that a merchant had added before accounts had to be is, if a debit of it has
// settled.
func (m *PaymentMethod) Usable() bool {
	known := m.Standing.Verified != "" || m.Merchant == "" || !m.Type.Can().Prove || m.FirstSettled > 0
	return m.Status == MethodActive && known
}

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

// unusable is why an account cannot be debited or be autopay's, nil if it can.
func unusable(m *PaymentMethod) *Rejection {
	switch {
	case m.Usable():
		return nil
	case m.Status == MethodDisabled:
		return lockedMethod(m)
	}
	return PaymentMethodUnverified.With("The account is not verified yet. It can be verified by micro-deposits, by a prenote with the company's consent, or by the lender.",
		map[string]any{"payment_method_status": string(m.Status)})
}

// Bounds of what one company's accounts may cost: each account that is to be proved takes
// three entries, and a stranger may try numbers.
const (
	maxFailed  = 50
	maxProving = 5
)

// refuseAccount answers who adds an account that has failed its check at the company, that
// is being checked already, or that is one of too many (F36, F41.1). The operator adds any; an
// owner in her own session does not speak for the operator.
func (c AddPaymentMethod) refuseAccount(x *Company, e Env) *Rejection {
	switch {
	case c.Bank == nil || e.Actor.Operator && c.Person == "":
		return nil
	case slices.Contains(x.Servicing.Failed, c.Bank.number()):
		return PaymentMethodUnverified.Because("This account failed verification at this company. Only the lender can add it again.")
	case slices.Contains(x.Servicing.Proving, c.Bank.number()):
		return PaymentMethodLocked.Because("This account is already being verified.")
	case len(x.Servicing.Failed) >= maxFailed || len(x.Servicing.Proving) >= maxProving:
		return LimitExceeded.Because("Too many accounts of this company are unverified or failed verification. The lender can add one.")
	}
	return nil
}

// start gives a new account its standing: what the caller's word is worth, and what is to
// prove it. Neither a merchant nor an owner of the company can say that it need not be (F41.1).
func (c AddPaymentMethod) start(d *Draft, m *PaymentMethod) {
	switch {
	case !c.Type.Can().Prove:
		d.vouch(m, VerifiedByProcessor, "")
	case c.Verify:
		d.verify(m, c.Micro)
	case c.Prenote:
		d.prenote(m)
	case d.Env.Actor.Operator && c.Person == "":
		d.vouch(m, VerifiedByOperator, c.Reason)
	case c.Known:
		d.vouch(m, VerifiedBySandbox, "")
	case c.Policy == VerifyNever:
		d.vouch(m, VerifiedByPolicy, "")
	default:
		d.verify(m, c.Micro)
	}
}

// vouch notes that an account has been verified, and by what. It can be debited from then
// on. The word of a merchant alone does not let a company be approved again whose debits
// came back (F26, F41.8).
func (d *Draft) vouch(m *PaymentMethod, by, reason string) {
	m.Standing.Verified, m.Standing.At, m.Standing.Reason = by, d.Env.Now, reason
	if by == VerifiedByOperator {
		m.Standing.By = d.Env.Actor.Client
	}
	d.proved(m, false)
	if by == VerifiedByPrenote && !m.Consented() {
		return // it is there: whose it is the company says
	}
	m.Status, m.Verification = MethodActive, nil
	if m.Consented() && by != VerifiedByPolicy {
		d.verified(m.Company)
	}
}

// proving notes that a number is being checked at a company.
func (d *Draft) proving(m *PaymentMethod) {
	x := d.Companies.Edit(m.Company)
	x.Servicing.Proving = append(slices.Clone(x.Servicing.Proving), m.Bank.number())
}

// proved ends a number's check: one that has failed it stays failed at that company.
func (d *Draft) proved(m *PaymentMethod, failed bool) {
	if m.Bank == nil {
		return
	}
	x := d.Companies.Peek(m.Company)
	number := m.Bank.number()
	if !slices.Contains(x.Servicing.Proving, number) && slices.Contains(x.Servicing.Failed, number) == failed {
		return
	}
	x = d.Companies.Edit(m.Company)
	without := func(list []string) []string {
		if list = slices.DeleteFunc(slices.Clone(list), func(n string) bool { return n == number }); len(list) == 0 {
			return nil
		}
		return list
	}
	x.Servicing.Proving, x.Servicing.Failed = without(x.Servicing.Proving), without(x.Servicing.Failed)
	if failed {
		x.Servicing.Failed = append(x.Servicing.Failed, number)
	}
}

// VouchForMethod records the operator's word on an account: that it is the company's, and
// may be debited; that the company has consented to it in its own name; or both (F41.1,
// F41.8). Result is the *PaymentMethod.
type VouchForMethod struct {
	Method   string   `json:"payment_method"`
	IfMatch  []string `json:"if_match"`
	Verified bool     `json:"verified"`
	Consent  string   `json:"consent"` // the record of the company's consent; "" if nothing is said of it
	Reason   string   `json:"reason"`
}

func (VouchForMethod) Name() string { return "payment_method.vouch" }

// Keys asks for the method, then for its company.
func (c VouchForMethod) Keys(s *State, _ Env) Keys { return methodKeys(s, c.Method) }

// Admit lets nobody but the operator vouch.
func (c VouchForMethod) Admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator {
		return NotFound.Because("There is no such payment method.")
	}
	return admitMethod(s, e, c.Method)
}

func (c VouchForMethod) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Methods[c.Method]
	switch r := MatchVersion(c.IfMatch, old.Version); {
	case r != nil:
		return Changes{}, r
	case old.Status == MethodDisabled:
		return Changes{}, lockedMethod(old)
	case strings.TrimSpace(c.Reason) == "" || !c.Verified && strings.TrimSpace(c.Consent) == "":
		return Changes{}, ValidationFailed.Because("Give a reason and what you vouch for: the account, the company's consent with its reference, or both.")
	}
	d := NewDraft(s, e)
	m := d.Methods.Edit(c.Method)
	if c.Consent != "" {
		m.Standing.Consented = &CompanyConsent{By: e.Actor.Client, At: e.Now, Reference: c.Consent}
	}
	if c.Verified {
		d.vouch(m, VerifiedByOperator, c.Reason)
	} else if m.Standing.Verified == VerifiedByPrenote || m.Usable() {
		d.vouch(m, m.Standing.Verified, c.Reason)
	}
	return d.Done(m, false), nil
}
