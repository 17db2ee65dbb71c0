package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"tenor/internal/domain/credit"
)

// Whatever mix of commands meets whatever mix of outcomes: every key acts at most once,
// every answer matches a row with its commit sequence, a definite failure leaves nothing,
// and a caller that retries long enough gets its answer.
func TestAnyHistory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, fast, func(c *Config) { c.Batch = rapid.IntRange(1, 5).Draw(rt, "batch") })
		effects := map[string]int64{} // acknowledged sequence by key
		outcomes := rapid.SampledFrom([]outcome{commits, commits, commits, conflicts, fails, unknownApplied, unknownLost})
		for range rapid.IntRange(1, 12).Draw(rt, "rounds") {
			r.backend.script = rapid.SliceOfN(outcomes, 0, 4).Draw(rt, "outcomes")
			r.backend.unresolved = rapid.IntRange(0, 2).Draw(rt, "unresolved")
			var tickets []*Ticket
			for range rapid.IntRange(1, 8).Draw(rt, "commands") {
				tickets = append(tickets, r.put(drawRequest(rt)))
			}
			for r.Step(context.Background()) {
			}
			for _, x := range tickets {
				checkAnswer(rt, r, x, effects)
			}
		}
		checkLog(rt, r)
	})
}

func drawRequest(rt *rapid.T) Request {
	key := rapid.SampledFrom([]string{"", "k1", "k2", "k3", "k4", "k5", "k6"}).Draw(rt, "key")
	q := keyed("c"+key, key)
	switch c := q.Command.(*command); rapid.IntRange(0, 9).Draw(rt, "kind") {
	case 0:
		c.decide = refuse(credit.InvalidTransition)
	case 1:
		c.decide = breaks
	case 2:
		c.admit = func(*credit.State) *credit.Rejection { return &credit.Rejection{Reason: credit.NotFound} }
	case 3:
		q.DryRun = true
	}
	return q
}

func checkAnswer(rt *rapid.T, r *rig, x *Ticket, effects map[string]int64) {
	got, err := x.Result()
	key := x.request.Actor.Key
	switch {
	case errors.Is(err, ErrNotCommitted), errors.Is(err, ErrInternal):
		return
	case errors.Is(err, ErrOutcomeUnknown): // for a repeat with a stored answer
		if _, ok := r.backend.answers[x.key]; !ok {
			rt.Fatalf("%s, which nothing is stored of: %v", key, err)
		}
		return
	case err != nil:
		rt.Fatalf("%s: %v", key, err)
	case x.request.DryRun, got.Status == credit.NotFound.Status:
		if got.Q != 0 && !x.request.DryRun {
			rt.Fatalf("a refusal by existence got sequence %d", got.Q)
		}
		return
	}
	row := r.backend.audits()[got.Q-1]
	if row.Actor.Key != key || row.Command != x.request.Command.Name() {
		rt.Fatalf("answer at %d stands for %s under %q, want %q", got.Q, row.Command, row.Actor.Key, key)
	}
	if key == "" {
		return
	}
	if q, ok := effects[key]; ok && q != got.Q {
		rt.Fatalf("key %s was answered at %d and at %d", key, q, got.Q)
	}
	effects[key] = got.Q
}

// checkLog recomputes the state from the audit log.
func checkLog(rt *rapid.T, r *rig) {
	accepted, keys := 0, map[string]bool{}
	for _, a := range r.backend.audits() {
		if a.Result == "ok" {
			accepted++
		}
		if k := a.Actor.Key; k != "" {
			if keys[k] {
				rt.Fatalf("key %s acted twice", k)
			}
			keys[k] = true
		}
	}
	version := 0
	if c := r.backend.state.Companies[1]; c != nil {
		version = c.Version
	}
	if version != accepted {
		rt.Fatalf("company is at version %d after %d accepted commands", version, accepted)
	}
	if n := len(r.backend.answers); n != len(keys) {
		rt.Fatalf("%d stored answers for %d keys", n, len(keys))
	}
	if fmt.Sprint(r.queue.keys, r.queue.depth, len(r.queue.ring)) != "map[] 0 0" {
		rt.Fatal("the queue is not empty")
	}
}
