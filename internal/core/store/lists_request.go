package store

import (
	"context"
	"fmt"
	"time"
)

// newestRequests queries the request log, newest first: in key order. ByKey would keep
// SQLite from using that order and make it sort the whole log.
func newestRequests(limit int) Query {
	return Query{From: RowsOf(&Requests), Order: []string{"id"}, Down: true, Limit: max(limit, 0), Index: "sqlite_autoindex_requests_1"}
}

// RequestAt is At of the n-th newest row, counted from 1; zero if there are fewer.
func RequestAt(ctx context.Context, db Viewer, n int) (time.Time, error) {
	if n < 1 {
		return time.Time{}, nil
	}
	q := newestRequests(1)
	q.Skip = n - 1
	row, _, err := find[RequestRow](ctx, db, q)
	return row.At, err
}

// ListRequests lists rows, newest first, after the row with id AfterID. AfterAt is ignored.
func ListRequests(ctx context.Context, db Viewer, f RequestFilter, p Page) ([]RequestRow, error) {
	q := newestRequests(p.Limit)
	switch {
	case f.RequestID != "":
		q.Index = "requests_request"
	case f.Merchant != "":
		q.Index = "requests_merchant"
		q.holds("merchant_id", IsNot, Value{Null: true})
	}
	q.is("merchant_id", f.Merchant)
	q.is("client_id", f.Client)
	q.is("method", f.Method)
	q.is("operation", f.Operation)
	q.is("key", f.Key)
	q.is("request_id", f.RequestID)
	if f.Class != 0 {
		q.where("status", AtLeast, Value{Kind: Integer, Int: int64(f.Class) * 100})
		q.where("status", Below, Value{Kind: Integer, Int: int64(f.Class+1) * 100})
	}
	low, high := RequestBounds(f.From, f.To)
	if low != "" {
		q.where("id", AtLeast, textValue(low))
	}
	if high != "" {
		q.where("id", Below, textValue(high))
	}
	q.since("at", f.From)
	q.until("at", f.To)
	if p.AfterID != "" {
		q.where("id", Below, textValue(p.AfterID))
	}
	out, err := all[RequestRow](ctx, db, q)
	if err != nil {
		return nil, fmt.Errorf("list requests: %w", err)
	}
	return out, nil
}

// RequestByID returns the row with this id, or the newest with this RequestID, that the
// merchant may see; "" sees all.
func RequestByID(ctx context.Context, db Viewer, merchant, id string) (RequestRow, bool, error) {
	for _, column := range []string{"id", "request_id"} {
		q := newestRequests(1)
		if column == "request_id" {
			q.Index = "requests_request"
		}
		q.where(column, Is, textValue(id))
		q.is("merchant_id", merchant)
		if row, found, err := find[RequestRow](ctx, db, q); found || err != nil {
			return row, found, err
		}
	}
	return RequestRow{}, false, nil
}

// RequestsOfKey lists the rows of a client's Idempotency-Key, oldest first.
func RequestsOfKey(ctx context.Context, db Viewer, client, key string, limit int) ([]RequestRow, error) {
	if key == "" {
		return nil, nil
	}
	q := newestRequests(limit)
	q.Down, q.Index = false, "requests_key"
	q.where("client_id", Is, textValue(client))
	q.where("key", Is, textValue(key))
	q.holds("key", IsNot, Value{Null: true})
	return all[RequestRow](ctx, db, q)
}
