package memory

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/ledger"
	"tenor/internal/money"
	"tenor/internal/store"
)

// loadLines adds the payout lines that keys lead to, and merchants' positions.
func (d *data) loadLines(s *credit.State, k credit.Keys, q int64) {
	for _, id := range k.Positions {
		if _, ok := s.Positions[id]; ok {
			continue
		}
		s.Positions[id] = nil
		if row := d.positions.get(id, q); row != nil {
			s.Positions[id] = row.Position
		}
	}
	for _, of := range k.Lines {
		if _, ok := s.OrderLines[of]; !ok {
			s.OrderLines[of] = keepLines(s, d.linesAt(d.linesOf[of], q))
		}
	}
	for _, merchant := range k.Waiting {
		if _, ok := s.Waiting[merchant]; !ok {
			s.Waiting[merchant] = keepLines(s, credit.FirstLines(d.waiting(merchant, q)))
		}
	}
	for _, by := range k.Ended {
		if _, ok := s.Ended[by]; !ok {
			s.Ended[by] = keepLines(s, d.ended(by, q))
		}
	}
}

// keepLines adds lines to the state, unless another list has brought them already,
// and returns their ids.
func keepLines(s *credit.State, lines []*credit.PayoutLine) []string {
	var ids []string
	for _, l := range lines {
		ids = append(ids, l.ID)
		if _, ok := s.Lines[l.ID]; !ok {
			s.Lines[l.ID] = l
		}
	}
	return ids
}

// linesAt are lines as they stood after commit q, by (Due, ID).
func (d *data) linesAt(ids []string, q int64) []*credit.PayoutLine {
	var out []*credit.PayoutLine
	for _, id := range ids {
		if row := d.lines.get(id, q); row != nil {
			out = append(out, row.PayoutLine)
		}
	}
	slices.SortFunc(out, func(a, b *credit.PayoutLine) int { return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.ID, b.ID)) })
	return out
}

// waiting are the lines that wait for a merchant.
func (d *data) waiting(merchant string, q int64) []*credit.PayoutLine {
	return slices.DeleteFunc(d.linesAt(d.linesFor[merchant], q), func(l *credit.PayoutLine) bool { return l.Payout != "" })
}

// ended are the lines that a payout or a transfer has ended.
func (d *data) ended(by string, q int64) []*credit.PayoutLine {
	var ids []string
	for _, row := range d.lines.all(q) {
		if row.Payout == by {
			ids = append(ids, row.ID)
		}
	}
	return d.linesAt(ids, q)
}

func (v *view) DueOrders(now time.Time, p store.Page) ([]store.Due, error) {
	return due(v, now, p, func() []store.Due {
		var out []store.Due
		for _, o := range v.db.orders.all(v.q) {
			out = append(out, store.Due{ID: o.Key, At: o.NextAt})
		}
		return out
	}), nil
}

func (v *view) DueTransfers(now time.Time, p store.Page) ([]store.Due, error) {
	return due(v, now, p, func() []store.Due {
		var out []store.Due
		for _, t := range v.db.transfers.all(v.q) {
			out = append(out, store.Due{ID: t.ID, At: t.NextAt})
		}
		return out
	}), nil
}

func (v *view) DueCredits(now time.Time, p store.Page) ([]store.Due, error) {
	return due(v, now, p, func() []store.Due {
		var out []store.Due
		for _, rows := range v.db.credits.all(v.q) {
			first := store.Due{}
			for _, x := range rows {
				if at := x.NextAt; !at.IsZero() && (first.At.IsZero() || at.Before(first.At)) {
					first = store.Due{ID: store.CompanyKey(x.Company), At: at}
				}
			}
			out = append(out, first)
		}
		return out
	}), nil
}

func (v *view) DueHeld(now time.Time, p store.Page) ([]store.Due, error) {
	return due(v, now, p, func() []store.Due {
		first := map[string]time.Time{}
		for _, x := range v.db.lines.all(v.q) {
			if at := first[x.Of]; !x.NextAt.IsZero() && (at.IsZero() || x.NextAt.Before(at)) {
				first[x.Of] = x.NextAt
			}
		}
		var out []store.Due
		for of, at := range first {
			out = append(out, store.Due{ID: of, At: at})
		}
		return out
	}), nil
}

