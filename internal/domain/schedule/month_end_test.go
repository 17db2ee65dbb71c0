package schedule

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// TestMonthEnds: what each month end recognizes, computed by hand (F7).
func TestMonthEnds(t *testing.T) {
	for _, x := range []struct {
		name     string
		terms    Terms
		to       string
		accruals []string // date amount
	}{
		// 12.00 over the 31 days to 2026-02-15, 16 of them in January: 6.19; then 10.05 over 28, 13 in February: 10.05 · 13/28 = 4.67.
		{"AMORTIZED", Terms{Plan: Amortized, Principal: 120000, Installments: 6, AnnualRate: 120000, CaptureDate: day("2026-01-15")}, "2026-03-01",
			[]string{"2026-01-31 6.19", "2026-02-15 5.81", "2026-02-28 4.67"}},
		// 12.00 a row, earned evenly: 12.00 · 16/31 = 6.19, 12.00 · 13/28 = 5.57.
		{"FLAT_FEE", Terms{Plan: FlatFee, Principal: 120000, Installments: 6, MonthlyFeeRate: 10000, CaptureDate: day("2026-01-15")}, "2026-03-01",
			[]string{"2026-01-31 6.19", "2026-02-15 5.81", "2026-02-28 5.57"}},
		// Captured on a month end, due on month ends: nothing twice.
		{"due on month ends", Terms{Plan: FlatFee, Principal: 120000, Installments: 6, MonthlyFeeRate: 10000, CaptureDate: day("2026-01-31")}, "2026-03-31",
			[]string{"2026-02-28 12.00", "2026-03-31 12.00"}},
		{"ZERO", Terms{Plan: Zero, Principal: 120000, Installments: 6, CaptureDate: day("2026-01-15")}, "2026-03-01", nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			x.terms.MonthEnd = true
			_, effects := Replay([]Event{{Kind: EventCapture, ID: "o", Order: "o", Date: x.terms.CaptureDate, Terms: x.terms}}, day(x.to))
			var got []string
			for _, e := range effects {
				got = append(got, e.Date.String()+" "+e.Amount.String())
			}
			if diff := gocmp.Diff(x.accruals, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A full refund within 24 hours takes back what a month end in between has recognized of a
// flat fee (F13.7).
func TestMonthEndBeforeWaiver(t *testing.T) {
	terms := Terms{Plan: FlatFee, Principal: 120000, Installments: 6, MonthlyFeeRate: 10000, CaptureDate: day("2026-01-30"), MonthEnd: true}
	p, effects := Replay([]Event{
		{Kind: EventCapture, ID: "o", Order: "o", Date: terms.CaptureDate, Terms: terms},
		{Kind: EventRefund, ID: "r", Order: "o", Date: day("2026-01-31"), Amount: 120000, WaiveCharge: true},
	}, day("2026-03-31"))
	sum, n := money.Amount(0), 0
	for _, e := range effects {
		if e.Kind == EffectAccrued {
			sum, n = sum+e.Amount, n+1
		}
	}
	if l := p.Loans[0]; sum != 0 || n != 2 || l.View(l.AsOf).TotalAmount != 0 || l.Check() != nil {
		t.Errorf("%d accruals of %s, %v", n, sum, effects)
	}
}

// An emptied list is nil: equal loans are stored as equal bytes.
func TestNonePrepaidIsNil(t *testing.T) {
	terms := Terms{Plan: FlatFee, Principal: 40000, Installments: 4, MonthlyFeeRate: 10000, CaptureDate: day("2026-01-10")}
	p, _ := Replay([]Event{
		{Kind: EventCapture, ID: "o", Order: "o", Date: terms.CaptureDate, Terms: terms},
		{Kind: EventPayment, ID: "p", Order: "o", Date: terms.CaptureDate, Amount: 1, Seq: 1},
	}, terms.CaptureDate)
	if l := p.Loans[0]; len(l.Prepaid) != 1 {
		t.Fatalf("prepaid %v", l.Prepaid)
	}
	p.Apply(Event{Kind: EventRefund, ID: "r", Order: "o", Date: terms.CaptureDate, Amount: 40000, Seq: 2})
	l := p.Loans[0]
	if l.Prepaid != nil || l.Check() != nil {
		t.Errorf("prepaid %#v, %v", l.Prepaid, l.Check())
	}
	for _, spoil := range []func(*Loan){func(l *Loan) { l.Prepaid = []Prepaid{} }, func(l *Loan) { l.Fees = []Fee{} }} {
		c := l.Clone()
		if spoil(c); c.Check() == nil {
			t.Error("a second spelling of none passes")
		}
	}
}

// TestMonthEndsChangeNoFigure: whatever happens, also recognizing on month ends changes no
// figure of the borrower and no other effect, and by each due date the same charge has been
// recognized (F7, F0).
func TestMonthEndsChangeNoFigure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, false)
		end := h.last() + calendar.Date(rapid.IntRange(0, 200).Draw(t, "later"))
		if rapid.Bool().Draw(t, "to a month end") {
			end = end.EndOfMonth()
		}
		play := func(monthEnd bool) (*Portfolio, []Effect) {
			events := slices.Clone(h.events)
			for i := range events {
				events[i].Terms.MonthEnd = monthEnd
			}
			return Replay(events, end)
		}
		with, all := play(true)
		without, few := play(false)
		for i, l := range with.Loans {
			plain := without.Loans[i]
			if a, b := l.View(end), plain.View(end); !gocmp.Equal(a, b) || l.Payoff(end) != plain.Payoff(end) {
				t.Fatalf("%s: %s", l.Key, gocmp.Diff(b, a))
			}
			for k := range l.Rows[:l.Current-1] {
				if l.Rows[k] != plain.Rows[k] {
					t.Fatalf("%s: %+v, without %+v", l.Key, l.Rows[k], plain.Rows[k])
				}
				if a, b := recognised(all, l.Key, k+1), recognised(few, l.Key, k+1); a != b || a != l.Rows[k].Recognised {
					t.Fatalf("%s period %d: %s recognised, without %s", l.Key, k+1, a, b)
				}
			}
			monthEndsPosted(t, l, end)
		}
		if diff := gocmp.Diff(posted(others(few)), posted(others(all))) + gocmp.Diff(without.Credits, with.Credits); diff != "" {
			t.Fatal(diff)
		}
	})
}

// monthEndsPosted: on a month end, everything earned has been recognized.
func monthEndsPosted(t *rapid.T, l *Loan, end calendar.Date) {
	if row := l.running(); row != nil && l.AsOf == end && end == end.EndOfMonth() && row.Recognised != l.earned() {
		t.Fatalf("%s: %s recognised on a month end of %s earned", l.Key, row.Recognised, l.earned())
	}
}

func recognised(effects []Effect, order string, period int) money.Amount {
	sum := money.Amount(0)
	for _, e := range effects {
		if e.Kind == EffectAccrued && e.Order == order && e.Period == period {
			sum += e.Amount
		}
	}
	return sum
}

// others are the effects that are not accruals.
func others(effects []Effect) []Effect {
	return slices.DeleteFunc(slices.Clone(effects), func(e Effect) bool { return e.Kind == EffectAccrued })
}
