package invariant

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// CheckAsked verifies, in addition to Check, what no command with a merchant's token may do
// (F41.4): use more of a line than there is. Staff may, with a reason, and so may a bank's
// return. An error is a *Violation, as for Check.
func CheckAsked(c credit.Changes, s *credit.State, by credit.Actor) error {
	if by.Operator {
		return nil
	}
	unfunded := map[int64]money.Amount{} // added by such orders, and not the lender's money
	for _, l := range c.Loans {
		o, old := orderAfter(c, s, l.Key), s.Loans[l.Key]
		if o == nil || o.Terms == nil {
			continue
		}
		if o.Terms.Unfunded {
			unfunded[o.Company] = unfunded[o.Company].Add(l.UnpaidPrincipal()).Sub(unpaidPrincipal(old))
		}
	}
	for _, x := range c.Companies {
		old := s.Companies[x.ID]
		if old == nil {
			continue
		}
		left := x.Available().Add(unfunded[x.ID])
		if left < 0 && left < old.Available() {
			return violated("CL5", "company %d: available credit goes from %s to %s", x.ID, old.Available(), x.Available())
		}
	}
	return nil
}

func unpaidPrincipal(l *schedule.Loan) money.Amount {
	if l == nil {
		return 0
	}
	return l.UnpaidPrincipal()
}

// orderAfter is an order after the command, nil if it is not loaded.
func orderAfter(c credit.Changes, s *credit.State, key string) *credit.Order {
	for _, o := range c.Orders {
		if o.Key == key {
			return o
		}
	}
	return s.Orders[key]
}
