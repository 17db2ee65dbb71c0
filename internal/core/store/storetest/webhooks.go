package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// testClients lists clients, with and without secrets, and finds tokens of both.
func testClients(t *testing.T, b store.Backend) {
	n := 0
	managed, bare := *filled[credit.Client](&n), *filled[credit.Client](&n)
	managed.Version, bare.Version, bare.Secrets = 1, 1, nil
	commit(t, b, batchOf(b, credit.Changes{Clients: []*credit.Client{&managed}}, credit.Changes{Clients: []*credit.Client{&bare}}))
	rolled := managed
	rolled.Version, rolled.Secrets, rolled.RevokedAt = 2, managed.Secrets[:1], time.Time{}
	commit(t, b, batchOf(b, credit.Changes{Clients: []*credit.Client{&rolled}}))
	equal(t, "clients without a secret", []credit.Client{bare}, must(store.BareClients(context.Background(), b))(t))
	view(t, b, func(v store.View) {
		s := credit.NewState()
		if err := v.Load(s, credit.Keys{Clients: []string{managed.ID, "none", bare.ID}}); err != nil {
			t.Fatal(err)
		}
		equal(t, "loaded clients", map[string]*credit.Client{managed.ID: &rolled, bare.ID: &bare, "none": nil}, s.Clients)
		var walked []store.ClientRow
		if err := store.Each(v, &store.Clients, func(c store.ClientRow) error { walked = append(walked, c); return nil }); err != nil {
			t.Fatal(err)
		}
		want := []store.ClientRow{{Client: &rolled, Q: 3}, {Client: &bare, Q: 2}}
		slices.SortFunc(want, func(a, b store.ClientRow) int { return cmp.Compare(a.ID, b.ID) })
		equal(t, "all clients", want, walked)
	})
	listClients(t, b, managed, bare)
}

// listClients pages through clients, of one merchant and of all.
func listClients(t *testing.T, b store.Backend, some ...credit.Client) {
	t.Helper()
	at := func(c *credit.Client) (time.Time, string) { return c.CreatedAt, c.ID }
	view(t, b, func(v store.View) {
		var all []*credit.Client
		if err := store.Each(v, &store.Clients, func(c store.ClientRow) error { all = append(all, c.Client); return nil }); err != nil {
			t.Fatal(err)
		}
		for _, m := range []string{"", some[0].Merchant, some[1].Merchant, "none"} {
			match := func(x any) bool { return m == "" || x.(*credit.Client).Merchant == m }
			walk(t, "clients of "+m, expected(items(all, at), match), func(p store.Page) ([]item, error) {
				list, err := store.ListClients(v, m, p)
				return items(list, at), err
			})
		}
	})
}

// testEndpoints follows random endpoints through all their versions, and lists them.
func testEndpoints(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	var want []store.EndpointVersion
	last := map[string]int{}
	for range 40 {
		batch := w.Batch(20)
		c := commit(t, b, batch)
		now := map[string]store.EndpointVersion{} // of several in a batch the last one is kept
		for i, d := range batch.Decided {
			for _, x := range d.Changes.Endpoints {
				now[x.ID] = store.EndpointVersion{Endpoint: x, Q: c.FirstQ + int64(i)}
			}
		}
		for id, version := range now {
			if at, found := last[id]; found {
				want[at].UntilQ = version.Q
			}
			last[id] = len(want)
			want = append(want, version)
		}
	}
	slices.SortFunc(want, func(a, b store.EndpointVersion) int {
		return cmp.Or(cmp.Compare(a.Endpoint.ID, b.Endpoint.ID), cmp.Compare(a.Q, b.Q))
	})
	at := func(x *credit.Endpoint) (time.Time, string) { return x.CreatedAt, x.ID }
	var all []*credit.Endpoint
	for _, id := range w.endpoints {
		all = append(all, w.State.Endpoints[id])
	}
	view(t, b, func(v store.View) {
		var got []store.EndpointVersion
		if err := store.EachEndpointVersion(v, func(x store.EndpointVersion) error { got = append(got, x); return nil }); err != nil {
			t.Fatal(err)
		}
		equal(t, "versions of endpoints", want, got)
		for _, m := range append([]string{""}, w.merchants...) {
			match := func(x any) bool {
				e := x.(*credit.Endpoint)
				return (m == "" || e.Merchant == m) && e.DeletedAt.IsZero()
			}
			walk(t, "endpoints of "+m, expected(items(all, at), match), func(p store.Page) ([]item, error) {
				list, err := store.ListEndpoints(v, m, p)
				return items(list, at), err
			})
		}
	})
	stop := errors.New("stop")
	view(t, b, func(v store.View) {
		if err := store.EachEndpointVersion(v, func(store.EndpointVersion) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("a walk that its function stops: %v", err)
		}
	})
}

