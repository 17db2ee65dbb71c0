package schedule

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// life is a portfolio driven by readable events.
type life struct {
	t *testing.T
	Portfolio
	events  []Event
	effects []Effect
}

func (s *life) apply(e Event) []Effect {
	s.t.Helper()
	e.Seq = int64(len(s.events) + 1)
	if e.ID == "" {
		e.ID = fmt.Sprintf("%s-%d", e.Kind, e.Seq)
	}
	s.events = append(s.events, e)
	out := s.Apply(e)
	s.effects = append(s.effects, out...)
	s.check()
	return out
}

func (s *life) check() {
	s.t.Helper()
	for _, l := range s.Loans {
		if err := l.Check(); err != nil {
			s.t.Fatalf("after %d events: %v", len(s.events), err)
		}
	}
}

// start begins a life with one order named "o".
func start(t *testing.T, terms Terms) *life {
	t.Helper()
	s := &life{t: t}
	s.capture("o", terms)
	return s
}

func (s *life) capture(key string, terms Terms) {
	s.t.Helper()
	s.apply(Event{Kind: EventCapture, ID: key, Order: key, Date: terms.CaptureDate, CapturedAt: int64(terms.CaptureDate), Terms: terms})
}

func (s *life) pay(on, amount string) []Effect {
	s.t.Helper()
	return s.apply(Event{Kind: EventPayment, Order: "o", Date: day(on), Amount: cents(amount)})
}

func (s *life) refund(on, amount string) []Effect {
	s.t.Helper()
	return s.apply(Event{Kind: EventRefund, Order: "o", Date: day(on), Amount: cents(amount)})
}

// payRows pays the first n rows on their due dates.
func (s *life) payRows(n int) {
	s.t.Helper()
	l := s.Loans[0]
	for k := range n {
		s.Advance(l.Rows[k].DueDate)
		s.apply(Event{Kind: EventPayment, Order: "o", Date: l.Rows[k].DueDate, Amount: l.Rows[k].Unpaid()})
	}
}

func (s *life) loan() *Loan { return s.Loans[0] }

func (s *life) row(k int) Row { return s.Loans[0].Rows[k-1] }

func day(text string) calendar.Date { return calendar.MustParse(text) }

func cents(text string) money.Amount { return money.MustParse(text) }

// amortized is the terms of most examples; rates are plain percent.
func amortized(principal, percent string, n int, captured string) Terms {
	return Terms{Plan: Amortized, Principal: cents(principal), AnnualRate: percentRate(percent), Installments: n, CaptureDate: day(captured)}
}

func flat(principal, percent string, n int, captured string) Terms {
	return Terms{Plan: FlatFee, Principal: cents(principal), MonthlyFeeRate: percentRate(percent), Installments: n, CaptureDate: day(captured)}
}

func zero(principal string, n int, captured string) Terms {
	return Terms{Plan: Zero, Principal: cents(principal), Installments: n, CaptureDate: day(captured)}
}

// the1200 is the running example of F1.
func the1200() Terms { return amortized("1200.00", "12", 6, "2026-01-15") }

func the1200Flat() Terms { return flat("1200.00", "1", 6, "2026-01-15") }

// percentRate reads plain percent with at most four decimals.
func percentRate(text string) money.Rate {
	r := money.MustParseRate(text)
	if r%100 != 0 {
		panic("rate " + text + " has more than six decimals as a fraction")
	}
	return r / 100
}

// sum is the total of an item over parts.
func sum(parts []Part, item Item) money.Amount {
	total := money.Amount(0)
	for _, p := range parts {
		if p.Item == item {
			total += p.Amount
		}
	}
	return total
}

func effect(t *testing.T, effects []Effect, kind EffectKind) Effect {
	t.Helper()
	for _, e := range effects {
		if e.Kind == kind {
			return e
		}
	}
	t.Fatalf("no effect %s in %+v", kind, effects)
	return Effect{}
}

// text writes a row's parts as the examples do: charge + principal.
func (r Row) text() string {
	if r.Canceled {
		return "CANCELED"
	}
	return fmt.Sprintf("%s + %s", r.Charge, r.Principal)
}

func wantRow(t *testing.T, r Row, want string) {
	t.Helper()
	if got := r.text(); got != want {
		t.Errorf("row %d = %s, want %s", r.Number, got, want)
	}
}

func want[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// readVectors decodes the vectors of a file in testdata.
func readVectors[T any](t *testing.T, name string) []T {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Vectors []T }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(name, err)
	}
	if len(file.Vectors) == 0 {
		t.Fatal(name, "has no vectors")
	}
	return file.Vectors
}
