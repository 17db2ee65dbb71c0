package sim

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// update predicts a PATCH of an order: whether the transition exists, which fields the status
// locks, what the transition and a raise require, the number, then the rules on the amount.
func (a ask) update(c lending.UpdateOrder) string {
	old, code := a.sees(c.Order)
	if code != "" {
		return code
	}
	next := *old
	if c.MerchantOrderID != nil {
		next.number = c.MerchantOrderID.Value
	}
	if c.Amount != nil {
		next.amount = int64(*c.Amount)
	}
	if c.Installments != nil {
		next.n = c.Installments.Value
	}
	p := patch{a, old, &next, ""}
	if c.Status != old.status {
		p.to = c.Status
	}
	if p.to == credit.OrderAuthorized && old.status == credit.OrderCreated || p.open() && p.raised() {
		if code := a.linked(old.company, old.merchant); code != "" {
			return code
		}
	}
	if a.stale(c.IfMatch, old) {
		return "precondition_failed"
	}
	return either(p.status(), p.locked(), p.state(), p.number(), p.rules())
}

// patch is a change of an order with a transition to a status, "" for none.
type patch struct {
	ask
	old, next *order
	to        credit.OrderStatus
}

func (p patch) open() bool {
	return p.old.status == credit.OrderCreated || p.old.status == credit.OrderAuthorized
}

func (p patch) raised() bool { return p.next.amount > p.old.amount }

// status requires that the edge exists (OR1).
func (p patch) status() string {
	switch {
	case p.to == "",
		p.to == credit.OrderAuthorized && p.old.status == credit.OrderCreated,
		p.to == credit.OrderCaptured && p.old.status == credit.OrderAuthorized,
		p.to == credit.OrderCanceled && p.open():
		return ""
	}
	return "invalid_transition"
}

// locked requires that the status leaves the fields open.
func (p patch) locked() string {
	switch amount := p.next.amount != p.old.amount; {
	case p.open():
		return ""
	case amount && p.old.status != credit.OrderCanceled:
		return "amount_locked"
	case amount || p.next.number != p.old.number || p.next.n != p.old.n:
		return "order_locked"
	}
	return ""
}

// state checks what the transition and a raise require of order and company.
func (p patch) state() string {
	if p.to == credit.OrderCanceled {
		return ""
	}
	if (p.old.status == credit.OrderAuthorized || p.to == credit.OrderAuthorized) && p.next.n == 0 {
		return "installments_required"
	}
	touched := p.next.amount != p.old.amount || p.next.n != p.old.n
	if p.to == credit.OrderCaptured || touched && p.old.status == credit.OrderAuthorized {
		if code := p.unexpired(p.old); code != "" {
			return code
		}
	}
	if p.to == credit.OrderAuthorized || p.open() && p.raised() {
		return p.approved(p.old.company)
	}
	if p.to == credit.OrderCaptured {
		return p.serviced(p.old)
	}
	return ""
}

func (p patch) number() string {
	if p.next.number != p.old.number && p.m.numberTaken(p.old.merchant, p.next.number) {
		return "duplicate_merchant_order_id"
	}
	return ""
}

// rules checks the amount and the term. A cancel needs no line; a capture for less needs neither
// bounds nor line.
func (p patch) rules() string {
	changed := p.raised() || p.next.amount < p.old.amount || p.next.n != p.old.n
	switch {
	case p.to == credit.OrderCanceled && !changed:
		return ""
	case p.old.status == credit.OrderCreated && (changed || p.to == credit.OrderAuthorized):
		code := p.offered(p.old.merchant, p.company(p.old.company), p.next.amount, p.next.n, p.old.external)
		if code != "" || p.to == "" || p.to == credit.OrderCanceled {
			return code
		}
		return fits(p.next.amount, p.m.available(p.old.company))
	case p.old.status != credit.OrderAuthorized || !changed && p.to == "":
		return ""
	}
	limit, line := "", ""
	if p.raised() || p.next.amount < p.old.amount && p.to != credit.OrderCaptured {
		limit = bounds(p.old.settings, p.next.amount)
	}
	if p.raised() && p.to != credit.OrderCanceled {
		line = fits(p.next.amount, p.m.available(p.old.company)+p.old.reserved)
	}
	return either(limit, possible(p.old.settings, p.next.n, p.old.term.tier, p.old.external, p.next.amount), line)
}
