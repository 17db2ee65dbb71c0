package credit

import (
	"slices"

	"tenor/internal/domain/calendar"
)

// What a merchant does harm with counts against the merchant (F41.8): what comes back of an
// account that a merchant has added, and to which the company has not consented itself, costs
// the company no fee, pauses nothing and suspends nobody.

// Blamed returns (F41.8): so many within so many days stop the merchant's debits and the
// account.
const (
	maxBlamed  = 3
	blamedDays = 30
)

// StoppedReturns is why an account is disabled of which too many debits came back on a
// merchant's word alone.
const StoppedReturns = "returned_payments"

// mandated reports that a merchant's word alone lets autopay debit an account for its orders:
// the company has not told the lender itself to debit it, and no owner has in her own session. What the merchant says of an
// authorization is no consent (F41.8).
func (c *Company) mandated(merchant, method string) bool {
	own := c.Servicing.Autopay
	return !(own.Enabled && own.Method == method) && slices.ContainsFunc(c.Servicing.Mandates, func(m Mandate) bool { return m.Merchant == merchant && m.Person == "" })
}

// asker is the merchant that asked for a debit, or under whose word alone autopay made it; "" if
// the lender or the company itself did.
func (d *Draft) asker(p *Payment) string {
	if !p.Autopay {
		return p.Merchant
	}
	if o := d.Orders.Peek(p.Order); o != nil && d.Companies.Peek(p.Company).mandated(o.Merchant, p.MethodID) {
		return o.Merchant
	}
	return ""
}

// blamed is the merchant against which what comes back of an account counts, "" if it
// counts against the company.
func (m *PaymentMethod) blamed() string {
	if m == nil || m.Consented() {
		return ""
	}
	return m.Merchant
}

// harmer is the merchant against which alone a debit that comes back counts, "" if it counts
// against the company: its own account, or autopay on its word alone. That an account to
// which the company has agreed lacks the money for what is due is the company's own doing,
// whoever passed its word on.
func (d *Draft) harmer(p *Payment, code string) string {
	merchant := d.Methods.Peek(p.MethodID).blamed()
	if r, _ := LookUpReturn(code); merchant == "" && p.Autopay && r.Class != ClassRetryFunds {
		merchant = d.asker(p)
	}
	return merchant
}

// Harm is a debit that came back, or was disputed, and counts against a merchant.
type Harm struct {
	On      calendar.Date `json:"on"`
	Company int64         `json:"company_id"`
}

// stops reports that a merchant asks for no debits of a company until the lender lets it.
func (a *MerchantAccount) stops(company int64) bool {
	return a.NoDebits || a.NoDebitsOf == company && company != 0
}

// blame counts an original debit that came back of a merchant's account, or that its token or
// its word alone had asked for. The third in 30 days stops the debits that this merchant asks
// for, and this account; a person of the lender lets them go on. What comes from one company
// alone may be that company's doing, and stops the merchant's debits of no other.
func (d *Draft) blame(t *Transfer, merchant string) {
	today := d.Env.Today()
	m := d.Merchants.Edit(merchant)
	a := &m.Account
	harm := slices.DeleteFunc(slices.Clone(a.Harm), func(x Harm) bool { return x.On.DaysUntil(today) > blamedDays })
	if a.Harm = append(harm, Harm{today, t.Company}); len(a.Harm) < maxBlamed {
		return
	}
	others := slices.ContainsFunc(a.Harm, func(x Harm) bool { return x.Company != t.Company })
	if others || a.NoDebitsOf != 0 && a.NoDebitsOf != t.Company {
		a.NoDebits = true
	} else {
		a.NoDebitsOf = t.Company
	}
	if d.Methods.Peek(t.Method).blamed() == "" {
		return // the account stands; only this merchant asks for no more debits of any
	}
	if d.Methods.Peek(t.Method).Status != MethodDisabled {
		d.proved(d.disable(t.Method, StoppedReturns), true)
	}
}

// stopsMandate reports that autopay debits an account on the word alone of a merchant whose
// debits have been stopped.
func (d *Draft) stopsMandate(c *Company, merchant, method string) bool {
	m := d.Merchants.Peek(merchant)
	return m != nil && m.Account.stops(c.ID) && c.mandated(merchant, method)
}

// debitsStopped answers a merchant whose debits of a company have been stopped (F41.8).
func debitsStopped(s *State, company int64, by Actor) *Rejection {
	if m := s.Merchants[by.Merchant]; by.Operator || m == nil || !m.Account.stops(company) {
		return nil
	}
	return PaymentMethodLocked.Because("Too many debits that this merchant asked for came back: the lender looks into it before there are more.")
}
