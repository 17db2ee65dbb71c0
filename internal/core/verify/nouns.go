package verify

import (
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// lines compares each credit line with the orders, the loans, the open credits and the
// ledger (CL2, CL3, CL4, PA6).
func lines(r *run) error {
	open, err := r.openCredits()
	if err != nil {
		return err
	}
	reserved, outstanding, lost := map[int64]money.Amount{}, map[int64]money.Amount{}, map[int64]money.Amount{}
	for _, o := range r.orders {
		reserved[o.company] = reserved[o.company].Add(o.reserved)
		outstanding[o.company] = outstanding[o.company].Add(o.unpaid).Add(o.other)
		if o.chargedOff { // it is on 9020, with charge and fees
			lost[o.company] = lost[o.company].Add(o.unpaid)
		}
	}
	held := map[int64]money.Amount{}
	for _, p := range r.paid { // unordered: a sum
		held[p.company] = held[p.company].Add(p.onHold)
	}
	r.countCompanies()
	posted := map[int64]map[ledger.Account]money.Amount{}
	for k, sum := range r.balances {
		if posted[k.Company] == nil {
			posted[k.Company] = map[ledger.Account]money.Amount{}
		}
		posted[k.Company][k.Account] = posted[k.Company][k.Account].Add(sum)
	}
	for k, sum := range r.balances { // unordered: sums
		if k.Account == ledger.OtherReceivable && k.Order == "" {
			outstanding[k.Company] = outstanding[k.Company].Add(sum)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.companies)) {
		c, p := r.companies[id], posted[id]
		object := "company " + store.CompanyKey(id)
		r.equal("CL3", object, "reserved", c.Reserved, reserved[id])
		r.equal("CL3", object, "reserved, compared with 9000", c.Reserved, p[ledger.Reserved])
		r.equal("CL3", object, "outstanding", c.Outstanding, outstanding[id])
		r.equal("CL3", object, "outstanding, compared with 1100 and 1130", c.Outstanding, money.Sum(p[ledger.LoanPrincipal], p[ledger.OtherReceivable], p[ledger.UnfundedExternal], lost[id]))
		r.checkHold(object, c, held[id])
		r.checkConduct(object, c)
		r.checkCallable(object, c)
		r.equal("CL2", object, "available", c.Available(), c.Limit.Sub(outstanding[id]).Sub(reserved[id]).Sub(held[id]))
		r.equal("PA6", object, "unapplied credit", c.Credit, open[id])
		r.equal("PA6", object, "unapplied credit, compared with 2100", c.Credit, -p[ledger.BorrowerCredit])
		for _, m := range c.Linked {
			if r.merchants[m] == nil {
				r.broken("AU1", object, "is linked to merchant %q, which does not exist", m)
			}
		}
		if err := r.each(0); err != nil {
			return err
		}
	}
	return nil
}

// openCredits sums the remaining amounts of each company's credits.
func (r *run) openCredits() (map[int64]money.Amount, error) {
	open := map[int64]money.Amount{}
	err := store.EachCredit(r.view, func(c credit.Credit) error {
		open[c.Company] = open[c.Company].Add(c.Amount)
		switch o := r.orders[c.Order]; {
		case c.Amount <= 0:
			r.broken("PA6", "credit "+c.Source, "has %s left", c.Amount)
		case r.companies[c.Company] == nil || c.Order != "" && (o == nil || o.company != c.Company):
			r.broken("AU1", "credit "+c.Source, "belongs to company %d and order %q, which do not match", c.Company, c.Order)
		}
		return r.each(0)
	})
	return open, err
}

// payments sums where each payment's money is (PA1, PA3, RF2).
func payments(r *run) error {
	left := map[string]money.Amount{}
	if err := store.EachCredit(r.view, func(c credit.Credit) error {
		left[c.Source] = c.Amount
		return r.ctx.Err()
	}); err != nil {
		return err
	}
	return store.EachOf(r.view, store.PaymentNoun, func(p *credit.Payment) error {
		object := "payment " + p.ID
		r.guard("PA3", object, func() {
			r.checkPaymentParents(object, p)
			r.checkPaymentMoney(object, p, left[p.ID])
			r.checkPaymentRail(object, p)
		})
		return r.each(0)
	})
}

func (r *run) checkPaymentParents(object string, p *credit.Payment) {
	if o := r.orders[p.Order]; r.companies[p.Company] == nil || p.Order != "" && (o == nil || o.company != p.Company || o.captured == 0) {
		r.broken("AU1", object, "belongs to company %d and order %q, which do not match", p.Company, p.Order)
	} else if p.Invoice != "" && o != nil && o.invoice != p.Invoice {
		r.broken("AU1", object, "has invoice %s, its order has %s", p.Invoice, o.invoice)
	}
	if p.Merchant != "" && r.merchants[p.Merchant] == nil {
		r.broken("AU1", object, "was recorded by merchant %q, which does not exist", p.Merchant)
	}
	if p.Currency != money.USD {
		r.broken("MN4", object, "has currency %s", p.Currency)
	}
	for _, a := range p.Allocations {
		o := r.orders[a.Order]
		if o == nil || o.company != p.Company || o.captured == 0 {
			r.broken("PA4", object, "pays order %s, which is not captured or belongs to a different company", a.Order)
		} else if p.Order != "" && a.Order != p.Order && !r.moved[movedTo{p.ID, a.Order, a.Installment}].covers(a) {
			r.broken("PA4", object, "of order %s pays row %d of order %s without a recorded use of credit", p.Order, a.Installment, a.Order)
		}
	}
}

func (r *run) checkPaymentMoney(object string, p *credit.Payment, left money.Amount) {
	applied, refunded := money.Amount(0), money.Amount(0)
	for _, a := range p.Allocations {
		applied = money.Sum(applied, a.Fee, a.Charge, a.Principal)
		if a.Fee < a.Other || a.Other < 0 || a.Charge < 0 || a.Principal < 0 {
			r.broken("PA3", object, "has a negative allocation")
		}
	}
	for _, x := range p.Refunds {
		if x.Status != credit.RefundCanceled {
			refunded = refunded.Add(x.Amount)
		}
	}
	r.equal("RF2", object, "refunded", p.Refunded, refunded)
	if (p.InTransit() != 0) == p.OwedSince.IsZero() {
		r.broken("PA2", object, "has refunds of %s in transit since %q", p.InTransit(), stamp(p.OwedSince))
	}
	if p.Amount <= 0 || p.Refunded < 0 || p.Refunded > p.Amount {
		r.broken("RF2", object, "has %s of %s refunded", p.Refunded, p.Amount)
	}
	kept := p.Status == credit.PaymentSucceeded || p.Status == credit.PaymentPartiallyRefunded || p.Status == credit.PaymentRefunded
	if (p.Status == credit.PaymentRefunded) != (p.Refunded == p.Amount) && kept ||
		(p.Status == credit.PaymentSucceeded) != (p.Refunded == 0) && kept || kept && p.SettledAt.IsZero() ||
		(p.Failure != nil) != (p.Status == credit.PaymentReturned || p.Status == credit.PaymentFailed) {
		r.broken("PA1", object, "is %s with %s of %s refunded (failed: %t)", p.Status, p.Refunded, p.Amount, p.Failure != nil)
	}
	if !kept {
		if applied != 0 || p.Unapplied != 0 {
			r.broken("PA3", object, "is %s with %s applied and %s unapplied", p.Status, applied, p.Unapplied)
		}
		return
	}
	if p.Direction == "IN" && money.Sum(applied, p.Unapplied, p.Refunded) != p.Amount {
		r.broken("PA3", object, "of %s: %s applied, %s unapplied, %s refunded", p.Amount, applied, p.Unapplied, p.Refunded)
	}
	r.equal("PA3", object, "unapplied", p.Unapplied, left)
}

// invoices compares each invoice with its lines and its order. Its amount due follows from
// its loan (OR5).
func invoices(r *run) error {
	totals := map[string]schedule.View{}
	if err := store.EachOrder(r.view, func(o *credit.Order, l *schedule.Loan) error {
		if l != nil {
			r.guard("OR5", "order "+o.Key, func() {
				v := l.View(l.AsOf)
				totals[o.Key] = schedule.View{TotalAmount: v.TotalAmount, TotalPaid: v.TotalPaid}
			})
		}
		return r.ctx.Err()
	}); err != nil {
		return err
	}
	seen := map[string]bool{}
	if err := store.EachOf(r.view, store.InvoiceNoun, func(i *credit.Invoice) error {
		object, o := "invoice "+i.ID, r.orders[i.Order]
		if o == nil || o.company != i.Company || o.merchant != i.Merchant || o.invoice != i.ID {
			r.broken("AU1", object, "belongs to order %s, company %d and merchant %q, which do not match", i.Order, i.Company, i.Merchant)
			return r.each(0)
		}
		seen[i.Order] = true
		sum := money.Amount(0)
		for _, l := range i.Lines {
			sum = sum.Add(l.Amount)
		}
		r.equal("OR5", object, "amount due, compared with its lines", i.AmountDue, sum)
		r.equal("OR5", object, "amount due", i.AmountDue, totals[i.Order].TotalAmount)
		r.equal("OR5", object, "paid", i.Paid, totals[i.Order].TotalPaid)
		return r.each(0)
	}); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(r.orders)) {
		if r.orders[key].hasLoan && !seen[key] {
			r.broken("OR5", "order "+key, "has a loan but no invoice")
		}
	}
	return nil
}

