package contracttest

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// sweep makes every request of an operation that must be refused, and checks that none had an
// effect.
func (w *world) sweep(op *operation) {
	w.tb.Helper()
	r, body := w.good(op), any(nil)
	if op.body != nil {
		body = w.example(op)
	}
	lacking := w.lacking(op)
	before := w.state()
	w.strangers(r, lacking)
	w.media(r)
	w.queries(r)
	w.headers(r)
	w.methods(r)
	switch {
	case op.file:
	case op.form:
		w.forms(r)
	case op.method != http.MethodGet && op.method != http.MethodDelete:
		w.syntax(r)
		w.members(r, body)
	}
	if w.state() != before {
		w.tb.Errorf("%s %s: a request that was refused has had an effect", op.method, op.path)
	}
}

// refused makes a request that must be refused with a status and a code. Status 0 means any
// refusal of what is sent.
func (w *world) refused(r request, status int, code string) {
	w.tb.Helper()
	a := w.send(r)
	switch {
	case status == 0 && (a.status == 400 || a.status == 422):
	case r.op.form && a.status == 400 && a.code() == "invalid_request" && (status == 400 || status == 415):
	case a.status != status || a.code() != code:
		w.tb.Errorf("%s: %d %s, want %d %s\n%s", r, a.status, a.code(), status, code, clip([]byte(r.body)))
	case a.header.Get("Commit-Seq") != "":
		w.tb.Errorf("%s: it was decided, at %s", r, a.header.Get("Commit-Seq"))
	}
}

// strangers are callers without permission, each with an otherwise good request, and with a bad
// one.
func (w *world) strangers(r request, lacking string) {
	w.tb.Helper()
	if r.op.public || r.op.open {
		return
	}
	for _, broken := range []bool{false, true} {
		x := r
		if broken {
			x.query, x.media, x.object = "no_such_parameter=1", "text/plain", x.op.named(x.object, "nonsense")
		}
		for name, token := range map[string]string{"nobody": "", "a wrong token": "tnr_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "no token": "x", "a client secret": w.secret} {
			x.name, x.who = name, token
			w.refused(x, 401, "unauthorized")
		}
		x.name, x.who = "a token without the scope", lacking
		w.refused(x, 403, "insufficient_scope")
	}
	x := r
	x.name, x.who = "another merchant's token", "b"
	switch {
	case r.op.operator():
		w.refused(x, 403, "insufficient_scope")
	case slices.Contains(r.op.kinds, company):
		w.refused(x, 403, "company_not_linked")
	case r.op.kind != "":
		w.refused(x, 404, "not_found")
	}
	if r.op.kind != "" {
		for _, object := range []string{nobodys(r.op.kind), "nonsense", "1", strings.Repeat("x", 900), "..", "%2e%2e", "a%2fb", "%00"} {
			x.name, x.who, x.object = "no such object: "+clip([]byte(object)), r.who, r.op.named(r.object, object)
			w.refused(x, 404, "not_found")
		}
	}
	if outer, inner, ok := strings.Cut(r.object, "/"); ok {
		for _, object := range []string{nobodys(r.op.kinds[0]), "nonsense", outer + "0", strings.Repeat("x", 900), "..", "%00"} {
			x.name, x.object = "below no such object: "+clip([]byte(object)), object+"/"+inner
			w.refused(x, 404, "not_found")
		}
	}
}

// media are bodies of a media type that the operation does not accept.
func (w *world) media(r request) {
	w.tb.Helper()
	if r.op.method == http.MethodGet || r.op.method == http.MethodDelete {
		return
	}
	if r.body == "" {
		r.body = "{}"
	}
	for _, media := range []string{
		"text/plain", "application/xml", "multipart/form-data; boundary=x", "application/json; charset=utf-16", "application/jsonp", "json", "*/*",
		"application/json, text/plain", "application/octet-stream",
	} {
		r.name, r.media = "media type "+media, media
		w.refused(r, 415, "unsupported_media_type")
	}
	r.name, r.media, r.header = "no media type", "", [][2]string{{"Content-Type", ""}}
	w.refused(r, 415, "unsupported_media_type")
	for _, coding := range []string{"gzip", "br", "identity, gzip"} {
		r.name, r.media, r.header = "coding "+coding, "", [][2]string{{"Content-Encoding", coding}}
		w.refused(r, 415, "unsupported_media_type")
	}
	r.name, r.header = "two media types", [][2]string{{"Content-Type", "text/plain"}}
	w.refused(r, 415, "unsupported_media_type")
}

