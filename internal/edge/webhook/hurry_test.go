package webhook

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// A delivery that waits for its next attempt is sent at once on request, and those of its
// object that precede it go first. One that does not wait is not found.
func TestSendNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop, o := w.merchant("Shop"), order("o1")
		e := w.endpoint(shop, "https://shop.example/hook")
		var down atomic.Bool
		down.Store(true)
		w.net.answer("shop.example", func(*message) reply {
			if down.Load() {
				return reply{status: 500}
			}
			return reply{}
		})
		s, _ := w.start()
		w.emit(shop, o, credit.OrderCreatedEvent, credit.OrderUpdatedEvent)
		time.Sleep(time.Minute) // two attempts have failed, the third is due in minutes
		waiting := w.deliveries(e.ID)
		if d := waiting[0]; d.State != store.DeliveryPending || d.Attempts != 2 || !d.NextAt.After(time.Now().Add(time.Minute)) {
			t.Fatalf("delivery %+v", d)
		}
		before := len(w.net.received("shop.example"))
		down.Store(false)
		if found, err := s.SendNow(context.Background(), waiting[1].ID); !found || err != nil {
			t.Fatalf("found %v, %v", found, err)
		}
		time.Sleep(5 * time.Second)
		if got := w.sequences("shop.example", o)[before:]; len(got) != 2 || got[0] != 1 || got[1] != 2 {
			t.Errorf("received %v", got)
		}
		for _, id := range []string{waiting[0].ID, "dlv_nowhere"} {
			if found, err := s.SendNow(context.Background(), id); found || err != nil {
				t.Errorf("%s: found %v, %v", id, found, err)
			}
		}
	})
}
