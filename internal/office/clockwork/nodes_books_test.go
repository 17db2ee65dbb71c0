package clockwork_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/office/books"
)

// Orders of different companies are charged off by two nodes at the same time. Each relies
// on an allowance that the others have not used: the total raised is what was lacking for
// all of them, and the allowance never falls below zero (F17).
func TestTwoNodesChargeOff(t *testing.T) {
	const companies = 12
	w, other := twoNodes(t)
	harbor := w.merchant("Harbor Supply", twelve(6))
	var orders []*credit.Order
	for i := range companies {
		c := w.company(fmt.Sprintf("Company %d", i), fmt.Sprintf("3%08d", i), harbor)
		w.do(operator, payments.SetAutopay{Company: c.ID, Enabled: ptr(false)})
		o := w.order(harbor, c, fmt.Sprintf("PO-%d", i), 1200_00, 6, false)
		w.capture(harbor, o)
		orders = append(orders, o)
	}
	w.do(operator, compliance.SetLender{ProvisionRates: map[credit.Bucket]money.Rate{credit.BucketCurrent: money.MustParseRate("0.3")}})
	if _, err := w.clock.AdvanceTo(w.instant("2026-02-01 10:00")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.work.RunDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	const provided = companies * 1200_00 * 3 / 10 // three of the twelve and more are paid from it
	if got := w.balanceOf(ledger.Allowance); got != -provided {
		t.Fatalf("the allowance is %s", got)
	}
	engines := []*engine.Engine{w.eng, w.engine(other, "other")}
	var all sync.WaitGroup
	for i, o := range orders {
		all.Go(func() {
			res, err := engines[i%2].Submit(context.Background(), engine.Request{
				Command: lending.ChargeOffOrder{Order: o.Key, Reason: "insolvent"}, Actor: operator, Seed: [16]byte{byte(i), 77},
				Encode: func(credit.Changes, *credit.Rejection) engine.Response { return engine.Response{Status: 200} },
			})
			if err != nil || res.Rejection != nil {
				t.Errorf("%s: %v %v", o.Key, err, res.Rejection)
			}
		})
	}
	all.Wait()
	raised, left := money.Amount(0), money.Amount(provided)
	w.view(func(v store.View) error {
		return store.EachEntry(v, func(e store.EntryRow) error {
			for _, p := range e.Postings {
				if p.Account != ledger.Allowance || e.Event != "ALLOWANCE_RAISED" && e.Event != "ORDER_CHARGED_OFF" {
					continue
				}
				if left -= p.Amount; left < 0 {
					t.Errorf("entry %s leaves an allowance of %s", e.ID, left)
				}
				if p.Amount < 0 {
					raised -= p.Amount
				}
			}
			return nil
		})
	})
	if want := money.Amount(companies*1200_00 - provided); raised != want || left != 0 {
		t.Errorf("raised by %s, want %s; left %s", raised, want, left)
	}
}

// quicker is a backend on which a person matches something just before the first matches
// are written.
type quicker struct {
	store.Backend
	once  sync.Once
	match store.BankMatch
}

func (q *quicker) PutMatches(ctx context.Context, list []store.BankMatch) (err error) {
	q.once.Do(func() { err = q.Backend.PutMatches(ctx, []store.BankMatch{q.match}) })
	if err != nil && !errors.Is(err, store.ErrTaken) {
		return err
	}
	return q.Backend.PutMatches(ctx, list)
}

// balanceOf sums the postings on an account.
func (w *world) balanceOf(a ledger.Account) (sum money.Amount) {
	w.view(func(v store.View) error {
		return store.EachEntry(v, func(e store.EntryRow) error {
			for _, p := range e.Postings {
				if p.Account == a {
					sum += p.Amount
				}
			}
			return nil
		})
	})
	return sum
}

// Two nodes match the bank's statement at the same time, after a person has matched a line
// that one of them had read as open: no line and no entry is in two matches, and nothing
// that has a counterpart stays open (PO6).
func TestTwoNodesMatch(t *testing.T) {
	const paid = 150 // more than one transaction writes
	w, other := twoNodes(t)
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", "100000000", harbor)
	o := w.order(harbor, alder, "PO-1", 20_000_00, 6, false)
	w.capture(harbor, o)
	var lines []store.BankLine
	for i := range paid {
		reference := fmt.Sprintf("WIRE-%04d", i)
		w.do(operator, payments.RecordPayment{
			Order: o.Key, Amount: money.Amount(10_00 + i), Method: credit.Wire, Reference: reference, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
		})
		lines = append(lines, store.BankLine{
			ID: fmt.Sprintf("line-%04d", i), Date: w.zone.Date(w.clock.Now()), Amount: money.Amount(10_00 + i), Reference: reference,
		})
	}
	if n, err := w.db.PutBankLines(t.Context(), lines); err != nil || n != paid {
		t.Fatal(n, err)
	}
	person := store.BankMatch{ID: "mtc_00000000000000000000000007", Rule: store.MatchByHand, Lines: []string{"line-0007"}, Amount: 10_07, MadeAt: w.clock.Now(), MadeBy: "a person"}
	w.view(func(v store.View) error {
		return v.EachCash(store.CashFilter{From: calendar.None, To: calendar.None, Open: true}, func(r store.CashRow) error {
			if r.Amount == person.Amount {
				person.Entries = append(person.Entries, r.Entry)
			}
			return nil
		})
	})
	begin, made := make(chan struct{}), [2]int{}
	var both sync.WaitGroup
	for i, db := range []books.Bank{&quicker{Backend: w.db, match: person}, &quicker{Backend: other, match: person}} {
		both.Go(func() {
			<-begin
			n := byte(0)
			draw := func() [16]byte { n++; return [16]byte{byte(i), n} }
			var err error
			if made[i], err = books.Match(context.Background(), db, w.clock.Now(), w.zone.Date(w.clock.Now()), "system", draw); err != nil {
				t.Error(err)
			}
		})
	}
	close(begin)
	both.Wait()
	if made[0]+made[1] != paid-1 {
		t.Errorf("matched %d and %d of %d", made[0], made[1], paid-1)
	}
	var matched []string
	w.view(func(v store.View) error {
		return store.Each(v, &store.BankMatches, func(m store.BankMatch) error {
			matched = append(append(matched, m.Lines...), m.Entries...)
			return nil
		})
	})
	slices.Sort(matched)
	if n := len(slices.Compact(slices.Clone(matched))); n != 2*paid || len(matched) != n {
		t.Errorf("%d lines and entries are in matches, %d of them different, want %d", len(matched), n, 2*paid)
	}
	if open, err := store.BankLines(t.Context(), w.db, true, store.Page{Limit: 1}); err != nil || len(open) > 0 {
		t.Errorf("open: %v %v", open, err)
	}
}
