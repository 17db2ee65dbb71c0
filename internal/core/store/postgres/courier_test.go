package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/proof/pgtest"
)

// noon is a wall-clock instant.
func noon(seconds int) time.Time { return time.Date(2026, 3, 1, 12, 0, seconds, 0, time.UTC) }

// TestLeaseRace lets two nodes request a free duty at once, on connections of their own,
// each time after the previous holder released it or let it expire: one gets it, and its
// token is greater than all before (EN16).
func TestLeaseRace(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	other := secondNode(t, db)
	defer other.Close()
	patient(t, db, other)
	nodes := map[string]*DB{"a": db, "b": other}
	last := int64(0)
	for round := range 40 {
		won := map[string]store.Lease{}
		var mu sync.Mutex
		var all sync.WaitGroup
		for name, node := range nodes {
			all.Go(func() {
				l, got, err := node.Lease(context.Background(), "webhooks", name, noon(round), noon(round+1))
				if err != nil {
					t.Error(err)
				}
				if mu.Lock(); got {
					won[name] = l
				}
				mu.Unlock()
			})
		}
		if all.Wait(); len(won) != 1 {
			t.Fatalf("round %d: %d holders of one lease: %v", round, len(won), won)
		}
		for name, l := range won {
			if l.Token < last || l.Token == last && round%2 == 1 {
				t.Fatalf("round %d: token %d after %d", round, l.Token, last)
			}
			if last = l.Token; round%2 == 0 {
				if err := nodes[name].Release(t.Context(), l); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestStaleHolder has a holder record its work while another takes over its lease on
// another connection. The lease's row orders them: what comes after the takeover is refused
// completely, and a takeover waits for work that is being written (EN16).
func TestStaleHolder(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	other := secondNode(t, db)
	defer other.Close()
	patient(t, db, other)
	webhooks(t, db)
	mine, _, err := db.Lease(t.Context(), "webhooks", "a", noon(0), noon(10))
	if err != nil {
		t.Fatal(err)
	}
	// Work is in progress: it has locked the lease and not committed.
	k, err := db.take(t.Context(), db.aside, beside)
	if err != nil {
		t.Fatal(err)
	}
	begun := work(store.Work{Leases: []store.Lease{mine}, Cursors: []store.Cursor{{Endpoint: "w1", Place: store.Place{Q: 1}}}})
	if err := k.run(slices.Concat([]*call{{sql: "BEGIN"}}, begun)...); err != nil {
		t.Fatal(err)
	}
	taken := make(chan error, 1)
	go func() {
		l, got, err := other.Lease(context.Background(), "webhooks", "b", noon(10), noon(20))
		if err == nil && (!got || l.Token != 2) {
			err = fmt.Errorf("taken over: %v, %+v", got, l)
		}
		taken <- err
	}()
	waits(t, db, "tenor outbox")
	select {
	case err := <-taken:
		t.Fatalf("the lease was taken over while its holder was writing: %v", err)
	default:
	}
	if err := k.run(&call{sql: "COMMIT"}); err != nil {
		t.Fatal(err)
	}
	db.giveBack(db.aside, k, false)
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
	late := store.Work{Leases: []store.Lease{mine}, Cursors: []store.Cursor{{Endpoint: "w1", Place: store.Place{Q: 2}}}}
	for range 3 { // the connection stays good
		if err := db.Record(t.Context(), late); !errors.Is(err, store.ErrLeaseLost) {
			t.Errorf("work under a lost lease: %v", err)
		}
	}
	if at := cursors(t, db); len(at) != 1 || at[0].Place.Q != 1 {
		t.Errorf("the cursor stands at %+v", at)
	}
}

// TestRecordWaits has a holder record its work while another is just taking over its lease:
// whether it is refused is known only when that is committed, or not.
func TestRecordWaits(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	other := secondNode(t, db)
	defer other.Close()
	patient(t, db, other)
	webhooks(t, db)
	mine, _, err := db.Lease(t.Context(), "webhooks", "a", noon(0), noon(10))
	if err != nil {
		t.Fatal(err)
	}
	w := store.Work{Leases: []store.Lease{mine}, Deliveries: []store.Delivery{toW1("dlv_1")}}
	for _, c := range []struct {
		end  string
		want error
	}{{"ROLLBACK", nil}, {"COMMIT", store.ErrLeaseLost}} {
		k, err := other.take(t.Context(), other.aside, beside)
		if err != nil {
			t.Fatal(err)
		}
		args := []store.Value{text("webhooks"), text("b"), store.Micros(noon(10)), store.Micros(noon(20))}
		if err := k.run(&call{sql: "BEGIN"}, ask(takeLease, args, nil)); err != nil {
			t.Fatal(err)
		}
		recorded := make(chan error, 1)
		go func() { recorded <- db.Record(context.Background(), w) }()
		waits(t, db, "tenor outbox")
		if err := k.script(c.end); err != nil {
			t.Fatal(err)
		}
		other.giveBack(other.aside, k, false)
		if err := <-recorded; !errors.Is(err, c.want) {
			t.Errorf("work after the %s of a take-over: %v", c.end, err)
		}
	}
}

// TestRecordAgainstTakeOver lets a holder record endlessly while the other node takes over
// the lease: it gets ErrLeaseLost, and what it wrote before stays.
func TestRecordAgainstTakeOver(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	other := secondNode(t, db)
	defer other.Close()
	patient(t, db, other)
	webhooks(t, db)
	l, _, err := db.Lease(t.Context(), "webhooks", "a", noon(0), noon(10))
	if err != nil {
		t.Fatal(err)
	}
	wrote, stopped := make(chan int64, 1000), make(chan error, 1)
	go func() {
		for q := int64(1); ; q++ {
			w := store.Work{Leases: []store.Lease{l}, Cursors: []store.Cursor{{Endpoint: "w1", Place: store.Place{Q: q}}}}
			if err := db.Record(context.Background(), w); err != nil {
				stopped <- err
				return
			}
			if q == 1 {
				wrote <- q
			}
		}
	}()
	select {
	case <-wrote:
	case err := <-stopped:
		t.Fatal(err)
	}
	if _, got, err := other.Lease(t.Context(), "webhooks", "b", noon(11), noon(20)); err != nil || !got {
		t.Fatalf("the lease has ended, and is not taken over: %v, %v", got, err)
	}
	before := cursors(t, other) // whatever is recorded from here on is refused
	if err := <-stopped; !errors.Is(err, store.ErrLeaseLost) {
		t.Errorf("the holder was stopped by %v", err)
	}
	if after := cursors(t, other); !slices.Equal(before, after) {
		t.Errorf("the cursor moved from %+v to %+v under a lost lease", before, after)
	}
}

// patient opens all connections that write, and sets their lock timeout to the length of a
// test: a lock's holder may wait for a slow disk.
func patient(t *testing.T, dbs ...*DB) {
	t.Helper()
	for _, db := range dbs {
		for pool, m := range map[chan *conn]mode{db.writers: writing, db.aside: beside} {
			var all []*conn
			for range cap(pool) {
				k, err := db.take(t.Context(), pool, m)
				if err == nil {
					err = k.script("SET lock_timeout = 0")
				}
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, k)
			}
			for _, k := range all {
				db.giveBack(pool, k, false)
			}
		}
	}
}

// webhooks creates merchant m with endpoint w1 and one event that the merchant may read.
func webhooks(t *testing.T, db *DB) {
	t.Helper()
	m := &credit.Merchant{ID: "m", Name: "Shop", Version: 1}
	w := &credit.Endpoint{ID: "w1", Merchant: "m", URL: "https://shop.example/", Enabled: true, CreatedAt: noon(0), UpdatedAt: noon(0), Version: 1}
	update(t, db, store.Committed, apply(next(t, db, 1, credit.Changes{
		Merchants: []*credit.Merchant{m}, Endpoints: []*credit.Endpoint{w},
		Events: []credit.Event{{ID: "evt_1", Type: credit.WebhookTestEvent, Object: credit.ObjectRef{Type: "webhook", ID: "w1"}, Sequence: 1, Merchant: "m"}},
	})))
}

// toW1 is a delivery of that event.
func toW1(id string) store.Delivery {
	return store.Delivery{
		ID: id, Endpoint: "w1", Merchant: "m", Event: "evt_1", Type: credit.WebhookTestEvent, Object: credit.ObjectRef{Type: "webhook", ID: "w1"},
		Sequence: 1, Place: store.Place{Q: 1}, State: store.DeliveryPending, NextAt: noon(1), CreatedAt: noon(0),
	}
}

func cursors(t *testing.T, db *DB) (list []store.Cursor) {
	t.Helper()
	err := db.View(t.Context(), func(v store.View) (err error) { list, err = store.AllCursors(v); return err })
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// waits returns when a session of that name waits for a lock.
func waits(t *testing.T, db *DB, name string) {
	t.Helper()
	found := false
	for end := time.Now().Add(2 * time.Minute); !found && time.Now().Before(end); {
		err := db.read(t.Context(), "SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock' AND datname = current_database()",
			text(name), func(*row) error { found = true; return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	if !found {
		t.Fatalf("no session %s waits", name)
	}
}

// TestRecordTrips counts the cost of recording, however many deliveries there are.
func TestRecordTrips(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	webhooks(t, db)
	l, _, err := db.Lease(t.Context(), "webhooks", "a", noon(0), noon(10))
	if err != nil {
		t.Fatal(err)
	}
	k, err := db.take(t.Context(), db.aside, beside)
	if err != nil {
		t.Fatal(err)
	}
	db.giveBack(db.aside, k, false)
	steps, trips := k.steps, k.trips
	w := store.Work{Leases: []store.Lease{l}, Cursors: []store.Cursor{{Endpoint: "w1", Place: store.Place{Q: 1}}}}
	for i := range 3000 {
		d := toW1(fmt.Sprintf("dlv_%05d", i*7919%100_003))
		w.Deliveries = append(w.Deliveries, d)
		w.Attempts = append(w.Attempts, store.Attempt{Delivery: d.ID, N: 1, At: noon(1), Answer: strings.Repeat("x", 200)})
	}
	if err := db.Record(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if k.steps-steps != 7 || k.trips-trips != 2 {
		t.Errorf("%d statements in %d round trips instead of 7 in 2", k.steps-steps, k.trips-trips)
	}
	err = db.View(t.Context(), func(v store.View) error {
		backlog, err := store.Backlog(v)
		if backlog["w1"] != 3000 {
			t.Errorf("backlog: %v", backlog)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestCourierAfterRestart breaks all connections while they are idle. A lease does not
// notice; work may or may not have been written, and can be recorded again.
func TestCourierAfterRestart(t *testing.T) {
	c := pgtest.New(t, pgtest.Options{})
	db, err := Open(t.Context(), c.CreateDatabase(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	webhooks(t, db)
	lease := func() store.Lease {
		t.Helper()
		l, got, err := db.Lease(t.Context(), "webhooks", "a", noon(0), noon(10))
		if err != nil || !got || l.Token != 1 {
			t.Fatalf("%+v, %v, %v", l, got, err)
		}
		return l
	}
	patient(t, db) // so that both connections exist
	c.Restart(t)
	l := lease()
	c.Restart(t)
	w := store.Work{Leases: []store.Lease{l}, Deliveries: []store.Delivery{toW1("dlv_1")}}
	if err := db.Record(t.Context(), w); err == nil || errors.Is(err, store.ErrLeaseLost) || errors.Is(err, store.ErrUnreachable) {
		t.Errorf("work on a connection that was lost: %v", err)
	}
	for range 2 {
		if err := db.Record(t.Context(), w); err != nil {
			t.Errorf("the same work again: %v", err)
		}
	}
}

// TestCourierWaysToOpen keeps a reader from sending, and allows a tool next to the nodes.
func TestCourierWaysToOpen(t *testing.T) {
	db := fresh(t, Options{})
	defer db.Close()
	webhooks(t, db)
	read, err := Open(t.Context(), urlOf(db), Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	_, _, leaseErr := read.Lease(t.Context(), "l", "a", noon(0), noon(1))
	_, purgeErr := read.Purge(t.Context(), store.Retention{Tokens: noon(0)}, 1)
	for what, err := range map[string]error{
		"lease": leaseErr, "purge": purgeErr, "record": read.Record(t.Context(), store.Work{}),
		"release": read.Release(t.Context(), store.Lease{Name: "l"}),
		"setting": read.PutSetting(t.Context(), "x", nil),
	} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s on a database that is opened for reading: %v", what, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Record(t.Context(), store.Work{}); !errors.Is(err, errClosed) {
		t.Errorf("work for a database that is closed: %v", err)
	}
}

// BenchmarkRecord measures what a sender records in batches: new deliveries, and later
// their outcome.
func BenchmarkRecord(b *testing.B) {
	db := fresh(b, Options{})
	defer db.Close()
	m := &credit.Merchant{ID: "m", Name: "Shop", Version: 1}
	w := &credit.Endpoint{ID: "w1", Merchant: "m", CreatedAt: noon(0), UpdatedAt: noon(0), Version: 1}
	at := noon(0)
	batch := store.Batch{ID: store.BatchID{1}, Epoch: 1, At: at, Decided: []store.Decided{{
		Audit: store.Audit{At: at, Command: "test", Result: "ok"}, Events: [][]byte{[]byte("{}")},
		Changes: credit.Changes{Merchants: []*credit.Merchant{m}, Endpoints: []*credit.Endpoint{w}, Events: []credit.Event{
			{ID: "evt_1", Type: credit.WebhookTestEvent, Object: credit.ObjectRef{Type: "webhook", ID: "w1"}, Sequence: 1, Merchant: "m"}}},
	}}}
	if _, err := db.Update(b.Context(), apply(batch)); err != nil {
		b.Fatal(err)
	}
	l, _, err := db.Lease(b.Context(), "webhooks", "a", noon(0), noon(10))
	if err != nil {
		b.Fatal(err)
	}
	const size = 200
	n := 0
	for b.Loop() {
		var made, done store.Work
		made.Leases, done.Leases = []store.Lease{l}, []store.Lease{l}
		for range size {
			n++
			d := toW1(fmt.Sprintf("dlv_%08X%d", uint32(n)*2654435761, n))
			made.Deliveries = append(made.Deliveries, d)
			d.State, d.Attempts, d.Status, d.NextAt, d.FinishedAt = store.DeliverySucceeded, 1, 200, time.Time{}, noon(2)
			done.Deliveries = append(done.Deliveries, d)
			done.Attempts = append(done.Attempts, store.Attempt{Delivery: d.ID, N: 1, At: noon(1), Status: 200, Answer: "ok"})
		}
		if err := errors.Join(db.Record(b.Context(), made), db.Record(b.Context(), done)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "deliveries/s")
}
