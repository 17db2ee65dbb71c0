package httpapi

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
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
	// bodyMark stands for the body in Fingerprint where it holds a number that can be
	// guessed.
	bodyMark string

	reason  string   // why it is asked for, as the body says it; empty: it says nothing
	listed  []string // identifiers of what a list has shown
	problem string   // code of the answer, if it is one
	api     *API
	entry   *entry
}

// Context is the request's context. It ends when the caller goes away, so a
// commit must not run on it (EN6).
func (c *Call) Context() context.Context { return c.Request.Context() }

// from is the caller's address as logs and the audit log have it, "" if there is none.
func (c *Call) from() string {
	if !c.Address.IsValid() {
		return ""
	}
	return c.Address.String()
}

// callKey is where a Raw operation finds its Call in the request's context.
type callKey struct{}

// callOf returns the Call of a request that came to a Raw operation of an API.
func callOf(r *http.Request) *Call {
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

// secretBody keeps the body out of what Fingerprint hashes: an account number has so
// few digits that a stored hash of it tells it. index is a blind index under a key of
// the deployment.
func (c *Call) secretBody(index func(routing, number string) string) {
	c.bodyMark = index("request", string(c.Body))
}

// filters is the query without what may change from page to page.
func (c *Call) filters() url.Values {
	q := c.Request.URL.Query()
	q.Del("cursor")
	q.Del("limit")
	return q
}

// cursorScope is what a cursor is bound to: the operation with its path, the
// merchant and the filters.
func (c *Call) cursorScope() []byte {
	owner := "merchant:" + c.Principal.MerchantID
	if c.Principal.Operator {
		owner = "operator"
	}
	return []byte(strings.Join([]string{c.Operation.ID, c.CanonicalPath(), owner, c.filters().Encode()}, "\x00"))
}

// newRequestID returns req_ and a ULID: 48 bits of milliseconds, 80 random bits.
func newRequestID(now time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(now.UnixMilli())<<16)
	rand.Read(b[6:]) // never fails: it ends the program instead
	// Two zero bits in front make 130 bits of 128: the ULID layout.
	var padded [20]byte
	for i, x := range b {
		padded[i] |= x >> 2
		padded[i+1] |= x << 6
	}
	return "req_" + crockford.EncodeToString(padded[:])[:26]
}

var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// reasonOf is the one reason that a body gives for the audit log: its member reason, or
// the code of a company's status with the words beside it.
func reasonOf(body reflect.Value) string {
	if body.Kind() != reflect.Struct {
		return ""
	}
	text := func(name string) string {
		switch v := reflect.Indirect(body.FieldByName(name)); {
		case v.IsValid() && v.Kind() == reflect.String:
			return v.String()
		}
		return ""
	}
	if why := text("Reason"); why != "" {
		return why
	}
	if b, ok := body.Interface().(reasonBody); ok {
		return strings.TrimSuffix(b.Code+": "+deref(b.Message), ": ")
	}
	return ""
}