// names compares the claims with the names that orders, payments and merchants have taken
// (OR8).
func names(r *run) error {
	want := map[credit.Claim]string{}
	take := func(c credit.Claim, owner string) {
		if other, twice := want[c]; twice {
			r.broken("OR8", string(c.Kind)+" "+c.Name, "is claimed by both %s and %s", other, owner)
		}
		want[c] = owner
	}
	for _, key := range slices.Sorted(maps.Keys(r.orders)) {
		if o := r.orders[key]; o.merchantOrderID != "" && o.status != credit.OrderCanceled {
			take(credit.Claim{Kind: credit.ClaimMerchantOrderID, Scope: o.merchant, Name: o.merchantOrderID}, key)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.paid)) {
		if p := r.paid[id]; p.externalID != "" {
			take(credit.Claim{Kind: credit.ClaimExternalID, Scope: p.merchant, Name: p.externalID}, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.merchants)) {
		take(credit.Claim{Kind: credit.ClaimMerchantName, Name: r.merchants[id].Name}, id)
	}
	if err := r.recordNames(take); err != nil {
		return err
	}
	p := &places{r, map[string]int{}}
	if err := store.EachClaim(r.view, func(c credit.Claim, owner string) error {
		if c.Kind == credit.ClaimEndpointPlace {
			p.claim(c, owner)
			return r.each(0)
		}
		if c.Kind == credit.ClaimBusiness {
			return r.taxNumber(c, owner)
		}
		if want[c] != owner {
			r.broken("OR8", string(c.Kind)+" "+c.Name, "is claimed for %q, must be %q", owner, want[c])
		}
		delete(want, c)
		return r.each(0)
	}); err != nil {
		return err
	}
	for c, owner := range want {
		r.broken("OR8", string(c.Kind)+" "+c.Name, "is not claimed for %s", owner)
	}
	p.finish()
	return nil
}

// links compares the lists of companies that merchants see with the companies' own links
// (AU1).
func links(r *run) error {
	linked := map[string]int{}
	for _, c := range r.companies {
		for _, m := range c.Linked {
			linked[m]++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.merchants)) {
		seen := 0
		for page := (store.Page{Limit: 100}); ; {
			list, err := store.ListCompanies(r.view, id, page)
			if err != nil {
				return err
			}
			for _, c := range list {
				if known := r.companies[c.ID]; known == nil || !slices.Contains(known.Linked, id) {
					r.broken("AU1", "company "+store.CompanyKey(c.ID), "is listed for merchant %s, to which it is not linked", id)
				}
				seen++
				if err := r.each(0); err != nil {
					return err
				}
			}
			if len(list) < page.Limit {
				break
			}
			last := list[len(list)-1]
			page.AfterAt, page.AfterID = last.CreatedAt, store.CompanyKey(last.ID)
		}
		if seen != linked[id] {
			r.broken("AU1", "merchant "+id, "lists %d companies, but %d are linked to it", seen, linked[id])
		}
	}
	return nil
}
