package sandboxui

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// calls gives the API a request log: the first call has a body with a masked part and a reused
// key, the others have neither.
func (a *api) calls(text string, n int, now time.Time) {
	list := []object{}
	for i := range n {
		id := fmt.Sprint("log_", i)
		x := object{
			"id": id, "request_id": fmt.Sprint("req_", i), "at": now.Add(-time.Minute), "duration_ms": 7, "operation": text, "method": "PATCH", "path": "/v1/order/ord_0", "query": "a=***",
			"status": 200 + i*100%400, "code": text, "client_id": "cli_0", "client_name": text, "idempotency_key": text, "replayed": true, "dry_run": true, "commit_seq": 9,
			"request":     object{"content_type": text, "size": 12, "body": object{"memo": "***", "amount": 12.5, "say": text}},
			"response":    object{"content_type": text, "size": 12, "body": object{"key": "ord_0", "status": text}},
			"idempotency": object{"first_seen_at": now.Add(-time.Hour), "first_request_id": "req_7", "replays": 2, "stored_status": 201, "differs": []string{text}},
		}
		if i > 0 {
			x["method"], x["idempotency"], x["idempotency_key"], x["code"], x["query"], x["replayed"], x["dry_run"] = "GET", nil, nil, nil, nil, false, false
			x["request"], x["response"] = object{"content_type": nil, "size": 0, "body": nil}, object{"content_type": text, "size": 99, "body": nil}
		}
		list = append(list, x)
		a.answers["GET /v1/requests/"+id] = x
	}
	a.answers["GET /v1/requests"] = object{"data": list, "next_cursor": text}
}

// The list passes its filters on, including the last day, and says what it leaves out.
func TestRequestFilters(t *testing.T) {
	s, a, _ := world(t, "plain", 2)
	in := enter(t, s)
	var asked []string
	s.config.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RawQuery)
		a.ServeHTTP(w, r)
	})
	page := call(s, "GET", "/sandbox/requests?status_class=4xx&operation=createOrder&from=2026-11-01&to=2026-11-02&nonsense=1", nil, in).Body.String()
	if want := "from=2026-11-01T00%3A00%3A00Z&limit=50&operation=createOrder&status_class=4xx&to=2026-11-03T00%3A00%3A00Z"; len(asked) != 1 || asked[0] != want {
		t.Errorf("asked %v, want %s", asked, want)
	}
	for _, want := range []string{`<option value="4xx" selected>`, `value="createOrder"`, `href="/sandbox/requests/log_0"`, "PATCH /v1/order/ord_0?a=***", "stored answer", "All requests", "cursor=plain"} {
		if !strings.Contains(page, want) {
			t.Errorf("the list is without %s", want)
		}
	}
	a.answers["GET /v1/requests"] = object{"data": []object{}}
	if page := call(s, "GET", "/sandbox/requests?method=PUT", nil, in).Body.String(); !strings.Contains(page, "No call is like that.") {
		t.Error("an empty list says nothing")
	}
	s.config.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, 400, object{"code": "invalid_parameter", "title": "A parameter is wrong."})
	})
	if w := call(s, "GET", "/sandbox/requests?operation=%C3%A4", nil, in); w.Code != 200 || !strings.Contains(w.Body.String(), "A parameter is wrong.") {
		t.Errorf("a filter that no call can have: %d", w.Code)
	}
}

// plainText returns the text of a page without its tags.
func plainText(page string) string {
	return html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, ""))
}

// The page of a call shows the history of its key, and the call as a command: with its own key
// only if its body is known.
func TestRequestPage(t *testing.T) {
	s, a, _ := world(t, "it's", 2)
	in := enter(t, s)
	page := func(id string) string {
		return plainText(call(s, "GET", "/sandbox/requests/"+id, nil, in).Body.String())
	}
	first := page("log_0")
	for _, want := range []string{
		"curl -X PATCH 'http://localhost:8080/v1/order/ord_0?a=***'", `-H "Authorization: Bearer $TENOR_TOKEN"`, `-H "Idempotency-Key: $(uuidgen)"`, "-H 'Prefer: dry-run'", `"say": "it'\''s"`,
		"given again 2 times", "Differs from the first one in:", "The answer is the stored one", "Orderit's", "number 9",
	} {
		if !strings.Contains(first, want) {
			t.Errorf("the page of the first is without %s:\n%s", want, first)
		}
	}
	if second := page("log_1"); !strings.Contains(second, "curl 'http://localhost:8080/v1/order/ord_0'") || strings.Contains(second, "Idempotency-Key") || !strings.Contains(second, "99 bytes. Bodies above") {
		t.Errorf("the page of the second says\n%s", second)
	}
	known := a.answers["GET /v1/requests/log_0"].(object)
	known["query"], known["request"] = nil, object{"content_type": "application/json", "size": 2, "body": object{"amount": 1}}
	if whole := page("log_0"); !strings.Contains(whole, `-H 'Idempotency-Key: it'\''s'`) || strings.Contains(whole, "uuidgen") || strings.Contains(whole, "Fill in what reads") {
		t.Errorf("a body that is known has another key:\n%s", whole)
	}
}

