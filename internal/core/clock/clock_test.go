package clock

import (
	"errors"
	"sync"
	"testing"
	"time"
)

var start = time.Date(2026, time.January, 5, 14, 0, 0, 0, time.UTC)

// rig is a settable clock on a real time that the test moves.
func rig() (*Settable, func(time.Duration)) {
	real := 7 * time.Hour // any start
	return newSettable(start, func() time.Duration { return real }), func(d time.Duration) { real += d }
}

func TestSettableStandsStillUntilResumed(t *testing.T) {
	c, pass := rig()
	pass(time.Hour)
	if got := c.Now(); !got.Equal(start) || !c.Frozen() {
		t.Errorf("frozen clock shows %s, want %s", got, start)
	}
	c.Resume()
	pass(90 * time.Second)
	if got, want := c.Now(), start.Add(90*time.Second); !got.Equal(want) {
		t.Errorf("after 90 s it shows %s, want %s", got, want)
	}
	c.Freeze()
	pass(time.Hour)
	c.Resume()
	pass(time.Second)
	if got, want := c.Now(), start.Add(91*time.Second); !got.Equal(want) {
		t.Errorf("after a freeze it shows %s, want %s", got, want)
	}
}

func TestSettableGoesForwardOnly(t *testing.T) {
	for _, frozen := range []bool{true, false} {
		c, pass := rig()
		if !frozen {
			c.Resume()
		}
		got, err := c.Advance(30 * 24 * time.Hour)
		if want := start.AddDate(0, 0, 30); err != nil || !got.Equal(want) {
			t.Errorf("advance: %s, %v, want %s", got, err, want)
		}
		if now, err := c.Advance(-time.Nanosecond); !errors.Is(err, ErrBackwards) || !now.Equal(got) {
			t.Errorf("back by duration: %s, %v", now, err)
		}
		if now, err := c.AdvanceTo(start); !errors.Is(err, ErrBackwards) || !now.Equal(got) {
			t.Errorf("back to an instant: %s, %v", now, err)
		}
		if now, err := c.AdvanceTo(got); err != nil || !now.Equal(got) {
			t.Errorf("to where it is: %s, %v", now, err)
		}
		pass(time.Second)
		want := got
		if !frozen {
			want = got.Add(time.Second)
		}
		if now := c.Now(); !now.Equal(want) {
			t.Errorf("frozen %v: a second later it shows %s, want %s", frozen, now, want)
		}
	}
}

func TestSettableNeverGoesBackUnderConcurrency(t *testing.T) {
	c := NewSettable(start)
	c.Resume()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			last := c.Now()
			for i := range 500 {
				if i%50 == 0 {
					if _, err := c.Advance(time.Minute); err != nil {
						t.Error(err)
					}
				}
				if now := c.Now(); now.Before(last) {
					t.Errorf("%s after %s", now, last)
				} else {
					last = now
				}
			}
		})
	}
	all.Wait()
	if got, least := c.Now(), start.Add(80*time.Minute); got.Before(least) {
		t.Errorf("shows %s, want at least %s", got, least)
	}
}

func TestWallIsUTC(t *testing.T) {
	if got := (Wall{}).Now(); got.Location() != time.UTC || time.Since(got) > time.Minute {
		t.Errorf("wall clock shows %s", got)
	}
}
