package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// Event is one fact that merchants are told. It comes in the list of events and,
// with the same bytes, as the body of a webhook.
type Event struct {
	Raw
	ID         string       `json:"id"`
	Type       string       `json:"type"` // such as order.captured; types that are new are to be ignored
	CreatedAt  time.Time    `json:"created_at"`
	APIVersion string       `json:"api_version"`
	Sequence   int64        `json:"sequence"` // per object, without gaps
	Object     EventObject  `json:"object"`
	Data       EventData    `json:"data"`
	Request    EventRequest `json:"request"`
}

// EventObject names what an event happened to.
type EventObject struct {
	Type string `json:"type"` // order payment company invoice webhook
	ID   string `json:"id"`   // an order's is its key
}

// EventData is what an event tells: the resource, which the caller decodes by the
// event's type, and what of it changed.
type EventData struct {
	Object             json.RawMessage            `json:"object"`
	PreviousAttributes map[string]json.RawMessage `json:"previous_attributes"`
}

// EventRequest names the request that caused an event; "" if it was not the
// reader's own.
type EventRequest struct {
	ID             string `json:"id"`
	IdempotencyKey string `json:"idempotency_key"`
}

// EventFilter narrows a list of events.
type EventFilter struct {
	CreatedFrom string // a business date, YYYY-MM-DD: its events and later ones
}

// Event returns one event.
func (c *Client) Event(ctx context.Context, id string, options ...Option) (*Event, error) {
	return send[Event](ctx, c, http.MethodGet, at("v1", "events", id), nil, options)
}

// ListEvents returns one page of all events that the caller may read, oldest first.
// Its NextCursor is set on the last page too: passed again later it goes on with
// what has come since.
func (c *Client) ListEvents(ctx context.Context, f EventFilter, p Paging, options ...Option) (*Page[Event], error) {
	q := query{}
	q.text("created_from", f.CreatedFrom)
	q.paging(p)
	return list[Event](ctx, c, "/v1/events", q, options)
}

// Events walks all events that there are, oldest first, and ends. An EventPoller
// waits for more.
func (c *Client) Events(ctx context.Context, f EventFilter) iter.Seq2[*Event, error] {
	return each(func(p Paging) (*Page[Event], error) { return c.ListEvents(ctx, f, p) })
}

// OrderEvents returns one page of an order's events, oldest first.
func (c *Client) OrderEvents(ctx context.Context, order string, p Paging, options ...Option) (*Page[Event], error) {
	return pages[Event](ctx, c, at("v1", "order", order, "events"), p, options)
}

// EventsOfOrder walks all events of an order, oldest first.
func (c *Client) EventsOfOrder(ctx context.Context, order string) iter.Seq2[*Event, error] {
	return each(func(p Paging) (*Page[Event], error) { return c.OrderEvents(ctx, order, p) })
}

// EventPoller follows the events as they come: all that the caller may read, in the
// order of their commits, none left out. It is what a merchant uses who can receive
// no webhooks.
type EventPoller struct {
	// Filter must stay the same for a Cursor.
	Filter EventFilter
	// Cursor is where it goes on; "" is the beginning. It moves when all events of a
	// page have been handled, so whoever keeps it and starts again with it may see
	// the events of one page twice, and misses none.
	Cursor string
	// Every is how long it waits when there is nothing new; 0 is 2 s.
	Every time.Duration

	client *Client
}

// EventPoller returns a poller that begins after a cursor, "" for the first event.
func (c *Client) EventPoller(cursor string) *EventPoller {
	return &EventPoller{Cursor: cursor, client: c}
}

// Events walks what there is and then waits for more, until the caller stops, the
// context ends, or a call fails; the error comes last. It may be called again.
func (p *EventPoller) Events(ctx context.Context) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		every := p.Every
		if every <= 0 {
			every = 2 * time.Second
		}
		for {
			more, err := p.page(ctx, func(e *Event) bool { return yield(e, nil) })
			if err == nil && !more {
				err = p.client.Clock.Sleep(ctx, every)
			}
			switch {
			case err == errStopped:
				return
			case err != nil:
				yield(nil, err)
				return
			}
		}
	}
}

// Skip passes over all events that there are, so that only new ones follow, and
// returns how many it has passed over.
func (p *EventPoller) Skip(ctx context.Context) (int, error) {
	n := 0
	for {
		more, err := p.page(ctx, func(*Event) bool { n++; return true })
		if err != nil || !more {
			return n, err
		}
	}
}

// page handles one page and reports whether there is more.
func (p *EventPoller) page(ctx context.Context, handle func(*Event) bool) (more bool, err error) {
	got, err := p.client.ListEvents(ctx, p.Filter, Paging{Limit: mostItems, Cursor: p.Cursor})
	if err != nil {
		return false, err
	}
	for i := range got.Data {
		if !handle(&got.Data[i]) {
			return false, errStopped
		}
	}
	if got.NextCursor != "" {
		p.Cursor = got.NextCursor
	}
	return got.HasMore && got.NextCursor != "", nil
}

// errStopped says that the caller wants no more.
const errStopped = stopError("stopped")

type stopError string

func (e stopError) Error() string { return string(e) }
