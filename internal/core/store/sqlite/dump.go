package sqlite

import (
	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

// Stored implements store.View.
func (v *view) Stored(s store.Schema, fn func([]store.Value) error) error {
	values := make([]store.Value, len(s.Columns))
	return v.query("SELECT "+columns(s, "")+" FROM "+s.Name+inOrder(s), nil, func(stmt *sqlite.Stmt) error {
		for i := range values {
			values[i] = column(stmt, i, s.Types[i])
		}
		return fn(values)
	})
}
