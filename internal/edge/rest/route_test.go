package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// code reads the code of a problem; for another answer it is "".
func code(w *httptest.ResponseRecorder) string {
	var p struct{ Code string }
	if w.Header().Get("Content-Type") != MediaProblem || json.Unmarshal(w.Body.Bytes(), &p) != nil {
		return ""
	}
	return p.Code
}

type want struct {
	status int
	code   string
}

func (x want) check(t *testing.T, name string, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code != x.status || code(w) != x.code {
		t.Errorf("%s: got %d %s, want %d %s\n%s", name, w.Code, code(w), x.status, x.code, w.Body)
	}
}

const goodBody = `{"company_id":4821073356,"amount":1200.00}`

// TestPrecedence breaks a request in two stages at once, for every pair of stages: the
// earlier one answers.
func TestPrecedence(t *testing.T) {
	type fault struct {
		name    string
		want    want
		headers []string
		token   string
		body    string
		query   string
		path    string
		method  string
	}
	stages := []fault{
		{name: "authentication", want: want{401, "unauthorized"}, token: "nobody"},
		{name: "rate", want: want{429, "rate_limited"}, token: "empty"},
		{name: "route", want: want{404, "not_found"}, path: "/v1/nothing"},
		{name: "method", want: want{405, "method_not_allowed"}, method: "PUT"},
		{name: "scope", want: want{403, "insufficient_scope"}, token: "other"},
		{name: "accept", want: want{406, "not_acceptable"}, headers: []string{"Accept: text/csv"}},
		{name: "type", want: want{415, "unsupported_media_type"}, headers: []string{"Content-Type: text/plain"}},
		{name: "size", want: want{413, "body_too_large"}, body: `{"memo":"` + repeat("x", 1<<20) + `"`},
		{name: "syntax", want: want{400, "malformed_request"}, body: `{"amount":`},
		{name: "unknown member", want: want{400, "unknown_member"}, body: `{"zzz":1}`},
		{name: "unknown parameter", want: want{400, "unknown_parameter"}, query: "zzz=1"},
		{name: "header", want: want{400, "invalid_header"}, headers: []string{"Idempotency-Key: a b"}},
		{name: "schema", want: want{422, "validation_failed"}, body: `{"amount":0}`},
		{name: "existence", want: want{404, "not_found"}, path: "/v1/widget/wid-impossible"},
	}
	for i, first := range stages {
		for _, second := range stages[i:] {
			// Two faults in one place of the request cannot be combined.
			if first.name != second.name && (first.token != "" && second.token != "" || first.path != "" && second.path != "" ||
				first.body != "" && second.body != "" || first.method != "" && second.path == "/v1/nothing") {
				continue
			}
			f := newFixture(t)
			people := tokens{"merchant": people["merchant"], "other": people["other"],
				"empty": {ClientID: "cli_9", Tenant: "mch_1", Scopes: []string{"orders:write"}, RatePerMinute: 1, Burst: 1}}
			f.api.config.Authenticator = people
			f.do("GET", "/v1/nothing", "", "Authorization: Bearer empty")

			or := func(a, b, c string) string {
				for _, s := range []string{a, b} {
					if s != "" {
						return s
					}
				}
				return c
			}
			path := or(first.path, second.path, "/v1/widget/wid_1")
			method := or(first.method, second.method, "PATCH")
			body := or(first.body, second.body, `{}`)
			query := or(first.query, second.query, "")
			headers := append(append([]string{"Authorization: Bearer " + or(first.token, second.token, "merchant")}, first.headers...), second.headers...)
			if query != "" {
				path += "?" + query
			}
			first.want.check(t, first.name+" before "+second.name, f.do(method, path, body, headers...))
			if f.calls > 0 {
				t.Errorf("%s before %s: the operation was called", first.name, second.name)
			}
		}
	}
}