// queries are parameters that the operation does not have, and invalid values. An operation that
// ignored one would return more than was requested (A12).
func (w *world) queries(r request) {
	w.tb.Helper()
	if r.op.public {
		r.name, r.query = "a query", "scope=orders:read"
		w.refused(r, 400, "invalid_request")
		return
	}
	unknown := []string{"no_such=1", "Limit=1", "LIMIT=1", "sort=amount", "order=asc", "fields=key", "filter=1", "q=x", "offset=5", "page=2", "status[ne]=PAID", "limit[gt]=1", "%6Co=1", "access_token=x", "=1"}
	if r.op.parameter("query", "merchant_id") == nil {
		unknown = append(unknown, "merchant_id="+w.a)
	}
	for _, p := range r.op.Parameters {
		if p.Value.In != "query" || p.Value.Name == "cursor" {
			continue
		}
		name := p.Value.Name
		unknown = append(unknown, strings.ToUpper(name)+"=1", name+"s=1", name+"[]=1", name+"!=1", name+"__gt=1")
		for _, bad := range wrongValues(p.Value.Schema.Value, name, w.business()) {
			r.name, r.query = fmt.Sprintf("%s=%s", name, bad), name+"="+bad
			w.refused(r, 400, "invalid_parameter")
		}
		good := name + "=" + fmt.Sprint(least(p.Value.Schema.Value))
		r.name, r.query = name+" twice", good+"&"+good
		w.refused(r, 400, "invalid_parameter")
	}
	for _, q := range unknown {
		r.name, r.query = "unknown parameter "+q, q
		w.refused(r, 400, "unknown_parameter")
	}
	for _, q := range []string{"a=%zz", "a;b=1", "%", strings.Repeat("a&", 70)} {
		r.name, r.query = "broken query "+clip([]byte(q)), q
		w.refused(r, 400, "invalid_parameter")
	}
	if r.op.parameter("query", "cursor") != nil {
		for _, bad := range []string{"", "abc", "AQ", strings.Repeat("A", 60), strings.Repeat("A", 600), "%00", "a%0Ab", "../"} {
			r.name, r.query = "cursor "+bad, "cursor="+bad
			w.refused(r, 400, "invalid_cursor")
		}
	}
}

