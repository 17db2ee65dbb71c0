package credit

import "testing"

// The instant of a decision and its seed are all that its identifiers depend on.
func TestIdentifiersAreDrawn(t *testing.T) {
	g, h := ids{seed: [16]byte{1}, ms: 1}, ids{seed: [16]byte{1}, ms: 1}
	if a, b := g.next(prefixOrder), h.next(prefixOrder); a != b || len(a) != len(prefixOrder)+26 {
		t.Errorf("%s and %s", a, b)
	}
	if a, b := g.next(prefixOrder), (&ids{seed: [16]byte{1}, ms: 2}).next(prefixOrder); a >= b {
		t.Errorf("%s does not sort before %s", a, b)
	}
	if n := g.companyID(); n < 2_147_483_648 || n > 9_999_999_999 {
		t.Errorf("company %d", n)
	}
}
