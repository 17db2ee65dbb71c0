package memory

import (
	"cmp"
	"slices"
	"sort"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

func placeOf(e store.EventRow) store.Place { return store.Place{Q: e.Q, N: e.N} }

func comparePlaces(a, b store.Place) int { return cmp.Or(cmp.Compare(a.Q, b.Q), cmp.Compare(a.N, b.N)) }

// after is the number of events up to a place, which is the index of the first one after
// it.
func (d *data) after(p store.Place) int {
	return sort.Search(len(d.events), func(i int) bool { return comparePlaces(placeOf(d.events[i]), p) > 0 })
}

// reads reports whether the merchant may read the event at an index.
func (d *data) reads(merchant string, event int) bool {
	_, found := slices.BinarySearch(d.readersOf[merchant], event)
	return found
}

// Events implements store.View.
func (v *view) Events(f store.EventFilter) (out []store.EventRow, err error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	d, first := v.db, v.db.after(f.After)
	if f.Behind != "" {
		i, found := d.eventAt[f.Behind]
		if !found {
			return nil, nil
		}
		first = i + 1
	}
	take := func(i int) (more bool) {
		e := d.events[i]
		if len(out) >= f.Limit || e.Q > v.q {
			return false
		}
		if i >= first && equal(f.ID, e.ID) && (f.Merchant == "" || d.reads(f.Merchant, i)) &&
			!e.At.Before(f.From) && (f.To.IsZero() || e.At.Before(f.To)) {
			out = append(out, e)
		}
		return true
	}
	list, some := d.readersOf[f.Merchant], f.Merchant != ""
	if f.Object != (credit.ObjectRef{}) {
		list, some = d.eventsOf[f.Object], true
	}
	if i, found := d.eventAt[f.ID]; f.ID != "" {
		if list, some = nil, true; found {
			list = []int{i}
		}
	}
	if !some {
		for i := first; i < len(d.events) && take(i); i++ {
		}
		return out, nil
	}
	at, _ := slices.BinarySearch(list, first)
	for ; at < len(list) && take(list[at]); at++ {
	}
	return out, nil
}
