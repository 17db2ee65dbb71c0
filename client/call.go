package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxAnswer bounds a response, so that a broken server cannot exhaust memory.
const maxAnswer = 64 << 20

// ErrNotModified means that a resource still has the entity tag passed to IfNoneMatch.
var ErrNotModified = errors.New("client: not modified")

// call is one operation in flight.
type call struct {
	method, path string
	body         []byte
	header       http.Header
	key          string
	preview      *Preview
	record       *Response
	reason       string             // member of the body; "": the body is unchanged
	open         bool               // it needs no token
	slow         bool               // it may take minutes, and must not be sent twice
	watch        func(sent, of int) // called with how much of the body has been sent
	into         io.Writer          // where the body of a successful response goes; nil: into the Response
}

// slowTimeout is how long the server may take for a slow call.
const slowTimeout = 6 * time.Minute

// slowly waits for a response for as long as the server may take, and does not retry a lost one:
// the operation may still be running.
func slowly(options []Option) []Option {
	return append(options[:len(options):len(options)], func(k *call) { k.slow = true })
}

// patient returns the HTTP client for a call, with a longer timeout if the call is slow.
func (c *Client) patient(k *call) *http.Client {
	if !k.slow || c.HTTP.Timeout == 0 || c.HTTP.Timeout >= slowTimeout {
		return c.HTTP
	}
	h := *c.HTTP
	h.Timeout = slowTimeout
	return &h
}

// Option configures one call.
type Option func(*call)

// Because gives the reason for an action, for the audit log. Operations that move money or grant
// access in the lender's name require it.
func Because(reason string) Option { return func(c *call) { c.reason = reason } }

// because adds the reason to the body, which is an object.
func (c *call) because() error {
	if c.reason == "" {
		return nil
	}
	members := map[string]json.RawMessage{}
	if len(c.body) > 0 {
		if err := json.Unmarshal(c.body, &members); err != nil || members == nil {
			return fmt.Errorf("%s %s: a reason goes into an object", c.method, c.path)
		}
	}
	text, err := json.Marshal(c.reason)
	if err == nil {
		members["reason"] = text
		c.body, err = json.Marshal(members)
	}
	c.header.Set("Content-Type", "application/json")
	return err
}

// IdempotencyKey makes a write safe to retry: the server does it once and gives the same response
// again. 1 to 255 visible ASCII characters. Without it, each POST and PATCH gets a key of its
// own, which only its own retries share.
func IdempotencyKey(key string) Option { return func(c *call) { c.key = key } }

// IfMatch makes the server refuse a change with 412 if the resource no longer has this entity tag
// (see Response.ETag).
func IfMatch(etag string) Option { return func(c *call) { c.header.Set("If-Match", etag) } }

// IfNoneMatch makes a read return ErrNotModified if the resource still has this entity tag.
func IfNoneMatch(etag string) Option { return func(c *call) { c.header.Set("If-None-Match", etag) } }

// DryRun makes the server check and compute a change without making it. The preview receives what
// would happen; the method returns the resource as it would be.
func DryRun(into *Preview) Option {
	return func(c *call) {
		c.preview = into
		c.header.Set("Prefer", "dry-run")
	}
}

// AsOf returns an order, a schedule or a company as the books stood at a past instant.
func AsOf(t time.Time) Option { return asOf(t.UTC().Format(time.RFC3339Nano)) }

// AsOfDate returns it as the books stood at the end of a past business date, YYYY-MM-DD.
func AsOfDate(date string) Option { return asOf(date) }

func asOf(when string) Option {
	return func(c *call) {
		mark := "?"
		if strings.Contains(c.path, "?") {
			mark = "&"
		}
		c.path += mark + "as_of=" + url.QueryEscape(when)
	}
}

// Accept requests a media type other than JSON, such as text/csv, for Client.Do.
func Accept(mediaType string) Option {
	return func(c *call) { c.header.Set("Accept", mediaType) }
}

// Record saves the server's unmodified response, also of an error.
func Record(into *Response) Option { return func(c *call) { c.record = into } }

