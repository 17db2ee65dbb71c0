package rest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
)

func TestQuery(t *testing.T) {
	bad := want{400, "invalid_parameter"}
	tests := []struct {
		query string
		want  want
	}{
		{"", want{200, ""}}, {"limit=1", want{200, ""}}, {"limit=100", want{200, ""}},
		{"company_id=4821073356&status=CREATED&created_from=2026-01-01&created_to=2026-01-01&updated_since=2026-03-02T15:04:05Z&late=true", want{200, ""}},
		{"as_of=2026-03-02", want{200, ""}}, {"as_of=2026-03-02T15:04:05Z", want{200, ""}}, {"order_key=ord_01", want{200, ""}},
		{"limit=0", bad}, {"limit=101", bad}, {"limit=1000000000", bad}, {"limit=-1", bad}, {"limit=1.5", bad}, {"limit=", bad}, {"limit=%31%30", want{200, ""}},
		{"limit=1&limit=1", bad}, {"status=created", bad}, {"status=' OR 1=1 --", bad}, {"company_id=1", bad}, {"order_key=pay_1", bad},
		{"created_from=2026-02-30", bad}, {"created_from=0000-01-01", bad}, {"created_from=9999-01-01", bad}, {"created_from=2026-03-02&created_to=2026-03-01", bad},
		{"updated_since=2026-03-02", bad}, {"updated_since=2026-03-02T15:04:60Z", bad}, {"updated_since=2026-03-02T15:04:05", bad},
		{"updated_since=2026-03-02T15:04:05+01:00", bad}, {"updated_since=2026-03-02T15:04:05%2B01:00", want{200, ""}},
		{"as_of=yesterday", bad}, {"late=1", bad}, {"late=%ff", bad}, {"%zz", bad}, {"a;b", bad},
		{"merchant_id=mch_2", want{400, "unknown_parameter"}}, {"LIMIT=1", want{400, "unknown_parameter"}}, {"limit[gt]=1", want{400, "unknown_parameter"}},
		{"access_token=x", want{400, "unknown_parameter"}}, {"=1", want{400, "unknown_parameter"}}, {"limit=0&zzz=1", want{400, "unknown_parameter"}},
		{strings.Repeat("limit=1&", 100_000), bad},
	}
	for _, tt := range tests {
		f := newFixture(t)
		name := tt.query[:min(60, len(tt.query))]
		r := tt.want
		w := f.do("GET", "/v1/widgets?"+strings.ReplaceAll(tt.query, " ", "%20"), "")
		r.check(t, name, w)
		if (w.Code == 200) != (f.calls == 1) {
			t.Errorf("%s: %d calls", name, f.calls)
		}
	}
	f := newFixture(t)
	f.do("GET", "/v1/widgets?as_of=2026-03-02&company_id=4821073356&late=false", "")
	if f.filter.Limit != 25 || f.filter.AsOf.Date != calendar.MustParse("2026-03-02") || *f.filter.CompanyID != 4821073356 || *f.filter.Late || f.filter.After != nil {
		t.Errorf("%+v", f.filter)
	}
	f.do("GET", "/v1/widgets?as_of=2026-03-02T15:04:05Z", "")
	if f.filter.AsOf.Date != calendar.None || f.filter.AsOf.Instant.IsZero() {
		t.Errorf("%+v", f.filter.AsOf)
	}
	want{400, "unknown_parameter"}.check(t, "parameters where none are", f.do("GET", "/v1/widget/wid_1?limit=1", ""))
}

