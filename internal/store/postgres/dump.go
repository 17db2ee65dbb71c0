package postgres

import (
	"context"
	"fmt"
	"io"
	"slices"

	"tenor/internal/store"
)

// Dump implements store.Backend. It reads one snapshot and holds some rows at a
// time.
func (db *DB) Dump(ctx context.Context, w io.Writer) error {
	return db.View(ctx, func(sv store.View) error {
		v, d := sv.(*view), store.NewDump(w)
		for _, s := range store.Schemas() {
			d.Table(s)
			if err := v.stored(s, func(values []store.Value) error { d.Row(s, values); return nil }); err != nil {
				return fmt.Errorf("dump %s: %w", s.Name, err)
			}
		}
		return d.Close()
	})
}

// EachStored implements store.View.
func (v *view) EachStored(table string, fn func([]store.Value) error) error {
	tables := store.Repeating()
	i := slices.IndexFunc(tables, func(s store.Schema) bool { return s.Name == table })
	if i < 0 {
		return fmt.Errorf("postgres: table %q repeats nothing", table)
	}
	return v.stored(tables[i], fn)
}

// stored walks the rows of a table in order of its key.
func (v *view) stored(s store.Schema, fn func([]store.Value) error) error {
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
