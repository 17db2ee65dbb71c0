package years

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/proof/sim"
)

// note is a delivery as its sender last recorded it. Old deliveries are deleted from the store; a
// note stays.
type note struct {
	store.Delivery
	from int // how many messages had arrived anywhere when it was first recorded
	till int // and when its end was recorded
}

// note keeps what a sender has recorded, as the store does: an ended delivery stays unchanged.
func (p *post) note(d store.Delivery) {
	n := p.notes[d.ID]
	switch {
	case n == nil:
		n = &note{Delivery: d, from: p.arrivals}
		p.notes[d.ID] = n
	case n.State == store.DeliveryPending && d.Attempts >= n.Attempts:
		n.Delivery = d
	default:
		return
	}
	if n.till = p.arrivals; d.State == store.DeliveryParked {
		p.y.Situations.Reached(sim.EventParked)
	}
	p.y.reach(d.State == store.DeliveryCanceled, sim.EventCanceled)
}

// at returns the receiver of an endpoint. An endpoint moves only within its host.
func (p *post) at(x *credit.Endpoint) *receiver {
	u, err := url.Parse(x.URL)
	if err != nil {
		p.y.never("%w", err)
		return &receiver{}
	}
	return p.receivers[u.Host]
}

// has reports whether a receiver has accepted an event.
func (r *receiver) has(event string) bool {
	x := r.got[event]
	return x != nil && len(x.accepted) > 0
}

// backlog describes what is still in flight, "" if nothing is.
func (p *post) backlog(db store.Viewer) (why string, err error) {
	err = db.View(context.Background(), func(v store.View) error {
		counts, err := store.Backlog(v)
		if len(counts) > 0 {
			why = fmt.Sprintf("events are on their way: %v", counts)
		}
		return err
	})
	return why, err
}

// delivered checks the fate of every event for every endpoint entitled to it, by the history of
// endpoints (EV2, EV3, EV6): it was accepted at least once, or parked after all attempts, or
// canceled with its endpoint, and is recorded so. None was lost, none invented, and the events of
// one object came in order.
func (y *Years) delivered(b *sim.Books) error {
	why, err := y.post.backlog(y.Faulty.Backend)
	if err != nil || why != "" {
		return errors.Join(err, errors.New(why))
	}
	m := &mail{y: y, p: y.post, events: map[string]*store.EventRow{}, reads: map[string][]*store.EventRow{}, history: map[string][]store.EndpointVersion{}, notes: map[mailKey]*note{}}
	if err := m.read(b); err != nil {
		return err
	}
	for _, id := range sim.SortedKeys(m.history) {
		m.reopened(id)
		if err := errors.Join(m.endpoint(id), m.order(id)); err != nil {
			return fmt.Errorf("endpoint %s: %w", id, err)
		}
	}
	return m.invented()
}

// mail is what is needed to check events at the end of a life.
type mail struct {
	y       *Years
	p       *post
	events  map[string]*store.EventRow
	reads   map[string][]*store.EventRow // by merchant, in commit order
	history map[string][]store.EndpointVersion
	resends []store.ResendRow
	notes   map[mailKey]*note
}

type mailKey struct{ endpoint, event, resend string }

func (m *mail) read(b *sim.Books) error {
	for i := range b.Events {
		e := &b.Events[i]
		m.events[e.ID] = e
		for _, r := range e.Readers {
			m.reads[r] = append(m.reads[r], e)
		}
	}
	for _, n := range m.p.notes {
		m.notes[mailKey{n.Endpoint, n.Event, n.Resend}] = n
	}
	return m.y.Faulty.Backend.View(context.Background(), func(v store.View) (err error) {
		if m.resends, err = store.ListResends(v, 0, 1_000_000); err != nil {
			return err
		}
		return store.EachEndpointVersion(v, func(x store.EndpointVersion) error {
			m.history[x.Endpoint.ID] = append(m.history[x.Endpoint.ID], x)
			return nil
		})
	})
}

// reopened counts endpoints that were enabled again after a 410.
func (m *mail) reopened(id string) {
	for i, v := range m.history[id] {
		m.y.reach(i > 0 && v.Endpoint.Enabled && m.history[id][i-1].Endpoint.DisabledReason == credit.DisabledGone, sim.EndpointBack)
	}
}

// wanted reports whether an endpoint was subscribed to an event when it happened.
func (m *mail) wanted(id string, e *store.EventRow) bool {
	for _, v := range m.history[id] {
		x := v.Endpoint
		if v.Q > e.Q || v.UntilQ != 0 && v.UntilQ <= e.Q || !x.Enabled || !x.DeletedAt.IsZero() {
			continue
		}
		if e.Type == credit.WebhookTestEvent {
			return e.Object.ID == id
		}
		return len(x.EventTypes) == 0 || slices.Contains(x.EventTypes, e.Type)
	}
	return false
}

