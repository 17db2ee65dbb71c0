package sqlite

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

// requestTexts are the statements that write the request log.
var requestTexts = struct{ put, sweep string }{
	put:   insertInto(store.Requests.Schema()) + " ON CONFLICT (id) DO NOTHING",
	sweep: "DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE id < ?1 AND at < ?2 ORDER BY id LIMIT ?3) RETURNING id",
}

// PutRequests implements store.RequestLog.
func (db *DB) PutRequests(ctx context.Context, rows []store.RequestRow) error {
	if err := db.put(ctx, put(&store.Requests, requestTexts.put, rows)); err != nil {
		return fmt.Errorf("put requests: %w", err)
	}
	return nil
}

// SweepRequests implements store.RequestLog.
func (db *DB) SweepRequests(ctx context.Context, before time.Time, limit int) (n int, err error) {
	_, high := store.RequestBounds(time.Time{}, before)
	args := []store.Value{text(high), store.Micros(before), most(limit)}
	err = db.write(ctx, func(k *conn) error {
		n = 0
		return k.query(requestTexts.sweep, args, func(*sqlite.Stmt) error { n++; return nil })
	})
	if err != nil {
		return 0, fmt.Errorf("sweep requests: %w", err)
	}
	return n, nil
}
