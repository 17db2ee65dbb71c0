package verify

import (
	"testing"

	"tenor/internal/core/store"
)

// Every table is decided again, or has a reason why not.
func TestEveryTableIsComparedOrLeftOut(t *testing.T) {
	times := map[string]int{}
	for _, c := range tables() {
		times[c.Name]++
		if c.called(make([]store.Value, len(c.Columns))) == "" || c.rule == "" && (c.lost == "" || c.more == "") {
			t.Errorf("the rows of %s have no name or break no rule", c.Name)
		}
	}
	for name, why := range uncompared {
		times[name]++
		if why == "" {
			t.Errorf("%s is left out without a reason", name)
		}
	}
	for _, s := range store.Schemas() {
		if times[s.Name] != 1 {
			t.Errorf("%s is compared or left out %d times, want 1", s.Name, times[s.Name])
		}
		delete(times, s.Name)
	}
	if len(times) > 0 {
		t.Errorf("tables that are none: %v", times)
	}
}
