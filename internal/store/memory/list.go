package memory

import (
	"slices"

	"tenor/internal/store"
)

// List implements store.View.
func (v *view) List(q store.Query, fn func(row any) error) error {
	s := q.Noun.Schema()
	column := func(name string) int { return slices.Index(s.Columns, name) }
	order := make([]int, len(q.Order))
	for i, name := range q.Order {
		order[i] = column(name)
	}
	compare := func(a, b []store.Value) int {
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
	type place struct {
		row any
		at  []store.Value
	}
	v.db.mu.RLock()
	if q.Behind != "" {
		last := v.db.nouns[q.Noun.Index()].get(q.Behind, v.q)
		if last == nil {
			v.db.mu.RUnlock()
			return nil
		}
		for _, i := range order {
			q.After = append(q.After, q.Noun.Value(*last, i))
		}
	}
	var found []place
	for _, row := range v.db.nouns[q.Noun.Index()].all(v.q) {
		if !slices.ContainsFunc(q.Where, func(c store.Cond) bool {
			if c.Takes != nil {
				return !c.Takes(row)
			}
			return !c.Match(q.Noun.Value(row, column(c.Column)))
		}) {
			p := place{row: row}
			for _, i := range order {
				p.at = append(p.at, q.Noun.Value(row, i))
			}
			if q.After == nil || compare(p.at, q.After) > 0 {
				found = append(found, p)
			}
		}
	}
	v.db.mu.RUnlock()
	slices.SortFunc(found, func(a, b place) int { return compare(a.at, b.at) })
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
