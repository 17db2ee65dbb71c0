package sqlite

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

// requestTexts write the request log.
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

// newestRequests reads the request log in the order of its key. NOT INDEXED would keep SQLite from
// that, too, and have it sort the whole log.
const newestRequests = " INDEXED BY sqlite_autoindex_requests_1"

// requests adds the conditions of a filter and returns the index that serves it.
func (l *list) requests(f store.RequestFilter) (index string) {
	l.equal("merchant_id", f.Merchant)
	l.equal("client_id", f.Client)
	l.equal("method", f.Method)
	l.equal("operation", f.Operation)
	l.equal("key", f.Key)
	l.equal("request_id", f.RequestID)
	if f.Class != 0 {
		l.compare("status", ">=", integer(int64(f.Class)*100))
		l.compare("status", "<", integer(int64(f.Class+1)*100))
	}
	low, high := store.RequestBounds(f.From, f.To)
	if low != "" {
		l.compare("id", ">=", text(low))
	}
	if high != "" {
		l.compare("id", "<", text(high))
	}
	l.compare("at", ">=", store.Micros(f.From))
	l.compare("at", "<", store.Micros(f.To))
	switch {
	case f.RequestID != "":
		return " INDEXED BY requests_request"
	case f.Merchant != "":
		l.where = append(l.where, "merchant_id IS NOT NULL")
		return " INDEXED BY requests_merchant"
	}
	return newestRequests // from the end
}
