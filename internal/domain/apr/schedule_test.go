package apr

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

type derived struct {
	ID, Plan, Principal string
	CaptureDate         string `json:"capture_date"`
	APR                 string
	Strict              string   `json:"apr_strict_dates"`
	DueDates            []string `json:"due_dates"`
	Amounts             []string
}

func (d derived) amounts() []money.Amount { return amounts(d.Amounts...) }

func (d derived) timing() Timing {
	if d.Plan == "NET30" {
		return SinglePayment(30)
	}
	return Regular()
}

func amounts(texts ...string) []money.Amount {
	var list []money.Amount
	for _, a := range texts {
		list = append(list, money.MustParse(a))
	}
	return list
}

func level(n int, amount, last string) []money.Amount {
	list := amounts()
	for range n - 1 {
		list = append(list, money.MustParse(amount))
	}
	return append(list, money.MustParse(last))
}

func derivedSchedules(t *testing.T) []derived {
	var file struct{ Vectors []derived }
	load(t, "schedules.json", &file)
	if len(file.Vectors) != 10 {
		t.Fatalf("%d schedules, want 10", len(file.Vectors))
	}
	return file.Vectors
}

func TestDerivedSchedules(t *testing.T) {
	for _, v := range derivedSchedules(t) {
		t.Run(v.ID, func(t *testing.T) {
			got, err := OfSchedule(money.MustParse(v.Principal), v.amounts(), v.timing())
			if err != nil || got.String() != v.APR {
				t.Errorf("%s %v, want %s", got, err, v.APR)
			}
			if v.Strict == "" {
				return
			}
			var payments []Dated
			for i, a := range v.amounts() {
				payments = append(payments, Dated{a, calendar.MustParse(v.DueDates[i])})
			}
			advance := []Dated{{money.MustParse(v.Principal), calendar.MustParse(v.CaptureDate)}}
			got, err = FromDates(advance, payments)
			if err != nil || got.String() != v.Strict {
				t.Errorf("strict dates: %s %v, want %s", got, err, v.Strict)
			}
		})
	}
}

func TestDerivedDisclosures(t *testing.T) {
	type disclosure struct {
		ID, Schedule, Funding, APR, Total, Payment, Last string
		FinanceCharge                                    string `json:"finance_charge"`
		AverageMonthly                                   string `json:"average_monthly"`
		Count                                            int
		TermMonths                                       int `json:"term_months"`
	}
	var file struct{ Vectors []disclosure }
	load(t, "disclosures.json", &file)
	schedules := map[string]derived{}
	for _, s := range derivedSchedules(t) {
		schedules[s.ID] = s
	}
	for _, want := range file.Vectors {
		s := schedules[want.Schedule]
		f, err := Disclose(money.MustParse(s.Principal), s.amounts(), s.timing())
		if err != nil {
			t.Fatal(err)
		}
		got := disclosure{
			ID: want.ID, Schedule: want.Schedule,
			Funding: f.Funding.String(), FinanceCharge: f.FinanceCharge.String(), APR: f.APR.String(),
			Total: f.Total.String(), Payment: f.Payment.String(), Count: f.Count, Last: f.Last.String(),
			AverageMonthly: f.AverageMonthly.String(), TermMonths: f.TermMonths,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.ID, diff)
		}
	}
	if len(file.Vectors) != 2 {
		t.Errorf("ran %d vectors, want 2", len(file.Vectors))
	}
}

// The figures of F6, F19 and F20 that no vector covers, and the exact tie.
func TestTimings(t *testing.T) {
	tests := []struct {
		name      string
		principal string
		payments  []money.Amount
		timing    Timing
		want      string
	}{
		{"F19, long first period", "6000.00", level(36, "200.00", "200.00"), OddFirst(19, 50), "11.82"},
		{"F19, 255 days", "1000.00", amounts("1080.00"), SinglePayment(255), "11.45"},
		{"F20, 30 days with a charge", "1000.00", amounts("1010.00"), SinglePayment(30), "12.17"},
		{"tie: 365/30 × 0.03 % = 0.365 %", "10000.00", amounts("10003.00"), SinglePayment(30), "0.37"},
		{"one payment after an odd period is a single payment", "1000.00", amounts("1080.00"), OddFirst(225, 255), "11.45"},
		{"one payment after a month", "1000.00", amounts("1010.00"), Regular(), "12.00"},
		{"no odd days", "1200.00", level(6, "207.06", "207.05"), OddFirst(0, 31), "12.00"},
		// The odd charge of F6 counts a day as 1/365, F20 as 1/30 of a month.
		{"F6, 17 odd days", "1200.00", append(amounts("213.77"), level(5, "207.06", "207.05")...), OddFirst(17, 45), "11.96"},
		{"F6, 9 days short", "1200.00", append(amounts("203.51"), level(5, "207.06", "207.05")...), OddFirst(-9, 22), "11.89"},
	}
	for _, test := range tests {
		got, err := OfSchedule(money.MustParse(test.principal), test.payments, test.timing)
		if err != nil || got.String() != test.want {
			t.Errorf("%s: %s %v, want %s", test.name, got, err, test.want)
		}
	}
}

func TestScheduleErrors(t *testing.T) {
	tests := []struct {
		principal money.Amount
		payments  []money.Amount
		timing    Timing
		want      error
	}{
		{100, []money.Amount{99}, SinglePayment(30), ErrUndefined},
		{100, []money.Amount{1101}, SinglePayment(30), ErrTooHigh},
		{100, []money.Amount{1100}, SinglePayment(30), nil},
		{0, []money.Amount{1}, SinglePayment(30), ErrFlow},
		{100, nil, Regular(), ErrUndefined},
		{100, []money.Amount{50, 49}, Regular(), ErrUndefined},
		{100, []money.Amount{120, -10}, Regular(), ErrFlow},
	}
	for _, test := range tests {
		if _, err := OfSchedule(test.principal, test.payments, test.timing); !errors.Is(err, test.want) {
			t.Errorf("%v for %v: %v, want %v", test.payments, test.principal, err, test.want)
		}
		if _, err := Disclose(test.principal, test.payments, test.timing); !errors.Is(err, test.want) {
			t.Errorf("disclose %v for %v: %v, want %v", test.payments, test.principal, err, test.want)
		}
	}
}

func BenchmarkOfSchedule(b *testing.B) {
	for _, bench := range []struct {
		name     string
		payments []money.Amount
	}{
		{"6", level(6, "207.06", "207.05")},
		{"36", level(36, "41.00", "40.87")},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := OfSchedule(120_000, bench.payments, Regular()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
