package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// TestBooksAgree: after every event, in order, every loan is sound, books built purely from
// effects agree with it, each payment is accounted for to the cent, and unpaid principal rises
// only where it may (F40.1–3, 6; SC4, SC5).
func TestBooksAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, true)
		p, b := &Portfolio{}, books{}
		var all []Effect
		for _, e := range h.events {
			before := map[string]money.Amount{}
			for _, l := range p.Loans {
				before[l.Key] = l.UnpaidPrincipal()
			}
			out := p.Apply(e)
			all = append(all, out...)
			if e.Kind == EventCapture {
				b.capture(p.Loan(e.Order))
			}
			for _, x := range out {
				b.effect(p, x)
			}
			if err := sound(p, b); err != nil {
				t.Fatalf("after %+v: %v", e, err)
			}
			for _, l := range p.Loans {
				if l.UnpaidPrincipal() > before[l.Key] && e.Kind != EventCapture && e.Kind != EventPaymentRefund {
					t.Fatalf("%+v: unpaid principal of %s rose", e, l.Key)
				}
			}
		}
		if err := errors.Join(conserved(p, h.events, all), feesKept(p, all)); err != nil {
			t.Fatal(err)
		}
		for _, x := range p.Advance(h.last() + 500) {
			b.effect(p, x)
		}
		if err := sound(p, b); err != nil {
			t.Fatalf("at the end: %v", err)
		}
		recognisedIsPosted(t, p, b)
	})
}

// sound checks loans, views and books.
func sound(p *Portfolio, b books) error {
	for _, l := range p.Loans {
		if err := l.Check(); err != nil {
			return err
		}
		v := l.View(l.AsOf)
		rows := money.Amount(0)
		for _, r := range v.Rows {
			if r.Paid < 0 || r.Paid > r.Amount+r.Fees || r.Outstanding != r.Amount+r.Fees-r.Paid {
				return fmt.Errorf("%s: row %+v", l.Key, r)
			}
			rows += r.Amount + r.Fees
		}
		if v.TotalAmount != rows || v.TotalAmount != v.TotalPaid+v.Remaining || v.DPD != l.DPD(l.AsOf) {
			return fmt.Errorf("%s: view %+v", l.Key, v)
		}
		if q := l.Payoff(l.AsOf); q.Total > v.Remaining {
			return fmt.Errorf("%s: payoff %s above what remains, %s", l.Key, q.Total, v.Remaining)
		}
		if (v.Status == PaidOff) != (l.Payoff(l.AsOf).Total == 0) {
			return fmt.Errorf("%s: status %s with payoff %s", l.Key, v.Status, l.Payoff(l.AsOf).Total)
		}
	}
	return b.agree(p)
}

// feesKept checks that each fee is still what was assessed, and that its waived part is what
// its waivers took off.
func feesKept(p *Portfolio, effects []Effect) error {
	assessed, waived := map[string]money.Amount{}, map[string]money.Amount{}
	for _, e := range effects {
		for _, x := range e.Parts {
			switch e.Kind {
			case EffectFee:
				assessed[x.Fee] += x.Amount
			case EffectWaived:
				waived[x.Fee] += x.Amount
			}
		}
	}
	for _, l := range p.Loans {
		for _, f := range l.Fees {
			if f.Amount+f.Waived != assessed[f.ID] || f.Waived != waived[f.ID] {
				return fmt.Errorf("%s: fee %+v of %s, of which %s were waived", l.Key, f, assessed[f.ID], waived[f.ID])
			}
		}
	}
	return nil
}

// conserved checks F40.2 for every payment that was not returned, and that folding its effects
// gives the portfolio's state.
func conserved(p *Portfolio, events []Event, effects []Effect) error {
	sent, freed := map[string]money.Amount{}, map[string]money.Amount{}
	for _, e := range effects {
		for _, s := range e.Shares {
			freed[s.Payment] += s.Amount
		}
	}
	for _, e := range events {
		if e.Kind == EventPaymentRefund {
			sent[e.Payment] += e.Amount
		}
	}
	for _, e := range events {
		if e.Kind != EventPayment {
			continue
		}
		credit := money.Amount(0)
		for _, c := range p.Credits {
			if c.Source == e.ID {
				credit = c.Amount
			}
		}
		folded := AppliedOf(e.ID, effects)
		// What refunds of orders have freed stays applied, and may be missing from a refund of
		// the payment (F41.3).
		if total := partsTotal(folded.Parts) + credit + sent[e.ID]; total < e.Amount || total > e.Amount+freed[e.ID] {
			return fmt.Errorf("payment %s of %s: applied %s, credit %s, sent back %s", e.ID, e.Amount, partsTotal(folded.Parts), credit, sent[e.ID])
		}
		for _, a := range p.Applied {
			if a.Source == e.ID && partsTotal(a.Parts) != partsTotal(folded.Parts) {
				return fmt.Errorf("payment %s: %v applied, effects say %v", e.ID, a.Parts, folded.Parts)
			}
		}
	}
	return nil
}

