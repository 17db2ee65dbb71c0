package contracttest

import (
	"context"

	"tenor/internal/core/engine"
	"tenor/internal/domain/access"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
)

// two makes every act of the lender's clients that can wait do so, or ends that.
func (w *world) two(required bool) {
	w.tb.Helper()
	c := staff.SetPolicy{Required: &required, Limits: map[permit.Permission]money.Amount{}}
	for p := range permit.UsualLimits() { // unordered: into a map
		c.Limits[p] = 0
	}
	w.actAs(credit.Actor{Client: access.Console, Operator: true}, c)
}

func (w *world) actAs(by credit.Actor, c credit.Command) (result any) {
	w.tb.Helper()
	_, err := w.engine.Submit(context.Background(), engine.Request{
		Command: c, Actor: by, Seed: w.seed(), Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			if result = ch.Result; r != nil {
				w.tb.Errorf("%s: %v", c.Name(), r)
			}
			return engine.Response{Status: 200}
		},
	})
	if err != nil {
		w.tb.Fatalf("%s: %v", c.Name(), err)
	}
	return result
}

// approval makes an act of another client wait.
func (w *world) approval() string {
	w.tb.Helper()
	return w.asked(compliance.MoveFunding{Amount: money.MustParse("50.00"), Reference: "first funding"})
}

func (w *world) asked(c credit.Command) string {
	w.tb.Helper()
	w.two(true)
	defer w.two(false)
	return w.actAs(credit.Actor{Client: "cli_ASKS", Operator: true}, c).(*credit.Approval).ID
}

// staleApproval is about an order of which a part was refunded since.
func (w *world) staleApproval() string {
	w.tb.Helper()
	part := money.MustParse("10.00")
	key := w.order(w.a, true, true)
	id := w.asked(lending.RefundOrder{Order: key, Amount: &part})
	w.act(w.a, lending.RefundOrder{Order: key, Amount: &part})
	return id
}
