package webhook

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
)

// Receivers' answers, and their effect (T22). Only 2xx is acceptance.
func TestAnswers(t *testing.T) {
	header := func(retryAfter string) http.Header { return http.Header{"Retry-After": {retryAfter}} }
	for _, x := range []struct {
		name   string
		reply  reply
		status int
		reason string
		wait   time.Duration // until the second attempt; 0: there is none
	}{
		{"200", reply{status: 200, body: "ok"}, 200, "", 0},
		{"204", reply{}, 204, "", 0},
		{"299", reply{status: 299}, 299, "", 0},
		{"accepts after 19 s", reply{after: 19 * time.Second}, 204, "", 0},
		{"hangs", reply{after: time.Hour}, 0, "No answer came in time.", 25 * time.Second},
		{"is cut off", reply{err: errors.New("unexpected EOF")}, 0, "The request failed.", 5 * time.Second},
		{"199", reply{status: 199}, 199, "The receiver answered 199.", 5 * time.Second},
		{"301", reply{status: 301, header: http.Header{"Location": {"https://elsewhere.example/"}}}, 301, "The receiver answered 301. Redirects are not followed.", 5 * time.Second},
		{"302", reply{status: 302, header: http.Header{"Location": {"http://127.0.0.1/"}}}, 302, "The receiver answered 302. Redirects are not followed.", 5 * time.Second},
		{"307", reply{status: 307, header: http.Header{"Location": {"https://shop.example/hook"}}}, 307, "The receiver answered 307. Redirects are not followed.", 5 * time.Second},
		{"308", reply{status: 308, header: http.Header{"Location": {"http://169.254.169.254/"}}}, 308, "The receiver answered 308. Redirects are not followed.", 5 * time.Second},
		{"400", reply{status: 400}, 400, "The receiver answered 400.", 5 * time.Second},
		{"404", reply{status: 404}, 404, "The receiver answered 404.", 5 * time.Second},
		{"500", reply{status: 500}, 500, "The receiver answered 500.", 5 * time.Second},
		{"429, again at once", reply{status: 429, header: header("0")}, 429, "The receiver answered 429.", 5 * time.Second},
		{"429, in 2 s", reply{status: 429, header: header("2")}, 429, "The receiver answered 429.", 5 * time.Second},
		{"429, in an hour", reply{status: 429, header: header("3600")}, 429, "The receiver answered 429.", time.Hour},
		{"503, in 10⁹ s", reply{status: 503, header: header("1000000000")}, 503, "The receiver answered 503.", 24 * time.Hour},
		{"503, garbage", reply{status: 503, header: header("tomorrow")}, 503, "The receiver answered 503.", 5 * time.Second},
		{"503, in the past", reply{status: 503, header: header("Mon, 01 Jan 1990 00:00:00 GMT")}, 503, "The receiver answered 503.", 5 * time.Second},
		{"503, at a date", reply{status: 503, header: header("Sat, 01 Jan 2000 02:00:00 GMT")}, 503, "The receiver answered 503.", 2 * time.Hour},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // a bubble begins on January 1, 2000
				w := newWorld(t)
				shop := w.merchant("Shop")
				e := w.endpoint(shop, "https://shop.example/hook")
				w.net.answer("shop.example", func(m *message) reply {
					if m.n > 0 {
						return reply{}
					}
					return x.reply
				})
				w.start(func(c *Config) { c.Poll = time.Minute })
				w.emit(shop, order("o1"), credit.OrderCreatedEvent)
				time.Sleep(30 * time.Hour)
				got, d := w.net.received("shop.example"), w.deliveries(e.ID)[0]
				a := w.attempts(d.ID)
				if d.State != store.DeliverySucceeded || len(a) != len(got) || a[0].Status != x.status || a[0].Error != x.reason || a[0].Answer != x.reply.body {
					t.Errorf("delivery %+v, attempts %+v", d, a)
				}
				if x.wait == 0 {
					if len(got) != 1 {
						t.Errorf("%d attempts", len(got))
					}
					return
				}
				if len(got) != 2 {
					t.Fatalf("%d attempts", len(got))
				}
				if gap := got[1].at.Sub(got[0].at); gap < x.wait*89/100 || gap > x.wait*111/100+time.Second {
					t.Errorf("tried again after %v, want %v", gap, x.wait)
				}
				for _, host := range []string{"elsewhere.example", "127.0.0.1", "169.254.169.254"} {
					if len(w.net.received(host)) > 0 {
						t.Errorf("a redirect to %s was followed", host)
					}
				}
			})
		})
	}
}

