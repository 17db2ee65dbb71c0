package developer

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type deliveryFilter struct {
	webhookID
	rest.Page
	State   string  `query:"state" enum:"PENDING,SUCCEEDED,PARKED,CANCELED" doc:"Deliveries in this state."`
	EventID *string `query:"event_id" prefix:"evt_" doc:"Deliveries of this event." example:"evt_01KB0A4E7W5N3R1P9M8K6J4H2G"`
}

// Deliveries returns the operations on event deliveries.
func (s API) Deliveries() []rest.Operation {
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

// FindDelivery reads a delivery that the caller may see.
func FindDelivery(c *rest.Call, v store.View, id string) (*store.Delivery, []store.Attempt, error) {
	d, attempts, err := store.DeliveryOf(v, id)
	if err != nil {
		return nil, nil, err
	}
	if d == nil || !c.Principal.Operator && d.Merchant != c.Principal.Tenant {
		return nil, nil, rest.NotFound()
	}
	return d, attempts, nil
}

func (s API) getDelivery(c *rest.Call, p *serve.DeliveryID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		d, attempts, err := FindDelivery(c, v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		w := resource.NewDelivery(d, attempts)
		return serve.Tagged(&w)
	})
}

func (s API) listDeliveries(c *rest.Call, f *deliveryFilter, _ *rest.None) (rest.Answer, error) {
	q := store.DeliveryFilter{
		Merchant: c.Principal.Tenant, Endpoint: f.ID, Event: serve.Deref(f.EventID), State: store.DeliveryState(f.State),
	}
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		if _, err := findEndpoint(c, v, f.ID); err != nil {
			return rest.Answer{}, err
		}
		found, err := store.ListDeliveries(v, q, serve.PageOf(f.Page))
		at := func(d store.Delivery) rest.Position { return rest.Position{CreatedAt: d.CreatedAt, ID: d.ID} }
		return serve.Listed(c, f.Page, found, at, func(d store.Delivery) resource.Delivery { return resource.NewDelivery(&d, nil) }), err
	})
}

func (s API) redeliver(c *rest.Call, p *serve.DeliveryID, _ *rest.None) (rest.Answer, error) {
	var d *store.Delivery
	_, err := s.Read(c, func(v store.View) (a rest.Answer, err error) {
		d, _, err = FindDelivery(c, v, p.ID)
		return a, err
	})
	if err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, access.ResendEvents{Endpoint: d.Endpoint, Merchant: c.Principal.Tenant, Event: d.Event}, resendAnswer)
}
