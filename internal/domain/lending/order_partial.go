package lending

import (
	"fmt"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// CapturePart captures a part of an AUTHORIZED order as a child order (F31).
type CapturePart struct {
	Order           string            `json:"order"`
	IfMatch         []string          `json:"if_match"`
	Amount          money.Amount      `json:"amount"`
	Cart            []credit.CartItem `json:"items"`
	MerchantOrderID string            `json:"merchant_order_id"`
}

func (CapturePart) Name() string { return "order.partial" }

// WritesOwners implements credit.OwnersWriter.
func (CapturePart) WritesOwners(credit.Env) bool { return true }

// Keys requests the same as a capture of the parent, with the buyer's acceptance, and the
// claim on the child's order number.
func (c CapturePart) Keys(s *credit.State, e credit.Env) credit.Keys {
	k := OrderKeys(s, c.Order)
	if o := s.Orders[c.Order]; o != nil && c.MerchantOrderID != "" {
		k.Claims = []credit.Claim{OrderNumber(o.Merchant, c.MerchantOrderID)}
	}
	if o := s.Orders[c.Order]; o != nil && o.Checkout != "" {
		k = credit.JoinKeys(k, CheckoutKeys(s, o.Checkout))
	}
	return k
}

func (c CapturePart) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return AdmitOrder(s, e, c.Order)
}

func (c CapturePart) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	d := credit.NewDraft(s, e)
	old := s.Orders[c.Order]
	if r := Matches(c.IfMatch, old); r != nil {
		return credit.Changes{}, r
	}
	if old.Status != credit.OrderAuthorized {
		return credit.Changes{}, unauthorized(old.Status)
	}
	if r := unexpired(d, old); r != nil {
		return credit.Changes{}, r
	}
	if r := serviced(s.Companies[old.Company]); r != nil {
		return credit.Changes{}, r
	}
	if c.MerchantOrderID != "" && s.Claims[OrderNumber(old.Merchant, c.MerchantOrderID)] != "" {
		return credit.Changes{}, duplicateOrderNumber()
	}
	if r := c.Sized(old); r != nil {
		return credit.Changes{}, r
	}
	parent := d.Orders.Edit(c.Order)
	child := newPart(d, parent, c)
	if r := originate(d, child, c.Amount); r != nil {
		return credit.Changes{}, r
	}
	parent.Servicing.CapturedBefore = parent.Servicing.CapturedBefore.Add(c.Amount)
	parent.Servicing.Children++
	d.Reserve(parent, parent.Reserved.Sub(c.Amount))
	parent.Amount = parent.Reserved
	refigure(d, parent)
	d.OrderEvent(credit.OrderUpdatedEvent, parent.Key)
	d.OrderEvent(credit.OrderCreatedEvent, child.Key)
	book(d, child)
	return d.Done(child, true), nil
}

// The bounds of captures in parts (F41.10).
const (
	minChild    money.Amount = 1_00
	MaxChildren int          = 250 // per order
)

// Sized requires that a part is worth a loan of its own, that there are not too many parts,
// and that it leaves something.
func (c CapturePart) Sized(parent *credit.Order) *credit.Rejection {
	switch {
	case c.Amount < minChild:
		return credit.AmountOutOfBounds.With(fmt.Sprintf("A part is at least %s.", minChild), map[string]any{"min_amount": minChild})
	case parent.Servicing.Children >= MaxChildren:
		return credit.LimitExceeded.With(fmt.Sprintf("An order is captured in at most %d parts; capture the order itself for the rest.", MaxChildren),
			map[string]any{"limit": "children", "maximum": MaxChildren})
	case c.Amount >= parent.Reserved:
		return credit.PartialTooLarge.With("To capture everything that is left, capture the order itself.", map[string]any{"left": parent.Reserved})
	}
	return nil
}

// refigure recomputes an authorized order's terms for its current amount, as if captured on
// the day of authorization. If so little is left that F1–F3 would reject it, the figures stay;
// capturing it is rejected then.
func refigure(d *credit.Draft, o *credit.Order) {
	if _, terms, r := FiguresOf(*o.Terms, o.Amount, d.Env.Zone.Date(o.AuthorizedAt)); r == nil {
		o.Terms = &terms
	}
}

// newPart creates the child order under the parent's terms; it is captured on creation.
func newPart(d *credit.Draft, parent *credit.Order, c CapturePart) *credit.Order {
	o := *parent
	terms := *parent.Terms
	o.Key, o.Parent = d.IDs.Next(credit.PrefixOrder), parent.Key
	o.MerchantOrderID, o.Cart = c.MerchantOrderID, c.Cart
	o.Amount, o.Reserved, o.Authorized = c.Amount, 0, c.Amount
	o.Servicing.Children = 0
	o.Terms, o.Charges, o.MerchantStatus, o.Metadata, o.Checkout = &terms, nil, "", nil, ""
	o.CreatedAt, o.UpdatedAt, o.Version, o.EventSeq = d.Env.Now, d.Env.Now, 1, 0
	o.AuthorizedAt, o.ExpiresAt, o.Extended = parent.AuthorizedAt, parent.ExpiresAt, parent.Extended
	d.Orders.Add(o.Key, &o)
	if o.MerchantOrderID != "" {
		d.Claim(OrderNumber(o.Merchant, o.MerchantOrderID), o.Key)
	}
	return &o
}
