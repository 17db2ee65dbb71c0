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

	"tenor/internal/httpapi"
)

// contract is the document that the API publishes, and what has been seen of it.
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
	public       bool // has no bearer token
	scopes       []string
	kind         string           // prefix of the identifier in its path, "" if there is none
	body         *openapi3.Schema // of its JSON, else of its form; nil if it has no body
	example      any              // of the body, as the document has it
	form         bool             // the body is a form
	media        []string         // of its body
}

// nobody authenticates nobody: an API whose document alone is wanted.
type nobody struct{}

func (nobody) Authenticate(context.Context, [32]byte) (httpapi.Principal, bool, error) {
	return httpapi.Principal{}, false, nil
}

// readContract fetches the document from the API, as any developer would.
func readContract(t *testing.T) *contract {
	t.Helper()
	api, err := httpapi.New(httpapi.Config{
		BaseURL: base, Authenticator: nobody{}, CursorKey: make([]byte, 32), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}, (&httpapi.Service{}).Table())
	if err != nil {
		t.Fatal(err)
	}
	h, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
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
	for _, p := range o.Parameters {
		if p.Value.In == "path" {
			op.kind = kindOf(p.Value.Schema.Value)
		}
	}
	if o.RequestBody == nil {
		return op
	}
	content := o.RequestBody.Value.Content
	op.media = slices.Sorted(maps.Keys(content))
	m := content[mediaJSON]
	if m == nil {
		m, op.form = content[mediaForm], true
	}
	op.body, op.example = m.Schema.Value, m.Example
	return op
}

const (
	mediaJSON    = "application/json"
	mediaPatch   = "application/merge-patch+json"
	mediaForm    = "application/x-www-form-urlencoded"
	mediaProblem = "application/problem+json"
)

// company is the kind of the identifiers that are ten digits. The other kinds are
// the prefixes of theirs, as the pattern of their schema has them.
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

// GoString is what a failing random test shows of it.
func (op *operation) GoString() string { return op.OperationID }

// operator says that only the operator may call it.
func (op *operation) operator() bool {
	return slices.ContainsFunc(op.scopes, func(s string) bool { return strings.HasPrefix(s, "operator:") })
}

// reads says that it changes nothing.
func (op *operation) reads() bool {
	return op.method == http.MethodGet || slices.ContainsFunc(op.scopes, func(s string) bool { return strings.HasSuffix(s, ":read") })
}

// parameter finds a parameter; nil if the operation has none of that name.
func (op *operation) parameter(in, name string) *openapi3.Parameter {
	for _, p := range op.Parameters {
		if p.Value.In == in && p.Value.Name == name {
			return p.Value
		}
	}
	return nil
}

// find returns the operation of an identifier, nil if there is none.
func (c *contract) find(id string) *operation {
	for _, op := range c.ops {
		if op.OperationID == id {
			return op
		}
	}
	return nil
}

// request is a request to make of an operation.
type request struct {
	op     *operation
	name   string // what is tried
	method string // "": the operation's
	who    string // of the world's tokens, else the token itself; "": nobody
	object string // in the path
	query  string
	body   string      // what is sent; "": nothing
	media  string      // "": JSON or form, where there is a body
	header [][2]string // further headers; one without a value is taken away
	length int64       // that is announced; 0: the body's
	fault  bool        // the world is broken, so that 5xx is an answer
}

func (r request) String() string {
	return fmt.Sprintf("%s %s (%s): %s", r.op.method, r.op.path, r.op.OperationID, r.name)
}

// target is the path and the query that are sent.
func (r request) target() string {
	segments := strings.Split(r.op.path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			segments[i] = r.object
		}
	}
	target := strings.Join(segments, "/")
	if r.query != "" {
		target += "?" + r.query
	}
	return target
}

// http makes the request.
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

// code is the code of a problem, or of an error of RFC 6749.
func (a answer) code() string {
	var b struct {
		Code  string `json:"code"`
		Error string `json:"error"`
	}
	_ = json.Unmarshal(a.body, &b)
	return b.Code + b.Error
}
