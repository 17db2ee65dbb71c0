package lending

import (
	"fmt"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// HoldOrder puts an order on dispute hold, or ends the hold: no autopay, no late fee, and its
// days do not count as past due (F15). A running hold gets a new length, counted from its
// first day. Result is the *Order.
type HoldOrder struct {
	Order   string   `json:"order"`
	IfMatch []string `json:"if_match,omitzero"`
	Days    int      `json:"days"` // 0: ends the running hold
	Reason  string   `json:"reason"`
}

func (HoldOrder) Name() string { return "order.hold" }

// Keys requests the order with its loan.
func (c HoldOrder) Keys(s *credit.State, e credit.Env) credit.Keys {
	return MoneyKeys(s, c.Order, schedule.Event{Kind: schedule.EventFee, Date: credit.Latest})
}

func (c HoldOrder) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return AdmitOrder(s, e, c.Order)
}

func (c HoldOrder) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	o := s.Orders[c.Order]
	if r := credit.MatchVersion(c.IfMatch, o.Version); r != nil {
		return credit.Changes{}, r
	}
	if o.Captured == 0 {
		return credit.Changes{}, credit.OrderNotCaptured.With("Only a captured order can be held.", map[string]any{"order_status": string(o.Status)})
	}
	if s.Loans[c.Order].ChargedOff {
		return credit.Changes{}, chargedOff("The order is charged off.")
	}
	d := credit.NewDraft(s, e)
	if most := d.OrderSettings(c.Order).DisputeHoldDays; c.Days < 0 || c.Days > most {
		return credit.Changes{}, credit.ValidationFailed.With(fmt.Sprintf("A dispute hold lasts at most %d days.", most), map[string]any{"maximum": most})
	}
	today := e.Today()
	running := o.Held(today)
	if !running && c.Days == 0 {
		return credit.Changes{Result: o}, nil
	}
	Serve(d, c.Order)
	x := d.Orders.Edit(c.Order)
	x.Servicing.Holds = slices.Clone(x.Servicing.Holds)
	switch last := len(x.Servicing.Holds) - 1; {
	case c.Days == 0:
		x.Servicing.Holds[last].To = today
	case running:
		x.Servicing.Holds[last].To = max(today, x.Servicing.Holds[last].From.AddDays(c.Days))
	default:
		x.Servicing.Holds = append(x.Servicing.Holds, credit.Hold{From: today, To: today.AddDays(c.Days)})
	}
	catchUp(d, c.Order)
	if !x.Held(today) {
		CollectRest(d, c.Order)
	}
	return d.Done(x, false), nil
}
