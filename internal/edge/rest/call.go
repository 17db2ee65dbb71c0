package rest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Call is one request on its way through an operation. The handler may read all
// of it. It lives until the answer is written.
type Call struct {
	Request   *http.Request
	Operation *Operation
	Principal Principal

	RequestID   string
	Traceparent string     // valid, or empty
	Address     netip.Addr // of the caller, behind our own proxies; zero if it has none

	Body        []byte    // as sent; must not be changed
	Stream      io.Reader // the body, where the operation reads it by itself
	ContentType string    // of the body; empty without one
	Accepted    string    // media type of the answer, one of Operation.Produces

	IdempotencyKey string // normalised; empty if none was sent
	IfMatch        Condition
	IfNoneMatch    Condition
	DryRun         bool
	bodyMark       string // stands for the body in Fingerprint; empty: the body does

	// Decoded is the pointer to the body that the handler gets.
	Decoded any

	problem string // code of the answer, if it is one
	api     *API
	entry   *entry

	// What the request log tells of the answer; answer is nil where it keeps none.
	answer     []byte
	answerType string
	answerSize int
	replayed   bool
	committed  int64
}

// Context is the request's context. It ends when the caller goes away, so a
// commit must not run on it.
func (c *Call) Context() context.Context { return c.Request.Context() }

// From is the caller's address as logs and the audit log have it, "" if there is none.
func (c *Call) From() string {
	if !c.Address.IsValid() {
		return ""
	}
	return c.Address.String()
}

// callKey is where a Raw operation finds its Call in the request's context.
type callKey struct{}

// CallOf returns the Call of a request that came to a Raw operation of an API.
func CallOf(r *http.Request) *Call {
	c, _ := r.Context().Value(callKey{}).(*Call)
	return c
}

// CanonicalPath is the one form of the requested path, with its identifiers:
// what the contract, Location and Link show.
func (c *Call) CanonicalPath() string {
	segments := strings.Split(c.Operation.Path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			segments[i] = c.entry.value(c.Request.URL.Path, strings.Trim(s, "{}"))
		}
	}
	return strings.Join(segments, "/")
}

// Fingerprint names what an Idempotency-Key is bound to: method, canonical
// path, query and body bytes.
func (c *Call) Fingerprint() [32]byte {
	h := sha256.New()
	for _, part := range []string{c.Operation.Method, c.CanonicalPath(), c.Request.URL.Query().Encode()} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	if c.bodyMark != "" {
		h.Write([]byte(c.bodyMark))
	} else {
		h.Write(c.Body)
	}
	return [32]byte(h.Sum(nil))
}

// HideBody keeps the body out of what Fingerprint hashes, and puts a mark of it there: where
// it holds a number of few digits, a stored hash of it would tell it. The mark is made
// under a key.
func (c *Call) HideBody(mark string) { c.bodyMark = mark }

// PathValue returns what the path has where the operation's has {name}, "" if it has none.
func (c *Call) PathValue(name string) string { return c.entry.value(c.Request.URL.Path, name) }

// Wall is now by the wall clock, as it is stored: whole microseconds.
func (c *Call) Wall() time.Time { return c.api.config.Now().UTC().Truncate(time.Microsecond) }

// Problem writes a problem as this call would be answered with it, and returns its status.
func (c *Call) Problem(p *Problem) (status int, body []byte) {
	return c.api.config.Contract.Problem(p, c.api.config.BaseURL, c.RequestID)
}

// Send writes an answer, for an operation that answers by itself (Operation.Raw).
func (c *Call) Send(w http.ResponseWriter, ans Answer) { c.api.send(w, c, ans) }

// Limit counts the call of a client that Raw itself has authenticated, and whom it has put
// into Principal, and refuses it beyond the client's rate.
func (c *Call) Limit(h http.Header) *Problem {
	return c.api.limits.take(c.Principal, c.api.config.Now(), h)
}

// Streaming takes one of the few places for answers that are streamed, and gives it back
// when done is called. It is false if there is none for this client.
func (c *Call) Streaming() (done func(), ok bool) {
	who := c.api.whose(c)
	if !c.api.guard.streams.Enter(who) {
		return nil, false
	}
	return func() { c.api.guard.streams.Leave(who) }, true
}

// filters is the query without what may change from page to page.
func (c *Call) filters() url.Values {
	q := c.Request.URL.Query()
	q.Del("cursor")
	q.Del("limit")
	return q
}

// cursorScope is what a cursor is bound to: the operation with its path, the
// tenant and the filters.
func (c *Call) cursorScope() []byte {
	owner := c.api.config.Contract.Tenant + ":" + c.Principal.Tenant
	if c.Principal.Operator {
		owner = "operator"
	}
	return []byte(strings.Join([]string{c.Operation.ID, c.CanonicalPath(), owner, c.filters().Encode()}, "\x00"))
}
