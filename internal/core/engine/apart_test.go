package engine

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
)

// spoils refuses the rows of the named commands, like a constraint that no check covers.
func spoils(why error, names ...string) func(store.Decided) error {
	return func(d store.Decided) error {
		for _, name := range names {
			if d.Audit.Command == "test."+name {
				return fmt.Errorf("row of %s: %w", name, why)
			}
		}
		return nil
	}
}

// A command whose rows the schema refuses is answered alone: its neighbors are unaffected
// (EN12).
func TestOneRefusedByTheSchema(t *testing.T) {
	for _, culprits := range []string{"a", "h", "d", "a h", "c d e", "a b c d e f g h"} {
		t.Run(culprits, func(t *testing.T) {
			r := newRig(t, fast)
			bad := strings.Fields(culprits)
			r.backend.rule = spoils(store.ErrRefused, bad...)
			var requests []Request
			for _, id := range strings.Split("abcdefgh", "") {
				requests = append(requests, request(id))
			}
			q, log := int64(0), ""
			for i, ticket := range r.batch(requests...) {
				id := string(rune('a' + i))
				if strings.Contains(culprits, id) {
					r.want(ticket, "", 0, ErrInternal)
					continue
				}
				q, log = q+1, log+id+" "
				r.want(ticket, id, q, nil)
			}
			if r.commands() != log {
				t.Errorf("log %q, want %q", r.commands(), log)
			}
			if v := r.backend.state.Companies[1]; int64(len(bad)) < 8 && int64(v.Version) != q {
				t.Errorf("company is at version %d, want %d", v.Version, q)
			}
			var told []string
			for _, a := range r.alarms {
				if a.What != AlarmFault || !errors.Is(a.Err, store.ErrRefused) || len(a.Changes.Companies) != 1 {
					t.Errorf("alarm %+v", a)
				}
				told = append(told, strings.TrimPrefix(a.Command.Name(), "test."))
			}
			if strings.Join(told, " ") != culprits {
				t.Errorf("alarms about %v, want %s", told, culprits)
			}
			if r.Health() != nil {
				t.Errorf("health %v", r.Health())
			}
		})
	}
}

// Finding one culprit in a full batch costs a few attempts, not one per command.
func TestOneRefusedCostsLittle(t *testing.T) {
	r := newRig(t, fast)
	r.backend.rule = spoils(store.ErrRefused, "n300")
	var requests []Request
	for i := range MaxBatch {
		requests = append(requests, request(fmt.Sprint("n", i)))
	}
	r.batch(requests...)
	if most := 2 * bits.Len(MaxBatch); r.backend.updates > most {
		t.Errorf("%d attempts, want at most %d", r.backend.updates, most)
	}
	if n := len(r.backend.audits()); n != MaxBatch-1 {
		t.Errorf("%d commands were committed", n)
	}
}

// A name that stays taken is not a conflict; its command is found too.
func TestOneTakenForEver(t *testing.T) {
	r := newRig(t, fast)
	r.backend.rule = spoils(store.ErrTaken, "b")
	got := r.batch(request("a"), request("b"), request("c"))
	r.want(got[0], "a", 1, nil)
	r.want(got[1], "", 0, ErrNotCommitted)
	r.want(got[2], "c", 2, nil)
}

// A duplicate under the culprit's key is decided by itself, and also refused.
func TestRefusedTwins(t *testing.T) {
	r := newRig(t, fast)
	r.backend.rule = spoils(store.ErrRefused, "a")
	got := r.batch(keyed("a", "k"), keyed("a", "k"), keyed("b", "l"))
	r.want(got[0], "", 0, ErrInternal)
	r.want(got[1], "", 0, ErrInternal)
	r.want(got[2], "b", 1, nil)
}

// While an outcome is unknown nothing is split; a half that ends without a definite
// outcome, or a full disk, ends the search.
func TestNotTakenApart(t *testing.T) {
	for _, c := range []struct {
		name            string
		script          []outcome
		first, second   error
		updates, proves int
	}{
		{name: "unknown, was applied", script: []outcome{unknownApplied}, updates: 1, proves: 1},
		{name: "unknown, was lost, then refused, then each alone", script: []outcome{unknownLost, refuses}, updates: 4, proves: 1},
		{name: "a half is full", script: []outcome{refuses, noRoom}, first: ErrReadOnly, second: ErrReadOnly, updates: 2},
		{name: "the second half is full", script: []outcome{refuses, commits, noRoom}, second: ErrReadOnly, updates: 3},
		{name: "a half is unknown, was applied", script: []outcome{refuses, unknownApplied}, updates: 3, proves: 1},
		{name: "a half is unknown, was lost", script: []outcome{refuses, unknownLost}, updates: 4, proves: 1},
		{name: "a half finds no connection", script: []outcome{refuses, fails}, first: ErrNotCommitted, updates: 3},
		{name: "no connection", script: []outcome{fails}, first: ErrNotCommitted, second: ErrNotCommitted, updates: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, fast)
			r.backend.script = c.script
			got := r.batch(request("a"), request("b"))
			q := int64(0)
			for i, want := range []error{c.first, c.second} {
				if want != nil {
					r.want(got[i], "", 0, want)
					continue
				}
				q++
				r.want(got[i], string(rune('a'+i)), q, nil)
			}
			if r.backend.updates != c.updates || r.backend.resolves != c.proves {
				t.Errorf("%d updates, %d resolves, want %d, %d", r.backend.updates, r.backend.resolves, c.updates, c.proves)
			}
		})
	}
}

// If the engine is stopped while one half is in doubt, the other is told that it was not
// tried.
func TestStoppedBetweenHalves(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := newRig(t, func(c *Config) {
		c.After = func(time.Duration) <-chan time.Time { cancel(); return nil }
	})
	r.backend.script, r.backend.unresolved = []outcome{refuses, unknownApplied}, 1
	a, b := r.put(request("a")), r.put(request("b"))
	r.Step(ctx)
	r.want(a, "", 0, ErrOutcomeUnknown)
	r.want(b, "", 0, ErrClosed)
	if r.backend.updates != 2 {
		t.Errorf("%d updates, want 2", r.backend.updates)
	}
}
