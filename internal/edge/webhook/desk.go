package webhook

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"tenor/internal/core/store"
)

const (
	// gather is how long results may wait for others before they are recorded, and the
	// minimum time between two reads of new events: a commit costs the engine's writer.
	gather = 20 * time.Millisecond
	// maxResults is how many results one round records.
	maxResults = 1000
	// maxUnrecorded is how many results may wait for a database that does not accept them.
	// A process that dies sends them again.
	maxUnrecorded = 4 * maxResults
	// leaseMargin is the part of a lease's time before its end in which nothing is started.
	leaseMargin = 10
	// giveUpEvery is how often deliveries of dead endpoints are checked.
	giveUpEvery = time.Minute
	// The backoff after a failed round doubles from the first to the last of these.
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 5 * time.Second
)

// duty is a share of the endpoints, while this process holds its lease.
type duty struct {
	lease      tenure
	leaving    bool // to be handed to another process
	dropped    bool // lost: its results are forgotten
	inFlight   int
	unrecorded int
}

// desk coordinates everything: one goroutine that knows what is in progress, hands attempts
// to workers, and results to the clerk. It waits only on its channels.
type desk struct {
	s         *Sender
	duties    map[string]*duty
	given     map[string]int64 // token of the lease that was last given back
	endpoints map[string]*endpoint
	active    []*endpoint // with deliveries in lanes
	wanting   []*endpoint // with more in the database, next in turn first
	cached    int         // bytes of payloads in memory
	turn      int         // where the next pass over active begins
	free      int         // idle workers
	gone      []goneEndpoint

	settled   []settled // results waiting to be recorded
	recording []settled // results in the current round
	busy      bool      // a round is in progress
	scan      bool      // there may be something new
	stopping  bool
	backoff   time.Duration

	// Monotonic times.
	oldest    time.Time // when the first of settled arrived
	scanned   time.Time // when the last scan began
	notBefore time.Time // no round begins before this
	polled    time.Time
	givenUp   time.Time // when dead endpoints were last checked
}

func newDesk(s *Sender) *desk {
	return &desk{
		s: s, duties: map[string]*duty{}, given: map[string]int64{}, endpoints: map[string]*endpoint{},
		free: s.cfg.Workers, scan: true, givenUp: time.Now(),
	}
}

// run works until the context ends and then until nothing is in progress.
func (d *desk) run(ctx context.Context, cutShort func()) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	stop := ctx.Done()
	var grace <-chan time.Time
	for {
		var gone chan goneEndpoint
		var next goneEndpoint
		if len(d.gone) > 0 {
			gone, next = d.s.gone, d.gone[0]
		}
		select {
		case <-stop:
			d.stopping, stop = true, nil
			grace = time.After(d.s.cfg.Grace)
		case <-grace:
			cutShort()
			grace = time.After(d.s.cfg.Grace) // the database may be equally slow
			if d.free == d.s.cfg.Workers {
				return
			}
		case r := <-d.s.results:
			d.finish(r)
			d.drain()
		case o := <-d.s.closed:
			d.collect(o)
		case h := <-d.s.leases:
			d.assign(h)
		case h := <-d.s.hurries:
			d.hasten(h)
		case gone <- next:
			d.gone = d.gone[1:]
		case <-d.s.news:
			d.scan = true
		case <-timer.C:
		}
		if d.stopping && d.finished() {
			return
		}
		timer.Reset(d.step())
	}
}

// drain takes everything else that has arrived, so that it is settled together.
func (d *desk) drain() {
	for {
		select {
		case r := <-d.s.results:
			d.finish(r)
		default:
			return
		}
	}
}

// finished reports whether a stopping Sender has nothing left to do.
func (d *desk) finished() bool {
	return !d.busy && d.free == d.s.cfg.Workers && (len(d.settled) == 0 || d.backoff > 0)
}

// step does everything possible now, and returns how long to wait at most.
func (d *desk) step() time.Duration {
	tick := time.Now()
	if tick.Sub(d.polled) >= d.s.cfg.Poll {
		d.scan, d.polled = true, tick
	}
	wake := d.s.cfg.Poll
	if !d.stopping {
		if tick.Sub(d.givenUp) >= giveUpEvery {
			d.giveUp(tick)
		}
		wake = min(wake, d.dispatch(tick))
	}
	wake = min(wake, d.begin(tick))
	d.handOver()
	d.s.stats.inFlight.Store(int64(d.s.cfg.Workers - d.free))
	return max(wake, time.Millisecond)
}

// begin starts a round if there is work for it, and returns how long that can wait.
func (d *desk) begin(tick time.Time) time.Duration {
	if d.busy {
		return d.s.cfg.Poll
	}
	if wait := d.notBefore.Sub(tick); wait > 0 {
		return wait
	}
	loads := d.loads(tick)
	ripe := len(d.settled) >= maxResults || d.stopping || tick.Sub(d.oldest) >= gather
	record := len(d.settled) > 0 && ripe
	scan := d.scan && !d.stopping && tick.Sub(d.scanned) >= gather
	if !record && !scan && len(loads) == 0 {
		if len(d.settled) > 0 || d.scan && !d.stopping {
			return gather / 2
		}
		return d.s.cfg.Poll
	}
	r := round{leases: map[string]store.Lease{}, duties: map[string]store.Lease{}, loads: loads, scan: scan}
	for name, x := range d.duties {
		r.leases[name] = x.lease.Lease
		if !x.leaving && d.isOurs(x, tick) {
			r.duties[name] = x.lease.Lease
		}
	}
	d.fill(&r)
	if scan {
		d.scan, d.scanned = false, tick
	}
	d.busy = true
	d.s.rounds <- r // there is room: one round at a time
	return d.s.cfg.Poll
}

