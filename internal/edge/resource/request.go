package resource

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/core/store"
)

// LoggedRequest is one API call in the request log. Values that the contract does not mark
// as plain are masked.
type LoggedRequest struct {
	ID             string      `json:"id" doc:"Identifier of the call in the log." example:"log_01KB0A4E7W5N3R1P9M8K6J4H2G"`
	RequestID      string      `json:"request_id" doc:"The X-Request-Id; a caller can reuse its own." example:"req_01KB0A4E7W5N3R1P9M8K6J4H2G"`
	At             time.Time   `json:"at" doc:"When it arrived, by the wall clock." example:"2026-01-15T16:00:01Z"`
	DurationMS     int64       `json:"duration_ms" minimum:"0" doc:"Duration in milliseconds." example:"7"`
	Operation      *string     `json:"operation" nullable:"true" doc:"The operation; null if there was no such path." example:"createOrder"`
	Method         string      `json:"method" doc:"The HTTP method." example:"POST"`
	Path           string      `json:"path" doc:"The path template." example:"/order"`
	Query          *string     `json:"query" nullable:"true" doc:"The query; null without one." example:"limit=25"`
	Status         int         `json:"status" doc:"The HTTP status." example:"201"`
	Code           *string     `json:"code" nullable:"true" doc:"Code of the problem; null if there was none." example:"not_found"`
	ClientID       string      `json:"client_id" doc:"The client that called." example:"cli_01K9Z0B2D4F6H8K0M2P4R6T8V0"`
	ClientName     *string     `json:"client_name" nullable:"true" doc:"Its name; null if it has none." example:"shop server"`
	MerchantID     *string     `json:"merchant_id" nullable:"true" doc:"The client's merchant; null for the lender's clients." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	IdempotencyKey *string     `json:"idempotency_key" nullable:"true" doc:"The Idempotency-Key that was sent." example:"order-7781"`
	Replayed       bool        `json:"replayed" doc:"Whether the response was replayed from the key." example:"false"`
	DryRun         bool        `json:"dry_run" doc:"Whether it was a dry run." example:"false"`
	CommitSeq      *int64      `json:"commit_seq" nullable:"true" doc:"The Commit-Seq of the response; null if nothing was decided." example:"42"`
	Request        LoggedBody  `json:"request" doc:"What was sent."`
	Response       LoggedBody  `json:"response" doc:"Result."`
	Idempotency    *KeyHistory `json:"idempotency" nullable:"true" doc:"History of the key; null without a key, and in lists."`
}

// LoggedBody is a body in the request log.
type LoggedBody struct {
	ContentType *string        `json:"content_type" nullable:"true" doc:"Its media type; null without a body." example:"application/json"`
	Size        int64          `json:"size" minimum:"0" doc:"Bytes." example:"512"`
	Body        jsontext.Value `json:"body" nullable:"true" doc:"The body, masked. Null in lists, and where none is kept: above 16 KiB, of files, and where it is not JSON."`
}

// KeyHistory is the request log's history of a client's Idempotency-Key.
type KeyHistory struct {
	FirstSeenAt    time.Time `json:"first_seen_at" doc:"When the key was first used." example:"2026-01-15T16:00:01Z"`
	FirstRequestID string    `json:"first_request_id" doc:"The call that first used it." example:"req_01KB0A4E7W5N3R1P9M8K6J4H2G"`
	Replays        int       `json:"replays" minimum:"0" doc:"Number of replays." example:"1"`
	StoredStatus   *int      `json:"stored_status" nullable:"true" doc:"Status of the stored response; null if unknown." example:"201"`
	Differs        []string  `json:"differs" doc:"Where this request differs from the first one with the key: method, path, query, pointers into the body, or bytes if only their order or spacing does. Empty if it does not."`
}

// NewLoggedRequest returns the resource of a logged call; client is the name of its client.
// A list omits bodies.
func NewLoggedRequest(r *store.RequestRow, client string, whole bool) LoggedRequest {
	w := LoggedRequest{
		ID: r.ID, RequestID: r.RequestID, At: instant(r.At), DurationMS: r.Took.Milliseconds(), Operation: textIn(&r.Operation), Method: r.Method,
		Path: r.Path, Query: textIn(&r.Query), Status: r.Status, Code: textIn(&r.Code), ClientID: r.Client, ClientName: textIn(&client),
		MerchantID: textIn(&r.Merchant), IdempotencyKey: textIn(&r.Key), Replayed: r.Replayed, DryRun: r.DryRun,
		Request:  LoggedBody{ContentType: textIn(&r.RequestType), Size: r.RequestSize},
		Response: LoggedBody{ContentType: textIn(&r.ResponseType), Size: r.ResponseSize},
	}
	if r.Seq > 0 {
		w.CommitSeq = &r.Seq
	}
	if whole {
		w.Request.Body, w.Response.Body = r.RequestBody, r.ResponseBody
	}
	return w
}
