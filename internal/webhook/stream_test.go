package webhook

import (
	"context"
	"slices"
	"testing"
	"time"

	"tenor/internal/credit"
	"tenor/internal/store"
)

// countedView counts how often events are read.
type countedView struct {
	store.View
	streams *int
}

func (v countedView) Stream(merchant string, after store.Place, limit int) ([]store.EventRow, error) {
	*v.streams++
	return v.View.Stream(merchant, after, limit)
}

// Events that were committed after the endpoints were read wait until these are read
// again: they are not asked for over and over, and none is lost. Endpoints at other
// places get theirs nevertheless.
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
	c.readTook = time.Hour // so the next reading of the endpoints is put off
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
