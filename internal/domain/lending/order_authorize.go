package lending

import (
	"fmt"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// chosen requires that a number of installments has been chosen.
func chosen(installments int) *credit.Rejection {
	if installments == 0 {
		return credit.InstallmentsRequired.Because("Choose a number of installments before the order is authorized.")
	}
	return nil
}

// acceptedBy requires the buyer's acceptance before an order is authorized, and says where to
// get it: of this order if the program requires that, else of the master agreement (F21).
// order is "" if it does not exist yet.
func acceptedBy(p *credit.Program, c *credit.Company, a *credit.BuyerAcceptance, order string) *credit.Rejection {
	switch {
	case a != nil:
		return nil
	case p != nil && p.Settings.Acceptance == credit.PerOrder:
		hint := map[string]any{"create_url": "/v1/checkouts"}
		if order != "" {
			hint["order_key"] = order
		}
		return credit.AcceptanceRequired.With("The buyer must accept the terms of this merchant's orders in the hosted checkout.", map[string]any{"checkout": hint})
	case c.Servicing.Unsigned:
		return credit.AcceptanceRequired.With("An owner of the company must sign the master agreement first.", map[string]any{"sign_url": "/account"})
	}
	return nil
}

// bound requires that an order stays within what its buyer accepted: no higher amount and no
// other number of installments.
func bound(o *credit.Order, a *credit.BuyerAcceptance) *credit.Rejection {
	if a != nil && (o.Amount > a.Amount || o.Installments != a.Installments) {
		return otherTerms(o.Key)
	}
	return nil
}

func otherTerms(order string) *credit.Rejection {
	return credit.AcceptanceRequired.With("The buyer accepted different terms in the hosted checkout.",
		map[string]any{"checkout": map[string]any{"create_url": "/v1/checkouts", "order_key": order}})
}

// Authorize reserves the line and fixes the terms of a CREATED order (F26, F30). The order is
// the draft's own copy, whose fields may have changed already. The state stage has already
// been decided.
func Authorize(d *credit.Draft, o *credit.Order) *credit.Rejection {
	company := d.State.Companies[o.Company]
	program, terms, r := termsOf(d, o)
	if r != nil {
		return r
	}
	if r := Fits(o.Amount, company.Available()); r != nil {
		return r
	}
	o.Status, o.Program, o.Terms = credit.OrderAuthorized, program.Version, &terms
	o.AuthorizedAt = d.Env.Now
	o.ExpiresAt = d.Env.Now.Add(time.Duration(program.Settings.AuthorizationDays) * credit.Day)
	d.Reserve(o, o.Amount)
	d.OrderEvent(credit.OrderAuthorizedEvent, o.Key)
	completed(d, o)
	if d.State.Orders[o.Key] == nil { // created in the same step
		d.LastEvent(map[string]any{"status": credit.OrderCreated})
	}
	return nil
}

// termsOf returns the terms under which an order is authorized: those its buyer accepted, or
// those of the program in force.
func termsOf(d *credit.Draft, o *credit.Order) (*credit.Program, credit.OrderTerms, *credit.Rejection) {
	m := d.State.Merchants[o.Merchant]
	if a := Acceptance(d, o); a != nil {
		_, terms, r := FiguresOf(a.Terms, o.Amount, d.Env.Today())
		return m.VersionOf(a.Program), terms, r
	}
	program := m.InForce(d.Env.Today())
	terms, r := Offer(program, d.State.Companies[o.Company], o.Amount, o.Installments, o.External, d.Env.Today())
	return program, terms, r
}

// Fits requires that an amount is within the available credit.
func Fits(amount, available money.Amount) *credit.Rejection {
	if amount <= available {
		return nil
	}
	return credit.InsufficientCredit.With(fmt.Sprintf("The company has %s of credit available.", max(available, 0)),
		map[string]any{"available": max(available, 0)})
}