// An endpoint that answers 410 is disabled: the delivery is parked, everything else waiting
// is canceled, and later events are not for it. Other endpoints continue.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e, other := w.endpoint(shop, "https://shop.example/hook"), w.endpoint(shop, "https://other.example/hook")
		w.net.answer("shop.example", func(m *message) reply { return reply{status: 410, after: time.Second} })
		w.start()
		for range 3 {
			w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
		}
		time.Sleep(10 * time.Second)
		w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
		time.Sleep(10 * time.Second)
		if got, want := w.states(e.ID), []store.DeliveryState{store.DeliveryParked, store.DeliveryCanceled, store.DeliveryCanceled}; !slices.Equal(got, want) {
			t.Errorf("states %v", got)
		}
		x := w.stored(e.ID)
		if x.Enabled || x.DisabledReason != credit.DisabledGone || len(w.net.received("shop.example")) != 1 {
			t.Errorf("endpoint %+v, %d messages", x, len(w.net.received("shop.example")))
		}
		if got := w.states(other.ID); !slices.Equal(got, repeat(4, store.DeliverySucceeded)) {
			t.Errorf("the other: %v", got)
		}
		if text := w.deliveries(e.ID)[1].Error; text != "The endpoint was disabled, because it answered 410." {
			t.Error(text)
		}
	})
}

// A 410 of the old URL does not disable an endpoint that has a new one.
func TestGoneMeanwhileMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://old.example/hook")
		w.net.answer("old.example", func(m *message) reply { return reply{status: 410, after: 10 * time.Second} })
		w.start()
		w.emit(shop, order("o1"), credit.OrderCreatedEvent)
		time.Sleep(5 * time.Second)
		url := "https://new.example/hook"
		w.submit(access.UpdateEndpoint{Endpoint: e.ID, URL: &url})
		time.Sleep(20 * time.Second)
		w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
		time.Sleep(5 * time.Second)
		if x := w.stored(e.ID); !x.Enabled || !slices.Equal(w.states(e.ID), repeat(2, store.DeliverySucceeded)) {
			t.Errorf("endpoint %+v, states %v", x, w.states(e.ID))
		}
		checkOrder(t, w, "new.example")
	})
}

// stored returns an endpoint's current state.
func (w *world) stored(id string) *credit.Endpoint {
	w.Helper()
	s := credit.NewState()
	if err := w.db.View(w.Context(), func(v store.View) error { return v.Load(s, credit.Keys{Endpoints: []string{id}}) }); err != nil {
		w.Fatal(err)
	}
	return s.Endpoints[id]
}

// An event waits for its predecessor of the same object, and for nothing else (EV3).
func TestOnlyTheObjectWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		w.net.answer("shop.example", func(m *message) reply {
			if m.id == w.event(0).ID {
				return reply{status: 500} // the receiver refuses this one
			}
			return reply{}
		})
		w.start(func(c *Config) { c.Poll = time.Minute })
		for i := range 6 {
			w.emit(shop, order([]string{"o1", "o2"}[i%2]), credit.OrderUpdatedEvent)
		}
		w.emit(shop, credit.ObjectRef{Type: "payment", ID: "o1"}, credit.PaymentCreatedEvent)
		time.Sleep(time.Hour)
		const pending, sent = store.DeliveryPending, store.DeliverySucceeded
		if got, want := w.states(e.ID), []store.DeliveryState{pending, sent, pending, sent, pending, sent, sent}; !slices.Equal(got, want) {
			t.Errorf("after an hour: %v", got)
		}
		for _, d := range w.deliveries(e.ID) {
			if d.State == pending && d.Sequence > 1 && d.Attempts > 0 {
				t.Errorf("sequence %d was attempted before its predecessor was done", d.Sequence)
			}
		}
		time.Sleep(90 * time.Hour)
		const parked = store.DeliveryParked
		if got, want := w.states(e.ID), []store.DeliveryState{parked, sent, sent, sent, sent, sent, sent}; !slices.Equal(got, want) {
			t.Errorf("in the end: %v", got)
		}
	})
}

