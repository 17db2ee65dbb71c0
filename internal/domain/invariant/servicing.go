package invariant

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// lateFees requires that an installment has at most one late fee, and that a new one is what
// the rule allows (PA10, F10).
func (k *checker) lateFees(o *credit.Order, old, l *schedule.Loan) error {
	seen := map[int]bool{}
	for _, f := range l.Fees {
		if f.Kind != schedule.LateFeeKind {
			continue
		}
		if seen[f.Installment] {
			return violated("PA10", "row %d of order %s has two late fees", f.Installment, l.Key)
		}
		seen[f.Installment] = true
		known := old != nil && slices.ContainsFunc(old.Fees, func(x schedule.Fee) bool { return x.ID == f.ID }) ||
			slices.ContainsFunc(k.s.History[l.Key], func(e credit.MoneyEvent) bool { return e.ID == f.ID }) // money that had undone it has come back
		if m := k.s.Merchants[o.Merchant]; m != nil && !known {
			most := l.Rows[f.Installment-1].Amount()
			if old != nil { // a refund in the same command has reduced it
				most = max(most, old.Rows[f.Installment-1].Amount())
			}
			if err := freshFee(o, l.Rows[f.Installment-1], f, most, m.SettingsOf(o)); err != nil {
				return err
			}
		}
	}
	return nil
}

// freshFee requires that a late fee comes after the grace days, not during a hold that began
// before the run's day, not on an order that a merchant manages, and is no more than the rate
// of the whole installment and the cap.
func freshFee(o *credit.Order, row schedule.Row, f schedule.Fee, most money.Amount, s *credit.Settings) error {
	dispute := schedule.Relief{}
	for _, h := range o.Servicing.Holds {
		dispute.Held = append(dispute.Held, schedule.Span{From: h.From, To: h.To})
	}
	unpaid := schedule.Row{DueDate: row.DueDate, Principal: 1}
	switch {
	case o.External:
		return violated("PA10", "row %d of the externally managed order %s has the late fee %s", row.Number, o.Key, f.ID)
	case o.Held(f.Date) && o.Held(f.Date-1) || dispute.Late(unpaid, f.Date) <= s.LateFeeGraceDays:
		return violated("PA10", "row %d of order %s, due on %s, has a late fee dated %s", row.Number, o.Key, row.DueDate, f.Date)
	case f.Amount > s.LateFeeCap || f.Amount > s.LateFeeRate.Of(most):
		return violated("PA10", "row %d of order %s has a late fee of %s, which exceeds the limit", row.Number, o.Key, f.Amount)
	}
	return nil
}

// closed reports whether a date is in a closed month of the books, as far as the command has
// loaded.
func (k *checker) closed(book calendar.Date) bool {
	last := book.EndOfMonth()
	for _, p := range k.c.Periods {
		if p.Month.EndOfMonth() == last {
			return true
		}
	}
	for _, p := range k.s.Periods { // unordered: at most one is of the month
		if p != nil && p.Month.EndOfMonth() == last {
			return true
		}
	}
	return false
}
