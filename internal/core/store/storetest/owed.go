package storetest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// listOwed lists the payments with money owed.
func listOwed(t *testing.T, w *World, v store.View) {
	t.Helper()
	at := func(x *credit.Payment) (time.Time, string) { return x.OwedSince, x.ID }
	want := owed(w)
	slices.SortFunc(want, func(a, b *credit.Payment) int {
		return cmp.Or(a.OwedSince.Compare(b.OwedSince), cmp.Compare(a.ID, b.ID))
	})
	if len(want) == 0 {
		t.Error("nothing of any payment is owed")
	}
	walk(t, "owed payments", items(want, at), func(p store.Page) ([]item, error) {
		list, err := store.ListOwedPayments(v, p)
		return items(list, at), err
	})
}

// owed returns the payments with money owed, in no order.
func owed(w *World) []*credit.Payment {
	return slices.DeleteFunc(all(w.State.Payments), func(x *credit.Payment) bool { return x.OwedSince.IsZero() })
}
