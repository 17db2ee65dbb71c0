package credit

import (
	"time"

	"tenor/internal/domain/money"
)

// NoCheckout refuses what names a checkout that is not there, or is somebody else's.
func NoCheckout() *Rejection { return NotFound.Because("There is no such checkout.") }

// Applied reports that what somebody has sent from a checkout is being decided, or has made
// no company: nobody else goes on with it.
func (c *Checkout) Applied(a *Application) bool {
	return c.Application != "" && (c.Company == 0 || a == nil || !a.Decided())
}

// MayFinish reports that a person may accept an order of an amount for a company as it
// stands: an agreement that is not signed yet is an owner's to sign.
func (p *Person) MayFinish(c *Company, amount money.Amount) bool {
	r, _ := p.RoleAt(c.ID)
	return p.MayAccept(c.ID, amount) && (!c.Servicing.Unsigned || r.Role == RoleOwner)
}

// Late reports that time has ended a checkout, and the clockwork has not written it down yet.
// A review stops its time.
func (c *Checkout) Late(now time.Time) bool {
	return (c.Status == CheckoutOpen || c.Status == CheckoutAccepted) && !c.ExpiresAt.After(now)
}

// Holds reports that what was accepted in a checkout holds: it is completed, or may still be.
func (c *Checkout) Holds(now time.Time) bool {
	return c.Status == CheckoutCompleted || c.Status == CheckoutAccepted && !c.Late(now)
}

// RefuseOver refuses what comes too late for a checkout.
func RefuseOver() *Rejection {
	return CheckoutOver.With("The checkout has expired.", map[string]any{"checkout_status": CheckoutExpired})
}

// acceptance is what a buyer has accepted of an order, nil if nothing that still holds.
func (d *Draft) acceptance(o *Order) *BuyerAcceptance {
	if x := d.State.Checkout(o.Checkout); x != nil && x.Holds(d.Env.Now) {
		return x.Accepted
	}
	return nil
}

// acceptedInTime asks that an order whose checkout was accepted is not authorized after the
// checkout's time, also before the clockwork has ended it.
func (d *Draft) acceptedInTime(o *Order) *Rejection {
	if x := d.State.Checkout(o.Checkout); x != nil && x.Accepted != nil && x.Late(d.Env.Now) {
		return RefuseOver()
	}
	return nil
}

// leaveCheckout ends the checkout of an order that its merchant has canceled, or has
// authorized without it.
func (d *Draft) leaveCheckout(o *Order) {
	if x := PeekRecord[*Checkout](d, o.Checkout); x != nil && !x.Ended() {
		d.EndCheckout(EditRecord[*Checkout](d, o.Checkout), CheckoutCanceled, EndMerchantCanceled)
	}
}

// completed ends an accepted checkout whose order has been authorized.
func (d *Draft) completed(o *Order) {
	if x := PeekRecord[*Checkout](d, o.Checkout); x == nil || x.Status != CheckoutAccepted {
		d.leaveCheckout(o)
		return
	}
	x := EditRecord[*Checkout](d, o.Checkout)
	x.Status, x.CompletedAt, x.EndedAt, x.NextAt = CheckoutCompleted, d.Env.Now, d.Env.Now, time.Time{}
}

// EndCheckout ends a checkout that is the draft's own, and the order that was accepted in it.
// An order that was there before stays CREATED unless the merchant has ended it.
func (d *Draft) EndCheckout(x *Checkout, status, reason string) {
	accepted := x.Status == CheckoutAccepted
	x.Status, x.Reason, x.EndedAt, x.NextAt = status, reason, d.Env.Now, time.Time{}
	if o := d.Orders.Peek(x.Of); accepted && !x.Direct && o != nil && o.Status == OrderCreated {
		why := EndMerchantCanceled
		if reason == EndNotCompleted {
			why = "authorization_expired"
		}
		d.cancel(d.Orders.Edit(x.Of), why)
	}
	company := d.Companies.Peek(x.Company)
	x.Known = company != nil && company.IsLinked(x.Merchant)
	event := CheckoutCanceledEvent
	if status == CheckoutExpired {
		event = CheckoutExpiredEvent
	}
	d.RecordEvent(event, x)
	if to := d.buyerOf(x); reason == EndNotCompleted {
		d.Mail("checkout_not_completed", to, x.RecordHead, map[string]string{"merchant": d.State.Merchants[x.Merchant].Name, "order": x.Of})
	}
}

// buyerOf is who a checkout's mails go to, nobody if nobody is known.
func (d *Draft) buyerOf(x *Checkout) Addressee {
	if p := PeekRecord[*Person](d, x.Person); p != nil {
		return p.Addressee()
	}
	return Addressee{Contact: x.Buyer}
}
