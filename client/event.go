package client

import (
	"context"
	"iter"
	"time"
)

// EventPoller follows events as they are committed: all that the caller may read, in commit
// order, without gaps. It is for merchants that cannot receive webhooks.
type EventPoller struct {
	// Filter must not change for a given Cursor.
	Filter EventFilter
	// Cursor is the position to continue from; "" is the beginning. It moves once all events of a
	// page have been handled: a caller that saves it and restarts with it may see the events of one
	// page twice, but misses none.
	Cursor string
	// Every is how long it waits when there is nothing new; 0 means 2 s.
	Every time.Duration

	client *Client
}

// EventPoller returns a poller that starts after a cursor, "" for the first event.
func (c *Client) EventPoller(cursor string) *EventPoller {
	return &EventPoller{Cursor: cursor, client: c}
}

// Events yields the existing events and then waits for more, until the caller stops, the context
// ends, or a call fails; the error comes last. It can be called again.
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

// Skip skips all existing events, so that only new ones follow, and returns how many it skipped.
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

// errStopped means that the caller wants no more.
const errStopped = stopError("stopped")

type stopError string

func (e stopError) Error() string { return string(e) }
