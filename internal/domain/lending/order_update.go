package lending

import (
	"fmt"
	"maps"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// UpdateOrder changes fields of an order, its status, or both in one step: the fields first,
// then the transition, all or nothing. Members are merge patches: nil leaves a field as it is.
type UpdateOrder struct {
	Order           string                    `json:"order"`
	IfMatch         []string                  `json:"if_match"` // ETags, one of which must match; nil for none
	MerchantOrderID *Patch[string]            `json:"merchant_order_id"`
	Amount          *money.Amount             `json:"amount"`
	Installments    *Patch[int]               `json:"installments"`
	Cart            *Patch[[]credit.CartItem] `json:"cart_items"`
	Charges         *MapPatch[money.Amount]   `json:"charges"`
	Shipping        *MapPatch[string]         `json:"shipping_address"`
	Billing         *MapPatch[string]         `json:"billing_address"`
	MerchantStatus  *Patch[string]            `json:"merchant_status"`
	Metadata        *MapPatch[string]         `json:"metadata"`
	Status          credit.OrderStatus        `json:"status"` // AUTHORIZED, CAPTURED, CANCELED, or the current one; "" for none
	Reason          string                    `json:"reason"` // for a cancel, by the operator
}

// maxMetadata is the most entries that an order's metadata may have. A patch merges, so a
// bound on one request is not enough.
const maxMetadata = 50

// Patch replaces a value, or clears it if Null.
type Patch[T any] struct {
	Null  bool `json:"null"`
	Value T    `json:"value"`
}

// MapPatch merges members into an object (RFC 7396): a nil member is removed. Null removes the
// whole object.
type MapPatch[T any] struct {
	Null    bool          `json:"null"`
	Members map[string]*T `json:"members"`
}

func (UpdateOrder) Name() string { return "order.update" }

// WritesOwners implements credit.OwnersWriter.
func (c UpdateOrder) WritesOwners(credit.Env) bool { return c.Status == credit.OrderCaptured }

// Keys requests the order, its company and programs, and for the claim on its
// new order number.
func (c UpdateOrder) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := OrderKeys(s, c.Order)
	if o := s.Orders[c.Order]; o != nil && c.MerchantOrderID != nil && c.MerchantOrderID.Value != "" {
		k.Claims = []credit.Claim{OrderNumber(o.Merchant, c.MerchantOrderID.Value)}
	}
	if o := s.Orders[c.Order]; o != nil && o.Checkout != "" {
		k = credit.JoinKeys(k, CheckoutKeys(s, o.Checkout))
	}
	return k
}

// Admit requires the order and, if more of the line is needed, the link.
func (c UpdateOrder) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := AdmitOrder(s, e, c.Order); r != nil {
		return r
	}
	o := s.Orders[c.Order]
	authorizes := c.Status == credit.OrderAuthorized && o.Status == credit.OrderCreated
	raises := c.Amount != nil && *c.Amount > o.Amount && (o.Status == credit.OrderCreated || o.Status == credit.OrderAuthorized)
	if authorizes || raises {
		return AdmitCompany(s, o.Company, o.Merchant)
	}
	return nil
}

func (c UpdateOrder) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Orders[c.Order]
	if r := Matches(c.IfMatch, old); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	next := c.apply(old)
	changed := previousDetailsOf(old, next)
	transition := c.Status != "" && c.Status != old.Status
	if r := c.refuseState(d, old, next, changed, transition); r != nil {
		return credit.Changes{}, r
	}
	if c.Charges != nil && next.Charges != nil && next.Charges.GrandTotal != next.Amount {
		return credit.Changes{}, ChargesDiffer()
	}
	if len(next.Metadata) > maxMetadata {
		return credit.Changes{}, credit.ValidationFailed.Because(fmt.Sprintf("An order can have at most %d metadata entries.", maxMetadata))
	}
	if len(changed) == 0 && !transition {
		return credit.Changes{Result: old}, nil
	}
	o := d.Orders.Edit(c.Order)
	*o = *next
	if r := c.settle(d, old, o, len(changed) > 0, transition); r != nil {
		return credit.Changes{}, r
	}
	return d.Done(o, false), nil
}

// refuseState decides the state stage, in the order of the table of reasons.
func (c UpdateOrder) refuseState(d *credit.Draft, old, next *credit.Order, changed credit.Previous, transition bool) *credit.Rejection {
	if transition && !legal(old.Status, c.Status) {
		return NoTransition(old.Status, string(c.Status))
	}
	if r := locked(old.Status, changed); r != nil {
		return r
	}
	authorizing := transition && c.Status == credit.OrderAuthorized
	capturing := transition && c.Status == credit.OrderCaptured
	if !(transition && c.Status == credit.OrderCanceled) {
		if r := refuseTerms(d, old, next, authorizing, capturing); r != nil {
			return r
		}
	}
	if next.MerchantOrderID != old.MerchantOrderID && next.MerchantOrderID != "" &&
		d.State.Claims[OrderNumber(old.Merchant, next.MerchantOrderID)] != "" {
		return duplicateOrderNumber()
	}
	return nil
}

