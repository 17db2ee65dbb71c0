package storetest

import (
	"cmp"
	"slices"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
)

// Totals fills a database, takes the totals of days and of due dates away with their migrations, and
// opens it again: the migrations add the same up from the postings and the schedules, these as of one
// day. again does that.
func Totals(t *testing.T, db store.Backend, again func() store.Backend) {
	t.Helper()
	w := NewWorld(7)
	for range 40 {
		batch := w.Batch(40)
		if _, err := db.Update(t.Context(), func(tx store.Tx) error { return loadAndApply(tx, batch) }); err != nil {
			t.Fatal(err)
		}
	}
	totals := func(db store.Backend) (out []store.DayTotalRow) {
		if err := db.View(t.Context(), func(v store.View) error {
			return store.Each(v, &store.DayTotals, func(x store.DayTotalRow) error { out = append(out, x); return nil })
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	dues := func(db store.Backend) (out []store.DueTotalRow) {
		if err := db.View(t.Context(), func(v store.View) error {
			return store.DueTotalsAt(v, calendar.None, func(x store.DueTotalRow) {
				if !x.Empty() {
					out = append(out, x)
				}
			})
		}); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(out, func(a, b store.DueTotalRow) int {
			return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.HeldFrom, b.HeldFrom), cmp.Compare(a.HeldDays, b.HeldDays), cmp.Compare(a.Currency, b.Currency))
		})
		return out
	}
	want, owed := totals(db), dues(db)
	held := slices.ContainsFunc(owed, func(x store.DueTotalRow) bool { return x.HeldDays > 0 })
	if len(want) < 20 || len(owed) < 20 || !held {
		t.Fatalf("only %d totals of days, %d of due dates, held: %t", len(want), len(owed), held)
	}
	db = again()
	if got := dues(db); !slices.Equal(got, owed) {
		t.Errorf("after the migration:\n%v\nbefore:\n%v", got, owed)
	}
	if got := totals(db); !slices.Equal(got, want) {
		t.Errorf("after the migration:\n%v\nbefore:\n%v", got, want)
	}
}
