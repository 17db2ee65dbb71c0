package webhook

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// sequences lists what a host received, as the sequences of one object.
func (w *world) sequences(host string, o credit.ObjectRef) []int64 {
	of := map[string]store.EventRow{}
	for _, e := range w.sent {
		of[e.ID] = e
	}
	var out []int64
	for _, m := range w.net.received(host) {
		if e := of[m.id]; e.Object == o {
			out = append(out, e.Sequence)
		}
	}
	return out
}

func value[T any](x T) *T { return &x }

// What an endpoint gets depends on its subscription at the commit of the event, whenever
// the sender processes it (EV6). Here it processes everything at the end.
func TestSubscriptionAtTheCommit(t *testing.T) {
	for _, live := range []bool{true, false} {
		t.Run(fmt.Sprintf("sender running %v", live), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				shop, o := w.merchant("Shop"), order("o1")
				if live {
					w.start()
				}
				step := func() { time.Sleep(time.Second) }
				w.emit(shop, o, credit.OrderCreatedEvent) // 1: before the endpoint existed
				e := w.endpoint(shop, "https://shop.example/hook")
				w.emit(shop, o, credit.OrderUpdatedEvent, credit.OrderAuthorizedEvent) // 2, 3: all types
				step()
				w.submit(access.UpdateEndpoint{Endpoint: e.ID, EventTypes: &lending.Patch[[]credit.EventType]{Value: []credit.EventType{credit.OrderCapturedEvent}}})
				w.emit(shop, o, credit.OrderUpdatedEvent)  // 4: not subscribed
				w.emit(shop, o, credit.OrderCapturedEvent) // 5
				step()
				w.submit(access.UpdateEndpoint{Endpoint: e.ID, EventTypes: &lending.Patch[[]credit.EventType]{Value: []credit.EventType{credit.OrderCapturedEvent, credit.OrderRefundedEvent}}})
				w.emit(shop, o, credit.OrderRefundedEvent) // 6
				w.submit(access.TestEndpoint{Endpoint: e.ID})
				step()
				late := w.endpoint(shop, "https://late.example/hook", credit.OrderReturnedEvent)
				w.emit(shop, o, credit.OrderReturnedEvent) // 7: only the late one is subscribed
				step()
				if !live {
					w.start()
				}
				time.Sleep(time.Minute)
				if got, want := w.sequences("shop.example", o), []int64{2, 3, 5, 6}; !slices.Equal(got, want) {
					t.Errorf("received %v, want %v", got, want)
				}
				if got := w.sequences("late.example", o); !slices.Equal(got, []int64{7}) {
					t.Errorf("the late one received %v", got)
				}
				all := w.net.received("shop.example")
				if n := len(all); n != 5 || w.deliveries(e.ID)[4].Type != credit.WebhookTestEvent {
					t.Errorf("%d messages", n)
				}
				if n := len(w.deliveries(late.ID)); n != 1 {
					t.Errorf("the late one has %d deliveries", n)
				}
			})
		})
	}
}

// What waits for an endpoint when it is disabled or deleted is no longer sent, even if it
// is enabled again; what happens while it is disabled never was for it.
func TestClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		var down atomic.Bool
		down.Store(true)
		w.net.answer("shop.example", func(*message) reply {
			if down.Load() {
				return reply{status: 500, after: 100 * time.Millisecond}
			}
			return reply{}
		})
		w.start(func(c *Config) { c.Poll = 10 * time.Second })
		for i := range 5 {
			w.emit(shop, order(fmt.Sprint("o", i%3)), credit.OrderUpdatedEvent)
		}
		time.Sleep(time.Minute)
		w.submit(access.UpdateEndpoint{Endpoint: e.ID, Enabled: value(false)})
		w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
		w.submit(access.UpdateEndpoint{Endpoint: e.ID, Enabled: value(true)})
		down.Store(false)
		w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
		time.Sleep(time.Hour)
		const canceled, sent = store.DeliveryCanceled, store.DeliverySucceeded
		if got, want := w.states(e.ID), append(repeat(5, canceled), sent); !slices.Equal(got, want) {
			t.Errorf("states %v", got)
		}
		down.Store(true)
		w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
		w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
		time.Sleep(time.Minute)
		before := len(w.net.received("shop.example"))
		w.submit(access.DeleteEndpoint{Endpoint: e.ID})
		time.Sleep(100 * time.Hour)
		if got, want := w.states(e.ID)[6:], repeat(2, canceled); !slices.Equal(got, want) {
			t.Errorf("after the end: %v", got)
		}
		if n := len(w.net.received("shop.example")); n != before {
			t.Errorf("%d messages after the end", n-before)
		}
		if d := w.deliveries(e.ID)[6]; d.Error != "The endpoint was deleted." || d.FinishedAt.IsZero() || !d.NextAt.IsZero() {
			t.Errorf("delivery %+v", d)
		}
	})
}

