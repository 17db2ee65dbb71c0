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
	public       bool // of OAuth: has no bearer token
	open         bool // for everybody, limited by address
	scopes       []string
	kinds        []string         // of the identifiers in its path, the outer one first
	kind         string           // the last of them, "" if there is none
	body         *openapi3.Schema // of its JSON, else of its form; nil if it has no body
	example      any              // of the body, as the document has it
	form         bool             // the body is a form
	file         bool             // the body is a file
	media        []string         // of its body
}

// nobody authenticates nobody: an API whose document alone is wanted.
type nobody struct{}

func (nobody) Authenticate(context.Context, [32]byte) (rest.Principal, bool, error) {
	return rest.Principal{}, false, nil
}

// readContract fetches the document from the API, as any developer would.
func readContract(t *testing.T) *contract {
	t.Helper()
	api, err := httpapi.New(rest.Config{
		BaseURL: base, Authenticator: nobody{}, CursorKey: make([]byte, 32), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}, httpapi.Table(&serve.Service{Desk: &buyer.Desk{}}))
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
	if op.public && !strings.HasPrefix(path, "/oauth/") {
		op.public, op.open = false, true
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if name := strings.Trim(s, "{}"); name != s {
			op.kind = kindOf(op.parameter("path", name).Schema.Value)
			if op.kind == "" { // not ours to draw: what it stands below says what it is
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
	return slices.ContainsFunc(op.scopes, func(s string) bool { return slices.Contains(access.OperatorScopes(), s) })
}

// reads says that it changes nothing.
func (op *operation) reads() bool {
	return op.method == http.MethodGet || slices.ContainsFunc(op.scopes, func(s string) bool { return strings.HasSuffix(s, ":read") })
}

// decided says that what it does has a place among the commits.
func (op *operation) decided() bool {
	for _, status := range []string{"200", "201", "204"} {
		if r := op.Responses.Value(status); r != nil && (r.Value.Headers["Commit-Seq"] != nil || r.Value.Headers["As-Of-Seq"] != nil) {
			return true
		}
	}
	return false
}

// forms are the media types of its answer, in order of their names.
func (op *operation) forms() []string {
	if ok := op.Responses.Value("200"); ok != nil {
		return slices.Sorted(maps.Keys(ok.Value.Content))
	}
	return []string{mediaJSON}
}

// named is an object below the same one as another object, or in no object's place if
// the path has but one.
func (op *operation) named(object, last string) string {
	if len(op.kinds) < 2 {
		return last
	}
	outer, _, _ := strings.Cut(object, "/")
	return outer + "/" + last
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
	object string // in the path; two of them have a slash between them
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

// code is the code of a problem, or of an error of RFC 6749.
func (a answer) code() string {
	var b struct {
		Code  string `json:"code"`
		Error string `json:"error"`
	}
	_ = json.Unmarshal(a.body, &b)
	return b.Code + b.Error
}
