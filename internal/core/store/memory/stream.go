package memory

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"tenor/internal/core/store"
)

func placeOf(e store.EventRow) store.Place { return store.Place{Q: e.Q, N: e.N} }

func comparePlaces(a, b store.Place) int { return cmp.Or(cmp.Compare(a.Q, b.Q), cmp.Compare(a.N, b.N)) }

// after is the number of events up to a place, which is the index of the first one
// behind it.
func (d *data) after(p store.Place) int {
	return sort.Search(len(d.events), func(i int) bool { return comparePlaces(placeOf(d.events[i]), p) > 0 })
}

// reads reports whether the merchant may read the event at an index.
func (d *data) reads(merchant string, event int) bool {
	_, found := slices.BinarySearch(d.readersOf[merchant], event)
	return found
}

func (v *view) Stream(merchant string, after store.Place, limit int) ([]store.EventRow, error) {
	return v.stream(merchant, after, limit, func(store.EventRow) bool { return true })
}

func (v *view) Span(merchant string, from, to time.Time, after store.Place, limit int) ([]store.EventRow, error) {
	return v.stream(merchant, after, limit, func(e store.EventRow) bool { return !e.At.Before(from) && e.At.Before(to) })
}

// stream lists the events of a merchant after a place that match.
func (v *view) stream(merchant string, after store.Place, limit int, match func(store.EventRow) bool) ([]store.EventRow, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	var out []store.EventRow
	take := func(i int) (more bool) {
		e := v.db.events[i]
		if len(out) >= limit || e.Q > v.q {
			return false
		}
		if match(e) {
			out = append(out, e)
		}
		return true
	}
	first := v.db.after(after)
	if merchant == "" {
		for i := first; i < len(v.db.events) && take(i); i++ {
		}
		return out, nil
	}
	mine := v.db.readersOf[merchant]
	at, _ := slices.BinarySearch(mine, first)
	for ; at < len(mine) && take(mine[at]); at++ {
	}
	return out, nil
}

func (v *view) Event(id, merchant string) (*store.EventRow, bool, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	i, found := v.db.eventAt[id]
	if !found || v.db.events[i].Q > v.q {
		return nil, false, nil
	}
	e := v.db.events[i]
	return &e, merchant == "" || v.db.reads(merchant, i), nil
}
