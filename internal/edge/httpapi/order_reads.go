package httpapi

import (
	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/explain"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/onboarding"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

// payoffDays is for how many days a payoff is quoted where no date is asked for (F8).
const payoffDays = 7

type payoffQuery struct {
	orderKey
	Date *calendar.Date `query:"date" doc:"Payoff date. Default: seven days from today." example:"2026-04-01"`
}

type scheduleQuery struct {
	OrderID string `path:"orderId" prefix:"ord_" doc:"The order's key." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	asOfQuery
}

type orderEventsQuery struct {
	orderKey
	rest.Page
}

func (s *Service) orderReads() []rest.Operation {
	return []rest.Operation{
		{
			ID: "getSchedule", Method: "GET", Path: "/payments/schedule/{orderId}", Tag: "Payments", Summary: "Retrieve an order's schedule",
			Doc:    "Before capture: the schedule as if captured today, or on `as_of`, with status ESTIMATED.",
			Scopes: []string{"orders:read"}, Response: resource.Schedule{}, ETag: true,
			Problems: []string{"installments_required"}, Endpoint: rest.Handle(s.getSchedule),
		},
		{
			ID: "getPayoff", Method: "GET", Path: "/v1/order/{key}/payoff", Tag: "Orders", Summary: "Quote the payoff of an order",
			Scopes: []string{"orders:read"}, Response: resource.Payoff{}, ETag: true, Problems: []string{"order_not_captured"}, Endpoint: rest.Handle(s.getPayoff),
		},
		{
			ID: "getOrderLedger", Method: "GET", Path: "/v1/order/{key}/ledger", Tag: "Orders", Summary: "List every posting of an order",
			Doc:    "All entries in posting order, on one page.",
			Scopes: []string{"orders:read"}, Response: resource.List[resource.Entry]{}, Endpoint: rest.Handle(s.getOrderLedger),
		},
		{
			ID: "explainOrder", Method: "GET", Path: "/v1/order/{key}/explain", Tag: "Orders", Summary: "Explain every amount of an order",
			Doc:    "Traces each amount of the order, its schedule and today's payoff to its rule, the rule's inputs, and its postings.",
			Scopes: []string{"orders:read"}, Response: resource.Explanation{}, ETag: true, Endpoint: rest.Handle(s.explainOrder),
		},
		{
			ID: "listOrderEvents", Method: "GET", Path: "/v1/order/{key}/events", Tag: "Orders", Summary: "List the events of an order",
			Doc:    "Oldest first.",
			Scopes: []string{"orders:read", "events:read"}, Response: resource.List[resource.AnyEvent]{}, Endpoint: rest.Handle(s.listOrderEvents),
		},
	}
}

func (s *Service) getSchedule(c *rest.Call, p *scheduleQuery, _ *rest.None) (rest.Answer, error) {
	return s.readAt(c, p.AsOf, func(v store.View, m moment) (rest.Answer, error) {
		w, err := s.scheduleFor(c, v, p.OrderID, m)
		if err != nil {
			return rest.Answer{}, err
		}
		return tagged(&w)
	})
}

// scheduleFor is the schedule of an order that the caller may see, at a moment.
func (s *Service) scheduleFor(c *rest.Call, v store.View, key string, m moment) (resource.Schedule, error) {
	if m.past {
		o, err := orderAt(c, v, key, m)
		if err != nil {
			return resource.Schedule{}, err
		}
		return s.scheduleAt(v, o, m)
	}
	state, o, err := loadOrder(c, v, key)
	if err != nil {
		return resource.Schedule{}, err
	}
	return s.schedule(v, state, o)
}

// schedule shows the schedule as it stands today, or as a capture today would
// make it.
func (s *Service) schedule(v store.View, state *credit.State, o *credit.Order) (resource.Schedule, error) {
	l, err := s.standing(v, state, o)
	if err != nil {
		return resource.Schedule{}, err
	}
	if l != nil {
		return resource.NewSchedule(o, l, s.today()), nil
	}
	if o.Status == credit.OrderCanceled {
		return resource.NewCanceledSchedule(o), nil
	}
	if err := v.Load(state, credit.Keys{Companies: []int64{o.Company}, Merchants: []string{o.Merchant}}); err != nil {
		return resource.Schedule{}, err
	}
	return estimated(state, o, s.today())
}

// estimated is the schedule that a capture on a day would make.
func estimated(state *credit.State, o *credit.Order, day calendar.Date) (resource.Schedule, error) {
	estimate, r := onboarding.Estimate(state, o, day)
	if r != nil {
		return resource.Schedule{}, &rest.Problem{Code: r.Code, Detail: r.Detail, Members: r.Members}
	}
	return resource.NewEstimate(o, estimate, day), nil
}

func (s *Service) getPayoff(c *rest.Call, p *payoffQuery, _ *rest.None) (rest.Answer, error) {
	date := s.today().AddDays(payoffDays)
	if p.Date != nil {
		date = *p.Date
	}
	if date < s.today() {
		return rest.Answer{}, rest.InvalidParameter("date", "A payoff is quoted for today or a later day.")
	}
	return s.read(c, func(v store.View) (rest.Answer, error) {
		state, o, err := loadOrder(c, v, p.Key)
		if err != nil {
			return rest.Answer{}, err
		}
		l, err := s.standing(v, state, o)
		if err != nil {
			return rest.Answer{}, err
		}
		if l == nil {
			return rest.Answer{}, rest.NewProblem("order_not_captured", "The order is not captured; there is nothing to pay off.")
		}
		return tagged(resource.NewPayoff(o, date, l.Payoff(date), true))
	})
}

func (s *Service) explainOrder(c *rest.Call, p *orderKey, _ *rest.None) (rest.Answer, error) {
	return s.read(c, func(v store.View) (rest.Answer, error) {
		state, o, err := loadOrder(c, v, p.Key)
		if err != nil {
			return rest.Answer{}, err
		}
		if err := v.Load(state, credit.Keys{Companies: []int64{o.Company}, History: []string{o.Key}}); err != nil {
			return rest.Answer{}, err
		}
		rows, err := v.Entries(o.Key)
		if err != nil {
			return rest.Answer{}, err
		}
		posted, shown := make([]ledger.Entry, len(rows)), make([]resource.Entry, len(rows))
		for i := range rows {
			posted[i], shown[i] = rows[i].Entry, resource.NewEntry(&rows[i].Entry, rows[i].Q)
		}
		amounts := explain.Explain(explain.Evidence{
			Order: o, Loan: state.Loans[o.Key], Credits: held(state.Credits[o.Company]), History: state.History[o.Key],
			Entries: posted, Day: s.today(),
		})
		w := resource.NewExplanation(o.Key, amounts, shown)
		return tagged(&w)
	})
}

func (s *Service) getOrderLedger(c *rest.Call, p *orderKey, _ *rest.None) (rest.Answer, error) {
	return s.read(c, func(v store.View) (rest.Answer, error) {
		if _, err := findOrder(c, v, p.Key); err != nil {
			return rest.Answer{}, err
		}
		rows, err := v.Entries(p.Key)
		if err != nil {
			return rest.Answer{}, err
		}
		entries := make([]resource.Entry, len(rows))
		for i := range rows {
			entries[i] = resource.NewEntry(&rows[i].Entry, rows[i].Q)
		}
		return rest.OK(resource.NewList(entries, "")), nil
	})
}

func (s *Service) listOrderEvents(c *rest.Call, q *orderEventsQuery, _ *rest.None) (rest.Answer, error) {
	return s.read(c, func(v store.View) (rest.Answer, error) {
		if _, err := findOrder(c, v, q.Key); err != nil {
			return rest.Answer{}, err
		}
		rows, err := v.Events(credit.ObjectRef{Type: "order", ID: q.Key}, pageOf(q.Page))
		return listed(c, q.Page, rows, eventPosition, func(e store.EventRow) jsontext.Value { return e.Payload }), err
	})
}

// eventPosition is where an event stands in its list: by sequence, since a list
// of one object's events is ordered so.
func eventPosition(e store.EventRow) rest.Position {
	return rest.Position{CreatedAt: e.At, ID: e.ID}
}
