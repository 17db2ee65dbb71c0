package postgres

import (
	"slices"

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
		return walk(v, ask(allAnswers, nil, nil), answerOf, func(row *store.AnswerRow) error {
			values = store.Idempotency.Encode(row, values[:0])
			return fn(values)
		})
	}
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