// wrongValues returns invalid values of a parameter, escaped for a query.
func wrongValues(s *openapi3.Schema, name string, now time.Time) []string {
	list := []string{"%00", "%ff", "%07", "a%E2%80%AEb"}
	switch {
	case has(s, "integer"):
		list = append(list, "", "x", "1.5", "01", "%2B1", "1e2", "0x1", "99999999999999999999", "-1", "%D9%A3", "1%20", "null")
		if s.Min != nil {
			list = append(list, fmt.Sprint(int(*s.Min)-1))
		}
		if s.Max != nil {
			list = append(list, fmt.Sprint(int(*s.Max)+1))
		}
	case has(s, "boolean"):
		list = append(list, "", "1", "TRUE", "yes", "null")
	case s.Format == "date":
		list = append(list, "", "today", "2026-02-30", "0000-01-01", "9999-01-01", "2026-1-1", "2026-01-01T00:00:00Z", "null")
	case s.Format == "date-time":
		list = append(list, "", "now", "2026-01-01", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00", "1767225600")
	case name == "as_of":
		list = append(list, "", "now", "yesterday", "2026-02-30", "2026-01-01T00:00:00", "2099-01-01", now.Format("2006-01-02"), now.UTC().Format(time.RFC3339), "-1", "5")
	case len(s.Enum) > 0:
		list = append(list, "NO_SUCH", "", fmt.Sprint(s.Enum[0])+",x", "*")
		if !lowerToo(s) {
			list = append(list, swapCase(fmt.Sprint(s.Enum[0])))
		}
	case s.Pattern != "":
		is := regexp.MustCompile(s.Pattern)
		for _, bad := range []string{"", "x", "*", "%25", "1", "'--", "12345678901", "0123456789"} {
			if !is.MatchString(bad) {
				list = append(list, bad)
			}
		}
	case s.MaxLength != nil:
		list = append(list, strings.Repeat("x", int(*s.MaxLength)+1))
		if s.MinLength > 0 {
			list = append(list, "")
		}
	}
	return list
}

// headers are invalid header values.
func (w *world) headers(r request) {
	w.tb.Helper()
	bad := map[string][]string{
		"Idempotency-Key": {"a b", strings.Repeat("k", 256), `"open`, `"a"b"`, "caf\u00e9", `""`, "a\tb", `"a\c"`},
		"If-Match":        {"1", `"a`, `"a" "b"`, "W/1", `*, "a"`, ",", `w/"a"`, "null"},
		"If-None-Match":   {"1", `"a`, `"a" "b"`, "W/1", `*, "a"`, ","},
		"Prefer":          {"dry-run=yes", "dry-run=1", "respond-async, dry-run=no", "Dry-Run=false"},
	}
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		if r.op.parameter("header", name) == nil && (name != "If-Match" || r.op.public) { // a condition is never ignored
			continue
		}
		for _, value := range bad[name] {
			r.name, r.header = "header "+name+": "+value, [][2]string{{name, value}}
			w.refused(r, 400, "invalid_header")
		}
	}
	if r.op.parameter("header", "Idempotency-Key") != nil {
		r.name, r.header = "two keys", [][2]string{{"Idempotency-Key", "a"}, {"Idempotency-Key", "b"}}
		w.refused(r, 400, "invalid_header")
	}
	if r.op.parameter("header", "Prefer") == nil && r.op.method != http.MethodGet && !r.op.public {
		r.name, r.header = "a dry run that there is not", [][2]string{{"Prefer", "dry-run"}}
		w.refused(r, 400, "invalid_header")
	}
	if !r.op.public {
		for _, accept := range r.op.unserved() {
			r.name, r.header = "Accept: "+accept, [][2]string{{"Accept", accept}}
			w.refused(r, 406, "not_acceptable")
		}
	}
}

// unserved returns values of Accept that no media type of the response matches.
func (op *operation) unserved() []string {
	refused := ""
	for _, form := range op.forms() {
		refused += form + ";q=0, "
	}
	list := []string{"application/xml", "image/png", "image/*", "application/json;q=0", strings.TrimSuffix(refused, ", "), refused + "*/*;q=0"}
	if !slices.ContainsFunc(op.forms(), func(s string) bool { return strings.HasPrefix(s, "text/") }) {
		list = append(list, "text/html", "text/*")
	}
	return list
}

// methods are methods that the path does not have.
func (w *world) methods(r request) {
	w.tb.Helper()
	have := w.c.doc.Paths.Find(r.op.path).Operations()
	for _, method := range []string{"PUT", "POST", "PATCH", "DELETE", "OPTIONS", "TRACE"} {
		if have[method] != nil {
			continue
		}
		r.name, r.method = "method "+method, method
		if a := w.send(r); r.op.public && a.status != http.StatusMethodNotAllowed || a.code() != "method_not_allowed" {
			w.tb.Errorf("%s: %d %s", r, a.status, a.code())
		}
	}
}

// forms are invalid forms.
func (w *world) forms(r request) {
	w.tb.Helper()
	for name, body := range map[string]string{
		"a member twice": r.body + "&" + strings.Split(r.body, "&")[0], "a broken escape": r.body + "&x=%zz", "nothing but the client": "client_id=" + w.client + "&client_secret=" + w.secret,
		"too long": r.body + "&x=" + strings.Repeat("y", 17<<10),
	} {
		r.name, r.body = name, body
		w.refused(r, 400, "invalid_request")
	}
}

// syntax are bodies that are not JSON, or not the single document required (A23).
func (w *world) syntax(r request) {
	w.tb.Helper()
	good := r.body
	if good == "" {
		good = "{}"
	}
	for name, body := range map[string]string{
		"a byte order mark": "\ufeff" + good, "two documents": good + good, "a second document": good + " {}", "a comma at the end": good + ",", "an end too many": good + "}",
		"a comment": "/* x */" + good, "a line comment": good + "// x", "cut": good[:len(good)-1], "null": "null", "white space": "  ", "text": "x", "one quote": `"`,
		"NUL":    good + "\x00",
		"UTF-16": "\xff\xfe{\x00}\x00", "a vertical tab": "\v" + good, "depth 100,000": strings.Repeat("[", 100_000),
	} {
		r.name, r.body = name, body
		w.refused(r, 400, "malformed_request")
	}
	w.brokenObjects(r, good)
	for name, body := range map[string]string{"a list": "[]", "a number": "1", "a text": `"x"`, "true": "true"} {
		if r.name, r.body = name, body; r.op.body != nil && r.op.body.Type.Is("array") && name == "a list" {
			continue
		}
		w.refused(r, 422, "validation_failed")
	}
}

