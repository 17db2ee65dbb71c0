// Package client calls a Tenor server. Every method is one operation of the API
// and takes and returns the API's own resources; Client.Do makes any other call.
//
//	c, err := client.New("http://localhost:8080", token)
//	order, err := c.CreateOrder(ctx, client.OrderRequest{CompanyID: 1000000001, Amount: "1200.00", Installments: 6},
//		client.IdempotencyKey("PO-1"))
//	order, err = c.AuthorizeOrder(ctx, order.Key)
//
// An error that the server gave is a *Problem. An *UnreachableError says that no
// answer came. What can safely be sent again is sent again, a few times and for a
// bounded time (see Client.Retries). Money is decimal text, never a float.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxAnswer bounds an answer, so that a broken server cannot fill the memory.
const maxAnswer = 64 << 20

// Client calls one server with one token. It is safe for concurrent use once its
// fields are set.
type Client struct {
	// HTTP makes the calls; New sets one with a timeout of 60 s.
	HTTP *http.Client
	// UserAgent is sent with every call.
	UserAgent string
	// Retries is how often a call is sent again; New sets 3, 0 is never.
	//
	// A call is sent again if the server said that it did nothing (503, 429, and
	// 409 idempotency_key_in_use, each with Retry-After), or if it may be repeated:
	// a read, or a write with an IdempotencyKey, after a lost connection and after
	// 503 outcome_unknown.
	Retries int
	// MaxWait is the longest wait before a call is sent again; New sets 5 s. If the
	// server asks for more, its answer is returned.
	MaxWait time.Duration

	base  string
	token string
	sleep func(context.Context, time.Duration) error
}

// New returns a client of the server at an address such as
// https://pay.example.com; the token may be "" for what needs none.
func New(address, token string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, errors.New("client: the address must look like https://pay.example.com")
	}
	return &Client{
		HTTP:      &http.Client{Timeout: time.Minute},
		UserAgent: "tenor-client",
		Retries:   3,
		MaxWait:   5 * time.Second,
		base:      strings.TrimRight(address, "/"),
		token:     token,
		sleep:     sleep,
	}, nil
}

// Address is the server's, without a slash at its end.
func (c *Client) Address() string { return c.base }

// Option changes one call.
type Option func(*call)

// IdempotencyKey makes a write safe to repeat: the server does it once and gives
// the same answer again. 1 to 255 visible ASCII characters.
func IdempotencyKey(key string) Option { return func(c *call) { c.key = key } }

// IfMatch has a change refused with 412 if the resource is no longer the one with
// this entity tag.
func IfMatch(etag string) Option { return func(c *call) { c.header.Set("If-Match", etag) } }

// DryRun has a change checked and computed but not made. What would happen is put
// into the preview; the method returns the resource as it would be.
func DryRun(into *Preview) Option {
	return func(c *call) {
		c.preview = into
		c.header.Set("Prefer", "dry-run")
	}
}

// Record keeps the server's answer as it came.
func Record(into *Response) Option { return func(c *call) { c.record = into } }

// RequestID names the call in the server's logs and in the events that it causes.
func RequestID(id string) Option { return func(c *call) { c.header.Set("X-Request-Id", id) } }

// Response is an answer as it came.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Replayed reports whether the answer is that of an earlier call with the same
// IdempotencyKey.
func (r *Response) Replayed() bool { return r.Header.Get("Idempotency-Replayed") == "true" }

// call is one operation on its way.
type call struct {
	method, path string
	body         []byte
	header       http.Header
	key          string
	preview      *Preview
	record       *Response
}

// Do makes any call: a path with its query, and a body that is nil, a
// json.RawMessage or any value that encoding/json writes. An answer of 400 or
// above is a *Problem.
func (c *Client) Do(ctx context.Context, method, path string, body any, options ...Option) (*Response, error) {
	k := &call{method: method, path: path, header: http.Header{}}
	for _, o := range options {
		o(k)
	}
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, path, err)
		}
		k.body = b
		k.header.Set("Content-Type", "application/json")
	}
	if k.key != "" {
		k.header.Set("Idempotency-Key", k.key)
	}
	r, err := c.retry(ctx, k)
	if err != nil {
		return nil, err
	}
	if k.record != nil {
		*k.record = *r
	}
	if r.Status >= 300 {
		return nil, newProblem(r)
	}
	return r, nil
}

// once sends a call one time.
func (c *Client) once(ctx context.Context, k *call) (*Response, error) {
	if !strings.HasPrefix(k.path, "/") {
		return nil, fmt.Errorf("client: the path %q does not begin with a slash", k.path)
	}
	r, err := http.NewRequestWithContext(ctx, k.method, c.base+k.path, bytes.NewReader(k.body))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", k.method, k.path, err)
	}
	for name, values := range k.header {
		r.Header[name] = values
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", c.UserAgent)
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := c.HTTP.Do(r)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("%s %s: the answer is larger than %d bytes", k.method, k.path, maxAnswer)
	}
	return &Response{Status: answer.StatusCode, Header: answer.Header, Body: body}, nil
}

func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return &UnreachableError{Address: c.base, Err: err}
}

// send makes a call and reads the resource that it answers.
func send[T any](ctx context.Context, c *Client, method, path string, body any, options []Option) (*T, error) {
	var preview *Preview
	options = append(options[:len(options):len(options)], func(k *call) { preview = k.preview })
	r, err := c.Do(ctx, method, path, body, options...)
	if err != nil {
		return nil, err
	}
	if !isJSON(r.Header) {
		return nil, fmt.Errorf("%s %s: the server did not answer JSON; is %s a Tenor server?", method, path, c.base)
	}
	text := r.Body
	if preview != nil {
		if err := json.Unmarshal(text, preview); err != nil {
			return nil, fmt.Errorf("%s %s: read dry run: %w", method, path, err)
		}
		text = preview.Result
	}
	var v T
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("%s %s: read answer: %w", method, path, err)
	}
	return &v, nil
}

func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && (kind == "application/json" || kind == "application/problem+json")
}

// at joins a path; every part is escaped.
func at(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(p))
	}
	return b.String()
}