// endpoint checks the fate of each event that an endpoint was entitled to, and of each that was
// to be resent.
func (m *mail) endpoint(id string) error {
	merchant, known := m.history[id][0].Endpoint.Merchant, map[mailKey]bool{}
	for _, e := range m.reads[merchant] {
		if !m.wanted(id, e) {
			continue
		}
		keys := []mailKey{{id, e.ID, ""}}
		for _, r := range m.resends {
			if r.Endpoint == id && r.Q > e.Q && (r.Event == e.ID || r.Event == "" && !e.At.Before(r.From) && e.At.Before(r.To)) {
				keys = append(keys, mailKey{id, e.ID, r.ID})
			}
		}
		for _, k := range keys {
			known[k] = true
			if err := m.fate(k, e); err != nil {
				return err
			}
		}
	}
	for k := range m.notes {
		if k.endpoint == id && !known[k] {
			return fmt.Errorf("EV6: %+v was delivered, and nobody had asked for it", k)
		}
	}
	return nil
}

// fate checks the fate of one delivery.
func (m *mail) fate(k mailKey, e *store.EventRow) error {
	n, r := m.notes[k], m.p.at(m.history[k.endpoint][0].Endpoint)
	if n == nil && m.deleted(k.endpoint) {
		return nil // it was deleted before anybody looked
	}
	if n == nil {
		return fmt.Errorf("EV2: %s of commit %d (%s) was never to be delivered, resend %q", e.ID, e.Q, e.Type, k.resend)
	}
	x := cmp.Or(r.got[e.ID], &parcel{})
	switch n.State {
	case store.DeliverySucceeded:
		if len(x.accepted) == 0 {
			return fmt.Errorf("EV6: %s is recorded as delivered, and %s has never taken it", e.ID, r.host)
		}
	case store.DeliveryParked:
		if !m.tried(n, x.tries, len(x.tries)) {
			return fmt.Errorf("EV2: %s was parked after %d attempts, %s after it was made: %s", e.ID, n.Attempts, n.FinishedAt.Sub(n.CreatedAt), n.Error)
		}
	case store.DeliveryCanceled:
		if !m.closed(k.endpoint, e.Q) {
			return fmt.Errorf("EV2: %s was canceled, and the endpoint was never closed", e.ID)
		}
	default:
		return fmt.Errorf("EV2: %s is %s at the end", e.ID, n.State)
	}
	if first := m.notes[mailKey{k.endpoint, k.event, ""}]; k.resend != "" && n.State == store.DeliverySucceeded && first != nil && first.State == store.DeliveryParked {
		m.y.reach(len(x.accepted) > 0 && x.accepted[0] > first.till, sim.ParkedThenReplayed)
	}
	return nil
}

// tried reports whether a delivery had been tried as often or as long as it has to be, when the
// given number of messages had arrived: ten times, or for three and a half days at a receiver
// that takes nothing, or until a 410.
func (m *mail) tried(n *note, tries []int, count int) bool {
	const attempts, patience, skew = 10, 84 * time.Hour, 2 * time.Hour
	return count >= attempts || n.Status == 410 || n.FinishedAt.Sub(n.CreatedAt) >= patience-skew
}

func (m *mail) deleted(id string) bool {
	h := m.history[id]
	return !h[len(h)-1].Endpoint.DeletedAt.IsZero()
}

// closed reports whether an endpoint was disabled or deleted after a commit.
func (m *mail) closed(id string, q int64) bool {
	return slices.ContainsFunc(m.history[id], func(v store.EndpointVersion) bool {
		return v.Q > q && (!v.Endpoint.Enabled || !v.Endpoint.DeletedAt.IsZero())
	})
}

// order checks that an event first arrived after the previous event of its object had been
// accepted or given up (EV3). Events resent meanwhile are not part of this order.
func (m *mail) order(id string) error {
	r, last := m.p.at(m.history[id][0].Endpoint), map[credit.ObjectRef]*store.EventRow{}
	for _, e := range m.reads[m.history[id][0].Endpoint.Merchant] {
		if !m.wanted(id, e) {
			continue
		}
		before, x := last[e.Object], r.got[e.ID]
		if last[e.Object] = e; before == nil || x == nil || m.again(id, e.ID, x.tries[0]) {
			continue
		}
		n, y := m.notes[mailKey{id, before.ID, ""}], cmp.Or(r.got[before.ID], &parcel{})
		taken := len(y.accepted) > 0 && y.accepted[0] < x.tries[0]
		tries, _ := slices.BinarySearch(y.tries, x.tries[0])
		if n == nil {
			continue // its fate is checked elsewhere
		}
		if !taken && n.State != store.DeliveryCanceled && !m.tried(n, y.tries, tries) {
			return fmt.Errorf("EV3: %s %d of %s came before %d was taken or given up: %d attempts, %s", e.ID, e.Sequence, e.Object.ID, before.Sequence, tries, n.State)
		}
	}
	return nil
}

// again reports whether an event was resent before it first arrived.
func (m *mail) again(id, event string, first int) bool {
	for k, n := range m.notes {
		if k.endpoint == id && k.event == event && k.resend != "" && n.from < first {
			return true
		}
	}
	return false
}

// invented checks that everything that arrived is what is stored (EV4).
func (m *mail) invented() error {
	for _, host := range sim.SortedKeys(m.p.receivers) {
		for id, x := range m.p.receivers[host].got {
			e := m.events[id]
			if e == nil && m.p.lost[id] {
				m.y.Situations.Reached(sim.ToldAndLost)
				continue
			}
			if e == nil || sha256.Sum256(e.Payload) != x.body {
				return fmt.Errorf("EV4: %s came to %s, and is not what is stored", id, host)
			}
		}
	}
	return nil
}