func TestIdempotencyKey(t *testing.T) {
	tests := []struct {
		values []string
		key    string
		ok     bool
	}{
		{nil, "", true}, {[]string{"abc"}, "abc", true}, {[]string{`"abc"`}, "abc", true}, {[]string{`"a\"b\\c"`}, `a"b\c`, true},
		{[]string{`a"b`}, `a"b`, true}, {[]string{strings.Repeat("k", 255)}, strings.Repeat("k", 255), true},
		{[]string{`"` + strings.Repeat("k", 255) + `"`}, strings.Repeat("k", 255), true},
		{[]string{""}, "", false}, {[]string{`""`}, "", false}, {[]string{`"`}, "", false}, {[]string{`"abc`}, "", false}, {[]string{`"a"b"`}, "", false},
		{[]string{`"a\b"`}, "", false}, {[]string{`"a\`}, "", false}, {[]string{`"abc";x=1`}, "", false}, {[]string{"a b"}, "", false}, {[]string{`"a b"`}, "", false},
		{[]string{"é"}, "", false}, {[]string{"a\x00"}, "", false}, {[]string{strings.Repeat("k", 256)}, "", false}, {[]string{"a", "a"}, "", false},
	}
	for _, tt := range tests {
		key, p := parseIdempotencyKey(http.Header{"Idempotency-Key": tt.values})
		if key != tt.key || (p == nil) != tt.ok {
			t.Errorf("%.60q: %q, %v", tt.values, key, p)
		}
	}
}

func TestConditions(t *testing.T) {
	tests := []struct {
		value  string
		ok     bool
		strong bool // matches "3" as If-Match
		weak   bool // matches "3" as If-None-Match
	}{
		{`"3"`, true, true, true}, {`*`, true, true, true}, {` * `, true, true, true}, {`W/"3"`, true, false, true}, {`"2"`, true, false, false},
		{`"1", "3"`, true, true, true}, {`"1",W/"3"`, true, false, true}, {`"1",,"3",`, true, true, true}, {`""`, true, false, false}, {`"a,b", "3"`, true, true, true},
		{`3`, false, false, false}, {`"3`, false, false, false}, {`w/"3"`, false, false, false}, {`"3" "4"`, false, false, false}, {`*, "3"`, false, false, false},
		{``, false, false, false}, {`,`, false, false, false}, {`"a b"`, false, false, false},
	}
	for _, tt := range tests {
		c, p := parseCondition(http.Header{"If-Match": {tt.value}}, "If-Match")
		if (p == nil) != tt.ok || c.MatchStrong(`"3"`) != tt.strong || c.MatchWeak(`"3"`) != tt.weak || tt.ok != c.Given() {
			t.Errorf("%s: %+v %v", tt.value, c, p)
		}
	}
	flood, p := parseCondition(http.Header{"If-None-Match": {strings.Repeat(`"x", `, 100_000) + `"3"`}}, "If-None-Match")
	if p != nil || !flood.MatchWeak(`"3"`) {
		t.Error("flood")
	}

	f := newFixture(t)
	want{412, "precondition_failed"}.check(t, "GET If-Match", f.do("GET", "/v1/widget/wid_1", "", `If-Match: "2"`))
	want{412, "precondition_failed"}.check(t, "PATCH If-Match", f.do("PATCH", "/v1/widget/wid_1", "{}", `If-Match: "2"`))
	want{200, ""}.check(t, "PATCH If-Match", f.do("PATCH", "/v1/widget/wid_1", "{}", `If-Match: "2", "3"`))
	want{400, "invalid_header"}.check(t, "PATCH If-Match", f.do("PATCH", "/v1/widget/wid_1", "{}", `If-Match: 3`))
	w := f.do("GET", "/v1/widget/wid_1", "", `If-None-Match: W/"3"`)
	if w.Code != 304 || w.Body.Len() != 0 || w.Header().Get("ETag") != `"3"` || w.Header().Get("As-Of-Seq") != "9" {
		t.Errorf("If-None-Match: %d %v", w.Code, w.Header())
	}
}

func TestRequestIDAndTrace(t *testing.T) {
	for id, kept := range map[string]bool{"abc-1.2_3": true, strings.Repeat("a", 128): true, strings.Repeat("a", 129): false, "": false, "a b": false,
		"a\r\nSet-Cookie: x": false, "..": false, "a/b": false, strings.Repeat("a", 4096): false, "é": false} {
		f := newFixture(t)
		w := f.do("GET", "/v1/nothing", "", "X-Request-Id: "+id)
		got := w.Header().Get("X-Request-Id")
		if (got == id) != kept || !strings.Contains(w.Body.String(), `"instance":"/v1/requests/`+got+`"`) {
			t.Errorf("%.40q: %q\n%s", id, got, w.Body)
		}
	}
	good := "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for trace, kept := range map[string]bool{good: true, "cc" + good[2:] + "-more": true, good + "-more": false, "ff" + good[2:]: false,
		strings.ToUpper(good): false, "": false, "00-" + strings.Repeat("0", 32) + good[35:]: false, good[:36] + strings.Repeat("0", 16) + "-01": false} {
		if got := acceptedTrace(http.Header{"Traceparent": {trace}}); (got == trace && trace != "") != kept {
			t.Errorf("%s: %q", trace, got)
		}
	}
}

func TestPrefer(t *testing.T) {
	f := newFixture(t)
	for value, dry := range map[string]bool{"dry-run": true, "Dry-Run": true, "respond-async, dry-run": true, `foo="a,dry-run"`: false, "dry-runs": false,
		"return=minimal": false, `dry-run=""`: true, "dry-run; x=1": true} {
		w := f.do("POST", "/widget", goodBody, "Prefer: "+value)
		if f.call.DryRun != dry || (w.Header().Get("Preference-Applied") == "dry-run") != dry || (w.Code == 200) != dry {
			t.Errorf("%s: %v %d", value, f.call.DryRun, w.Code)
		}
	}
	want{400, "invalid_header"}.check(t, "with a value", f.do("POST", "/widget", goodBody, "Prefer: dry-run=false"))
	want{400, "invalid_header"}.check(t, "without dry run", f.do("POST", "/v1/widget/wid_1/extend", "", "Prefer: dry-run"))
	want{200, ""}.check(t, "on a read", f.do("GET", "/v1/widget/wid_1", "", "Prefer: dry-run"))
}

func TestCursor(t *testing.T) {
	f := newFixture(t)
	f.more = true
	page := func(target, token string) (*struct {
		HasMore    bool    `json:"has_more"`
		NextCursor *string `json:"next_cursor"`
	}, http.Header) {
		var p struct {
			HasMore    bool    `json:"has_more"`
			NextCursor *string `json:"next_cursor"`
		}
		w := f.do("GET", target, "", "Authorization: Bearer "+token)
		readJSON(t, w, &p)
		return &p, w.Header()
	}
	p, h := page("/widgets?limit=5&status=CREATED", "merchant")
	link := `</v1/widgets?cursor=` + *p.NextCursor + `&limit=5&status=CREATED>; rel="next"`
	if !p.HasMore || h.Get("Link") != link {
		t.Errorf("%v, Link %s", p, h.Get("Link"))
	}
	cursor := *p.NextCursor
	want{200, ""}.check(t, "next", f.do("GET", "/v2/widgets?limit=9&status=CREATED&cursor="+cursor, ""))
	at := Position{time.Date(2026, 3, 2, 14, 4, 5, 123456000, time.UTC), "wid_9"}
	if f.filter.After == nil || *f.filter.After != at {
		t.Errorf("after %v", f.filter.After)
	}
	bad := want{400, "invalid_cursor"}
	for name, query := range map[string]string{
		"other filter": "cursor=" + cursor, "more filters": "status=CREATED&company_id=4821073356&cursor=" + cursor, "empty": "status=CREATED&cursor=",
		"short": "status=CREATED&cursor=" + cursor[1:], "padded": "status=CREATED&cursor=" + cursor + "%3D", "line break": "status=CREATED&cursor=" + cursor + "%0A",
		"long": "status=CREATED&cursor=" + strings.Repeat("A", 10_000), "text": "status=CREATED&cursor=25",
	} {
		bad.check(t, name, f.do("GET", "/v1/widgets?"+query, ""))
	}
	bad.check(t, "other merchant", f.do("GET", "/v1/widgets?status=CREATED&cursor="+cursor, "", "Authorization: Bearer other"))
	bad.check(t, "operator", f.do("GET", "/v1/widgets?status=CREATED&cursor="+cursor, "", "Authorization: Bearer operator"))
	want{400, "invalid_parameter"}.check(t, "doubled", f.do("GET", "/v1/widgets?status=CREATED&cursor="+cursor+"&cursor="+cursor, ""))
	for i := range cursor {
		b := []byte(cursor)
		b[i] ^= 1
		bad.check(t, "changed", f.do("GET", "/v1/widgets?status=CREATED&cursor="+url.QueryEscape(string(b)), ""))
	}
	f.more = false
	if p, h := page("/widgets", "merchant"); p.HasMore || p.NextCursor != nil || h.Get("Link") != "" {
		t.Errorf("last page: %+v %s", p, h.Get("Link"))
	}
}

func FuzzCursor(f *testing.F) {
	key, scope := []byte(strings.Repeat("k", 32)), []byte("scope")
	f.Add(sealCursor(key, scope, Position{time.UnixMicro(1), "ord_1"}))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if p, ok := openCursor(key, scope, text); ok && sealCursor(key, scope, p) != text {
			t.Fatalf("%q opens as %v, which is written otherwise", text, p)
		}
		p := Position{time.UnixMicro(int64(len(text))).UTC(), text}
		if got, ok := openCursor(key, scope, sealCursor(key, scope, p)); len(text) < 300 && (!ok || got != p) {
			t.Fatalf("%v came back as %v", p, got)
		}
	})
}

