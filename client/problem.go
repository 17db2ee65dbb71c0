package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Problem is an error returned by the server (RFC 9457).
type Problem struct {
	Type      string       `json:"type"`  // URL of the page that explains the code
	Title     string       `json:"title"` // the same for every problem with this code
	Status    int          `json:"status"`
	Detail    string       `json:"detail"` // what is wrong in this case
	Instance  string       `json:"instance"`
	Code      string       `json:"code"` // stable, for programs (see Code); "" if the response did not come from Tenor
	RequestID string       `json:"request_id"`
	Errors    []FieldError `json:"errors"`
	// RetryAfter is how long to wait before a retry, 0 if the server did not say.
	RetryAfter time.Duration `json:"-"`
	// IdempotencyKey is the key of the call, "" if it had none.
	IdempotencyKey string `json:"-"`
	// Raw is the unmodified document, including members specific to this code, such as from and to.
	Raw json.RawMessage `json:"-"`
}

func (p *Problem) Error() string {
	if p.Code == "" {
		return p.Detail
	}
	return p.Code + ": " + p.Detail
}

// Member returns a member of the document as text: a string without its quotes, anything else as
// JSON, and "" if there is none.
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

// Is lets errors.Is compare a problem with a code of the contract.
func (p *Problem) Is(target error) bool {
	code, ok := target.(Code)
	return ok && string(code) == p.Code
}

// newProblem decodes an unsuccessful response. An OAuth error is converted to the same form.
// Anything else, such as an error from a proxy, becomes a problem without a code.
func newProblem(r *Response, now time.Time) *Problem {
	p := &Problem{}
	if !isJSON(r.Header) || json.Unmarshal(r.Body, p) != nil || p.Code == "" && !p.isOAuth(r.Body) {
		p = &Problem{Detail: fmt.Sprintf("the server answered %d %s", r.Status, http.StatusText(r.Status))}
	} else {
		p.Raw = r.Body
	}
	if p.RequestID == "" {
		p.RequestID = r.RequestID()
	}
	p.Status, p.IdempotencyKey = r.Status, r.IdempotencyKey
	p.RetryAfter, _ = retryAfter(r.Header, now)
	return p
}

// isOAuth converts an error of RFC 6749, and reports whether it is one.
func (p *Problem) isOAuth(body []byte) bool {
	var o struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(body, &o) != nil || o.Error == "" {
		return false
	}
	p.Code, p.Detail = o.Error, o.Description
	if p.Detail == "" {
		p.Detail = "The server gave no access token."
	}
	return true
}
