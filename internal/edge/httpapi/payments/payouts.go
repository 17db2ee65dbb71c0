package payments

import (
	"fmt"
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/statement"
)

type payoutID struct {
	ID string `path:"id" prefix:"po_" doc:"The payout's identifier." example:"po_01KB0A4E7W9N3R1P9M8K6J4H2G"`
}

type payoutFilter struct {
	rest.Page
	Status string `query:"status" enum:"PENDING,SENT,SETTLED,FAILED" doc:"Payouts with this status."`
}

// Payouts returns the reads of merchants' payouts.
func (s API) Payouts() []rest.Operation {
	return rest.Group{Tag: "Payouts", Reads: "payouts:read"}.With([]rest.Operation{
		{
			ID: "listPayouts", Method: "GET", Path: "/v1/payouts", Summary: "List payouts",
			Doc:      "Newest first. A merchant sees only its own.",
			Response: resource.List[resource.Payout]{}, Endpoint: rest.Handle(s.listPayouts),
		},
		s.exportPayoutsOperation(),
		{
			ID: "getPayout", Method: "GET", Path: "/v1/payouts/{id}", Summary: "Retrieve a payout with its lines",
			Doc:      "As JSON, HTML or PDF.",
			Response: resource.PayoutDetail{}, ETag: true, Produces: serve.Papers(), Endpoint: rest.Handle(s.getPayout),
		},
	})
}

func (s API) listPayouts(c *rest.Call, f *payoutFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListPayouts(v, store.PayoutFilter{Merchant: c.Principal.Tenant, Status: credit.PayoutStatus(f.Status)}, serve.PageOf(f.Page))
		return serve.Listed(c, f.Page, found, func(p *credit.Payout) rest.Position { return rest.Position{CreatedAt: p.CreatedAt, ID: p.ID} }, resource.NewPayout), err
	})
}

func (s API) getPayout(c *rest.Call, p *payoutID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Payouts: []string{p.ID}}); err != nil {
			return rest.Answer{}, err
		}
		x := state.Payouts[p.ID]
		if x == nil || !c.Principal.Operator && x.Merchant != c.Principal.Tenant {
			return rest.Answer{}, rest.NotFound()
		}
		lines, err := linesOf(v, x.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		facts, err := s.PayoutFacts(c, v, x, lines)
		if err != nil {
			return rest.Answer{}, err
		}
		if c.Accepted == rest.MediaJSON {
			w := resource.NewPayoutDetail(x, lines)
			w.TraceNumber, w.DiscountReturned, w.Carried = resource.Text(facts.Trace), facts.DiscountReturned, facts.Carried
			return serve.Tagged(&w)
		}
		m, err := serve.FindMerchant(v, x.Merchant)
		if err != nil {
			return rest.Answer{}, err
		}
		lender, err := serve.Signs(v)
		if err != nil {
			return rest.Answer{}, err
		}
		return serve.Print(c, statement.PayoutPaper(x, lines, lender.Name, m.Name, facts))
	})
}

// PayoutFacts collects what a payout's own record does not contain.
func (s API) PayoutFacts(c *rest.Call, v store.View, x *credit.Payout, lines []*credit.PayoutLine) (f statement.PayoutFacts, err error) {
	carried, err := owedAfter(v, x)
	if err != nil {
		return f, err
	}
	state := credit.NewState()
	var k credit.Keys
	for _, l := range lines {
		if l.Order == "" {
			continue
		}
		if k.Orders = append(k.Orders, l.Order); l.Kind == credit.LineClawback {
			k.Lines = append(k.Lines, l.Order)
		}
	}
	if err := v.Load(state, k); err != nil {
		return f, err
	}
	f = statement.FactsOf(lines, state.Orders, slices.Collect(maps.Values(state.Lines)), carried)
	if x.Transfer == "" {
		return f, nil
	}
	filed, err := store.FiledTransfers(c.Context(), s.Store, []string{x.Transfer})
	if err == nil && len(filed) > 0 {
		f.Trace = fmt.Sprintf("%07d", filed[0].Trace)
	}
	return f, err
}

// linesOf returns all lines of a payout: up to credit.MaxLines on each side, plus what the
// previous command in a batch has added.
func linesOf(v store.View, payout string) (out []*credit.PayoutLine, err error) {
	for page := (store.Page{Limit: credit.MaxLines}); ; {
		list, err := store.ListPayoutLines(v, store.LineFilter{Payout: payout}, page)
		if out = append(out, list...); err != nil || len(list) < page.Limit {
			return out, err
		}
		page.AfterID = list[len(list)-1].ID
	}
}

// owedAfter is what a merchant still owed after a payout: the balance of its accounts after
// the commit that created it.
func owedAfter(v store.View, p *credit.Payout) (money.Amount, error) {
	made, err := v.Events(store.EventFilter{Object: credit.ObjectRef{Type: "payout", ID: p.ID}, Limit: 1})
	if err == nil && len(made) == 0 {
		err = fmt.Errorf("payout %s has no event", p.ID)
	}
	if err != nil {
		return 0, err
	}
	return store.OwedAt(v, p.Merchant, made[0].Q)
}
