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
// Contract is one without any peculiarity.
type Contract struct {
	// Codes are every code that the API answers with, in the order of precedence: by
	// status, and within a status as listed. It holds those of OwnCodes. nil: these alone.
	Codes []Code
	// Kinds are the types of values that have a text of their own, beside those of Go.
	Kinds []value.Kind
	// Places are all paths under which an operation with a canonical path answers; nil:
	// only that one.
	Places func(path string) []string
	// Allows says whether a client may do what asks for a scope; nil: if it holds the scope.
	Allows func(p Principal, scope string) bool
	// Encode writes the body of an answer; nil: Encode.
	Encode func(v any) ([]byte, error)
	// Explain says what an error that is no Problem means to the caller; nil as its answer:
	// an unexpected fault.
	Explain func(err error) *Problem
	// NewRequestID names a request that came without a name that may be kept; nil: at random.
	NewRequestID func(at time.Time) string
	// Tenant is the word for those who share the service, in logs and in sentences.
	// Empty: "tenant".
	Tenant string
	// ErrorPages and RequestPages are the paths below which the pages of codes and of
	// requests are. Empty: "/errors/" and "/requests/".
	ErrorPages, RequestPages string
	// Undrawn are the members whose texts a dry run may not have yet: identifiers.
	Undrawn []string
	// Masking says what the request log shows.
	Masking Masking
}

// complete sets what was left open.
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

// Problem is a problem as an API with this contract answers with it, for what answers in its
// place: Codes, ErrorPages and RequestPages count. base is the public address, without a
// slash at its end.
func (c *Contract) Problem(p *Problem, base, requestID string) (status int, body []byte) {
	return c.code(p.Code).Status, c.encode(p, base, requestID)
}

// lookup returns the code of a name.
func (c *Contract) lookup(name string) (Code, bool) {
	i := slices.IndexFunc(c.Codes, func(x Code) bool { return x.Name == name })
	if i < 0 {
		return Code{}, false
	}
	return c.Codes[i], true
}

// code never fails: a code that is not in the contract is a bug of ours, and the caller
// learns no more than that.
func (c *Contract) code(name string) Code {
	x, ok := c.lookup(name)
	if !ok {
		x, _ = c.lookup(CodeInternal)
	}
	return x
}
