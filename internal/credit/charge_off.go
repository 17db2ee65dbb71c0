package credit

import (
	"tenor/internal/money"
	"tenor/internal/schedule"
)

// ChargeOffOrder charges an order off, as staff confirm (F17): accrual and fees stop,
// the principal goes to the allowance, charge and fees leave income, and what is owed
// stays in memo. Collection goes on. Result is the *Order.
type ChargeOffOrder struct {
	Order  string `json:"order"`
	Reason string `json:"reason"`
	// Allowance is what the allowance holds (1900), as the caller has read it: so much
	// of the principal needs no provision any more.
	Allowance money.Amount `json:"allowance"`
}

// Name is the command's word in the audit log.
func (ChargeOffOrder) Name() string { return "order.charge_off" }

// Keys asks for the order with its loan.
func (c ChargeOffOrder) Keys(s *State, e Env) Keys {
	return moneyKeys(s, c.Order, schedule.Event{Kind: schedule.EventChargeOff, Date: e.Today()})
}

func (c ChargeOffOrder) admit(s *State, e Env) *Rejection { return admitOrder(s, e, c.Order) }

func (c ChargeOffOrder) decide(s *State, e Env) (Changes, *Rejection) {
	o, l := s.Orders[c.Order], s.Loans[c.Order]
	switch {
	case o.Captured == 0:
		return Changes{}, OrderNotCaptured.with("Only a captured order can be charged off.", map[string]any{"order_status": string(o.Status)})
	case l.ChargedOff:
		return Changes{Result: o}, nil
	case o.Terms.Unfunded:
		return Changes{}, InvalidTransition.because("The lender has not funded the order.")
	case o.Financing == FinancingPaidOff:
		return Changes{}, InvalidTransition.with("Nothing is owed on the order.", map[string]any{"financing_status": string(o.Financing)})
	case c.Allowance < 0:
		return Changes{}, ValidationFailed.because("The allowance holds 0.00 or more.")
	}
	d := newDraft(s, e)
	d.serve(c.Order)
	off := schedule.Event{
		Kind: schedule.EventChargeOff, ID: d.ids.next(prefixChargeOff), Date: e.Today(), Seq: d.nextSeq(o.Company), Order: c.Order, Amount: c.Allowance,
	}
	mark := &d.orders.edit(c.Order).Servicing
	mark.ChargedOff, mark.ChargedOffSeq = off.Date, off.Seq
	d.play(o.Company, []string{c.Order}, off, nil)
	d.suspend(o.Company, SuspendedChargedOff, "An order has been charged off.")
	d.deepen(o.Company)
	return d.done(d.orders.edit(c.Order), false), nil
}
