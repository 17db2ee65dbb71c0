package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Config is what the API needs from its surroundings.
type Config struct {
	// BaseURL is the public URL, without a trailing slash. Problems link their pages under
	// it. The Host header is never used.
	BaseURL       string
	Authenticator Authenticator
	CursorKey     []byte           // at least 32 bytes, the same on every node
	Log           *slog.Logger     //
	Now           func() time.Time // wall clock: rate limits, request ids, durations
	MaxInFlight   int              // concurrent requests; above it 503. 0: 1024
	// MaxPerTenant is how many of them one tenant may have. 0: a quarter.
	MaxPerTenant int
	// MaxStrangers is how many more concurrent requests without a token or with an unknown
	// one are answered, a quarter of them from one address. 0: a quarter of MaxInFlight.
	MaxStrangers int
	// MaxFailures is how many authentications may fail per minute and address; above it
	// failing ones get 429. 0: 300.
	MaxFailures int
	// MaxMisses is how often per minute a tenant's client may guess identifiers without
	// success; above it 429. 0: 60.
	MaxMisses int
	// MaxPublic is the number of requests per minute and address to public operations
	// limited by address; above it 429. 0: 600.
	MaxPublic int
	// TrustedProxies are the networks of our own proxies, whose X-Forwarded-For names the
	// caller. Empty: only the connection does.
	TrustedProxies []netip.Prefix
	// ProxyHint is what to do about an unlisted proxy, for the log.
	ProxyHint string
	// Observe, if set, receives every request after its answer.
	Observe func(Observation)
	// Keep, if set, receives every answered request of a known client, for the request log:
	// row makes its masked row later, and size is how many bytes it holds until then. It
	// must not block.
	Keep func(size int, row func() Exchange)
	// Skip, if set, reports whether Keep should not receive a client's request with this
	// status. It is asked once for each.
	Skip func(client string, status int) bool
	// Mark computes a short digest of a masked value with a key that is not in the
	// database, to compare two requests with one Idempotency-Key; nil: they are not
	// compared.
	Mark func(text string) string
	// Contract is what the operations have in common.
	Contract Contract
}

// complete sets defaults.
func (c *Config) complete() error {
	if c.MaxInFlight <= 0 {
		c.MaxInFlight = defaultMaxInFlight
	}
	if c.MaxPerTenant <= 0 {
		c.MaxPerTenant = max(1, c.MaxInFlight/tenantsAtLeast)
	}
	if c.MaxStrangers <= 0 {
		c.MaxStrangers = max(1, c.MaxInFlight/strangersAtMost)
	}
	if c.MaxFailures <= 0 {
		c.MaxFailures = defaultMaxFailures
	}
	if c.MaxMisses <= 0 {
		c.MaxMisses = defaultMaxMisses
	}
	if c.MaxPublic <= 0 {
		c.MaxPublic = defaultMaxPublic
	}
	return c.Contract.complete()
}

// Observation is one finished request, for metrics.
type Observation struct {
	Operation string // empty without a route
	Method    string
	Status    int
	Code      string // of the answered problem; empty if there was none, or it was a replay
	Duration  time.Duration
}

// API answers the operations of one table. It is safe for concurrent use.
type API struct {
	config Config
	types  types
	mux    *http.ServeMux
	fixed  http.Header // of every answer
	ops    []*operation
	byID   map[string]*operation
	limits limiters
	guard  guard
	warned atomic.Int64 // Unix seconds: when the last warning about an untrusted proxy was logged
}

