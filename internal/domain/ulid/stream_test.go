package ulid

import "testing"

// Identifiers depend only on the decision's instant and seed.
func TestIdentifiersAreDrawn(t *testing.T) {
	g, h := Stream{seed: [16]byte{1}, ms: 1}, Stream{seed: [16]byte{1}, ms: 1}
	if a, b := g.Next("ord_"), h.Next("ord_"); a != b || len(a) != len("ord_")+26 {
		t.Errorf("%s and %s", a, b)
	}
	if a, b := g.Next("ord_"), (&Stream{seed: [16]byte{1}, ms: 2}).Next("ord_"); a >= b {
		t.Errorf("%s does not sort before %s", a, b)
	}
	if n := g.CompanyID(); n < 2_147_483_648 || n > 9_999_999_999 {
		t.Errorf("company %d", n)
	}
}
