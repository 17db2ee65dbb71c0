package httpapi

import (
	"tenor/internal/credit"
	"tenor/internal/store"
	"tenor/internal/wire"
)

type deliveryID struct {
	ID string `path:"id" prefix:"dlv_" doc:"The delivery's identifier." example:"dlv_01KB2C4E6GAL2P4R6T8V0X2Z4B"`
}

type deliveryFilter struct {
	webhookID
	Page
	State   string  `query:"state" enum:"PENDING,SUCCEEDED,PARKED,CANCELED" doc:"Deliveries in this state."`
	EventID *string `query:"event_id" prefix:"evt_" doc:"Deliveries of this event." example:"evt_01KB0A4E7W5N3R1P9M8K6J4H2G"`
}

// deliveries is what became of events on their way.
func (s *Service) deliveries() []Operation {
	return []Operation{
		{
			ID: "listDeliveries", Method: "GET", Path: "/v1/webhooks/{id}/deliveries", Tag: "Webhooks", Summary: "List an endpoint's deliveries",
			Doc:    "Newest first, without their attempts.",
			Scopes: []string{"webhooks:read"}, Response: wire.List[wire.Delivery]{}, Endpoint: Handle(s.listDeliveries),
		},
		{
			ID: "getDelivery", Method: "GET", Path: "/v1/deliveries/{id}", Tag: "Webhooks", Summary: "Retrieve a delivery with its attempts",
			Scopes: []string{"webhooks:read"}, Response: wire.Delivery{}, ETag: true, Endpoint: Handle(s.getDelivery),
		},
		{
			ID: "redeliver", Method: "POST", Path: "/v1/deliveries/{id}/redeliver", Tag: "Webhooks", Summary: "Send a delivery's event again",
			Doc:    "Also if it was delivered. `Location` names the deliveries that come of it.",
			Scopes: []string{"webhooks:write"}, Success: 201, Response: wire.Resend{}, Problems: problems([]string{"endpoint_disabled"}), Endpoint: Handle(s.redeliver),
		},
	}
}

// findDelivery reads a delivery that the caller may see.
func findDelivery(c *Call, v store.View, id string) (*store.Delivery, []store.Attempt, error) {
	d, attempts, err := v.Delivery(id)
	if err != nil {
		return nil, nil, err
	}
	if d == nil || !c.Principal.Operator && d.Merchant != c.Principal.MerchantID {
		return nil, nil, NotFound()
	}
	return d, attempts, nil
}

func (s *Service) getDelivery(c *Call, p *deliveryID, _ *None) (Answer, error) {
	return s.read(c, func(v store.View) (Answer, error) {
		d, attempts, err := findDelivery(c, v, p.ID)
		if err != nil {
			return Answer{}, err
		}
		w := wire.NewDelivery(d, attempts)
		return Tagged(&w)
	})
}

func (s *Service) listDeliveries(c *Call, f *deliveryFilter, _ *None) (Answer, error) {
	q := store.DeliveryFilter{
		Merchant: c.Principal.MerchantID, Endpoint: f.ID, Event: deref(f.EventID), State: store.DeliveryState(f.State),
	}
	return s.read(c, func(v store.View) (Answer, error) {
		if _, err := findEndpoint(c, v, f.ID); err != nil {
			return Answer{}, err
		}
		found, err := v.Deliveries(q, f.Page.store())
		at := func(d store.Delivery) Position { return Position{d.CreatedAt, d.ID} }
		return listed(c, f.Page, found, at, func(d store.Delivery) wire.Delivery { return wire.NewDelivery(&d, nil) }), err
	})
}

func (s *Service) redeliver(c *Call, p *deliveryID, _ *None) (Answer, error) {
	var d *store.Delivery
	_, err := s.read(c, func(v store.View) (a Answer, err error) {
		d, _, err = findDelivery(c, v, p.ID)
		return a, err
	})
	if err != nil {
		return Answer{}, err
	}
	return s.do(c, credit.ResendEvents{Endpoint: d.Endpoint, Merchant: c.Principal.MerchantID, Event: d.Event}, resendAnswer)
}