// New compiles the table. It fails on the first invalid row: a type that cannot be checked,
// a path that clashes, a code that is not in the contract.
func New(config Config, table []Operation) (_ *API, err error) {
	u, uerr := url.Parse(config.BaseURL)
	if uerr != nil || u.Scheme == "" || u.Host == "" || strings.HasSuffix(config.BaseURL, "/") {
		return nil, errors.New("rest: BaseURL must be an absolute URL without a trailing slash")
	}
	if config.Authenticator == nil || config.Log == nil || config.Now == nil || len(config.CursorKey) < 32 {
		return nil, errors.New("rest: Authenticator, Log, Now and a CursorKey of 32 bytes are required")
	}
	if err := config.complete(); err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	a := &API{
		config: config, types: newTypes(config.Contract.Kinds, config.Contract.Undrawn), mux: http.NewServeMux(), fixed: fixedHeaders(config.BaseURL),
		limits: limiters{buckets: map[string]*rate.Limiter{}}, guard: newGuard(config),
	}
	entries := map[string]*entry{}
	a.byID = map[string]*operation{}
	for _, row := range table {
		op, err := a.prepare(row)
		if err != nil {
			return nil, fmt.Errorf("rest: %w", err)
		}
		if a.byID[op.ID] != nil {
			return nil, fmt.Errorf("rest: operation %s: duplicate", op.ID)
		}
		a.byID[op.ID] = op
		a.ops = append(a.ops, op)
		if err := a.register(entries, op); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *API) register(entries map[string]*entry, op *operation) (err error) {
	defer func() {
		if r := recover(); r != nil { // how the mux reports a pattern conflict
			err = fmt.Errorf("rest: operation %s: %v", op.ID, r)
		}
	}()
	for _, place := range a.places(op) {
		e := entries[place]
		if e == nil {
			e = &entry{pattern: place, methods: map[string]*operation{}, public: true}
			entries[place] = e
			a.mux.Handle(place, e)
		}
		if e.methods[op.Method] != nil {
			return fmt.Errorf("rest: operation %s: %s %s is taken", op.ID, op.Method, place)
		}
		e.methods[op.Method] = op
		e.public = e.public && op.Public
	}
	return nil
}

// ServeHTTP answers one request. Whatever happens inside, even a panic, the caller gets a
// problem document.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := a.config.Now()
	r = withoutSlash(r)
	c := &Call{Request: r, RequestID: a.requestID(r.Header, start), Traceparent: acceptedTrace(r.Header), Address: clientAddress(r, a.config.TrustedProxies), api: a}
	a.commonHeaders(w.Header(), c.RequestID)
	a.warnOfProxy(r, start)
	if len(r.TransferEncoding) > 0 {
		// A chunked body may have come with a Content-Length, which net/http does not
		// report. A proxy before us may have used that one, so nothing that follows on this
		// connection is trusted.
		w.Header().Set("Connection", "close")
	}
	out := &recorder{ResponseWriter: w}
	a.serve(out, c)

	took := a.config.Now().Sub(start)
	a.config.Log.LogAttrs(r.Context(), slog.LevelInfo, "request",
		slog.String("request_id", c.RequestID), slog.String("operation", c.operationID()), slog.String("method", r.Method),
		slog.Int("status", out.status), slog.Duration("duration", took), slog.String("client", c.Principal.ClientID),
		slog.String(a.config.Contract.Tenant, c.Principal.Tenant), slog.String("traceparent", c.Traceparent))
	a.keep(c, out.status, start, took)
	if a.config.Observe != nil {
		a.config.Observe(Observation{Operation: c.operationID(), Method: r.Method, Status: out.status, Code: c.problem, Duration: took})
	}
}

func (c *Call) operationID() string {
	if c.Operation == nil {
		return ""
	}
	return c.Operation.ID
}

func (a *API) serve(w *recorder, c *Call) {
	defer func() {
		if r := recover(); r != nil {
			if r == http.ErrAbortHandler {
				panic(r) // the connection is meant to be broken off
			}
			a.config.Log.Error("panic", "request_id", c.RequestID, "operation", c.operationID(),
				"panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			if w.status == 0 {
				a.send(w, c, a.problemAnswer(c, Internal()))
			}
		}
	}()
	op, err := a.admit(w, c)
	if err != nil {
		ans := a.problemAnswer(c, err)
		if ans.Status == http.StatusUnauthorized || ans.Status == http.StatusForbidden {
			a.refused(c, codeOf(err))
		}
		a.send(w, c, ans)
		return
	}
	if op.Raw != nil {
		a.serveRaw(w, c, op)
		return
	}
	ans, err := a.run(w, c, op)
	if err != nil {
		ans = a.problemAnswer(c, err)
	}
	a.send(w, c, a.missed(c, op, ans))
}

// serveRaw lets an operation that answers by itself do so, once its body has arrived.
func (a *API) serveRaw(w *recorder, c *Call, op *operation) {
	c.Request.Body = readAhead(w, c.Request)
	pool, who, wait := a.guard.places, a.whose(c), time.Duration(0)
	if op.Public {
		pool, wait = a.guard.strangers, patience
	}
	if !pool.EnterWithin(c.Context(), who, wait) {
		a.send(w, c, a.problemAnswer(c, Unavailable(CodeOverloaded, 0)))
		return
	}
	defer pool.Leave(who)
	op.Raw.ServeHTTP(w, c.Request.WithContext(context.WithValue(c.Context(), callKey{}, c)))
}

// admit runs the stages authentication, rate, route and scope. Only authenticated callers
// learn whether a route exists.
func (a *API) admit(w http.ResponseWriter, c *Call) (*operation, error) {
	e := a.find(c.Request)
	if e == nil || !e.public {
		if p := a.authenticate(c); p != nil {
			return nil, p
		}
		if p := a.limits.take(c.Principal, a.config.Now(), w.Header()); p != nil {
			return nil, p
		}
	}
	if e == nil {
		return nil, NotFound()
	}
	method := c.Request.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	op := e.methods[method]
	if op == nil {
		return nil, &Problem{Code: CodeMethod, allow: e.allow()}
	}
	c.Operation, c.entry = &op.Operation, e
	if !op.Deprecated.IsZero() {
		w.Header().Set("Deprecation", fmt.Sprintf("@%d", op.Deprecated.Unix()))
	}
	if !op.Sunset.IsZero() {
		w.Header().Set("Sunset", op.Sunset.UTC().Format(http.TimeFormat))
	}
	if op.Public && op.PerAddress {
		if p := a.welcome(c, a.config.Now()); p != nil {
			return nil, p
		}
	}
	if op.Public {
		return op, nil
	}
	if p := a.config.Contract.authorize(&op.Operation, c.Principal); p != nil {
		return nil, p
	}
	return op, nil
}

