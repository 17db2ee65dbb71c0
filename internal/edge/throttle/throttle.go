// Package throttle bounds how often something may happen per key, such as a failed sign-in
// per network address. Its memory is bounded whatever the keys: those without room share
// one allowance.
package throttle

import (
	"sync"
	"time"
)

// Throttle allows every key a number of events at once, and as many again in each period.
// It is safe for concurrent use. A key's whole state is one instant: when the counted
// events would have happened if evenly spaced.
type Throttle struct {
	interval time.Duration // between evenly spaced events
	room     time.Duration // how far a key may be ahead of the clock
	keys     int           // maximum number of distinct keys

	mu    sync.Mutex
	even  map[string]time.Time
	rest  time.Time // of all keys without a place
	swept time.Time
}

// New returns a throttle of n events per period, for at most that many keys. All three must
// be above zero.
func New(n int, period time.Duration, keys int) *Throttle {
	interval := period / time.Duration(n)
	return &Throttle{interval: interval, room: time.Duration(n) * interval, keys: keys, even: map[string]time.Time{}}
}

// Wait returns how long the key must wait for its next event: 0 if it may have one at once.
// It counts nothing.
func (t *Throttle) Wait(key string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, known := t.even[key]
	if !known && len(t.even) >= t.keys {
		at = t.rest
	}
	if !at.After(now) {
		return 0
	}
	return max(0, at.Add(t.interval).Sub(now)-t.room)
}

// Count counts one event of the key. Events beyond the allowance do not lengthen the wait.
func (t *Throttle) Count(key string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, known := t.even[key]
	if !known && !t.place(now) {
		t.rest = t.next(t.rest, now)
		return
	}
	t.even[key] = t.next(at, now)
}

func (t *Throttle) next(at, now time.Time) time.Time {
	if at.Before(now) {
		at = now
	}
	if at = at.Add(t.interval); at.Sub(now) > t.room {
		at = now.Add(t.room)
	}
	return at
}

// place reports whether there is room for one more key. Keys whose events are old enough
// are dropped; the search for them runs at most once per interval.
func (t *Throttle) place(now time.Time) bool {
	if len(t.even) >= t.keys && now.Sub(t.swept) >= t.interval {
		t.swept = now
		for key, at := range t.even {
			if !at.After(now) {
				delete(t.even, key)
			}
		}
	}
	return len(t.even) < t.keys
}
