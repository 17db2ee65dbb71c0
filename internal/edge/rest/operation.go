package rest

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
)

// defaultMaxBody is the default maximum size of a body.
const defaultMaxBody = 1 << 20

// Operation is one row of the table that routes, checks and documents the API.
type Operation struct {
	ID     string // camelCase, unique: "createOrder"
	Method string
	// Path is the canonical form. The operation answers at all its Contract.Places.
	Path    string
	Tag     string // the noun: "Orders"
	Summary string // one line
	Doc     string // what a developer should know, Markdown

	Public     bool     // no token, no rate limit per client
	PerAddress bool     // for a public one: limited per network address
	Scopes     []string // all of them are required
	TenantOnly bool     // the operator's token is refused

	Success      int      // status of a success; 0: 200
	Again        string   // for one that creates: when it answers 200 with what already exists; empty: never
	Response     any      // zero value of the answer's type; nil: no body
	Waits        any      // zero value of the answer 202, if the act may wait for somebody; nil: it never does
	Consumes     []string // media types of the body; empty: JSON
	Produces     []string // media types of the answer, first choice first; empty: JSON
	MaxBody      int64    // bytes; 0: 1 MiB
	BodyOptional bool     // no body means {}
	Reads        bool     // changes nothing although it is a POST: no key is stored
	// Undecided means that its changes are stored outside the books and not decided by a
	// command: its answers have no commit, and no key is stored.
	Undecided bool
	// Slow means that its work may take minutes, and that its caller waits for them.
	Slow bool
	// Stream is the zero value of an element, if the handler itself reads the body from
	// Call.Stream: a JSON array of elements, or another type it consumes. The Endpoint's
	// body is then None.
	Stream   any
	DryRun   any      // zero value of the answer to Prefer: dry-run; nil: not supported
	ETag     bool     // the answer has an entity tag
	Problems []string // codes of the domain, in addition to the layer's

	Deprecated time.Time // above zero: sent as Deprecation (RFC 9745)
	Sunset     time.Time // above zero: sent as Sunset (RFC 8594)

	// Unlogged means that the request log keeps none of its bodies.
	Unlogged bool

	// Unprefixed keeps the path unchanged: for pages and documents.
	Unprefixed bool
	// Endpoint is the result of Handle.
	Endpoint Endpoint
	// Raw takes over after the scope check instead of Endpoint, with its own media types
	// and errors: the OAuth endpoints and pages.
	Raw http.Handler
	// OpenAPI describes a Raw operation: a JSON object with the members of an OpenAPI
	// operation, such as requestBody and responses.
	OpenAPI string
}

// None means no parameters, or a body without members.
type None struct{}

// Endpoint is a handler with the types of its parameters and its body.
type Endpoint struct {
	params, body reflect.Type
	run          func(c *Call, params, body any) (Answer, error)
}

// Handle makes an Endpoint. P is a struct of parameters, B the request body. The handler
// gets both checked against their tags. It returns an Answer, or an error: a *Problem is
// sent as is, anything else is logged and sent as internal_error.
func Handle[P, B any](fn func(c *Call, params *P, body *B) (Answer, error)) Endpoint {
	return Endpoint{reflect.TypeFor[P](), reflect.TypeFor[B](), func(c *Call, params, body any) (Answer, error) {
		return fn(c, params.(*P), body.(*B))
	}}
}

// After calls fn after each answer of the handler that is not an error.
func (e Endpoint) After(fn func(c *Call, a Answer)) Endpoint {
	run := e.run
	e.run = func(c *Call, params, body any) (Answer, error) {
		a, err := run(c, params, body)
		if err == nil {
			fn(c, a)
		}
		return a, err
	}
	return e
}

// operation is a compiled Operation.
type operation struct {
	Operation
	params paramRules
	body   bodyRules
	// guesses means that the path or the body of a request contains guessable identifiers.
	guesses bool
	// answer and dryAnswer are the rules of its answers; nil: no body.
	answer, dryAnswer *rule
}

// hasBody reports whether the method carries a body that is read.
func (o *operation) hasBody() bool {
	return o.Raw == nil && (o.Method == http.MethodPost || o.Method == http.MethodPatch || o.Method == http.MethodPut)
}

// keyed reports whether the operation accepts an Idempotency-Key.
func (o *operation) keyed() bool {
	return o.Raw == nil && (o.Method == http.MethodPost || o.Method == http.MethodPatch)
}