// RequestID identifies the call in the server's logs and in the events that it causes.
func RequestID(id string) Option { return func(c *call) { c.header.Set("X-Request-Id", id) } }

// Progress reports how many bytes of the body have been sent, and of how many. It is called from
// another goroutine, and starts again with each retry of the call.
func Progress(told func(sent, of int)) Option { return func(c *call) { c.watch = told } }

// Response is an unmodified response.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// IdempotencyKey is the key of the call, "" if it had none.
	IdempotencyKey string
}

// Replayed reports whether the response is that of an earlier call with the same IdempotencyKey.
func (r *Response) Replayed() bool { return r.Header.Get("Idempotency-Replayed") == "true" }

// ETag returns the entity tag of the resource, for IfMatch and IfNoneMatch; "" if it has none.
func (r *Response) ETag() string { return r.Header.Get("ETag") }

// RequestID returns the ID that identifies the call in the server's logs.
func (r *Response) RequestID() string { return r.Header.Get("X-Request-Id") }

// CommitSeq returns the position of a write in the single order of all decisions, or the last
// position that a read has seen; 0 if the server did not say.
func (r *Response) CommitSeq() int64 {
	for _, name := range []string{"Commit-Seq", "As-Of-Seq"} {
		if n, err := strconv.ParseInt(r.Header.Get(name), 10, 64); err == nil {
			return n
		}
	}
	return 0
}

// applied reports whether the server honored a Prefer header.
func (r *Response) applied(preference string) bool {
	for _, line := range r.Header.Values("Preference-Applied") {
		for word := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(word), preference) {
				return true
			}
		}
	}
	return false
}

// once sends a call without retries.
func (c *Client) once(ctx context.Context, k *call, token string) (*Response, error) {
	if !strings.HasPrefix(k.path, "/") {
		return nil, fmt.Errorf("client: the path %q does not begin with a slash", k.path)
	}
	r, err := http.NewRequestWithContext(ctx, k.method, c.base+k.path, bytes.NewReader(k.body))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", k.method, k.path, err)
	}
	if k.watch != nil {
		r.Body = &counted{Reader: bytes.NewReader(k.body), of: len(k.body), told: k.watch}
	}
	for name, values := range k.header {
		r.Header[name] = values
	}
	if r.Header.Get("Accept") == "" {
		r.Header.Set("Accept", "application/json")
	}
	r.Header.Set("User-Agent", c.UserAgent)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := c.patient(k).Do(r)
	if err != nil {
		return nil, c.unreachable(ctx, k, err)
	}
	defer answer.Body.Close()
	if k.into != nil && answer.StatusCode < http.StatusMultipleChoices {
		return c.pour(ctx, k, answer)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return nil, c.unreachable(ctx, k, err)
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("%s %s: the answer is larger than %d bytes", k.method, k.path, maxAnswer)
	}
	return &Response{Status: answer.StatusCode, Header: answer.Header, Body: body}, nil
}

// pour writes the body of a response to its destination. After the first byte an interrupted one
// is not retried: the writer would get its beginning twice.
func (c *Client) pour(ctx context.Context, k *call, answer *http.Response) (*Response, error) {
	n, err := io.Copy(k.into, answer.Body)
	switch {
	case err != nil && n == 0:
		return nil, c.unreachable(ctx, k, err)
	case err != nil:
		return nil, fmt.Errorf("%s %s: the answer broke off after %d bytes, it is not complete: %w", k.method, k.path, n, err)
	}
	return &Response{Status: answer.StatusCode, Header: answer.Header}, nil
}

func (c *Client) unreachable(ctx context.Context, k *call, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return &UnreachableError{Address: c.base, IdempotencyKey: k.key, Err: err}
}

// counted reports how much of a body has been read.
type counted struct {
	*bytes.Reader
	of   int
	told func(sent, of int)
}

// Read reads the body.
func (b *counted) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.told(b.of-b.Len(), b.of)
	return n, err
}

// WriteTo hides the body's own WriteTo, which would bypass Read.
func (b *counted) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{b})
}

// Close does nothing.
func (b *counted) Close() error { return nil }