func TestPaths(t *testing.T) {
	get := func(path string, status int) struct {
		method, path string
		want         want
	} {
		x := want{status: status}
		if status == 404 {
			x.code = "not_found"
		}
		return struct {
			method, path string
			want         want
		}{"GET", path, x}
	}
	tests := []struct {
		method, path string
		want         want
	}{
		get("/v1/widget/wid_1", 200), get("/v2/widget/wid_1", 200), get("/widget/wid_1", 200), get("/v1/widget/wid_1/", 200),
		get("/v2/company/4821073356/widget", 403), get("/company/4821073356/widget", 403),
		// A29: paths that are not clean.
		get("/v1/widget/%2e%2e/x", 404), get("/v1/widget/../widget/wid_1", 404), get("//v1/widget/wid_1", 404), get("/v1//widget/wid_1", 404),
		get("/v1/widget/wid_1//", 404), get("/v1/widget/wid%2f1", 404), get("/v1/widget/wid_1%00", 404), get("/V1/widget/wid_1", 404),
		get("/v1/Widget/wid_1", 404), get("/v1/widget/wid_1.", 404), get("/v1/widget./wid_1", 404), get("/v1/widget/"+repeat("k", 10_000), 404),
		get("/v1/widget/wid_%6f", 404), get("/v1/widget/wid_1;a=b", 404), get("/v1/v1/widget/wid_1", 404), get("/v3/widget/wid_1", 404),
		get("/", 404), get("/v1", 404), get("/v1/widget/mch_1", 404), get("/v1/widget/wid_"+repeat("a", 65), 404), get("/v1/widget/wid_unknown", 404),
		{"POST", "/v1/oauth/token", want{404, "not_found"}}, {"POST", "/v2/oauth/token", want{404, "not_found"}}, {"POST", "/oauth/token", want{200, ""}},
		{"POST", "/sandbox/clock", want{404, "not_found"}}, {"POST", "/v1/sandbox/clock", want{403, "insufficient_scope"}}, {"POST", "/v2/sandbox/clock", want{403, "insufficient_scope"}},
		{"PUT", "/v1/widget/wid_1", want{405, "method_not_allowed"}}, {"OPTIONS", "/v1/widget/wid_1", want{405, "method_not_allowed"}},
		{"TRACE", "/v1/widget/wid_1", want{405, "method_not_allowed"}}, {"CONNECT", "/v1/widget/wid_1", want{405, "method_not_allowed"}},
		{"get", "/v1/widget/wid_1", want{405, "method_not_allowed"}}, {"GET", "/widget", want{405, "method_not_allowed"}}, {"GET", "/oauth/token", want{405, "method_not_allowed"}},
		{"DELETE", "/v1/widget/wid_1", want{403, "insufficient_scope"}}, {"HEAD", "/v1/widget/wid_1", want{200, ""}},
	}
	for _, tt := range tests {
		f := newFixture(t)
		x := tt.want
		if x.status == 403 {
			x.code = "insufficient_scope"
		}
		x.check(t, tt.method+" "+fmt.Sprintf("%.60s", tt.path), f.do(tt.method, tt.path, ""))
	}
	f := newFixture(t)
	if got := f.do("PUT", "/v1/widget/wid_1", "").Header().Get("Allow"); got != "DELETE, GET, HEAD, PATCH" {
		t.Errorf("Allow: %s", got)
	}
	// A17: a claimed other method is ignored.
	w := f.do("GET", "/v1/widget/wid_1", "", "X-HTTP-Method-Override: DELETE", "X-Original-URL: /v1/nothing", "X-Forwarded-Host: evil")
	want{200, ""}.check(t, "override", w)
	if h := f.do("HEAD", "/v1/widget/wid_1", ""); h.Body.Len() != 0 || h.Header().Get("Content-Length") != w.Header().Get("Content-Length") {
		t.Errorf("HEAD: %d bytes, Content-Length %s", h.Body.Len(), h.Header().Get("Content-Length"))
	}
}

func TestAuthorization(t *testing.T) {
	f := newFixture(t)
	var first string
	unify := regexp.MustCompile(`req_[0-9A-Z]{26}`)
	tests := [][]string{
		{"-Authorization"}, {"Authorization: "}, {"Authorization: Bearer"}, {"Authorization: Bearer "}, {"Authorization: merchant"},
		{"Authorization: Basic bWVyY2hhbnQ6"}, {"Authorization: Bearer merchant", "Authorization: Bearer merchant"}, {"Authorization: Bearer\tmerchant"},
		{"Authorization: Bearer merchan"}, {"Authorization: Bearer merchant2"}, {"Authorization: Bearer Merchant"}, {"Authorization: Bearer merchant x"},
		{"Authorization: Bearer merchant,"}, {"Authorization: Bearer " + repeat("m", 513)}, {"Authorization: Bearer " + repeat("m", 1<<20)},
		{"Authorization: Bearer mer\x00chant"}, {"Authorization: Bearer mérchant"}, {"Authorization: Bearer\u00a0merchant"},
	}
	for _, headers := range tests {
		for _, path := range []string{"/v1/widget/wid_1?access_token=merchant", "/v1/nothing", "/v1/widget//"} {
			w := f.do("GET", path, "", headers...)
			want{401, "unauthorized"}.check(t, fmt.Sprintf("%.60q", headers), w)
			if got := w.Header().Get("WWW-Authenticate"); got != "Bearer" {
				t.Errorf("WWW-Authenticate: %q", got)
			}
			body := unify.ReplaceAllString(w.Body.String(), "req")
			if first == "" {
				first = body
			}
			if body != first {
				t.Errorf("%q: another body: %s", headers, body)
			}
		}
	}
	for _, h := range []string{"Authorization: bearer merchant", "Authorization: BEARER   merchant"} {
		want{200, ""}.check(t, h, f.do("GET", "/v1/widget/wid_1", "", h))
	}
	w := f.do("GET", "/v1/widget/wid_1", "", "Authorization: Bearer broken")
	want{503, "overloaded"}.check(t, "broken", w)
	if w.Header().Get("Retry-After") == "" {
		t.Error("503 without Retry-After")
	}
}