func (v *view) OwedPayments(p store.Page) ([]*credit.Payment, error) {
	order := func(a, b *credit.Payment) int {
		return cmp.Or(a.OwedSince.Compare(b.OwedSince), cmp.Compare(a.ID, b.ID))
	}
	list := gather(v, func() []*credit.Payment {
		var out []*credit.Payment
		for _, x := range v.db.payments.all(v.q) {
			if !x.OwedSince.IsZero() && (p.AfterAt.IsZero() || order(x.Payment, &credit.Payment{OwedSince: p.AfterAt, ID: p.AfterID}) > 0) {
				out = append(out, x.Payment)
			}
		}
		return out
	}, order)
	return list[:min(len(list), max(p.Limit, 0))], nil
}

// due is a page of what is due by now, oldest first.
func due(v *view, now time.Time, p store.Page, rows func() []store.Due) []store.Due {
	order := func(a, b store.Due) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) }
	list := slices.DeleteFunc(gather(v, rows, order), func(d store.Due) bool {
		return d.At.IsZero() || d.At.After(now) || !p.AfterAt.IsZero() && order(d, store.Due{ID: p.AfterID, At: p.AfterAt}) <= 0
	})
	return list[:min(len(list), max(p.Limit, 0))]
}

func (v *view) DueMerchants(day calendar.Date) ([]string, error) {
	return v.merchantsWith(day, func(k credit.PayoutLineKind) bool { return !k.Owes() }), nil
}

func (v *view) DebitsSince(at time.Time) (int, error) {
	return len(gather(v, func() []store.TransferRow {
		return slices.DeleteFunc(v.db.transfers.all(v.q), func(r store.TransferRow) bool {
			return r.Rail != credit.ACH || !collects(r.Transfer) || r.SentAt.IsZero() || r.SentAt.Before(at)
		})
	}, func(a, b store.TransferRow) int { return cmp.Compare(a.ID, b.ID) })), nil
}

// collects reports that a transfer is a debit of what somebody owes: one that takes back
// micro-deposits is none (F22).
func collects(t *credit.Transfer) bool {
	return t.Kind == credit.TransferPayment || t.Kind == credit.TransferClawback
}

func (v *view) AgedMerchants(kind credit.PayoutLineKind, day calendar.Date) ([]string, error) {
	return v.merchantsWith(day, func(k credit.PayoutLineKind) bool { return k == kind }), nil
}

// merchantsWith are those for whom a line of some kind waits since a day.
func (v *view) merchantsWith(day calendar.Date, kind func(credit.PayoutLineKind) bool) []string {
	return gather(v, func() []string {
		var out []string
		for merchant := range v.db.linesFor {
			if slices.ContainsFunc(v.db.waiting(merchant, v.q), func(l *credit.PayoutLine) bool {
				return kind(l.Kind) && l.Due <= day && l.Left() > 0
			}) {
				out = append(out, merchant)
			}
		}
		return out
	}, cmp.Compare)
}

func (v *view) DueOf(merchant string, day calendar.Date) (store.DueMoney, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	sum := store.DueMoney{Since: calendar.None}
	for _, l := range v.db.waiting(merchant, v.q) {
		switch {
		case l.Due > day || l.Left() <= 0:
		case l.Kind.Owes():
			sum.ByMerchant = sum.ByMerchant.Add(l.Left())
		default:
			sum.ToMerchant = sum.ToMerchant.Add(l.Left())
			if sum.Since == calendar.None || l.Due < sum.Since {
				sum.Since = l.Due
			}
		}
	}
	return sum, nil
}

func (v *view) Methods(company int64) ([]*credit.PaymentMethod, error) {
	return list(v, v.db.methods, store.Page{Limit: math.MaxInt}, func(r store.MethodRow) (*credit.PaymentMethod, bool) {
		return r.PaymentMethod, r.Company == company
	}, func(x *credit.PaymentMethod) (time.Time, string) { return x.CreatedAt, x.ID }), nil
}

// list is a page of the rows that match, newest first.
func list[K comparable, R, T any](v *view, t typed[K, R], p store.Page, match func(R) (*T, bool), at func(*T) (time.Time, string)) []*T {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	var out []*T
	for _, row := range t.all(v.q) {
		if x, ok := match(row); ok {
			out = append(out, x)
		}
	}
	return page(out, p, at, cmp.Compare)
}

