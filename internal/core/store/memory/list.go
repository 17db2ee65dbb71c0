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
	found, err := v.found(q)
	v.db.mu.RUnlock()
	if err != nil {
		return err
	}
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
func (v *view) found(q store.Query) (out []place, err error) {
	columns := q.From.Schema().Columns
	at := func(row any) (at []store.Value) {
		for _, name := range q.Order {
			at = append(at, q.From.Value(row, slices.Index(columns, name)))
		}
		return at
	}
	rows, err := v.rowsOf(q.From)
	if err != nil {
		return nil, err
	}
	after := q.After
	if q.Behind != "" {
		i := slices.IndexFunc(rows, func(row any) bool { return q.From.Value(row, 0).Text == q.Behind })
		if i < 0 {
			return nil, nil
		}
		after = at(rows[i])
	}
	for _, row := range rows {
		if p := (place{row, at(row)}); takes(q, columns, row) && (after == nil || compare(q, p.at, after) > 0) {
			out = append(out, p)
		}
	}
	return out, nil
}

// rowsOf are the rows of a noun, or of another table as they are stored.
func (v *view) rowsOf(from store.Source) (rows []any, err error) {
	if n, ok := from.(store.Noun); ok {
		return v.db.nouns[n.Index()].all(v.q), nil
	}
	for _, values := range v.stored(from.Schema().Name) {
		row, err := from.Decode(values)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// takes reports that a row meets all conditions.
func takes(q store.Query, columns []string, row any) bool {
	return !slices.ContainsFunc(q.Where, func(c store.Cond) bool {
		switch {
		case c.Takes != nil:
			return !c.Takes(row)
		case c.Of != nil:
			return !c.Match(c.Of(row))
		}
		return !c.Match(q.From.Value(row, slices.Index(columns, c.Column)))
	})
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
