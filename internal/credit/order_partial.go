package credit

import (
	"tenor/internal/money"
)

// CapturePart captures a part of an AUTHORIZED order as a child order (F31).
type CapturePart struct {
	Order           string       `json:"order"`
	IfMatch         []string     `json:"if_match"`
	Amount          money.Amount `json:"amount"`
	Cart            []CartItem   `json:"items"`
	MerchantOrderID string       `json:"merchant_order_id"`
}

// Name is the command's word in the audit log.
func (CapturePart) Name() string { return "order.partial" }

// Keys asks for the parent as a capture does, and for the child's order number.
func (c CapturePart) Keys(s *State, e Env) Keys {
	k := orderKeys(s, c.Order)
	if o := s.Orders[c.Order]; o != nil && c.MerchantOrderID != "" {
		k.Claims = []Claim{orderNumber(o.Merchant, c.MerchantOrderID)}
	}
	return k
}

func (c CapturePart) admit(s *State, e Env) *Rejection { return admitOrder(s, e, c.Order) }

func (c CapturePart) decide(s *State, e Env) (Changes, *Rejection) {
	d := newDraft(s, e)
	old := s.Orders[c.Order]
	if r := matches(c.IfMatch, old); r != nil {
		return Changes{}, r
	}
	if old.Status != OrderAuthorized {
		return Changes{}, unauthorized(old.Status)
	}
	if r := d.unexpired(old); r != nil {
		return Changes{}, r
	}
	if r := serviced(s.Companies[old.Company]); r != nil {
		return Changes{}, r
	}
	if c.MerchantOrderID != "" && s.Claims[orderNumber(old.Merchant, c.MerchantOrderID)] != "" {
		return Changes{}, duplicateOrderNumber()
	}
	if c.Amount >= old.Reserved {
		return Changes{}, PartialTooLarge.with("Capture the order itself for all that it has left.", map[string]any{"left": old.Reserved})
	}
	parent := d.orders.edit(c.Order)
	child := d.child(parent, c)
	if r := d.originate(child, c.Amount); r != nil {
		return Changes{}, r
	}
	d.reserve(parent, parent.Reserved.Sub(c.Amount))
	parent.Amount = parent.Reserved
	d.refigure(parent)
	d.orderEvent(OrderUpdatedEvent, parent.Key)
	d.orderEvent(OrderCreatedEvent, child.Key)
	d.book(child)
	return d.done(child, true), nil
}

// refigure shows an authorized order's terms for the amount that it now has, as
// if captured on the day of authorization. Where so little is left that F1–F3
// would refuse it, the figures stay; a capture of it is refused then.
func (d *draft) refigure(o *Order) {
	if _, terms, r := figures(*o.Terms, o.Amount, d.e.Zone.Date(o.AuthorizedAt)); r == nil {
		o.Terms = &terms
	}
}

// child makes the child order under the parent's terms; it is captured at birth.
func (d *draft) child(parent *Order, c CapturePart) *Order {
	o := *parent
	terms := *parent.Terms
	o.Key, o.Parent = d.ids.next(prefixOrder), parent.Key
	o.MerchantOrderID, o.Cart = c.MerchantOrderID, c.Cart
	o.Amount, o.Reserved, o.Authorized = c.Amount, 0, c.Amount
	o.Terms, o.Charges, o.MerchantStatus, o.Metadata, o.Checkout = &terms, nil, "", nil, ""
	o.CreatedAt, o.UpdatedAt, o.Version, o.EventSeq = d.e.Now, d.e.Now, 1, 0
	o.AuthorizedAt, o.ExpiresAt, o.Extended = parent.AuthorizedAt, parent.ExpiresAt, parent.Extended
	d.orders.add(o.Key, &o)
	if o.MerchantOrderID != "" {
		d.claim(orderNumber(o.Merchant, o.MerchantOrderID), o.Key)
	}
	return &o
}
