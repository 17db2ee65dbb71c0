package explain

import (
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// earnedFrom explains the charge earned in a period: the principal it accrued on, with its
// days, or the part of a flat fee (F7). Slices are given only for periods that have ended; in
// the running one they still grow.
func (x *explainer) earnedFrom(k int) []Input {
	row, t := x.Loan.Rows[k-1], x.Loan.Terms
	start := t.CaptureDate
	if k > 1 {
		start = x.Loan.Rows[k-2].DueDate
	}
	days := start.DaysUntil(row.DueDate)
	if t.Plan == schedule.FlatFee {
		return []Input{of("fee of the installment", row.Charge), counted("days of the period", days)}
	}
	inputs := []Input{{"annual_rate", t.AnnualRate.String()}, counted("days of the period", days)}
	if row.Anchor {
		inputs = append(inputs, counted("odd days of a re-schedule", start.DaysUntil(row.DueDate.AddMonths(-1))))
	}
	if kept, on := x.keptByMove(k, start); kept != 0 && kept <= row.Recognised { // else it has not been posted yet
		inputs = append(inputs, of(fmt.Sprintf("earned by %s, at least", on), kept))
	}
	if k >= x.Loan.Current {
		return append(inputs, of("principal not yet due", notDue(x.Loan)), dated("accrued to", x.Loan.AsOf))
	}
	end := row.DueDate
	if off := x.o.Servicing.ChargedOff; off != 0 {
		end = max(start, min(end, off)) // nothing is earned after it (F17)
	}
	for _, s := range x.slices(k, start, end) {
		inputs = append(inputs, of(fmt.Sprintf("principal for %d days from %s", s.days, s.from), s.principal))
	}
	return inputs
}

// keptByMove is what period k had earned when a reschedule changed its length, and the day of
// the last one that did: that much stays earned (F4, F7). It was computed with the dates
// before that reschedule, so they are reconstructed from the original ones.
func (x *explainer) keptByMove(k int, start calendar.Date) (kept money.Amount, on calendar.Date) {
	l := x.first.Clone()
	for _, e := range x.moves() {
		row := &l.Rows[e.Installment-1]
		if e.Date >= row.DueDate {
			continue // it was already due
		}
		if e.Installment == k && e.Date > start {
			sum := int64(0)
			for _, s := range x.slices(k, start, e.Date) {
				sum += int64(s.principal) * int64(s.days)
			}
			kept, on = max(kept, l.ChargeOf(k, sum)), e.Date
		}
		l.Move(e.Installment, e.Due)
	}
	return kept, on
}

// slice is a span with constant principal that bears charge.
type slice struct {
	from      calendar.Date
	days      int
	principal money.Amount
}

// slices splits a period where the unpaid principal not yet due changed.
func (x *explainer) slices(k int, start, end calendar.Date) []slice {
	cuts := []calendar.Date{start}
	x.effects(func(_ *credit.MoneyEvent, p *credit.Posted) {
		if d := p.Effect.Date; d > start && d < end {
			cuts = append(cuts, d)
		}
	})
	slices.Sort(cuts)
	cuts = append(slices.Compact(cuts), end)
	var out []slice
	for i, from := range cuts[:len(cuts)-1] {
		n := x.notDueOn(k, from)
		if last := len(out) - 1; last >= 0 && out[last].principal == n {
			out[last].days += from.DaysUntil(cuts[i+1])
			continue
		}
		out = append(out, slice{from, from.DaysUntil(cuts[i+1]), n})
	}
	return out
}

// notDueOn is the principal that bore charge in period k after everything effective on a day:
// all that was owed less what was owed on installments due before.
func (x *explainer) notDueOn(k int, day calendar.Date) money.Amount {
	owed := x.Loan.Terms.Principal
	due := make([]money.Amount, k-1) // unpaid principal of the installments before k
	for j := range due {
		due[j] = x.Loan.Rows[j].Principal
	}
	x.effects(func(_ *credit.MoneyEvent, p *credit.Posted) {
		f := &p.Effect
		for _, part := range schedule.PrincipalOf(f.Parts) {
			if part.Order != x.o.Key {
				continue
			}
			refund, before := f.Kind == schedule.EffectRefunded, part.Installment < k
			paid := paying(*f, part) * part.Amount
			switch {
			case refund && f.Date <= day:
				owed = owed.Sub(part.Amount)
			case (refund || f.Kind == schedule.EffectSpread) && before && f.Date > day: // taken off later: it was still there
				due[part.Installment-1] = due[part.Installment-1].Add(part.Amount)
			case !refund && f.Date <= day:
				owed = owed.Sub(paid)
				if before {
					due[part.Installment-1] = due[part.Installment-1].Sub(paid)
				}
			}
		}
	})
	for _, d := range due {
		owed = owed.Sub(d)
	}
	return owed
}
