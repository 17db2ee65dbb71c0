package store

import (
	"context"
	"strings"
	"time"

	"tenor/internal/domain/ulid"
)

// RequestRow is one API call in the request log, for developers who debug a failed call. It
// is not part of the books; no view shows it and no dump contains it.
type RequestRow struct {
	ID        string // log_ and a ULID of At: id order is time order
	RequestID string // X-Request-Id, which a caller may use more than once
	At        time.Time
	Took      time.Duration // stored in microseconds
	Node      string
	Operation string // "" if no route matched
	Method    string
	Path      string // masked, except values that the contract marks as plain; Query too
	Query     string
	Status    int
	Code      string // of the problem, "" if none
	Client    string
	Merchant  string // "" for the lender's clients
	Key       string // Idempotency-Key
	Replayed  bool   // the answer is the stored one of the key
	DryRun    bool
	Seq       int64 // commit sequence of a decision, replayed or not; 0 if none

	RequestType  string // media type, "" without a body
	RequestSize  int64  // bytes as sent
	RequestBody  []byte // JSON, masked; nil if not kept
	Marks        []byte // JSON: digests of the masked values by JSON pointer; nil without a key
	ResponseType string
	ResponseSize int64
	ResponseBody []byte
}

// Requests is the table of the request log.
var Requests = Table[RequestRow]{
	Name: "requests", Key: 1,
	Columns: []Column[RequestRow]{
		text("id", func(r *RequestRow) *string { return &r.ID }),
		text("request_id", func(r *RequestRow) *string { return &r.RequestID }),
		instant("at", func(r *RequestRow) *time.Time { return &r.At }),
		{"took_us", Integer,
			func(r *RequestRow) Value { return Value{Kind: Integer, Int: r.Took.Microseconds()} },
			func(r *RequestRow, v Value) error { r.Took = time.Duration(v.Int) * time.Microsecond; return nil }},
		text("node", func(r *RequestRow) *string { return &r.Node }),
		text("operation", func(r *RequestRow) *string { return &r.Operation }),
		text("method", func(r *RequestRow) *string { return &r.Method }),
		text("path", func(r *RequestRow) *string { return &r.Path }),
		text("query", func(r *RequestRow) *string { return &r.Query }),
		integer("status", func(r *RequestRow) *int { return &r.Status }),
		text("code", func(r *RequestRow) *string { return &r.Code }),
		text("client_id", func(r *RequestRow) *string { return &r.Client }),
		optional("merchant_id", func(r *RequestRow) *string { return &r.Merchant }),
		optional("key", func(r *RequestRow) *string { return &r.Key }),
		boolean("replayed", func(r *RequestRow) *bool { return &r.Replayed }),
		boolean("dry_run", func(r *RequestRow) *bool { return &r.DryRun }),
		integer("commit_seq", func(r *RequestRow) *int64 { return &r.Seq }),
		text("request_type", func(r *RequestRow) *string { return &r.RequestType }),
		integer("request_size", func(r *RequestRow) *int64 { return &r.RequestSize }),
		rawJSON("request_body", func(r *RequestRow) *[]byte { return &r.RequestBody }),
		rawJSON("marks", func(r *RequestRow) *[]byte { return &r.Marks }),
		text("response_type", func(r *RequestRow) *string { return &r.ResponseType }),
		integer("response_size", func(r *RequestRow) *int64 { return &r.ResponseSize }),
		rawJSON("response_body", func(r *RequestRow) *[]byte { return &r.ResponseBody }),
	},
}

// OutsideDump lists the tables that a dump does not contain: they describe the process and
// its callers, not the books.
func OutsideDump() []Schema { return []Schema{Requests.Schema()} }

// RequestFilter narrows the request log; zero members do not. From ≤ At < To.
type RequestFilter struct {
	Merchant, Client, Method, Operation, Key, RequestID string
	Class                                               int // first digit of the status: 2, 3, 4 or 5
	From, To                                            time.Time
}

// RequestLog stores the request log, in its own transactions.
type RequestLog interface {
	// PutRequests adds rows in one transaction. Existing ones stay as they are.
	PutRequests(ctx context.Context, rows []RequestRow) error
	// SweepRequests deletes at most limit rows from before an instant, oldest first, and
	// counts them.
	SweepRequests(ctx context.Context, before time.Time, limit int) (int, error)
}

// RequestPrefix starts the id of every row in the request log.
const RequestPrefix = "log_"

// requestBound sorts below every id of an instant's millisecond, and above every earlier
// one.
func requestBound(at time.Time) string {
	return strings.TrimSuffix(ulid.New(RequestPrefix, at, [10]byte{}), strings.Repeat("0", 16))
}

// RequestBounds returns the range of ids that a time span can have, so that the key index
// finds them; "" where the span is open.
func RequestBounds(from, to time.Time) (low, high string) {
	if !from.IsZero() {
		low = requestBound(from)
	}
	if !to.IsZero() {
		high = requestBound(to.Add(time.Millisecond))
	}
	return low, high
}
