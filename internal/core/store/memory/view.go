package memory

import (
	"cmp"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// view is the snapshot after commit q, after the write rev of what is not
// decided, and after so many signed heads.
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

// equal reports whether a filter's member is not set or has the value.
func equal[T comparable](want, value T) bool {
	var none T
	return want == none || want == value
}

func within(from, to, t time.Time) bool {
	return !t.Before(from) && (to.IsZero() || t.Before(to))
}

// between reports whether a date lies in a range that includes both ends; no
// date lies in any.
func between(from, to, d calendar.Date) bool {
	return (from == calendar.None || d != calendar.None && d >= from) &&
		(to == calendar.None || d != calendar.None && d <= to)
}

// page sorts newest first and cuts one page out. compare orders identifiers.
func page[T any](rows []T, p store.Page, at func(T) (time.Time, string), compare func(a, b string) int) []T {
	order := func(t time.Time, id string, u time.Time, other string) int {
		return cmp.Or(u.Compare(t), compare(other, id))
	}
	slices.SortFunc(rows, func(a, b T) int {
		t, id := at(a)
		u, other := at(b)
		return order(t, id, u, other)
	})
	if !p.AfterAt.IsZero() {
		i := slices.IndexFunc(rows, func(r T) bool {
			t, id := at(r)
			return order(t, id, p.AfterAt, p.AfterID) > 0
		})
		if i < 0 {
			return nil
		}
		rows = rows[i:]
	}
	return rows[:min(len(rows), max(p.Limit, 0))]
}

func (v *view) Events(o credit.ObjectRef, p store.Page) ([]store.EventRow, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	after := -1
	if p.AfterID != "" {
		i, found := v.db.eventAt[p.AfterID]
		if !found {
			return nil, nil
		}
		after = i
	}
	var out []store.EventRow
	take := func(i int) bool {
		e := v.db.events[i]
		if len(out) >= p.Limit || e.Q > v.q {
			return false
		}
		if i > after {
			out = append(out, e)
		}
		return true
	}
	if o != (credit.ObjectRef{}) {
		for _, i := range v.db.eventsOf[o] {
			if !take(i) {
				break
			}
		}
		return out, nil
	}
	for i := after + 1; i < len(v.db.events) && take(i); i++ {
	}
	return out, nil
}

func (v *view) Entries(order string) ([]store.EntryRow, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	var out []store.EntryRow
	for _, i := range v.db.entriesOf[order] {
		if e := v.db.entries[i]; e.head.Q <= v.q {
			out = append(out, e.row())
		}
	}
	return out, nil
}

func (v *view) PastDues(companies []int64, merchant string, day calendar.Date) (map[int64]store.PastDue, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	sums := map[int64]store.PastDue{}
	for _, id := range companies {
		if sum := v.pastDue(id, merchant, day); sum.Amount != 0 {
			sums[id] = sum
		}
	}
	return sums, nil
}

func (v *view) pastDue(company int64, merchant string, day calendar.Date) store.PastDue {
	sum, oldest := money.Amount(0), calendar.None
	for _, key := range v.db.accounts[company] {
		loan := v.db.loans.get(key, v.q)
		if loan == nil || !equal(merchant, loan.Merchant) {
			continue
		}
		for _, r := range loan.Rows {
			if r.Canceled || r.DueDate >= day || r.Unpaid() <= 0 {
				continue
			}
			sum = sum.Add(r.Unpaid())
			if oldest == calendar.None || r.DueDate < oldest {
				oldest = r.DueDate
			}
		}
	}
	return store.PastDue{Amount: int64(sum), Oldest: oldest}
}

func (v *view) SeqAt(t time.Time) (int64, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	last := int64(0)
	for _, b := range v.db.batches {
		if !b.Tombstone && b.LastQ <= v.q && !b.At.After(t) {
			last = b.LastQ
		}
	}
	return last, nil
}
