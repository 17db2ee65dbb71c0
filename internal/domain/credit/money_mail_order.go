package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
)

// remindDays is how many days before an installment's due date owners are reminded.
const remindDays = 5

// OrderTold tracks the mails to a company's owners about an order. Both are due dates and only
// grow, so that a replay never sends anything twice.
type OrderTold struct {
	Due  calendar.Date `json:"due,omitzero"`  // of the last installment they were reminded of
	Late calendar.Date `json:"late,omitzero"` // of the last late installment when they were notified that the order is late
}

// Reminds reports whether anybody gets reminders for an order: the company has people, and it
// pays the lender.
func (d *Draft) Reminds(o *Order, l *schedule.Loan) bool {
	x := d.asked(o.Company)
	return x != nil && len(x.Servicing.People) > 0 && !o.External && !l.ChargedOff && l.UnpaidPrincipal() > 0
}

// remindsAt is when the owners are to be notified about an order if nothing else wakes it;
// zero if never, as always if the company has no people.
func (d *Draft) remindsAt(o *Order, l *schedule.Loan) time.Time {
	if !d.Reminds(o, l) {
		return time.Time{}
	}
	today := d.Env.Today()
	if since, _ := d.Late(o, l); since > o.Servicing.Told.Late {
		return d.Env.Zone.Start(today)
	}
	for _, r := range l.Rows {
		if on := o.RemindsOn(r, today); on != calendar.None {
			return d.Env.Zone.Start(on)
		}
	}
	return time.Time{}
}

// RemindsOn is the day on which owners are reminded of an installment. It is None if the
// installment is paid or due, they were reminded, or the order was captured after that day.
func (o *Order) RemindsOn(r schedule.Row, today calendar.Date) calendar.Date {
	on := r.DueDate.AddDays(-remindDays)
	if r.Unpaid() <= 0 || r.DueDate <= max(today, o.Servicing.Told.Due) || on <= o.CaptureDate {
		return calendar.None
	}
	return on
}

// Late returns the first and last due date of an order's late installments that no pending
// debit pays; 0 if there are none.
func (d *Draft) Late(o *Order, l *schedule.Loan) (since, last calendar.Date) {
	today := d.Env.Today()
	if o.DPD(l, today) == 0 {
		return 0, 0
	}
	relief := o.Relief(l)
	open := d.Uncovered(o, l, today, nil)
	for _, r := range l.Rows {
		ref := schedule.Ref{Order: o.Key, Installment: r.Number}
		if relief.Late(r, today) == 0 || !slices.ContainsFunc(open, func(it OpenItem) bool { return it.Ref == ref }) {
			continue
		}
		if last = r.DueDate; since == 0 {
			since = r.DueDate
		}
	}
	return since, last
}

// StatementDue reports whether a company's people are to be notified of a month's statement,
// given the month's last day: something was owed or changed in it, and they were not notified
// yet.
func (x *Company) StatementDue(zone calendar.Zone, month calendar.Date) bool {
	begin, end := zone.Start(month.AddMonths(-1).EndOfMonth()+1), zone.Start(month+1)
	moved := x.UpdatedAt.After(x.CreatedAt) && !x.UpdatedAt.Before(begin)
	return len(x.Servicing.People) > 0 && x.Servicing.Told.Stated < month && x.CreatedAt.Before(end) && (x.Outstanding != 0 || x.Credit != 0 || moved)
}
