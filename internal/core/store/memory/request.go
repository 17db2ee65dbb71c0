package memory

import (
	"cmp"
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

// RequestAt implements store.RequestLog.
func (db *DB) RequestAt(_ context.Context, n int) (time.Time, error) {
	all := db.asked(func(*store.RequestRow) bool { return true })
	if n < 1 || n > len(all) {
		return time.Time{}, nil
	}
	return all[n-1].At, nil
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

// ListRequests implements store.RequestLog.
func (db *DB) ListRequests(_ context.Context, f store.RequestFilter, p store.Page) ([]store.RequestRow, error) {
	out := db.asked(func(r *store.RequestRow) bool { return f.Takes(r) && (p.AfterID == "" || r.ID < p.AfterID) })
	return cut(out, p.Limit), nil
}

// RequestByID implements store.RequestLog.
func (db *DB) RequestByID(_ context.Context, merchant, id string) (store.RequestRow, bool, error) {
	out := db.asked(func(r *store.RequestRow) bool {
		return (merchant == "" || r.Merchant == merchant) && (r.ID == id || r.RequestID == id)
	})
	slices.SortStableFunc(out, func(a, b store.RequestRow) int { return cmp.Compare(rank(a, id), rank(b, id)) })
	if len(out) == 0 {
		return store.RequestRow{}, false, nil
	}
	return out[0], true, nil
}

// rank puts a row's own id before a caller's name for it.
func rank(r store.RequestRow, id string) int {
	if r.ID == id {
		return 0
	}
	return 1
}

// RequestsOfKey implements store.RequestLog.
func (db *DB) RequestsOfKey(_ context.Context, client, key string, limit int) ([]store.RequestRow, error) {
	out := db.asked(func(r *store.RequestRow) bool { return key != "" && r.Client == client && r.Key == key })
	slices.Reverse(out)
	return cut(out, limit), nil
}
