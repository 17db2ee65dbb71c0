package httpapi

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type deliveryID struct {
	ID string `path:"id" prefix:"dlv_" doc:"The delivery's identifier." example:"dlv_01KB2C4E6GAL2P4R6T8V0X2Z4B"`
}

type deliveryFilter struct {
	webhookID
	rest.Page
	State   string  `query:"state" enum:"PENDING,SUCCEEDED,PARKED,CANCELED" doc:"Deliveries in this state."`
	EventID *string `query:"event_id" prefix:"evt_" doc:"Deliveries of this event." example:"evt_01KB0A4E7W5N3R1P9M8K6J4H2G"`
}

// deliveries is what became of events on their way.
func (s *Service) deliveries() []rest.Operation {
	return rest.Group{Tag: "Webhooks", Reads: "webhooks:read", Writes: "webhooks:write"}.With([]rest.Operation{
		{
			ID: "listDeliveries", Method: "GET", Path: "/v1/webhooks/{id}/deliveries", Summary: "List an endpoint's deliveries",
			Doc:      "Newest first, without their attempts.",
			Response: resource.List[resource.Delivery]{}, Endpoint: rest.Handle(s.listDeliveries),
		},
		{
			ID: "getDelivery", Method: "GET", Path: "/v1/deliveries/{id}", Summary: "Retrieve a delivery with its attempts",
			Response: resource.Delivery{}, ETag: true, Endpoint: rest.Handle(s.getDelivery),
		},
		{
			ID: "redeliver", Method: "POST", Path: "/v1/deliveries/{id}/redeliver", Summary: "Redeliver an event",
			Doc:     "Even if it was delivered. `Location` points to the new deliveries.",
			Success: 201, Response: resource.Resend{}, Problems: []string{"endpoint_disabled"}, Endpoint: rest.Handle(s.redeliver),
		},
	})
}

// findDelivery reads a delivery that the caller may see.
func findDelivery(c *rest.Call, v store.View, id string) (*store.Delivery, []store.Attempt, error) {
	d, attempts, err := store.DeliveryOf(v, id)
	if err != nil {
		return nil, nil, err
	}
	if d == nil || !c.Principal.Operator && d.Merchant != c.Principal.Tenant {
		return nil, nil, rest.NotFound()
	}
	return d, attempts, nil
}

func (s *Service) getDelivery(c *rest.Call, p *deliveryID, _ *rest.None) (rest.Answer, error) {
	return s.read(c, func(v store.View) (rest.Answer, error) {
		d, attempts, err := findDelivery(c, v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		w := resource.NewDelivery(d, attempts)
		return tagged(&w)
	})
}

func (s *Service) listDeliveries(c *rest.Call, f *deliveryFilter, _ *rest.None) (rest.Answer, error) {
	q := store.DeliveryFilter{
		Merchant: c.Principal.Tenant, Endpoint: f.ID, Event: deref(f.EventID), State: store.DeliveryState(f.State),
	}
	return s.read(c, func(v store.View) (rest.Answer, error) {
		if _, err := findEndpoint(c, v, f.ID); err != nil {
			return rest.Answer{}, err
		}
		found, err := store.ListDeliveries(v, q, pageOf(f.Page))
		at := func(d store.Delivery) rest.Position { return rest.Position{CreatedAt: d.CreatedAt, ID: d.ID} }
		return listed(c, f.Page, found, at, func(d store.Delivery) resource.Delivery { return resource.NewDelivery(&d, nil) }), err
	})
}

func (s *Service) redeliver(c *rest.Call, p *deliveryID, _ *rest.None) (rest.Answer, error) {
	var d *store.Delivery
	_, err := s.read(c, func(v store.View) (a rest.Answer, err error) {
		d, _, err = findDelivery(c, v, p.ID)
		return a, err
	})
	if err != nil {
		return rest.Answer{}, err
	}
	return s.do(c, access.ResendEvents{Endpoint: d.Endpoint, Merchant: c.Principal.Tenant, Event: d.Event}, resendAnswer)
}
