package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// caller is one connection with its random numbers, what it has sent, and what was acknowledged.
// Only its own goroutine uses it while a load runs.
type caller struct {
	*conn
	shop  *shop
	rng   rng
	name  string // unique in the database: prefix of its order numbers and keys
	n     int    // number of orders it has created
	life  life   // the order it is working on
	acked acks   // what was acknowledged
	text  []byte // body under construction, reused
	wrote bool   // the last request of a mix was a write
}

// work sends one request and reads its response. Its error describes an unexpected response.
type work func(c *caller) error

// result is the result of one measurement.
type result struct {
	requests int64
	errors   int64
	first    error // the first of these
	// gap is the longest time for which the generator itself was not scheduled: a response that was
	// late by no more than this was not late.
	gap     time.Duration
	elapsed time.Duration
	latency histogram
	reads   histogram // of these, the reads and the writes of a mix
	writes  histogram
}

// rate is the number of successful requests per second.
func (r *result) rate() float64 {
	if r.elapsed <= 0 {
		return 0
	}
	return float64(r.requests-r.errors) / r.elapsed.Seconds()
}

// tally counts one request.
func (r *result) tally(took time.Duration, err error) {
	r.requests++
	if err != nil {
		r.errors++
		if r.first == nil {
			r.first = err
		}
		return
	}
	r.latency.add(took)
}

func (r *result) merge(o *result) {
	r.requests += o.requests
	r.errors += o.errors
	if r.first == nil {
		r.first = o.first
	}
	r.latency.merge(&o.latency)
	r.reads.merge(&o.reads)
	r.writes.merge(&o.writes)
}

// split counts one request of a mix by its kind.
func (r *result) split(c *caller, took time.Duration, err error) {
	switch {
	case err != nil:
	case c.wrote:
		r.writes.add(took)
	default:
		r.reads.add(took)
	}
}

// crowd runs a function for all callers at the same time and adds up their results.
func crowd(callers []*caller, run func(c *caller, r *result)) *result {
	results := make([]result, len(callers))
	var all sync.WaitGroup
	ended, gap := make(chan struct{}), make(chan time.Duration, 1)
	beat := time.NewTicker(pulse)
	defer beat.Stop()
	go func() { gap <- gaps(beat.C, time.Now, ended) }()
	begin := time.Now()
	for i, c := range callers {
		all.Go(func() { run(c, &results[i]) })
	}
	all.Wait()
	sum := &result{elapsed: time.Since(begin)}
	close(ended)
	sum.gap = <-gap
	for i := range results {
		sum.merge(&results[i])
	}
	return sum
}

// closedLoop makes every caller send its next request as soon as the last one is answered, for
// some time. It waits for the requests then in flight, and counts them.
func closedLoop(ctx context.Context, callers []*caller, d time.Duration, do work) *result {
	end := time.Now().Add(d)
	return crowd(callers, func(c *caller, r *result) {
		for first := true; ctx.Err() == nil; first = false {
			begin := time.Now()
			if !first && !begin.Before(end) { // make at least one request, however late its caller starts
				return
			}
			err := do(c)
			r.tally(time.Since(begin), err)
			if isLost(err) {
				return
			}
		}
	})
}

// arrivals says when the requests of an open loop arrive: evenly, at a rate that does not depend
// on whether earlier ones are answered.
type arrivals struct {
	begin time.Time
	gap   time.Duration
	n     int64 // total number of arrivals
	next  atomic.Int64
}

// newArrivals returns the arrivals for a duration: at least one, so that something is measured.
func newArrivals(begin time.Time, perSecond float64, d time.Duration) *arrivals {
	gap := time.Duration(float64(time.Second) / perSecond)
	return &arrivals{begin: begin, gap: max(gap, 1), n: max(1, int64(d/max(gap, 1)))}
}

// take returns the time of the next untaken arrival, false if there are no more.
func (a *arrivals) take() (time.Time, bool) {
	i := a.next.Add(1) - 1
	return a.begin.Add(time.Duration(i) * a.gap), i < a.n
}

// errLate means that an arrival was not sent before the measurement had to end.
var errLate = errors.New("not sent: the server cannot keep up")

// openLoop sends requests at a fixed rate, each by the first free caller. Latency is counted from
// the scheduled arrival: a request delayed by a slow server has waited, wherever it was delayed.
// What is not sent within twice the time counts as an error.
func openLoop(ctx context.Context, callers []*caller, perSecond float64, d time.Duration, do work) *result {
	begin := time.Now()
	a := newArrivals(begin, perSecond, d)
	limit := begin.Add(2*d + time.Second)
	return crowd(callers, func(c *caller, r *result) {
		for ctx.Err() == nil {
			at, more := a.take()
			if !more {
				return
			}
			if time.Now().After(limit) {
				r.tally(0, errLate)
				continue
			}
			time.Sleep(time.Until(at))
			err := do(c)
			took := time.Since(at)
			r.tally(took, err)
			r.split(c, took, err)
			if isLost(err) {
				return
			}
		}
	})
}

// lostError means that a connection broke: it is unknown whether its last request was carried
// out, and it can send no more.
type lostError struct{ err error }

func (e *lostError) Error() string { return fmt.Sprintf("connection lost: %v", e.err) }
func (e *lostError) Unwrap() error { return e.err }

func isLost(err error) bool {
	var lost *lostError
	return errors.As(err, &lost)
}