func FuzzHeaders(f *testing.F) {
	for _, s := range []string{"abc", `"a\"b"`, "Bearer abc", `W/"3", *`, "dry-run", "a/b;q=1,*/*", "application/json; charset=utf-8"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if key, p := parseIdempotencyKey(http.Header{"Idempotency-Key": {s}}); p == nil && (key == "" || len(key) > 255 || !visibleASCII(key)) {
			t.Fatalf("key %q of %q", key, s)
		}
		if token, ok := bearerToken(http.Header{"Authorization": {s}}); ok && (token == "" || len(token) > 512 || !strings.HasSuffix(s, token) || !visibleASCII(token)) {
			t.Fatalf("token %q of %q", token, s)
		}
		if c, p := parseCondition(http.Header{"If-Match": {s}}, "If-Match"); (p == nil) != c.Given() {
			t.Fatalf("%q: %v %v", s, c, p)
		}
		if id := AcceptedRequestID(http.Header{"X-Request-Id": {s}}); id != "" && !visibleASCII(id) {
			t.Fatalf("request id %q", id)
		}
		negotiate(http.Header{"Accept": {s}}, []string{MediaJSON})
		ContentType(http.Header{"Content-Type": {s}}, []string{MediaJSON})
		if _, p := prefersDryRun(http.Header{"Prefer": {s}}); p != nil && !strings.Contains(strings.ToLower(s), "dry-run") {
			t.Fatalf("%q: %v", s, p)
		}
		acceptedTrace(http.Header{"Traceparent": {s}})
	})
}
