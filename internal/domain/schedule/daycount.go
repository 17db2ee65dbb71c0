package schedule

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// yearFraction measures a period in years by a day count (F7). Under WholeMonth
// every period is a twelfth, whatever its dates.
func yearFraction(c DayCount, from, to calendar.Date) money.Fraction {
	switch c {
	case Thirty360US, Thirty360Bond:
		return money.Fraction{Num: int64(days360(c, from, to)), Den: 360}
	case Actual365:
		return money.Fraction{Num: int64(from.DaysUntil(to)), Den: 365}
	case ActualActual:
		return actualActual(from, to)
	}
	return money.Fraction{Num: 1, Den: 12}
}

// days360 counts days in months of 30. The US rule also treats the last day of
// February as a 30th; bond basis does not.
func days360(c DayCount, from, to calendar.Date) int {
	y1, m1, d1 := from.Civil()
	y2, m2, d2 := to.Civil()
	if c == Thirty360US && endOfFebruary(from) {
		if endOfFebruary(to) {
			d2 = 30
		}
		d1 = 30
	}
	if d2 == 31 && d1 >= 30 {
		d2 = 30
	}
	if d1 == 31 {
		d1 = 30
	}
	return 360*(y2-y1) + 30*int(m2-m1) + d2 - d1
}

func endOfFebruary(d calendar.Date) bool {
	_, m, _ := d.Civil()
	return m == time.February && d == d.EndOfMonth()
}

// actualActual cuts the period at each 1 January and measures every part by the
// length of its own year.
func actualActual(from, to calendar.Date) money.Fraction {
	var common, leap int64
	for from < to {
		y, _, _ := from.Civil()
		cut := min(to, calendar.Of(y+1, time.January, 1))
		if calendar.DaysIn(y, time.February) == 29 {
			leap += int64(from.DaysUntil(cut))
		} else {
			common += int64(from.DaysUntil(cut))
		}
		from = cut
	}
	return money.Fraction{Num: common*366 + leap*365, Den: 365 * 366}
}

// periodRate is φ = annual rate × year fraction, in lowest terms.
func periodRate(annual money.Rate, year money.Fraction) money.Fraction {
	return reduce(money.Fraction{Num: int64(annual) * year.Num, Den: money.RateScale * year.Den})
}

func reduce(f money.Fraction) money.Fraction {
	a, b := f.Num, f.Den
	for b != 0 {
		a, b = b, a%b
	}
	return money.Fraction{Num: f.Num / a, Den: f.Den / a}
}

// firstDueLead is the minimum number of days between capture and the first due date if the
// program sets a due day (F6).
const firstDueLead = 20

// dueDates returns the due dates of the terms, each counted from the anchor:
// the capture date, or the first due date if a due day is set (F4, F6).
func dueDates(t Terms) []calendar.Date {
	dates := make([]calendar.Date, t.Installments)
	if t.Plan == Net30 {
		dates[0] = t.CaptureDate.AddDays(30)
		return dates
	}
	if t.DueDay > 0 {
		first := firstDue(t)
		for k := range dates {
			dates[k] = t.dueDayAfter(first, k)
		}
		return dates
	}
	for k := range dates {
		dates[k] = t.CaptureDate.AddMonths(k + 1)
	}
	return dates
}

// dueDayAfter is the due day k months after the first due date, clamped within its own month:
// a due day of 31 gives 28 February and then 31 March, as F4 does for every other date.
func (t Terms) dueDayAfter(first calendar.Date, k int) calendar.Date {
	year, month, _ := first.Civil()
	firstOfMonth := calendar.Of(year, month, 1).AddMonths(k)
	year, month, _ = firstOfMonth.Civil()
	return firstOfMonth.AddDays(min(t.DueDay, calendar.DaysIn(year, month)) - 1)
}

// OddDays is by how many days the first period of terms with a due day is longer than a month,
// negative if shorter (F6).
func (t Terms) OddDays(first calendar.Date) int {
	return t.CaptureDate.DaysUntil(t.dueDayAfter(first, -1))
}

func firstDue(t Terms) calendar.Date {
	year, month, _ := t.CaptureDate.Civil()
	for {
		due := calendar.Of(year, month, min(t.DueDay, calendar.DaysIn(year, month)))
		if t.CaptureDate.DaysUntil(due) >= firstDueLead {
			return due
		}
		if month++; month > time.December {
			year, month = year+1, time.January
		}
	}
}

// oddCharge is the charge for the days by which the first period is longer than a month,
// negative if shorter (F6). Day counts based on actual dates already include it in their first
// period rate.
func oddCharge(t Terms, first calendar.Date) money.Amount {
	if t.DueDay == 0 || t.Plan != Amortized || t.dayCount() != WholeMonth {
		return 0
	}
	days := int64(t.OddDays(first))
	if days < 0 {
		return -money.MulDiv(t.Principal, int64(t.AnnualRate)*-days, 365*money.RateScale)
	}
	return money.MulDiv(t.Principal, int64(t.AnnualRate)*days, 365*money.RateScale)
}

// oddYears is by how many years a period ending on a due date is longer than a regular one,
// negative if shorter (F6). The odd days of a whole month are 365ths; day counts based on
// actual dates compare the period with the month before the due date.
func oddYears(c DayCount, from, due calendar.Date) money.Fraction {
	month := due.AddMonths(-1)
	if c == WholeMonth {
		return money.Fraction{Num: int64(from.DaysUntil(month)), Den: 365}
	}
	is, regular := yearFraction(c, from, due), yearFraction(c, month, due)
	return money.Fraction{Num: is.Num - regular.Num, Den: is.Den}
}

func (t Terms) dayCount() DayCount {
	if t.DayCount == "" {
		return WholeMonth
	}
	return t.DayCount
}
