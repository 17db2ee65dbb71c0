package store

// ListDeliveries lists deliveries, newest first.
func ListDeliveries(v View, f DeliveryFilter, p Page) ([]Delivery, error) {
	q := newest(RowsOf(&Deliveries), "created_at", p)
	switch {
	case f.Event != "": // one for each endpoint, plus resends
		q.Index = "deliveries_event"
	case f.State != "" && f.State != DeliverySucceeded: // most have succeeded: those need no index
		q.Index = "deliveries_state"
		q.holds("state", IsNot, textValue(string(DeliverySucceeded)))
		if f.Endpoint == "" { // the index starts with the endpoint: it is searched once per endpoint
			q.Where = append(q.Where, Cond{Expr: "endpoint_id IN (SELECT id FROM endpoints)", Takes: func(any) bool { return true }})
		}
	case f.Endpoint != "":
		q.Index = "deliveries_endpoint"
	case f.Merchant != "":
		q.Index = "deliveries_merchant"
	default:
		q.Index = "deliveries_created"
	}
	q.is("merchant_id", f.Merchant)
	q.is("endpoint_id", f.Endpoint)
	q.is("event_id", f.Event)
	q.is("state", string(f.State))
	return rows[Delivery](v, q)
}

// DeliveryOf returns a delivery with its attempts, nil if there is none.
func DeliveryOf(v View, id string) (*Delivery, []Attempt, error) {
	q := Query{From: RowsOf(&Deliveries), Order: []string{"id"}, Limit: 1}
	q.where("id", Is, textValue(id))
	d, found, err := first[Delivery](v, q)
	if err != nil || !found {
		return nil, nil, err
	}
	q = Query{From: RowsOf(&Attempts), Order: []string{"delivery_id", "n"}, Limit: -1}
	q.where("delivery_id", Is, textValue(id))
	tried, err := rows[Attempt](v, q)
	return &d, tried, err
}

// ListPending lists an endpoint's unfinished deliveries in order of their events, then of
// their ids.
func ListPending(v View, endpoint string, limit int) ([]Delivery, error) {
	q := Query{From: RowsOf(&Deliveries), Order: []string{"event_q", "event_n", "id"}, Limit: max(limit, 0), Index: "deliveries_pending"}
	q.holds("state", Is, textValue(string(DeliveryPending)))
	q.where("endpoint_id", Is, textValue(endpoint))
	return rows[Delivery](v, q)
}

// ListResends lists resend requests after a commit, in commit order.
func ListResends(v View, after int64, limit int) ([]ResendRow, error) {
	q := Query{From: RowsOf(&Resends), Order: []string{"q"}, Limit: max(limit, 0)}
	q.where("q", Above, Value{Kind: Integer, Int: after})
	return rows[ResendRow](v, q)
}

// EachEndpointVersion calls fn with every version of every endpoint, including deleted
// ones, in order of endpoint and commit.
func EachEndpointVersion(v View, fn func(EndpointVersion) error) error {
	past := map[string][]EndpointVersion{}
	err := Each(v, &EndpointHistory, func(r EndpointPast) error {
		past[r.ID] = append(past[r.ID], EndpointVersion{Endpoint: r.Endpoint, Q: r.Q, UntilQ: r.UntilQ})
		return nil
	})
	if err != nil {
		return err
	}
	return Each(v, &Endpoints, func(r EndpointRow) error {
		for _, x := range append(past[r.ID], EndpointVersion{Endpoint: r.Endpoint, Q: r.Q}) {
			if err := fn(x); err != nil {
				return err
			}
		}
		return nil
	})
}
