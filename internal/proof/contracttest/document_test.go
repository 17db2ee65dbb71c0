package contracttest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"tenor/internal/domain/access"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

// contract is the document published by the API, and what has been seen of it.
type contract struct {
	doc       *openapi3.T
	json, yml []byte
	ops       []*operation // in order of path and method
	requests  int
	seen      map[string]int // "operation status" and "operation status code"
}

// operation is an operation of the document.
type operation struct {
	*openapi3.Operation
	method, path string
	public       bool // OAuth: without a bearer token
	open         bool // for everyone, limited by address
	scopes       []string
	kinds        []string         // of the IDs in its path, outermost first
	kind         string           // the last of them, "" if none
	body         *openapi3.Schema // of its JSON, otherwise of its form; nil without a body
	example      any              // of the body, from the document
	form         bool             // the body is a form
	file         bool             // the body is a file
	media        []string         // of its body
}

// nobody rejects everyone: only the API's document is needed.
type nobody struct{}

func (nobody) Authenticate(context.Context, [32]byte) (rest.Principal, bool, error) {
	return rest.Principal{}, false, nil
}

// readContract fetches the document from the API, like any developer.
func readContract(t *testing.T) *contract {
	t.Helper()
	api, err := httpapi.New(rest.Config{
		BaseURL: base, Authenticator: nobody{}, CursorKey: make([]byte, 32), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}, httpapi.Table(&serve.Service{Desk: &buyer.Desk{}}))
	if err != nil {
		t.Fatal(err)
	}
	h := api.Handler()
	fetch := func(path string) []byte {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d", path, w.Code)
		}
		return w.Body.Bytes()
	}
	c := &contract{json: fetch("/openapi.json"), yml: fetch("/openapi.yaml"), seen: map[string]int{}}
	if c.doc, err = openapi3.NewLoader().LoadFromData(c.json); err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(c.doc.Paths.Map())) {
		ops := c.doc.Paths.Find(path).Operations()
		for _, method := range slices.Sorted(maps.Keys(ops)) {
			c.ops = append(c.ops, newOperation(method, path, ops[method]))
		}
	}
	if len(c.ops) < 50 {
		t.Fatalf("only %d operations", len(c.ops))
	}
	return c
}

func newOperation(method, path string, o *openapi3.Operation) *operation {
	op := &operation{Operation: o, method: method, path: path, public: true}
	if o.Security != nil {
		for _, s := range *o.Security {
			if scopes, ok := s["bearer"]; ok {
				op.public, op.scopes = false, scopes
			}
		}
	}
	if op.public && !strings.HasPrefix(path, "/oauth/") {
		op.public, op.open = false, true
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if name := strings.Trim(s, "{}"); name != s {
			op.kind = kindOf(op.parameter("path", name).Schema.Value)
			if op.kind == "" { // not ours to generate: what precedes it determines its kind
				op.kind = segments[i-1]
			}
			op.kinds = append(op.kinds, op.kind)
		}
	}
	if o.RequestBody == nil {
		return op
	}
	content := o.RequestBody.Value.Content
	op.media = slices.Sorted(maps.Keys(content))
	m := content[mediaJSON]
	if m == nil {
		if m = content[mediaForm]; m == nil {
			op.file = true
			return op
		}
		op.form = true
	}
	op.body, op.example = m.Schema.Value, m.Example
	return op
}

const (
	mediaJSON    = "application/json"
	mediaPatch   = "application/merge-patch+json"
	mediaForm    = "application/x-www-form-urlencoded"
	mediaProblem = "application/problem+json"
	mediaPDF     = "application/pdf"
)

// company is the kind of ten-digit IDs. The other kinds are the prefixes of theirs, from the
// pattern of their schema.
const company = "company"

func kindOf(s *openapi3.Schema) string {
	if s.Pattern == "^[1-9][0-9]{9}$" {
		return company
	}
	if prefix, _, ok := strings.Cut(strings.TrimPrefix(s.Pattern, "^"), "_["); ok && strings.HasPrefix(s.Pattern, "^") {
		return prefix
	}
	return ""
}

