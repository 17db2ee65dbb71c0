package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// wall is an instant of the couriers' clock.
func wall(seconds int) time.Time {
	return time.Date(2026, 3, 1, 9, 0, seconds, 5000, time.UTC)
}

// lease requests a duty and expects to get it.
func lease(t *testing.T, b store.Backend, name, holder string, now, until int) store.Lease {
	t.Helper()
	l, got, err := b.Lease(context.Background(), name, holder, wall(now), wall(until))
	if err != nil || !got {
		t.Fatalf("%s does not get %s: %v, %v", holder, name, got, err)
	}
	want := store.Lease{Name: name, Holder: holder, Token: l.Token, Until: wall(until)}
	equal(t, "lease", want, l)
	return l
}

// testLeases gives a duty to one holder after another. The token grows whenever the holder
// changes, and only then.
func testLeases(t *testing.T, b store.Backend) {
	ctx := context.Background()
	token := func(what string, want int64, l store.Lease) {
		t.Helper()
		if l.Token != want {
			t.Errorf("%s: token %d instead of %d", what, l.Token, want)
		}
	}
	first := lease(t, b, "webhooks", "a", 0, 10)
	token("the first", 1, first)
	token("renewed", 1, lease(t, b, "webhooks", "a", 5, 20))
	token("another duty", 1, lease(t, b, "daily", "b", 5, 20))
	for _, now := range []int{0, 10, 19} {
		if _, got, err := b.Lease(ctx, "webhooks", "b", wall(now), wall(60)); got || err != nil {
			t.Errorf("b gets at %d what a has until 20: %v", now, err)
		}
	}
	token("late, but taken by nobody", 1, lease(t, b, "webhooks", "a", 30, 40))
	second := lease(t, b, "webhooks", "b", 40, 50)
	token("after its end", 2, second)
	if err := b.Release(ctx, first); err != nil { // it is no longer a's to release
		t.Fatal(err)
	}
	if _, got, err := b.Lease(ctx, "webhooks", "c", wall(45), wall(60)); got || err != nil {
		t.Errorf("c gets what b has, after a gave it back: %v", err)
	}
	if err := errors.Join(b.Release(ctx, second), b.Release(ctx, second), b.Release(ctx, store.Lease{Name: "none"})); err != nil {
		t.Fatal(err)
	}
	token("given back", 3, lease(t, b, "webhooks", "c", 45, 60))
	third := lease(t, b, "webhooks", "c", 45, 60)
	if err := b.Release(ctx, third); err != nil {
		t.Fatal(err)
	}
	token("given back to oneself", 4, lease(t, b, "webhooks", "c", 45, 60))
}

// post is a world with endpoints and events, for which a test makes deliveries.
type post struct {
	b         store.Backend
	endpoints []*credit.Endpoint
	events    map[string][]store.EventRow // by merchant that may read them, in order
	resends   map[string]store.ResendRow  // by endpoint, one of each that has any
	all       map[string]store.Delivery   // current
	n         int
}

// newPost commits a random world, until some events are resent and there are enough
// endpoints.
func newPost(t *testing.T, b store.Backend, seed uint64) *post {
	t.Helper()
	p := &post{b: b, events: map[string][]store.EventRow{}, resends: map[string]store.ResendRow{}, all: map[string]store.Delivery{}}
	w := NewWorld(seed)
	read := map[string]int{} // events by merchant
	for i, again := 0, 0; i < 30 || i < 4000 && (again < 3 || len(busy(w, read)) < 3); i++ {
		batch := w.Batch(20)
		commit(t, b, batch)
		for _, d := range batch.Decided {
			again += len(d.Changes.Resends)
			for _, e := range d.Changes.Events {
				for _, m := range e.ReadBy() {
					read[m]++
				}
			}
		}
	}
	view(t, b, func(v store.View) {
		for _, m := range w.merchants {
			p.events[m] = must(store.Stream(v, m, store.Place{}, 10_000))(t)
		}
		for _, r := range must(store.ListResends(v, 0, 10_000))(t) {
			p.resends[r.Endpoint] = r
		}
	})
	for m, list := range p.events {
		read[m] = len(list)
	}
	p.endpoints = busy(w, read)
	if len(p.endpoints) < 3 || len(p.resends) == 0 {
		t.Fatalf("%d endpoints and %d resends: the test is empty", len(p.endpoints), len(p.resends))
	}
	return p
}

// busy returns the endpoints of merchants who may read more than five events.
func busy(w *World, read map[string]int) (list []*credit.Endpoint) {
	for _, id := range w.endpoints {
		if x := w.State.Endpoints[id]; read[x.Merchant] > 5 {
			list = append(list, x)
		}
	}
	return list
}

