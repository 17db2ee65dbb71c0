package storetest

import (
	"cmp"
	"errors"
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// testBriefs compares reads of many orders at once with a plain loop.
func testBriefs(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	for range 20 {
		commit(t, b, w.Batch(20))
	}
	brief := func(o *credit.Order) store.OrderBrief {
		return store.OrderBrief{Key: o.Key, Number: o.MerchantOrderID, Amount: o.Amount, Captured: o.Captured, Status: o.Status, CreatedAt: o.CreatedAt}
	}
	byAge := func(a, b store.OrderBrief) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Key, b.Key))
	}
	find := func(match func(*credit.Order) bool) []store.OrderBrief {
		var out []store.OrderBrief
		for _, key := range w.orders {
			if o := w.State.Orders[key]; match(o) {
				out = append(out, brief(o))
			}
		}
		slices.SortFunc(out, byAge)
		return out
	}
	some := w.State.Orders[w.orders[len(w.orders)/2]]
	numbers := []string{"", "a number that nobody has"}
	for i, key := range w.orders {
		if n := w.State.Orders[key].MerchantOrderID; n != "" && i%2 == 0 {
			numbers = append(numbers, n, n)
		}
	}
	view(t, b, func(v store.View) {
		for _, m := range w.merchants {
			got := must(store.OrdersNumbered(v, m, numbers))(t)
			slices.SortFunc(got, byAge)
			equal(t, "by number", find(func(o *credit.Order) bool {
				return o.Merchant == m && o.MerchantOrderID != "" && slices.Contains(numbers, o.MerchantOrderID)
			}), got)
			for _, span := range [][2]time.Time{{}, {some.CreatedAt}, {{}, some.CreatedAt}, {some.CreatedAt, some.CreatedAt.Add(time.Microsecond)}} {
				var got []store.OrderBrief
				if err := store.EachBrief(v, m, span[0], span[1], func(o store.OrderBrief) error { got = append(got, o); return nil }); err != nil {
					t.Fatal(err)
				}
				equal(t, "by creation", find(func(o *credit.Order) bool {
					return o.Merchant == m && !o.CreatedAt.Before(span[0]) && (span[1].IsZero() || o.CreatedAt.Before(span[1]))
				}), got)
			}
		}
		equal(t, "of no numbers", []store.OrderBrief(nil), must(store.OrdersNumbered(v, some.Merchant, nil))(t))
		stop := errors.New("enough")
		seen := 0
		err := store.EachBrief(v, some.Merchant, time.Time{}, time.Time{}, func(store.OrderBrief) error { seen++; return stop })
		if !errors.Is(err, stop) || seen != 1 {
			t.Errorf("a walk that was stopped went on for %d orders: %v", seen, err)
		}
	})
}
