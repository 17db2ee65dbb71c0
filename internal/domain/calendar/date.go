// Package calendar holds civil dates, month arithmetic, the banking calendar and the business
// zone. It is the only place that adds months (F4, F5): due dates are always counted from
// their anchor, never from one another.
package calendar

import (
	"errors"
	"fmt"
	"time"
)

// Date is a civil date: days since 1970-01-01. The zero Date is that day; use
// None for "no date".
type Date int32

// None is a date that is not set.
const None Date = -1 << 31

// ErrDate means that a text is not a date of the form YYYY-MM-DD.
var ErrDate = errors.New("calendar: not a date of the form YYYY-MM-DD")

// Of returns the date of a year, month and day, which must exist.
func Of(year int, month time.Month, day int) Date {
	return Date(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// Parse reads YYYY-MM-DD with a year from 1970 to 2999.
func Parse(text string) (Date, error) {
	if len(text) != 10 || text[4] != '-' || text[7] != '-' {
		return None, ErrDate
	}
	t, err := time.Parse("2006-01-02", text)
	if err != nil || t.Year() < 1970 || t.Year() > 2999 {
		return None, ErrDate
	}
	return Date(t.Unix() / 86400), nil
}

// MustParse is Parse for literals; it panics on anything else.
func MustParse(text string) Date {
	d, err := Parse(text)
	if err != nil {
		panic(fmt.Sprintf("calendar.MustParse(%q): %v", text, err))
	}
	return d
}

func (d Date) utc() time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

// Civil returns the year, month and day of the date.
func (d Date) Civil() (year int, month time.Month, day int) { return d.utc().Date() }

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return d.utc().Weekday() }

// String writes YYYY-MM-DD, or "" for None.
func (d Date) String() string {
	if d == None {
		return ""
	}
	return d.utc().Format("2006-01-02")
}

// MarshalJSON writes the date as a JSON string, None as null.
func (d Date) MarshalJSON() ([]byte, error) {
	if d == None {
		return []byte("null"), nil
	}
	return []byte(`"` + d.String() + `"`), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (d *Date) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*d = None
		return nil
	}
	if len(text) != 12 || text[0] != '"' || text[11] != '"' {
		return ErrDate
	}
	v, err := Parse(string(text[1:11]))
	if err != nil {
		return err
	}
	*d = v
	return nil
}

// AddDays returns the date n days later; n may be negative.
func (d Date) AddDays(n int) Date { return d + Date(n) }

// DaysUntil returns the number of days from d to later.
func (d Date) DaysUntil(later Date) int { return int(later - d) }

// AddMonths returns the same day n months later, clamped to the last day of
// the month (F4): 31 January + 1 is 28 or 29 February, + 2 is 31 March. n may
// be negative.
func (d Date) AddMonths(n int) Date {
	y, m, day := d.Civil()
	months := y*12 + int(m) - 1 + n
	y, m = months/12, time.Month(months%12+1)
	return Of(y, m, min(day, DaysIn(y, m)))
}

// DaysIn returns the number of days of a month.
func DaysIn(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// StartOfMonth returns the first day of the date's month.
func (d Date) StartOfMonth() Date {
	y, m, _ := d.Civil()
	return Of(y, m, 1)
}

// EndOfMonth returns the last day of the date's month.
func (d Date) EndOfMonth() Date {
	y, m, _ := d.Civil()
	return Of(y, m, DaysIn(y, m))
}
