package schedule

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Payoff is the amount that pays off a loan on a day (F8).
type Payoff struct {
	Date      calendar.Date
	Principal money.Amount // unpaid
	Charge    money.Amount // earned and unpaid
	Prepaid   money.Amount // FLAT_FEE: fee paid before it was earned, taken off
	Fees      money.Amount // unpaid
	Total     money.Amount // Principal + Charge − Prepaid + Fees, never below 0.00
	PerDiem   money.Amount // charge of one more day, in the current state
}

// Payoff quotes the payoff on a day not before AsOf, if nothing happens until then. Held
// credit is not counted.
func (l *Loan) Payoff(on calendar.Date) Payoff {
	l = l.at(on)
	q := Payoff{Date: on, Principal: l.UnpaidPrincipal(), Fees: l.UnpaidFees()}
	row := l.running()
	if l.flat() {
		net := l.flatCharge()
		q.Charge, q.Prepaid = max(0, net), max(0, -net)
		if row != nil {
			q.PerDiem = money.MulDiv(row.Charge-l.Earned, 1, int64(l.EarnedFrom.DaysUntil(row.DueDate)))
		}
	} else {
		for i := range l.Rows[:l.Current-1] {
			q.Charge += l.Rows[i].Charge - l.Rows[i].PaidCharge
		}
		if row != nil {
			q.Charge += l.accrued()
			q.PerDiem = l.ChargeOf(l.Current, int64(l.notDue()))
		}
	}
	q.Total = max(0, q.Principal+q.Charge-q.Prepaid) + q.Fees
	return q
}

// Standing is the loan's state at the end of a day that has come, if nothing else happens:
// held credit of the order has paid what fell due, as Portfolio.Advance does (F36). credits
// may be all of the company's. Neither argument is changed; the result is read-only.
func (l *Loan) Standing(credits []Credit, on calendar.Date) *Loan {
	p := Portfolio{Loans: []*Loan{l.Clone()}, Credits: slices.Clone(credits)}
	p.Advance(on)
	return p.Loans[0]
}

// at is the loan's state at the end of a day, if nothing happens until then.
func (l *Loan) at(on calendar.Date) *Loan {
	if on <= l.AsOf {
		return l
	}
	c := l.Clone()
	c.advance(on)
	return c
}

// RowStatus is the state of an installment (F10).
type RowStatus string

// Installment statuses, in the order in which they are checked.
const (
	RowCanceled      RowStatus = "CANCELED"
	RowPaid          RowStatus = "PAID"
	RowOverdue       RowStatus = "OVERDUE"
	RowPartiallyPaid RowStatus = "PARTIALLY_PAID"
	RowDue           RowStatus = "DUE"
	RowUpcoming      RowStatus = "UPCOMING"
)

// Status is the state of a loan: the order's financing_status.
type Status string

// Loan statuses. A charged-off loan stays CHARGED_OFF until nothing is owed.
const (
	Active     Status = "ACTIVE"
	Overdue    Status = "OVERDUE"
	PaidOff    Status = "PAID_OFF"
	ChargedOff Status = "CHARGED_OFF"
)

// View is a loan's schedule as of a day. TotalAmount = TotalPaid + Remaining.
type View struct {
	Status        Status
	Principal     money.Amount // Σ rows
	Charge        money.Amount // Σ rows
	Fees          money.Amount
	TotalAmount   money.Amount // rows and fees
	TotalPaid     money.Amount
	Remaining     money.Amount
	PastDue       money.Amount // unpaid charge and principal of OVERDUE rows
	DPD           int
	NextDueDate   calendar.Date // first unpaid row due on or after the day, None if none
	NextDueAmount money.Amount  // unpaid charge and principal of that row
	Rows          []RowView
}

// RowView is one installment of a View.
type RowView struct {
	Number         int
	DueDate        calendar.Date
	CollectionDate calendar.Date
	Amount         money.Amount // principal and charge
	Principal      money.Amount
	Charge         money.Amount
	Fees           money.Amount
	Paid           money.Amount // with fees
	Outstanding    money.Amount // Amount + Fees − Paid
	Remaining      money.Amount // principal of the rows after this one
	Status         RowStatus
	PaidOn         calendar.Date // None if not paid
	DPD            int
}

// View returns the schedule on a day not before AsOf (F10), without relief.
func (l *Loan) View(on calendar.Date) View { return l.ViewRelieved(on, Relief{}) }

// ViewRelieved is View with relief from lateness.
func (l *Loan) ViewRelieved(on calendar.Date, r Relief) View {
	l = l.at(on)
	v := View{Status: Active, NextDueDate: calendar.None, Rows: make([]RowView, len(l.Rows))}
	for i := range l.Rows {
		v.addRow(i, l.Rows[i].view(on, r), l.Rows[i].Unpaid())
	}
	after := v.Principal
	for i := range v.Rows {
		after -= v.Rows[i].Principal
		v.Rows[i].Remaining = after
	}
	for _, f := range l.Fees {
		row := &v.Rows[f.Installment-1]
		row.Fees += f.Amount
		row.Paid += f.Paid
		row.Outstanding += f.Unpaid()
		v.Fees += f.Amount
		v.TotalPaid += f.Paid
	}
	v.DPD = max(v.DPD, l.otherDPD(on, r))
	v.TotalAmount = v.Principal + v.Charge + v.Fees
	v.Remaining = v.TotalAmount - v.TotalPaid
	switch {
	case v.Remaining == 0:
		v.Status = PaidOff
	case l.ChargedOff:
		v.Status = ChargedOff
	case v.DPD > 0:
		v.Status = Overdue
	}
	return v
}

