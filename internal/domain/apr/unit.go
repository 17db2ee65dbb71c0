package apr

import (
	"slices"

	"tenor/internal/domain/calendar"
)

// unit is a unit-period (Appendix J (b)(4)).
type unit struct {
	kind kind
	size int // days of a term, months, or weeks; 1 otherwise
}

type kind int

const (
	day       kind = iota // counted in days, 365 a year
	term                  // one payment: the whole term of size days
	week                  // size weeks
	halfMonth             // 24 a year
	month                 // size months, at most 11
	year
)

// perYear returns w, the unit-periods in a year.
func (u unit) perYear() float64 {
	switch u.kind {
	case day:
		return 365
	case term:
		return 365 / float64(u.size)
	case week:
		return 52 / float64(u.size)
	case halfMonth:
		return 24
	case month:
		return 12 / float64(u.size)
	}
	return 1
}

// days returns the nominal length, by which units are compared.
func (u unit) days() int {
	switch u.kind {
	case week:
		return 7 * u.size
	case halfMonth:
		return 15
	case month:
		return 30 * u.size
	case year:
		return 365
	}
	return u.size
}

// measure counts whole unit-periods back from the later date, and the fraction left before
// them (Appendix J (b)(5)).
func (u unit) measure(from, to calendar.Date) (whole int, fraction float64) {
	length, days := u.days(), from.DaysUntil(to)
	switch u.kind {
	case day:
		return days, 0
	case halfMonth, month:
		months, rest := monthsBack(from, to)
		days = 30*months + rest
	case year:
		months, rest := monthsBack(from, to)
		whole = months / 12
		if rest == 0 {
			return whole, float64(months%12) / 12
		}
		return whole, float64(from.DaysUntil(to.AddMonths(-12*whole))) / 365
	}
	return days / length, float64(days%length) / float64(length)
}

// monthsBack counts whole months back from the later date, and the days from
// the earlier date to the first of them.
func monthsBack(from, to calendar.Date) (months, days int) {
	y1, m1, _ := from.Civil()
	y2, m2, _ := to.Civil()
	months = (y2-y1)*12 + int(m2) - int(m1)
	if to.AddMonths(-months) < from {
		months--
	}
	return months, from.DaysUntil(to.AddMonths(-months))
}

// termUnit is the unit-period of one advance with one payment: the term, or a year if the term
// is longer.
func termUnit(from, to calendar.Date) unit {
	months, rest := monthsBack(from, to)
	switch {
	case months >= 12:
		return unit{year, 1}
	case rest == 0:
		return unit{month, months}
	}
	return unit{term, from.DaysUntil(to)}
}

// commonUnit is the most frequent interval between two or more dates in order, the smaller one
// on a tie. If none occurs twice, it is the standard interval nearest to the average of all.
func commonUnit(dates []calendar.Date) unit {
	type vote struct {
		unit
		count int
	}
	var votes []vote
	for i := 1; i < len(dates); i++ {
		for _, u := range intervals(dates, i) {
			k := slices.IndexFunc(votes, func(v vote) bool { return v.unit == u })
			if k < 0 {
				k, votes = len(votes), append(votes, vote{unit: u})
			}
			votes[k].count++
		}
	}
	best := votes[0] // a month before four weeks if an interval is both
	for _, v := range votes[1:] {
		if v.count > best.count || v.count == best.count && v.count > 1 && v.days() < best.days() {
			best = v
		}
	}
	if best.count == 1 && len(dates) > 2 {
		return average(dates)
	}
	if best.kind == day {
		best.size = 1
	}
	return best.unit
}

// intervals lists the ways to read the interval that ends at dates[i].
func intervals(dates []calendar.Date, i int) []unit {
	var found []unit
	from, to := dates[i-1], dates[i]
	days := from.DaysUntil(to)
	switch m := monthsApart(from, to); {
	case m >= 12 || days > 366:
		return []unit{{year, 1}}
	case m > 0:
		found = append(found, unit{month, m})
	}
	half := i >= 2 && monthsApart(dates[i-2], to) == 1 || i+1 < len(dates) && monthsApart(from, dates[i+1]) == 1
	if half && days >= 13 && days <= 18 {
		found = append(found, unit{halfMonth, 1})
	}
	if days%7 == 0 {
		found = append(found, unit{week, days / 7})
	}
	if found == nil {
		found = append(found, unit{day, days})
	}
	return found
}

// monthsApart returns the whole months between dates that share an anchor day, possibly
// clamped to the end of either month (F4), and 0 for others.
func monthsApart(from, to calendar.Date) int {
	y1, m1, _ := from.Civil()
	y2, m2, _ := to.Civil()
	n := (y2-y1)*12 + int(m2) - int(m1)
	if from.AddMonths(n) == to || to.AddMonths(-n) == from {
		return n
	}
	return 0
}

// average returns the standard interval nearest to the mean interval, the lower one on a tie.
func average(dates []calendar.Date) unit {
	span, n := dates[0].DaysUntil(dates[len(dates)-1]), len(dates)-1
	standard := []unit{{day, 1}, {week, 1}, {week, 2}, {halfMonth, 1}, {week, 3}, {week, 4}, {month, 1}}
	for k := 5; k <= 51; k++ {
		standard = append(standard, unit{week, k})
	}
	for m := 2; m <= 11; m++ {
		standard = append(standard, unit{month, m})
	}
	standard = append(standard, unit{year, 1})
	slices.SortStableFunc(standard, func(a, b unit) int { return a.days() - b.days() })
	best := standard[0]
	for _, u := range standard[1:] {
		if abs(u.days()*n-span) < abs(best.days()*n-span) {
			best = u
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }
