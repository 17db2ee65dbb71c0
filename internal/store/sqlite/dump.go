package sqlite

import (
	"context"
	"fmt"
	"io"
	"slices"

	"zombiezen.com/go/sqlite"

	"tenor/internal/store"
)

// Dump implements store.Backend. It reads one snapshot and holds one row at a
// time.
func (db *DB) Dump(ctx context.Context, w io.Writer) error {
	return db.View(ctx, func(v store.View) error {
		k, d := v.(*view).conn, store.NewDump(w)
		for _, s := range store.Schemas() {
			d.Table(s)
			if err := k.stored(s, func(values []store.Value) error { d.Row(s, values); return nil }); err != nil {
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
		return fmt.Errorf("sqlite: table %q repeats nothing", table)
	}
	return v.stored(tables[i], fn)
}

// stored walks the rows of a table in order of its key. fn may keep no values.
func (k *conn) stored(s store.Schema, fn func([]store.Value) error) error {
	values := make([]store.Value, len(s.Columns))
	return k.query("SELECT "+columns(s, "")+" FROM "+s.Name+inOrder(s), nil, func(stmt *sqlite.Stmt) error {
		for i := range values {
			values[i] = column(stmt, i, s.Types[i])
		}
		return fn(values)
	})
}