func TestScopes(t *testing.T) {
	f := newFixture(t)
	tests := []struct {
		token, method, path string
		want                want
	}{
		{"other", "GET", "/v1/widget/wid_1", want{200, ""}},
		{"other", "POST", "/widget", want{403, "insufficient_scope"}},
		{"merchant", "GET", "/v2/company/4821073356/widget", want{403, "insufficient_scope"}},
		{"operator", "GET", "/v2/company/4821073356/widget", want{200, ""}},
		{"operator", "GET", "/v1/widget/wid_1", want{200, ""}},
		{"operator", "PATCH", "/v1/widget/wid_1", want{200, ""}},
		{"operator", "POST", "/widget", want{403, "insufficient_scope"}}, // requires a merchant's token
		{"operator", "POST", "/v1/sandbox/clock", want{403, "insufficient_scope"}},
		{"operator", "GET", "/v2/company/123/widget", want{404, "not_found"}},
	}
	for _, tt := range tests {
		body := ""
		if tt.method != "GET" {
			body = `{}`
		}
		tt.want.check(t, tt.token+" "+tt.method+" "+tt.path, f.do(tt.method, tt.path, body, "Authorization: Bearer "+tt.token))
	}
}

func TestMediaTypes(t *testing.T) {
	tests := []struct {
		method  string
		headers string // lines
		want    want
	}{
		{"POST", "Content-Type: application/json", want{201, ""}},
		{"POST", "Content-Type: Application/JSON; charset=UTF-8", want{201, ""}},
		{"POST", `Content-Type: application/json; charset="utf-8"`, want{201, ""}},
		{"POST", "Content-Encoding: identity", want{201, ""}},
		// A26
		{"POST", "Content-Type: text/plain", want{415, "unsupported_media_type"}},
		{"POST", "-Content-Type", want{415, "unsupported_media_type"}},
		{"POST", "Content-Type: application/json; charset=utf-16", want{415, "unsupported_media_type"}},
		{"POST", "Content-Type: application/json; charset", want{415, "unsupported_media_type"}},
		{"POST", "Content-Type: multipart/form-data; boundary=x", want{415, "unsupported_media_type"}},
		{"POST", "Content-Type: application/merge-patch+json", want{415, "unsupported_media_type"}},
		{"POST", "Content-Type: application/json\nContent-Type: application/json", want{415, "unsupported_media_type"}},
		{"POST", "Content-Encoding: gzip", want{415, "unsupported_media_type"}},
		{"POST", "Content-Encoding: identity, gzip", want{415, "unsupported_media_type"}},
		{"POST", "Accept: application/json", want{201, ""}},
		{"POST", "Accept: */*;q=0.1", want{201, ""}},
		{"POST", "Accept: text/html, application/*", want{201, ""}},
		{"POST", "Accept: application/problem+json", want{201, ""}},
		{"POST", "Accept: text/html", want{406, "not_acceptable"}},
		{"POST", "Accept: application/json;q=0, */*", want{406, "not_acceptable"}},
		{"POST", "Accept: application/json;q=x", want{406, "not_acceptable"}},
		{"POST", "Accept: ", want{406, "not_acceptable"}},
		{"PATCH", "Content-Type: application/merge-patch+json", want{200, ""}},
		{"PATCH", "Content-Type: application/json", want{200, ""}},
	}
	for _, tt := range tests {
		f := newFixture(t)
		path, body := "/widget", goodBody
		if tt.method == "PATCH" {
			path, body = "/v1/widget/wid_1", `{}`
		}
		tt.want.check(t, tt.method+" "+tt.headers, f.do(tt.method, path, body, strings.Split(tt.headers, "\n")...))
	}
	f := newFixture(t)
	for accept, kind := range map[string]string{"text/html": "text/html; charset=utf-8", "*/*": MediaJSON, "application/json;q=0.5, text/html": "text/html; charset=utf-8"} {
		w := f.do("GET", "/v2/company/4821073356/widget", "", "Authorization: Bearer operator", "Accept: "+accept)
		if got := w.Header().Get("Content-Type"); got != kind {
			t.Errorf("Accept %s: %s", accept, got)
		}
	}
	want{200, ""}.check(t, "no body where none is needed", f.do("POST", "/v1/widget/wid_1/extend", ""))
	want{200, ""}.check(t, "{} where none is needed", f.do("POST", "/v1/widget/wid_1/extend", "{}"))
	want{400, "unknown_member"}.check(t, "members where none are", f.do("POST", "/v1/widget/wid_1/extend", `{"a":1}`))
	want{415, "unsupported_media_type"}.check(t, "no body where one is needed", f.do("POST", "/widget", ""))
}

