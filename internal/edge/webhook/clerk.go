package webhook

import (
	"context"
	"fmt"
	"time"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/store"
)

const (
	// backlogEvery is how often unfinished deliveries are counted while we change their
	// number, and backlogRest while only others might. backlogCost bounds the counting to
	// one part of the time.
	backlogEvery = 10 * time.Second
	backlogRest  = 10 * time.Minute
	backlogCost  = 1000
)

// round is the desk's next request to the database: one read and one record.
type round struct {
	leases map[string]store.Lease // of all duties that results may belong to
	duties map[string]store.Lease // whose events are to be turned into deliveries
	work   store.Work             // results; without leases and cursors
	loads  []load
	scan   bool
}

// load requests an endpoint's first unfinished deliveries.
type load struct {
	endpoint string
	limit    int
}

// outcome is the result of a round. With an error nothing was written, and the rest is
// empty.
type outcome struct {
	err       error
	endpoints []endpointNews
	loaded    []loaded
	created   []created
	more      bool // there is more to turn into deliveries
	backlog   int  // unfinished deliveries; -1: not counted
}

// endpointNews is an endpoint that is new to this process or has changed.
type endpointNews struct {
	id       string
	lease    store.Lease // of its duty
	versions history
	backlog  bool // it has unfinished deliveries in the database
}

type loaded struct {
	load
	rows []store.Delivery
}

type created struct {
	delivery store.Delivery
	payload  []byte
}

// clerk executes rounds. Only it reads what is to be delivered and writes the results, and
// it tracks how far each endpoint's events have been turned into deliveries. What it could
// not record it forgets, and reads again.
type clerk struct {
	s *Sender
	streams
	counted   time.Time // when the backlog was
	countTook time.Duration
	changed   bool // since the last count
}

func newClerk(s *Sender) *clerk { return &clerk{s: s, streams: newStreams()} }

func (c *clerk) run(ctx context.Context) {
	for r := range c.s.rounds {
		c.s.closed <- c.round(ctx, r)
	}
}

func (c *clerk) round(ctx context.Context, r round) outcome {
	o := outcome{backlog: -1}
	if len(r.loads) > 0 || r.scan {
		o.err = c.look(ctx, r, &o)
	}
	if o.err == nil {
		o.err = c.record(ctx, r, &o)
	}
	if o.err != nil {
		c.streams = newStreams()
		return outcome{err: o.err, backlog: -1}
	}
	c.recorded()
	return o
}

func (c *clerk) look(ctx context.Context, r round, o *outcome) error {
	ctx, cancel := context.WithTimeout(ctx, viewTimeout)
	defer cancel()
	err := c.s.cfg.Backend.View(ctx, func(v store.View) error {
		for _, l := range r.loads {
			rows, err := store.ListPending(v, l.endpoint, l.limit)
			if err != nil {
				return fmt.Errorf("pending deliveries of %s: %w", l.endpoint, err)
			}
			o.loaded = append(o.loaded, loaded{l, rows})
		}
		if !r.scan {
			return nil
		}
		return c.scan(v, r, o)
	})
	if err != nil {
		return fmt.Errorf("look for events: %w", err)
	}
	return nil
}

// scan turns new events into deliveries, in memory.
func (c *clerk) scan(v store.View, r round, o *outcome) error {
	now := c.s.now()
	every := backlogRest
	if c.changed {
		every = backlogEvery
	}
	if time.Since(c.counted) >= max(every, backlogCost*c.countTook) {
		if err := c.count(v, o); err != nil {
			return err
		}
	}
	if err := c.update(v, r.duties, o); err != nil {
		return err
	}
	if err := c.mark(v); err != nil {
		return err
	}
	if err := c.readResends(v); err != nil {
		return err
	}
	b := &batch{calls: caller{v, c.s.cfg.Sandbox}, now: now, room: maxCreate}
	if err := c.resend(v, b); err != nil {
		return err
	}
	if err := c.fanOut(v, b); err != nil {
		return err
	}
	o.created, o.more = b.created, b.more
	return nil
}

// count counts unfinished deliveries, for metrics.
func (c *clerk) count(v store.View, o *outcome) error {
	start := time.Now()
	counts, err := store.Backlog(v)
	if err != nil {
		return fmt.Errorf("backlog: %w", err)
	}
	o.backlog = 0
	for _, n := range counts {
		o.backlog += n
	}
	c.counted, c.countTook, c.changed = time.Now(), time.Since(start), false
	return nil
}

// record writes results, new deliveries and cursors in one transaction, if the leases of
// everything concerned are still held (EN16). Between an attempt and this is the failpoint:
// a process that dies there sends again.
func (c *clerk) record(ctx context.Context, r round, o *outcome) error {
	work := r.work
	for _, x := range o.created {
		work.Deliveries = append(work.Deliveries, x.delivery)
	}
	work.Cursors = c.cursors()
	if len(work.Deliveries) == 0 && len(work.Cursors) == 0 {
		return nil
	}
	if !c.s.cfg.Alone {
		work.Leases = leasesOf(work, r.leases)
	}
	if len(work.Attempts) > 0 {
		if err := failpoint.Hit(failpoint.BeforeMark); err != nil {
			return fmt.Errorf("record deliveries: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, viewTimeout)
	defer cancel()
	if err := c.s.cfg.Backend.Record(ctx, work); err != nil {
		return fmt.Errorf("record deliveries: %w", err)
	}
	c.changed = true
	return nil
}

// leasesOf lists the leases of the duties that work concerns.
func leasesOf(w store.Work, leases map[string]store.Lease) []store.Lease {
	need := map[string]bool{}
	for _, d := range w.Deliveries {
		need[dutyOf(d.Endpoint)] = true
	}
	for _, x := range w.Cursors {
		need[dutyOf(x.Endpoint)] = true
	}
	var out []store.Lease
	for i := range dutyCount { // in a fixed order, so that two processes do not wait for each other
		if name := dutyName(i); need[name] {
			out = append(out, leases[name])
		}
	}
	return out
}
