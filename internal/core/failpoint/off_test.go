//go:build !failpoint

package failpoint

import "testing"

func TestHitIsNothing(t *testing.T) {
	t.Setenv("TENOR_FAILPOINTS", "before-begin=panic")
	if err := Hit(BeforeBegin); err != nil || Enabled {
		t.Errorf("Hit = %v, Enabled = %v", err, Enabled)
	}
	if n := testing.AllocsPerRun(100, func() { _ = Hit(BeforeBegin) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
