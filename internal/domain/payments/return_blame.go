package payments

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// Harm that a merchant causes counts against the merchant (F41.8): a return on an account that
// a merchant added, and to which the company has not consented itself, costs the company no
// fee, pauses nothing and suspends nobody.

// Blamed returns (F41.8): this many within this many days stop the merchant's debits and the
// account.
const (
	maxBlamed  = 3
	blamedDays = 30
)

// StoppedReturns is why an account is disabled after too many returned debits on a merchant's
// word alone.
const StoppedReturns = "returned_payments"

// blamed is the merchant that returns on an account count against, "" if they count against
// the company.
func blamed(m *credit.PaymentMethod) string {
	if m == nil || m.Consented() {
		return ""
	}
	return m.Merchant
}

// harmer is the merchant that a returned debit counts against, "" if it counts against the
// company. It is the merchant for its own account, or for autopay on its word alone. But if an
// account that the company agreed to lacks the money for what is due, that is the company's
// own doing, whoever reported its authorization.
func harmer(d *credit.Draft, p *credit.Payment, code string) string {
	merchant := blamed(d.Methods.Peek(p.MethodID))
	if r, _ := lending.LookUpReturn(code); merchant == "" && p.Autopay && r.Class != lending.ClassRetryFunds {
		merchant = d.Asker(p)
	}
	return merchant
}

// blame counts a returned original debit on a merchant's account, or one that its token or its
// word alone had requested. The third in 30 days stops the debits that this merchant requests,
// and this account, until a person at the lender releases them. If all came from one company,
// it may be that company's doing, and the merchant's debits of other companies continue.
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
		return // the account stays; only this merchant may request no more debits of any
	}
	if d.Methods.Peek(t.Method).Status != credit.MethodDisabled {
		lending.Proved(d, disable(d, t.Method, StoppedReturns), true)
	}
}

// debitsStopped rejects a merchant whose debits of a company are stopped (F41.8).
func debitsStopped(s *credit.State, company int64, by credit.Actor) *credit.Rejection {
	if m := s.Merchants[by.Merchant]; by.Operator || m == nil || !lending.Stops(&m.Account, company) {
		return nil
	}
	return credit.PaymentMethodLocked.Because("Too many debits requested by this merchant were returned. The lender must review this before there are more.")
}