// Answers are stored if they come from the internet, or in a sandbox: otherwise a merchant
// could read what is behind the guard (A54).
func TestAnswersThatAreKept(t *testing.T) {
	for _, x := range []struct {
		name    string
		from    net.Addr
		sandbox bool
		want    string
	}{
		{"the internet", &net.TCPAddr{IP: net.IPv4(93, 184, 216, 34), Port: 443}, false, "<b>thanks\uFFFD</b>"},
		{"a private address", &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 443}, false, ""},
		{"metadata", &net.TCPAddr{IP: net.IPv4(169, 254, 169, 254), Port: 80}, false, ""},
		{"no address", nil, false, ""},
		{"an odd address", &net.UnixAddr{Name: "/run/x", Net: "unix"}, false, ""},
		{"a private address in a sandbox", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3000}, true, "<b>thanks\uFFFD</b>"},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				shop := w.merchant("Shop")
				e := w.endpoint(shop, "https://shop.example/hook")
				w.net.from = x.from
				w.net.answer("shop.example", func(m *message) reply {
					return reply{status: 500, body: "<b>thanks\x00</b>" + strings.Repeat("é", 2000*m.n)}
				})
				w.start(func(c *Config) { c.Sandbox = x.sandbox })
				w.emit(shop, order("o1"), credit.OrderCreatedEvent)
				time.Sleep(20 * time.Second)
				a := w.attempts(w.deliveries(e.ID)[0].ID)
				if len(a) != 2 || a[0].Answer != x.want || a[0].Status != 500 {
					t.Errorf("attempts %+v", a)
				}
				if long := a[1].Answer; x.want != "" && (len(long) > keptAnswer || len(long) < keptAnswer-3 || !strings.HasPrefix(long, x.want)) {
					t.Errorf("%d bytes of a long answer were kept: %q", len(long), long)
				}
			})
		})
	}
}

// A receiver that hangs, one that fails at once and one that accepts slowly cost the others
// nothing, however many events wait for them (W7, T22).
func TestTheDeadDoNotSlowTheLiving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		replies := map[string]reply{"hangs": {after: time.Hour}, "fails": {status: 500}, "slow": {after: 15 * time.Second}, "lives": {after: 30 * time.Millisecond}}
		endpoints, shop := map[string]target{}, w.merchant("Shop")
		for name, r := range replies {
			endpoints[name] = w.endpoint(shop, "https://"+name+".example/hook")
			w.net.answer(name+".example", func(*message) reply { return r })
		}
		for i := range 20 { // more hanging merchants than workers
			m := w.merchant(fmt.Sprint("Hangs ", i))
			host := fmt.Sprintf("hangs%d.example", i)
			w.endpoint(m, "https://"+host+"/hook")
			w.net.answer(host, func(*message) reply { return replies["hangs"] })
			for n := range 10 {
				w.emit(m, order(fmt.Sprint(m, n)), credit.OrderCreatedEvent)
			}
		}
		w.start(func(c *Config) { c.Poll = time.Second })
		var emitted []time.Time
		for i := range 600 {
			w.emit(shop, order(fmt.Sprint("o", i)), credit.OrderCreatedEvent)
			emitted = append(emitted, time.Now())
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(10 * time.Second)
		if got := w.states(endpoints["lives"].ID); !slices.Equal(got, repeat(600, store.DeliverySucceeded)) {
			t.Fatalf("the living: %d deliveries, not all of them accepted", len(got))
		}
		for i, m := range w.net.received("lives.example") {
			if lag := m.at.Sub(emitted[i]); lag > 3*time.Second {
				t.Errorf("event %d came after %v", i, lag)
			}
		}
		if n := len(w.net.received("fails.example")); n > 150 {
			t.Errorf("%d attempts at an endpoint that fails, in 70 s", n)
		}
		if n := len(w.net.received("hangs.example")); n > 20 {
			t.Errorf("%d attempts at an endpoint that hangs, in 70 s", n)
		}
	})
}
