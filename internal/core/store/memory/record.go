package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"tenor/internal/core/store"
)

// Scratch implements store.Scratch.
func (db *DB) Scratch(_ context.Context, s store.ScratchRow, now time.Time) (kept bool, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	row, found := db.scratch[s.Name]
	if there := found && row.Until.After(now); there && row.Version != s.Version || !there && s.Version != 0 {
		return false, nil
	}
	s.Value, s.Version, s.Until = slices.Clone(s.Value), row.Version+1, s.Until.UTC().Truncate(time.Microsecond)
	db.scratch[s.Name] = s
	return true, nil
}

// Unscratch implements store.Scratch.
func (db *DB) Unscratch(_ context.Context, name string) (gone bool, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	_, gone = db.scratch[name]
	delete(db.scratch, name)
	return gone, nil
}

// SweepScratch implements store.Scratch.
func (db *DB) SweepScratch(_ context.Context, now time.Time, limit int) (int, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	n := 0
	for _, name := range slices.Sorted(maps.Keys(db.scratch)) {
		if n < limit && !db.scratch[name].Until.After(now) {
			delete(db.scratch, name)
			n++
		}
	}
	return n, nil
}
