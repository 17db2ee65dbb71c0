package calendar

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func rat(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("not a number: %q", text)
	}
	return r
}

func ratio(num, den int64) *big.Rat { return big.NewRat(num, den) }

var bases = []string{WholeMonth, Thirty360US, Thirty360Bond, Actual365, ActualActual}

// The check figures of F7, and spans that distinguish the rules.
func TestYearFraction(t *testing.T) {
	tests := []struct {
		basis, from, to string
		num, den        int64
	}{
		{Thirty360Bond, "2006-08-31", "2007-02-28", 178, 360},
		{Thirty360US, "2007-02-28", "2007-08-31", 180, 360},
		{ActualActual, "2003-11-01", "2004-05-01", 61*366 + 121*365, 365 * 366},
		{ActualActual, "2024-12-31", "2025-01-02", 1*365 + 1*366, 365 * 366},
		{Actual365, "2024-01-01", "2025-01-01", 366, 365},
		{Thirty360US, "2008-02-29", "2009-02-28", 360, 360},
		{Thirty360Bond, "2008-02-29", "2009-02-28", 359, 360},
		{Thirty360US, "2026-01-31", "2026-03-31", 60, 360},
		{Thirty360US, "2026-01-29", "2026-03-31", 62, 360},
		{WholeMonth, "2026-01-31", "2026-02-28", 1, 12},
		{WholeMonth, "2026-02-28", "2026-03-31", 1, 12}, // anchor 31
		{WholeMonth, "2026-02-28", "2026-03-28", 1, 12}, // anchor 28
		{WholeMonth, "2026-01-15", "2027-01-15", 1, 1},
		{WholeMonth, "2026-03-15", "2026-04-01", 17, 31 * 12},
		{WholeMonth, "2026-01-31", "2026-02-27", 27, 31 * 12},
		{WholeMonth, "2026-01-15", "2026-03-16", 2*31 + 1, 31 * 12}, // back from the later date
		{WholeMonth, "2026-01-15", "2026-01-15", 0, 1},
	}
	for _, test := range tests {
		num, den, ok := YearFraction(test.basis, MustParse(test.from), MustParse(test.to))
		if !ok || ratio(num, den).Cmp(ratio(test.num, test.den)) != 0 {
			t.Errorf("%s, %s to %s: %d/%d, want %d/%d", test.basis, test.from, test.to, num, den, test.num, test.den)
		}
	}
}

func TestYearFractionRefuses(t *testing.T) {
	d := MustParse("2026-01-15")
	for _, test := range []struct {
		basis    string
		from, to Date
	}{
		{"", d, d + 1},
		{"30/365", d, d + 1},
		{Actual365, d, d - 1},
		{Actual365, None, d},
		{Actual365, d, None},
	} {
		if num, den, ok := YearFraction(test.basis, test.from, test.to); ok || num != 0 || den != 1 {
			t.Errorf("%q, %v to %v: %d/%d %v, want it refused", test.basis, test.from, test.to, num, den, ok)
		}
	}
}

// Between any two due dates of one anchor, a month is one twelfth of a year.
func TestWholeMonthIsATwelfth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		anchor := drawDate(t)
		j := rapid.IntRange(0, 35).Draw(t, "j")
		k := rapid.IntRange(j, 36).Draw(t, "k")
		num, den, ok := YearFraction(WholeMonth, anchor.AddMonths(j), anchor.AddMonths(k))
		if !ok || ratio(num, den).Cmp(ratio(int64(k-j), 12)) != 0 {
			t.Errorf("anchor %s, rows %d to %d: %d/%d years", anchor, j, k, num, den)
		}
	})
}

// Every day count gives a fraction in lowest terms that never falls as the span
// grows.
func TestYearFractionGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		basis := rapid.SampledFrom(bases).Draw(t, "basis")
		from := drawDate(t)
		to := from.AddDays(rapid.IntRange(0, 1200).Draw(t, "days"))
		n1, d1, ok1 := YearFraction(basis, from, to)
		n2, d2, ok2 := YearFraction(basis, from, to+1)
		if !ok1 || !ok2 || n1 < 0 || gcd(n1, d1) != 1 {
			t.Fatalf("%d/%d, %d/%d", n1, d1, n2, d2)
		}
		if ratio(n2, d2).Cmp(ratio(n1, d1)) < 0 {
			t.Errorf("%s from %s: %d/%d to %s, less a day later", basis, from, n1, d1, to)
		}
	})
}

// Splitting a span anywhere changes nothing if days are actually counted.
func TestActualDayCountsAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		basis := rapid.SampledFrom([]string{Actual365, ActualActual}).Draw(t, "basis")
		from := drawDate(t)
		mid := from.AddDays(rapid.IntRange(0, 1200).Draw(t, "first days"))
		to := mid.AddDays(rapid.IntRange(0, 1200).Draw(t, "second days"))
		whole := fraction(t, basis, from, to)
		parts := new(big.Rat).Add(fraction(t, basis, from, mid), fraction(t, basis, mid, to))
		if whole.Cmp(parts) != 0 {
			t.Errorf("%s: %s to %s is %s, in two parts %s", basis, from, to, whole, parts)
		}
	})
}

func fraction(t *rapid.T, basis string, from, to Date) *big.Rat {
	num, den, ok := YearFraction(basis, from, to)
	if !ok {
		t.Fatalf("%s refused", basis)
	}
	return ratio(num, den)
}

// drawDate draws from 1970 to 2099, with month ends overrepresented.
func drawDate(t *rapid.T) Date {
	year := rapid.IntRange(1970, 2099).Draw(t, "year")
	month := time.Month(rapid.IntRange(1, 12).Draw(t, "month"))
	last := DaysIn(year, month)
	day := rapid.OneOf(rapid.IntRange(1, last), rapid.IntRange(28, last)).Draw(t, "day")
	return Of(year, month, day)
}
