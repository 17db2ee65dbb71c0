package memory

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// DebitReturnsSince implements store.ReviewView.
func (v *view) DebitReturnsSince(at time.Time) (map[string]int, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	counts, seen := map[string]int{}, map[string]bool{}
	for _, n := range v.db.exchange.notices {
		if n.Rail != credit.ACH || n.Kind != "RETURN" || n.Code == "" || n.Transfer == "" || seen[n.Transfer] || n.At.IsZero() || n.At.Before(at) {
			continue
		}
		t := v.db.transfers.get(n.Transfer, v.q)
		if t != nil && collects(t.Transfer) && t.ReturnCode == n.Code {
			seen[n.Transfer] = true
			counts[n.Code]++
		}
	}
	return counts, nil
}

// SharedAccounts implements store.ReviewView.
func (v *view) SharedAccounts(since time.Time, p store.Page) ([]*credit.PaymentMethod, error) {
	banks := list(v, v.db.methods, store.Page{Limit: math.MaxInt}, func(r store.MethodRow) (*credit.PaymentMethod, bool) {
		return r.PaymentMethod, r.Bank != nil
	}, methodAt)
	slices.Reverse(banks)
	first, out := map[string]map[int64]bool{}, []*credit.PaymentMethod(nil)
	for _, m := range banks { // oldest first
		had := first[m.Bank.Fingerprint]
		if had == nil {
			had = map[int64]bool{}
			first[m.Bank.Fingerprint] = had
		}
		if !m.CreatedAt.Before(since) && (len(had) > 1 || len(had) == 1 && !had[m.Company]) {
			out = append(out, m)
		}
		had[m.Company] = true
	}
	return page(out, p, methodAt, cmp.Compare), nil
}

func methodAt(x *credit.PaymentMethod) (time.Time, string) { return x.CreatedAt, x.ID }