// Deliveries that exist only in the database are canceled too, after a restart.
func TestClosedWhileNobodySends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		disabled, deleted := w.endpoint(shop, "https://a.example/hook"), w.endpoint(shop, "https://b.example/hook")
		for _, host := range []string{"a.example", "b.example"} {
			w.net.answer(host, func(*message) reply { return reply{status: 500} })
		}
		_, stop := w.start()
		for i := range 1200 {
			w.emit(shop, order(fmt.Sprint("o", i)), credit.OrderCreatedEvent)
		}
		time.Sleep(30 * time.Second)
		stop()
		if n := w.pending(); n != 2400 {
			t.Fatalf("%d are pending", n)
		}
		w.submit(access.UpdateEndpoint{Endpoint: disabled.ID, Enabled: value(false)})
		w.submit(access.DeleteEndpoint{Endpoint: deleted.ID})
		w.start()
		time.Sleep(time.Minute)
		if n := w.pending(); n != 0 {
			t.Errorf("%d are pending", n)
		}
	})
}

// What was never turned into deliveries is not sent either, even though the endpoint is
// enabled again: the merchant sees that it was not sent.
func TestClosedBeforeTheSenderCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		w.emit(shop, order("o1"), credit.OrderCreatedEvent)
		w.submit(access.UpdateEndpoint{Endpoint: e.ID, Enabled: value(false)})
		w.submit(access.UpdateEndpoint{Endpoint: e.ID, Enabled: value(true)})
		w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
		w.start()
		time.Sleep(time.Minute)
		if got, want := w.states(e.ID), []store.DeliveryState{store.DeliveryCanceled, store.DeliverySucceeded}; !slices.Equal(got, want) {
			t.Errorf("states %v", got)
		}
		if got := w.sequences("shop.example", order("o1")); !slices.Equal(got, []int64{2}) {
			t.Errorf("received %v", got)
		}
	})
}

func (w *world) pending() (n int) {
	w.Helper()
	if err := w.db.View(context.Background(), func(v store.View) error {
		counts, err := store.Backlog(v)
		for _, x := range counts {
			n += x
		}
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return n
}

// While a secret is rotated both sign; after the overlap the old one stops (EV5).
func TestRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		w.start(func(c *Config) { c.Poll = time.Minute })
		fresh := newSecret()
		accepts := func(m message, secret string) bool {
			library, err := standardwebhooks.NewWebhook(secret)
			if err != nil {
				t.Fatal(err)
			}
			own := Verify(secret, m.header, []byte(m.body), m.at) == nil
			if theirs := library.VerifyIgnoringTimestamp([]byte(m.body), m.header) == nil; theirs != own {
				t.Errorf("the library says %v, we %v", theirs, own)
			}
			return own
		}
		for i, want := range []struct{ old, fresh bool }{{true, false}, {true, true}, {false, true}} {
			switch i {
			case 1:
				w.submit(access.RotateEndpoint{Endpoint: e.ID, Sealed: seal(fresh, credit.SigningSecretOf(e.ID)), At: time.Now()})
			case 2:
				time.Sleep(access.SecretOverlap)
			}
			w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
			time.Sleep(5 * time.Minute)
			got := w.net.received("shop.example")
			if len(got) != i+1 {
				t.Fatalf("%d messages", len(got))
			}
			if accepts(got[i], e.secret) != want.old || accepts(got[i], fresh) != want.fresh {
				t.Errorf("message %d: the old secret %v, the new %v", i+1, accepts(got[i], e.secret), accepts(got[i], fresh))
			}
		}
	})
}

// A secret that cannot be decrypted is our fault: nothing is sent, nothing counts against
// the delivery, and it is sent when the fault is fixed.
func TestSecretThatCannotBeOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		var broken atomic.Bool
		broken.Store(true)
		w.start(func(c *Config) {
			c.Open = func(sealed []byte, about string) ([]byte, error) {
				if broken.Load() {
					return nil, fmt.Errorf("wrong key")
				}
				return open(sealed, about)
			}
		})
		w.emit(shop, order("o1"), credit.OrderCreatedEvent)
		time.Sleep(time.Hour)
		if d := w.deliveries(e.ID)[0]; d.State != store.DeliveryPending || d.Attempts != 0 || len(w.net.received("shop.example")) != 0 {
			t.Errorf("delivery %+v", d)
		}
		broken.Store(false)
		time.Sleep(time.Minute)
		if d := w.deliveries(e.ID)[0]; d.State != store.DeliverySucceeded || d.Attempts != 1 {
			t.Errorf("delivery %+v", d)
		}
	})
}