func TestSizes(t *testing.T) {
	f := newFixture(t)
	fit := `{"memo":"` + repeat("x", 1<<20-11) + `"}`
	want{422, "validation_failed"}.check(t, "1 MiB", f.do("POST", "/widget", fit))
	want{413, "body_too_large"}.check(t, "1 MiB and 1", f.do("POST", "/widget", fit+" "))
	want{422, "validation_failed"}.check(t, "larger where it may be", f.do("POST", "/v1/widget-files", `{"rows":[{"name":"`+repeat("x", 2<<20)+`"}]}`))
	w := f.do("POST", "/v1/widget-files", "a,b\n", "Content-Type: text/csv")
	want{200, ""}.check(t, "csv", w)
	if string(f.call.Body) != "a,b\n" || f.call.ContentType != "text/csv" {
		t.Errorf("csv: %q as %s", f.call.Body, f.call.ContentType)
	}
	if w.Header().Get("Deprecation") != "@1767225600" || w.Header().Get("Sunset") != "Fri, 01 Jan 2027 00:00:00 GMT" {
		t.Errorf("Deprecation %q, Sunset %q", w.Header().Get("Deprecation"), w.Header().Get("Sunset"))
	}
	// Without an announced length the reading itself is limited.
	r := httptest.NewRequest("POST", "/widget", struct{ *strings.Reader }{strings.NewReader(fit + " ")})
	r.ContentLength = -1
	r.Header.Set("Authorization", "Bearer merchant")
	r.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	f.api.ServeHTTP(rec, r)
	want{413, "body_too_large"}.check(t, "chunked", rec)
}

func TestRateLimit(t *testing.T) {
	f := newFixture(t)
	get := func() *httptest.ResponseRecorder {
		return f.do("GET", "/v1/widget/wid_1", "", "Authorization: Bearer slow")
	}
	steps := []struct {
		after  time.Duration
		want   want
		limit  string
		retry  string
		policy string
	}{
		{0, want{200, ""}, `"default";r=1;t=1`, "", `"default";q=60;w=60`},
		{0, want{200, ""}, `"default";r=0;t=2`, "", `"default";q=60;w=60`},
		{0, want{429, "rate_limited"}, `"default";r=0;t=2`, "1", `"default";q=60;w=60`},
		{500 * time.Millisecond, want{429, "rate_limited"}, `"default";r=0;t=2`, "1", `"default";q=60;w=60`},
		{500 * time.Millisecond, want{200, ""}, `"default";r=0;t=2`, "", `"default";q=60;w=60`},
		{time.Minute, want{200, ""}, `"default";r=1;t=1`, "", `"default";q=60;w=60`},
	}
	for i, s := range steps {
		f.now = f.now.Add(s.after)
		w := get()
		s.want.check(t, fmt.Sprint("step ", i), w)
		h := w.Header()
		if h.Get("RateLimit") != s.limit || h.Get("Retry-After") != s.retry || h.Get("RateLimit-Policy") != s.policy {
			t.Errorf("step %d: RateLimit %s, Retry-After %q, policy %s", i, h.Get("RateLimit"), h.Get("Retry-After"), h.Get("RateLimit-Policy"))
		}
	}
	want{200, ""}.check(t, "another client", f.do("GET", "/v1/widget/wid_1", ""))
	l := limiters{buckets: f.api.limits.buckets}
	if p := l.take(Principal{ClientID: "new"}, f.now, http.Header{}); p != nil {
		t.Error(p)
	}
	if b := l.buckets["new"]; b.Burst() != 100 || b.Limit() != 10 {
		t.Errorf("default: %v a second, burst %d", b.Limit(), b.Burst())
	}
}

