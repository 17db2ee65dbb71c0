package sqlite

import (
	"context"
	"fmt"
	"io"

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
			values := make([]store.Value, len(s.Columns))
			err := k.query("SELECT "+columns(s, "")+" FROM "+s.Name+inOrder(s), nil, func(stmt *sqlite.Stmt) error {
				for i := range values {
					values[i] = column(stmt, i, s.Types[i])
				}
				d.Row(s, values)
				return nil
			})
			if err != nil {
				return fmt.Errorf("dump %s: %w", s.Name, err)
			}
		}
		return d.Close()
	})
}
