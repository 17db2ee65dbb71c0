package engine

import (
	"context"
	"errors"
	"testing"
	"time"
)

// fast makes every wait end at once.
func fast(c *Config) {
	c.After = func(time.Duration) <-chan time.Time {
		ch := make(chan time.Time, 1)
		ch <- time.Time{}
		return ch
	}
}

func repeat(o outcome, n int) []outcome {
	all := make([]outcome, n)
	for i := range all {
		all[i] = o
	}
	return all
}

// A commit has three results (EN4). Whatever happens on the way, an answered command was
// executed once, and a failed one never (M3, M4, M5).
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name       string
		script     []outcome
		unresolved int
		err        error // for every caller
		updates    int
		resolves   int
	}{
		{name: "committed", updates: 1},
		{name: "conflict, then committed", script: []outcome{conflicts}, updates: 2},
		{name: "conflicts until the last try", script: repeat(conflicts, maxTries-1), updates: maxTries},
		{name: "conflicts for ever", script: repeat(conflicts, maxTries), err: ErrNotCommitted, updates: maxTries},
		{name: "no connection", script: []outcome{fails}, err: ErrNotCommitted, updates: 1},
		{name: "unknown, was applied", script: []outcome{unknownApplied}, updates: 1, resolves: 1},
		{name: "unknown, was lost", script: []outcome{unknownLost}, updates: 2, resolves: 1},
		{name: "unknown for long, was applied", script: []outcome{unknownApplied}, unresolved: 20, updates: 1, resolves: 21},
		{name: "unknown for long, was lost", script: []outcome{unknownLost}, unresolved: 20, updates: 2, resolves: 21},
		{name: "lost, lost, applied", script: []outcome{unknownLost, unknownLost, unknownApplied}, updates: 3, resolves: 3},
		{name: "lost, then refused for good", script: []outcome{unknownLost, fails}, err: ErrNotCommitted, updates: 2, resolves: 1},
		{name: "disk full", script: []outcome{noRoom}, err: ErrReadOnly, updates: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, fast)
			r.backend.script, r.backend.unresolved = c.script, c.unresolved
			got := r.batch(keyed("a", "k"), request("b"))
			if c.err != nil {
				r.want(got[0], "", 0, c.err)
				r.want(got[1], "", 0, c.err)
				if r.commands() != "" {
					t.Errorf("log %q, want nothing", r.commands())
				}
			} else {
				r.want(got[0], "a", 1, nil)
				r.want(got[1], "b", 2, nil)
				if r.commands() != "a b " {
					t.Errorf("log %q", r.commands())
				}
			}
			if r.backend.updates != c.updates || r.backend.resolves != c.resolves {
				t.Errorf("%d updates, %d resolves, want %d, %d", r.backend.updates, r.backend.resolves, c.updates, c.resolves)
			}
		})
	}
}

// A repeat is never told that nothing happened: its first request is in the books, whether
// or not the repeat's batch succeeds (EN5).
func TestRepeatsOfWhatIsStored(t *testing.T) {
	r := newRig(t, fast)
	r.want(r.batch(keyed("a", "k"))[0], "a", 1, nil)
	r.backend.script = repeat(conflicts, maxTries)
	got := r.batch(keyed("a", "k"), keyed("b", "l"), keyed("b", "l"), request("c"))
	r.want(got[0], "", 0, ErrOutcomeUnknown)
	for _, x := range got[1:] {
		r.want(x, "", 0, ErrNotCommitted)
	}
	if _, err := got[0].Result(); errors.Is(err, ErrNotCommitted) {
		t.Errorf("the repeat is told %v", err)
	}
	r.want(r.batch(keyed("a", "k"))[0], "a", 1, nil)
}

// A full database refuses writes until a probe finds room; then they resume without a
// restart (T11).
func TestFullAndRoomAgain(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Batch = 1 })
	r.backend.script = []outcome{noRoom}
	got := r.batch(request("a"), request("queued"))
	r.want(got[0], "", 0, ErrReadOnly)
	r.want(got[1], "", 0, ErrReadOnly)
	if _, err := r.Enqueue(context.Background(), request("b")); !errors.Is(err, ErrReadOnly) {
		t.Errorf("while full: %v", err)
	}
	if r.Step(context.Background()) || !errors.Is(r.Health(), ErrReadOnly) {
		t.Error("a probe of a full database opened the queue")
	}
	r.backend.full = false
	if !r.Step(context.Background()) || r.Health() != nil {
		t.Errorf("after room was made: health %v", r.Health())
	}
	r.want(r.batch(request("c"))[0], "c", 1, nil)
}

// If the engine is stopped while a commit's outcome is unknown, nobody is told that it
// failed.
func TestStoppedWhileUnknown(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := newRig(t, func(c *Config) {
		c.After = func(time.Duration) <-chan time.Time { cancel(); return nil }
	})
	r.backend.script, r.backend.unresolved = []outcome{unknownApplied}, 1
	x := r.put(keyed("a", "k"))
	r.Step(ctx)
	r.want(x, "", 0, ErrOutcomeUnknown)
	if r.backend.updates != 1 {
		t.Errorf("%d updates, want 1", r.backend.updates)
	}
}

// Each attempt is a new batch: decisions from before a conflict are forgotten (M10).
func TestNothingOutlivesAnAttempt(t *testing.T) {
	r := newRig(t, fast)
	r.backend.script = []outcome{conflicts, unknownLost}
	got := r.batch(keyed("a", "k"), keyed("a", "k"), request("b"))
	r.want(got[0], "a", 1, nil)
	if x := r.want(got[1], "a", 1, nil); !x.Replayed {
		t.Error("the twin was not a replay")
	}
	r.want(got[2], "b", 2, nil)
	if v := r.backend.state.Companies[1].Version; v != 2 {
		t.Errorf("company is at version %d, want 2", v)
	}
	if s := r.Stats(); s.Conflicts != 2 || s.CommitUnknown != 1 || s.CommitResolved != 1 {
		t.Errorf("stats %+v", s)
	}
}
