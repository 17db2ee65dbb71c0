package webhook

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// An event goes to its merchant's endpoint with the stored bytes, signed so that the
// reference library accepts it (EV4, EV5).
func TestDelivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		w.endpoint(w.merchant("Other"), "https://other.example/hook")
		s, _ := w.start()
		w.emit(shop, order("o1"), credit.OrderCreatedEvent, credit.OrderAuthorizedEvent)
		time.Sleep(time.Second)
		got := w.net.received("shop.example")
		if len(got) != 2 || len(w.net.received("other.example")) != 0 {
			t.Fatalf("received %d, the other %d", len(got), len(w.net.received("other.example")))
		}
		library, err := standardwebhooks.NewWebhook(e.secret)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range got {
			if m.id != w.sent[i].ID || m.body != string(w.sent[i].Payload) {
				t.Errorf("message %d is %s %q", i, m.id, m.body)
			}
			if err := library.Verify([]byte(m.body), m.header); err != nil {
				t.Errorf("message %d: %v", i, err)
			}
			if err := Verify(e.secret, m.header, []byte(m.body), time.Now()); err != nil {
				t.Errorf("message %d: %v", i, err)
			}
			if m.header.Get("Content-Type") != "application/json" || m.header.Get("User-Agent") != userAgent {
				t.Errorf("message %d has headers %v", i, m.header)
			}
		}
		if got := w.states(e.ID); !slices.Equal(got, repeat(2, store.DeliverySucceeded)) {
			t.Errorf("states %v", got)
		}
		if x := s.Stats(); x.Delivered != 2 || x.Failed != 0 || x.InFlight != 0 {
			t.Errorf("stats %+v", x)
		}
		for _, d := range w.deliveries(e.ID) {
			a := w.attempts(d.ID)
			if len(a) != 1 || a[0].N != 1 || a[0].Status != 204 || a[0].Error != "" || d.Status != 204 || d.Attempts != 1 || d.FinishedAt.IsZero() {
				t.Errorf("delivery %+v, attempts %+v", d, a)
			}
		}
	})
}

// Ten attempts at the published waits, give or take a tenth, with the same bytes and a
// fresh timestamp; then the delivery is parked (T22).
func TestSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		w.net.answer("shop.example", func(*message) reply { return reply{status: 500, body: "no"} })
		s, _ := w.start(func(c *Config) { c.Poll = time.Minute })
		w.emit(shop, order("o1"), credit.OrderCreatedEvent)
		s.Notify()
		time.Sleep(100 * time.Hour)
		got := w.net.received("shop.example")
		if len(got) != len(waits) {
			t.Fatalf("%d attempts", len(got))
		}
		for i, m := range got[1:] {
			gap, want := m.at.Sub(got[i].at), waits[i+1]
			if gap < want*9/10 || gap > want*11/10+time.Second {
				t.Errorf("attempt %d after %v, want %v", i+2, gap, want)
			}
			if m.body != got[0].body || m.id != got[0].id || m.header.Get(HeaderTimestamp) != unixSeconds(m.at) {
				t.Errorf("attempt %d is another message", i+2)
			}
			if err := Verify(e.secret, m.header, []byte(m.body), m.at); err != nil {
				t.Errorf("attempt %d: %v", i+2, err)
			}
		}
		d := w.deliveries(e.ID)[0]
		if d.State != store.DeliveryParked || d.Attempts != 10 || d.Status != 500 || d.Error != "The receiver answered 500." || !d.NextAt.IsZero() {
			t.Errorf("delivery %+v", d)
		}
		a := w.attempts(d.ID)
		if len(a) != 10 || a[9].N != 10 || a[0].Answer != "no" {
			t.Errorf("attempts %+v", a)
		}
		if x := s.Stats(); x.Parked != 1 || x.Failed != 10 || x.Delivered != 0 {
			t.Errorf("stats %+v", x)
		}
	})
}

// A receiver that was down for two days gets everything that happened meanwhile, in order,
// without any request (P6).
func TestDownForTwoDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		up := time.Now().Add(48 * time.Hour)
		w.net.answer("shop.example", func(m *message) reply {
			if m.at.Before(up) {
				return reply{err: http.ErrHandlerTimeout}
			}
			return reply{}
		})
		w.start(func(c *Config) { c.Poll = time.Minute })
		for i := range 48 {
			w.emit(shop, order([]string{"o1", "o2", "o3"}[i%3]), credit.OrderUpdatedEvent)
			time.Sleep(time.Hour)
		}
		time.Sleep(48 * time.Hour)
		if got := w.states(e.ID); !slices.Equal(got, repeat(48, store.DeliverySucceeded)) {
			t.Errorf("states %v", got)
		}
		checkOrder(t, w, "shop.example")
	})
}

// checkOrder checks what a host has received: the first message of each event of an object
// came after that of the previous event (EV3), and nothing was changed (EV4).
func checkOrder(t testing.TB, w *world, host string) {
	t.Helper()
	events := map[string]store.EventRow{}
	for _, e := range w.sent {
		events[e.ID] = e
	}
	last := map[credit.ObjectRef]int64{}
	for _, m := range w.net.received(host) {
		e := events[m.id]
		if m.body != string(e.Payload) {
			t.Errorf("event %s came with other bytes", m.id)
		}
		if m.n > 0 {
			continue
		}
		if e.Sequence != last[e.Object]+1 {
			t.Errorf("%s: sequence %d of %s came after %d", host, e.Sequence, e.Object.ID, last[e.Object])
		}
		last[e.Object] = e.Sequence
	}
}
