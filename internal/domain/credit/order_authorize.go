package credit

import (
	"fmt"
	"time"

	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// Day is 24 hours of an instant, whatever the business zone does with its clocks.
const Day = 24 * time.Hour

// Authorize reserves the line and fixes the terms of a CREATED order (F26, F30).
// The order is the draft's own copy; its fields may have changed already. The
// state stage has been answered.
func (d *Draft) Authorize(o *Order) *Rejection {
	company := d.State.Companies[o.Company]
	program, terms, r := d.termsOf(o)
	if r != nil {
		return r
	}
	if r := Fits(o.Amount, company.Available()); r != nil {
		return r
	}
	o.Status, o.Program, o.Terms = OrderAuthorized, program.Version, &terms
	o.AuthorizedAt = d.Env.Now
	o.ExpiresAt = d.Env.Now.Add(time.Duration(program.Settings.AuthorizationDays) * Day)
	d.reserve(o, o.Amount)
	d.OrderEvent(OrderAuthorizedEvent, o.Key)
	d.completed(o)
	if d.State.Orders[o.Key] == nil { // made in the same step
		d.facts[len(d.facts)-1].extra = map[string]any{"status": OrderCreated}
	}
	return nil
}

// termsOf are the terms under which an order is authorized: those that its buyer has
// accepted, or those of the program in force.
func (d *Draft) termsOf(o *Order) (*Program, OrderTerms, *Rejection) {
	m := d.State.Merchants[o.Merchant]
	if a := d.acceptance(o); a != nil {
		_, terms, r := FiguresOf(a.Terms, o.Amount, d.Env.Today())
		return m.VersionOf(a.Program), terms, r
	}
	program := m.InForce(d.Env.Today())
	terms, r := Offer(program, d.State.Companies[o.Company], o.Amount, o.Installments, o.External, d.Env.Today())
	return program, terms, r
}

// chosen asks that a number of installments has been chosen.
func chosen(installments int) *Rejection {
	if installments == 0 {
		return InstallmentsRequired.Because("Choose a number of installments before the order is authorized.")
	}
	return nil
}

// acceptedBy asks for the buyer's acceptance before an order is authorized, with a hint where
// it is to be had: of this order where the program wants it, else of the master agreement
// (F21). order is "" if it is not made yet.
func acceptedBy(p *Program, c *Company, a *BuyerAcceptance, order string) *Rejection {
	switch {
	case a != nil:
		return nil
	case p != nil && p.Settings.Acceptance == PerOrder:
		hint := map[string]any{"create_url": "/v1/checkouts"}
		if order != "" {
			hint["order_key"] = order
		}
		return AcceptanceRequired.With("The buyer accepts the terms of this merchant's orders in the hosted checkout.", map[string]any{"checkout": hint})
	case c.Servicing.Unsigned:
		return AcceptanceRequired.With("An owner of the company has to sign the master agreement first.", map[string]any{"sign_url": "/account"})
	}
	return nil
}

// bound asks that an order keeps what its buyer has accepted: neither a higher amount nor
// other installments.
func bound(o *Order, a *BuyerAcceptance) *Rejection {
	if a != nil && (o.Amount > a.Amount || o.Installments != a.Installments) {
		return otherTerms(o.Key)
	}
	return nil
}

func otherTerms(order string) *Rejection {
	return AcceptanceRequired.With("The buyer has accepted other terms in the hosted checkout.",
		map[string]any{"checkout": map[string]any{"create_url": "/v1/checkouts", "order_key": order}})
}

// Fits asks that an amount is within the available credit.
func Fits(amount, available money.Amount) *Rejection {
	if amount <= available {
		return nil
	}
	return InsufficientCredit.With(fmt.Sprintf("The company has %s of credit available.", max(available, 0)),
		map[string]any{"available": max(available, 0)})
}

// reserve sets an order's reservation to an amount and posts the memo entry for
// the difference.
func (d *Draft) reserve(o *Order, amount money.Amount) {
	delta := amount.Sub(o.Reserved)
	if delta == 0 {
		return
	}
	c := d.Companies.Edit(o.Company)
	c.Reserved = c.Reserved.Add(delta)
	o.Reserved = amount
	if amount > 0 {
		o.Authorized = amount
	}
	event := "ORDER_AUTHORIZED"
	if delta < 0 {
		event = "RESERVATION_RELEASED"
	}
	dim := ledger.Dimensions{Company: o.Company, Merchant: o.Merchant, Order: o.Key}
	d.Entry(event, o.Key, d.Env.Today(),
		ledger.Posting{Account: ledger.Reserved, Amount: delta, Dimensions: dim},
		ledger.Posting{Account: ledger.ReservedContra, Amount: -delta, Dimensions: dim})
}
