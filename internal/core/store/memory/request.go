package memory

import (
	"context"
	"maps"
	"slices"
	"strings"
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

// asked are the rows that a filter takes, newest first.
func (db *DB) asked(takes func(*store.RequestRow) bool) (out []store.RequestRow) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	for _, r := range db.requests {
		if takes(&r) {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b store.RequestRow) int { return strings.Compare(b.ID, a.ID) })
	return out
}

// rank puts a row's own id before a caller's name for it.
func rank(r store.RequestRow, id string) int {
	if r.ID == id {
		return 0
	}
	return 1
}