// brokenObjects are malformed objects, alone or, where a list is required, in one.
func (w *world) brokenObjects(r request, good string) {
	w.tb.Helper()
	bodies := map[string]string{
		"NUL in a name": `{"a\u0000":1}`, "invalid UTF-8": "{\"\xff\":1}", "a lone surrogate": `{"\ud800":1}`, "an overlong slash": "{\"\xc0\xaf\":1}",
		"depth 33": strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33), "a name twice": `{"x":1,"x":1}`, "a name twice, once escaped": `{"x":1,"\u0078":1}`,
		"a raw line break": "{\"a\":\"b\nc\"}", "names without quotes": "{a:1}", "single quotes": "{'a':1}", "a trailing comma": `{"x":1,}`,
		"a number of 100,000 digits that does not end": `{"a":` + strings.Repeat("9", 100_000) + `e}`,
	}
	list := strings.HasPrefix(good, "[")
	if object := strings.TrimPrefix(good, "["); strings.HasPrefix(object, `{"`) {
		member := object[1:strings.IndexByte(object, ':')] + ":null"
		bodies["its first member twice"] = "{" + member + "," + strings.TrimSuffix(object, "]")[1:]
	}
	for name, body := range bodies {
		if r.name, r.body = name, body; list {
			r.body = "[" + body + "]"
		}
		w.refused(r, 400, "malformed_request")
	}
}

// members are wrong values for every member, missing members, and unknown members (A14, A21, A22,
// A27).
func (w *world) members(r request, body any) {
	w.tb.Helper()
	if r.op.body == nil {
		for _, body := range []string{`{"x":1}`, `{"status":"CAPTURED"}`, `{"amount":1}`} {
			r.name, r.body = "a body that it does not have", body
			w.refused(r, 400, "unknown_member")
		}
		return
	}
	try := func(name string, path []any, f fault) {
		r.name, r.body = fmt.Sprintf("%s: %s", place{path: path}, name), write(with(r.op.body, body, path, f.value))
		w.refused(r, f.status, f.code)
	}
	all := append([]place{{schema: r.op.body}}, places(r.op.body)...)
	for _, p := range all {
		if len(p.path) > 0 {
			for _, f := range faultsOf(p.schema) {
				try(f.name, p.path, f)
			}
		}
		if p.required {
			try("missing", p.path, invalid("", gone{}))
		}
		for _, name := range w.strange(r.op, p.schema) {
			try("unknown member", append(slices.Clone(p.path), name), fault{value: 1, status: 400, code: "unknown_member"})
		}
	}
}

// strange returns members that an object does not have: of the response, of other nouns, and its
// own in another spelling.
func (w *world) strange(op *operation, s *openapi3.Schema) []string {
	own := map[string]bool{}
	for _, b := range branches([]*openapi3.Schema{s}) {
		for name := range b.Properties {
			own[name] = true
		}
	}
	if len(own) == 0 {
		return nil
	}
	list := []string{"", "no_such_member", "__proto__", "capture_date", "merchant", "available", "captured_amount", "version", "created_at", "id", "key", "$ref"}
	for name := range own {
		list = append(list, strings.ToUpper(name), strings.ToUpper(name[:1])+name[1:], name+" ", name+"\u200b", strings.ReplaceAll(name, "s", "ſ"), strings.ReplaceAll(name, "k", "\u212a"))
	}
	if ok := op.Responses.Value("200"); ok != nil && ok.Value.Content[mediaJSON] != nil {
		for _, b := range branches([]*openapi3.Schema{ok.Value.Content[mediaJSON].Schema.Value}) {
			list = append(list, slices.Collect(maps.Keys(b.Properties))...)
		}
	}
	list = slices.DeleteFunc(list, func(name string) bool { return own[name] })
	slices.Sort(list)
	return slices.Compact(list)
}