// A call is repeated with what was filled in, once per form, and with its own key only if
// requested; nothing is sent if parts are still masked, or if it would lead elsewhere.
func TestRequestIsRunAgain(t *testing.T) {
	s, a, _ := world(t, "plain", 2)
	in := enter(t, s)
	var made []string
	s.config.Run = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := r.Header
		made = append(made, strings.Join([]string{r.Method, r.URL.RequestURI(), h.Get("Content-Type"), h.Get("Idempotency-Key"), h.Get("Prefer"), h.Get("Authorization")}, " "))
		w.Header().Set("X-Request-Id", "req_8")
		refuse(w, 422, object{"code": "validation_failed"})
	})
	run := func(id string, form url.Values) *httptest.ResponseRecorder {
		return call(s, "POST", "/sandbox/requests/"+id+"/run", form, in)
	}
	form := func(key, target, body, same string) url.Values {
		return url.Values{"key": {key}, "target": {target}, "body": {body}, "same": {same}}
	}
	for _, x := range []struct{ key, target, body, says string }{
		{"1", "/v1/order/***", "{}", "Fill in what reads ***"}, {"2", "/v1/orders", `{"memo":"***"}`, "Fill in what reads ***"}, {"3", "http://elsewhere.example/v1/orders", "{}", "Type a path of the API"},
		{"4", "//elsewhere.example/v1", "{}", "Type a path of the API"}, {"5", "v1/orders", "{}", "Type a path of the API"}, {"6", "/v1/orders", "{", "The body is not JSON."},
	} {
		w := run("log_0", form(x.key, x.target, x.body, ""))
		page := call(s, "GET", "/sandbox/requests/log_0", nil, in).Body.String()
		if w.Header().Get("Location") != "/sandbox/requests/log_0#again" || !strings.Contains(page, x.says) || !strings.Contains(page, `value="`+x.target+`"`) {
			t.Errorf("%s with %s: %d to %s", x.target, x.body, w.Code, w.Header().Get("Location"))
		}
	}
	if len(made) > 0 {
		t.Fatalf("calls were made: %v", made)
	}
	run("log_0", form("7", "/v1/order/ord_0?a=1", "{}", ""))
	run("log_0", form("7", "/v1/order/ord_0?a=1", "{}", "")) // sent twice
	page := call(s, "GET", "/sandbox/requests/log_0", nil, in).Body.String()
	for _, want := range []string{"It was run again", "req_8", "validation_failed", ">422<"} {
		if !strings.Contains(page, want) {
			t.Errorf("the answer is without %s", want)
		}
	}
	if again := call(s, "GET", "/sandbox/requests/log_0", nil, in).Body.String(); strings.Contains(again, "It was run again") {
		t.Error("the answer is shown twice")
	}
	run("log_0", form("8", "/v1/order/ord_0", "{}", "yes"))
	run("log_1", form("9", "/v1/order/ord_0", "{}", ""))
	want := []string{
		"PATCH /v1/order/ord_0?a=1 plain screen-7 dry-run Bearer tnr_good", "PATCH /v1/order/ord_0 plain plain dry-run Bearer tnr_good", "GET /v1/order/ord_0    Bearer tnr_good",
	}
	if !slices.Equal(made, want) {
		t.Errorf("made\n%s\nwant\n%s", strings.Join(made, "\n"), strings.Join(want, "\n"))
	}
	a.answers["GET /v1/requests/log_1"].(object)["request"] = object{"content_type": "image/png", "size": 9, "body": nil}
	if w := run("log_1", form("10", "/v1/orders", "", "")); w.Code != http.StatusNotFound || len(made) != 3 {
		t.Errorf("a call whose body is not kept is made anew: %d", w.Code)
	}
}
