package calendar

import "time"

// The names of the day counts (F7).
const (
	WholeMonth    = "30/360"             // each month of the loan is one twelfth of a year
	Thirty360US   = "30/360 US"          // with the February steps
	Thirty360Bond = "30/360 bond basis"  // without the February steps
	Actual365     = "actual/365"         // days over 365
	ActualActual  = "actual/actual ISDA" // days over the length of their own year
)

// YearFraction returns the length of the span from from to to in years under
// the named day count (F7), as an exact fraction in lowest terms. ok is false
// for an unknown name, a date that is None, and a span that runs backwards.
func YearFraction(basis string, from, to Date) (num, den int64, ok bool) {
	if from == None || to == None || to < from {
		return 0, 1, false
	}
	switch basis {
	case WholeMonth:
		num, den = wholeMonths(from, to)
	case Thirty360US:
		num, den = int64(Days360US(from, to)), 360
	case Thirty360Bond:
		num, den = int64(Days360Bond(from, to)), 360
	case Actual365:
		num, den = int64(from.DaysUntil(to)), 365
	case ActualActual:
		num, den = actualActual(from, to)
	default:
		return 0, 1, false
	}
	g := gcd(num, den)
	return num / g, den / g, true
}

// monthsBetween counts the whole months of the span from from to to, back from to, and the
// days left before the first of them. Two dates with the same anchor (F4) are whole months
// apart: 28 February to 31 March is one month and no days, as is 31 January to 28 February.
// The span must not run backwards.
func monthsBetween(from, to Date) (months, days int) {
	y1, m1, _ := from.Civil()
	y2, m2, _ := to.Civil()
	months = (y2-y1)*12 + int(m2) - int(m1)
	if from.AddMonths(months) == to || to.AddMonths(-months) == from {
		return months, 0
	}
	if to.AddMonths(-months) < from {
		months--
	}
	return months, from.DaysUntil(to.AddMonths(-months))
}

// wholeMonths counts a month as one twelfth, and the days of a partial month over the actual
// days of that month, as a charge accrues within its period (F7).
func wholeMonths(from, to Date) (num, den int64) {
	months, days := monthsBetween(from, to)
	if days == 0 {
		return int64(months), 12
	}
	length := to.AddMonths(-months - 1).DaysUntil(to.AddMonths(-months))
	return int64(months*length + days), int64(12 * length)
}

// Days360US counts days by 30/360 US, the NASD rule. If both dates are the last of February,
// the second becomes the 30th; a first date on the last of February becomes the 30th. Then
// 31sts become 30ths, the second only if the first is the 30th or 31st.
func Days360US(from, to Date) int {
	y1, m1, d1 := from.Civil()
	y2, m2, d2 := to.Civil()
	if isFebruaryEnd(y1, m1, d1) {
		if isFebruaryEnd(y2, m2, d2) {
			d2 = 30
		}
		d1 = 30
	}
	return days360(y1, m1, d1, y2, m2, d2)
}

// Days360Bond counts days by the 30/360 bond basis (ISDA 2006, 4.16(f)): like
// Days360US without its two steps for February.
func Days360Bond(from, to Date) int {
	y1, m1, d1 := from.Civil()
	y2, m2, d2 := to.Civil()
	return days360(y1, m1, d1, y2, m2, d2)
}

func days360(y1 int, m1 time.Month, d1, y2 int, m2 time.Month, d2 int) int {
	if d2 == 31 && d1 >= 30 {
		d2 = 30
	}
	if d1 == 31 {
		d1 = 30
	}
	return 360*(y2-y1) + 30*int(m2-m1) + d2 - d1
}

func isFebruaryEnd(year int, month time.Month, day int) bool {
	return month == time.February && day == DaysIn(year, month)
}

// actualActual cuts the span at each 1 January and counts the days of leap
// years over 366, the others over 365 (ISDA).
func actualActual(from, to Date) (num, den int64) {
	first, _, _ := from.Civil()
	last, _, _ := to.Civil()
	var leap, common int64
	for y := first; y <= last; y++ {
		days := int64(max(from, Of(y, time.January, 1)).DaysUntil(min(to, Of(y+1, time.January, 1))))
		if DaysIn(y, time.February) == 29 {
			leap += days
		} else {
			common += days
		}
	}
	return common*366 + leap*365, 365 * 366
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
