package credit

import (
	"fmt"
	"maps"
	"slices"

	"tenor/internal/domain/money"
)

// UpdateOrder changes fields of an order, its status, or both in one step: the
// fields first, then the transition, all or nothing. Members are merge patches:
// nil leaves a field as it is.
type UpdateOrder struct {
	Order           string                  `json:"order"`
	IfMatch         []string                `json:"if_match"` // ETags of which one must match; nil for none
	MerchantOrderID *Patch[string]          `json:"merchant_order_id"`
	Amount          *money.Amount           `json:"amount"`
	Installments    *Patch[int]             `json:"installments"`
	Cart            *Patch[[]CartItem]      `json:"cart_items"`
	Charges         *MapPatch[money.Amount] `json:"charges"`
	Shipping        *MapPatch[string]       `json:"shipping_address"`
	Billing         *MapPatch[string]       `json:"billing_address"`
	MerchantStatus  *Patch[string]          `json:"merchant_status"`
	Metadata        *MapPatch[string]       `json:"metadata"`
	Status          OrderStatus             `json:"status"` // AUTHORIZED, CAPTURED, CANCELED, or the one that holds; "" for none
	Reason          string                  `json:"reason"` // of a cancel, by the operator
}

// maxMetadata is how many entries an order's metadata holds. A patch merges, so
// the bound on one request is not enough.
const maxMetadata = 50

// Patch replaces a value, or clears it if Null.
type Patch[T any] struct {
	Null  bool `json:"null"`
	Value T    `json:"value"`
}

// MapPatch merges members into an object (RFC 7396): a nil member is removed.
// Null removes the object whole.
type MapPatch[T any] struct {
	Null    bool          `json:"null"`
	Members map[string]*T `json:"members"`
}

func (UpdateOrder) Name() string { return "order.update" }

// WritesOwners makes it an OwnersWriter.
func (c UpdateOrder) WritesOwners(Env) bool { return c.Status == OrderCaptured }

// Keys asks for the order, its company and programs, and for the claim on its
// new order number.
func (c UpdateOrder) Keys(s *State, _ Env) Keys {
	k := OrderKeys(s, c.Order)
	if o := s.Orders[c.Order]; o != nil && c.MerchantOrderID != nil && c.MerchantOrderID.Value != "" {
		k.Claims = []Claim{OrderNumber(o.Merchant, c.MerchantOrderID.Value)}
	}
	if o := s.Orders[c.Order]; o != nil && o.Checkout != "" {
		k = JoinKeys(k, CheckoutKeys(s, o.Checkout))
	}
	return k
}

// Admit asks for the order and, where the line is asked for more, for the link.
func (c UpdateOrder) Admit(s *State, e Env) *Rejection {
	if r := AdmitOrder(s, e, c.Order); r != nil {
		return r
	}
	o := s.Orders[c.Order]
	authorizes := c.Status == OrderAuthorized && o.Status == OrderCreated
	raises := c.Amount != nil && *c.Amount > o.Amount && (o.Status == OrderCreated || o.Status == OrderAuthorized)
	if authorizes || raises {
		return AdmitCompany(s, o.Company, o.Merchant)
	}
	return nil
}

func (c UpdateOrder) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Orders[c.Order]
	if r := matches(c.IfMatch, old); r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
	next := c.apply(old)
	changed := previousDetailsOf(old, next)
	transition := c.Status != "" && c.Status != old.Status
	if r := c.refuseState(d, old, next, changed, transition); r != nil {
		return Changes{}, r
	}
	if c.Charges != nil && next.Charges != nil && next.Charges.GrandTotal != next.Amount {
		return Changes{}, ChargesDiffer()
	}
	if len(next.Metadata) > maxMetadata {
		return Changes{}, ValidationFailed.Because(fmt.Sprintf("An order holds at most %d metadata entries.", maxMetadata))
	}
	if len(changed) == 0 && !transition {
		return Changes{Result: old}, nil
	}
	o := d.Orders.Edit(c.Order)
	*o = *next
	if r := c.settle(d, old, o, len(changed) > 0, transition); r != nil {
		return Changes{}, r
	}
	return d.Done(o, false), nil
}

// refuseState answers the state stage, in the order of the table of reasons.
func (c UpdateOrder) refuseState(d *Draft, old, next *Order, changed Previous, transition bool) *Rejection {
	if transition && !legal(old.Status, c.Status) {
		return NoTransition(old.Status, string(c.Status))
	}
	if r := locked(old.Status, changed); r != nil {
		return r
	}
	authorizing := transition && c.Status == OrderAuthorized
	capturing := transition && c.Status == OrderCaptured
	if !(transition && c.Status == OrderCanceled) {
		if r := d.refuseTerms(old, next, authorizing, capturing); r != nil {
			return r
		}
	}
	if next.MerchantOrderID != old.MerchantOrderID && next.MerchantOrderID != "" &&
		d.State.Claims[OrderNumber(old.Merchant, next.MerchantOrderID)] != "" {
		return duplicateOrderNumber()
	}
	return nil
}

