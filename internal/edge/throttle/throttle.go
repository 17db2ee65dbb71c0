// Package throttle bounds how often something may happen for each of many keys, such
// as a failed sign-in for each network address. Its memory is bounded whatever keys
// come: those that find no room share one allowance.
package throttle

import (
	"sync"
	"time"
)

// Throttle allows every key a number of events at once, and as many again in each
// period. It is safe for concurrent use. A key's whole state is one instant: when the
// events that were counted would have happened if they had come evenly.
type Throttle struct {
	interval time.Duration // between events that come evenly
	room     time.Duration // how far a key may be ahead of the clock
	keys     int           // most keys that are told apart

	mu    sync.Mutex
	even  map[string]time.Time
	rest  time.Time // of all keys that find no place
	swept time.Time
}

// New returns a throttle of n events a period, for at most so many keys. All three
// must be above zero.
func New(n int, period time.Duration, keys int) *Throttle {
	interval := period / time.Duration(n)
	return &Throttle{interval: interval, room: time.Duration(n) * interval, keys: keys, even: map[string]time.Time{}}
}

// Wait says how long from now it takes until the key may have an event: 0 if it may
// have one at once. It counts nothing.
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

// Count notes one event of the key. More than the key may have do not make it wait
// any longer.
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

// place reports whether there is room for one more key. Keys whose events lie long
// enough back are forgotten; they are looked for once an interval at most.
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
