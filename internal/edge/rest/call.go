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

// Call is one request on its way through an operation. The handler may read all of it. It
// is valid until the answer is written.
type Call struct {
	Request   *http.Request
	Operation *Operation
	Principal Principal

	RequestID   string
	Traceparent string     // valid, or empty
	Address     netip.Addr // of the caller, behind our own proxies; zero if unknown

	Body        []byte    // as sent; must not be changed
	Stream      io.Reader // the body, for an operation that reads it itself
	ContentType string    // of the body; empty without one
	Accepted    string    // media type of the answer, one of Operation.Produces

	IdempotencyKey string // normalized; empty if none was sent
	IfMatch        Condition
	IfNoneMatch    Condition
	DryRun         bool
	bodyMark       string // replaces the body in Fingerprint; empty: the body is used

	// Decoded is a pointer to the body passed to the handler.
	Decoded any

	problem string // code of the answer, if it is a problem
	api     *API
	entry   *entry

	// The answer's data for the request log; answer is nil if the log keeps none.
	answer     []byte
	answerType string
	answerSize int
	replayed   bool
	committed  int64
}

// Context is the request's context. It ends when the caller goes away, so a commit must not
// depend on it.
func (c *Call) Context() context.Context { return c.Request.Context() }

// From is the caller's address as in logs and the audit log, "" if unknown.
func (c *Call) From() string {
	if !c.Address.IsValid() {
		return ""
	}
	return c.Address.String()
}

// callKey is the context key under which a Raw operation finds its Call.
type callKey struct{}

// CallOf returns the Call of a request passed to a Raw operation of an API.
func CallOf(r *http.Request) *Call {
	c, _ := r.Context().Value(callKey{}).(*Call)
	return c
}

// CanonicalPath is the canonical form of the requested path, with its identifiers: as used
// in the contract, Location and Link.
func (c *Call) CanonicalPath() string {
	segments := strings.Split(c.Operation.Path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			segments[i] = c.entry.value(c.Request.URL.Path, strings.Trim(s, "{}"))
		}
	}
	return strings.Join(segments, "/")
}

// Fingerprint is what an Idempotency-Key is bound to: method, canonical path, query and
// body bytes.
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

// HideBody replaces the body in Fingerprint with a mark: if the body contains a number with
// few digits, a stored hash of it would reveal the number. The mark is made with a key.
func (c *Call) HideBody(mark string) { c.bodyMark = mark }

// PathValue returns the path's value for the operation's {name}, "" if it has none.
func (c *Call) PathValue(name string) string { return c.entry.value(c.Request.URL.Path, name) }

// Wall is the current wall-clock time as it is stored: in whole microseconds.
func (c *Call) Wall() time.Time { return c.api.config.Now().UTC().Truncate(time.Microsecond) }

// Problem encodes a problem as this call would be answered with it, and returns its status.
func (c *Call) Problem(p *Problem) (status int, body []byte) {
	return c.api.config.Contract.Problem(p, c.api.config.BaseURL, c.RequestID)
}

// Send writes an answer, for an operation that answers by itself (Operation.Raw).
func (c *Call) Send(w http.ResponseWriter, ans Answer) { c.api.send(w, c, ans) }

// Limit counts the call of a client that Raw itself has authenticated and set as Principal,
// and refuses it beyond the client's rate.
func (c *Call) Limit(h http.Header) *Problem {
	return c.api.limits.take(c.Principal, c.api.config.Now(), h)
}

// Streaming takes one of the few places for streamed answers; done returns it. It is false
// if there is none for this client.
func (c *Call) Streaming() (done func(), ok bool) {
	who := c.api.whose(c)
	if !c.api.guard.streams.Enter(who) {
		return nil, false
	}
	return func() { c.api.guard.streams.Leave(who) }, true
}

// filters is the query without the parameters that may change from page to page.
func (c *Call) filters() url.Values {
	q := c.Request.URL.Query()
	q.Del("cursor")
	q.Del("limit")
	return q
}

// cursorScope is what a cursor is bound to: the operation with its path, the tenant and the
// filters.
func (c *Call) cursorScope() []byte {
	owner := c.api.config.Contract.Tenant + ":" + c.Principal.Tenant
	if c.Principal.Operator {
		owner = "operator"
	}
	return []byte(strings.Join([]string{c.Operation.ID, c.CanonicalPath(), owner, c.filters().Encode()}, "\x00"))
}
