package postgres

import (
	"context"
	"time"

	"tenor/internal/core/store"
)

// requestTexts are the statements that write the request log.
var requestTexts = struct{ put, sweep string }{
	put:   insert(store.Requests.Schema(), false) + " ON CONFLICT (id) DO NOTHING",
	sweep: "DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE id < $1 AND at < $2::timestamptz ORDER BY id LIMIT $3) RETURNING id",
}

// PutRequests implements store.RequestLog.
func (db *DB) PutRequests(ctx context.Context, rows []store.RequestRow) error {
	if len(rows) == 0 {
		return nil
	}
	return wrap("put requests", db.again(ctx, over(requestTexts.put, records[store.RequestRow]{&store.Requests, rows}, nil)))
}

// SweepRequests implements store.RequestLog.
func (db *DB) SweepRequests(ctx context.Context, before time.Time, limit int) (int, error) {
	_, high := store.RequestBounds(time.Time{}, before)
	n, err := db.counted(ctx, requestTexts.sweep, []store.Value{text(high), store.Micros(before), integer(int64(max(limit, 0)))})
	return n, wrap("sweep requests", err)
}
