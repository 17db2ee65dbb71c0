package years

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/proof/sim"
	"tenor/internal/proof/sim/onrails"
)

// shopKinds returns what shops do other than authorizing and fully capturing an order.
func shopKinds() []string {
	return []string{
		"create", "authorize", "change order", "change order", "capture less", "capture more", "part", "part", "extend", "cancel", "cancel part",
		"note", "refund rest", "refund again", "refund early", "refund early", "refund external",
	}
}

// shop generates what a shop does with an order; false if the kind is not one of these, nil if
// there is no order for it.
func (p *cast) shop(kind string) (credit.Command, bool) {
	switch kind {
	case "create":
		return p.createOrder(), true
	case "authorize", "change order", "extend", "cancel", "cancel part", "note", "capture less", "capture more", "part":
		return p.onOpen(kind), true
	case "refund rest", "refund again", "refund early", "refund external":
		return p.refundOf(kind), true
	}
	return nil, false
}

// createOrder generates an order that is authorized later, with a shop number that another order
// may have.
func (p *cast) createOrder() credit.Command {
	s := p.y.Source
	c := lending.CreateOrder{Company: sim.Pick(s, p.draw.Companies()), Amount: money.Amount(sim.Between(s, 5_000, 300_000)), Authorize: sim.Chance(s, 25)}
	if sim.Chance(s, 80) {
		c.Installments = sim.Pick(s, []int{1, 3, 4, 6, 12})
	}
	if sim.Chance(s, 60) {
		c.MerchantOrderID = p.orderNumber()
	}
	return c
}

func (p *cast) orderNumber() string {
	return sim.Pick(p.y.Source, []string{"PO-1", "PO-2", "PO-3", "PO-4", "PO-5"})
}

// onOpen generates an action on an order before its capture, or with it.
func (p *cast) onOpen(kind string) credit.Command {
	s := p.y.Source
	o, ok := onrails.One(p.draw, p.draw.Books.Orders, func(o *credit.Order) bool { return p.open(kind, o) })
	if !ok {
		return nil
	}
	c := lending.UpdateOrder{Order: o.Key}
	switch kind {
	case "authorize":
		c.Status = credit.OrderAuthorized
		if o.Installments == 0 {
			c.Installments = &lending.Patch[int]{Value: 3}
		}
	case "change order":
		return p.changed(c, o)
	case "cancel", "cancel part":
		c.Status = credit.OrderCanceled
	case "note":
		c.MerchantStatus = &lending.Patch[string]{Value: sim.Pick(s, []string{"packed", "sent"})}
	case "extend":
		return lending.ExtendOrder{Order: o.Key}
	case "part":
		part := lending.CapturePart{Order: o.Key, Amount: money.Amount(sim.Between(s, 100, max(100, int64(o.Amount*3/4))))}
		if sim.Chance(s, 30) {
			part.MerchantOrderID = p.orderNumber()
		}
		return part
	default:
		amount := money.Amount(sim.Between(s, max(1, int64(o.Amount)/3), max(1, int64(o.Amount)-1)))
		if kind == "capture more" {
			amount = o.Amount + money.Amount(sim.Between(s, 1, 50_000))
		}
		c.Status, c.Amount = credit.OrderCaptured, &amount
	}
	return c
}

// open reports whether a kind can be applied to an order.
func (p *cast) open(kind string, o *credit.Order) bool {
	switch kind {
	case "authorize":
		return o.Status == credit.OrderCreated
	case "change order", "cancel":
		return o.Status == credit.OrderCreated || o.Status == credit.OrderAuthorized
	case "cancel part": // partly captured
		for _, x := range p.draw.Books.Orders { // unordered: is there one
			if x.Parent == o.Key {
				return o.Status == credit.OrderAuthorized
			}
		}
		return false
	case "note":
		return true
	}
	return o.Status == credit.OrderAuthorized
}

// changed generates other amounts, terms and numbers for an order.
func (p *cast) changed(c lending.UpdateOrder, o *credit.Order) credit.Command {
	s := p.y.Source
	if sim.Chance(s, 70) {
		amount := money.Amount(sim.Between(s, max(1, int64(o.Amount)/2), int64(o.Amount)*3/2))
		c.Amount = &amount
	}
	if sim.Chance(s, 40) {
		c.Installments = &lending.Patch[int]{Value: sim.Pick(s, []int{1, 3, 4, 6, 12})}
	}
	if sim.Chance(s, 30) {
		c.MerchantOrderID = &lending.Patch[string]{Value: p.orderNumber()}
	}
	return c
}

// refundOf generates a merchant's refund: of all that is left, with a reference; the same again;
// of what was just captured, for which nobody has been paid and on which nothing has been paid;
// of an order that the merchant collects itself.
func (p *cast) refundOf(kind string) credit.Command {
	s, now := p.y.Source, p.y.Clock.Now()
	o, ok := onrails.One(p.draw, p.draw.Books.Orders, func(o *credit.Order) bool {
		open := o.Status == credit.OrderCaptured
		switch kind {
		case "refund again":
			return slices.ContainsFunc(o.Refunds, func(r credit.Refund) bool { return r.Reference != "" })
		case "refund early":
			return open && now.Sub(o.CapturedAt).Hours() < 40
		case "refund external":
			return open && o.External
		}
		return open
	})
	if !ok {
		return nil
	}
	c := lending.RefundOrder{Order: o.Key, Reason: "returned"}
	switch kind {
	case "refund rest":
		c.Reference = p.draw.Number("return")
	case "refund again":
		for _, r := range o.Refunds {
			if r.Reference != "" {
				c.Reference = r.Reference
			}
		}
	default:
		if sim.Chance(s, 60) {
			amount := money.Amount(sim.Between(s, 1, int64(o.Captured-o.Refunded)))
			c.Amount = &amount
		}
	}
	return c
}
