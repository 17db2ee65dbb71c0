package contracttest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestContract walks the whole contract: for every operation each documented status, and each
// request that it forbids. It ends with a count of what has been seen; a status that is never
// returned is in the list of unreached, with its reason.
func TestContract(t *testing.T) {
	c := readContract(t)
	parts := 0
	t.Run("statuses", func(t *testing.T) {
		parts++
		for _, op := range c.ops {
			t.Run(op.OperationID, func(t *testing.T) { in(t, c).reachAll(op) })
		}
	})
	t.Run("faults", func(t *testing.T) {
		parts++
		for _, op := range c.ops {
			t.Run(op.OperationID, func(t *testing.T) { in(t, c).sweep(op) })
		}
	})
	t.Run("bounds", func(t *testing.T) {
		parts++
		for _, op := range c.ops {
			t.Run(op.OperationID, func(t *testing.T) {
				w := in(t, c)
				w.strangersObjects(op)
				w.outages(op)
				w.cursors(op)
			})
		}
	})
	t.Run("walk", func(t *testing.T) {
		parts++
		counts := map[string]int{}
		rapid.Check(t, func(rt *rapid.T) {
			k := newWalker(rt, c, counts)
			defer k.stop()
			for range rapid.IntRange(4, 16).Draw(rt, "steps") {
				k.step()
			}
		})
		t.Logf("%v", counts)
	})
	if parts == 4 {
		c.cover(t)
	}
}

// cover counts what has been seen.
func (c *contract) cover(t *testing.T) {
	t.Helper()
	statuses, reached := 0, 0
	for _, op := range c.ops {
		for _, status := range op.statuses() {
			statuses++
			name := fmt.Sprint(op.OperationID, " ", status)
			why := unreached[name]
			switch seen := c.seen[name] > 0; {
			case seen && why != "":
				t.Errorf("%s is reached: take it from the list (%s)", name, why)
			case seen:
				reached++
			case why == "":
				t.Errorf("%s is documented, and no request got it", name)
			}
		}
	}
	unseen, codes := c.unseen()
	if codes-len(unseen) < codes*9/10 {
		t.Errorf("only %d of %d codes: %q", codes-len(unseen), codes, unseen)
	}
	c.codes(t)
	t.Logf("%d operations, %d of %d statuses, %d of %d codes, %d requests", len(c.ops), reached, statuses, codes-len(unseen), codes, c.requests)
	for name, why := range unreached {
		t.Logf("not reached: %s, because %s", name, why)
	}
	t.Logf("codes that no request got: %q", unseen)
}
