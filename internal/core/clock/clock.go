// Package clock tells the time to the edges. Everything below them takes an
// instant as a parameter.
//
// There are two times. Business time (due dates, expiry of authorizations,
// created_at) comes from a Clock, which a sandbox can set. Security time
// (tokens, rate limits, retry delays) is always the wall clock, so that moving a
// sandbox's clock logs nobody out.
package clock

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Clock tells an instant. It is safe for concurrent use and never goes back
// while the process runs, except as far as the machine's own clock does.
type Clock interface {
	Now() time.Time
}

// Wall is the clock of the machine.
type Wall struct{}

// Now returns the current time in UTC.
func (Wall) Now() time.Time { return time.Now().UTC() }

// ErrBackwards says that a clock was asked to go back.
var ErrBackwards = errors.New("clock: never goes back")

// Settable is the business clock of a sandbox. It starts frozen at an instant,
// runs at real speed once resumed, and can be moved forward, never back.
type Settable struct {
	elapsed func() time.Duration // real time, monotonic

	mu     sync.Mutex
	at     time.Time     // what the clock showed at mark
	mark   time.Duration // real time of at
	frozen bool
}

// NewSettable returns a clock that stands still at an instant until Resume.
func NewSettable(at time.Time) *Settable {
	start := time.Now() // its monotonic reading: a machine clock that is set back does not matter
	return newSettable(at, func() time.Duration { return time.Since(start) })
}

func newSettable(at time.Time, elapsed func() time.Duration) *Settable {
	return &Settable{elapsed: elapsed, at: at.UTC().Round(0), frozen: true}
}

// Now returns what the clock shows, in UTC.
func (c *Settable) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

// now is Now while mu is held.
func (c *Settable) now() time.Time {
	if c.frozen {
		return c.at
	}
	return c.at.Add(c.elapsed() - c.mark)
}

// Frozen reports whether the clock stands still.
func (c *Settable) Frozen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frozen
}

// Freeze stops the clock where it is.
func (c *Settable) Freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.frozen = c.now(), true
}

// Resume lets the clock run at real speed from where it is.
func (c *Settable) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.mark, c.frozen = c.now(), c.elapsed(), false
}

// Advance moves the clock forward and returns what it shows then. A negative
// duration is ErrBackwards.
func (c *Settable) Advance(d time.Duration) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set(c.now().Add(d))
}

// AdvanceTo moves the clock forward to an instant. An instant before what it
// shows is ErrBackwards, and the clock stays.
func (c *Settable) AdvanceTo(t time.Time) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set(t.UTC().Round(0))
}

// set moves the clock while mu is held.
func (c *Settable) set(t time.Time) (time.Time, error) {
	now := c.now()
	if t.Before(now) {
		return now, fmt.Errorf("%w: it is at %s", ErrBackwards, now.Format(time.RFC3339))
	}
	c.at, c.mark = t, c.elapsed()
	return t, nil
}
