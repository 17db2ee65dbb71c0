package webhook

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// ownWait is when to retry an attempt that failed on our side: the database did not answer,
// or a secret could not be decrypted.
const ownWait = 10 * time.Second

// settled is a delivery's result, to be recorded.
type settled struct {
	it       *item
	delivery store.Delivery
	attempt  *store.Attempt // nil: none was made
}

// finish processes the result of an attempt.
func (d *desk) finish(r result) {
	it, e := r.it, r.it.endpoint
	d.free++
	e.duty.inFlight--
	if e.duty.dropped {
		return
	}
	if r.own != nil {
		d.postpone(it, r.own)
		return
	}
	now := d.s.now()
	it.Attempts++
	it.Status, it.Error = r.status, r.reason
	attempt := &store.Attempt{
		Delivery: it.ID, N: it.Attempts, At: r.at, Took: max(r.took, 0), Status: r.status, Error: r.reason, Answer: r.answer,
	}
	if r.reason == "" {
		d.s.stats.delivered.Add(1)
		e.gate.accepted(r.took)
		d.end(it, store.DeliverySucceeded, attempt)
		return
	}
	d.s.stats.failed.Add(1)
	e.gate.failed(r.began, time.Now())
	d.again(it, r, attempt, now)
}

// again decides what happens to a delivery that was not accepted. A 410 is about the
// endpoint as it was tried: if it has changed since, it is an ordinary failure. The 410 of
// a checkout's URL says nothing about other checkouts: it ends that delivery.
func (d *desk) again(it *item, r result, attempt *store.Attempt, now time.Time) {
	e := it.endpoint
	next, again := nextAttempt(it.ID, it.Attempts, now, r.retryAfter)
	switch x := e.versions.now(); {
	case !isOpen(x):
		d.end(it, store.DeliveryCanceled, attempt)
	case r.status == http.StatusGone && x.Kind == credit.EndpointCheckout:
		d.end(it, store.DeliveryParked, attempt)
	case r.status == http.StatusGone && x.Version == r.target.Version:
		if e.leaving == 0 { // nothing is sent to it from now on
			e.leaving = x.Version
			d.gone = append(d.gone, goneEndpoint{e.id, x.Version})
		}
		d.end(it, store.DeliveryParked, attempt)
	case !again:
		d.end(it, store.DeliveryParked, attempt)
	default:
		it.NextAt = next
		d.uncache(it) // memory is for what is sent soon
		d.record(it, attempt)
		e.back(it)
		d.activate(e)
	}
}

// postpone puts back a delivery whose attempt failed on our side. It does not count.
func (d *desk) postpone(it *item, own error) {
	if !errors.Is(own, context.Canceled) {
		d.s.cfg.Log.Error("webhook: attempt", slog.String("delivery", it.ID), slog.Any("error", own))
	}
	if !isOpen(it.endpoint.versions.now()) {
		d.end(it, store.DeliveryCanceled, nil)
		return
	}
	it.NextAt = d.s.now().Add(ownWait)
	it.endpoint.back(it)
	d.activate(it.endpoint)
}

// end finishes a taken delivery.
func (d *desk) end(it *item, state store.DeliveryState, attempt *store.Attempt) {
	it.endpoint.finish(it)
	d.conclude(it, state, attempt)
	d.activate(it.endpoint)
}

// conclude gives a delivery its final state.
func (d *desk) conclude(it *item, state store.DeliveryState, attempt *store.Attempt) {
	it.State, it.NextAt, it.FinishedAt = state, time.Time{}, d.s.now()
	d.uncache(it)
	switch state {
	case store.DeliveryParked:
		d.s.stats.parked.Add(1)
	case store.DeliveryCanceled:
		d.s.stats.canceled.Add(1)
	}
	d.record(it, attempt)
}

// record queues a delivery's current state for recording, with its attempt if there was
// one.
func (d *desk) record(it *item, attempt *store.Attempt) {
	if len(d.settled) == 0 {
		d.oldest = time.Now()
	}
	it.endpoint.duty.unrecorded++
	d.settled = append(d.settled, settled{it, it.Delivery, attempt})
}

func (d *desk) uncache(it *item) {
	d.cached -= len(it.payload)
	it.payload = nil
}
