package schedule

import (
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// start is the first day of a period: the due date before it.
func (l *Loan) start(k int) calendar.Date {
	if k == 1 {
		return l.Terms.CaptureDate
	}
	return l.Rows[k-2].DueDate
}

// rate is φ_k. With odd days the first period's rate is its whole charge over
// the principal, so that the charge is spread over all its days (F7).
func (l *Loan) rate(k int) money.Fraction {
	if l.Rows[k-1].Anchor {
		return l.movedRate(k)
	}
	from, due := l.start(k), l.Rows[k-1].DueDate
	rate := l.Terms.rateOf(from, due)
	if k == 1 && l.Terms.DueDay > 0 {
		if odd := oddCharge(l.Terms, due); odd != 0 {
			return reduce(money.Fraction{Num: int64(rate.Of(l.Terms.Principal) + odd), Den: int64(l.Terms.Principal)})
		}
	}
	return rate
}

// ChargeOf is half_up(Σ N·days · φ/D) of the period of row k, as long as it is now (F7).
func (l *Loan) ChargeOf(k int, slices int64) money.Amount {
	if slices == 0 {
		return 0
	}
	rate := l.rate(k)
	days := l.start(k).DaysUntil(l.Rows[k-1].DueDate)
	return money.MulDiv(money.Amount(slices), rate.Num, rate.Den*int64(days))
}

// earned is the charge of the running period to date, paid or not.
func (l *Loan) earned() money.Amount {
	row := l.running()
	if row == nil {
		return 0
	}
	if l.flat() {
		left := l.EarnedFrom.DaysUntil(row.DueDate)
		return l.Earned + money.MulDiv(row.Charge-l.Earned, int64(l.EarnedFrom.DaysUntil(l.AsOf)), int64(left))
	}
	return l.periodCharge(l.Slices)
}

// periodCharge is the charge of slices of the running period, at least what it had earned when
// a reschedule changed its length.
func (l *Loan) periodCharge(slices int64) money.Amount {
	return max(l.Earned, l.ChargeOf(l.Current, slices))
}

// accrued is charge that is earned, unpaid and in no due row (F8). It does not apply to
// FLAT_FEE, whose fee parts are in their rows from the start.
func (l *Loan) accrued() money.Amount { return l.Carried + l.earned() }

// accrueTo adds the days up to d, which must not be after the next due date.
func (l *Loan) accrueTo(d calendar.Date) {
	if d <= l.AsOf {
		return
	}
	if l.Terms.Plan == Amortized && l.Current <= len(l.Rows) {
		l.Slices += int64(l.notDue()) * int64(l.AsOf.DaysUntil(d))
		if l.Slices < 0 {
			panic(fmt.Sprintf("schedule: slices of %s overflow", l.Key))
		}
	}
	l.AsOf = d
}

// endPeriod makes the running row due on its due date, which AsOf must have reached. It
// returns the charge of the period that was not yet recognized. What does not fit into the row
// is carried to the following rows (F9).
func (l *Loan) endPeriod() money.Amount {
	row := l.running()
	charge := row.Charge
	if !l.flat() {
		charge = l.earned()
		l.Carried += charge - (row.Charge - row.PaidCharge)
	}
	fresh := charge - row.Recognised
	row.Recognised = charge
	l.Slices, l.Earned, l.EarnedFrom = 0, 0, row.DueDate
	for i := len(l.Prepaid) - 1; i >= 0; i-- {
		if l.Prepaid[i].Installment == l.Current {
			l.dropPrepaid(i)
		}
	}
	l.Current++
	return fresh
}

// advance accrues the loan alone up to a date, inclusive.
func (l *Loan) advance(to calendar.Date) {
	for row := l.running(); row != nil && row.DueDate <= to; row = l.running() {
		l.accrueTo(row.DueDate)
		l.endPeriod()
	}
	l.accrueTo(to)
}

// rebuild projects the rows that are not yet due from the state (F9). FLAT_FEE
// rows are fixed and stay.
func (l *Loan) rebuild() {
	if l.flat() {
		return
	}
	owed, carried := l.notDue(), l.Carried
	n := len(l.Rows)
	for k := l.Current; k <= n; k++ {
		row := &l.Rows[k-1]
		var charge money.Amount
		if k == l.Current {
			charge = l.periodCharge(l.wholeSlices(owed))
		} else if owed > 0 {
			charge = l.rate(k).Of(owed)
		}
		fc, pr := carried+charge, owed
		if k < n {
			room := row.Target - row.Paid()
			fc = min(fc, room)
			pr = min(room-fc, owed)
		}
		carried += charge - fc
		row.Charge, row.Principal = row.PaidCharge+fc, row.PaidPrincipal+pr
		owed -= pr
	}
}

// wholeSlices are the slices of the whole running period if nothing else happens.
func (l *Loan) wholeSlices(owed money.Amount) int64 {
	if l.Terms.Plan != Amortized {
		return 0
	}
	return l.Slices + int64(owed)*int64(l.AsOf.DaysUntil(l.running().DueDate))
}

// settle finalizes the rows after an event on a date.
func (l *Loan) settle(date calendar.Date) {
	l.rebuild()
	for i := range l.Rows {
		row := &l.Rows[i]
		row.Canceled = row.Amount() == 0
		switch {
		case row.Canceled || row.Unpaid() != 0:
			row.PaidOn = calendar.None
		case row.PaidOn == calendar.None:
			row.PaidOn = date
		}
	}
}

// recognise raises the recognized charge of the running period to charge and returns the
// increase, 0 if none.
func (l *Loan) recognise(charge money.Amount) money.Amount {
	row := l.running()
	if row == nil || charge <= row.Recognised {
		return 0
	}
	fresh := charge - row.Recognised
	row.Recognised = charge
	return fresh
}
