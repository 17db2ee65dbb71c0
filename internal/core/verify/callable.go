package verify

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// checkCallable compares a company's recallable payments with its payments: a charge counts
// with the part that did not pay charge or fees, less what was sent back (F24). It also
// checks that only a company suspended for lateness has payments that keep it suspended
// (F26).
func (r *run) checkCallable(object string, c *credit.Company) {
	for _, x := range c.Servicing.Recallable {
		p := r.paid[x.Payment]
		if p == nil || p.company != c.ID {
			r.broken("CL3", object, "lists payment %q as recallable, which is not its payment", x.Payment)
			continue
		}
		back := p.refunded
		if t := r.transfers[p.transfer]; t != nil && t.rail == credit.Card {
			back = t.back
		}
		if x.Amount != p.callable || x.Back != back {
			r.broken("CL3", object, "lists %s of payment %s less %s as recallable, must be %s less %s", x.Amount, x.Payment, x.Back, p.callable, back)
		}
	}
	late := c.Status == credit.CompanySuspended && c.StatusCode == credit.SuspendedPastDue
	if len(c.Servicing.Reported) > 0 && !late {
		r.broken("F26", object, "is %s but waits for money that %d merchants have reported", c.Status, len(c.Servicing.Reported))
	}
	for _, id := range c.Servicing.Cures {
		if p := r.paid[id]; !late || p == nil || p.company != c.ID {
			r.broken("F26", object, "is %s but waits for the money of payment %q", c.Status, id)
		}
	}
}

// callable is the part of a payment that did not pay charge or fees.
func callable(p *credit.Payment) money.Amount {
	sum := p.Amount
	for _, a := range p.Allocations {
		sum = sum.Sub(a.Charge).Sub(a.Fee).Add(a.Other)
	}
	return sum
}