// GoString is shown by a failing random test.
func (op *operation) GoString() string { return op.OperationID }

// operator reports whether only the operator may call it.
func (op *operation) operator() bool {
	return slices.ContainsFunc(op.scopes, func(s string) bool { return slices.Contains(access.OperatorScopes(), s) })
}

// reads reports whether it changes nothing.
func (op *operation) reads() bool {
	return op.method == http.MethodGet || slices.ContainsFunc(op.scopes, func(s string) bool { return strings.HasSuffix(s, ":read") })
}

// decided reports whether its effect has a position among the commits.
func (op *operation) decided() bool {
	for _, status := range []string{"200", "201", "204"} {
		if r := op.Responses.Value(status); r != nil && (r.Value.Headers["Commit-Seq"] != nil || r.Value.Headers["As-Of-Seq"] != nil) {
			return true
		}
	}
	return false
}

// forms returns the media types of its response, sorted.
func (op *operation) forms() []string {
	if ok := op.Responses.Value("200"); ok != nil {
		return slices.Sorted(maps.Keys(ok.Value.Content))
	}
	return []string{mediaJSON}
}

// named returns an object below the same parent as another object, or replaces the object if the
// path has only one.
func (op *operation) named(object, last string) string {
	if len(op.kinds) < 2 {
		return last
	}
	outer, _, _ := strings.Cut(object, "/")
	return outer + "/" + last
}

// parameter finds a parameter; nil if there is none with that name.
func (op *operation) parameter(in, name string) *openapi3.Parameter {
	for _, p := range op.Parameters {
		if p.Value.In == in && p.Value.Name == name {
			return p.Value
		}
	}
	return nil
}

// find returns the operation with an ID, nil if there is none.
func (c *contract) find(id string) *operation {
	for _, op := range c.ops {
		if op.OperationID == id {
			return op
		}
	}
	return nil
}

// request is a request for an operation.
type request struct {
	op     *operation
	name   string // what is being tried
	method string // "": the operation's
	who    string // one of the world's tokens, otherwise the token itself; "": none
	object string // in the path; two of them are separated by a slash
	query  string
	body   string      // "": none
	media  string      // "": JSON or form, if there is a body
	header [][2]string // additional headers; one without a value is removed
	length int64       // announced length; 0: the body's
	fault  bool        // the world is broken, so 5xx is acceptable
}

func (r request) String() string {
	return fmt.Sprintf("%s %s (%s): %s", r.op.method, r.op.path, r.op.OperationID, r.name)
}

// target returns the path and the query to send.
func (r request) target() string {
	segments, left := strings.Split(r.op.path, "/"), r.object
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			segments[i], left, _ = strings.Cut(left, "/")
		}
	}
	target := strings.Join(segments, "/")
	if r.query != "" {
		target += "?" + r.query
	}
	return target
}

// http builds the request.
func (r request) http(w *world) *http.Request {
	method := r.method
	if method == "" {
		method = r.op.method
	}
	h := httptest.NewRequest(method, r.target(), strings.NewReader(r.body))
	h.RemoteAddr = "192.0.2.10:5000"
	if r.length > 0 {
		h.ContentLength = r.length
	}
	if token, ok := w.tokens[r.who]; ok {
		h.Header.Set("Authorization", "Bearer "+token)
	} else if r.who != "" {
		h.Header.Set("Authorization", "Bearer "+r.who)
	}
	switch {
	case r.media != "":
		h.Header.Set("Content-Type", r.media)
	case r.op.file && r.body != "":
		h.Header.Set("Content-Type", r.op.media[0])
	case r.op.form:
		h.Header.Set("Content-Type", mediaForm)
	case r.body != "":
		h.Header.Set("Content-Type", mediaJSON)
	}
	for _, x := range r.header {
		if x[1] == "" {
			h.Header.Del(x[0])
			continue
		}
		h.Header.Add(x[0], x[1])
	}
	return h
}

// code returns the code of a problem, or of an RFC 6749 error.
func (a answer) code() string {
	var b struct {
		Code  string `json:"code"`
		Error string `json:"error"`
	}
	_ = json.Unmarshal(a.body, &b)
	return b.Code + b.Error
}
