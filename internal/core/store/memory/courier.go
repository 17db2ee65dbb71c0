package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"tenor/internal/core/store"
)

// Lease implements store.Duties.
func (db *DB) Lease(_ context.Context, name, holder string, now, until time.Time) (store.Lease, bool, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	l := db.leases[name] // without a holder if there is none
	if l.Holder != holder {
		if l.Holder != "" && l.Until.After(now) {
			return store.Lease{}, false, nil
		}
		l.Token++
	}
	l.Name, l.Holder, l.Until = name, holder, store.Micros(until).Time()
	db.leases[name] = l
	return l, true, nil
}

// Release implements store.Duties. The lease's token stays, so that the next holder's is
// greater.
func (db *DB) Release(_ context.Context, l store.Lease) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.holds(l) {
		db.leases[l.Name] = store.Lease{Name: l.Name, Token: l.Token}
	}
	return nil
}

func (d *data) holds(l store.Lease) bool {
	now, found := d.leases[l.Name]
	return found && now.Holder == l.Holder && now.Token == l.Token
}

// Record implements store.Courier.
func (db *DB) Record(_ context.Context, w store.Work) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, l := range w.Leases {
		if !db.holds(l) {
			return fmt.Errorf("record: %w: %s", store.ErrLeaseLost, l.Name)
		}
	}
	r := record{data: &db.data, rev: db.rev + 1, deliveries: map[string]*store.Delivery{}}
	if err := r.check(w); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	r.write()
	return nil
}

// record is the writing of one Work.
type record struct {
	*data
	rev        int64
	deliveries map[string]*store.Delivery // their new state
	attempts   []store.Attempt
	cursors    []store.Cursor
}

// check refuses what the constraints of a database refuse, and collects what to write.
func (r *record) check(w store.Work) error {
	for _, row := range w.Deliveries {
		if err := r.delivery(row); err != nil {
			return err
		}
	}
	for _, row := range w.Attempts {
		a, err := canonical(&store.Attempts, row)
		if err != nil {
			return err
		}
		if r.find(a.Delivery) == nil || a.N < 1 || a.Took < 0 {
			return fmt.Errorf("%w: attempt %d of delivery %s", store.ErrRefused, a.N, a.Delivery)
		}
		r.attempts = append(r.attempts, a)
	}
	for _, c := range w.Cursors {
		old := r.data.cursors.get(c.Endpoint, r.rev)
		back := old != nil && (comparePlaces(c.Place, old.Place) < 0 || c.Resend < old.Resend)
		if back || !r.endpoints.has(c.Endpoint) {
			return fmt.Errorf("%w: cursor of endpoint %s", store.ErrRefused, c.Endpoint)
		}
		r.cursors = append(r.cursors, c)
	}
	return nil
}

// find returns a delivery in its new state.
func (r *record) find(id string) *store.Delivery {
	if d := r.deliveries[id]; d != nil {
		return d
	}
	return r.data.deliveries.get(id, r.rev)
}

func (r *record) delivery(row store.Delivery) error {
	d, err := canonical(&store.Deliveries, row)
	if err != nil {
		return err
	}
	if !sound(d) || !r.caused(d) {
		return fmt.Errorf("%w: delivery %s", store.ErrRefused, d.ID)
	}
	old := r.find(d.ID)
	if old == nil {
		r.deliveries[d.ID] = &d
		return nil
	}
	if old.Endpoint != d.Endpoint || old.Event != d.Event || old.Resend != d.Resend {
		return fmt.Errorf("%w: delivery %s has a different endpoint, event or resend", store.ErrRefused, d.ID)
	}
	if old.State == store.DeliveryPending && d.Attempts >= old.Attempts {
		d.CreatedAt = old.CreatedAt
		r.deliveries[d.ID] = &d
	}
	return nil
}

