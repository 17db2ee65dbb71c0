package sim

import "tenor/internal/credit"

// update predicts a PATCH of an order: what its status locks, its number, the
// transition's conditions, then the rules of the amount.
func (a ask) update(c credit.UpdateOrder) string {
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
	open := old.status == credit.OrderCreated || old.status == credit.OrderAuthorized
	authorizes := c.Status == credit.OrderAuthorized && old.status == credit.OrderCreated
	if authorizes || open && next.amount > old.amount {
		if code := a.linked(old.company, old.merchant); code != "" {
			return code
		}
	}
	if a.stale(c.IfMatch, old) {
		return "precondition_failed"
	}
	return either(a.patchState(c, old, &next, open), a.patchRules(c, old, &next))
}

func (a ask) patchState(c credit.UpdateOrder, old, next *order, open bool) string {
	amount, number := next.amount != old.amount, next.number != old.number
	if !open && amount && old.status != credit.OrderCanceled {
		return "amount_locked"
	}
	if !open && (amount || number || next.n != old.n) {
		return "order_locked"
	}
	if number && a.m.numberTaken(old.merchant, next.number) {
		return "duplicate_merchant_order_id"
	}
	if c.Status != "" && c.Status != old.status {
		switch {
		case c.Status == credit.OrderAuthorized && old.status == credit.OrderCreated:
			if next.n == 0 {
				return "installments_required"
			}
			return a.approved(old.company)
		case c.Status == credit.OrderCaptured && old.status == credit.OrderAuthorized:
			if code := a.live(old); code != "" {
				return code
			}
		case c.Status == credit.OrderCanceled && open:
			return ""
		default:
			return "invalid_transition"
		}
	}
	if old.status == credit.OrderAuthorized && next.n == 0 {
		return "installments_required"
	}
	if open && next.amount > max(old.reserved, old.amount) {
		return a.approved(old.company)
	}
	return ""
}

// patchRules are the rules of amount and term. A cancel asks none.
func (a ask) patchRules(c credit.UpdateOrder, old, next *order) string {
	changed := next.amount != old.amount || next.n != old.n
	captures := c.Status == credit.OrderCaptured && old.status == credit.OrderAuthorized
	switch {
	case c.Status == credit.OrderCanceled && old.status != credit.OrderCanceled:
		return ""
	case old.status == credit.OrderCreated && c.Status == credit.OrderAuthorized:
		s := &a.m.inForce(old.merchant, a.day).settings
		return either(offers(s, next.amount, next.n), possible(s, next.n, a.company(old.company).tier, old.external, next.amount),
			fits(next.amount, a.m.available(old.company)))
	case old.status == credit.OrderCreated && changed:
		return offers(&a.m.inForce(old.merchant, a.day).settings, next.amount, next.n)
	case old.status != credit.OrderAuthorized || !changed && !captures:
		return ""
	}
	return a.reserves(old, next, captures)
}

// reserves are the rules of an authorized order whose amount or term changes, or
// that is captured. Less than the reservation never asks the line or the bounds.
func (a ask) reserves(old, next *order, captures bool) string {
	more := next.amount > old.reserved
	line := ""
	if more {
		line = fits(next.amount, a.m.available(old.company)+old.reserved)
	}
	bounds := ""
	if more || !captures {
		bounds = offers(old.settings, next.amount, next.n)
	}
	term := possible(old.settings, next.n, old.term.tier, old.external, next.amount)
	if !captures {
		return either(bounds, term, line)
	}
	if _, ok := termOf(old.settings, next.n, "", false); !ok {
		return either(bounds, "term_not_available")
	}
	return either(bounds, line, term)
}
