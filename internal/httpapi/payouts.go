package httpapi

import (
	"fmt"

	"tenor/internal/credit"
	"tenor/internal/money"
	"tenor/internal/statement"
	"tenor/internal/store"
	"tenor/internal/wire"
)

type payoutID struct {
	ID string `path:"id" prefix:"po_" doc:"The payout's identifier." example:"po_01KB0A4E7W9N3R1P9M8K6J4H2G"`
}

type payoutFilter struct {
	Page
	Status string `query:"status" enum:"PENDING,SENT,SETTLED,FAILED" doc:"Payouts with this status."`
}

// payouts are what merchants are paid.
func (s *Service) payouts() []Operation {
	return []Operation{
		{
			ID: "listPayouts", Method: "GET", Path: "/v1/payouts", Tag: "Payouts", Summary: "List payouts",
			Doc:    "Newest first. A merchant sees its own.",
			Scopes: []string{"payouts:read"}, Response: wire.List[wire.Payout]{}, Endpoint: Handle(s.listPayouts),
		},
		s.exportPayoutsOperation(),
		{
			ID: "getPayout", Method: "GET", Path: "/v1/payouts/{id}", Tag: "Payouts", Summary: "Retrieve a payout with its lines",
			Doc:    "As JSON, and for people as a page or as PDF.",
			Scopes: []string{"payouts:read"}, Response: wire.PayoutDetail{}, ETag: true, Produces: papers(), Endpoint: Handle(s.getPayout),
		},
	}
}

func (s *Service) listPayouts(c *Call, f *payoutFilter, _ *None) (Answer, error) {
	return s.read(c, func(v store.View) (Answer, error) {
		found, err := v.Payouts(store.PayoutFilter{Merchant: c.Principal.MerchantID, Status: credit.PayoutStatus(f.Status)}, f.Page.store())
		return listed(c, f.Page, found, func(p *credit.Payout) Position { return Position{p.CreatedAt, p.ID} }, wire.NewPayout), err
	})
}

func (s *Service) getPayout(c *Call, p *payoutID, _ *None) (Answer, error) {
	return s.read(c, func(v store.View) (Answer, error) {
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Payouts: []string{p.ID}}); err != nil {
			return Answer{}, err
		}
		x := state.Payouts[p.ID]
		if x == nil || !c.Principal.Operator && x.Merchant != c.Principal.MerchantID {
			return Answer{}, NotFound()
		}
		lines, err := v.PayoutLines(store.LineFilter{Payout: x.ID}, store.Page{Limit: maxPayoutLines})
		if err != nil {
			return Answer{}, err
		}
		facts, err := s.payoutFacts(c, v, x, lines)
		if err != nil {
			return Answer{}, err
		}
		if c.Accepted == mediaJSON {
			w := wire.NewPayoutDetail(x, lines)
			w.TraceNumber, w.DiscountReturned, w.Carried = wire.Text(facts.Trace), facts.DiscountReturned, facts.Carried
			return Tagged(&w)
		}
		m, err := findMerchant(v, x.Merchant)
		if err != nil {
			return Answer{}, err
		}
		lender, err := signs(v)
		if err != nil {
			return Answer{}, err
		}
		return print(c, statement.PayoutPaper(x, lines, lender.Name, m.Name, facts))
	})
}

// payoutFacts gathers what a payout's own record does not hold.
func (s *Service) payoutFacts(c *Call, v store.View, x *credit.Payout, lines []*credit.PayoutLine) (f statement.PayoutFacts, err error) {
	carried, err := stillOwed(v, x.Merchant)
	if err != nil {
		return f, err
	}
	state := credit.NewState()
	var k credit.Keys
	for _, l := range lines {
		if l.Order != "" {
			k.Orders = append(k.Orders, l.Order)
		}
	}
	if err := v.Load(state, k); err != nil {
		return f, err
	}
	f = statement.FactsOf(lines, state.Orders, carried)
	if x.Transfer == "" {
		return f, nil
	}
	filed, err := s.Store.EntriesOf(c.Context(), []string{x.Transfer})
	if err == nil && len(filed) > 0 {
		f.Trace = fmt.Sprintf("%07d", filed[0].Trace)
	}
	return f, err
}

// maxPayoutLines is more than the lines of a payout: those that it pays, and parts of
// those that it takes.
const maxPayoutLines = 2 * credit.MaxLines

// stillOwed is what waits to be taken from a merchant's next payouts.
func stillOwed(v store.View, merchant string) (sum money.Amount, err error) {
	lines, err := v.PayoutLines(store.LineFilter{Waiting: merchant}, store.Page{Limit: maxPayoutLines})
	for _, l := range lines {
		if l.Kind.Owes() {
			sum = sum.Add(l.Left())
		}
	}
	return sum, err
}
