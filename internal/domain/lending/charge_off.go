package lending

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// ChargeOffOrder charges an order off on staff's confirmation (F17): accrual and fees stop,
// the principal goes against the allowance, charge and fees leave income, and what is owed
// stays in memo. Collection continues. The allowance is topped up by any shortfall. It is read
// from the lender's locked record, so that two concurrent charge-offs never use the same
// allowance. Result is the *Order.
type ChargeOffOrder struct {
	Order   string   `json:"order"`
	IfMatch []string `json:"if_match,omitzero"`
	Reason  string   `json:"reason"`
}

func (ChargeOffOrder) Name() string { return "order.charge_off" }

// Keys requests the order with its loan, and for the lender's allowance.
func (c ChargeOffOrder) Keys(s *credit.State, e credit.Env) credit.Keys {
	k := MoneyKeys(s, c.Order, schedule.Event{Kind: schedule.EventChargeOff, Date: e.Today()})
	k.Lenders = []string{credit.TheLender}
	return k
}

func (c ChargeOffOrder) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return AdmitOrder(s, e, c.Order)
}

func (c ChargeOffOrder) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	o, l := s.Orders[c.Order], s.Loans[c.Order]
	if r := credit.MatchVersion(c.IfMatch, o.Version); r != nil {
		return credit.Changes{}, r
	}
	switch {
	case o.Captured == 0:
		return credit.Changes{}, credit.OrderNotCaptured.With("Only a captured order can be charged off.", map[string]any{"order_status": string(o.Status)})
	case l.ChargedOff:
		return credit.Changes{Result: o}, nil
	case o.Terms.Unfunded:
		return credit.Changes{}, credit.InvalidTransition.Because("The lender has not funded the order.")
	case o.Financing == credit.FinancingPaidOff:
		return credit.Changes{}, credit.InvalidTransition.With("Nothing is owed on the order.", map[string]any{"financing_status": string(o.Financing)})
	}
	d := credit.NewDraft(s, e)
	Serve(d, c.Order)
	off := schedule.Event{
		Kind: schedule.EventChargeOff, ID: d.IDs.Next(prefixChargeOff), Date: e.Today(), Seq: NextSeq(d, o.Company), Order: c.Order, Amount: max(0, d.Allowance()),
	}
	off = ServeBefore(d, o.Company, []string{c.Order}, off) // it keeps this place among the events from here on
	mark := &d.Orders.Edit(c.Order).Servicing
	mark.ChargedOff, mark.ChargedOffSeq = off.Date, off.Seq
	Play(d, o.Company, []string{c.Order}, off, nil)
	Suspend(d, o.Company, credit.SuspendedChargedOff, "An order has been charged off.")
	deepen(d, o.Company)
	return d.Done(d.Orders.Edit(c.Order), false), nil
}
