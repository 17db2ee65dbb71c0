package throttle

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

var start = time.Date(2026, time.March, 6, 17, 0, 0, 0, time.UTC)

// take counts events of a key until it has to wait, at most 1000.
func take(t *Throttle, key string, now time.Time) int {
	for n := range 1000 {
		if t.Wait(key, now) > 0 {
			return n
		}
		t.Count(key, now)
	}
	return 1000
}

func TestAllowance(t *testing.T) {
	x := New(6, time.Minute, 10)
	if n := take(x, "a", start); n != 6 {
		t.Fatalf("%d events at once, want 6", n)
	}
	if w := x.Wait("a", start); w != 10*time.Second {
		t.Errorf("wait %s, want 10s: a sixth of a minute", w)
	}
	if w := x.Wait("b", start); w != 0 {
		t.Errorf("another key waits %s", w)
	}
	if w := x.Wait("a", start.Add(10*time.Second-1)); w != 1 {
		t.Errorf("a moment before: %s", w)
	}
	if n := take(x, "a", start.Add(25*time.Second)); n != 2 {
		t.Errorf("%d events after 25s, want 2", n)
	}
	if n := take(x, "a", start.Add(time.Hour)); n != 6 {
		t.Errorf("%d events after an hour, want 6", n)
	}
}

// Events beyond the allowance, such as many concurrent ones, do not lengthen the wait: a
// stronger attack does not lock anybody out for longer.
func TestMoreEventsDoNotLockForLonger(t *testing.T) {
	x := New(6, time.Minute, 10)
	for range 1000 {
		x.Count("a", start)
	}
	if w := x.Wait("a", start); w != 10*time.Second {
		t.Errorf("wait %s, want 10s", w)
	}
}

// A flood of keys takes no more memory than there are places, and keys without a place
// share one allowance.
func TestMemoryIsBounded(t *testing.T) {
	x := New(6, time.Minute, 100)
	for i := range 100 {
		x.Count(fmt.Sprint("first ", i), start)
	}
	counted := 0
	for i := range 10_000 {
		key := fmt.Sprint("flood ", i)
		if x.Wait(key, start) == 0 {
			counted++
			x.Count(key, start)
		}
	}
	if len(x.even) != 100 || counted != 6 {
		t.Errorf("%d keys told apart, %d events of the flood, want 100 and 6", len(x.even), counted)
	}
	if w := x.Wait("first 7", start); w != 0 {
		t.Errorf("a key that has its place waits %s for the flood", w)
	}
	// Once the first are idle their places are free.
	x.Count("late", start.Add(time.Minute))
	if _, ok := x.even["late"]; !ok || len(x.even) != 1 {
		t.Errorf("%d keys, the late one among them: %v", len(x.even), ok)
	}
}

func TestManyAtOnce(t *testing.T) {
	x := New(1000, time.Minute, 4)
	var done sync.WaitGroup
	for i := range 8 {
		done.Add(1)
		go func() {
			defer done.Done()
			for range 100 {
				x.Wait(fmt.Sprint(i), start)
				x.Count(fmt.Sprint(i), start)
			}
		}()
	}
	done.Wait()
	if len(x.even) != 4 {
		t.Errorf("%d keys, want 4", len(x.even))
	}
}
