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

// BankNotices implements store.ReviewView. It shows them as they are now.
func (v *view) BankNotices(f store.BankNoticeFilter, p store.Page) ([]store.BankNotice, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	var out []store.BankNotice
	for _, n := range v.db.exchange.notices {
		if n.Left() && (!f.Waiting || n.Waits()) {
			n.Payload = slices.Clone(n.Payload)
			out = append(out, n)
		}
	}
	return page(out, p, func(n store.BankNotice) (time.Time, string) { return n.At, n.Key() }, cmp.Compare[string]), nil
}

// BankNotice implements store.ReviewView.
func (v *view) BankNotice(rail credit.Method, id string) (store.BankNotice, bool, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	n, found := v.db.exchange.notices[noticeKey{rail, id}]
	n.Payload = slices.Clone(n.Payload)
	return n, found, nil
}

// SuspendedCompanies implements store.ReviewView.
func (v *view) SuspendedCompanies(p store.Page) ([]*credit.Company, error) {
	return v.companiesThat(p, func(c *credit.Company) bool { return c.Status == credit.CompanySuspended })
}

// PausedCompanies implements store.ReviewView.
func (v *view) PausedCompanies(p store.Page) ([]*credit.Company, error) {
	return v.companiesThat(p, func(c *credit.Company) bool {
		return c.Servicing.Autopay.Paused != "" || c.Servicing.Cards.Paused != ""
	})
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

// SameAccount implements store.ReviewView.
func (v *view) SameAccount(fingerprint string) ([]*credit.PaymentMethod, error) {
	out := list(v, v.db.methods, store.Page{Limit: math.MaxInt}, func(r store.MethodRow) (*credit.PaymentMethod, bool) {
		return r.PaymentMethod, r.Bank != nil && r.Bank.Fingerprint == fingerprint
	}, methodAt)
	slices.Reverse(out)
	return out[:min(len(out), store.MaxSame)], nil
}

func methodAt(x *credit.PaymentMethod) (time.Time, string) { return x.CreatedAt, x.ID }

// ProposedOrders implements store.ReviewView.
func (v *view) ProposedOrders(p store.Page) ([]*credit.Order, error) {
	return v.ordersThat(p, func(o *credit.Order) bool { return o.Servicing.Proposed && o.Servicing.ChargedOff == 0 })
}

// StoppedOrders implements store.ReviewView.
func (v *view) StoppedOrders(p store.Page) ([]*credit.Order, error) {
	return v.ordersThat(p, (*credit.Order).Waits)
}

// ordersThat is a page of the orders that a condition takes.
func (v *view) ordersThat(p store.Page, takes func(*credit.Order) bool) ([]*credit.Order, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	var out []*credit.Order
	for _, row := range v.db.orders.all(v.q) {
		if takes(row.Order) {
			out = append(out, row.Order)
		}
	}
	return page(out, p, func(o *credit.Order) (time.Time, string) { return o.CreatedAt, o.Key }, cmp.Compare), nil
}

// FilesIn implements store.ReviewView. It shows them as they are now.
func (v *view) FilesIn(state store.FileState, p store.Page) ([]store.BankFile, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	var out []store.BankFile
	for _, f := range v.db.exchange.files {
		if f.State == state {
			out = append(out, f)
		}
	}
	return page(out, p, func(f store.BankFile) (time.Time, string) { return f.CreatedAt, f.ID }, cmp.Compare[string]), nil
}

// UnscreenedCompanies implements store.ReviewView.
func (v *view) UnscreenedCompanies(p store.Page) ([]*credit.Company, error) {
	return v.companiesThat(p, func(c *credit.Company) bool { return c.Servicing.Screened.Unscreened })
}

// companiesThat is a page of the companies that a condition takes.
func (v *view) companiesThat(p store.Page, takes func(*credit.Company) bool) ([]*credit.Company, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	var out []*credit.Company
	for _, row := range v.db.companies.all(v.q) {
		if takes(row.Company) {
			out = append(out, row.Company)
		}
	}
	return page(out, p, companyPlace, byNumber), nil
}

// UnscreenedMerchants implements store.ReviewView.
func (v *view) UnscreenedMerchants() ([]string, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	var out []string
	for _, row := range v.db.merchants.all(v.q) {
		if row.Account.Screened.Unscreened {
			out = append(out, row.ID)
		}
	}
	slices.Sort(out)
	return out, nil
}
