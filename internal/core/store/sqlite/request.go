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

// RequestAt implements store.RequestLog.
func (db *DB) RequestAt(ctx context.Context, n int) (time.Time, error) {
	out, err := find(ctx, db, &store.Requests, newestRequests+" WHERE id = (SELECT id FROM requests ORDER BY id DESC LIMIT 1 OFFSET +?1)", itself, most(n-1))
	if err != nil {
		return time.Time{}, fmt.Errorf("find request: %w", err)
	}
	if len(out) == 0 {
		return time.Time{}, nil
	}
	return out[0].At, nil
}

// ListRequests implements store.RequestLog.
func (db *DB) ListRequests(ctx context.Context, f store.RequestFilter, p store.Page) ([]store.RequestRow, error) {
	var l list
	index := l.requests(f)
	if p.AfterID != "" {
		l.compare("id", "<", text(p.AfterID))
	}
	out, err := find(ctx, db, &store.Requests, index+l.clause()+" ORDER BY id DESC"+l.limit(p), itself, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list requests: %w", err)
	}
	return out, nil
}

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

// RequestByID implements store.RequestLog.
func (db *DB) RequestByID(ctx context.Context, merchant, id string) (store.RequestRow, bool, error) {
	for _, column := range []string{"id", "request_id"} {
		var l list
		l.equal(column, id)
		l.equal("merchant_id", merchant)
		clause := " INDEXED BY requests_request"
		if column == "id" {
			clause = newestRequests
		}
		out, err := find(ctx, db, &store.Requests, clause+l.clause()+" ORDER BY id DESC LIMIT 1", itself, l.args...)
		if err != nil {
			return store.RequestRow{}, false, fmt.Errorf("find request: %w", err)
		}
		if len(out) > 0 {
			return out[0], true, nil
		}
	}
	return store.RequestRow{}, false, nil
}

// RequestsOfKey implements store.RequestLog.
func (db *DB) RequestsOfKey(ctx context.Context, client, key string, limit int) ([]store.RequestRow, error) {
	if key == "" {
		return nil, nil
	}
	out, err := find(ctx, db, &store.Requests, " INDEXED BY requests_key WHERE client_id = +?1 AND key = +?2 AND key IS NOT NULL ORDER BY id LIMIT +?3",
		itself, text(client), text(key), most(limit))
	if err != nil {
		return nil, fmt.Errorf("requests of a key: %w", err)
	}
	return out, nil
}
