package payments

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
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

// blamed is the merchant against which what comes back of an account counts, "" if it
// counts against the company.
func blamed(m *credit.PaymentMethod) string {
	if m == nil || m.Consented() {
		return ""
	}
	return m.Merchant
}

// harmer is the merchant against which alone a debit that comes back counts, "" if it counts
// against the company: its own account, or autopay on its word alone. That an account to
// which the company has agreed lacks the money for what is due is the company's own doing,
// whoever passed its word on.
func harmer(d *credit.Draft, p *credit.Payment, code string) string {
	merchant := blamed(d.Methods.Peek(p.MethodID))
	if r, _ := lending.LookUpReturn(code); merchant == "" && p.Autopay && r.Class != lending.ClassRetryFunds {
		merchant = d.Asker(p)
	}
	return merchant
}

// blame counts an original debit that came back of a merchant's account, or that its token or
// its word alone had asked for. The third in 30 days stops the debits that this merchant asks
// for, and this account; a person of the lender lets them go on. What comes from one company
// alone may be that company's doing, and stops the merchant's debits of no other.
func blame(d *credit.Draft, t *credit.Transfer, merchant string) {
	today := d.Env.Today()
	m := d.Merchants.Edit(merchant)
	a := &m.Account
	harm := slices.DeleteFunc(slices.Clone(a.Harm), func(x credit.Harm) bool { return x.On.DaysUntil(today) > blamedDays })
	if a.Harm = append(harm, credit.Harm{On: today, Company: t.Company}); len(a.Harm) < maxBlamed {
		return
	}
	others := slices.ContainsFunc(a.Harm, func(x credit.Harm) bool { return x.Company != t.Company })
	if others || a.NoDebitsOf != 0 && a.NoDebitsOf != t.Company {
		a.NoDebits = true
	} else {
		a.NoDebitsOf = t.Company
	}
	if blamed(d.Methods.Peek(t.Method)) == "" {
		return // the account stands; only this merchant asks for no more debits of any
	}
	if d.Methods.Peek(t.Method).Status != credit.MethodDisabled {
		lending.Proved(d, disable(d, t.Method, StoppedReturns), true)
	}
}

// debitsStopped answers a merchant whose debits of a company have been stopped (F41.8).
func debitsStopped(s *credit.State, company int64, by credit.Actor) *credit.Rejection {
	if m := s.Merchants[by.Merchant]; by.Operator || m == nil || !lending.Stops(&m.Account, company) {
		return nil
	}
	return credit.PaymentMethodLocked.Because("Too many debits requested by this merchant were returned. The lender must review this before there are more.")
}
