package lending

import (
	"time"

	"tenor/internal/domain/credit"
)

// RefuseOver rejects what comes too late for a checkout.
func RefuseOver() *credit.Rejection {
	return credit.CheckoutOver.With("The checkout has expired.", map[string]any{"checkout_status": credit.CheckoutExpired})
}

// acceptedInTime requires that an order accepted in a checkout is authorized before the
// checkout expires, even if the worker has not ended it yet.
func acceptedInTime(d *credit.Draft, o *credit.Order) *credit.Rejection {
	if x := d.State.Checkout(o.Checkout); x != nil && x.Accepted != nil && x.Late(d.Env.Now) {
		return RefuseOver()
	}
	return nil
}

// Acceptance is what a buyer accepted for an order, nil if there is no acceptance in effect.
func Acceptance(d *credit.Draft, o *credit.Order) *credit.BuyerAcceptance {
	if x := d.State.Checkout(o.Checkout); x != nil && x.Holds(d.Env.Now) {
		return x.Accepted
	}
	return nil
}

// LeaveCheckout ends the checkout of an order that its merchant canceled, or authorized
// without it.
func LeaveCheckout(d *credit.Draft, o *credit.Order) {
	if x := credit.PeekRecord[*credit.Checkout](d, o.Checkout); x != nil && !x.Ended() {
		EndCheckout(d, credit.EditRecord[*credit.Checkout](d, o.Checkout), credit.CheckoutCanceled, EndMerchantCanceled)
	}
}

// completed ends an accepted checkout whose order has been authorized.
func completed(d *credit.Draft, o *credit.Order) {
	if x := credit.PeekRecord[*credit.Checkout](d, o.Checkout); x == nil || x.Status != credit.CheckoutAccepted {
		LeaveCheckout(d, o)
		return
	}
	x := credit.EditRecord[*credit.Checkout](d, o.Checkout)
	x.Status, x.CompletedAt, x.EndedAt, x.NextAt = credit.CheckoutCompleted, d.Env.Now, d.Env.Now, time.Time{}
}

// EndCheckout ends a checkout that the draft may edit, and the order that was accepted in it.
// An order that existed before the checkout stays CREATED unless the merchant ended it.
func EndCheckout(d *credit.Draft, x *credit.Checkout, status, reason string) {
	accepted := x.Status == credit.CheckoutAccepted
	x.Status, x.Reason, x.EndedAt, x.NextAt = status, reason, d.Env.Now, time.Time{}
	if o := d.Orders.Peek(x.Of); accepted && !x.Direct && o != nil && o.Status == credit.OrderCreated {
		why := EndMerchantCanceled
		if reason == EndNotCompleted {
			why = "authorization_expired"
		}
		cancelOrder(d, d.Orders.Edit(x.Of), why)
	}
	company := d.Companies.Peek(x.Company)
	x.Known = company != nil && company.IsLinked(x.Merchant)
	event := credit.CheckoutCanceledEvent
	if status == credit.CheckoutExpired {
		event = credit.CheckoutExpiredEvent
	}
	d.RecordEvent(event, x)
	if to := buyerOf(d, x); reason == EndNotCompleted {
		d.Mail("checkout_not_completed", to, x.RecordHead, map[string]string{"merchant": d.State.Merchants[x.Merchant].Name, "order": x.Of})
	}
}

// buyerOf is the recipient of a checkout's mails, if one is known.
func buyerOf(d *credit.Draft, x *credit.Checkout) credit.Addressee {
	if p := credit.PeekRecord[*credit.Person](d, x.Person); p != nil {
		return p.Addressee()
	}
	return credit.Addressee{Contact: x.Buyer}
}