// recognisedIsPosted: Recognised is exactly the sum of Accrued effects.
func recognisedIsPosted(t *rapid.T, p *Portfolio, b books) {
	for _, l := range p.Loans {
		total := money.Amount(0)
		for _, r := range l.Rows {
			total += r.Recognised
		}
		if got := -b.get(l.Key, incomeAccount); got != total {
			t.Fatalf("%s: income %s, recognised %s", l.Key, got, total)
		}
	}
}

// shelf keeps what a store would keep and provides only what an event needs.
type shelf struct {
	loans   map[string]*Loan
	credits []Credit
	effects map[string][]Effect // by source
	sources []string            // in the order in which they first paid
	refunds []Share             // what refunds have freed
	of      []string            // and of which order
}

// apply loads, applies and saves.
func (s *shelf) apply(e Event) []Effect {
	p := &Portfolio{}
	needed := []string{e.Order}
	if e.Kind == EventPayment && e.Order == "" {
		needed = e.Scope
		if needed == nil {
			for key := range s.loans {
				needed = append(needed, key)
			}
		}
	}
	if e.Kind == EventRefund {
		p.Applied = s.applied()
	}
	if e.Kind == EventPaymentRefund {
		a := AppliedOf(e.Payment, s.effects[e.Payment])
		for i, r := range s.refunds {
			if r.Payment == e.Payment {
				*a.freedOn(s.of[i]) += r.Amount
			}
		}
		p.Applied = []Applied{a}
		for _, part := range a.Parts {
			needed = append(needed, part.Order)
		}
	}
	slices.Sort(needed)
	for _, key := range slices.Compact(needed) {
		if l := s.loans[key]; l != nil {
			p.Loans = append(p.Loans, l.Clone())
		}
	}
	slices.SortFunc(p.Loans, byCapture)
	var rest []Credit
	for _, c := range s.credits {
		if c.Source == e.Payment || p.Loan(c.Order) != nil || c.Order == "" {
			p.Credits = append(p.Credits, c)
		} else {
			rest = append(rest, c)
		}
	}
	out := p.Apply(e)
	for _, l := range p.Loans {
		s.loans[l.Key] = l
	}
	s.credits = append(rest, p.Credits...)
	s.keep(out)
	return out
}

func (s *shelf) keep(effects []Effect) {
	for _, x := range effects {
		s.effects[x.Source] = append(s.effects[x.Source], x)
		if paid := x.Kind == EffectApplied || x.Kind == EffectCreditApplied; paid && len(x.Parts) > 0 && !slices.Contains(s.sources, x.Source) {
			s.sources = append(s.sources, x.Source)
		}
		s.refunds = append(s.refunds, x.Shares...)
		for range x.Shares {
			s.of = append(s.of, x.Order)
		}
	}
}

// applied is what a refund needs to know about all payments (F13.4).
func (s *shelf) applied() []Applied {
	var all []Applied
	for _, source := range s.sources {
		a := AppliedOf(source, s.effects[source])
		for i, r := range s.refunds {
			if r.Payment == source {
				*a.freedOn(s.of[i]) += r.Amount
			}
		}
		all = append(all, a)
	}
	return all
}

