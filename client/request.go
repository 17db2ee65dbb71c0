package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// LoggedRequest is one call of the API in the request log. Values that are not plain by the
// contract read ***.
type LoggedRequest struct {
	Raw
	ID             string      `json:"id"`
	RequestID      string      `json:"request_id"`
	At             time.Time   `json:"at"`
	DurationMS     int64       `json:"duration_ms"`
	Operation      string      `json:"operation"` // "" if there was no such path
	Method         string      `json:"method"`
	Path           string      `json:"path"`
	Query          string      `json:"query"`
	Status         int         `json:"status"`
	Code           string      `json:"code"` // of the problem
	ClientID       string      `json:"client_id"`
	ClientName     string      `json:"client_name"`
	MerchantID     string      `json:"merchant_id"` // "" of the lender's clients
	IdempotencyKey string      `json:"idempotency_key"`
	Replayed       bool        `json:"replayed"`
	DryRun         bool        `json:"dry_run"`
	CommitSeq      int64       `json:"commit_seq"` // 0: nothing was decided
	Request        LoggedBody  `json:"request"`
	Response       LoggedBody  `json:"response"`
	Idempotency    *KeyHistory `json:"idempotency"` // only of Client.LoggedRequest, and with a key
}

// LoggedBody is a body in the request log.
type LoggedBody struct {
	ContentType string          `json:"content_type"`
	Size        int64           `json:"size"`
	Body        json.RawMessage `json:"body"` // masked; null where none is kept, and in lists
}

// KeyHistory is what the request log knows of an Idempotency-Key.
type KeyHistory struct {
	FirstSeenAt    time.Time `json:"first_seen_at"`
	FirstRequestID string    `json:"first_request_id"`
	Replays        int       `json:"replays"`
	StoredStatus   int       `json:"stored_status"` // 0: the log does not know it
	Differs        []string  `json:"differs"`
}

// RequestFilter narrows the request log.
type RequestFilter struct {
	ClientID, StatusClass, Method, Operation, IdempotencyKey, RequestID string
	From, To                                                            time.Time
}

// ListRequests returns one page of the request log, newest first.
func (c *Client) ListRequests(ctx context.Context, f RequestFilter, p Paging, options ...Option) (*Page[LoggedRequest], error) {
	q := query{}
	q.text("client_id", f.ClientID)
	q.text("status_class", f.StatusClass)
	q.text("method", f.Method)
	q.text("operation", f.Operation)
	q.text("idempotency_key", f.IdempotencyKey)
	q.text("request_id", f.RequestID)
	q.instant("from", f.From)
	q.instant("to", f.To)
	q.paging(p)
	return list[LoggedRequest](ctx, c, at("v1", "requests"), q, options)
}

// Requests walks the request log, newest first.
func (c *Client) Requests(ctx context.Context, f RequestFilter) iter.Seq2[*LoggedRequest, error] {
	return each(func(p Paging) (*Page[LoggedRequest], error) { return c.ListRequests(ctx, f, p) })
}

// LoggedRequest returns one call with its bodies, by its identifier or its X-Request-Id.
func (c *Client) LoggedRequest(ctx context.Context, id string, options ...Option) (*LoggedRequest, error) {
	return send[LoggedRequest](ctx, c, http.MethodGet, at("v1", "requests", id), nil, options)
}
