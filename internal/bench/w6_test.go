package bench

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/engine"
)

// aDay is W6 at its smallest, which needs no program: its lender runs in this process.
func aDay(t testing.TB) Config {
	return Config{
		Open: openFile, Zone: newYork(t), Dir: t.TempDir(), Quick: true, Duration: 50 * time.Millisecond,
		DayOrders: []int{MinDayOrders}, Only: []string{W6},
	}
}

// A day is measured, and one that was killed in the middle does everything once.
func TestDay(t *testing.T) {
	report, err := Run(context.Background(), aDay(t))
	if err != nil || !report.Valid() {
		t.Fatalf("%v: %q", err, report.Invalid)
	}
	rows := map[string]*Row{}
	for _, x := range report.Rows {
		rows[x.Variant] = x
		if x.Value.Median <= 0 || x.Errors > 0 {
			t.Errorf("%s: %+v", x.Variant, x)
		}
	}
	if x := rows["300 financings: a day killed 4 times and resumed"]; x == nil || len(rows) != 7 {
		t.Errorf("measured %d things, the killed day %v", len(rows), x)
	}
	if len(report.Targets) != 2 { // one size cannot be compared
		t.Errorf("%d targets", len(report.Targets))
	}
}

// BenchmarkDay is W6 with 10,000 financings, for the profiler. What is of the days is
// below Engine.Run and Scheduler.Advance; filling the book is below neither.
func BenchmarkDay(b *testing.B) {
	for b.Loop() {
		c := Config{
			Open: openFile, Zone: newYork(b), Dir: b.TempDir(), Rounds: 3, Duration: 300 * time.Millisecond,
			DayOrders: []int{10_000}, VerifyUpTo: 1, Only: []string{W6},
		}
		report, err := Run(context.Background(), c)
		if err != nil || !report.Valid() {
			b.Fatalf("%v: %q", err, report.Invalid)
		}
		for _, x := range report.Rows {
			b.Logf("%s: %v %s, p99 %v ms", x.Variant, x.Value, x.Unit, x.P99)
		}
	}
}

// twice lets a clockwork that serves a transfer also debit an order a second time, once.
type twice struct {
	engine.Submitter

	mu     sync.Mutex
	orders []string // that were served
	done   bool
}

// Submit implements engine.Submitter.
func (s *twice) Submit(ctx context.Context, r engine.Request) (engine.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := r.Command.(credit.ServiceOrder); ok {
		s.orders = append(s.orders, c.Order)
	}
	if _, sends := r.Command.(credit.ServiceTransfer); sends && !s.done {
		for _, order := range s.orders {
			again := r
			again.Seed[0]++
			again.Command = credit.RecordPayment{Order: order, Amount: 100, Method: credit.ACH, ScheduledDate: calendar.None, EffectiveDate: calendar.None}
			res, err := s.Submitter.Submit(ctx, again)
			if err != nil {
				return res, err
			}
			if s.done = res.Rejection == nil; s.done { // else its company has no account that can be debited
				break
			}
		}
	}
	return s.Submitter.Submit(ctx, r)
}

// A debit that was made twice makes the run invalid, although the books are right in
// themselves: verify has nothing to say.
func TestDoubleDebitIsInvalid(t *testing.T) {
	c := aDay(t)
	shared := &twice{}
	c.meddle = func(s engine.Submitter) engine.Submitter {
		shared.Submitter = s
		return shared
	}
	report, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(report.Invalid, "\n")
	if !strings.Contains(said, "were initiated") || !strings.Contains(said, "the bank was sent") || strings.Contains(said, "verify found") {
		t.Errorf("a debit was made twice, and the report says %q", said)
	}
}

// A thirtieth of the financings is due on each day, and nothing is due between the
// last of the days and those of the others.
func TestLots(t *testing.T) {
	todo, dates := lots(90_000, maxDays)
	sum, due := 0, map[calendar.Date]int{}
	for i, l := range todo {
		sum += l.orders
		if !l.unpaid {
			due[l.captured.AddMonths(1)] += l.orders
		}
		if l.captured < firstCapture || i > 0 && l.captured < todo[i-1].captured {
			t.Errorf("lot %d is captured on %s", i, l.captured)
		}
	}
	if sum != 90_000 || len(dates) != maxDays || dates[0].String() != "2026-08-13" || dates[maxDays-1] >= lastDue-1 {
		t.Errorf("%d financings, days %v", sum, dates)
	}
	for _, d := range dates {
		if due[d] != 3000 || !d.IsBankingDay() {
			t.Errorf("on %s %d are due", d, due[d])
		}
	}
	if len(due) != maxDays+2 {
		t.Errorf("something is due on %d dates", len(due))
	}
}
