package verify

import (
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// lender compares the lender's record with the books: the allowance with the balance of
// 1900, and the closing date with the closed months.
func lender(r *run) error {
	s := credit.NewState()
	if err := r.view.Load(s, credit.Keys{Lenders: []string{credit.TheLender}}); err != nil {
		return err
	}
	x, held := s.TheLender(), money.Amount(0)
	if err := store.EachBalance(r.view, func(k ledger.BalanceKey, sum int64) error {
		if k.Account == ledger.Allowance {
			held = held.Sub(money.Amount(sum))
		}
		return r.each(0)
	}); err != nil {
		return err
	}
	r.equal("LG3", "lender", "allowance", x.Allowance, held)
	closed := calendar.None
	for i, p := range r.periods {
		if i > 0 && p.Month != closed+1 {
			r.broken("LG7", "period "+p.Month.String(), "is closed, but %s is not", (closed + 1).String())
		}
		closed = p.Month.EndOfMonth()
	}
	if x.ClosedTo != closed {
		r.broken("LG7", "lender", "the books are closed through %s, but the last closed month ends on %s", x.ClosedTo, closed)
	}
	if to := x.ProvisionedThrough; to != calendar.None && (to != to.EndOfMonth() || to < x.ProvisionFrom || to >= r.head.BusinessDate) {
		r.broken("F17", "lender", "is provisioned through %s, with rates since %s", to, x.ProvisionFrom)
	}
	last := x.NextProvision()
	for _, m := range x.Moved {
		if last == calendar.None || m.Month <= last || m.Month != m.Month.EndOfMonth() || m.Month > r.head.BusinessDate.EndOfMonth() {
			r.broken("F17", "lender", "has an allowance change for the month ending %s out of order: the last ends %s", m.Month, last)
		}
		last = m.Month
	}
	return nil
}

// screenings compares reviews with the screening state of their subject: an open or
// confirmed one is named there, and only a confirmed one stops the money (F29).
func screenings(r *run) error {
	waiting := map[string]credit.ScreeningStatus{}
	if err := store.EachOf(r.view, store.ScreeningNoun, func(x *credit.Screening) error {
		object := "screening " + x.ID
		of := r.screenedOf(x)
		switch {
		case of == nil:
			r.broken("AU1", object, "belongs to company %d or merchant %q, which does not exist", x.Company, x.Merchant)
			return r.each(0)
		case x.Status != credit.ScreeningCleared:
			waiting[x.ID] = x.Status
			if of.Review != x.ID || of.Stopped != (x.Status == credit.ScreeningConfirmed) {
				r.broken("F29", object, "is %s, but its subject waits for %q (stopped: %t)", x.Status, of.Review, of.Stopped)
			}
		case of.Review == x.ID:
			r.broken("F29", object, "is cleared, but its subject still waits for it")
		}
		if len(x.Matches) == 0 || x.DecidedAt.IsZero() != (x.Status == credit.ScreeningOpen) || (x.ReportBy != calendar.None) != (x.Status == credit.ScreeningConfirmed) {
			r.broken("F29", object, "is %s with %d matches, decided at %q, report due on %s", x.Status, len(x.Matches), stamp(x.DecidedAt), x.ReportBy)
		}
		return r.each(0)
	}); err != nil {
		return err
	}
	for _, id := range r.companyIDs() {
		r.waits("company "+store.CompanyKey(id), &r.companies[id].Servicing.Screened, waiting)
	}
	for _, id := range slices.Sorted(maps.Keys(r.merchants)) {
		r.waits("merchant "+id, &r.merchants[id].Account.Screened, waiting)
	}
	return nil
}

// waits checks that a pending review exists.
func (r *run) waits(object string, of *credit.Screened, waiting map[string]credit.ScreeningStatus) {
	if of.Review != "" && waiting[of.Review] == "" || of.Review == "" && of.Stopped {
		r.broken("F29", object, "waits for screening %q, which does not exist, or is stopped without one (stopped: %t)", of.Review, of.Stopped)
	}
}

// screenedOf returns the screening state of a review's subject, nil if the subject does not
// exist.
func (r *run) screenedOf(x *credit.Screening) *credit.Screened {
	if c := r.companies[x.Company]; x.Company != 0 && c != nil {
		return &c.Servicing.Screened
	}
	if m := r.merchants[x.Merchant]; x.Company == 0 && m != nil {
		return &m.Account.Screened
	}
	return nil
}
