package memory

import (
	"cmp"
	"time"

	"tenor/internal/core/store"
)

func (v *view) Numbered(merchant string, numbers []string) ([]store.OrderBrief, error) {
	wanted := make(map[string]bool, len(numbers))
	for _, n := range numbers {
		wanted[n] = n != ""
	}
	return v.briefs(func(r store.OrderRow) bool { return r.Merchant == merchant && wanted[r.MerchantOrderID] }), nil
}

func (v *view) EachBrief(merchant string, from, to time.Time, fn func(store.OrderBrief) error) error {
	return each(gather(v, func() []store.OrderBrief {
		return v.briefsOf(func(r store.OrderRow) bool { return r.Merchant == merchant && within(from, to, r.CreatedAt) })
	}, func(a, b store.OrderBrief) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Key, b.Key))
	}), fn)
}

func (v *view) briefs(match func(store.OrderRow) bool) []store.OrderBrief {
	return gather(v, func() []store.OrderBrief { return v.briefsOf(match) }, nil)
}

// briefsOf needs the lock.
func (v *view) briefsOf(match func(store.OrderRow) bool) []store.OrderBrief {
	var out []store.OrderBrief
	for _, r := range v.db.orders.all(v.q) {
		if match(r) {
			out = append(out, store.OrderBrief{
				Key: r.Key, Number: r.MerchantOrderID, Amount: r.Amount, Captured: r.Captured, Status: r.Status, CreatedAt: r.CreatedAt,
			})
		}
	}
	return out
}
