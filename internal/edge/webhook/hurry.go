package webhook

import (
	"container/heap"
	"context"
	"time"

	"tenor/internal/core/store"
)

// hurry requests an attempt of a delivery without its wait.
type hurry struct {
	delivery string
	done     chan bool // capacity one
}

// SendNow attempts a waiting delivery now, with those of its object that must precede it.
// It returns false if the delivery does not wait in this process: it is finished, in
// flight, or another process's. It is for a sandbox, where people watch; the attempt counts
// like any other.
func (s *Sender) SendNow(ctx context.Context, delivery string) (bool, error) {
	h := hurry{delivery, make(chan bool, 1)}
	select {
	case s.hurries <- h:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	select {
	case found := <-h.done:
		return found, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// hasten makes a delivery due, and opens its endpoint's gate for one attempt.
func (d *desk) hasten(h hurry) {
	h.done <- d.isHastened(h.delivery)
}

func (d *desk) isHastened(delivery string) bool {
	for _, e := range d.endpoints {
		it := e.known[delivery]
		if it == nil || it.State != store.DeliveryPending {
			continue
		}
		l := e.lanes[laneKey{it.Object, it.Resend}]
		if l == nil || l.index < 0 { // the first of its lane is in flight
			return false
		}
		now := d.s.now()
		for _, x := range l.items {
			if x.NextAt.After(now) {
				x.NextAt = now
			}
			if x == it {
				break
			}
		}
		heap.Fix(&e.ready, l.index)
		e.gate.next = time.Time{}
		d.activate(e)
		return true
	}
	return false
}