// TestIncrementalIsReplay: applying events one by one to what a store loads gives the figures
// of replaying them all (F34, F40.7).
func TestIncrementalIsReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, true)
		s := &shelf{loans: map[string]*Loan{}, effects: map[string][]Effect{}}
		var got []Effect
		for _, e := range h.events {
			if e.Kind != EventCapture && rapid.Bool().Draw(t, "advance") {
				key := string(rune('A' + rapid.IntRange(0, len(s.loans)-1).Draw(t, "loan")))
				if l := s.loans[key]; l != nil && l.AsOf < e.Date {
					p := &Portfolio{Loans: []*Loan{l}, Credits: slices.Clone(s.credits)}
					out := p.Advance(l.AsOf + calendar.Date(rapid.IntRange(0, int(e.Date-l.AsOf)).Draw(t, "to")))
					s.credits = p.Credits
					s.keep(out)
					got = append(got, out...)
				}
			}
			got = append(got, s.apply(e)...)
		}
		end := h.events[len(h.events)-1].Date + 500
		final := &Portfolio{Credits: s.credits}
		for _, l := range s.loans {
			final.Loans = append(final.Loans, l)
		}
		slices.SortFunc(final.Loans, byCapture)
		got = append(got, final.Advance(end)...)
		whole, effects := Replay(h.events, end)
		if diff := gocmp.Diff(whole.Loans, final.Loans, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		if diff := gocmp.Diff(bySource(whole.Credits), bySource(final.Credits), cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		if diff := gocmp.Diff(posted(effects), posted(got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func bySource(credits []Credit) []Credit {
	credits = slices.Clone(credits)
	slices.SortFunc(credits, func(a, b Credit) int { return cmp.Compare(a.Source, b.Source) })
	return credits
}

// posted formats effects independently of their order.
func posted(effects []Effect) []string {
	var lines []string
	for _, e := range effects {
		lines = append(lines, fmt.Sprintf("%+v", e))
	}
	slices.Sort(lines)
	return lines
}

// TestReplay: whatever the recording order, backdating and returns, a replay is sound after
// every record, depends only on the set of events, and equals the history without the returned
// payments (F34, F40.5, PA5).
func TestReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, false)
		end := h.last() + 100
		for i := range h.events {
			p, effects := Replay(h.events[:i+1], end)
			b := books{}
			for _, l := range p.Loans {
				fresh, err := New(l.Key, l.CapturedAt, l.Terms)
				if err != nil {
					t.Fatal(err)
				}
				b.capture(fresh)
			}
			for _, x := range effects {
				b.effect(p, x)
			}
			if err := sound(p, b); err != nil {
				t.Fatalf("after record %d, %+v: %v", i, h.events[i], err)
			}
		}
		whole, effects := Replay(h.events, end)
		shuffled := rapid.Permutation(h.events).Draw(t, "arrival")
		again, effectsAgain := Replay(shuffled, end)
		if diff := gocmp.Diff(whole, again) + gocmp.Diff(effects, effectsAgain); diff != "" {
			t.Fatal(diff)
		}
		var without []Event
		for _, e := range h.events {
			returned := slices.ContainsFunc(h.events, func(r Event) bool {
				return r.Kind == EventReturn && (r.Payment == e.ID || e.Kind == EventPaymentRefund && r.Payment == e.Payment)
			})
			if !returned && (e.Kind != EventReturn || e.Amount > 0) {
				without = append(without, e)
			}
		}
		alone, _ := Replay(without, end)
		if diff := gocmp.Diff(whole.Loans, alone.Loans, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal("returned payments leave a trace: ", diff)
		}
	})
}

// TestFirstRevision checks SC1, SC2, SC3 and SC7 for fresh schedules.
func TestFirstRevision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t, "")
		l, err := New("o", 0, terms)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := New("o", 0, terms)
		if diff := gocmp.Diff(l, again); diff != "" {
			t.Fatal(diff)
		}
		if err := l.Check(); err != nil { // sums, parts, dates, and that F9 rebuilds exactly these rows
			t.Fatal(err)
		}
		n := len(l.Rows)
		odd := oddCharge(terms, l.Rows[0].DueDate)
		for k, r := range l.Rows[:n-1] {
			expected := l.Level
			if k == 0 {
				expected += odd
			}
			if r.Amount() != expected || r.Unpaid() != r.Amount() || r.Recognised != 0 {
				t.Fatalf("row %+v, level %s", r, l.Level)
			}
		}
		for k, r := range l.Rows {
			c := Collection(r.DueDate)
			if !c.IsBankingDay() || c < r.DueDate || c > r.DueDate+4 {
				t.Fatalf("row %d due %s, collected %s", k+1, r.DueDate, c)
			}
			if terms.DueDay == 0 && terms.Plan != Net30 && r.DueDate != terms.CaptureDate.AddMonths(k+1) {
				t.Fatalf("row %d due %s", k+1, r.DueDate)
			}
		}
		if n > 1 {
			lastRowBound(t, l)
		}
		terms.Principal += money.Amount(rapid.Int64Range(1, 1000).Draw(t, "more"))
		if more, err := New("o", 0, terms); err == nil && more.Level < l.Level {
			t.Fatalf("level falls from %s to %s", l.Level, more.Level)
		}
	})
}

// lastRowBound is SC2: the last row differs from the level payment by no more than the
// rounding of the rows before it can leave.
func lastRowBound(t *rapid.T, l *Loan) {
	n := len(l.Rows)
	off := l.Rows[n-1].Amount() - l.Level
	bound := new(big.Rat).SetInt64(int64(n))
	if l.Terms.Plan == Amortized {
		bound.SetInt64(1)
		for k := 1; k <= n; k++ { // Σ of growth from each row to the end, with the largest rate
			growth := big.NewRat(1, 1)
			for j := k + 1; j <= n; j++ {
				growth.Mul(growth, new(big.Rat).Add(big.NewRat(1, 1), l.Terms.rateOf(l.start(j), l.Rows[j-1].DueDate).Rat()))
			}
			bound.Add(bound, growth)
		}
	}
	if new(big.Rat).SetInt64(int64(max(off, -off))).Cmp(bound) > 0 {
		t.Fatalf("last row %s, level %s, bound %s", l.Rows[n-1].Amount(), l.Level, bound.FloatString(3))
	}
}
