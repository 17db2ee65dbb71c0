package storetest

import (
	"errors"
	"fmt"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// testBooks sums the entries of several date ranges: all, one company's, one merchant's.
func testBooks(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	var entries []store.EntryRow
	for range 40 {
		batch := w.Batch(20)
		c := commit(t, b, batch)
		for i, d := range batch.Decided {
			for _, e := range d.Changes.Entries {
				entries = append(entries, store.EntryRow{Entry: e, Q: c.FirstQ + int64(i), At: d.Audit.At})
			}
		}
	}
	first, last := entries[0].BookDate, w.today()
	middle := entries[len(entries)/2].BookDate
	view(t, b, func(v store.View) {
		for _, span := range [][2]calendar.Date{
			{calendar.None, calendar.None}, {calendar.None, middle}, {calendar.None, last}, {calendar.None, first - 1}, {middle, calendar.None},
			{middle, middle}, {first, middle}, {last + 1, calendar.None},
		} {
			for _, company := range append([]int64{0, 7}, w.companies[:3]...) {
				for _, merchant := range []string{"", w.merchants[0], "none"} {
					f := store.BookFilter{From: span[0], To: span[1], Company: company, Merchant: merchant}
					checkBooks(t, v, f, entries)
				}
			}
		}
		stop := errors.New("enough")
		if err := store.EachEntryOf(v, store.BookFilter{From: first, To: last}, func(store.EntryRow) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("a walk that its function stops: %v", err)
		}
	})
}

// checkBooks compares with a plain loop.
func checkBooks(t *testing.T, v store.View, f store.BookFilter, entries []store.EntryRow) {
	t.Helper()
	var want, got []store.EntryRow
	sums := map[ledger.Account]money.Amount{}
	for _, e := range entries {
		if f.From != calendar.None && e.BookDate < f.From || f.To != calendar.None && e.BookDate > f.To {
			continue
		}
		var lines []ledger.Posting
		for _, p := range e.Postings {
			if (f.Company == 0 || p.Company == f.Company) && (f.Merchant == "" || p.Merchant == f.Merchant) {
				lines = append(lines, p)
				sums[p.Account] += p.Amount
			}
		}
		if e.Postings = lines; len(lines) > 0 {
			want = append(want, e)
		}
	}
	for account, sum := range sums {
		if sum == 0 {
			delete(sums, account)
		}
	}
	if err := store.EachEntryOf(v, f, func(e store.EntryRow) error { got = append(got, e); return nil }); err != nil {
		t.Fatal(err)
	}
	equal(t, fmt.Sprintf("entries of %+v", f), want, got)
	equal(t, fmt.Sprintf("trial balance of %+v", f), sums, must(v.TrialBalance(f))(t))
	if f.Company == 0 && f.Merchant == "" {
		cash := money.Amount(0)
		if err := v.EachCash(store.CashFilter{From: f.From, To: f.To}, func(r store.CashRow) error { cash += r.Amount; return nil }); err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprintf("cash of %+v", f), sums[ledger.Cash], cash)
	}
}
