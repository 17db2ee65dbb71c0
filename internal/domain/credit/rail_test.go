package credit_test

import (
	"testing"

	"tenor/internal/domain/credit"
)

// Money either moves by one of our transfers or by hand, and each rail sends in one way and
// has a name for its returns.
func TestRails(t *testing.T) {
	for _, m := range []credit.Method{credit.ACH, credit.Card, credit.Check, credit.Wire, credit.CashM, credit.Other} {
		r := m.Can()
		switch {
		case *r == (credit.Rail{}):
			t.Errorf("%s has no row", m)
		case r.Debit == r.ByHand:
			t.Errorf("%s moves by a transfer: %t, by hand: %t", m, r.Debit, r.ByHand)
		case r.Debit && (r.File == r.Answer || r.Back == ""):
			t.Errorf("%s goes in a file: %t, is answered: %t, and comes back as %q", m, r.File, r.Answer, r.Back)
		case r.Return == (r.Dispute > 0) && r.Debit:
			t.Errorf("%s is returned: %t, and disputed for %d days", m, r.Return, r.Dispute)
		}
	}
	if r := credit.Method("BARTER").Can(); *r != (credit.Rail{}) {
		t.Errorf("what is no method can do %+v", r)
	}
}