func TestFaultsTellNothing(t *testing.T) {
	for _, key := range []string{"wid_panic", "wid_error"} {
		f := newFixture(t)
		w := f.do("GET", "/v1/widget/"+key, "")
		want{500, "internal_error"}.check(t, key, w)
		if strings.Contains(w.Body.String(), "s3cr3t") {
			t.Errorf("%s: %s", key, w.Body)
		}
		if !strings.Contains(f.log.String(), "s3cr3t") {
			t.Errorf("%s is not logged", key)
		}
	}
	f := newFixture(t)
	for i := range defaultMaxInFlight {
		f.api.guard.places.Enter(fmt.Sprint(i))
	}
	want{503, "overloaded"}.check(t, "full", f.do("GET", "/v1/widget/wid_1", ""))
	f.api.guard.places.Leave("7")
	want{200, ""}.check(t, "room for one", f.do("GET", "/v1/widget/wid_1", ""))
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	f := newFixture(t)
	for _, w := range []*httptest.ResponseRecorder{
		f.do("POST", "/widget", goodBody), f.do("GET", "/v1/widget/wid_1", ""), f.do("GET", "/v1/nothing", ""), f.do("GET", "/v1/widget/wid_panic", ""),
		f.do("GET", "/v1/widget/wid_1", "", "-Authorization"), f.do("POST", "/oauth/token", ""),
	} {
		for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Strict-Transport-Security": "max-age=63072000"} {
			if w.Header().Get(name) != value {
				t.Errorf("%d: %s: %q", w.Code, name, w.Header().Get(name))
			}
		}
		if !regexp.MustCompile(`^req_[0-9A-Z]{26}$`).MatchString(w.Header().Get("X-Request-Id")) {
			t.Errorf("%d: X-Request-Id %s", w.Code, w.Header().Get("X-Request-Id"))
		}
	}
}

func TestNewRefuses(t *testing.T) {
	run := Handle(func(*Call, *None, *None) (Answer, error) { return Answer{}, nil })
	keyed := Handle(func(*Call, *widgetKey, *None) (Answer, error) { return Answer{}, nil })
	for name, table := range map[string][]Operation{
		"no handler":    {{ID: "a", Method: "GET", Path: "/a"}},
		"no id":         {{Method: "GET", Path: "/a", Endpoint: run}},
		"same id":       {{ID: "a", Method: "GET", Path: "/a", Endpoint: run}, {ID: "a", Method: "GET", Path: "/b", Endpoint: run}},
		"same place":    {{ID: "a", Method: "GET", Path: "/a", Endpoint: run}, {ID: "b", Method: "GET", Path: "/v1/a", Endpoint: run}},
		"clash":         {{ID: "a", Method: "GET", Path: "/a/{key}", Endpoint: keyed}, {ID: "b", Method: "GET", Path: "/a/{k}", Endpoint: run}},
		"wild, unread":  {{ID: "a", Method: "GET", Path: "/a/{key}", Endpoint: run}},
		"read, missing": {{ID: "a", Method: "GET", Path: "/a", Endpoint: keyed}},
		"unknown code":  {{ID: "a", Method: "GET", Path: "/a", Endpoint: run, Problems: []string{"nope"}}},
		"bad response":  {{ID: "a", Method: "GET", Path: "/a", Endpoint: run, Response: struct{ X float64 }{}}},
	} {
		if _, err := New(newFixture(t).api.config, table); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	good := newFixture(t).api.config
	for _, c := range []Config{{}, {BaseURL: "x", Authenticator: good.Authenticator, CursorKey: good.CursorKey, Log: good.Log, Now: good.Now},
		{BaseURL: good.BaseURL + "/", Authenticator: good.Authenticator, CursorKey: good.CursorKey, Log: good.Log, Now: good.Now},
		{BaseURL: good.BaseURL, Authenticator: good.Authenticator, CursorKey: good.CursorKey[:16], Log: good.Log, Now: good.Now}} {
		if _, err := New(c, nil); err == nil {
			t.Errorf("%+v: taken", c)
		}
	}
}
