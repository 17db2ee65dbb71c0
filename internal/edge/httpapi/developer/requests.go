package developer

import (
	"context"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type requestFilter struct {
	rest.Page
	ClientID    *string    `query:"client_id" prefix:"cli_" doc:"Calls by this client." example:"cli_01K9Z0B2D4F6H8K0M2P4R6T8V0"`
	StatusClass string     `query:"status_class" enum:"2xx,3xx,4xx,5xx" doc:"Responses of this class." example:"4xx"`
	Method      string     `query:"method" enum:"GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS,OTHER" doc:"Calls with this HTTP method." example:"POST"`
	Operation   *string    `query:"operation" pattern:"^[a-zA-Z]{1,64}$" doc:"Calls to this operation." example:"createOrder"`
	Key         *string    `query:"idempotency_key" maxLength:"255" doc:"Calls with this Idempotency-Key." example:"order-7781"`
	RequestID   *string    `query:"request_id" maxLength:"128" doc:"Calls with this X-Request-Id." example:"req_01KB0A4E7W5N3R1P9M8K6J4H2G"`
	From        *time.Time `query:"from" doc:"At or after this instant." example:"2026-01-15T00:00:00Z"`
	To          *time.Time `query:"to" doc:"Before this instant." example:"2026-01-16T00:00:00Z"`
}

// Check refuses a reversed time span.
func (f *requestFilter) Check(report func(name, code, detail string)) {
	if f.From != nil && f.To != nil && f.To.Before(*f.From) {
		report("to", "reversed", "to is before from.")
	}
}

type requestID struct {
	ID string `path:"request_id" pattern:"^[0-9A-Za-z._~-]{1,128}$" doc:"The log ID of the call, or its X-Request-Id (the newest call if several share it)." example:"req_01KB0A4E7W5N3R1P9M8K6J4H2G"`
}

// Requests returns the reads of the API's request log.
func (s API) Requests() []rest.Operation {
	return rest.Group{Tag: "Requests", Reads: "webhooks:read"}.With([]rest.Operation{
		{
			ID: "listRequests", Method: "GET", Path: "/v1/requests", Summary: "List API calls",
			Doc: "Newest first, without bodies: a merchant's own calls, or all calls for the lender. Kept for 30 days; a call appears about a second after its response. " +
				"The log is for diagnosis: under heavy load it can miss calls.",
			Response: resource.List[resource.LoggedRequest]{}, Unlogged: true, Endpoint: rest.Handle(s.listRequests),
		},
		{
			ID: "getRequest", Method: "GET", Path: "/v1/requests/{request_id}", Summary: "Retrieve an API call with its bodies",
			Doc: "Other values are masked as `***`: only IDs, amounts, dates, statuses and the like are stored. " +
				"`idempotency` shows when the key was first used, how often its response was replayed, and on `idempotency_key_reused` what differs.",
			Response: resource.LoggedRequest{}, Unlogged: true, Endpoint: rest.Handle(s.getRequest),
		},
	})
}

func (s API) listRequests(c *rest.Call, f *requestFilter, _ *rest.None) (rest.Answer, error) {
	q := store.RequestFilter{
		Merchant: c.Principal.Tenant, Client: serve.Deref(f.ClientID), Method: f.Method, Operation: serve.Deref(f.Operation), Key: serve.Deref(f.Key),
		RequestID: serve.Deref(f.RequestID), From: serve.Deref(f.From), To: serve.Deref(f.To),
	}
	if f.StatusClass != "" {
		q.Class = int(f.StatusClass[0] - '0')
	}
	ctx, cancel := context.WithTimeout(c.Context(), serve.ReadTimeout)
	defer cancel()
	found, err := store.ListRequests(ctx, s.Store, q, serve.PageOf(f.Page))
	if err != nil {
		return rest.Answer{}, err
	}
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		names, err := clientNames(v, found)
		at := func(r store.RequestRow) rest.Position { return rest.Position{CreatedAt: r.At, ID: r.ID} }
		return serve.Listed(c, f.Page, found, at, func(r store.RequestRow) resource.LoggedRequest {
			return resource.NewLoggedRequest(&r, names[r.Client], false)
		}), err
	})
}

// clientNames returns the names of the clients that have called.
func clientNames(v store.View, rows []store.RequestRow) (map[string]string, error) {
	s, keys, names := credit.NewState(), credit.Keys{}, map[string]string{}
	for _, r := range rows {
		keys.Clients = append(keys.Clients, r.Client)
	}
	if err := v.Load(s, keys); err != nil {
		return nil, err
	}
	for id, x := range s.Clients {
		if x != nil {
			names[id] = x.Name
		}
	}
	return names, nil
}

// maxOfKey is how many calls of one key are read.
const maxOfKey = 1000

func (s API) getRequest(c *rest.Call, p *requestID, _ *rest.None) (rest.Answer, error) {
	ctx, cancel := context.WithTimeout(c.Context(), serve.ReadTimeout)
	defer cancel()
	row, found, err := store.RequestByID(ctx, s.Store, c.Principal.Tenant, p.ID)
	if err != nil {
		return rest.Answer{}, err
	}
	if !found {
		return rest.Answer{}, rest.NotFound()
	}
	same, err := store.RequestsOfKey(ctx, s.Store, row.Client, row.Key, maxOfKey)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		names, err := clientNames(v, []store.RequestRow{row})
		w := resource.NewLoggedRequest(&row, names[row.Client], true)
		w.Idempotency = keyHistory(row, same)
		return rest.OK(&w), err
	})
}

// keyHistory describes what happened with a call's key; same are the calls with that key,
// oldest first.
func keyHistory(row store.RequestRow, same []store.RequestRow) *resource.KeyHistory {
	if row.Key == "" || len(same) == 0 {
		return nil
	}
	h := &resource.KeyHistory{FirstSeenAt: same[0].At, FirstRequestID: same[0].RequestID, Differs: []string{}}
	for _, r := range same {
		if r.Replayed {
			h.Replays++
		}
		if h.StoredStatus == nil && r.Seq > 0 && !r.DryRun {
			status := r.Status
			h.StoredStatus = &status
		}
	}
	if row.ID != same[0].ID && row.Code == "idempotency_key_reused" {
		h.Differs = differences(same[0], row)
	}
	return h
}
