package developer

import (
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type eventID struct {
	ID string `path:"id" prefix:"evt_" doc:"The event's identifier." example:"evt_01KB0A4E7W5N3R1P9M8K6J4H2G"`
}

type eventFilter struct {
	rest.Page
	CreatedFrom *calendar.Date `query:"created_from" doc:"Events on or after this business date." example:"2026-01-15"`
}

// Events returns the reads of events.
func (s API) Events() []rest.Operation {
	return rest.Group{Tag: "Events", Reads: "events:read"}.With([]rest.Operation{
		{
			ID: "listEvents", Method: "GET", Path: "/v1/events", Summary: "List events",
			Doc: "Oldest first, in commit order: the same stream that endpoints receive. A merchant reads its own events and those of companies linked to it. " +
				"`next_cursor` is also set on the last page: use it later to continue without gaps.",
			Response: resource.List[resource.AnyEvent]{}, Endpoint: rest.Handle(s.listEvents),
		},
		{
			ID: "getEvent", Method: "GET", Path: "/v1/events/{id}", Summary: "Retrieve an event",
			Response: resource.AnyEvent{}, ETag: true, Endpoint: rest.Handle(s.getEvent),
		},
	})
}

func (s API) getEvent(c *rest.Call, p *eventID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		e, may, err := store.EventOf(v, p.ID, c.Principal.Tenant)
		if err != nil {
			return rest.Answer{}, err
		}
		if e == nil || !may {
			return rest.Answer{}, rest.NotFound()
		}
		// An event never changes: its identifier names its bytes.
		return rest.Answer{Raw: e.Payload, ContentType: rest.MediaJSON, ETag: `"` + e.ID + `"`}, nil
	})
}

func (s API) listEvents(c *rest.Call, f *eventFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		after, err := s.begin(v, f)
		if err != nil {
			return rest.Answer{}, err
		}
		rows, err := store.Stream(v, c.Principal.Tenant, after, f.Limit+1)
		if err != nil {
			return rest.Answer{}, err
		}
		more := len(rows) > f.Limit
		rows = rows[:min(len(rows), f.Limit)]
		payloads := make([]jsontext.Value, len(rows))
		for i, e := range rows {
			payloads[i], after = e.Payload, store.Place{Q: e.Q, N: e.N}
		}
		cursor, link := c.Next(placePosition(after))
		page := resource.NewList(payloads, cursor)
		if page.HasMore = more; !more {
			link = "" // nothing follows it yet
		}
		return rest.Answer{Body: &page, Link: link}, nil
	})
}

// begin is the place after which a page of events begins.
func (s API) begin(v store.View, f *eventFilter) (store.Place, error) {
	switch {
	case f.After != nil:
		return positionPlace(*f.After)
	case f.CreatedFrom == nil:
		return store.Place{}, nil
	}
	// The last commit before the date; commits have whole microseconds.
	q, err := store.SeqAt(v, s.Zone.At(*f.CreatedFrom, 0, 0).Add(-time.Microsecond))
	return store.Place{Q: q, N: math.MaxInt32}, err
}

// placePosition encodes a place in the stream as the position that a cursor seals.
func placePosition(p store.Place) rest.Position {
	return rest.Position{CreatedAt: time.Unix(0, 0), ID: fmt.Sprintf("%d.%d", p.Q, p.N)}
}

func positionPlace(at rest.Position) (p store.Place, err error) {
	if _, err := fmt.Sscanf(at.ID, "%d.%d", &p.Q, &p.N); err != nil {
		return p, fmt.Errorf("cursor of events: %w", err)
	}
	return p, nil
}