// refuseTerms answers what a transition and a change of amount or installments
// ask of the state: a raised amount asks for what authorizing asks for.
func (d *Draft) refuseTerms(old, next *Order, authorizing, capturing bool) *Rejection {
	merchant, company := d.State.Merchants[old.Merchant], d.State.Companies[old.Company]
	raised := next.Amount > old.Amount
	program := merchant.InForce(d.Env.Today())
	if old.Status == OrderAuthorized {
		program = merchant.VersionOf(old.Program)
	}
	if old.Status == OrderAuthorized && next.Installments == 0 {
		return InstallmentsRequired.Because("An authorized order needs a number of installments.")
	}
	if changes := next.Amount != old.Amount || next.Installments != old.Installments; capturing || changes && old.Status == OrderAuthorized {
		if r := d.unexpired(old); r != nil {
			return r
		}
	}
	if authorizing {
		if r := chosen(next.Installments); r != nil {
			return r
		}
	}
	if open := old.Status == OrderCreated || old.Status == OrderAuthorized; authorizing || open && raised {
		if r := MayBuy(company); r != nil {
			return r
		}
	}
	if authorizing || next.Amount != old.Amount || next.Installments != old.Installments {
		if r := bound(next, d.acceptance(old)); r != nil {
			return r
		}
	}
	if old.Status == OrderAuthorized && program.Settings.Acceptance == PerOrder && d.acceptance(old) == nil && (raised || next.Installments != old.Installments) {
		return otherTerms(old.Key)
	}
	if authorizing {
		if r := d.acceptedInTime(old); r != nil {
			return r
		}
		return acceptedBy(program, company, d.acceptance(old), old.Key)
	}
	if capturing {
		return serviced(company)
	}
	return nil
}

// legal are the edges that a caller may ask for (OR1).
func legal(from, to OrderStatus) bool {
	switch to {
	case OrderAuthorized:
		return from == OrderCreated
	case OrderCaptured:
		return from == OrderAuthorized
	case OrderCanceled:
		return from == OrderCreated || from == OrderAuthorized
	}
	return false
}

// NoTransition refuses a status that an order cannot get from the one that it has.
func NoTransition(from OrderStatus, to string) *Rejection {
	return InvalidTransition.With(fmt.Sprintf("An order that is %s cannot become %s.", from, to),
		map[string]any{"from": string(from), "to": to})
}

// locked answers what may still change: after capture nothing that is the
// document's, on a canceled order neither. merchant_status and metadata stay open.
func locked(status OrderStatus, changed Previous) *Rejection {
	if status == OrderCreated || status == OrderAuthorized {
		return nil
	}
	if _, ok := changed["amount"]; ok && status != OrderCanceled {
		return AmountLocked.Because("The amount of a captured order is final; refund what is too much.")
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		if name != "merchant_status" && name != "metadata" {
			return OrderLocked.Because(fmt.Sprintf("An order that is %s can no longer be changed.", status))
		}
	}
	return nil
}

// settle answers the rule stage and does what was asked: fields, then transition.
func (c UpdateOrder) settle(d *Draft, old, o *Order, changed, transition bool) *Rejection {
	if r := c.settleMoney(d, old, o, transition); r != nil {
		return r
	}
	if o.MerchantOrderID != old.MerchantOrderID {
		if old.MerchantOrderID != "" {
			d.Claim(OrderNumber(old.Merchant, old.MerchantOrderID), "")
		}
		if o.MerchantOrderID != "" {
			d.Claim(OrderNumber(old.Merchant, o.MerchantOrderID), o.Key)
		}
	}
	if changed {
		d.OrderEvent(OrderUpdatedEvent, o.Key)
	}
	if !transition {
		return nil
	}
	switch c.Status {
	case OrderAuthorized:
		return d.Authorize(o)
	case OrderCaptured:
		return d.capture(o)
	}
	d.cancel(o, c.reason(d, old))
	d.leaveCheckout(o)
	return nil
}

// reason is why an order is canceled. One whose authorization has run out was
// canceled by that, whoever writes it down (F14).
func (c UpdateOrder) reason(d *Draft, old *Order) string {
	switch {
	case old.Status == OrderAuthorized && d.unexpired(old) != nil:
		return "authorization_expired"
	case c.Reason != "":
		return c.Reason
	}
	return "merchant_canceled"
}

// settleMoney asks again for the offer, and re-reserves, where the amount or the
// installments change before capture. A capture in the same step settles the
// amount itself; one for less asks for no offer. A cancel reserves nothing.
func (c UpdateOrder) settleMoney(d *Draft, old, o *Order, transition bool) *Rejection {
	capturing, canceling := transition && c.Status == OrderCaptured, transition && c.Status == OrderCanceled
	raised, rescheduled := o.Amount > old.Amount, o.Installments != old.Installments
	if o.Amount == old.Amount && !rescheduled {
		return nil
	}
	merchant, company := d.State.Merchants[o.Merchant], d.State.Companies[o.Company]
	if a := d.acceptance(old); old.Status == OrderCreated && a != nil { // bound has been asked; the terms are kept
		if r := Bounds(merchant.VersionOf(a.Program), o.Amount); r != nil {
			return r
		}
		_, _, r := FiguresOf(a.Terms, o.Amount, d.Env.Today())
		return r
	}
	if old.Status == OrderCreated {
		_, r := Offer(merchant.InForce(d.Env.Today()), company, o.Amount, o.Installments, o.External, d.Env.Today())
		return r
	}
	program := merchant.VersionOf(o.Program)
	if raised || o.Amount < old.Amount && !capturing {
		if r := Bounds(program, o.Amount); r != nil {
			return r
		}
	}
	if capturing && !raised && !rescheduled {
		return nil
	}
	terms, r := program.Settings.terms(old.Terms.Tier, company.BillingAddress.State, o.Amount, o.Installments, o.External,
		d.Env.Zone.Date(old.AuthorizedAt))
	if r != nil {
		return r
	}
	terms.State = old.Terms.State // the fees stay as well (F30)
	o.Terms = &terms
	if capturing || canceling {
		return nil
	}
	if raised {
		if r := Fits(o.Amount, company.Available().Add(old.Reserved)); r != nil {
			return r
		}
	}
	d.reserve(o, o.Amount)
	return nil
}
