package postgres

import (
	"slices"

	"tenor/internal/core/store"
)

// Stored implements store.View.
func (v *view) Stored(s store.Schema, fn func([]store.Value) error) error {
	sql := "SELECT " + columns(s, "") + " FROM " + s.Name + inOrder(s)
	return walk(v, ask(sql, nil, nil), func(r *row) ([]store.Value, error) {
		values := make([]store.Value, len(s.Columns))
		for i := range values {
			x, err := r.value(i, s.Types[i])
			if err != nil {
				return nil, err
			}
			x.Bytes = slices.Clone(x.Bytes)
			values[i] = x
		}
		return values, nil
	}, fn)
}
