package credit

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
)

// Relief is what keeps installments of an order from being late although they are
// unpaid: dispute holds (F15), and debits without an outcome that will settle by an
// installment's due date (F10).
func (o *Order) Relief(l *schedule.Loan) schedule.Relief {
	var r schedule.Relief
	for _, h := range o.Servicing.Holds {
		r.Held = append(r.Held, schedule.Span{From: h.From, To: h.To})
	}
	for _, open := range o.Servicing.Open {
		for _, n := range covered(o, l, open) {
			if open.On <= l.Rows[n-1].DueDate && !r.Pends(n) {
				r.Pending = append(r.Pending, n)
			}
		}
	}
	return r
}

// covered lists the installments that a debit will pay in full.
func covered(o *Order, l *schedule.Loan, open OpenDebit) []int {
	if open.Items == nil {
		return l.PaidBy(open.Amount, open.On)
	}
	var rows []int
	for _, ref := range open.Items {
		if ref.Order == o.Key && ref.Fee == "" && ref.Installment >= 1 && ref.Installment <= len(l.Rows) {
			rows = append(rows, ref.Installment)
		}
	}
	return rows
}

// View is the order's schedule as it is read on a day: what is late, with relief.
func (o *Order) View(l *schedule.Loan, on calendar.Date) schedule.View {
	return l.ViewRelieved(on, o.Relief(l))
}

// DPD is the order's days past due, with relief (F10, F15).
func (o *Order) DPD(l *schedule.Loan, on calendar.Date) int {
	return l.DPDRelieved(on, o.Relief(l))
}

// Held reports that the order is on dispute hold on a day.
func (o *Order) Held(on calendar.Date) bool {
	return slices.ContainsFunc(o.Servicing.Holds, func(h Hold) bool { return h.From <= on && on < h.To })
}
