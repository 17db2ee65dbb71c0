package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// caller is one connection with what it has drawn, sent and been promised. Only
// its own goroutine uses it while a load runs.
type caller struct {
	*conn
	shop  *shop
	rng   rng
	name  string // unique in the database: begins its order numbers and keys
	n     int    // of the orders that it has created
	life  life   // the order whose life it is in
	acked acks   // what it was promised
	text  []byte // body under construction, used again
}

// work sends one request and reads its answer. Its error says that the answer was
// not what was asked for, and what it was instead.
type work func(c *caller) error

// result is what one measurement gave.
type result struct {
	requests int64
	errors   int64
	first    error // the first of these
	// gap is the longest time for which the generator itself did not run: an answer
	// that was late by that was not late.
	gap     time.Duration
	elapsed time.Duration
	latency histogram
}

// rate is the number of requests per second that were answered well.
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
}

// crowd has every caller run a function at the same time and sums their results
// up.
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

// closedLoop has every caller send its next request as soon as the last was
// answered, for a time. What is under way then is waited for and counts.
func closedLoop(ctx context.Context, callers []*caller, d time.Duration, do work) *result {
	end := time.Now().Add(d)
	return crowd(callers, func(c *caller, r *result) {
		for first := true; ctx.Err() == nil; first = false {
			begin := time.Now()
			if !first && !begin.Before(end) { // one request is made however late its caller comes
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

// arrivals says when the requests of an open loop arrive: evenly, at a rate that
// does not ask whether earlier ones have been answered.
type arrivals struct {
	begin time.Time
	gap   time.Duration
	n     int64 // arrivals in all
	next  atomic.Int64
}

// newArrivals makes those of a duration: one at least, so that something is measured.
func newArrivals(begin time.Time, perSecond float64, d time.Duration) *arrivals {
	gap := time.Duration(float64(time.Second) / perSecond)
	return &arrivals{begin: begin, gap: max(gap, 1), n: max(1, int64(d/max(gap, 1)))}
}

// take returns the time of the next arrival that nobody has taken, false if there
// are no more.
func (a *arrivals) take() (time.Time, bool) {
	i := a.next.Add(1) - 1
	return a.begin.Add(time.Duration(i) * a.gap), i < a.n
}

// errLate says that an arrival had not been sent when the measurement had to end.
var errLate = errors.New("not sent: the server cannot keep up")

// openLoop sends requests at a rate, each by the first caller that is free. The
// time of an answer is counted from the scheduled arrival: a request that has to
// wait because the server is slow has waited, whoever held it back. What is not
// sent within twice the time counts as an error.
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
			r.tally(time.Since(at), err)
			if isLost(err) {
				return
			}
		}
	})
}

// lostError says that a connection broke: whether its last request was carried out
// is not known, and it can send no more.
type lostError struct{ err error }

func (e *lostError) Error() string { return fmt.Sprintf("connection lost: %v", e.err) }
func (e *lostError) Unwrap() error { return e.err }

func isLost(err error) bool {
	var lost *lostError
	return errors.As(err, &lost)
}
