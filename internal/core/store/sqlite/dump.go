package sqlite

import (
	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

// Stored implements store.View. Events and the bodies of answers stand in the audit log.
func (v *view) Stored(s store.Schema, fn func([]store.Value) error) error {
	switch s.Name {
	case store.Events.Name:
		var values []store.Value
		return v.events(func(e store.EventRow) error {
			values = store.Events.Encode(&e, values[:0])
			return fn(values)
		})
	case store.Idempotency.Name:
		var values []store.Value
		return v.query(allAnswers, nil, func(stmt *sqlite.Stmt) error {
			row, err := v.answer(stmt)
			if err != nil {
				return err
			}
			values = store.Idempotency.Encode(row, values[:0])
			return fn(values)
		})
	}
	values := make([]store.Value, len(s.Columns))
	return v.query("SELECT "+columns(s, "")+" FROM "+s.Name+inOrder(s), nil, func(stmt *sqlite.Stmt) error {
		for i := range values {
			values[i] = column(stmt, i, s.Types[i])
		}
		return fn(values)
	})
}
