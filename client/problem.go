package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Problem is an error that the server gave (RFC 9457).
type Problem struct {
	Type      string       `json:"type"`  // address of the page that explains the code
	Title     string       `json:"title"` // the same for every problem with this code
	Status    int          `json:"status"`
	Detail    string       `json:"detail"` // what is wrong in this case
	Instance  string       `json:"instance"`
	Code      string       `json:"code"` // stable, for programs; "" if something else than Tenor answered
	RequestID string       `json:"request_id"`
	Errors    []FieldError `json:"errors"`
	// RetryAfter is when the call may be sent again, 0 if the server did not say.
	RetryAfter time.Duration `json:"-"`
	// Raw is the document as it came, with the members that only this code has,
	// such as from and to.
	Raw json.RawMessage `json:"-"`
}

// FieldError is one place in a request that is wrong.
type FieldError struct {
	Pointer   string `json:"pointer,omitempty"`   // into the body
	Parameter string `json:"parameter,omitempty"` // of the query, or a header
	Code      string `json:"code"`
	Detail    string `json:"detail"`
}

func (p *Problem) Error() string {
	if p.Code == "" {
		return p.Detail
	}
	return p.Code + ": " + p.Detail
}

// Member returns a member of the document as text: a string without its quotes,
// anything else as JSON, and "" if there is none.
func (p *Problem) Member(name string) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(p.Raw, &all) != nil {
		return ""
	}
	var s string
	if json.Unmarshal(all[name], &s) == nil {
		return s
	}
	return string(all[name])
}

// newProblem reads an answer that is no success. What is not a problem document,
// as from a proxy in between, becomes one without a code.
func newProblem(r *Response) *Problem {
	p := &Problem{}
	if !isJSON(r.Header) || json.Unmarshal(r.Body, p) != nil || p.Code == "" {
		p = &Problem{Detail: fmt.Sprintf("the server answered %d %s", r.Status, http.StatusText(r.Status)), RequestID: r.Header.Get("X-Request-Id")}
	} else {
		p.Raw = r.Body
	}
	p.Status = r.Status
	p.RetryAfter = 0
	if d, err := time.ParseDuration(r.Header.Get("Retry-After") + "s"); err == nil && d > 0 {
		p.RetryAfter = d
	}
	return p
}
