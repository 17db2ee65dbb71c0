package memory

import (
	"cmp"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
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

func (v *view) Due(n store.Noun, now time.Time, p store.Page) ([]store.Due, error) {
	next := slices.Index(n.Schema().Columns, "next_at")
	return due(v, now, p, func() []store.Due {
		var out []store.Due
		for _, row := range v.db.nouns[n.Index()].all(v.q) {
			out = append(out, store.Due{ID: n.Value(row, 0).Text, At: n.Value(row, next).Time()})
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
