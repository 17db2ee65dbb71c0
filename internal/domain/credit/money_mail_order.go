package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
)

// remindDays is how long before its due date owners are told of an installment.
const remindDays = 5

// OrderTold is what a company's owners were written about an order. Both are due dates, and
// only grow: whatever is replayed, nothing is told twice.
type OrderTold struct {
	Due  calendar.Date `json:"due,omitzero"`  // of the last installment of which they were reminded
	Late calendar.Date `json:"late,omitzero"` // of the last one that was late when they were told that the order is
}

// Reminds reports whether somebody is told what is due on an order: people act for the company,
// and it pays the lender.
func (d *Draft) Reminds(o *Order, l *schedule.Loan) bool {
	x := d.asked(o.Company)
	return x != nil && len(x.Servicing.People) > 0 && !o.External && !l.ChargedOff && l.UnpaidPrincipal() > 0
}

// remindsAt is when the owners are to be told something of an order for which nothing else
// wakes it; zero if never, as always where nobody acts for the company.
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

// RemindsOn is the day on which owners are told of an installment, None if they are not: it is
// paid, it is due, they were told, or the order was captured later than that day.
func (o *Order) RemindsOn(r schedule.Row, today calendar.Date) calendar.Date {
	on := r.DueDate.AddDays(-remindDays)
	if r.Unpaid() <= 0 || r.DueDate <= max(today, o.Servicing.Told.Due) || on <= o.CaptureDate {
		return calendar.None
	}
	return on
}

// Late are the first and the last due date of the installments of an order that are late and
// that nothing on its way pays; 0 if there are none.
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

// StatementDue reports whether a company's people are to be told of the statement of a month, whose
// last day is given: something was owed or changed in it, and they were not told yet.
func (x *Company) StatementDue(zone calendar.Zone, month calendar.Date) bool {
	begin, end := zone.Start(month.AddMonths(-1).EndOfMonth()+1), zone.Start(month+1)
	moved := x.UpdatedAt.After(x.CreatedAt) && !x.UpdatedAt.Before(begin)
	return len(x.Servicing.People) > 0 && x.Servicing.Told.Stated < month && x.CreatedAt.Before(end) && (x.Outstanding != 0 || x.Credit != 0 || moved)
}
