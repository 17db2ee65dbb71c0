package shop

import (
	"context"
	"slices"
	"sync"
	"time"
)

// call is one request of the shop's server as shown in its log.
type call struct {
	At     time.Time
	Method string
	Path   string
	Status int // 0: no response
	Took   time.Duration
	Detail string
}

// The shop's memory is bounded: the oldest entry is dropped.
const (
	mostTrails = 200
	mostCalls  = 12
	mostEvents = 500
)

// trail is what the server did for one cart, with its checkout and order.
type trail struct {
	cart     string
	checkout checkout
	calls    []call
}

// record remembers what the server did and was told, in memory: a sandbox's shop has no database.
// It is safe for concurrent use.
type record struct {
	mu     sync.Mutex
	trails []*trail // oldest first
	events []event
	cursor string
	from   string // the first day of events, "" until there is a checkout
	busy   bool   // events are being read
}

// note adds a call to a cart's trail. Reading events is not part of an order.
func (m *record) note(cart string, c call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.of(cart)
	if t.calls = append(t.calls, c); len(t.calls) > mostCalls {
		t.calls = t.calls[1:]
	}
}

// made records a cart's checkout.
func (m *record) made(cart string, x checkout) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of(cart).checkout = x
	if m.from == "" && !x.CreatedAt.IsZero() {
		m.from = x.CreatedAt.Add(-24 * time.Hour).UTC().Format(time.DateOnly) // a day earlier, for any time zone
	}
}

// of returns a cart's trail.
func (m *record) of(cart string) *trail {
	for _, t := range m.trails {
		if t.cart == cart {
			return t
		}
	}
	t := &trail{cart: cart}
	if m.trails = append(m.trails, t); len(m.trails) > mostTrails {
		m.trails = m.trails[1:]
	}
	return t
}

// told returns what is known about a cart: calls of the server, and events of its checkout and
// order.
func (m *record) told(cart string) (calls []call, events []event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.trails, func(t *trail) bool { return t.cart == cart })
	if i < 0 {
		return nil, nil
	}
	t := m.trails[i]
	for _, e := range m.events {
		if x := t.checkout; x.ID != "" && (e.Object.ID == x.ID || e.Object.ID == x.OrderKey) {
			events = append(events, e)
		}
	}
	return slices.Clone(t.calls), events
}

// unheard drops calls that read events: they are in no trail.
func unheard(call) {}

// poll reads new events, at most a few pages. If they cannot be read, the next page of the shop
// continues from there.
func (m *record) poll(ctx context.Context, s server) {
	m.mu.Lock()
	cursor, from := m.cursor, m.from
	if from == "" || m.busy {
		m.mu.Unlock()
		return
	}
	m.busy = true
	m.mu.Unlock()
	s.note = unheard
	var read []event
	for range 10 {
		list, next, more, err := s.events(ctx, cursor, from)
		if err != nil {
			break
		}
		if read = append(read, list...); next != "" {
			cursor = next
		}
		if !more {
			break
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cursor, m.busy = cursor, false
	m.events = append(m.events, read...)
	m.events = slices.Clone(m.events[max(len(m.events)-mostEvents, 0):])
}
