package webhook

import (
	"cmp"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

const (
	// lowWater is the number of deliveries in memory below which more are read.
	lowWater = 250
	// loadStep is how many more are read, up to maxKnown, or maxDead if the endpoint gets
	// only probes.
	loadStep = 500
	maxKnown = 5000
	maxDead  = 1000
	// maxLoads is for how many endpoints one round reads.
	maxLoads = 16
	// maxCached is how many bytes of payloads are kept in memory for the first attempt.
	maxCached = 32 << 20
)

// activate adds an endpoint to the list of those with something to send.
func (d *desk) activate(e *endpoint) {
	if !e.active && len(e.ready) > 0 {
		e.active = true
		d.active = append(d.active, e)
	}
}

// dispatch hands due deliveries to workers, one per endpoint in turn, and returns how long
// nothing more will be due.
func (d *desk) dispatch(tick time.Time) time.Duration {
	now := d.s.now()
	d.active = slices.DeleteFunc(d.active, func(e *endpoint) bool {
		e.active = len(e.ready) > 0
		return !e.active
	})
	for begun := true; begun && d.free > 0; {
		begun = false
		for i := range d.active {
			e := d.active[(d.turn+i)%len(d.active)]
			if d.mayBegin(e, now, tick) {
				d.beginAttempt(e)
				begun = true
			}
		}
		d.turn++
	}
	return d.rest(now, tick)
}

// mayBegin reports whether an attempt may begin at an endpoint. However many endpoints
// hang, each takes only a part of the workers left by the others, so that there is always
// one for an endpoint that has none.
func (d *desk) mayBegin(e *endpoint, now, tick time.Time) bool {
	at, waits := e.nextAt()
	return waits && !at.After(now) && d.free > 0 && e.inFlight < max(1, d.free/2) && len(d.settled) < maxUnrecorded &&
		d.isReady(e, tick) && e.gate.allows(e.inFlight, tick)
}

// isReady reports whether anything may be sent to an endpoint.
func (d *desk) isReady(e *endpoint, tick time.Time) bool {
	return !e.duty.leaving && e.leaving == 0 && d.isOurs(e.duty, tick) && isOpen(e.versions.now())
}

func (d *desk) beginAttempt(e *endpoint) {
	it := e.take()
	d.free--
	e.duty.inFlight++
	d.s.jobs <- job{ // there is room: as many as there are workers
		it: it, id: it.ID, event: it.Event, merchant: it.Merchant, payload: it.payload, target: e.versions.now(), url: cmp.Or(it.URL, e.versions.now().URL),
	}
}

// rest is how long until the next delivery is due, and records how late the latest one is.
// What only waits for a worker or a lease is triggered by its news.
func (d *desk) rest(now, tick time.Time) time.Duration {
	wake, lag := d.s.cfg.Poll, time.Duration(0)
	for _, e := range d.active {
		at, waits := e.nextAt()
		if !waits {
			continue
		}
		wait := at.Sub(now)
		if e.gate.shut() {
			wait = max(wait, e.gate.next.Sub(tick))
		} else {
			lag = max(lag, -wait)
		}
		if wait > 0 {
			wake = min(wake, wait)
		}
	}
	d.s.stats.lag.Store(int64(lag))
	return wake
}

// loads lists the endpoints for which more deliveries are to be read: those that could
// send, and have little in memory. The chosen ones go to the end of the queue.
func (d *desk) loads(tick time.Time) []load {
	now := d.s.now()
	var out []load
	var later []*endpoint
	d.wanting = slices.DeleteFunc(d.wanting, func(e *endpoint) bool {
		at, waits := e.nextAt()
		short := e.queued < lowWater || !waits || at.After(now)
		limit := len(e.known) + loadStep
		if e.loading || !short || limit > e.limit() || e.duty.leaving || !d.isOurs(e.duty, tick) || len(out) == maxLoads {
			return false
		}
		e.loading = true
		out, later = append(out, load{endpoint: e.id, limit: limit}), append(later, e)
		return true
	})
	d.wanting = append(d.wanting, later...)
	return out
}

// limit is how many deliveries of the endpoint are kept in memory.
func (e *endpoint) limit() int {
	if e.gate.shut() {
		return maxDead
	}
	return maxKnown
}

// load adds deliveries that were read.
func (d *desk) load(l loaded) {
	e := d.endpoints[l.endpoint]
	if e == nil {
		return
	}
	for _, row := range l.rows {
		e.add(row, nil)
	}
	if len(l.rows) == l.limit {
		d.want(e)
	} else {
		e.more = false
		d.wanting = slices.DeleteFunc(d.wanting, func(x *endpoint) bool { return x == e })
	}
	d.cancel(e)
	d.activate(e)
}

// create adds a delivery that was just written. If others wait in the database, it waits
// there too.
func (d *desk) create(c created) {
	e := d.endpoints[c.delivery.Endpoint]
	if e == nil || c.delivery.State != store.DeliveryPending {
		return
	}
	if e.more || len(e.known) >= e.limit() {
		d.want(e)
		return
	}
	if d.cached+len(c.payload) > maxCached {
		c.payload = nil
	}
	if e.add(c.delivery, c.payload) {
		d.cached += len(c.payload)
	}
	d.activate(e)
}

// want queues an endpoint that has more in the database.
func (d *desk) want(e *endpoint) {
	if !e.more {
		e.more = true
		d.wanting = append(d.wanting, e)
	}
}

// learn processes an endpoint that is new or has changed.
func (d *desk) learn(n endpointNews) {
	x := d.duties[n.lease.Name]
	if x == nil || x.lease.Token != n.lease.Token {
		return
	}
	e := d.endpoints[n.id]
	if e == nil {
		e = newEndpoint(n.id, x, n.versions)
		d.endpoints[n.id] = e
	}
	if e.versions.now().URL != n.versions.now().URL {
		e.gate = newGate() // the old URL's behavior says nothing about the new one
	}
	e.versions = n.versions
	if e.leaving < n.versions.now().Version {
		e.leaving = 0
	}
	if n.backlog {
		d.want(e)
	}
	d.cancel(e)
}

// cancel cancels what waits for an endpoint that was disabled or deleted. Attempts in
// progress end by themselves.
func (d *desk) cancel(e *endpoint) {
	closed := !isOpen(e.versions.now())
	for _, it := range e.remove(func(it *item) bool {
		return closed || it.Resend == "" && e.versions.closedAfter(it.Place.Q)
	}) {
		it.Error = canceledReason(e.versions.now())
		d.conclude(it, store.DeliveryCanceled, nil)
	}
}

// canceledReason is why nothing more is sent.
func canceledReason(x *credit.Endpoint) string {
	switch {
	case !x.DeletedAt.IsZero():
		return "The endpoint was deleted."
	case x.DisabledReason == credit.DisabledGone:
		return "The endpoint was disabled, because it answered 410."
	}
	return "The endpoint was disabled."
}

// giveUp parks deliveries of dead endpoints that are older than the maximum retry time:
// most of them had fewer than ten attempts, because such an endpoint gets only probes.
func (d *desk) giveUp(tick time.Time) {
	d.givenUp = tick
	now := d.s.now()
	for _, e := range d.active {
		if !e.gate.dead(tick) {
			continue
		}
		for _, it := range e.remove(func(it *item) bool { return now.Sub(it.CreatedAt) >= patience }) {
			if it.Error == "" {
				it.Error = "The endpoint accepted nothing for three days."
			}
			d.conclude(it, store.DeliveryParked, nil)
		}
	}
}