func (v *view) Transfers(f store.TransferFilter, p store.Page) ([]*credit.Transfer, error) {
	return list(v, v.db.transfers, p, func(r store.TransferRow) (*credit.Transfer, bool) {
		return r.Transfer, f.Takes(r.Transfer)
	}, func(x *credit.Transfer) (time.Time, string) { return x.CreatedAt, x.ID }), nil
}

func (v *view) Payouts(f store.PayoutFilter, p store.Page) ([]*credit.Payout, error) {
	return list(v, v.db.payouts, p, func(r store.PayoutRow) (*credit.Payout, bool) {
		return r.Payout, equal(f.Merchant, r.Merchant) && equal(f.Status, r.Status)
	}, func(x *credit.Payout) (time.Time, string) { return x.CreatedAt, x.ID }), nil
}

func (v *view) PayoutLines(f store.LineFilter, p store.Page) ([]*credit.PayoutLine, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	var out []*credit.PayoutLine
	if f.Payout == "" {
		out = v.db.waiting(f.Waiting, v.q)
	} else if payout := v.db.payouts.get(f.Payout, v.q); payout != nil {
		out = slices.DeleteFunc(v.db.linesAt(v.db.linesFor[payout.Merchant], v.q), func(l *credit.PayoutLine) bool { return l.Payout != f.Payout })
	}
	if p.AfterID != "" {
		after := v.db.lines.get(p.AfterID, v.q)
		out = slices.DeleteFunc(out, func(l *credit.PayoutLine) bool {
			return after == nil || cmp.Or(cmp.Compare(l.Due, after.Due), cmp.Compare(l.ID, after.ID)) <= 0
		})
	}
	return out[:min(len(out), max(p.Limit, 0))], nil
}

func (v *view) Notices(f store.NoticeFilter, p store.Page) ([]*credit.Notice, error) {
	return list(v, v.db.notices, p, func(r store.NoticeRow) (*credit.Notice, bool) {
		return r.Notice, f.Takes(r.Notice)
	}, func(x *credit.Notice) (time.Time, string) { return x.ActionAt, x.ID }), nil
}

func (v *view) Screenings(f store.ScreeningFilter, p store.Page) ([]*credit.Screening, error) {
	return list(v, v.db.screened, p, func(r store.ScreeningRow) (*credit.Screening, bool) {
		return r.Screening, equal(f.Company, r.Company) && equal(f.Merchant, r.Merchant) && equal(f.Status, r.Status)
	}, func(x *credit.Screening) (time.Time, string) { return x.OpenedAt, x.ID }), nil
}

func (v *view) TrialBalance(f store.BookFilter) (map[ledger.Account]money.Amount, error) {
	sums := map[ledger.Account]money.Amount{}
	err := v.EachEntryOf(f, func(e store.EntryRow) error {
		for _, p := range e.Postings {
			sums[p.Account] = sums[p.Account].Add(p.Amount)
		}
		return nil
	})
	for account, sum := range sums {
		if sum == 0 {
			delete(sums, account)
		}
	}
	return sums, err
}

func (v *view) OwedAt(merchant string, q int64) (sum money.Amount, err error) {
	err = v.EachEntry(func(e store.EntryRow) error {
		for _, p := range e.Postings {
			if e.Q <= q && p.Merchant == merchant && (p.Account == ledger.ClawbackReceivable || p.Account == ledger.DueFromMerchant) {
				sum = sum.Add(p.Amount)
			}
		}
		return nil
	})
	return sum, err
}

func (v *view) EachEntryOf(f store.BookFilter, fn func(store.EntryRow) error) error {
	return v.EachEntry(func(e store.EntryRow) error {
		if !between(f.From, f.To, e.BookDate) {
			return nil
		}
		e.Postings = slices.DeleteFunc(slices.Clone(e.Postings), func(p ledger.Posting) bool {
			return !equal(f.Company, p.Company) || !equal(f.Merchant, p.Merchant)
		})
		if len(e.Postings) == 0 {
			return nil
		}
		return fn(e)
	})
}