// A resend keeps identifier and sequence, has deliveries of its own, and includes only what
// the endpoint was subscribed to, from before the request.
func TestResend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop, o := w.merchant("Shop"), order("o1")
		e := w.endpoint(shop, "https://shop.example/hook", credit.OrderUpdatedEvent)
		other := w.endpoint(shop, "https://other.example/hook")
		_, stop := w.start()
		start := time.Now()
		for range 4 {
			w.emit(shop, o, credit.OrderUpdatedEvent)
			time.Sleep(time.Hour)
		}
		w.emit(shop, o, credit.OrderCanceledEvent)
		time.Sleep(time.Minute)
		one := w.submit(access.ResendEvents{Endpoint: e.ID, Event: w.sent[1].ID}).Result.(credit.Resend)
		w.submit(access.ResendEvents{Endpoint: e.ID, Event: w.sent[4].ID}) // not subscribed
		time.Sleep(time.Minute)
		stop() // the next process finds the span
		span := w.submit(access.ResendEvents{
			Endpoint: e.ID, From: start.Add(time.Hour), To: start.Add(30 * 24 * time.Hour), // until now
		}).Result.(credit.Resend)
		w.emit(shop, o, credit.OrderUpdatedEvent) // after the request
		w.start()
		time.Sleep(time.Minute)
		if got, want := w.sequences("shop.example", o)[:5], []int64{1, 2, 3, 4, 2}; !slices.Equal(got, want) {
			t.Errorf("received %v, want %v", got, want)
		}
		last := slices.Sorted(slices.Values(w.sequences("shop.example", o)[5:]))
		if want := []int64{2, 3, 4, 6}; !slices.Equal(last, want) {
			t.Errorf("received %v, want %v", last, want)
		}
		by := map[string]int{}
		for _, d := range w.deliveries(e.ID) {
			by[d.Resend]++
			if d.State != store.DeliverySucceeded || d.Resend == one.ID && (d.Event != w.sent[1].ID || d.Sequence != 2) {
				t.Errorf("delivery %+v", d)
			}
		}
		if by[""] != 5 || by[one.ID] != 1 || by[span.ID] != 3 || len(by) != 3 {
			t.Errorf("deliveries by resend: %v", by)
		}
		if n := len(w.net.received("other.example")); n != 6 {
			t.Errorf("the other endpoint received %d", n)
		}
		_ = other
	})
}

// A span of many events, requested while the receiver is failing: everything arrives, in
// order within the span, and new events do not wait behind it.
func TestResendOfALongSpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		w.start()
		start := time.Now()
		for i := range 1500 {
			w.emit(shop, order(fmt.Sprint("o", i%7)), credit.OrderUpdatedEvent)
		}
		time.Sleep(time.Minute)
		first := len(w.net.received("shop.example"))
		w.net.answer("shop.example", func(m *message) reply { return reply{after: 50 * time.Millisecond} })
		w.submit(access.ResendEvents{Endpoint: e.ID, From: start, To: time.Now().Add(time.Hour)})
		time.Sleep(500 * time.Millisecond)
		w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
		time.Sleep(2 * time.Second)
		before := slices.IndexFunc(w.net.received("shop.example")[first:], func(m message) bool { return m.id == w.sent[1500].ID })
		if before < 0 || before > 600 {
			t.Errorf("the new event came as number %d", before)
		}
		time.Sleep(time.Minute)
		got := w.net.received("shop.example")
		if first != 1500 || len(got) != 3001 {
			t.Fatalf("%d, then %d messages", first, len(got))
		}
		again := map[credit.ObjectRef]int64{}
		for _, m := range got[first:] {
			e := w.sent[slices.IndexFunc(w.sent, func(e store.EventRow) bool { return e.ID == m.id })]
			if e.Sequence > 214 && e.ID == w.sent[1500].ID {
				continue
			}
			if e.Sequence != again[e.Object]+1 {
				t.Fatalf("%s: %d came after %d", e.Object.ID, e.Sequence, again[e.Object])
			}
			again[e.Object]++
		}
		checkOrder(t, w, "shop.example")
	})
}
