package credit

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
)

// Kept reports whether an item is being collected already, or is left for review.
func (d *Draft) Kept(o *Order, ref schedule.Ref) bool {
	return slices.Contains(o.Servicing.Stopped, ref) || slices.ContainsFunc(o.Servicing.Open, func(x OpenDebit) bool {
		return x.Items == nil && x.covers(d.Env.Today(), o.Servicing.CollectedFor) || slices.Contains(x.Items, ref)
	})
}

// graceFrom is the day, besides its due date, from which a row's grace days count: the day a
// refund reopened it, 0 if none did.
func (o *Order) graceFrom(row int) calendar.Date {
	for _, r := range o.Servicing.Reopened {
		if r.Installment == row {
			return r.On
		}
	}
	return 0
}

// finishStopped removes stopped items that are fully paid, and emits an event when an order
// starts or stops having stopped items.
func (d *Draft) finishStopped() {
	for i := 0; i < len(d.Changes.Orders); i++ {
		o := d.Changes.Orders[i]
		l := d.LoanOf(o.Key)
		if l == nil {
			continue
		}
		open := OpenItems(l, Latest)
		left := slices.DeleteFunc(slices.Clone(o.Servicing.Stopped), func(ref schedule.Ref) bool {
			return l.ChargedOff || !slices.ContainsFunc(open, func(it OpenItem) bool { return it.Ref == ref })
		})
		if o.Servicing.Stopped = append(left, d.orphans(o, l)...); len(o.Servicing.Stopped) == 0 {
			o.Servicing.Stopped, o.Servicing.Consent = nil, nil
		}
		o.Servicing.Reopened = slices.DeleteFunc(slices.Clone(o.Servicing.Reopened), func(r Reopening) bool { return l.Rows[r.Installment-1].Unpaid() == 0 })
		if len(o.Servicing.Reopened) == 0 {
			o.Servicing.Reopened = nil
		}
		was := d.State.Orders[o.Key]
		if was != nil && was.Waits() != o.Waits() && !d.Tells(o.Key) {
			d.OrderEvent(OrderUpdatedEvent, o.Key)
		}
	}
}

// orphans lists the fees of an order that autopay would have added to its next debit, but
// cannot because every row is paid: a fee is never debited on its own (F11). A person waives
// them or arranges payment.
func (d *Draft) orphans(o *Order, l *schedule.Loan) (fees []schedule.Ref) {
	paid := !slices.ContainsFunc(l.Rows, func(r schedule.Row) bool { return r.Unpaid() > 0 })
	if !paid || l.ChargedOff || d.Unwanted(o) || !d.Companies.Peek(o.Company).AutopayOf(o.Merchant).Enabled {
		return nil
	}
	for _, f := range l.Fees {
		if ref := (schedule.Ref{Order: o.Key, Fee: f.ID}); f.Unpaid() > 0 && !d.Kept(o, ref) {
			fees = append(fees, ref)
		}
	}
	return fees
}

// Waits reports whether items of the order need review. Autopay does not collect them.
func (o *Order) Waits() bool { return len(o.Servicing.Stopped) > 0 }
