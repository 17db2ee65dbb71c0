package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"tenor/internal/edge/rest"
)

// reflected are texts that do harm when shown unescaped: on a terminal, on a page, in a
// header, in a log line, in a spreadsheet.
var reflected = []string{
	"\x1b[2J\x1b]0;x\x07", "\u009b31m", "\x7f", "\b\b\b", "\r\nSet-Cookie: x=y", "\nlevel=ERROR msg=forged", "\x00", "\u202ereversed", "\u200b\ufeff", "\u2028\u2029",
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg/onload=alert(1)>", "&lt;b&gt;", "{{.Secret}}", "${jndi:ldap://x}", "javascript:alert(1)", "=cmd|' /C calc'!A0",
	"../../etc/passwd", "' OR 1=1 --", "\xff\xfe", "😀", "%0d%0aX: y", "\\u001b[31m",
}

// harmless reports the first part of a text that would be displayed or obeyed differently
// than it reads. A text is one line.
func harmless(text string) string {
	if !utf8.ValidString(text) {
		return "no UTF-8"
	}
	for _, r := range text {
		if !unicode.IsGraphic(r) || r == '<' || r == '>' {
			return fmt.Sprintf("%U", r)
		}
	}
	return ""
}

// ours are words from the inside: of Go, of SQL, of this machine.
var ours = regexp.MustCompile(`(?i)\b(select|insert into|goroutine|panic|runtime error|nil pointer|json:|strconv|reflect|httpapi|credit\.|store\.|\.go:\d)|/root|/tmp|/var/|\*[a-z]+\.[A-Z]`)

// T30: an error never repeats any part of a request verbatim, wherever it came from, and
// reveals nothing of the internals. No log line is forged.
func TestNothingIsReflected(t *testing.T) {
	h := newHouse(t, func(c *rest.Config) { c.MaxFailures, c.MaxMisses = 1e6, 1e6 })
	endpoint, _ := h.endpoint("")
	seen := map[string]int{}
	look := func(what string, r reply) {
		if r.status >= 500 {
			t.Errorf("%s: %d %s", what, r.status, r.raw)
		}
		for name, values := range r.header {
			for _, v := range values {
				if name == "Link" { // its address is in angle brackets
					v = strings.NewReplacer("<", "", ">", "").Replace(v)
				}
				if bad := harmless(v); bad != "" || name == "Set-Cookie" || name == "X" {
					t.Errorf("%s: header %s: %q, %s", what, name, v, bad)
				}
			}
		}
		if r.status < 400 {
			return // successful calls are checked by what was sent
		}
		var p map[string]any
		if bad := harmless(r.raw); bad != "" || ours.MatchString(r.raw) || json.Unmarshal([]byte(r.raw), &p) != nil {
			t.Errorf("%s: %d %q: %s %s", what, r.status, r.raw, bad, ours.FindString(r.raw))
		}
		if strings.Contains(r.raw, "mark") {
			t.Errorf("%s: the value comes back: %s", what, r.raw)
		}
		seen[r.code()]++
	}
	for _, bad := range reflected {
		value, err := json.Marshal("mark" + bad)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.Replace(string(value), "mark", "", 1) // members' names are repeated, values never
		order := fmt.Sprintf(`{"company_id":%d,"amount":1`, h.company)
		for _, body := range []string{
			order + `,` + name + `:1}`, order + `,"metadata":{` + name + `:` + name + `,` + name + `:1}}`, order + `,` + name + `:1,` + name + `:2}`, order + `,"status":` + string(value) + `}`,
			order + `,"merchant_order_id":` + string(value) + `,"installments":0}`, `{"company_id":` + string(value) + `,"amount":` + string(value) + `}`, order + `} mark` + bad, "mark" + bad,
			order + `,"cart_items":[{` + name + `:{}}],"shipping_address":{` + name + `:[]}}`,
		} {
			look("body "+body, h.call("a", "POST", "/order", body))
		}
		for target, body := range map[string]string{
			"/v1/webhooks": `{"url":` + string(value) + `,"event_types":[` + string(value) + `]}`, "/v1/webhooks/" + endpoint + "/replay": `{"from":` + string(value) + `,"to":` + string(value) + `}`,
			"/v1/reconciliations": `[{` + name + `:1}]`, "/payment": `{"order_key":` + string(value) + `,"amount":1,"method":` + string(value) + `}`,
		} {
			look(target+" "+body, h.call("a", "POST", target, body))
		}
		look("client "+string(value), h.call("ops", "POST", "/v1/operator/clients", `{"name":"x","scopes":[`+string(value)+`]}`))
		list := "mark" + bad + ",1,CREATED\n"
		look("CSV", h.call("a", "POST", "/v1/reconciliations", list, "Content-Type", "text/csv"))
		look("CSV row", h.call("a", "POST", "/v1/reconciliations", "merchant_order_id,amount,status\n"+list+"x,mark"+bad+",mark"+bad+"\n", "Content-Type", "text/csv"))
		escaped := url.QueryEscape("mark" + bad)
		for _, target := range []string{
			"/v1/orders?" + url.QueryEscape(bad) + "=1", "/v1/orders?status=" + escaped, "/v1/orders?cursor=" + escaped, "/v1/orders?limit=" + escaped, "/v1/orders?merchant_order_id=" + escaped + "&limit=1",
			"/v1/order/" + url.PathEscape("mark"+bad), "/v1/" + url.PathEscape("mark"+bad), "/v1/companies/" + escaped, "/v1/order/ord_1?as_of=" + escaped,
		} {
			look(target, h.call("a", "GET", target, ""))
		}
		for _, header := range []string{"Idempotency-Key", "If-Match", "If-None-Match", "Prefer", "X-Request-Id", "Traceparent", "Accept", "Content-Type", "Content-Encoding", "Authorization", "X-Forwarded-For", "Host"} {
			look("header "+header, h.call("a", "POST", "/order", order+`,"status":"NO"}`, header, "mark"+bad))
			look("header "+header, h.call("a", "GET", "/v1/orders", "", header, "00-"+strings.Repeat("1", 32)+"-"+strings.Repeat("1", 16)+"-00-"+bad))
		}
		for _, form := range []string{
			"grant_type=" + escaped, "grant_type=client_credentials&scope=" + escaped, "grant_type=client_credentials&client_id=" + escaped + "&client_secret=" + escaped, url.QueryEscape(bad) + "=" + escaped, "mark" + bad,
		} {
			look("form "+form, h.form("/oauth/token", form))
		}
	}
	for line := range strings.Lines(h.log.String()) {
		if bad := harmless(strings.TrimSuffix(line, "\n")); bad != "" || !strings.HasPrefix(line, "time=") || strings.Contains(line, "mark") {
			t.Errorf("a line of the log: %q %s", line, bad)
		}
	}
	for _, code := range []string{"malformed_request", "malformed_csv", "unknown_member", "unknown_parameter", "invalid_parameter", "invalid_header", "invalid_cursor", "unauthorized", "not_found", "validation_failed", "unsupported_media_type"} {
		if seen[code] == 0 {
			t.Errorf("no answer was %s: %v", code, seen)
		}
	}
}

// What a caller sends directly over the wire, bypassing a library, is not reflected either:
// a request ID is accepted only if it is harmless.
func TestRequestIDsAreHarmless(t *testing.T) {
	h := newHouse(t)
	for _, bad := range append(reflected, strings.Repeat("x", 129), "", "a b", `"x"`) {
		r := httptest.NewRequest(http.MethodGet, "/v1/orders", nil)
		r.Header["X-Request-Id"] = []string{bad}
		w := httptest.NewRecorder()
		h.api.ServeHTTP(w, r)
		if id := w.Header().Get("X-Request-Id"); !strings.HasPrefix(id, "req_") || !strings.Contains(w.Body.String(), id) {
			t.Errorf("%q: %s %s", bad, id, w.Body)
		}
	}
}
