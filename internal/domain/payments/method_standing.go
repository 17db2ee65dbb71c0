package payments

import (
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// unusable is why an account cannot be debited or used for autopay, nil if it can.
func unusable(m *credit.PaymentMethod) *credit.Rejection {
	switch {
	case m.Usable():
		return nil
	case m.Status == credit.MethodDisabled:
		return lockedMethod(m)
	}
	return credit.PaymentMethodUnverified.With("The account is not verified yet. It can be verified by micro-deposits, by a prenote with the company's consent, or by the lender.",
		map[string]any{"payment_method_status": string(m.Status)})
}

// Bounds on what one company's accounts may cost: each account to be proved takes three
// entries, and a stranger may probe numbers.
const (
	maxFailed  = 50
	maxProving = 5
)

// refuseAccount rejects adding an account that failed its check at the company, is already
// being checked, or is one too many (F36, F41.1). The operator may add any; an owner acting in
// her own session is not the operator.
func (c AddPaymentMethod) refuseAccount(x *credit.Company, e credit.Env) *credit.Rejection {
	switch {
	case c.Bank == nil || e.Actor.Operator && c.Person == "":
		return nil
	case slices.Contains(x.Servicing.Failed, lending.AccountNumber(c.Bank)):
		return credit.PaymentMethodUnverified.Because("This account failed verification at this company. Only the lender can add it again.")
	case slices.Contains(x.Servicing.Proving, lending.AccountNumber(c.Bank)):
		return credit.PaymentMethodLocked.Because("This account is already being verified.")
	case len(x.Servicing.Failed) >= maxFailed || len(x.Servicing.Proving) >= maxProving:
		return credit.LimitExceeded.Because("Too many accounts of this company are unverified or failed verification. The lender can add one.")
	}
	return nil
}

// start sets a new account's standing: what the caller's word is worth, and what must prove
// it. Neither a merchant nor an owner of the company can waive the proof (F41.1).
func (c AddPaymentMethod) start(d *credit.Draft, m *credit.PaymentMethod) {
	switch {
	case !c.Type.Can().Prove:
		lending.Vouch(d, m, lending.VerifiedByProcessor, "")
	case c.Verify:
		verifyMethod(d, m, c.Micro)
	case c.Prenote:
		prenote(d, m)
	case d.Env.Actor.Operator && c.Person == "":
		lending.Vouch(d, m, lending.VerifiedByOperator, c.Reason)
	case c.Known:
		lending.Vouch(d, m, lending.VerifiedBySandbox, "")
	case c.Policy == credit.VerifyNever:
		lending.Vouch(d, m, lending.VerifiedByPolicy, "")
	default:
		verifyMethod(d, m, c.Micro)
	}
}

// proving records that a number is being checked at a company.
func proving(d *credit.Draft, m *credit.PaymentMethod) {
	x := d.Companies.Edit(m.Company)
	x.Servicing.Proving = append(slices.Clone(x.Servicing.Proving), lending.AccountNumber(m.Bank))
}

// VouchForMethod records the operator's word on an account: that it is the company's and may
// be debited; that the company consented to it in its own name; or both (F41.1, F41.8). Result
// is the *PaymentMethod.
type VouchForMethod struct {
	Method   string   `json:"payment_method"`
	IfMatch  []string `json:"if_match"`
	Verified bool     `json:"verified"`
	Consent  string   `json:"consent"` // record of the company's consent; "" if not given
	Reason   string   `json:"reason"`
}

func (VouchForMethod) Name() string { return "payment_method.vouch" }

// Keys requests the method, then for its company.
func (c VouchForMethod) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return methodKeys(s, c.Method)
}

// Admit allows only the operator to vouch.
func (c VouchForMethod) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if !e.Actor.Operator {
		return credit.NotFound.Because("There is no such payment method.")
	}
	return lending.AdmitMethod(s, e, c.Method)
}

func (c VouchForMethod) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Methods[c.Method]
	switch r := credit.MatchVersion(c.IfMatch, old.Version); {
	case r != nil:
		return credit.Changes{}, r
	case old.Status == credit.MethodDisabled:
		return credit.Changes{}, lockedMethod(old)
	case strings.TrimSpace(c.Reason) == "" || !c.Verified && strings.TrimSpace(c.Consent) == "":
		return credit.Changes{}, credit.ValidationFailed.Because("Give a reason and what you vouch for: the account, the company's consent with its reference, or both.")
	}
	d := credit.NewDraft(s, e)
	m := d.Methods.Edit(c.Method)
	if c.Consent != "" {
		m.Standing.Consented = &credit.CompanyConsent{By: e.Actor.Client, At: e.Now, Reference: c.Consent}
	}
	if c.Verified {
		lending.Vouch(d, m, lending.VerifiedByOperator, c.Reason)
	} else if m.Standing.Verified == lending.VerifiedByPrenote || m.Usable() {
		lending.Vouch(d, m, m.Standing.Verified, c.Reason)
	}
	return d.Done(m, false), nil
}
