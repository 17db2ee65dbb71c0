package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"tenor/internal/core/store"
)

// PutRequests implements store.RequestLog.
func (db *DB) PutRequests(_ context.Context, rows []store.RequestRow) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, r := range rows {
		if _, found := db.requests[r.ID]; found {
			continue
		}
		row, err := canonical(&store.Requests, r)
		if err != nil {
			return err
		}
		db.requests[r.ID] = row
	}
	return nil
}

// SweepRequests implements store.RequestLog.
func (db *DB) SweepRequests(_ context.Context, before time.Time, limit int) (n int, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(db.requests)) {
		if n == limit || !db.requests[id].At.Before(before) {
			break
		}
		delete(db.requests, id)
		n++
	}
	return n, nil
}
