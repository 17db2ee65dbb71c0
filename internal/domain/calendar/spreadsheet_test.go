package calendar

import "testing"

// TestSpreadsheetYearFraction checks two day counts against the examples of YEARFRAC in the
// Microsoft Excel function reference: 2012-01-01 to 2012-07-30 is 0.58055556 by basis 0 and
// 0.57808219 by basis 3.
func TestSpreadsheetYearFraction(t *testing.T) {
	for basis, want := range map[string][2]int64{"30/360 US": {209, 360}, "actual/365": {211, 365}} {
		num, den, ok := YearFraction(basis, MustParse("2012-01-01"), MustParse("2012-07-30"))
		if !ok || num*want[1] != want[0]*den {
			t.Errorf("%s: %d/%d, %v, want %d/%d", basis, num, den, ok, want[0], want[1])
		}
	}
}
