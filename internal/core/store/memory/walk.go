package memory

import (
	"slices"

	"tenor/internal/core/store"
)

// gather takes rows under the lock, so that the caller's function may take its
// time and may even commit. A part of a slice that is only ever appended to needs
// no copy.
func gather[T any](v *view, rows func() []T, order func(a, b T) int) []T {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	out := rows()
	if order != nil {
		slices.SortFunc(out, order)
	}
	return out
}

func each[T any](rows []T, fn func(T) error) error {
	for _, row := range rows {
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) EachEntry(fn func(store.EntryRow) error) error {
	return each(gather(v, func() []store.EntryRow {
		n := until(v.db.entries, v.q, func(e entry) int64 { return e.head.Q })
		rows := make([]store.EntryRow, n)
		for i := range rows {
			rows[i] = v.db.entries[i].row()
		}
		return rows
	}, nil), fn)
}

func (v *view) Trial() (books, memo int64, err error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	for _, b := range v.db.balances.all(v.q) {
		if b.Account.Memo() {
			memo += int64(b.Amount)
		} else {
			books += int64(b.Amount)
		}
	}
	return books, memo, nil
}
