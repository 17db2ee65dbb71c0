package orders

import (
	"github.com/go-json-experiment/json/jsontext"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/explain"
	"tenor/internal/domain/ledger"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

// payoffDays is how many days of payoffs are quoted by default (F8).
const payoffDays = 7

type payoffQuery struct {
	serve.OrderKey
	Date *calendar.Date `query:"date" doc:"Payoff date. Default: seven days from today." example:"2026-04-01"`
}

type scheduleQuery struct {
	OrderID string `path:"orderId" prefix:"ord_" doc:"The order's key." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	serve.AsOfQuery
}

type orderEventsQuery struct {
	serve.OrderKey
	rest.Page
}

// OrderReads returns the reads of an order.
func (s API) OrderReads() []rest.Operation {
	return rest.Group{Tag: "Orders", Reads: "orders:read"}.With([]rest.Operation{
		{
			ID: "getSchedule", Method: "GET", Path: "/payments/schedule/{orderId}", Tag: "Payments", Summary: "Retrieve an order's schedule",
			Doc:      "Before capture: the schedule as if captured today, or on `as_of`, with status ESTIMATED.",
			Response: resource.Schedule{}, ETag: true,
			Problems: []string{"installments_required"}, Endpoint: rest.Handle(s.getSchedule),
		},
		{
			ID: "getPayoff", Method: "GET", Path: "/v1/order/{key}/payoff", Summary: "Quote the payoff of an order",
			Response: resource.Payoff{}, ETag: true, Problems: []string{"order_not_captured"}, Endpoint: rest.Handle(s.getPayoff),
		},
		{
			ID: "getOrderLedger", Method: "GET", Path: "/v1/order/{key}/ledger", Summary: "List every posting of an order",
			Doc:      "All entries in posting order, on one page.",
			Response: resource.List[resource.Entry]{}, Endpoint: rest.Handle(s.getOrderLedger),
		},
		{
			ID: "explainOrder", Method: "GET", Path: "/v1/order/{key}/explain", Summary: "Explain every amount of an order",
			Doc:      "Traces each amount of the order, its schedule and today's payoff to its rule, the rule's inputs, and its postings.",
			Response: resource.Explanation{}, ETag: true, Endpoint: rest.Handle(s.explainOrder),
		},
		{
			ID: "listOrderEvents", Method: "GET", Path: "/v1/order/{key}/events", Summary: "List the events of an order",
			Doc:    "Oldest first.",
			Scopes: []string{"orders:read", "events:read"}, Response: resource.List[resource.AnyEvent]{}, Endpoint: rest.Handle(s.listOrderEvents),
		},
	})
}

func (s API) getSchedule(c *rest.Call, p *scheduleQuery, _ *rest.None) (rest.Answer, error) {
	return s.ReadAt(c, p.AsOf, func(v store.View, m serve.Moment) (rest.Answer, error) {
		w, err := s.scheduleFor(c, v, p.OrderID, m)
		if err != nil {
			return rest.Answer{}, err
		}
		return serve.Tagged(&w)
	})
}

// scheduleFor is the schedule of an order that the caller may see, at a moment.
func (s API) scheduleFor(c *rest.Call, v store.View, key string, m serve.Moment) (resource.Schedule, error) {
	if m.Past {
		o, err := serve.OrderAt(c, v, key, m)
		if err != nil {
			return resource.Schedule{}, err
		}
		return s.ScheduleAt(v, o, m)
	}
	state, o, err := serve.LoadOrder(c, v, key)
	if err != nil {
		return resource.Schedule{}, err
	}
	return s.schedule(v, state, o)
}

// schedule shows the schedule as of today, or as a capture today would make it.
func (s API) schedule(v store.View, state *credit.State, o *credit.Order) (resource.Schedule, error) {
	l, err := s.Standing(v, state, o)
	if err != nil {
		return resource.Schedule{}, err
	}
	if l != nil {
		return resource.NewSchedule(o, l, s.Today()), nil
	}
	if o.Status == credit.OrderCanceled {
		return resource.NewCanceledSchedule(o), nil
	}
	if err := v.Load(state, credit.Keys{Companies: []int64{o.Company}, Merchants: []string{o.Merchant}}); err != nil {
		return resource.Schedule{}, err
	}
	return serve.Estimated(state, o, s.Today())
}

func (s API) getPayoff(c *rest.Call, p *payoffQuery, _ *rest.None) (rest.Answer, error) {
	date := s.Today().AddDays(payoffDays)
	if p.Date != nil {
		date = *p.Date
	}
	if date < s.Today() {
		return rest.Answer{}, rest.InvalidParameter("date", "A payoff can be quoted for today or a future date.")
	}
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		state, o, err := serve.LoadOrder(c, v, p.Key)
		if err != nil {
			return rest.Answer{}, err
		}
		l, err := s.Standing(v, state, o)
		if err != nil {
			return rest.Answer{}, err
		}
		if l == nil {
			return rest.Answer{}, rest.NewProblem("order_not_captured", "The order is not captured; there is nothing to pay off.")
		}
		return serve.Tagged(resource.NewPayoff(o, date, l.Payoff(date), true))
	})
}

func (s API) explainOrder(c *rest.Call, p *serve.OrderKey, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		state, o, err := serve.LoadOrder(c, v, p.Key)
		if err != nil {
			return rest.Answer{}, err
		}
		if err := v.Load(state, credit.Keys{Companies: []int64{o.Company}, History: []string{o.Key}}); err != nil {
			return rest.Answer{}, err
		}
		rows, err := store.EntriesOf(v, o.Key)
		if err != nil {
			return rest.Answer{}, err
		}
		posted, shown := make([]ledger.Entry, len(rows)), make([]resource.Entry, len(rows))
		for i := range rows {
			posted[i], shown[i] = rows[i].Entry, resource.NewEntry(&rows[i].Entry, rows[i].Q)
		}
		amounts := explain.Explain(explain.Evidence{
			Order: o, Loan: state.Loans[o.Key], Credits: explain.Held(state.Credits[o.Company]), History: state.History[o.Key],
			Entries: posted, Day: s.Today(),
		})
		w := resource.NewExplanation(o.Key, amounts, shown)
		return serve.Tagged(&w)
	})
}

func (s API) getOrderLedger(c *rest.Call, p *serve.OrderKey, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		if _, err := serve.FindOrder(c, v, p.Key); err != nil {
			return rest.Answer{}, err
		}
		rows, err := store.EntriesOf(v, p.Key)
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

func (s API) listOrderEvents(c *rest.Call, q *orderEventsQuery, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		if _, err := serve.FindOrder(c, v, q.Key); err != nil {
			return rest.Answer{}, err
		}
		page := serve.PageOf(q.Page)
		rows, err := v.Events(store.EventFilter{Object: credit.ObjectRef{Type: "order", ID: q.Key}, Behind: page.AfterID, Limit: page.Limit})
		return serve.Listed(c, q.Page, rows, EventPosition, func(e store.EventRow) jsontext.Value { return e.Payload }), err
	})
}

// EventPosition is an event's position in its list: by sequence, the order of one object's
// events.
func EventPosition(e store.EventRow) rest.Position {
	return rest.Position{CreatedAt: e.At, ID: e.ID}
}
