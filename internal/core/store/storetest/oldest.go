package storetest

import (
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// testOldest compares lists with the oldest row first, page by page, with the same lists the other way
// around.
func testOldest(t *testing.T, db store.Backend) {
	w := NewWorld(29)
	for range 30 {
		batch := w.Batch(40)
		if _, err := db.Update(t.Context(), func(tx store.Tx) error { return loadAndApply(tx, batch) }); err != nil {
			t.Fatal(err)
		}
	}
	all := store.OrderFilter{CapturedFrom: calendar.None, CapturedTo: calendar.None}
	captured := all
	captured.Status = credit.OrderCaptured
	paid := store.PaymentFilter{From: calendar.None, To: calendar.None}
	type row struct {
		at time.Time
		id string
	}
	for name, list := range map[string]func(v store.View, p store.Page) (out []row, err error){
		"orders": func(v store.View, p store.Page) (out []row, err error) {
			found, err := store.ListOrders(v, all, p)
			for _, x := range found {
				out = append(out, row{x.CreatedAt, x.Key})
			}
			return out, err
		},
		"captured orders": func(v store.View, p store.Page) (out []row, err error) {
			found, err := store.ListOrders(v, captured, p)
			for _, x := range found {
				out = append(out, row{x.CreatedAt, x.Key})
			}
			return out, err
		},
		"payments": func(v store.View, p store.Page) (out []row, err error) {
			found, err := store.ListPayments(v, paid, p)
			for _, x := range found {
				out = append(out, row{x.CreatedAt, x.ID})
			}
			return out, err
		},
		"payouts": func(v store.View, p store.Page) (out []row, err error) {
			found, err := store.ListPayouts(v, store.PayoutFilter{}, p)
			for _, x := range found {
				out = append(out, row{x.CreatedAt, x.ID})
			}
			return out, err
		},
		"companies": func(v store.View, p store.Page) (out []row, err error) {
			found, err := store.ListCompanies(v, "", p)
			for _, x := range found {
				out = append(out, row{x.CreatedAt, store.CompanyKey(x.ID)})
			}
			return out, err
		},
	} {
		if err := db.View(t.Context(), func(v store.View) error {
			want, err := list(v, store.Page{Limit: 10_000})
			if err != nil {
				return err
			}
			slices.Reverse(want)
			if len(want) < 4 {
				t.Errorf("only %d %s", len(want), name)
			}
			for _, size := range []int{1, 3, 10_000} {
				var got []row
				for p := (store.Page{Limit: size, Oldest: true}); ; {
					page, err := list(v, p)
					if err != nil {
						return err
					}
					if got = append(got, page...); len(page) < size {
						break
					}
					p.AfterAt, p.AfterID = page[size-1].at, page[size-1].id
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, %d at a time:\n%v\nwant\n%v", name, size, got, want)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}
