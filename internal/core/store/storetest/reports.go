package storetest

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// testReports compares what reports read, sums and lists by due dates, with everything in the world.
func testReports(t *testing.T, db store.Backend) {
	w := NewWorld(5)
	var days []calendar.Date
	at := map[calendar.Date]map[store.DueTotalKey]store.DueTotalRow{} // totals at the end of each day
	for range 60 {
		batch := w.Batch(30)
		if _, err := db.Update(t.Context(), func(tx store.Tx) error { return loadAndApply(tx, batch) }); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(days, batch.BusinessDate) {
			days = append(days, batch.BusinessDate)
		}
		at[batch.BusinessDate] = dueTotalsOf(w)
	}
	if err := db.View(t.Context(), func(v store.View) error {
		for _, day := range append(days, days[len(days)-1]+9, calendar.None) {
			want, found := at[day]
			if !found {
				want = at[days[len(days)-1]]
			}
			got := map[store.DueTotalKey]store.DueTotalRow{}
			if err := store.DueTotalsAt(v, day, func(x store.DueTotalRow) {
				if x.Date = 0; !x.Empty() {
					got[x.DueTotalKey] = x
				}
			}); err != nil {
				return err
			}
			equal(t, "totals of due dates on "+day.String(), want, got)
		}
		dueLists(t, w, v)
		sums(t, w, v)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(days) < 2 || len(at[days[len(days)-1]]) < 20 {
		t.Errorf("only %d days, %d totals", len(days), len(at[days[len(days)-1]]))
	}
}

func dueTotalsOf(w *World) map[store.DueTotalKey]store.DueTotalRow {
	out := map[store.DueTotalKey]store.DueTotalRow{}
	for key, l := range w.State.Loans {
		store.DueTotalsOf(w.State.Orders[key], l, func(x store.DueTotalRow) { out[x.DueTotalKey] = x.Plus(out[x.DueTotalKey]) })
	}
	for k, x := range out {
		if x.Empty() {
			delete(out, k)
		}
	}
	return out
}

// dueLists reads the installments between dates page by page, all and the oldest of each order.
func dueLists(t *testing.T, w *World, v store.View) {
	t.Helper()
	var rows []store.DuePlace
	oldest := map[string]store.DuePlace{}
	for key, l := range w.State.Loans {
		if l == nil {
			continue
		}
		for _, r := range l.Rows {
			if r.Unpaid() == 0 || r.Canceled {
				continue
			}
			at := store.DuePlace{Due: r.DueDate, Order: key, Number: r.Number}
			if rows = append(rows, at); oldest[key].Order == "" || r.DueDate < oldest[key].Due {
				oldest[key] = at
			}
		}
	}
	compare := func(a, b store.DuePlace) int {
		return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.Order, b.Order), cmp.Compare(a.Number, b.Number))
	}
	slices.SortFunc(rows, compare)
	if len(rows) < 30 {
		t.Fatalf("only %d unpaid installments", len(rows))
	}
	middle, late := rows[len(rows)/2].Due, rows[len(rows)*3/4].Due
	for _, span := range [][2]calendar.Date{{calendar.None, calendar.None}, {calendar.None, middle}, {middle, late}, {late, calendar.None}, {late, middle - 1}} {
		for _, first := range []bool{false, true} {
			var want []store.DuePlace
			for _, x := range rows {
				if (span[0] == calendar.None || x.Due >= span[0]) && (span[1] == calendar.None || x.Due <= span[1]) && (!first || oldest[x.Order] == x) {
					want = append(want, x)
				}
			}
			for _, size := range []int{2, 7, 1000} {
				var got []store.DuePlace
				after := store.DuePlace{Due: calendar.None}
				for {
					page := must(store.ListDueInstallments(v, span[0], span[1], first, after, size))(t)
					for _, r := range page {
						after = r.PlaceOf()
						got = append(got, after)
					}
					if len(page) < size {
						break
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("due from %s to %s, oldest %t, %d at a time:\n%v\nwant\n%v", span[0], span[1], first, size, got, want)
				}
			}
		}
	}
}

// sums compares the sums over limits, payouts, debits and an account.
func sums(t *testing.T, w *World, v store.View) {
	t.Helper()
	limits := map[credit.CompanyStatus]money.Amount{}
	for _, c := range w.State.Companies {
		limits[c.Status] = limits[c.Status].Add(c.Limit)
	}
	equal(t, "limits", limits, must(store.Limits(v))(t))

	want, got := map[calendar.Date]money.Amount{}, map[calendar.Date]money.Amount{}
	for _, l := range w.State.Lines {
		if l.Payout != "" {
			continue
		}
		left := l.Left()
		if l.Kind.Owes() {
			left = -left
		}
		want[l.Due] = want[l.Due].Add(left)
	}
	if err := store.WaitingPayouts(v, func(due calendar.Date, left money.Amount) { got[due] = got[due].Add(left) }); err != nil {
		t.Fatal(err)
	}
	equal(t, "payouts that wait", want, got)

	for _, since := range []time.Time{{}, w.at.Add(-20 * time.Hour), w.at.Add(time.Hour)} {
		var n int64
		var amount money.Amount
		for _, x := range w.State.Transfers {
			if x.Rail == credit.ACH && (x.Kind == credit.TransferPayment || x.Kind == credit.TransferClawback) && !x.SentAt.IsZero() && !x.SentAt.Before(since) {
				n, amount = n+1, amount.Add(x.Amount)
			}
		}
		count, sum, err := store.DebitsSent(v, since)
		if err != nil || count != n || sum != amount {
			t.Errorf("debits since %s: %d, %s, %v; want %d, %s", since, count, sum, err, n, amount)
		}
	}
	accountDays(t, v)
}

// accountDays compares an account's days with its postings.
func accountDays(t *testing.T, v store.View) {
	t.Helper()
	type day struct{ debits, credits money.Amount }
	want := map[calendar.Date]day{}
	var account ledger.Account
	if err := store.EachEntry(v, func(e store.EntryRow) error {
		for _, p := range e.Postings {
			if account == 0 {
				account = p.Account
			}
			if p.Account != account {
				continue
			}
			x := want[e.BookDate]
			x.debits, x.credits = x.debits.Add(max(p.Amount, 0)), x.credits.Add(max(-p.Amount, 0))
			want[e.BookDate] = x
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	first := slices.Min(slices.Collect(maps.Keys(want)))
	for _, span := range [][2]calendar.Date{{calendar.None, calendar.None}, {first, first}} {
		got := map[calendar.Date]day{}
		if err := store.AccountDays(v, account, span[0], span[1], func(x store.DayTotalRow) { got[x.Date] = day{x.Debits, x.Credits} }); err != nil {
			t.Fatal(err)
		}
		for on, x := range want {
			if in := (span[0] == calendar.None || on >= span[0]) && (span[1] == calendar.None || on <= span[1]); in && got[on] != x || !in && got[on] != (day{}) {
				t.Errorf("account %d on %s from %s to %s: %v, want %v", account, on, span[0], span[1], got[on], x)
			}
		}
	}
}
