package storetest

import (
	"fmt"
	"slices"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// testOrdersByStatus compares the lender's lists of orders with a status, page by page, with what
// such orders are among all.
func testOrdersByStatus(t *testing.T, db store.Backend) {
	w := NewWorld(11)
	for range 12 {
		batch := w.Batch(60)
		if _, err := db.Update(t.Context(), func(tx store.Tx) error { return loadAndApply(tx, batch) }); err != nil {
			t.Fatal(err)
		}
	}
	none := store.OrderFilter{CapturedFrom: calendar.None, CapturedTo: calendar.None}
	lists := func(f store.OrderFilter, size int) (out []*credit.Order) {
		t.Helper()
		if err := db.View(t.Context(), func(v store.View) error {
			for p := (store.Page{Limit: size}); ; {
				page, err := store.ListOrders(v, f, p)
				out = append(out, page...)
				if err != nil || len(page) < size {
					return err
				}
				p.AfterAt, p.AfterID = page[size-1].CreatedAt, page[size-1].Key
			}
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	all := lists(none, 1000)
	keys := func(list []*credit.Order) (out []string) {
		for _, o := range list {
			out = append(out, o.Key)
		}
		return out
	}
	merchants := map[string]bool{}
	for _, o := range all {
		merchants[o.Merchant] = true
	}
	found := 0
	for _, f := range []store.OrderFilter{
		{Status: credit.OrderCaptured}, {Status: credit.OrderAuthorized}, {Status: credit.OrderCanceled}, {Financing: credit.FinancingOverdue}, {Financing: credit.FinancingActive, Status: credit.OrderCaptured}, {Financing: credit.FinancingPaidOff},
	} {
		f.CapturedFrom, f.CapturedTo = calendar.None, calendar.None
		want := keys(slices.DeleteFunc(slices.Clone(all), func(o *credit.Order) bool {
			return f.Status != "" && o.Status != f.Status || f.Financing != "" && o.Financing != f.Financing
		}))
		found += len(want)
		for _, size := range []int{1, 3, 1000} {
			if got := keys(lists(f, size)); !slices.Equal(got, want) {
				t.Errorf("%s, %d at a time:\n%v\nwant\n%v", fmt.Sprint(f.Status, " ", f.Financing), size, got, want)
			}
		}
	}
	if found < 15 || len(merchants) < 2 {
		t.Errorf("only %d orders of these statuses, of %d merchants", found, len(merchants))
	}
}
