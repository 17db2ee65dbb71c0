package credit

import (
	"cmp"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// AutopayOf is the autopay setting for a merchant's orders: the mandate that the merchant
// recorded with the company's authorization, else the company's own setting. Whether autopay
// is paused is always the company's.
func (c *Company) AutopayOf(merchant string) Autopay {
	a := c.Servicing.Autopay
	for _, m := range c.Servicing.Mandates {
		if m.Merchant == merchant {
			a.Enabled, a.Method = m.Enabled, m.Method
		}
	}
	return a
}

// NextCollection is the collection date of the first unpaid row whose autopay debit has not
// been built, None if there is none (F5, F22).
func NextCollection(o *Order, l *schedule.Loan) calendar.Date {
	if o.External || o.Financing == FinancingChargedOff {
		return calendar.None
	}
	for i := range l.Rows {
		if on := schedule.Collection(l.Rows[i].DueDate); l.Rows[i].Unpaid() > 0 && on > o.Servicing.CollectedFor {
			return on
		}
	}
	return calendar.None
}

// Unwanted reports whether an order must not be collected by autopay today, regardless of its
// company's setting (F12).
func (d *Draft) Unwanted(o *Order) bool {
	return o.External || o.Servicing.NoAutopay || o.Financing == FinancingChargedOff || Disputed(o, d.Env.Today())
}

// Disputed reports whether an order is on dispute hold on a day (F15).
func Disputed(o *Order, day calendar.Date) bool {
	return slices.ContainsFunc(o.Servicing.Holds, func(h Hold) bool { return h.From <= day && day < h.To })
}

// OpenItem is an unpaid item of an order.
type OpenItem struct {
	Ref    schedule.Ref
	due    calendar.Date
	Unpaid money.Amount
}

// OpenItems lists an order's unpaid items due on or before a date, in waterfall order (F12).
func OpenItems(l *schedule.Loan, until calendar.Date) []OpenItem {
	var items []OpenItem
	for _, f := range l.Fees {
		if f.Unpaid() > 0 && f.Date <= until {
			items = append(items, OpenItem{schedule.Ref{Order: l.Key, Fee: f.ID}, f.Date, f.Unpaid()})
		}
	}
	for _, r := range l.Rows {
		if r.Unpaid() > 0 && r.DueDate <= until {
			items = append(items, OpenItem{schedule.Ref{Order: l.Key, Installment: r.Number}, r.DueDate, r.Unpaid()})
		}
	}
	slices.SortStableFunc(items, func(a, b OpenItem) int { return cmp.Compare(a.due, b.due) })
	return items
}

// Uncovered lists an order's unpaid items due by a date, except those in taken and those that
// held credit or money in transit will pay.
func (d *Draft) Uncovered(o *Order, l *schedule.Loan, until calendar.Date, taken []schedule.Ref) []OpenItem {
	covered, marked := money.Amount(0), map[schedule.Ref]money.Amount{}
	for _, c := range d.Credits(o.Company) {
		if c.Hold && c.Order == o.Key {
			covered = covered.Add(c.Amount)
		}
	}
	for _, open := range o.Servicing.Open {
		left := open.Amount
		for _, ref := range open.Items {
			x := min(left, UnpaidOf(l, []schedule.Ref{ref}))
			marked[ref], left = marked[ref].Add(x), left.Sub(x)
		}
		if open.Items == nil && open.covers(d.Env.Today(), until) {
			covered = covered.Add(left)
		}
	}
	var items []OpenItem
	for _, it := range OpenItems(l, until) {
		if slices.Contains(taken, it.Ref) {
			continue
		}
		it.Unpaid = max(0, it.Unpaid.Sub(marked[it.Ref]))
		x := min(covered, it.Unpaid)
		covered = covered.Sub(x)
		if it.Unpaid = it.Unpaid.Sub(x); it.Unpaid > 0 {
			items = append(items, it)
		}
	}
	return items
}

// covers reports whether a debit that is not earmarked arrives in time for what is due by a
// date, or is in transit. A debit scheduled for later does not keep anything from being
// collected (F41.8).
func (x OpenDebit) covers(today, until calendar.Date) bool {
	return x.On <= max(until, today.AddBankingDays(2))
}

// UnpaidOf is the unpaid total of items.
func UnpaidOf(l *schedule.Loan, refs []schedule.Ref) money.Amount {
	sum := money.Amount(0)
	for _, it := range OpenItems(l, Latest) {
		if slices.Contains(refs, it.Ref) {
			sum = sum.Add(it.Unpaid)
		}
	}
	return sum
}
