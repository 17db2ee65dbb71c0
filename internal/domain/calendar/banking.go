package calendar

import "time"

// IsBankingDay reports whether the Federal Reserve Banks are open: Monday to Friday except
// their holidays (F5). A holiday on a Sunday closes Monday; a holiday on a Saturday closes
// nothing.
func (d Date) IsBankingDay() bool {
	w := d.Weekday()
	if w == time.Saturday || w == time.Sunday {
		return false
	}
	return !isHoliday(d) && !(w == time.Monday && isFixedHoliday(d-1))
}

// Holidays lists, in order, the weekdays of a year on which the Federal Reserve Banks are
// closed: the calendar that is stored and shown (F5). A holiday that falls on a Saturday is
// left out.
func Holidays(year int) []Date {
	var closed []Date
	for d, end := Of(year, time.January, 1), Of(year+1, time.January, 1); d < end; d++ {
		if w := d.Weekday(); w != time.Saturday && w != time.Sunday && !d.IsBankingDay() {
			closed = append(closed, d)
		}
	}
	return closed
}

// isFixedHoliday reports whether d is a holiday with a fixed day of the year.
func isFixedHoliday(d Date) bool {
	y, m, day := d.Civil()
	switch m {
	case time.January:
		return day == 1
	case time.June:
		return day == 19 && y >= 2022
	case time.July:
		return day == 4
	case time.November:
		return day == 11
	case time.December:
		return day == 25
	}
	return false
}

func isHoliday(d Date) bool {
	if isFixedHoliday(d) {
		return true
	}
	_, m, day := d.Civil()
	week := (day + 6) / 7 // 1 for the first such weekday of the month
	switch w := d.Weekday(); m {
	case time.January, time.February: // King's birthday, Washington's birthday
		return w == time.Monday && week == 3
	case time.May: // Memorial Day
		return w == time.Monday && day > 24
	case time.September: // Labor Day
		return w == time.Monday && week == 1
	case time.October: // Columbus Day
		return w == time.Monday && week == 2
	case time.November: // Thanksgiving
		return w == time.Thursday && week == 4
	}
	return false
}

// NextBankingDay returns d itself if it is a banking day, else the next one:
// the collection date of a due date (F5).
func (d Date) NextBankingDay() Date {
	for !d.IsBankingDay() {
		d++
	}
	return d
}

// AddBankingDays steps forward n ≥ 0 banking days. From a closed day the first
// step lands on the next banking day (F5).
func (d Date) AddBankingDays(n int) Date {
	for ; n > 0; n-- {
		d = (d + 1).NextBankingDay()
	}
	return d
}
