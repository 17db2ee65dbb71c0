package calendar

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The check figures of F5.
func TestCollectionDates(t *testing.T) {
	for due, want := range map[string]string{
		"2026-02-15": "2026-02-17", // Sunday, then Washington's birthday
		"2026-07-04": "2026-07-06", // a Saturday holiday closes nothing
		"2026-07-03": "2026-07-03",
		"2026-01-15": "2026-01-15",
		"2022-12-31": "2023-01-03", // New Year on a Sunday closes Monday
		"2021-06-18": "2021-06-18", // Juneteenth counts from 2022
		"2020-06-19": "2020-06-19",
	} {
		if got := MustParse(due).NextBankingDay().String(); got != want {
			t.Errorf("due %s is collected on %s, want %s", due, got, want)
		}
	}
	for _, test := range []struct {
		from string
		n    int
		want string
	}{
		{"2021-07-04", 1, "2021-07-06"},
		{"2018-01-11", 2, "2018-01-16"},
		{"2026-01-16", 1, "2026-01-20"}, // over Martin Luther King's birthday
		{"2026-01-17", 0, "2026-01-17"}, // no step
	} {
		if got := MustParse(test.from).AddBankingDays(test.n).String(); got != test.want {
			t.Errorf("%s + %d banking days = %s, want %s", test.from, test.n, got, test.want)
		}
	}
}

func TestHolidaysOfAnyYear(t *testing.T) {
	for year := 1990; year <= 2100; year++ {
		days := Holidays(year)
		if len(days) < 7 || len(days) > 12 {
			t.Errorf("%d has %d holidays", year, len(days))
		}
		for i, d := range days {
			w := d.Weekday()
			if y, _, _ := d.Civil(); y != year || i > 0 && days[i-1] >= d || w == time.Saturday || w == time.Sunday || d.IsBankingDay() {
				t.Errorf("%s is not a holiday of %d, or not in order", d, year)
			}
		}
	}
}

// Steps land on consecutive banking days and never skip one.
func TestBankingDaySteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDate(t)
		next := d.NextBankingDay()
		if next < d || !next.IsBankingDay() || next > d+5 {
			t.Fatalf("from %s to %s", d, next)
		}
		for x := d; x < next; x++ {
			if x.IsBankingDay() {
				t.Errorf("%s was skipped", x)
			}
		}
		n := rapid.IntRange(0, 20).Draw(t, "n")
		if got, want := d.AddBankingDays(n+1), d.AddBankingDays(n).AddBankingDays(1); got != want {
			t.Errorf("%s + %d banking days = %s, one by one %s", d, n+1, got, want)
		}
	})
}
