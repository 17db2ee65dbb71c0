package credit

import (
	"tenor/internal/money"
)

// CapturePart captures a part of an AUTHORIZED order as a child order (F31).
type CapturePart struct {
	Order           string       `json:"order"`
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
	if old.Status != OrderAuthorized {
		return Changes{}, invalidTransition(old.Status, string(OrderCaptured))
	}
	if r := d.live(old); r != nil {
		return Changes{}, r
	}
	if c.MerchantOrderID != "" && s.Claims[orderNumber(old.Merchant, c.MerchantOrderID)] != "" {
		return Changes{}, DuplicateMerchantOrderID.because("Another order that is not CANCELED has this merchant_order_id.")
	}
	if c.Amount >= old.Reserved {
		return Changes{}, PartialTooLarge.with("Capture the order itself for all that it has left.", map[string]any{"left": old.Reserved})
	}
	parent := d.order(c.Order)
	child := d.child(parent, c)
	settings := &s.Merchants[parent.Merchant].VersionOf(parent.Programme).Settings
	if r := d.originate(child, settings, c.Amount); r != nil {
		return Changes{}, r
	}
	rest := parent.Reserved.Sub(c.Amount)
	previous := map[string]any{"amount": parent.Amount, "authorized_amount": parent.Authorized}
	d.reserve(parent, rest)
	parent.Amount = parent.Amount.Sub(c.Amount)
	d.orderEvent(OrderUpdatedEvent, parent.Key, previous)
	d.orderEvent(OrderCreatedEvent, child.Key, nil)
	d.book(child)
	return d.done(child, true), nil
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
	d.addOrder(&o)
	if o.MerchantOrderID != "" {
		d.claim(orderNumber(o.Merchant, o.MerchantOrderID), o.Key)
	}
	return &o
}
