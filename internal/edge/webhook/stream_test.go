package webhook

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
)

// countedView counts how often events are read.
type countedView struct {
	store.View
	streams *int
}

func (v countedView) Events(f store.EventFilter) ([]store.EventRow, error) {
	*v.streams++
	return v.View.Events(f)
}

// Three endpoints request resends of long spans while events of a fourth arrive. A round
// has room for some chunks of spans: they take turns, and each round creates what is new,
// however few of a span's events an endpoint wants.
func TestResendsTakeTurns(t *testing.T) {
	for _, wanted := range []int{0, 1, 3, 4} {
		t.Run(fmt.Sprintf("%d of 4 are wanted", wanted), func(t *testing.T) { resendsTakeTurns(t, wanted) })
	}
}

func resendsTakeTurns(t *testing.T, wanted int) {
	w := newWorld(t)
	four := slices.Concat(slices.Repeat([]credit.EventType{credit.OrderCreatedEvent}, wanted), slices.Repeat([]credit.EventType{credit.OrderUpdatedEvent}, 4-wanted))
	start, duties, ids := time.Now().Add(-time.Hour), map[string]store.Lease{}, []string{}
	for _, name := range []string{"a", "b", "c", "new"} {
		shop := w.merchant(name)
		id := w.endpoint(shop, "https://"+name+".example/hook", credit.OrderCreatedEvent).ID
		duties[dutyOf(id)] = store.Lease{Name: dutyOf(id), Token: 1}
		ids = append(ids, id)
		for i := range 2 * maxCreate / 100 {
			w.emit(shop, order(fmt.Sprint(name, i)), slices.Repeat(four, 25)...)
		}
	}
	c := newStreams()
	round := func() (made map[string]int, more bool) {
		t.Helper()
		b := &batch{now: time.Now(), room: maxCreate}
		c.readAt = time.Time{} // long ago: the endpoints are read again, and news with them
		if err := w.db.View(context.Background(), func(v store.View) error {
			if err := c.update(v, duties, &outcome{}); err != nil {
				return err
			}
			if err := c.mark(v); err != nil {
				return err
			}
			return errors.Join(c.readResends(v), c.resend(v, b), c.fanOut(v, b))
		}); err != nil {
			t.Fatal(err)
		}
		made = map[string]int{}
		for _, d := range b.created {
			made[d.delivery.Endpoint]++
		}
		return made, b.more
	}
	for _, more := round(); more; {
		_, more = round()
	}
	spans, fourth := ids[:3], ids[3]
	for _, id := range spans {
		w.submit(access.ResendEvents{Endpoint: id, From: start, To: time.Now().Add(time.Hour)})
	}
	shop := c.byID[fourth].merchant
	sum := map[string]int{}
	for n := 1; ; n++ {
		w.emit(shop, order("new"), credit.OrderCreatedEvent)
		made, more := round()
		if made[fourth] != 1 {
			t.Fatalf("round %d: %d new deliveries, want 1", n, made[fourth])
		}
		least, most := math.MaxInt, 0
		for _, id := range spans {
			sum[id] += made[id]
			least, most = min(least, sum[id]), max(most, sum[id])
		}
		if most-least > resendChunk {
			t.Fatalf("round %d: sent again %v", n, sum)
		}
		if !more {
			break
		}
	}
	for _, id := range spans {
		if want := 2 * maxCreate * wanted / 4; sum[id] != want {
			t.Errorf("sent again in all %v, want %d each", sum, want)
		}
	}
}

// Events committed after the endpoints were read wait until these are read again: they are
// not read over and over, and none is lost. Endpoints at other places still get theirs.
func TestEventsAfterTheEndpoints(t *testing.T) {
	w := newWorld(t)
	shop := w.merchant("Shop")
	first := w.endpoint(shop, "https://first.example/hook").ID
	w.emit(shop, order("o1"), credit.OrderCreatedEvent, credit.OrderAuthorizedEvent)
	second := w.endpoint(shop, "https://second.example/hook").ID
	w.emit(shop, order("o2"), credit.OrderCreatedEvent)
	duties := map[string]store.Lease{}
	for _, id := range []string{first, second} {
		duties[dutyOf(id)] = store.Lease{Name: dutyOf(id), Token: 1}
	}
	c, got, reads := newStreams(), map[string]int{}, 0
	round := func(marks bool) {
		t.Helper()
		reads = 0
		b := &batch{now: time.Now(), room: maxCreate}
		err := w.db.View(context.Background(), func(v store.View) error {
			counted := countedView{v, &reads}
			if err := c.update(counted, duties, &outcome{}); err != nil || !marks {
				return err
			}
			if err := c.mark(counted); err != nil {
				return err
			}
			return c.fanOut(counted, b)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range b.created {
			got[d.delivery.Endpoint]++
		}
	}
	round(false)
	c.readTook = time.Hour // so the next reading of the endpoints is delayed
	w.emit(shop, order("o3"), slices.Repeat([]credit.EventType{credit.OrderCreatedEvent}, 3)...)
	round(true)
	if got[first] != 3 || got[second] != 1 {
		t.Errorf("before the endpoints are read again: %v", got)
	}
	if reads > 2 {
		t.Errorf("%d reads of events for endpoints at two places", reads)
	}
	c.readTook = 0
	round(true)
	if got[first] != 6 || got[second] != 4 {
		t.Errorf("afterwards: %v", got)
	}
}
