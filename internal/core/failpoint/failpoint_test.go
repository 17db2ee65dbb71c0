package failpoint

import "testing"

// A program that is not armed stops nowhere, whatever its environment says.
func TestHitIsNothing(t *testing.T) {
	t.Setenv("TENOR_FAILPOINTS", "before-begin=panic")
	if err := Hit(BeforeBegin); err != nil || Installed() {
		t.Errorf("Hit = %v, installed: %v", err, Installed())
	}
	if n := testing.AllocsPerRun(100, func() { _ = Hit(BeforeBegin) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
