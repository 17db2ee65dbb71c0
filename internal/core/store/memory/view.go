package memory

import (
	"slices"
	"tenor/internal/domain/ledger"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// view is the snapshot after commit q, after the write rev of undecided data, and after a
// number of signed heads.
type view struct {
	db     *DB
	q      int64
	rev    int64
	signed int // heads
	head   store.Head
}

func (v *view) Seq() int64 { return v.q }

func (v *view) Head() (store.Head, error) { return v.head, nil }

func (v *view) Load(s *credit.State, k credit.Keys) error {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	v.db.load(s, k, v.q)
	return nil
}

// equal reports whether a filter's member is unset or has the value.
func equal[T comparable](want, value T) bool {
	var none T
	return want == none || want == value
}

// between reports whether a date is in a range that includes both ends; calendar.None is
// only in the unbounded range.
func between(from, to, d calendar.Date) bool {
	return (from == calendar.None || d != calendar.None && d >= from) &&
		(to == calendar.None || d != calendar.None && d <= to)
}

// Entries implements store.View.
func (v *view) Entries(f store.EntryFilter, fn func(store.EntryRow) error) error {
	whole := f.Order != "" || f.Company == 0 && f.Merchant == ""
	for _, e := range v.entries(f.Order) {
		if !between(f.From, f.To, e.BookDate) && f.Order == "" {
			continue
		}
		if !whole {
			e.Postings = slices.DeleteFunc(slices.Clone(e.Postings), func(p ledger.Posting) bool {
				return !equal(f.Company, p.Company) || !equal(f.Merchant, p.Merchant)
			})
		}
		if len(e.Postings) == 0 && !whole {
			continue
		}
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// entries returns the entries with a posting on an order; "" returns all.
func (v *view) entries(order string) []store.EntryRow {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	n := until(v.db.entries, v.q, func(e entry) int64 { return e.head.Q })
	var rows []store.EntryRow
	if order != "" {
		for _, i := range v.db.entriesOf[order] {
			if i < n {
				rows = append(rows, v.db.entries[i].row())
			}
		}
		return rows
	}
	for _, e := range v.db.entries[:n] {
		rows = append(rows, e.row())
	}
	return rows
}

// TrialBalance implements store.View.
func (v *view) TrialBalance(f store.BookFilter) (map[ledger.Account]money.Amount, error) {
	sums := map[ledger.Account]money.Amount{}
	err := store.EachEntryOf(v, f, func(e store.EntryRow) error {
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
