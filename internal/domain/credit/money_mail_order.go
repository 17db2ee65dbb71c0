package credit

import (
	"slices"
	"strconv"
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

// reminds reports that somebody is told what is due on an order: people act for the company,
// and it pays the lender.
func (d *Draft) reminds(o *Order, l *schedule.Loan) bool {
	x := d.asked(o.Company)
	return x != nil && len(x.Servicing.People) > 0 && !o.External && !l.ChargedOff && l.UnpaidPrincipal() > 0
}

// remindsAt is when the owners are to be told something of an order for which nothing else
// wakes it; zero if never, as always where nobody acts for the company.
func (d *Draft) remindsAt(o *Order, l *schedule.Loan) time.Time {
	if !d.reminds(o, l) {
		return time.Time{}
	}
	today := d.Env.Today()
	if since, _ := d.late(o, l); since > o.Servicing.Told.Late {
		return d.Env.Zone.Start(today)
	}
	for _, r := range l.Rows {
		if on := o.remindsOn(r, today); on != calendar.None {
			return d.Env.Zone.Start(on)
		}
	}
	return time.Time{}
}

// remindsOn is the day on which owners are told of an installment, None if they are not: it is
// paid, it is due, they were told, or the order was captured later than that day.
func (o *Order) remindsOn(r schedule.Row, today calendar.Date) calendar.Date {
	on := r.DueDate.AddDays(-remindDays)
	if r.Unpaid() <= 0 || r.DueDate <= max(today, o.Servicing.Told.Due) || on <= o.CaptureDate {
		return calendar.None
	}
	return on
}

// late are the first and the last due date of the installments of an order that are late and
// that nothing on its way pays; 0 if there are none.
func (d *Draft) late(o *Order, l *schedule.Loan) (since, last calendar.Date) {
	today := d.Env.Today()
	if o.DPD(l, today) == 0 {
		return 0, 0
	}
	relief := o.Relief(l)
	open := d.uncovered(o, l, today, nil)
	for _, r := range l.Rows {
		ref := schedule.Ref{Order: o.Key, Installment: r.Number}
		if relief.Late(r, today) == 0 || !slices.ContainsFunc(open, func(it openItem) bool { return it.ref == ref }) {
			continue
		}
		if last = r.DueDate; since == 0 {
			since = r.DueDate
		}
	}
	return since, last
}

// remind tells the company's owners which installment is due soon and, once for each time, that
// the order has become late. While the automatic stay or a dispute forbids to ask for money they
// are told neither.
func (d *Draft) remind(key string) {
	o, l := d.standing(key)
	if !d.reminds(o, l) {
		return
	}
	x, today := d.Companies.Peek(o.Company), d.Env.Today()
	quiet := x.report(ReportBankruptcy) >= 0 || disputed(o, today)
	told := o.Servicing.Told
	for _, r := range l.Rows {
		if on := o.remindsOn(r, today); on == calendar.None || on > today {
			continue
		}
		if told.Due = r.DueDate; !quiet {
			d.tellDue(o, l, r)
		}
	}
	if since, last := d.late(o, l); since > told.Late {
		if told.Late = last; !quiet {
			d.tellLate(o.Company)
		}
	} else {
		told.Late = max(told.Late, last)
	}
	if told != o.Servicing.Told {
		d.Orders.Edit(key).Servicing.Told = told
	}
}

// tellDue tells of an installment, unless credit or a debit on its way pays it, with the
// account from which autopay will.
func (d *Draft) tellDue(o *Order, l *schedule.Loan, r schedule.Row) {
	ref := schedule.Ref{Order: o.Key, Installment: r.Number}
	if !slices.ContainsFunc(d.uncovered(o, l, r.DueDate, onTheWay(o)), func(it openItem) bool { return it.ref == ref }) {
		return
	}
	about := map[string]string{"of": o.Key, "row": strconv.Itoa(r.Number)}
	if m := d.autopayOf(o); m != nil && moneyMayMove(d.Companies.Peek(o.Company)) == nil && !slices.Contains(o.Servicing.Stopped, ref) {
		about["from_account"] = m.ID
	}
	d.TellMoney(o.Company, "installment_due", "", maxMoneyMails, about)
}

// tellLate tells owners that something is late, once a day: the mail lists all that is.
func (d *Draft) tellLate(company int64) {
	x := d.Companies.Peek(company)
	if !d.knowsPeople(x) || x.Servicing.Told.Late == d.Env.Today() {
		return
	}
	if to := d.readers(x, ""); len(to) > 0 {
		d.Companies.Edit(company).Servicing.Told.Late = d.Env.Today()
		d.write(company, to, "past_due", nil)
	}
}

// StatementDue reports that a company's people are to be told of the statement of a month, whose
// last day is given: something was owed or changed in it, and they were not told yet.
func (x *Company) StatementDue(zone calendar.Zone, month calendar.Date) bool {
	begin, end := zone.Start(month.AddMonths(-1).EndOfMonth()+1), zone.Start(month+1)
	moved := x.UpdatedAt.After(x.CreatedAt) && !x.UpdatedAt.Before(begin)
	return len(x.Servicing.People) > 0 && x.Servicing.Told.Stated < month && x.CreatedAt.Before(end) && (x.Outstanding != 0 || x.Credit != 0 || moved)
}
