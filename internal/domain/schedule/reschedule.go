package schedule

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// MovedDates are the due dates of the rows from k on when row k is rescheduled to a date: each
// is counted in months from that date, as every due date is from its anchor (F4).
func (l *Loan) MovedDates(k int, to calendar.Date) []calendar.Date {
	dates := make([]calendar.Date, len(l.Rows)-k+1)
	for i := range dates {
		dates[i] = to.AddMonths(i)
	}
	return dates
}

// Move sets the dates of row k and all after it to those of a reschedule, without changing
// amounts.
func (l *Loan) Move(k int, to calendar.Date) {
	for i, due := range l.MovedDates(k, to) {
		row := &l.Rows[k-1+i]
		row.DueDate, row.Anchor = due, i == 0
	}
}

// Before is the day from which the period of row k runs: the previous due date, or the capture
// date for the first row (F7).
func (l *Loan) Before(k int) calendar.Date { return l.start(k) }

// reschedule moves the due dates of a row that is not yet due and of all rows after it (F4).
// The moved period is a regular one with odd days (F6), whose charge counts in the period and
// in the row's bound. What the running period has earned stays earned.
func (p *Portfolio) reschedule(e Event) []Effect {
	l, k := p.mustLoan(e.ID, e.Order), e.Installment
	if k < l.Current || k > len(l.Rows) {
		return nil
	}
	if k == l.Current {
		l.Earned, l.EarnedFrom = l.earned(), l.AsOf
	}
	l.Move(k, e.Due)
	for i := k - 1; i < len(l.Rows); i++ {
		l.bind(&l.Rows[i], 0)
	}
	l.bind(&l.Rows[k-1], l.oddOf(k, l.unpaidFrom(k)))
	l.settle(e.Date)
	return nil
}

// bind sets a row's bound T_k (F9): the level payment, plus what was paid on the row before a
// reamortization, plus the charge for odd days. It is never below what is paid on the row, nor
// 0.00, which would mean no bound.
func (l *Loan) bind(row *Row, odd money.Amount) {
	if !l.flat() && row.Number < len(l.Rows) {
		row.Target = max(l.Level+row.Ahead+odd, row.Paid(), 1)
	}
}

// unpaidFrom is the unpaid principal of row k and the rows after it.
func (l *Loan) unpaidFrom(k int) money.Amount {
	sum := money.Amount(0)
	for i := k - 1; i < len(l.Rows); i++ {
		sum = sum.Add(l.Rows[i].Principal - l.Rows[i].PaidPrincipal)
	}
	return sum
}

// oddOf is the charge on a principal for the days by which row k's period is longer than a
// regular one, negative if shorter (F6); 0.00 for a row without odd days.
func (l *Loan) oddOf(k int, principal money.Amount) money.Amount {
	row := &l.Rows[k-1]
	if !row.Anchor {
		t := l.Terms
		t.Principal = principal
		if k == 1 {
			return oddCharge(t, row.DueDate)
		}
		return 0
	}
	if l.Terms.Plan != Amortized {
		return 0
	}
	year := oddYears(l.Terms.dayCount(), l.start(k), row.DueDate)
	num, den := int64(l.Terms.AnnualRate)*year.Num, money.RateScale*year.Den
	if num < 0 {
		return -money.MulDiv(principal, -num, den)
	}
	return money.MulDiv(principal, num, den)
}

// regularRate is the rate of row k's period without odd days (F6).
func (l *Loan) regularRate(k int) money.Fraction {
	due := l.Rows[k-1].DueDate
	if l.Rows[k-1].Anchor {
		return l.Terms.rateOf(due.AddMonths(-1), due)
	}
	return l.Terms.rateOf(l.start(k), due)
}

// movedRate is the rate of a period that a reschedule has lengthened or shortened.
func (l *Loan) movedRate(k int) money.Fraction {
	from, due := l.start(k), l.Rows[k-1].DueDate
	if l.Terms.Plan != Amortized || l.Terms.AnnualRate == 0 || l.Terms.dayCount() != WholeMonth {
		return l.Terms.rateOf(from, due)
	}
	odd := oddYears(WholeMonth, from, due) // a twelfth and odd 365ths
	return periodRate(l.Terms.AnnualRate, money.Fraction{Num: 365 + 12*odd.Num, Den: 12 * 365})
}

// reamortize spreads all unpaid principal, including that of overdue rows, over the remaining
// rows, by the level payment that the event fixes (F9): lower payments over the same time.
// Charge and fees that are due stay where they are, and what is paid stays on its row. Any
// later difference falls on the last row.
func (p *Portfolio) reamortize(e Event) []Effect {
	l := p.mustLoan(e.ID, e.Order)
	if l.running() == nil {
		return nil
	}
	last, all := &l.Rows[len(l.Rows)-1], &funds{left: e.Amount}
	for k := 1; k < l.Current; k++ {
		row := &l.Rows[k-1]
		x := min(all.left, row.Principal-row.PaidPrincipal)
		row.Principal -= x
		last.Principal += x
		all.spend(Part{l.Key, ItemPrincipal, k, "", x, false})
	}
	if l.flat() {
		l.spreadFlat(e.Level)
	} else {
		l.spread(e.Level)
	}
	l.settle(e.Date)
	if len(all.parts) == 0 {
		return nil
	}
	return []Effect{{Kind: EffectSpread, Cause: e.ID, Date: e.Date, Order: l.Key, Parts: all.parts}}
}

// spread sets the bounds of the remaining rows for a level payment; settle fills them.
func (l *Loan) spread(level money.Amount) {
	l.Level = level
	for k := l.Current; k < len(l.Rows); k++ {
		l.Rows[k-1].Ahead = l.Rows[k-1].Paid()
		l.bind(&l.Rows[k-1], 0)
	}
	for k := l.Current; k < len(l.Rows); k++ {
		if k == 1 || l.Rows[k-1].Anchor {
			l.rebuild() // for the principal that its period will have
			l.bind(&l.Rows[k-1], l.oddOf(k, l.unpaidFrom(k)))
		}
	}
}

// spreadFlat gives the remaining rows of a flat fee equal parts of principal; the last takes
// the rest. Fee parts stay (F2).
func (l *Loan) spreadFlat(part money.Amount) {
	left := l.notDue()
	for k := l.Current; k <= len(l.Rows); k++ {
		row := &l.Rows[k-1]
		x := left
		if k < len(l.Rows) {
			x = min(part, left)
		}
		row.Principal = row.PaidPrincipal + x
		left -= x
	}
}

// Reamortized computes what reamortizing the loan on its current day decides: the level
// payment of the remaining rows, for FLAT_FEE the principal part, and the principal of overdue
// rows that moves to them. It returns ErrTerm if nothing is unpaid, no row is left, or F1
// rejects it.
func (l *Loan) Reamortized() (level, overdue money.Amount, err error) {
	owed := l.UnpaidPrincipal()
	if owed == 0 || l.running() == nil {
		return 0, 0, ErrTerm
	}
	left := len(l.Rows) - l.Current + 1
	least := money.Amount(0)
	if l.flat() {
		level = money.MulDiv(owed, 1, int64(left))
		least = level + l.running().Charge
		if level*money.Amount(left-1) > owed {
			return 0, 0, ErrTerm
		}
	} else {
		rates := make([]money.Fraction, left)
		for i := range rates {
			rates[i] = l.regularRate(l.Current + i)
		}
		level = levelPayment(owed, rates)
		least = level
	}
	if left > 1 && least < smallestLevel {
		return 0, 0, ErrTerm
	}
	return level, owed - l.notDue(), nil
}
