package apr

import (
	"errors"
	"testing"

	"tenor/internal/domain/calendar"
)

func dates(texts ...string) []calendar.Date {
	var list []calendar.Date
	for _, d := range texts {
		list = append(list, calendar.MustParse(d))
	}
	return list
}

// Appendix J (b)(4): which interval is the unit-period.
func TestCommonUnit(t *testing.T) {
	tests := []struct {
		name  string
		dates []calendar.Date
		want  unit
	}{
		{"monthly at the month's end", dates("2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"), unit{month, 1}},
		{"monthly with one month skipped", dates("2026-01-10", "2026-02-10", "2026-04-10", "2026-05-10"), unit{month, 1}},
		{"two payments in February, also four weeks", dates("2026-02-01", "2026-03-01"), unit{month, 1}},
		{"every four weeks through February", dates("2026-02-01", "2026-03-01", "2026-03-29", "2026-04-26"), unit{week, 4}},
		{"quarterly", dates("2026-01-01", "2026-04-01", "2026-07-01"), unit{month, 3}},
		{"15th and last", dates("2026-01-15", "2026-01-31", "2026-02-15", "2026-02-28", "2026-03-15"), unit{halfMonth, 1}},
		{"1st and 16th", dates("2026-04-01", "2026-04-16", "2026-05-01", "2026-05-16", "2026-06-01"), unit{halfMonth, 1}},
		{"every two weeks", dates("2026-01-02", "2026-01-16", "2026-01-30", "2026-02-13"), unit{week, 2}},
		{"weekly", dates("2026-01-02", "2026-01-09", "2026-01-16"), unit{week, 1}},
		{"every ten days", dates("2026-01-01", "2026-01-11", "2026-01-21"), unit{day, 1}},
		{"yearly", dates("2024-02-29", "2025-02-28", "2026-02-28"), unit{year, 1}},
		{"every second year", dates("2024-03-01", "2026-03-01"), unit{year, 1}},
		{"as often: the smaller", dates("2026-01-01", "2026-01-08", "2026-01-15", "2026-02-15", "2026-03-15"), unit{week, 1}},
		{"none twice: the average, 114 days", dates("2008-03-01", "2008-10-30", "2009-02-15", "2009-04-01"), unit{week, 19}},
	}
	for _, test := range tests {
		if got := commonUnit(test.dates); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// Appendix J (b)(5): whole unit-periods back from the later date, then what is
// left over its divisor.
func TestMeasure(t *testing.T) {
	tests := []struct {
		unit     unit
		from, to string
		whole    int
		fraction float64
	}{
		{unit{month, 1}, "1978-02-10", "1978-04-01", 1, 19. / 30},
		{unit{month, 3}, "1978-05-23", "1978-10-01", 1, 39. / 90},
		{unit{month, 1}, "2026-01-31", "2026-02-28", 0, 28. / 30},
		{unit{month, 1}, "2026-08-31", "2026-09-30", 0, 1},
		{unit{halfMonth, 1}, "2026-01-10", "2026-02-01", 1, 7. / 15},
		{unit{week, 2}, "1978-04-03", "1978-04-11", 0, 8. / 14},
		{unit{day, 1}, "2026-01-01", "2026-02-01", 31, 0},
		{unit{year, 1}, "2026-01-01", "2027-07-01", 1, 0.5},
		{unit{year, 1}, "2026-01-01", "2027-01-11", 1, 10. / 365},
	}
	for _, test := range tests {
		whole, fraction := test.unit.measure(calendar.MustParse(test.from), calendar.MustParse(test.to))
		// 30 leftover days are a whole unit-period or 30/30 of one.
		if got, want := float64(whole)+fraction, float64(test.whole)+test.fraction; got != want {
			t.Errorf("%s to %s in %+v: %d + %v", test.from, test.to, test.unit, whole, fraction)
		}
	}
}

func TestSinglePaymentByDate(t *testing.T) {
	tests := []struct {
		name, advance, payment, paid, want string
	}{
		{"30 days, not a month", "2026-01-15", "2026-02-14", "1010.00", "12.17"},
		{"one month", "2026-01-15", "2026-02-15", "1010.00", "12.00"},
		{"(c)(5)(i), 255 days", "2026-01-01", "2026-09-13", "1080.00", "11.45"},
		{"(c)(5)(iii), 18 months", "2026-01-01", "2027-07-01", "1135.19", "8.76"},
		{"one year", "2026-01-01", "2027-01-01", "1100.00", "10.00"},
	}
	for _, test := range tests {
		got, err := FromDates([]Dated{{1000_00, calendar.MustParse(test.advance)}},
			[]Dated{{amounts(test.paid)[0], calendar.MustParse(test.payment)}})
		if err != nil || got.String() != test.want {
			t.Errorf("%s: %s %v, want %s", test.name, got, err, test.want)
		}
	}
}

func TestFromDatesErrors(t *testing.T) {
	at := calendar.MustParse("2026-01-15")
	lent := []Dated{{100, at}}
	tests := []struct {
		name               string
		advances, payments []Dated
		want               error
	}{
		{"nothing lent", nil, lent, ErrUndefined},
		{"nothing paid", lent, nil, ErrUndefined},
		{"paid before it was lent", lent, []Dated{{110, at - 1}}, ErrFlow},
		{"paid on the same day", lent, []Dated{{110, at}}, ErrFlow},
		{"paid less", lent, []Dated{{40, at + 30}, {59, at + 60}}, ErrUndefined},
		{"two advances, one payment", []Dated{{100, at}, {100, at.AddMonths(1)}}, []Dated{{210, at.AddMonths(2)}}, nil},
	}
	for _, test := range tests {
		if _, err := FromDates(test.advances, test.payments); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}
