package invariant

import "tenor/internal/domain/credit"

// lender requires that the lender's record matches the books: the allowance is what has been
// posted, and no month precedes one that was already provided for or closed.
func (k *checker) lender() error {
	old, now := k.s.TheLender(), k.s.TheLender()
	if len(k.c.Lenders) > 0 {
		now = k.c.Lenders[len(k.c.Lenders)-1]
	}
	switch {
	case now.Allowance.Sub(old.Allowance) != credit.AllowanceMoved(k.c.Entries):
		return violated("LG3", "the allowance goes from %s to %s, postings add up to %s", old.Allowance, now.Allowance, credit.AllowanceMoved(k.c.Entries))
	case now.ProvisionedThrough < old.ProvisionedThrough || now.ClosedTo < old.ClosedTo:
		return violated("LG7", "a date moves back: provisioned through %s to %s, closed to %s to %s", old.ProvisionedThrough, now.ProvisionedThrough, old.ClosedTo, now.ClosedTo)
	}
	return nil
}
