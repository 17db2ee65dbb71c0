package memory

import (
	"slices"

	"tenor/internal/core/store"
)

// place is a row with what the columns of a query's order have.
type place struct {
	row any
	at  []store.Value
}

// List implements store.View.
func (v *view) List(q store.Query, fn func(row any) error) error {
	v.db.mu.RLock()
	found := v.found(q)
	v.db.mu.RUnlock()
	slices.SortFunc(found, func(a, b place) int { return compare(q, a.at, b.at) })
	if q.Limit >= 0 {
		found = found[:min(len(found), q.Limit)]
	}
	for _, p := range found {
		if err := fn(p.row); err != nil {
			return err
		}
	}
	return nil
}

// found are the rows that a query asks for from its position on, in no order.
func (v *view) found(q store.Query) (out []place) {
	columns := q.Noun.Schema().Columns
	at := func(row any) (at []store.Value) {
		for _, name := range q.Order {
			at = append(at, q.Noun.Value(row, slices.Index(columns, name)))
		}
		return at
	}
	after := q.After
	if q.Behind != "" {
		last := v.db.nouns[q.Noun.Index()].get(q.Behind, v.q)
		if last == nil {
			return nil
		}
		after = at(*last)
	}
	for _, row := range v.db.nouns[q.Noun.Index()].all(v.q) {
		if p := (place{row, at(row)}); takes(q, columns, row) && (after == nil || compare(q, p.at, after) > 0) {
			out = append(out, p)
		}
	}
	return out
}

// takes reports that a row meets all conditions.
func takes(q store.Query, columns []string, row any) bool {
	for _, c := range q.Where {
		if c.Takes != nil && !c.Takes(row) || c.Takes == nil && !c.Match(q.Noun.Value(row, slices.Index(columns, c.Column))) {
			return false
		}
	}
	return true
}

// compare orders positions as the query lists them.
func compare(q store.Query, a, b []store.Value) int {
	for i := range a {
		if c := a[i].Compare(b[i]); c != 0 {
			if q.Down {
				return -c
			}
			return c
		}
	}
	return 0
}
