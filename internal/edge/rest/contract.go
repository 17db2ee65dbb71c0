package rest

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"tenor/internal/edge/rest/value"
)

// Contract is what all operations of an API have in common, wherever it runs. The zero
// Contract uses the defaults.
type Contract struct {
	// Codes are all codes that the API answers with, in order of precedence: by status, and
	// within a status as listed. They include OwnCodes. nil: only OwnCodes.
	Codes []Code
	// Kinds are the types of values with a text format of their own, in addition to Go's.
	Kinds []value.Kind
	// Places returns all paths at which an operation with a canonical path answers; nil:
	// only that one.
	Places func(path string) []string
	// Allows reports whether a client may do what requires a scope; nil: if it has the
	// scope.
	Allows func(p Principal, scope string) bool
	// Encode encodes the body of an answer; nil: Encode.
	Encode func(v any) ([]byte, error)
	// Explain translates an error that is not a Problem for the caller; a nil result means
	// an unexpected fault.
	Explain func(err error) *Problem
	// NewRequestID generates an id for a request without an acceptable one; nil: random.
	NewRequestID func(at time.Time) string
	// Tenant is the word for the users of the service, in logs and in sentences. Empty:
	// "tenant".
	Tenant string
	// ErrorPages and RequestPages are the paths above the pages of codes and of requests.
	// Empty: "/errors/" and "/requests/".
	ErrorPages, RequestPages string
	// Undrawn are the members whose texts may be missing in a dry run: identifiers.
	Undrawn []string
	// Masking configures what the request log shows.
	Masking Masking
}

// complete sets defaults.
func (c *Contract) complete() error {
	if c.Codes == nil {
		c.Codes = OwnCodes()
	}
	for _, own := range OwnCodes() {
		if !slices.ContainsFunc(c.Codes, func(x Code) bool { return x.Name == own.Name }) {
			return fmt.Errorf("the code %s is missing", own.Name)
		}
	}
	if !slices.IsSortedFunc(c.Codes, func(a, b Code) int { return cmp.Compare(a.Status, b.Status) }) {
		return errors.New("the codes are not ordered by status")
	}
	if c.Places == nil {
		c.Places = func(path string) []string { return []string{path} }
	}
	if c.Allows == nil {
		c.Allows = func(p Principal, scope string) bool { return slices.Contains(p.Scopes, scope) }
	}
	if c.Encode == nil {
		c.Encode = Encode
	}
	if c.Explain == nil {
		c.Explain = func(error) *Problem { return nil }
	}
	if c.NewRequestID == nil {
		c.NewRequestID = func(time.Time) string { return "req_" + rand.Text() }
	}
	c.Tenant = cmp.Or(c.Tenant, "tenant")
	c.ErrorPages, c.RequestPages = cmp.Or(c.ErrorPages, "/errors/"), cmp.Or(c.RequestPages, "/requests/")
	c.Masking.complete()
	return nil
}

// Problem encodes a problem as an API with this contract answers with it, for code that
// answers in its place: it uses Codes, ErrorPages and RequestPages. base is the public URL,
// without a trailing slash.
func (c *Contract) Problem(p *Problem, base, requestID string) (status int, body []byte) {
	return c.code(p.Code).Status, c.encode(p, base, requestID)
}

// lookup returns the code with a name.
func (c *Contract) lookup(name string) (Code, bool) {
	i := slices.IndexFunc(c.Codes, func(x Code) bool { return x.Name == name })
	if i < 0 {
		return Code{}, false
	}
	return c.Codes[i], true
}

// code never fails: a code missing from the contract is a bug of ours, and the caller
// learns no more than that.
func (c *Contract) code(name string) Code {
	x, ok := c.lookup(name)
	if !ok {
		x, _ = c.lookup(CodeInternal)
	}
	return x
}