func (a *API) prepare(op Operation) (*operation, error) {
	o := &operation{Operation: op}
	if o.ID == "" || o.Method == "" || !strings.HasPrefix(o.Path, "/") || (o.Raw == nil) == (o.Endpoint.run == nil) {
		return nil, fmt.Errorf("operation %s: ID, Method, Path and one of Endpoint and Raw are required", op.ID)
	}
	for _, code := range op.Problems {
		if _, ok := a.config.Contract.lookup(code); !ok {
			return nil, fmt.Errorf("operation %s: code %s is not in the contract", op.ID, code)
		}
	}
	if o.Success == 0 {
		o.Success = http.StatusOK
	}
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
	}
	if len(o.Produces) == 0 {
		o.Produces = []string{MediaJSON}
	}
	if len(o.Consumes) == 0 {
		o.Consumes = []string{MediaJSON}
		if o.Method == http.MethodPatch {
			o.Consumes = append(o.Consumes, MediaMergePatch)
		}
	}
	if o.Raw != nil {
		return o, nil
	}
	if o.Endpoint.body == reflect.TypeFor[None]() && op.Stream == nil {
		o.BodyOptional = true
	}
	var err error
	if o.params, err = a.types.params(o.Endpoint.params); err == nil {
		o.body, err = a.types.body(o.Endpoint.body)
	}
	if err != nil {
		return nil, fmt.Errorf("operation %s: %w", op.ID, err)
	}
	o.guesses = o.namesGuessable()
	if o.answer, err = a.types.answer(o.Response); err == nil {
		o.dryAnswer, err = a.types.answer(o.DryRun)
	}
	if err != nil {
		return nil, fmt.Errorf("operation %s: response: %w", op.ID, err)
	}
	return o, o.checkPath()
}

// answer returns the rule of an answer's type, nil if there is none.
func (x types) answer(zero any) (*rule, error) {
	if zero == nil {
		return nil, nil
	}
	return x.rule(reflect.TypeOf(zero), "")
}

func (o *operation) namesGuessable() bool {
	inPath := slices.ContainsFunc(o.params.list, func(p parameter) bool { return p.in == "path" && p.rule.guessable() })
	return inPath || slices.ContainsFunc(o.body.root.members, func(m member) bool { return m.rule.guessable() })
}

func (r *rule) guessable() bool { return r.kind == kindValue && r.value.Guessable }

// checkPath checks that the path's wildcards and the path parameters match.
func (o *operation) checkPath() error {
	var want, have []string
	for _, s := range strings.Split(o.Path, "/") {
		if strings.HasPrefix(s, "{") {
			want = append(want, strings.Trim(s, "{}"))
		}
	}
	for _, p := range o.params.list {
		if p.in == "path" {
			have = append(have, p.name)
		}
	}
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(want, have) {
		return fmt.Errorf("operation %s: path has %v, parameters have %v", o.ID, want, have)
	}
	return nil
}

// places returns every path at which the operation answers.
func (a *API) places(o *operation) []string {
	if o.Unprefixed {
		return []string{o.Path}
	}
	return a.config.Contract.Places(o.Path)
}

// entry is everything registered under one path pattern of the mux.
type entry struct {
	pattern string // as registered, including the prefix
	methods map[string]*operation
	public  bool // all its operations are public
}

// ServeHTTP makes an entry acceptable to the mux, which only matches.
func (e *entry) ServeHTTP(http.ResponseWriter, *http.Request) {}

// allow lists the methods for a 405.
func (e *entry) allow() string {
	var list []string
	for m := range e.methods {
		list = append(list, m)
		if m == http.MethodGet {
			list = append(list, http.MethodHead)
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// value returns the segment of a clean path at the pattern's {name}.
func (e *entry) value(path, name string) string {
	have := strings.Split(path, "/")
	for i, s := range strings.Split(e.pattern, "/") {
		if s == "{"+name+"}" && i < len(have) {
			return have[i]
		}
	}
	return ""
}

// cleanPath reports whether a path, as sent, is one that the API could have: no empty or
// dot segment, no trailing slash, nothing escaped. The mux would redirect some of the
// others.
func cleanPath(p string) bool {
	if len(p) < 2 || len(p) > 1024 || p[0] != '/' {
		return false
	}
	for _, s := range strings.Split(p[1:], "/") {
		if s == "" || s == "." || s == ".." {
			return false
		}
		for i := 0; i < len(s); i++ {
			c := s[i]
			if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0) {
				return false
			}
		}
	}
	return true
}