func (a *API) find(r *http.Request) *entry {
	if !cleanPath(r.URL.EscapedPath()) {
		return nil
	}
	h, _ := a.mux.Handler(r)
	e, _ := h.(*entry)
	return e
}

// run runs the stages media type, size, syntax, schema and the identifier checks of
// existence, and then calls the operation.
func (a *API) run(w http.ResponseWriter, c *Call, op *operation) (Answer, error) {
	if c.Accepted = negotiate(c.Request.Header, op.Produces); c.Accepted == "" {
		return Answer{}, &Problem{Code: CodeNotAcceptable, Detail: "The resource has " + strings.Join(op.Produces, ", ") + "."}
	}
	who := a.whose(c)
	switch {
	case op.Stream != nil:
		if !a.guard.streams.Enter(who) {
			return Answer{}, Unavailable(CodeOverloaded, time.Second)
		}
		defer a.guard.streams.Leave(who)
		if p := openBody(w, c, op); p != nil {
			return Answer{}, p
		}
	case op.hasBody():
		if p := a.readBody(w, c, op, who); p != nil {
			return Answer{}, p
		}
	}
	// The request has arrived completely: a slow client holds no place.
	pool, wait := a.guard.places, time.Duration(0)
	if op.Public { // strangers take nothing from known callers
		pool, wait = a.guard.strangers, patience
	}
	if !pool.EnterWithin(c.Context(), who, wait) {
		return Answer{}, Unavailable(CodeOverloaded, 0)
	}
	defer pool.Leave(who)
	return a.answer(w, c, op)
}

// answer decodes a request and calls the operation.
func (a *API) answer(w http.ResponseWriter, c *Call, op *operation) (Answer, error) {
	params, body := reflect.New(op.Endpoint.params), reflect.New(op.Endpoint.body)
	invalid, p := a.read(c, op, params.Elem(), body.Elem())
	switch {
	case p != nil:
		return Answer{}, p
	case len(invalid) > 0:
		return Answer{}, &Problem{Code: CodeValidation, Errors: invalid}
	}
	path := c.Request.URL.Path
	if !op.params.path(func(name string) string { return c.entry.value(path, name) }, params.Elem()) {
		return Answer{}, NotFound()
	}
	if op.Slow { // a writer that cannot change its deadline keeps the server's
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(ExportTimeout + AnswerTimeout))
	}
	c.Decoded = body.Interface()
	ans, err := op.Endpoint.run(c, params.Interface(), c.Decoded)
	if errors.Is(err, context.Canceled) && c.Context().Err() != nil {
		return Answer{}, Unavailable(CodeOverloaded, 0) // the caller has gone
	}
	if err != nil {
		return Answer{}, err
	}
	c.problem = ans.Refusal
	ans, p = conditional(c, ans)
	if p != nil {
		return Answer{}, p
	}
	return ans, nil
}

// read runs the syntax stage in the order of the table of codes, body, query, headers,
// cursor, and returns the schema violations.
func (a *API) read(c *Call, op *operation, params, body reflect.Value) ([]FieldError, *Problem) {
	var invalid []FieldError
	if isJSON := c.ContentType == MediaJSON || c.ContentType == MediaMergePatch; op.hasBody() && op.Stream == nil && (isJSON || c.ContentType == "") {
		raw := c.Body
		if len(raw) == 0 && op.BodyOptional {
			raw = []byte("{}")
		}
		var p *Problem
		if p, invalid = op.body.decode(raw, body); p != nil {
			return nil, p
		}
	}
	cursor, p := op.params.query(c.Request.URL.RawQuery, params)
	if p != nil {
		return nil, p
	}
	if p := c.readHeaders(op); p != nil {
		return nil, p
	}
	if op.params.paged && (cursor != "" || c.Request.URL.Query().Has("cursor")) {
		at, ok := openCursor(a.config.CursorKey, c.cursorScope(), cursor)
		if !ok {
			return nil, &Problem{Code: CodeInvalidCursor}
		}
		params.FieldByIndex(op.params.page).FieldByName("After").Set(reflect.ValueOf(&at))
	}
	return invalid, nil
}

func (c *Call) readHeaders(op *operation) (p *Problem) {
	h := c.Request.Header
	if op.keyed() {
		if c.IdempotencyKey, p = parseIdempotencyKey(h); p != nil {
			return p
		}
	}
	if c.IfMatch, p = parseCondition(h, "If-Match"); p != nil {
		return p
	}
	if c.IfNoneMatch, p = parseCondition(h, "If-None-Match"); p != nil {
		return p
	}
	if c.DryRun, p = prefersDryRun(h); p != nil {
		return p
	}
	if c.DryRun && op.DryRun == nil && op.Method != http.MethodGet {
		return invalidHeader("Prefer", "requests a dry run, which this operation does not support.")
	}
	return nil
}

// recorder remembers the status, for the log and so that a panic after it does not send a
// second answer.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
