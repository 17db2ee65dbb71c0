package postgres

import (
	"context"
	"time"

	"tenor/internal/core/store"
)

// requestTexts write the request log.
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

// RequestAt implements store.RequestLog.
func (db *DB) RequestAt(ctx context.Context, n int) (time.Time, error) {
	out, err := rows(ctx, db, &store.Requests, " WHERE id = (SELECT id FROM requests ORDER BY id DESC LIMIT 1 OFFSET "+number(max(n-1, 0))+")")
	if err != nil || len(out) == 0 {
		return time.Time{}, wrap("find request", err)
	}
	return out[0].At, nil
}

// ListRequests implements store.RequestLog.
func (db *DB) ListRequests(ctx context.Context, f store.RequestFilter, p store.Page) ([]store.RequestRow, error) {
	var l list
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
	if p.AfterID != "" {
		l.compare("id", "<", text(p.AfterID))
	}
	return rows(ctx, db, &store.Requests, l.clause()+" ORDER BY id DESC LIMIT "+number(max(p.Limit, 0)), l.args...)
}

// RequestByID implements store.RequestLog.
func (db *DB) RequestByID(ctx context.Context, merchant, id string) (store.RequestRow, bool, error) {
	for _, column := range []string{"id", "request_id"} {
		var l list
		l.equal(column, id)
		l.equal("merchant_id", merchant)
		out, err := rows(ctx, db, &store.Requests, l.clause()+" ORDER BY id DESC LIMIT 1", l.args...)
		if err != nil || len(out) > 0 {
			return append(out, store.RequestRow{})[0], err == nil, wrap("find request", err)
		}
	}
	return store.RequestRow{}, false, nil
}

// RequestsOfKey implements store.RequestLog.
func (db *DB) RequestsOfKey(ctx context.Context, client, key string, limit int) ([]store.RequestRow, error) {
	if key == "" {
		return nil, nil
	}
	return rows(ctx, db, &store.Requests, " WHERE client_id = $1 AND key = $2 ORDER BY id LIMIT "+number(max(limit, 0)), text(client), text(key))
}