// delivery makes a new delivery of the endpoint's i-th event.
func (p *post) delivery(x *credit.Endpoint, i int) store.Delivery {
	p.n++
	e := p.events[x.Merchant][i%len(p.events[x.Merchant])]
	return store.Delivery{
		ID: fmt.Sprintf("dlv_%06d", p.n*7919%100_003), Endpoint: x.ID, Merchant: x.Merchant, Event: e.ID, Type: e.Type, Object: e.Object,
		Sequence: e.Sequence, Place: store.Place{Q: e.Q, N: e.N}, State: store.DeliveryPending, NextAt: wall(p.n), CreatedAt: wall(p.n / 3),
	}
}

// record writes work and expects success.
func (p *post) record(t *testing.T, w store.Work) {
	t.Helper()
	if err := p.b.Record(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	for _, d := range w.Deliveries {
		p.all[d.ID] = d
	}
}

// finish is a delivery after its only attempt.
func finish(d store.Delivery, state store.DeliveryState, at int) store.Delivery {
	d.State, d.NextAt, d.FinishedAt = state, time.Time{}, wall(at)
	if state != store.DeliveryCanceled {
		d.Attempts, d.Status, d.Error = 1, 204, "é"
	}
	return d
}

// fill makes deliveries in every state to every endpoint, including some resends.
func (p *post) fill(t *testing.T) {
	t.Helper()
	var made, moved []store.Delivery
	for i, x := range p.endpoints {
		for k := range 8 {
			d := p.delivery(x, i+k)
			if r, found := p.resends[x.ID]; found && k%3 == 0 {
				d.Resend = r.ID
			}
			made = append(made, d)
			if state := []store.DeliveryState{"", store.DeliverySucceeded, store.DeliveryParked, store.DeliveryCanceled}[(i+k)%4]; state != "" {
				moved = append(moved, finish(d, state, p.n))
			}
		}
	}
	p.record(t, store.Work{Deliveries: made})
	p.record(t, store.Work{Deliveries: moved})
}

// testDeliveries reads deliveries by every filter, one by one, and the unfinished ones.
func testDeliveries(t *testing.T, b store.Backend) {
	p := newPost(t, b, seed(t))
	var open store.View
	view(t, b, func(v store.View) {
		open = v
		v.Seq()   // a snapshot begins with its first read
		p.fill(t) // within an open view
		if list := must(store.ListDeliveries(open, store.DeliveryFilter{}, store.Page{Limit: 9}))(t); len(list) != 0 {
			t.Errorf("an open view sees %d deliveries that were made after it", len(list))
		}
	})
	all := slices.SortedFunc(maps.Values(p.all), func(a, b store.Delivery) int { return cmp.Compare(a.ID, b.ID) })
	view(t, b, func(v store.View) {
		var walked []store.Delivery
		if err := store.Each(v, &store.Deliveries, func(d store.Delivery) error { walked = append(walked, d); return nil }); err != nil {
			t.Fatal(err)
		}
		equal(t, "all deliveries", all, walked)
		some := all[len(all)/2]
		for name, f := range map[string]store.DeliveryFilter{
			"nothing": {}, "merchant": {Merchant: some.Merchant}, "endpoint": {Endpoint: some.Endpoint}, "event": {Event: some.Event},
			"state": {State: store.DeliveryParked}, "merchant and state": {Merchant: some.Merchant, State: some.State},
			"endpoint and state": {Endpoint: some.Endpoint, State: some.State},
			"endpoint and event": {Endpoint: some.Endpoint, Event: some.Event}, "no endpoint": {Endpoint: "none"},
			"everything": {Merchant: some.Merchant, Endpoint: some.Endpoint, Event: some.Event, State: some.State},
		} {
			listDeliveries(t, "deliveries by "+name, v, f, all)
		}
		p.unfinished(t, v, all)
	})
}

func listDeliveries(t *testing.T, name string, v store.View, f store.DeliveryFilter, all []store.Delivery) {
	t.Helper()
	at := func(d store.Delivery) (time.Time, string) { return d.CreatedAt, d.ID }
	want := expected(items(all, at), func(x any) bool {
		d := x.(store.Delivery)
		return (f.Merchant == "" || f.Merchant == d.Merchant) && (f.Endpoint == "" || f.Endpoint == d.Endpoint) &&
			(f.Event == "" || f.Event == d.Event) && (f.State == "" || f.State == d.State)
	})
	walk(t, name, want, func(p store.Page) ([]item, error) {
		list, err := store.ListDeliveries(v, f, p)
		return items(list, at), err
	})
}

// unfinished reads what is still to be delivered.
func (p *post) unfinished(t *testing.T, v store.View, all []store.Delivery) {
	t.Helper()
	backlog := map[string]int{}
	for _, x := range p.endpoints {
		want := slices.DeleteFunc(slices.Clone(all), func(d store.Delivery) bool {
			return d.Endpoint != x.ID || d.State != store.DeliveryPending
		})
		slices.SortFunc(want, func(a, b store.Delivery) int {
			return cmp.Or(cmp.Compare(a.Place.Q, b.Place.Q), cmp.Compare(a.Place.N, b.Place.N), cmp.Compare(a.ID, b.ID))
		})
		if len(want) > 0 {
			backlog[x.ID] = len(want)
		}
		equal(t, "pending of "+x.ID, want, must(store.ListPending(v, x.ID, 100))(t))
		equal(t, "some pending of "+x.ID, want[:min(1, len(want))], must(store.ListPending(v, x.ID, 1))(t))
	}
	equal(t, "backlog", backlog, must(store.Backlog(v))(t))
}

// testFencing lets two workers hold one duty in turn: nothing that the first one does after
// the second has started is written (EN16).
func testFencing(t *testing.T, b store.Backend) {
	ctx := context.Background()
	p := newPost(t, b, seed(t))
	x := p.endpoints[0]
	other := lease(t, b, "other", "a", 0, 100)
	mine := lease(t, b, "webhooks", "a", 0, 10)
	d := p.delivery(x, 0)
	p.record(t, store.Work{
		Leases: []store.Lease{other, mine}, Deliveries: []store.Delivery{d}, Attempts: []store.Attempt{},
		Cursors: []store.Cursor{{Endpoint: x.ID, Place: d.Place}},
	})
	mine.Until = wall(5) // the lease's duration is not checked
	p.record(t, store.Work{Leases: []store.Lease{mine}})
	theirs := lease(t, b, "webhooks", "b", 11, 20)
	before := dump(t, b)
	work := store.Work{
		Deliveries: []store.Delivery{finish(d, store.DeliverySucceeded, 12), p.delivery(x, 1)},
		Attempts:   []store.Attempt{{Delivery: d.ID, N: 1, At: wall(12)}},
		Cursors:    []store.Cursor{{Endpoint: x.ID, Place: store.Place{Q: d.Place.Q + 1}}},
	}
	forged := theirs
	forged.Holder = "a"
	for name, leases := range map[string][]store.Lease{
		"lost": {mine}, "one of two lost": {other, mine}, "never had": {{Name: "none", Holder: "a", Token: 1}}, "another's": {forged},
	} {
		work.Leases = leases
		if err := b.Record(ctx, work); !errors.Is(err, store.ErrLeaseLost) {
			t.Errorf("work under a lease that is %s: %v", name, err)
		}
	}
	same(t, before, dump(t, b))
	work.Leases = []store.Lease{theirs}
	p.record(t, work)
	if err := b.Release(ctx, theirs); err != nil {
		t.Fatal(err)
	}
	if err := b.Record(ctx, work); !errors.Is(err, store.ErrLeaseLost) {
		t.Errorf("work under a lease that was given back: %v", err)
	}
	lease(t, b, "webhooks", "a", 30, 40)
	if err := b.Record(ctx, store.Work{Leases: []store.Lease{mine}}); !errors.Is(err, store.ErrLeaseLost) {
		t.Errorf("work under a lease that its holder lost and has again: %v", err)
	}
}

// testRecordedTwice records the same work again, and work that comes too late.
func testRecordedTwice(t *testing.T, b store.Backend) {
	p, n := newPost(t, b, seed(t)), 0
	x := p.endpoints[0]
	made := p.delivery(x, 0)
	begun := store.Work{Deliveries: []store.Delivery{made}, Cursors: []store.Cursor{{Endpoint: x.ID, Place: made.Place, Resend: 1}}}
	p.record(t, begun)
	failed := made
	failed.Attempts, failed.Status, failed.Error, failed.NextAt = 1, 500, "no", wall(90)
	first, second := *filled[store.Attempt](&n), *filled[store.Attempt](&n)
	first.Delivery, first.N, second.Delivery, second.N = made.ID, 1, made.ID, 2
	first.Took, second.Took = 1500*time.Microsecond, time.Hour
	p.record(t, store.Work{Deliveries: []store.Delivery{failed}, Attempts: []store.Attempt{first}})
	done := finish(failed, store.DeliverySucceeded, 99)
	done.Attempts = 2
	expect := func(want store.Delivery, attempts ...store.Attempt) {
		t.Helper()
		view(t, b, func(v store.View) {
			got, tries, err := store.DeliveryOf(v, made.ID)
			if err != nil || got == nil {
				t.Fatalf("the delivery is gone: %v", err)
			}
			equal(t, "delivery", want, *got)
			equal(t, "attempts", attempts, tries)
			equal(t, "cursors", begun.Cursors, must(store.AllCursors(v))(t))
		})
	}
	expect(failed, first)
	again := begun
	again.Deliveries = []store.Delivery{made}
	again.Deliveries[0].CreatedAt = wall(500)
	p.record(t, again) // recreated: it has fewer attempts
	expect(failed, first)
	later := failed
	later.CreatedAt = wall(500)
	p.record(t, store.Work{Deliveries: []store.Delivery{later}})
	expect(failed, first)
	other := first
	other.Answer = "another"
	p.record(t, store.Work{Deliveries: []store.Delivery{done}, Attempts: []store.Attempt{other, second}})
	expect(done, first, second)
	revived := failed
	revived.Attempts = 7
	p.record(t, store.Work{Deliveries: []store.Delivery{revived}}) // finished ones stay
	expect(done, first, second)
	begun.Cursors[0].Resend, begun.Cursors[0].Place.N = 5, begun.Cursors[0].Place.N+1
	p.record(t, begun)
	expect(done, first, second)
	view(t, b, func(v store.View) {
		if d, tries, err := store.DeliveryOf(v, "none"); d != nil || tries != nil || err != nil {
			t.Errorf("a delivery that is not there: %v, %v, %v", d, tries, err)
		}
	})
}

// testRefusedWork writes deliveries that nobody may make.
func testRefusedWork(t *testing.T, b store.Backend) {
	p := newPost(t, b, seed(t))
	x := p.endpoints[0]
	good, taken := p.delivery(x, 0), p.delivery(x, 1)
	var foreign store.EventRow
	view(t, b, func(v store.View) {
		for _, e := range must(store.Stream(v, "", store.Place{}, 10_000))(t) {
			if _, may, err := store.EventOf(v, e.ID, x.Merchant); !may && err == nil {
				foreign = e
			}
		}
	})
	strange := p.delivery(x, 2)
	strange.Event, strange.Type, strange.Object, strange.Sequence = foreign.ID, foreign.Type, foreign.Object, foreign.Sequence
	strange.Place = store.Place{Q: foreign.Q, N: foreign.N}
	p.record(t, store.Work{Deliveries: []store.Delivery{taken}, Cursors: []store.Cursor{{Endpoint: x.ID, Place: store.Place{Q: 5, N: 1}, Resend: 3}}})
	before := dump(t, b)
	delivery := func(change func(*store.Delivery)) store.Work {
		d := good
		change(&d)
		return store.Work{Deliveries: []store.Delivery{p.delivery(x, 3), d}}
	}
	cursor := func(c store.Cursor) store.Work {
		return store.Work{Deliveries: []store.Delivery{good}, Cursors: []store.Cursor{c}}
	}
	for name, w := range map[string]store.Work{
		"an event of another merchant": {Deliveries: []store.Delivery{strange}},
		"no such event":                delivery(func(d *store.Delivery) { d.Event = "none" }),
		"an event at another place":    delivery(func(d *store.Delivery) { d.Place = taken.Place }),
		"another type":                 delivery(func(d *store.Delivery) { d.Type = "x" }),
		"another sequence":             delivery(func(d *store.Delivery) { d.Sequence++ }),
		"no such endpoint":             delivery(func(d *store.Delivery) { d.Endpoint = "none" }),
		"another's endpoint":           delivery(func(d *store.Delivery) { d.Merchant = "none" }),
		"nobody asked for it":          delivery(func(d *store.Delivery) { d.Resend = "none" }),
		"an identifier twice":          delivery(func(d *store.Delivery) { d.ID = taken.ID }),
		"no such state":                delivery(func(d *store.Delivery) { d.State = "x" }),
		"pending and finished":         delivery(func(d *store.Delivery) { d.FinishedAt = wall(1) }),
		"parked but not finished":      delivery(func(d *store.Delivery) { d.State = store.DeliveryParked }),
		"finished and to be tried": delivery(func(d *store.Delivery) {
			*d = finish(*d, store.DeliveryParked, 1)
			d.NextAt = wall(2)
		}),
		"an attempt of nothing":   {Attempts: []store.Attempt{{Delivery: "none", N: 1, At: wall(1)}}},
		"attempt 0":               {Attempts: []store.Attempt{{Delivery: taken.ID, At: wall(1)}}},
		"a cursor of nothing":     cursor(store.Cursor{Endpoint: "none"}),
		"a cursor that goes back": cursor(store.Cursor{Endpoint: x.ID, Place: store.Place{Q: 5}, Resend: 3}),
		"a resend that goes back": cursor(store.Cursor{Endpoint: x.ID, Place: store.Place{Q: 6}, Resend: 2}),
	} {
		if err := b.Record(context.Background(), w); !errors.Is(err, store.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	same(t, before, dump(t, b))
	p.record(t, store.Work{Deliveries: []store.Delivery{good}})
}

// testPurge deletes what has ended, oldest first and in parts.
func testPurge(t *testing.T, b store.Backend) {
	ctx := context.Background()
	p := newPost(t, b, seed(t))
	p.fill(t)
	c := credit.Changes{Clients: []*credit.Client{{ID: "cli", Scopes: []string{"orders:read"}, CreatedAt: wall(0), UpdatedAt: wall(0), Version: 1}}}
	tokens := []credit.Token{
		{ExpiresAt: wall(1)}, {ExpiresAt: wall(900), RevokedAt: wall(2)}, {ExpiresAt: wall(3), RevokedAt: wall(900)},
		{ExpiresAt: wall(900)}, {}, {RevokedAt: wall(4)},
	}
	for i := range tokens {
		tokens[i].Hash[0], tokens[i].Client = byte(9-i), "cli"
		c.Tokens = append(c.Tokens, &tokens[i])
	}
	commit(t, b, batchOf(b, c))
	purge := func(r store.Retention, limit, want int) {
		t.Helper()
		if n, err := b.Purge(ctx, r, limit); n != want || err != nil {
			t.Fatalf("%d rows are gone instead of %d: %v", n, want, err)
		}
	}
	left := func(want ...int) {
		t.Helper()
		_, there := walkedRest(t, b)
		for i := range tokens {
			found := slices.ContainsFunc(there, func(x store.TokenRow) bool { return x.Hash == tokens[i].Hash })
			if found != slices.Contains(want, i) {
				t.Errorf("token %d is there: %v", i, found)
			}
		}
	}
	before := dump(t, b)
	purge(store.Retention{}, 10, 0)
	purge(store.Retention{Tokens: wall(1), Deliveries: wall(0)}, 10, 0)
	purge(store.Retention{Tokens: wall(900), Deliveries: wall(900)}, 0, 0)
	same(t, before, dump(t, b))
	purge(store.Retention{Tokens: wall(4)}, 2, 2)
	left(2, 3, 4, 5)
	purge(store.Retention{Tokens: wall(4)}, 2, 1)
	left(3, 4, 5)
	p.purge(t, purge)
	left(3, 4, 5)
}

// purge deletes finished deliveries step by step, with their attempts.
func (p *post) purge(t *testing.T, purge func(store.Retention, int, int)) {
	t.Helper()
	all := slices.Collect(maps.Values(p.all))
	var work store.Work
	for _, d := range all {
		work.Attempts = append(work.Attempts, store.Attempt{Delivery: d.ID, N: 1, At: wall(1)}, store.Attempt{Delivery: d.ID, N: 2, At: wall(2)})
	}
	p.record(t, work)
	end := func(d store.Delivery) time.Time {
		if d.FinishedAt.IsZero() {
			return wall(1000)
		}
		return d.FinishedAt
	}
	slices.SortFunc(all, func(a, b store.Delivery) int { return cmp.Or(end(a).Compare(end(b)), cmp.Compare(a.ID, b.ID)) })
	finished := slices.IndexFunc(all, func(d store.Delivery) bool { return d.FinishedAt.IsZero() })
	left := func(want []store.Delivery) {
		t.Helper()
		view(t, p.b, func(v store.View) {
			for _, d := range all {
				there := slices.ContainsFunc(want, func(w store.Delivery) bool { return w.ID == d.ID })
				got, tries, err := store.DeliveryOf(v, d.ID)
				if err != nil || (got != nil) != there || there && len(tries) != 2 || !there && len(tries) != 0 {
					t.Fatalf("delivery %s: %v with %d attempts, but there should be one: %v, %v", d.ID, got, len(tries), there, err)
				}
			}
		})
	}
	cut := all[finished/2].FinishedAt
	older := slices.IndexFunc(all, func(d store.Delivery) bool { return !end(d).Before(cut) })
	purge(store.Retention{Deliveries: cut}, 3, 3)
	left(all[3:])
	purge(store.Retention{Deliveries: cut}, 1000, older-3)
	left(all[older:])
	purge(store.Retention{Deliveries: wall(5000)}, 1000, finished-older)
	left(all[finished:])
}
