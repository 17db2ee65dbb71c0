// Package client calls a Tenor server. Every method is one operation of the API
// and takes and returns the API's own resources; Client.Do makes any other call.
//
//	c, err := client.NewWithCredentials("https://pay.example.com", client.Credentials{ID: "cli_…", Secret: secret})
//	order, err := c.CreateOrder(ctx, client.OrderRequest{CompanyID: 1000000001, Amount: "1200.00", Installments: 6})
//	order, err = c.AuthorizeOrder(ctx, order.Key)
//	if errors.Is(err, client.CodeInsufficientCredit) { … }
//
// An error returned by the server is a *Problem, which errors.Is compares with the
// codes of the contract. An *UnreachableError means that no response came. What can
// safely be retried is retried, a few times and for a bounded time (see
// Client.Retries); each POST and PATCH has an Idempotency-Key, so that it takes
// effect once. Use range to walk lists. Money is decimal text, never a float.
// A null in a response becomes the zero value. Members that this package does not
// know are kept (see Raw).
//
// Files named *_gen.go are generated from the contract by make generate.
package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Client calls one server. It is safe for concurrent use once its fields are set.
type Client struct {
	// HTTP makes the calls; New sets one with a timeout of 60 s. Replace it to use another
	// transport.
	HTTP *http.Client
	// UserAgent is sent with every call.
	UserAgent string
	// Retries is how often a call is retried; New sets 2, 0 is never.
	//
	// A call is retried if the server said that it did nothing (503, 429, and 409
	// idempotency_key_in_use, each after its Retry-After). A read, a deletion, or a write with an
	// Idempotency-Key is also retried after a lost connection and after 503 outcome_unknown.
	Retries int
	// MaxWait is the longest wait before a retry; New sets 5 s. If the server asks for more, its
	// response is returned.
	MaxWait time.Duration
	// NewKey generates the Idempotency-Key of each POST and PATCH for which the caller gives none;
	// New sets random ones. nil: none is generated, and such a call is not retried after a lost
	// connection.
	NewKey func() string
	// Clock tells the time and waits; New sets the machine's.
	Clock Clock

	base   string
	access access
	last   atomic.Pointer[Response]
}

// New returns a client of the server at an address such as https://pay.example.com. It sends one
// access token, which may be "" for calls that need none.
func New(address, token string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, errors.New("client: the address must look like https://pay.example.com")
	}
	return &Client{
		HTTP:      &http.Client{Timeout: time.Minute},
		UserAgent: "tenor-client",
		Retries:   2,
		MaxWait:   5 * time.Second,
		NewKey:    rand.Text,
		Clock:     wallClock{},
		base:      strings.TrimRight(address, "/"),
		access:    access{token: token},
	}, nil
}

// NewWithCredentials returns a client that requests its own access tokens when it needs them, and
// renews them before they expire.
func NewWithCredentials(address string, credentials Credentials) (*Client, error) {
	if credentials.ID == "" || credentials.Secret == "" {
		return nil, errors.New("client: credentials need an ID and a Secret")
	}
	if credentials.Scopes != nil && len(credentials.Scopes) == 0 {
		return nil, errors.New("client: an empty list of Scopes grants nothing; nil stands for all of the client's")
	}
	c, err := New(address, "")
	if err != nil {
		return nil, err
	}
	c.access = access{credentials: &credentials, turn: make(chan struct{}, 1)}
	return c, nil
}

// Address returns the server's address, without a trailing slash.
func (c *Client) Address() string { return c.base }

// LastResponse returns the most recent response, nil before the first. With concurrent calls, use
// Record to tell them apart.
func (c *Client) LastResponse() *Response { return c.last.Load() }

// Do makes any call: a path with its query, and a body that is nil, a json.RawMessage or any
// value that encoding/json can encode. A response of 400 or above is returned as a *Problem, and an
// act that waits for a second person as *Waiting.
func (c *Client) Do(ctx context.Context, method, path string, body any, options ...Option) (*Response, error) {
	k := &call{method: method, path: path, header: http.Header{}}
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, path, err)
		}
		k.body = b
		k.header.Set("Content-Type", "application/json")
	}
	return c.do(ctx, k, options)
}

// do makes a call whose body is already encoded.
func (c *Client) do(ctx context.Context, k *call, options []Option) (*Response, error) {
	for _, o := range options {
		o(k)
	}
	if err := k.because(); err != nil {
		return nil, err
	}
	if k.key == "" && k.preview == nil && c.NewKey != nil && (k.method == http.MethodPost || k.method == http.MethodPatch) {
		k.key = c.NewKey()
	}
	if k.key != "" {
		k.header.Set("Idempotency-Key", k.key)
	}
	r, err := c.retry(ctx, k)
	if err != nil {
		return nil, err
	}
	r.IdempotencyKey = k.key
	c.last.Store(r)
	if k.record != nil {
		*k.record = *r
	}
	switch {
	case r.Status == http.StatusAccepted:
		return nil, newWaiting(r)
	case r.Status == http.StatusNotModified:
		return nil, ErrNotModified
	case r.Status >= http.StatusMultipleChoices:
		return nil, newProblem(r, c.Clock.Now())
	case k.preview != nil && !r.applied("dry-run"):
		return nil, fmt.Errorf("%s %s: the server knows no dry run of it: it may have been done", k.method, k.path)
	}
	return r, nil
}

// send makes a call and decodes the resource in the response.
func send[T any](ctx context.Context, c *Client, method, path string, body any, options []Option) (*T, error) {
	var preview *Preview
	options = append(options[:len(options):len(options)], func(k *call) { preview = k.preview })
	r, err := c.Do(ctx, method, path, body, options...)
	if err != nil {
		return nil, err
	}
	v, err := read[T](c, r, preview)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return v, nil
}

// read decodes a response, or the result of a dry run.
func read[T any](c *Client, r *Response, preview *Preview) (*T, error) {
	if !isJSON(r.Header) {
		return nil, fmt.Errorf("the server did not answer JSON; is %s a Tenor server?", c.base)
	}
	text := r.Body
	if preview != nil {
		if err := json.Unmarshal(text, preview); err != nil {
			return nil, fmt.Errorf("read dry run: %w", err)
		}
		preview.keep(text)
		text = preview.Result
	}
	v := new(T)
	if err := decode(text, v); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	return v, nil
}

// cleared encodes a change, with null for the named members.
func cleared(set any, names []string) ([]byte, error) {
	text, err := json.Marshal(set)
	if err != nil || len(names) == 0 {
		return text, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	for _, name := range names {
		members[name] = json.RawMessage("null")
	}
	return json.Marshal(members)
}

func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && (kind == "application/json" || kind == "application/problem+json")
}

// at joins a path, escaping every part.
func at(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(p))
	}
	return b.String()
}
