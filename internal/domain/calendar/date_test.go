package calendar

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	accepted := []string{"1970-01-01", "2026-01-15", "2024-02-29", "2000-02-29", "2999-12-31"}
	for _, text := range accepted {
		d, err := Parse(text)
		if err != nil || d.String() != text {
			t.Errorf("Parse(%q) = %s, %v", text, d, err)
		}
	}
	refused := []string{
		"", "2026-1-15", "2026-01-5", "26-01-15", "2026/01/15", "20260115", "2026-01-15T00:00:00Z",
		" 2026-01-15", "2026-01-15 ", "2026-02-29", "2100-02-29", "2026-13-01", "2026-00-10", "2026-01-00",
		"2026-01-32", "1969-12-31", "3000-01-01", "0000-00-00", "-026-01-15", "2026-+1-15", "２026-01-15", "2026-01-1\x00",
	}
	for _, text := range refused {
		if d, err := Parse(text); err != ErrDate || d != None {
			t.Errorf("Parse(%q) = %s, %v, want ErrDate", text, d, err)
		}
	}
}

func TestMustParsePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	MustParse("2026-02-30")
}

func TestJSON(t *testing.T) {
	type record struct{ Due, Paid Date }
	in := record{MustParse("2026-02-15"), None}
	b, err := json.Marshal(in)
	if err != nil || string(b) != `{"Due":"2026-02-15","Paid":null}` {
		t.Fatalf("%s, %v", b, err)
	}
	var out record
	if err := json.Unmarshal(b, &out); err != nil || out != in {
		t.Errorf("%+v, %v", out, err)
	}
	for _, text := range []string{`""`, `"2026-02-30"`, `"2026-2-15"`, `20499`, `{}`, `true`} {
		var d Date
		if err := json.Unmarshal([]byte(text), &d); err == nil {
			t.Errorf("read %s as %s", text, d)
		}
	}
}

// F4: 2026-01-31 → 02-28, 03-31, 04-30; NET30 from 2026-01-15 → 2026-02-14.
func TestDueDates(t *testing.T) {
	tests := []struct {
		anchor string
		months int
		want   string
	}{
		{"2026-01-31", 1, "2026-02-28"},
		{"2026-01-31", 2, "2026-03-31"},
		{"2026-01-31", 3, "2026-04-30"},
		{"2024-01-31", 1, "2024-02-29"},
		{"2024-02-29", 12, "2025-02-28"},
		{"2024-02-29", 48, "2028-02-29"},
		{"2026-12-15", 1, "2027-01-15"},
		{"2026-01-15", -1, "2025-12-15"},
		{"2026-03-31", -13, "2025-02-28"},
	}
	for _, test := range tests {
		if got := MustParse(test.anchor).AddMonths(test.months); got.String() != test.want {
			t.Errorf("%s + %d months = %s, want %s", test.anchor, test.months, got, test.want)
		}
	}
	if got := MustParse("2026-01-15").AddDays(30).String(); got != "2026-02-14" {
		t.Errorf("NET30 from 2026-01-15 is due %s", got)
	}
	if got := MustParse("2024-02-10").StartOfMonth().String(); got != "2024-02-01" {
		t.Errorf("start of the month: %s", got)
	}
	if got := MustParse("2024-02-10").EndOfMonth().String(); got != "2024-02-29" {
		t.Errorf("end of February 2024 is %s", got)
	}
}

// Anchors on the last four days of every month of leap and common years, for every term: the
// right month, with the anchor's day or the month's last.
func TestAddMonthsFromMonthEnds(t *testing.T) {
	for _, year := range []int{1999, 2000, 2023, 2024, 2026, 2099, 2100} {
		for month := time.January; month <= time.December; month++ {
			for day := 28; day <= DaysIn(year, month); day++ {
				anchor := Of(year, month, day)
				for n := 1; n <= 36; n++ {
					y, m, d := anchor.AddMonths(n).Civil()
					if y*12+int(m) != year*12+int(month)+n {
						t.Fatalf("%s + %d months is in %d-%d", anchor, n, y, m)
					}
					if last := DaysIn(y, m); d != min(day, last) {
						t.Fatalf("%s + %d months is day %d of a month of %d", anchor, n, d, last)
					}
				}
			}
		}
	}
}

// Dates are consecutive days: each is one day after the previous one, in every field.
func TestCivilDays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDate(t)
		y, m, day := d.Civil()
		if Of(y, m, day) != d || MustParse(d.String()) != d {
			t.Fatalf("%d does not come back from %s", d, d)
		}
		if got := (d + 1).Weekday(); got != (d.Weekday()+1)%7 {
			t.Errorf("%s is a %s, the next day a %s", d, d.Weekday(), got)
		}
		if n := rapid.IntRange(-500, 500).Draw(t, "days"); d.DaysUntil(d.AddDays(n)) != n {
			t.Errorf("%s and %d days", d, n)
		}
		if end := d.EndOfMonth(); end < d || end.AddDays(1).AddMonths(-1) > d {
			t.Errorf("%s is not in the month that ends on %s", d, end)
		}
	})
}