// fill puts results into a round, as many as fit. Those of a lost duty are dropped: its
// next holder sends again. For a delivery attempted twice since the last round, only the
// last state is written.
func (d *desk) fill(r *round) {
	n, at := 0, map[string]int{}
	for ; n < len(d.settled) && len(d.recording) < maxResults; n++ {
		x := d.settled[n]
		if x.it.endpoint.duty.dropped {
			continue
		}
		d.recording = append(d.recording, x)
		if i, twice := at[x.delivery.ID]; twice {
			r.work.Deliveries[i] = x.delivery
		} else {
			at[x.delivery.ID] = len(r.work.Deliveries)
			r.work.Deliveries = append(r.work.Deliveries, x.delivery)
		}
		if x.attempt != nil {
			r.work.Attempts = append(r.work.Attempts, *x.attempt)
		}
	}
	d.settled = slices.Delete(d.settled, 0, n)
	d.oldest = time.Now()
}

// collect processes the outcome of a round.
func (d *desk) collect(o outcome) {
	d.busy = false
	for _, e := range d.wanting {
		e.loading = false
	}
	if o.err != nil {
		d.settled = slices.Concat(d.recording, d.settled)
		d.recording = d.recording[:0]
		d.failed(o.err)
		return
	}
	d.backoff, d.notBefore = 0, time.Time{}
	for _, n := range o.endpoints {
		d.learn(n)
	}
	for _, l := range o.loaded {
		d.load(l)
	}
	for _, c := range o.created {
		d.create(c)
	}
	for _, x := range d.recording { // after loading, which may still contain them
		e := x.it.endpoint
		e.duty.unrecorded--
		if x.delivery.State != store.DeliveryPending {
			delete(e.known, x.delivery.ID)
		}
		if !e.versions.now().DeletedAt.IsZero() && len(e.known) == 0 && !e.more {
			delete(d.endpoints, e.id) // nothing arrives for it anymore
		}
	}
	d.recording = d.recording[:0]
	d.scan = d.scan || o.more
	if o.backlog >= 0 {
		d.s.stats.backlog.Store(int64(o.backlog))
	}
}

// failed backs off after a failed round. A lost lease is detected by rechecking all of
// them; work that the database refuses is dropped with everything in memory, and read
// again.
func (d *desk) failed(err error) {
	d.backoff = min(max(2*d.backoff, firstBackoff), lastBackoff)
	d.notBefore = time.Now().Add(d.backoff)
	d.scan = true
	d.s.cfg.Log.Warn("webhook: round", slog.Any("error", err))
	switch {
	case errors.Is(err, store.ErrLeaseLost):
		select {
		case d.s.recheck <- struct{}{}:
		default:
		}
	case errors.Is(err, store.ErrRefused):
		for name, x := range maps.Clone(d.duties) {
			d.drop(name)
			d.duties[name] = &duty{lease: x.lease, leaving: x.leaving}
		}
	}
}

// assign updates which duties we have.
func (d *desk) assign(h holding) {
	for name, x := range d.duties {
		if l, held := h.leases[name]; !held || l.Token != x.lease.Token {
			d.drop(name)
		}
	}
	for name, l := range h.leases {
		if l.Token != 0 && l.Token <= d.given[name] {
			continue // news from before it was given back
		}
		if d.duties[name] == nil {
			d.duties[name] = &duty{}
			d.scan = true
		}
		d.duties[name].lease = l
		d.duties[name].leaving = h.give[name]
	}
}

// drop forgets a duty with its endpoints.
func (d *desk) drop(name string) {
	x := d.duties[name]
	x.dropped = true
	delete(d.duties, name)
	for id, e := range d.endpoints {
		if e.duty != x {
			continue
		}
		for _, it := range e.known {
			d.cached -= len(it.payload)
			it.payload = nil
		}
		delete(d.endpoints, id)
	}
	of := func(e *endpoint) bool { return e.duty == x }
	d.active, d.wanting = slices.DeleteFunc(d.active, of), slices.DeleteFunc(d.wanting, of)
}

// handOver gives back the duties meant for another process, once none of their work is in
// progress.
func (d *desk) handOver() {
	var list []drained
	for name, x := range d.duties {
		if x.leaving && x.inFlight == 0 && x.unrecorded == 0 && !d.busy {
			list = append(list, drained{x.lease.Lease})
			d.given[name] = x.lease.Token
			d.drop(name)
		}
	}
	if len(list) == 0 {
		return
	}
	select {
	case earlier := <-d.s.drained: // which the keeper has not seen yet
		list = append(earlier, list...)
	default:
	}
	d.s.drained <- list
}

// isOurs reports whether a lease is certain to be held for a while.
func (d *desk) isOurs(x *duty, tick time.Time) bool {
	return d.s.cfg.Alone || tick.Before(x.lease.until.Add(-d.s.cfg.Lease/leaseMargin))
}
