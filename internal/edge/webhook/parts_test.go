package webhook

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "5": 5 * time.Second, "3600": time.Hour, "86400": maxRetryAfter, "1000000000": maxRetryAfter,
		"99999999999999999999999": maxRetryAfter, "-5": 0, "5.5": 0, "soon": 0, "+5": 0, "１": 0,
		"Mon, 02 Mar 2026 15:10:00 GMT": 10 * time.Minute, "Mon, 02 Mar 2026 14:00:00 GMT": 0, "Sat, 02 Mar 2126 15:00:00 GMT": maxRetryAfter,
		"Monday, 02-Mar-26 15:00:30 GMT": 30 * time.Second, "2026-03-02T15:10:00Z": 0,
	} {
		if got := parseRetryAfter(value, now); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func TestNextAttempt(t *testing.T) {
	at := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	sum, early, late := time.Duration(0), false, false
	for made := 1; made < len(waits); made++ {
		for _, id := range []string{"dlv_1", "dlv_2", "dlv_3", "dlv_4", "dlv_5", "dlv_6"} {
			next, ok := nextAttempt(id, made, at, 0)
			wait := next.Sub(at)
			if !ok || wait < waits[made]*9/10 || wait > waits[made]*11/10 {
				t.Errorf("wait %d of %s: %v", made, id, wait)
			}
			early, late = early || wait < waits[made], late || wait > waits[made]
			if again, _ := nextAttempt(id, made, at, 0); again != next {
				t.Errorf("wait %d of %s changes", made, id)
			}
		}
		sum += waits[made]
	}
	if !early || !late {
		t.Error("there is no jitter")
	}
	if sum != 75*time.Hour+35*time.Minute+5*time.Second || patience < sum*11/10 {
		t.Errorf("%v in all, patience %v", sum, patience)
	}
	if _, ok := nextAttempt("dlv_1", len(waits), at, time.Hour); ok {
		t.Error("an eleventh attempt")
	}
	if next, _ := nextAttempt("dlv_1", 1, at, time.Hour); next != at.Add(time.Hour) {
		t.Errorf("asked for an hour: %v", next.Sub(at))
	}
	if next, _ := nextAttempt("dlv_1", 9, at, time.Second); next.Sub(at) < 20*time.Hour {
		t.Errorf("asked for a second: %v", next.Sub(at))
	}
	if next, _ := nextAttempt("dlv_1", 1, at, 1000*time.Hour); next != at.Add(24*time.Hour) {
		t.Errorf("asked for 1000 hours: %v", next.Sub(at))
	}
}

func TestGate(t *testing.T) {
	now := time.Now()
	g := newGate()
	for range 100 {
		g.accepted(time.Millisecond)
	}
	if g.window != maxInFlight || !g.allows(maxInFlight-1, now) || g.allows(maxInFlight, now) {
		t.Errorf("after many accepted: %+v", g)
	}
	g.failed(now, now)
	g.failed(now, now)
	if g.window != maxInFlight {
		t.Errorf("after two failures: %+v", g)
	}
	for range 3 {
		g.failed(now, now)
	}
	if !g.shut() || g.allows(0, now) || !g.allows(0, now.Add(firstGap)) || g.allows(1, now.Add(firstGap)) {
		t.Errorf("after five failures: %+v", g)
	}
	for range 30 {
		g.failed(now.Add(-time.Second), now) // begun before the gate was shut
	}
	if g.gap != firstGap {
		t.Errorf("gap %v after what was under way", g.gap)
	}
	for range 20 {
		now = g.next
		g.failed(now, now)
	}
	if g.gap != lastGap || g.dead(g.since.Add(deadAfter-1)) || !g.dead(g.since.Add(deadAfter)) {
		t.Errorf("after many probes: %+v", g)
	}
	g.accepted(time.Millisecond)
	if g.shut() || g.dead(now.Add(1000*time.Hour)) || g.window != firstWindow+1 {
		t.Errorf("after a probe that was accepted: %+v", g)
	}
	for range 20 {
		g.accepted(10 * time.Second)
	}
	if g.window != firstWindow {
		t.Errorf("accepts slowly: %+v", g)
	}
}

// An endpoint's history tells what it was subscribed to at a commit.
func TestHistory(t *testing.T) {
	const a, b = credit.OrderCreatedEvent, credit.OrderCapturedEvent
	at := time.Now()
	version := func(q, until int64, x credit.Endpoint) store.EndpointVersion {
		x.ID = "whk_1"
		return store.EndpointVersion{Endpoint: &x, Q: q, UntilQ: until}
	}
	h := history{
		version(10, 20, credit.Endpoint{Enabled: true}),
		version(20, 30, credit.Endpoint{Enabled: true, EventTypes: []credit.EventType{b}}),
		version(30, 40, credit.Endpoint{EventTypes: []credit.EventType{b}}),
		version(40, 50, credit.Endpoint{Enabled: true, EventTypes: []credit.EventType{a, b}}),
		version(50, 0, credit.Endpoint{EventTypes: []credit.EventType{a, b}, DeletedAt: at}),
	}
	for _, x := range []struct {
		q          int64
		a, b, test bool
	}{
		{9, false, false, false}, {10, true, true, true}, {19, true, true, true}, {20, false, true, true}, {29, false, true, true},
		{30, false, false, false}, {39, false, false, false}, {40, true, true, true}, {49, true, true, true}, {50, false, false, false},
	} {
		row := func(kind credit.EventType, object string) store.EventRow {
			return store.EventRow{Type: kind, Q: x.q, Object: credit.ObjectRef{ID: object}}
		}
		if h.wants(row(a, "o")) != x.a || h.wants(row(b, "o")) != x.b || h.wants(row(credit.WebhookTestEvent, "whk_1")) != x.test {
			t.Errorf("at %d: %v %v %v", x.q, h.wants(row(a, "o")), h.wants(row(b, "o")), h.wants(row(credit.WebhookTestEvent, "whk_1")))
		}
		if h.wants(row(credit.WebhookTestEvent, "whk_2")) {
			t.Errorf("at %d: another endpoint's test", x.q)
		}
	}
	for from, want := range map[store.Place]store.Place{
		h.begin(): h.begin(), {Q: 15, N: 3}: {Q: 15, N: 3}, {Q: 29, N: 3}: {Q: 29, N: 3}, {Q: 30}: before(40), {Q: 35}: before(40), {Q: 45}: {Q: 45},
	} {
		if got, ok := h.resume(from); !ok || got != want {
			t.Errorf("from %v: %v, %v", from, got, ok)
		}
	}
	if _, ok := h.resume(store.Place{Q: 50}); ok {
		t.Error("something comes after the end")
	}
	if !h.closedAfter(45) || h[:2].closedAfter(5) || !h[:4].closedAfter(25) || h[:4].closedAfter(35) {
		t.Error("closedAfter")
	}
}

func TestDeliveryID(t *testing.T) {
	at := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	base := deliveryID(at, "whk_1", "", store.Place{Q: 12, N: 3})
	if !regexp.MustCompile(`^dlv_[0-7][0-9A-HJKMNP-TV-Z]{25}$`).MatchString(base) || base != deliveryID(at, "whk_1", "", store.Place{Q: 12, N: 3}) {
		t.Errorf("%s", base)
	}
	seen := []string{base}
	for _, other := range []string{
		deliveryID(at, "whk_2", "", store.Place{Q: 12, N: 3}), deliveryID(at, "whk_1", "rsd_1", store.Place{Q: 12, N: 3}),
		deliveryID(at, "whk_1", "", store.Place{Q: 12, N: 4}), deliveryID(at, "whk_1", "", store.Place{Q: 123}),
		deliveryID(at, "whk_1", "", store.Place{Q: 1, N: 23}), deliveryID(at.Add(time.Millisecond), "whk_1", "", store.Place{Q: 12, N: 3}),
	} {
		if slices.Contains(seen, other) {
			t.Errorf("%s twice", other)
		}
		seen = append(seen, other)
	}
	if later := seen[len(seen)-1]; later <= base {
		t.Error("a later event has a smaller identifier")
	}
}

// The queue compared with a plain list: whatever is added, taken, put back, finished or
// removed, the next one taken is the delivery that is due first among the first of each
// lane not in flight.
func TestQueue(t *testing.T) {
	rng := rand.New(rand.NewPCG(seedOf(t), 0))
	at := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	e := newEndpoint("whk_1", &duty{}, history{{Endpoint: &credit.Endpoint{}, Q: 1}})
	var waiting, flying []*item
	for q := int64(1); q < 5000; q++ {
		switch rng.IntN(5) {
		case 0, 1:
			d := store.Delivery{
				ID: deliveryID(at, "", "", store.Place{Q: q}), Object: order(string(rune('a' + rng.IntN(6)))), Place: store.Place{Q: rng.Int64N(q) + 1, N: int(q)},
				NextAt: at.Add(time.Duration(rng.IntN(50)) * time.Second), Resend: []string{"", "", "rsd_1"}[rng.IntN(3)],
			}
			if !e.add(d, nil) || e.add(d, nil) {
				t.Fatal("add")
			}
			waiting = append(waiting, e.known[d.ID])
		case 2:
			want := firstOf(waiting, flying)
			if due, ok := e.nextAt(); ok != (want != nil) || ok && !due.Equal(want.NextAt) {
				t.Fatalf("next is due at %v, want %+v", due, want)
			}
			if want == nil {
				continue
			}
			got := e.take()
			if !got.NextAt.Equal(want.NextAt) || got.Place != want.Place {
				t.Fatalf("took %+v, want %+v", got.Delivery, want.Delivery)
			}
			flying = append(flying, got)
		case 3:
			if len(flying) == 0 {
				continue
			}
			it := flying[rng.IntN(len(flying))]
			flying = slices.DeleteFunc(flying, func(x *item) bool { return x == it })
			if rng.IntN(2) == 0 {
				it.NextAt = it.NextAt.Add(time.Minute)
				e.back(it)
				continue
			}
			e.finish(it)
			waiting = slices.DeleteFunc(waiting, func(x *item) bool { return x == it })
		case 4:
			if rng.IntN(20) > 0 {
				continue
			}
			doomed := func(it *item) bool { return it.Place.N%3 == 0 }
			for _, it := range e.remove(doomed) {
				if slices.Contains(flying, it) {
					t.Fatal("removed what is in flight")
				}
			}
			waiting = slices.DeleteFunc(waiting, func(it *item) bool { return doomed(it) && !slices.Contains(flying, it) })
		}
		if e.queued != len(waiting) || e.inFlight != len(flying) {
			t.Fatalf("%d queued, %d in flight, want %d and %d", e.queued, e.inFlight, len(waiting), len(flying))
		}
	}
}

// firstOf finds what is due first, by checking all.
func firstOf(waiting, flying []*item) *item {
	heads := map[laneKey]*item{}
	for _, it := range waiting {
		key := laneKey{it.Object, it.Resend}
		if h := heads[key]; h == nil || comparePlaces(it.Place, h.Place) < 0 {
			heads[key] = it
		}
	}
	for _, it := range flying { // its lane waits
		delete(heads, laneKey{it.Object, it.Resend})
	}
	var first *item
	for _, it := range heads {
		if first == nil || it.NextAt.Before(first.NextAt) || it.NextAt.Equal(first.NextAt) && comparePlaces(it.Place, first.Place) < 0 {
			first = it
		}
	}
	return first
}
