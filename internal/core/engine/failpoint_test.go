package engine

import (
	"testing"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/failpoint/armed"
)

// A failure before the commit leaves nothing; one after it leaves everything, and the key
// returns the answer (EN13).
func TestErrorAtEveryPoint(t *testing.T) {
	for _, c := range []struct {
		point  failpoint.Point
		errs   [2]error // of the two callers
		effect bool
	}{
		{failpoint.BeforeBegin, [2]error{ErrNotCommitted, ErrNotCommitted}, false},
		{failpoint.AfterLoad, [2]error{ErrNotCommitted, ErrNotCommitted}, false},
		{failpoint.AfterDecide, [2]error{ErrNotCommitted, ErrNotCommitted}, false},
		{failpoint.BeforeAnswer, [2]error{ErrOutcomeUnknown, ErrOutcomeUnknown}, true},
		{failpoint.BetweenAnswers, [2]error{nil, ErrOutcomeUnknown}, true},
	} {
		t.Run(string(c.point), func(t *testing.T) {
			defer armed.Disarm()
			r := newRig(t)
			if _, err := armed.Arm(string(c.point) + "=error"); err != nil {
				t.Fatal(err)
			}
			for i, x := range r.batch(keyed("a", "k"), keyed("b", "l")) {
				body, q := "", int64(0)
				if c.errs[i] == nil {
					body, q = "a", 1
				}
				r.want(x, body, q, c.errs[i])
			}
			if got := r.commands() != ""; got != c.effect {
				t.Errorf("log %q, want an effect: %v", r.commands(), c.effect)
			}
			again := r.batch(keyed("a", "k"), keyed("b", "l"))
			if x := r.want(again[0], "a", 1, nil); x.Replayed != c.effect {
				t.Errorf("replayed: %v, want %v", x.Replayed, c.effect)
			}
			r.want(again[1], "b", 2, nil)
		})
	}
}