// testStreams reads every merchant's events in commit order: those of its orders, and those
// of the companies linked to it at that time.
func testStreams(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	streams := map[string][]store.EventRow{}
	several, nobody := 0, 0
	for i := 0; i < 80 || i < 4000 && (several == 0 || nobody == 0); i++ {
		batch := w.Batch(20)
		rows := eventsOf(batch, commit(t, b, batch).FirstQ)
		streams[""] = append(streams[""], rows...)
		for _, d := range batch.Decided {
			for _, e := range d.Changes.Events {
				for _, m := range e.ReadBy() {
					streams[m] = append(streams[m], rows[0])
				}
				if rows = rows[1:]; len(e.ReadBy()) > 1 {
					several++
				} else if len(e.ReadBy()) == 0 {
					nobody++
				}
			}
		}
	}
	if several == 0 || nobody == 0 {
		t.Fatalf("%d events for several merchants and %d for nobody: the test is empty", several, nobody)
	}
	view(t, b, func(v store.View) {
		for _, m := range append([]string{"", "none"}, w.merchants...) {
			readStream(t, "events of "+m, streams[m], func(after store.Place, limit int) ([]store.EventRow, error) {
				return store.Stream(v, m, after, limit)
			})
			readSpans(t, w, v, m, streams[m])
		}
		readEvents(t, w, v, streams)
	})
}

// readStream reads a stream page by page.
func readStream(t *testing.T, name string, want []store.EventRow, read func(store.Place, int) ([]store.EventRow, error)) {
	t.Helper()
	for _, limit := range []int{1, 7, 10_000} {
		var got []store.EventRow
		for after := (store.Place{}); ; after = (store.Place{Q: got[len(got)-1].Q, N: got[len(got)-1].N}) {
			page := must(read(after, limit))(t)
			if got = append(got, page...); len(page) < limit {
				break
			}
		}
		equal(t, name, want, got)
	}
	if page := must(read(store.Place{}, 0))(t); len(page) != 0 {
		t.Errorf("%s: %d for a limit of 0", name, len(page))
	}
}

// readSpans reads parts of a stream by time. Their ends fall between batches and on events.
func readSpans(t *testing.T, w *World, v store.View, merchant string, stream []store.EventRow) {
	t.Helper()
	begin := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	ends := [][2]time.Time{{begin, w.at.Add(time.Hour)}, {begin, begin}, {w.at.Add(time.Second), w.at.Add(time.Hour)}}
	for range 4 {
		if len(stream) > 0 {
			from, to := pick(w, stream).At, pick(w, stream).At
			ends = append(ends, [2]time.Time{from, to}, [2]time.Time{from.Add(-time.Minute), to.Add(time.Microsecond)})
		}
	}
	for _, e := range ends {
		want := slices.DeleteFunc(slices.Clone(stream), func(r store.EventRow) bool { return r.At.Before(e[0]) || !r.At.Before(e[1]) })
		readStream(t, fmt.Sprint("events of ", merchant, " in ", e), want, func(after store.Place, limit int) ([]store.EventRow, error) {
			return v.Events(store.EventFilter{Merchant: merchant, From: e[0], To: e[1], After: after, Limit: limit})
		})
	}
}

// readEvents reads single events with and without a merchant, and walks the readers.
func readEvents(t *testing.T, w *World, v store.View, streams map[string][]store.EventRow) {
	t.Helper()
	var want, got []store.ReaderRow
	for _, m := range slices.Sorted(slices.Values(w.merchants)) {
		mine := map[string]bool{}
		for _, e := range streams[m] {
			mine[e.ID] = true
			if row := (store.ReaderRow{Merchant: m, Q: e.Q}); len(want) == 0 || want[len(want)-1] != row {
				want = append(want, row)
			}
		}
		for range 10 {
			e := pick(w, streams[""])
			row, may, err := store.EventOf(v, e.ID, m)
			if err != nil || may != mine[e.ID] {
				t.Fatalf("%s may read %s: %v, %v", m, e.ID, may, err)
			}
			equal(t, "event", &e, row)
			of := slices.DeleteFunc(slices.Clone(streams[m]), func(x store.EventRow) bool { return x.Object != e.Object })
			equal(t, "what a merchant may read of an object", slices.Clip(of), must(v.Events(store.EventFilter{Object: e.Object, Merchant: m, Limit: 10_000}))(t))
			since := slices.DeleteFunc(slices.Clone(streams[m]), func(x store.EventRow) bool { return x.At.Before(e.At) })
			equal(t, "what a merchant may read since an instant", slices.Clip(since), must(v.Events(store.EventFilter{Merchant: m, From: e.At, Limit: 10_000}))(t))
		}
	}
	e := streams[""][0]
	if row, may, err := store.EventOf(v, e.ID, ""); row == nil || !may || err != nil {
		t.Errorf("the operator may read %s: %v, %v", e.ID, may, err)
	}
	for _, m := range []string{"", w.merchants[0]} {
		if row, may, err := store.EventOf(v, "none", m); row != nil || may || err != nil {
			t.Errorf("an event that is not there: %v, %v, %v", row, may, err)
		}
	}
	if err := store.Each(v, &store.EventReaders, func(r store.ReaderRow) error { got = append(got, r); return nil }); err != nil {
		t.Fatal(err)
	}
	equal(t, "readers", want, got)
}

// testResends lists resend requests in commit order.
func testResends(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	var want []store.ResendRow
	for range 40 {
		batch := w.Batch(20)
		c := commit(t, b, batch)
		for i, d := range batch.Decided {
			for _, r := range d.Changes.Resends {
				want = append(want, store.ResendRow{Resend: r, Q: c.FirstQ + int64(i)})
			}
		}
	}
	view(t, b, func(v store.View) {
		for _, limit := range []int{1, 3, 10_000} {
			var got []store.ResendRow
			for after := int64(0); ; after = got[len(got)-1].Q {
				page := must(store.ListResends(v, after, limit))(t)
				if got = append(got, page...); len(page) < limit {
					break
				}
			}
			equal(t, "resends", want, got)
		}
	})
}
