package rest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Answer is what an operation answers. Exactly one of Body, Raw and Stream is set, or none
// for an answer without a body.
type Answer struct {
	Status int    // 0: the operation's Success
	Body   any    // encoded by Encode
	Raw    []byte // sent byte for byte: stored answers, files
	// Stream writes a body of unknown size instead. It calls begin before the first byte;
	// an error before that is answered as a problem, one after it breaks off the
	// connection.
	Stream      func(begin func(asOf int64) io.Writer) error
	ContentType string // of Raw; empty: the negotiated media type

	ETag      string   // including its quotes
	Location  string   // canonical path
	Link      string   // for a list: see Call.Next
	Listed    []string // identifiers of the listed items, for Endpoint.After
	CommitSeq int64    // of a write; 0: none
	AsOfSeq   int64    // of a read; 0: none
	Replayed  bool     // a stored answer
	Refusal   string   // code of the problem in Raw, for metrics; empty if it is not one
	Header    http.Header
}

// OK answers with a value and the operation's status.
func OK(body any) Answer { return Answer{Body: body} }

// Created answers 201 with the new resource's canonical path.
func Created(location string, body any) Answer {
	return Answer{Status: http.StatusCreated, Location: location, Body: body}
}

// Tagged answers with a value and a strong entity tag computed from its bytes: for
// resources without a version of their own. Pass a pointer to save a copy.
func Tagged(body any) (Answer, error) {
	raw, err := Encode(body)
	return TaggedJSON(raw), err
}

// TaggedJSON is Tagged for an encoded JSON body.
func TaggedJSON(raw []byte) Answer {
	return Answer{Raw: raw, ContentType: MediaJSON, ETag: TagOf(raw)}
}

// TagOf returns the strong entity tag of bytes; equal bytes have equal tags.
func TagOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// Next returns the cursor of the page after a position, and the Link to it.
func (c *Call) Next(at Position) (cursor, link string) {
	cursor = sealCursor(c.api.config.CursorKey, c.cursorScope(), at)
	q := c.filters()
	if limit := c.Request.URL.Query().Get("limit"); limit != "" {
		q.Set("limit", limit)
	}
	q.Set("cursor", cursor)
	return cursor, "<" + c.CanonicalPath() + "?" + q.Encode() + `>; rel="next"`
}

// Encode encodes a value as JSON: instants in UTC with Z and at most microseconds, maps
// sorted by key, empty lists as [].
func Encode(v any) ([]byte, error) {
	b, err := json.Marshal(v, encodeOptions())
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}

func encodeOptions() json.Options {
	return json.JoinOptions(json.Deterministic(true), json.WithMarshalers(
		json.MarshalToFunc(func(enc *jsontext.Encoder, t time.Time) error {
			return enc.WriteToken(jsontext.String(t.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)))
		})))
}

// problemAnswer turns any error into an answer. An error that is not a Problem is our own
// fault: it is logged in full, and the caller gets no details.
func (a *API) problemAnswer(c *Call, err error) Answer {
	var p *Problem
	if !errors.As(err, &p) {
		c.LogFailure(err)
		if p = a.config.Contract.Explain(err); p == nil && errors.Is(err, context.DeadlineExceeded) {
			p = Unavailable(CodeOverloaded, time.Second) // it may work again in a moment
		}
		if p == nil {
			p = Internal()
		}
	}
	code := a.config.Contract.code(p.Code)
	c.problem = code.Name
	h := http.Header{}
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.RetryAfter.Seconds()))))
	}
	if p.Code == CodeUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if p.allow != "" {
		h.Set("Allow", p.allow)
	}
	return Answer{Status: code.Status, Raw: a.config.Contract.encode(p, a.config.BaseURL, c.RequestID), ContentType: MediaProblem, Header: h}
}

// LogFailure logs a fault of ours in full.
func (c *Call) LogFailure(err error) {
	c.api.config.Log.Error("request failed", "request_id", c.RequestID, "operation", c.operationID(), "error", err.Error())
}

// fixedHeaders are the headers that are identical on every answer. Their values are shared
// between answers: replace a header, never append to it.
func fixedHeaders(baseURL string) http.Header {
	h := http.Header{}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	if strings.HasPrefix(baseURL, "https://") {
		h.Set("Strict-Transport-Security", "max-age=63072000")
	}
	return h
}

// commonHeaders sets the headers of every answer, whatever the result.
func (a *API) commonHeaders(h http.Header, requestID string) {
	maps.Copy(h, a.fixed)
	h.Set("X-Request-Id", requestID)
}

// conditional applies the conditions of a GET to a found resource (RFC 9110,
// 13.2.2): If-Match first, then If-None-Match.
func conditional(c *Call, ans Answer) (Answer, *Problem) {
	if c.Operation.Method != http.MethodGet || ans.ETag == "" {
		return ans, nil
	}
	if c.IfMatch.Given() && !c.IfMatch.MatchStrong(ans.ETag) {
		return ans, &Problem{Code: CodePrecondition}
	}
	if c.IfNoneMatch.Given() && c.IfNoneMatch.MatchWeak(ans.ETag) {
		return Answer{Status: http.StatusNotModified, ETag: ans.ETag, AsOfSeq: ans.AsOfSeq}, nil
	}
	return ans, nil
}

// send writes the answer and returns the status and the size of its body.
func (a *API) send(w http.ResponseWriter, c *Call, ans Answer) (status, size int) {
	if ans.Stream != nil {
		return a.sendStream(w, c, ans)
	}
	body := ans.Raw
	if ans.Body != nil {
		var err error
		if body, err = a.config.Contract.Encode(ans.Body); err != nil {
			ans = a.problemAnswer(c, err)
			body = ans.Raw
		}
	}
	h := w.Header()
	for name, values := range ans.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	set := func(name, value string) {
		if value != "" {
			h.Set(name, value)
		}
	}
	set("ETag", ans.ETag)
	set("Location", ans.Location)
	set("Link", ans.Link)
	set("Commit-Seq", sequence(ans.CommitSeq))
	set("As-Of-Seq", sequence(ans.AsOfSeq))
	if ans.Replayed {
		h.Set("Idempotency-Replayed", "true")
	}
	if c.Operation != nil && len(c.Operation.Produces) > 1 && ans.ContentType != MediaProblem {
		h.Set("Vary", "Accept")
	}
	if c.DryRun && c.Operation.DryRun != nil {
		h.Set("Preference-Applied", "dry-run")
	}
	status = ans.Status
	if status == 0 {
		status = c.Operation.Success
	}
	if status == http.StatusNoContent || status == http.StatusNotModified {
		c.answered(ans, "", nil)
		w.WriteHeader(status)
		return status, 0
	}
	switch {
	case ans.ContentType != "":
		h.Set("Content-Type", ans.ContentType)
	case c.Accepted != "" && ans.Body == nil:
		h.Set("Content-Type", c.Accepted)
	default:
		h.Set("Content-Type", MediaJSON)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.answered(ans, h.Get("Content-Type"), body)
	w.WriteHeader(status)
	if c.Request.Method != http.MethodHead {
		w.Write(body) // the caller may have gone; there is nobody to tell
	}
	return status, len(body)
}

func sequence(q int64) string {
	if q <= 0 {
		return ""
	}
	return strconv.FormatInt(q, 10)
}