func (v *View) addRow(i int, row RowView, unpaid money.Amount) {
	v.Rows[i] = row
	v.Principal += row.Principal
	v.Charge += row.Charge
	v.TotalPaid += row.Paid
	v.DPD = max(v.DPD, row.DPD)
	if row.DPD > 0 {
		v.PastDue += unpaid
	} else if unpaid > 0 && v.NextDueDate == calendar.None {
		v.NextDueDate, v.NextDueAmount = row.DueDate, unpaid
	}
}

// view is the row without fees.
func (r Row) view(on calendar.Date, relief Relief) RowView {
	v := RowView{
		Number: r.Number, DueDate: r.DueDate, CollectionDate: Collection(r.DueDate), Amount: r.Amount(),
		Principal: r.Principal, Charge: r.Charge, Paid: r.Paid(), Outstanding: r.Unpaid(), PaidOn: r.PaidOn,
	}
	v.DPD = relief.Late(r, on)
	switch {
	case r.Canceled:
		v.Status = RowCanceled
	case r.Unpaid() == 0:
		v.Status = RowPaid
	case v.DPD > 0:
		v.Status = RowOverdue
	case r.Paid() > 0:
		v.Status = RowPartiallyPaid
	case r.DueDate <= on:
		v.Status = RowDue
	default:
		v.Status = RowUpcoming
	}
	return v
}

// Relief is what keeps unpaid rows from being late (F10, F15).
type Relief struct {
	Held    []Span // days of dispute holds, which never count
	Pending []int  // rows covered by a timely payment that has no outcome yet
}

// Span is a span of days: From is its first, To the day on which it ended.
type Span struct{ From, To calendar.Date }

// Pends reports whether a pending timely payment covers a row.
func (r Relief) Pends(row int) bool { return slices.Contains(r.Pending, row) }

// counted is the number of counting days from a due date to a day. Holds do not overlap.
func (r Relief) counted(due, on calendar.Date) int {
	days := due.DaysUntil(on)
	for _, s := range r.Held {
		days -= max(0, max(due, s.From).DaysUntil(min(on, s.To)))
	}
	return max(0, days)
}

// reached is the first day after the given one on which a row that stays unpaid is that many
// days past due; None if it already is.
func (r Relief) reached(due calendar.Date, days int, after calendar.Date) calendar.Date {
	if r.counted(due, after) >= days {
		return calendar.None
	}
	at := due.AddDays(days)
	for _, s := range r.Held { // in order of days
		if s.From < at {
			at += calendar.Date(max(0, max(due, s.From).DaysUntil(s.To)))
		}
	}
	return max(at, after+1)
}

// Late is a row's days past due (F10).
func (r Relief) Late(row Row, on calendar.Date) int {
	if row.Unpaid() == 0 || r.Pends(row.Number) {
		return 0
	}
	return r.counted(row.DueDate, on)
}

// DPD is the loan's days past due without relief.
func (l *Loan) DPD(on calendar.Date) int { return l.DPDRelieved(on, Relief{}) }

// DPDRelieved is the loan's days past due: those of its oldest row with unpaid charge or
// principal (F10, F18), or of what is owed because refunded money was also returned (F41.7).
// Other fees alone do not count.
func (l *Loan) DPDRelieved(on calendar.Date, r Relief) int {
	dpd := l.otherDPD(on, r)
	for i := range l.Rows {
		if l.Rows[i].DueDate >= on {
			break
		}
		dpd = max(dpd, r.Late(l.Rows[i], on))
	}
	return dpd
}

// otherDPD is the days past due of what is owed besides the rows.
func (l *Loan) otherDPD(on calendar.Date, r Relief) int {
	dpd := 0
	for _, f := range l.Fees {
		if f.Kind == OtherReceivable && f.Unpaid() > 0 {
			dpd = max(dpd, r.counted(f.Date, on))
		}
	}
	return dpd
}

// NextLate is the first day after the given one on which an unpaid row reaches one of the
// numbers of days past due, if nothing happens before; None if none will.
func (l *Loan) NextLate(after calendar.Date, r Relief, days ...int) calendar.Date {
	next := calendar.None
	reach := func(due calendar.Date) {
		for _, n := range days {
			if at := r.reached(due, n, after); at != calendar.None && (next == calendar.None || at < next) {
				next = at
			}
		}
	}
	for _, row := range l.Rows {
		if row.Unpaid() > 0 && !r.Pends(row.Number) {
			reach(row.DueDate)
		}
	}
	for _, f := range l.Fees {
		if f.Kind == OtherReceivable && f.Unpaid() > 0 {
			reach(f.Date)
		}
	}
	return next
}

// PaidBy lists the unpaid rows that an amount would pay in full if it arrived on a day with
// nothing else before it.
func (l *Loan) PaidBy(amount money.Amount, on calendar.Date) []int {
	p := Portfolio{Loans: []*Loan{l.Clone()}}
	p.Apply(Event{Kind: EventPayment, Order: l.Key, Date: max(on, l.AsOf), Amount: amount})
	var rows []int
	for i := range l.Rows {
		if l.Rows[i].Unpaid() > 0 && p.Loans[0].Rows[i].Unpaid() == 0 {
			rows = append(rows, i+1)
		}
	}
	return rows
}
