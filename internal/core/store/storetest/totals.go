package storetest

import (
	"slices"
	"testing"

	"tenor/internal/core/store"
)

// DayTotals fills a database, takes the totals of days away with their migration, and opens it
// again: the migration adds the same up from the postings. again does that.
func DayTotals(t *testing.T, db store.Backend, again func() store.Backend) {
	t.Helper()
	w := NewWorld(7)
	for range 10 {
		batch := w.Batch(40)
		if _, err := db.Update(t.Context(), func(tx store.Tx) error { return tx.Apply(batch) }); err != nil {
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
	want := totals(db)
	if len(want) < 20 {
		t.Fatalf("only %d totals", len(want))
	}
	if got := totals(again()); !slices.Equal(got, want) {
		t.Errorf("after the migration:\n%v\nbefore:\n%v", got, want)
	}
}