// refuseTerms decides what a transition and a change of amount or installments require of the
// state: a raised amount requires what authorizing requires.
func refuseTerms(d *credit.Draft, old, next *credit.Order, authorizing, capturing bool) *credit.Rejection {
	merchant, company := d.State.Merchants[old.Merchant], d.State.Companies[old.Company]
	raised := next.Amount > old.Amount
	program := merchant.InForce(d.Env.Today())
	if old.Status == credit.OrderAuthorized {
		program = merchant.VersionOf(old.Program)
	}
	if old.Status == credit.OrderAuthorized && next.Installments == 0 {
		return credit.InstallmentsRequired.Because("An authorized order needs a number of installments.")
	}
	if changes := next.Amount != old.Amount || next.Installments != old.Installments; capturing || changes && old.Status == credit.OrderAuthorized {
		if r := unexpired(d, old); r != nil {
			return r
		}
	}
	if authorizing {
		if r := chosen(next.Installments); r != nil {
			return r
		}
	}
	if open := old.Status == credit.OrderCreated || old.Status == credit.OrderAuthorized; authorizing || open && raised {
		if r := MayBuy(company); r != nil {
			return r
		}
	}
	if authorizing || next.Amount != old.Amount || next.Installments != old.Installments {
		if r := bound(next, Acceptance(d, old)); r != nil {
			return r
		}
	}
	if old.Status == credit.OrderAuthorized && program.Settings.Acceptance == credit.PerOrder && Acceptance(d, old) == nil && (raised || next.Installments != old.Installments) {
		return otherTerms(old.Key)
	}
	if authorizing {
		if r := acceptedInTime(d, old); r != nil {
			return r
		}
		return acceptedBy(program, company, Acceptance(d, old), old.Key)
	}
	if capturing {
		return serviced(company)
	}
	return nil
}

// legal are the transitions that a caller may request (OR1).
func legal(from, to credit.OrderStatus) bool {
	switch to {
	case credit.OrderAuthorized:
		return from == credit.OrderCreated
	case credit.OrderCaptured:
		return from == credit.OrderAuthorized
	case credit.OrderCanceled:
		return from == credit.OrderCreated || from == credit.OrderAuthorized
	}
	return false
}

// NoTransition rejects a status that cannot follow the order's current one.
func NoTransition(from credit.OrderStatus, to string) *credit.Rejection {
	return credit.InvalidTransition.With(fmt.Sprintf("An order that is %s cannot become %s.", from, to),
		map[string]any{"from": string(from), "to": to})
}

// locked decides what may still change: after capture, or on a canceled order, only
// merchant_status and metadata.
func locked(status credit.OrderStatus, changed credit.Previous) *credit.Rejection {
	if status == credit.OrderCreated || status == credit.OrderAuthorized {
		return nil
	}
	if _, ok := changed["amount"]; ok && status != credit.OrderCanceled {
		return credit.AmountLocked.Because("The amount of a captured order is final. Refund the difference instead.")
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		if name != "merchant_status" && name != "metadata" {
			return credit.OrderLocked.Because(fmt.Sprintf("An order that is %s can no longer be changed.", status))
		}
	}
	return nil
}

// settle decides the rule stage and applies the command: fields, then transition.
func (c UpdateOrder) settle(d *credit.Draft, old, o *credit.Order, changed, transition bool) *credit.Rejection {
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
		d.OrderEvent(credit.OrderUpdatedEvent, o.Key)
	}
	if !transition {
		return nil
	}
	switch c.Status {
	case credit.OrderAuthorized:
		return Authorize(d, o)
	case credit.OrderCaptured:
		return capture(d, o)
	}
	cancelOrder(d, o, c.reason(d, old))
	LeaveCheckout(d, o)
	return nil
}

// reason is why an order is canceled. If its authorization has expired, that is the reason,
// whoever records it (F14).
func (c UpdateOrder) reason(d *credit.Draft, old *credit.Order) string {
	switch {
	case old.Status == credit.OrderAuthorized && unexpired(d, old) != nil:
		return "authorization_expired"
	case c.Reason != "":
		return c.Reason
	}
	return "merchant_canceled"
}

// settleMoney checks the offer again, and re-reserves, if the amount or the installments
// change before capture. A capture in the same step settles the amount itself; one for less
// needs no offer. A cancel reserves nothing.
func (c UpdateOrder) settleMoney(d *credit.Draft, old, o *credit.Order, transition bool) *credit.Rejection {
	capturing, canceling := transition && c.Status == credit.OrderCaptured, transition && c.Status == credit.OrderCanceled
	raised, rescheduled := o.Amount > old.Amount, o.Installments != old.Installments
	if o.Amount == old.Amount && !rescheduled {
		return nil
	}
	merchant, company := d.State.Merchants[o.Merchant], d.State.Companies[o.Company]
	if a := Acceptance(d, old); old.Status == credit.OrderCreated && a != nil { // bound has been checked; the terms are kept
		if r := Bounds(merchant.VersionOf(a.Program), o.Amount); r != nil {
			return r
		}
		_, _, r := FiguresOf(a.Terms, o.Amount, d.Env.Today())
		return r
	}
	if old.Status == credit.OrderCreated {
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
	terms, r := TermsFor(&program.Settings, old.Terms.Tier, company.BillingAddress.State, o.Amount, o.Installments, o.External,
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
	d.Reserve(o, o.Amount)
	return nil
}

// cancelOrder releases the reservation and ends the order before capture (F14).
func cancelOrder(d *credit.Draft, o *credit.Order, reason string) {
	d.Reserve(o, 0)
	o.Status, o.CanceledAt, o.CancelReason = credit.OrderCanceled, d.Env.Now, reason
	if o.MerchantOrderID != "" {
		d.Claim(OrderNumber(o.Merchant, o.MerchantOrderID), "")
	}
	d.OrderEvent(credit.OrderCanceledEvent, o.Key)
}