// sound checks a delivery by itself.
func sound(d store.Delivery) bool {
	states := []store.DeliveryState{store.DeliveryPending, store.DeliverySucceeded, store.DeliveryParked, store.DeliveryCanceled}
	pending := d.State == store.DeliveryPending
	return slices.Contains(states, d.State) && pending == d.FinishedAt.IsZero() && (pending || d.NextAt.IsZero()) &&
		d.Attempts >= 0 && !d.CreatedAt.IsZero()
}

// caused checks that a delivery has an event that its merchant may read, an endpoint of
// that merchant, and its resend request, if any (EV6).
func (d *data) caused(x store.Delivery) bool {
	endpoint := d.endpoints.get(x.Endpoint, d.head.Q)
	i, found := d.eventAt[x.Event]
	if !found || endpoint == nil || endpoint.Merchant != x.Merchant || !d.reads(x.Merchant, i) {
		return false
	}
	e := d.events[i]
	same := placeOf(e) == x.Place && e.Type == x.Type && e.Object == x.Object && e.Sequence == x.Sequence
	return same && (x.Resend == "" || slices.ContainsFunc(d.resends, func(r store.ResendRow) bool {
		return r.ID == x.Resend && r.Endpoint == x.Endpoint
	}))
}

func (r *record) write() {
	r.data.rev = r.rev
	for id, d := range r.deliveries {
		r.data.deliveries.put(id, r.rev, d)
	}
	for _, a := range r.attempts {
		var list []store.Attempt
		if old := r.data.attempts.get(a.Delivery, r.rev); old != nil {
			list = slices.Clone(*old)
		}
		i, found := slices.BinarySearchFunc(list, a.N, func(x store.Attempt, n int) int { return cmp.Compare(x.N, n) })
		if !found {
			list = slices.Insert(list, i, a)
			r.data.attempts.put(a.Delivery, r.rev, &list)
		}
	}
	for _, c := range r.cursors {
		r.data.cursors.put(c.Endpoint, r.rev, &c)
	}
}

// Purge implements store.Courier: the earliest to end goes first.
func (db *DB) Purge(_ context.Context, before store.Retention, limit int) (int, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.rev++
	return db.purgeTokens(before.Tokens, limit) + db.purgeDeliveries(before.Deliveries, limit), nil
}

func (d *data) purgeTokens(before time.Time, limit int) int {
	var gone []store.TokenRow
	for _, t := range d.tokens.all(d.head.Q) {
		if end := ended(t); !end.IsZero() && end.Before(before) {
			gone = append(gone, t)
		}
	}
	slices.SortFunc(gone, func(a, b store.TokenRow) int {
		return cmp.Or(ended(a).Compare(ended(b)), slices.Compare(a.Hash[:], b.Hash[:]))
	})
	gone = gone[:min(len(gone), max(limit, 0))]
	for _, t := range gone {
		delete(d.tokens.kept.table, t.Key())
	}
	return len(gone)
}

// ended is when a token became or becomes invalid; zero: never.
func ended(t store.TokenRow) time.Time {
	if t.RevokedAt.IsZero() || !t.ExpiresAt.IsZero() && t.ExpiresAt.Before(t.RevokedAt) {
		return t.ExpiresAt
	}
	return t.RevokedAt
}

func (d *data) purgeDeliveries(before time.Time, limit int) int {
	gone := slices.DeleteFunc(d.deliveries.all(d.rev), func(x store.Delivery) bool {
		return x.FinishedAt.IsZero() || !x.FinishedAt.Before(before)
	})
	slices.SortFunc(gone, func(a, b store.Delivery) int {
		return cmp.Or(a.FinishedAt.Compare(b.FinishedAt), cmp.Compare(a.ID, b.ID))
	})
	gone = gone[:min(len(gone), max(limit, 0))]
	for _, x := range gone {
		d.deliveries.put(x.ID, d.rev, nil)
		d.attempts.put(x.ID, d.rev, nil)
	}
	return len(gone)
}
