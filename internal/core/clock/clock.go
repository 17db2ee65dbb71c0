// Package clock tells the time to the edges. Everything below them takes an instant as a
// parameter.
//
// There are two times. Business time (due dates, expiry of authorizations, created_at)
// comes from a Clock, which a sandbox can set. Security time (tokens, rate limits, retry
// delays) is always the wall clock, so that moving a sandbox's clock logs nobody out.
package clock

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Clock returns the current instant. It is safe for concurrent use and never goes back
// while the process runs, except as far as the machine's own clock does.
type Clock interface {
	Now() time.Time
}

// Wall is the machine's clock.
type Wall struct{}

// Now returns the current time in UTC.
func (Wall) Now() time.Time { return time.Now().UTC() }

// ErrBackwards means that a clock was asked to go back.
var ErrBackwards = errors.New("clock: never goes back")

// Settable is the business clock of a sandbox. It starts frozen at an instant,
// runs at real speed once resumed, and can be moved forward, never back.
type Settable struct {
	elapsed func() time.Duration // real time, monotonic

	mu     sync.Mutex
	at     time.Time     // what the clock read at mark
	mark   time.Duration // real time of at
	frozen bool
}

// NewSettable returns a clock frozen at an instant until Resume.
func NewSettable(at time.Time) *Settable {
	start := time.Now() // its monotonic reading: setting the machine's clock back does not matter
	return newSettable(at, func() time.Duration { return time.Since(start) })
}

func newSettable(at time.Time, elapsed func() time.Duration) *Settable {
	return &Settable{elapsed: elapsed, at: at.UTC().Round(0), frozen: true}
}

// Now returns the clock's time, in UTC.
func (c *Settable) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

// now is Now with mu held.
func (c *Settable) now() time.Time {
	if c.frozen {
		return c.at
	}
	return c.at.Add(c.elapsed() - c.mark)
}

// Frozen reports whether the clock is frozen.
func (c *Settable) Frozen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frozen
}

// Freeze stops the clock at its current time.
func (c *Settable) Freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.frozen = c.now(), true
}

// Resume lets the clock run at real speed from its current time.
func (c *Settable) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.mark, c.frozen = c.now(), c.elapsed(), false
}

// Advance moves the clock forward and returns its new time. A negative duration is
// ErrBackwards.
func (c *Settable) Advance(d time.Duration) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set(c.now().Add(d))
}

// AdvanceTo moves the clock forward to an instant. An earlier instant is ErrBackwards, and
// the clock stays.
func (c *Settable) AdvanceTo(t time.Time) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set(t.UTC().Round(0))
}

// set moves the clock with mu held.
func (c *Settable) set(t time.Time) (time.Time, error) {
	now := c.now()
	if t.Before(now) {
		return now, fmt.Errorf("%w: it is at %s", ErrBackwards, now.Format(time.RFC3339))
	}
	c.at, c.mark = t, c.elapsed()
	return t, nil
}
