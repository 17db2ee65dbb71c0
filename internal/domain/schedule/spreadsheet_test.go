package schedule

import (
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// TestSpreadsheetPayments checks level payments and principal parts against published values
// of the spreadsheet functions PMT and PPMT. Those with a future value or beyond 36 periods
// have no equivalent schedule here.
func TestSpreadsheetPayments(t *testing.T) {
	for _, c := range []struct {
		name, source, rate, principal string
		n, row                        int // row 0: the level payment
		want                          string
	}{
		{"pmt-36", "Microsoft Excel function reference: PMT(0.08/12, 10, 10000)", "0.08", "10000.00", 10, 0, "1037.03"},
		{"pmt-5", "formulajs: PMT(0, 24, 100000) = 4166.6667", "0", "100000.00", 24, 0, "4166.67"},
		{"ppmt-20", "formulajs: PPMT(0.1/12, 1, 24, 2000) = 75.6232", "0.10", "2000.00", 24, 1, "75.62"},
		{"ppmt-22", "formulajs: PPMT(0.1/12, 6, 24, 100000) = 3941.3554; here five rows are rounded before it", "0.10", "100000.00", 24, 6, "3941.35"},
	} {
		l, err := New("o", 0, Terms{
			Plan: Amortized, Principal: money.MustParse(c.principal), Installments: c.n,
			AnnualRate: money.MustParseRate(c.rate), CaptureDate: calendar.MustParse("2026-01-15"),
		})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := l.Level
		if c.row > 0 {
			got = l.Rows[c.row-1].Principal
		}
		if got.String() != c.want {
			t.Errorf("%s (%s): %s, want %s", c.name, c.source, got, c.want)
		}
	}
}
