package sandboxui

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/docs"
	"tenor/internal/proof/webtest"
	"tenor/internal/ui/design"
)

const base = "http://localhost:8080"

// api is an API with the responses of a test.
type api struct {
	answers map[string]any // by method and path
	asked   []string       // method, path and body
	keys    []string       // Idempotency-Keys
	tokens  map[string]bool
	problem map[string]any // returned for any POST if not nil
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	text, _ := json.Marshal(body)
	if !a.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] {
		refuse(w, 401, map[string]any{"code": "unauthorized", "title": "No."})
		return
	}
	if r.Method != http.MethodGet {
		a.asked = append(a.asked, r.Method+" "+r.URL.Path+" "+string(text))
		a.keys = append(a.keys, r.Header.Get("Idempotency-Key"))
		if a.problem != nil {
			refuse(w, 422, a.problem)
			return
		}
	}
	x, found := a.answers[r.Method+" "+r.URL.Path]
	if !found {
		refuse(w, 404, map[string]any{"code": "not_found", "title": "There is no such resource."})
		return
	}
	if many, found := x.(lines); found {
		for _, l := range many {
			_ = json.NewEncoder(w).Encode(l)
		}
		return
	}
	_ = json.NewEncoder(w).Encode(x)
}

// lines is a response with one object per line.
type lines []object

func refuse(w http.ResponseWriter, status int, problem map[string]any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(problem)
}

type object = map[string]any

type raw = json.RawMessage

// world is screens with an API that has n of everything, and text everywhere.
func world(t *testing.T, text string, n int) (*Screens, *api, *time.Time) {
	t.Helper()
	now := time.Date(2026, 11, 2, 15, 0, 0, 0, time.UTC)
	receivers, deliveries, waiting, mail := []object{}, []object{}, []object{}, []object{}
	a := &api{answers: map[string]any{}, tokens: map[string]bool{"tnr_good": true, "tnr_linked": true}}
	for i := range n {
		name := fmt.Sprint("r", i)
		receivers = append(receivers, object{"name": name, "url": text, "behavior": "busy", "retry_after": 7, "times": 3, "webhook_ids": []string{"whk_" + name}, "kept": 2})
		d := object{
			"id": fmt.Sprint("rcv_", i), "received_at": now.Add(-time.Minute), "behavior": text, "event_id": "evt_" + text, "event_type": text, "body": text, "size": len(text),
			"headers": []object{{"name": text, "value": text}}, "check": object{"verdict": text, "steps": []object{
				{"name": "timestamp", "ok": true, "text": text, "value": text}, {"name": "given", "ok": false, "text": text}}},
		}
		deliveries = append(deliveries, d)
		w := object{"id": fmt.Sprint("dlv_", i), "event_id": text, "event_type": text, "attempts_made": 2, "next_attempt_at": now.Add(time.Hour), "last_error": text}
		if i%2 == 1 {
			w["next_attempt_at"] = nil // it is being attempted
		}
		waiting = append(waiting, w)
		mail = append(mail, object{"id": fmt.Sprint("mail_", i), "to": text, "name": text, "subject": text, "date": now, "object": object{"type": text, "id": text}, "text": text, "html": "<p>x</p>"})
		a.answers["GET /v1/sandbox/receivers/r0/deliveries/"+fmt.Sprint("rcv_", i)] = d
		a.answers["GET /v1/sandbox/mail/"+fmt.Sprint("mail_", i)] = mail[i]
	}
	a.answers["GET /v1/sandbox/receivers"] = object{"data": receivers}
	a.answers["GET /v1/sandbox/receivers/r0/deliveries"] = object{"data": deliveries}
	a.answers["GET /v1/webhooks/whk_r0/deliveries"] = object{"data": waiting, "has_more": n > 9}
	a.answers["GET /v1/webhooks"] = object{"data": []object{{"id": "whk_r0"}}[:min(n, 1)]}
	copies := []object{}
	for i := range n {
		copies = append(copies, object{"id": fmt.Sprint("snp_", i), "name": []any{text, nil}[i%2], "created_at": now.Add(-time.Hour), "clock": now, "size": 1228800})
	}
	a.answers["GET /v1/sandbox/snapshots"] = object{"data": copies}
	stories := []object{}
	for i := range n {
		stories = append(stories, object{"name": fmt.Sprint("s", i), "purpose": text})
	}
	a.answers["GET /v1/sandbox/scenarios"] = object{"data": stories}
	a.calls(text, n, now)
	orders, companies, events := []object{}, []object{}, []object{}
	for i := range n {
		key, company := fmt.Sprint("ord_", i), fmt.Sprint(1000000000+i)
		orders = append(orders, object{"key": key, "company_id": 1000000000 + i, "merchant_order_id": text, "status": text, "financing_status": text, "amount": 1200.5, "checkout_id": "chk_1", "note": text})
		companies = append(companies, object{"id": company, "name": text, "status": text, "credit_line": object{"limit": 25000, "available": 100.25}})
		events = append(events, object{"request": object{"id": "req_0"}, "type": text, "created_at": now.AddDate(0, 0, i-n), "object": object{"type": "order", "id": key}, "data": object{"object": object{"merchant_order_id": text, "amount": 7, "installment": object{"number": 2, "amount": 207.06}}}})
		a.answers["GET /v1/order/"+key], a.answers["GET /v2/companies/"+company] = orders[i], companies[i]
		a.answers["GET /v1/order/"+key+"/events"] = object{"data": events}
	}
	a.answers["GET /v1/orders"], a.answers["GET /v1/companies"], a.answers["GET /v1/events"] = object{"data": orders}, object{"data": companies}, object{"data": events}
	a.answers["POST /v1/sandbox/scenarios/failing/run"] = lines{
		object{"say": text, "method": text, "path": text, "as": text, "status": 200, "event": text},
		object{"say": text, "method": text, "path": text, "as": text, "status": 201, "step": 1, "at": now, "answer": object{"key": "ord_7", "merchant_order_id": text, "status": text, "amount": 1200}},
		object{"say": text, "method": text, "path": text, "as": text, "status": 422, "step": 2, "at": now, "answer": object{"code": text}},
		object{"method": text, "path": text, "as": text, "status": 200, "answer": object{"data": []object{{"id": "pay_7", "order_key": "ord_7", "amount": 207.06, "status": text}}}},
		object{"passed": false, "differences": []object{{"what": text, "expected": text, "got": text}}},
	}
	a.answers["POST /v1/sandbox/scenarios/passing/run"] = lines{object{"say": text}, object{"passed": true, "differences": []object{}}}
	a.answers["GET /v1/sandbox/mail"] = object{"data": mail, "next_cursor": text}
	s, err := New(Config{
		API: a, Run: a, BaseURL: base, Version: text, Docs: docs.Files, Zone: time.UTC, Now: func() time.Time { return now },
		Clock: func(context.Context) (Clock, error) {
			return Clock{Now: now, Frozen: n == 1, Advancing: n > 1, DaysDone: 1, DaysTotal: 2, NextAt: now, Next: text}, nil
		},
		Token: func(context.Context) (string, error) { return "tnr_linked", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, a, &now
}

func call(s *Screens, method, target string, form url.Values, cookies []*http.Cookie, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, base+target, strings.NewReader(form.Encode()))
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, c := range cookies {
		r.AddCookie(c)
	}
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func enter(t *testing.T, s *Screens) []*http.Cookie {
	t.Helper()
	w := call(s, "POST", "/sandbox/enter", url.Values{"token": {"tnr_good"}}, nil)
	if w.Code != http.StatusSeeOther {
		t.Fatalf("the door stays shut: %d %s", w.Code, w.Body)
	}
	return w.Result().Cookies()
}

// played plays a scenario to its end, and returns its page.
func played(t *testing.T, s *Screens, name string, in []*http.Cookie) string {
	t.Helper()
	at := call(s, "POST", "/sandbox/scenarios/"+name+"/run", url.Values{"key": {"play " + name}}, in).Header().Get("Location")
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if page := call(s, "GET", at, nil, in).Body.String(); !strings.Contains(page, "Reload this page") {
			return page
		}
	}
	t.Fatal("it never ends")
	return ""
}

// pages requests every page, as a signed-in visitor and as others, and the messages of refused
// forms.
func pages(t *testing.T, s *Screens, a *api, n int) map[string]string {
	t.Helper()
	out := map[string]string{}
	out["enter"] = call(s, "GET", "/sandbox/enter", nil, nil).Body.String()
	out["enter by link"] = call(s, "GET", "/sandbox/enter/"+url.PathEscape("a code"), nil, nil).Body.String()
	out["shut"] = call(s, "POST", "/sandbox/enter", url.Values{"token": {"wrong"}}, nil).Body.String()
	in := enter(t, s)
	list := []string{"/sandbox", "/sandbox/events", "/sandbox/events?from=2026-10-01", "/sandbox/objects/nothing/x", "/sandbox/webhooks", "/sandbox/mail", "/sandbox/snapshots", "/sandbox/requests", "/sandbox/requests?client_id=cli_0", "/sandbox/requests/req_99", "/sandbox/scenarios", "/sandbox/nowhere", "/sandbox/webhooks/nobody"}
	for _, name := range []string{"passing", "failing", "unknown"} {
		out["play "+name] = played(t, s, name, in)
	}
	for _, kind := range []string{"order/ord_7", "payment/pay_7", "order/pay_7", "order/ord_9"} {
		at := s.plays.list[1].id // failing
		out["seen "+kind] = call(s, "GET", "/sandbox/scenarios/"+at+"/"+kind, nil, in).Body.String()
	}
	if n > 0 {
		list = append(list, "/sandbox/objects/order/ord_0", "/sandbox/objects/company/1000000000", "/sandbox/objects/payment/pay_0", "/sandbox/webhooks/r0", "/sandbox/webhooks/r0/rcv_0", "/sandbox/mail/mail_0", "/sandbox/requests/log_0", "/sandbox/requests/log_1")
	}
	for _, at := range list {
		out[at] = call(s, "GET", at, nil, in).Body.String()
	}
	if n > 0 {
		a.answers["POST /v1/sandbox/receivers/r0/deliveries/rcv_0/check"] = a.answers["GET /v1/sandbox/receivers/r0/deliveries/rcv_0"]
		call(s, "POST", "/sandbox/webhooks/r0/rcv_0/check", url.Values{"key": {"c"}, "secret": {"whsec_typed"}}, in)
		out["own check"] = call(s, "GET", "/sandbox/webhooks/r0/rcv_0", nil, in).Body.String()
		a.answers["PATCH /v1/order/ord_0"] = a.answers["GET /v1/order/ord_0"]
		call(s, "POST", "/sandbox/requests/log_0/run", url.Values{"key": {"e"}, "target": {"/v1/order/ord_0"}, "body": {"{}"}}, in)
		out["ran"] = call(s, "GET", "/sandbox/requests/log_0", nil, in).Body.String()
		call(s, "POST", "/sandbox/requests/log_0/run", url.Values{"key": {"f"}, "target": {"/v1/order/***"}, "body": {"{}"}, "same": {"yes"}}, in)
		out["not run"] = call(s, "GET", "/sandbox/requests/log_0", nil, in).Body.String()
		out["refused"] = call(s, "POST", "/sandbox/webhooks/r0/rcv_99/redeliver", url.Values{"key": {"d"}}, in).Body.String()
	}
	return out
}

// read parses a page without the design's script files, which it must do without.
func read(t *testing.T, s *Screens, page string) []webtest.Element {
	t.Helper()
	return webtest.Read(t, webtest.WithoutScripts(page, s.site.assets.Docs, s.site.assets.Copy))
}

// The pages with nothing, one and many are valid, and every template is used.
func TestPages(t *testing.T) {
	for _, n := range []int{0, 1, 30} {
		s, a, _ := world(t, "plain", n)
		for at, page := range pages(t, s, a, n) {
			all := read(t, s, page)
			webtest.CheckSafe(t, at, all)
			webtest.CheckForm(t, at, all)
			webtest.CheckClasses(t, at, all, string(s.site.assets.Files[s.site.assets.CSS].Body))
			if !strings.Contains(page, "The sandbox’s clock shows") && !(at == "/sandbox" && strings.Contains(page, "Business time")) || strings.Contains(page, "tnr_") || strings.Contains(page, "whsec_typed") {
				t.Errorf("%s: without the clock, or with a secret", at)
			}
		}
	}
	used := []string{"", "top", "bottom", "headline", "said", "bar", "days", "document", "stories", "play-rows", "verdict", "instant", "required", "enter", "failure", "refusal", "home", "home-list", "related", "snapshots", "events", "object", "hooks", "hook", "delivery", "mail", "message", "scenarios", "play", "requests", "request", "request-body", "request-key", "request-again", "request-missing"}
	parts, err := design.Parts(design.English)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts.Templates() { // covered by the design's own tests
		used = append(used, p.Name())
	}
	s, _, _ := world(t, "plain", 1)
	for _, x := range s.site.templates.Templates() {
		if !slices.Contains(used, x.Name()) && !strings.HasSuffix(x.Name(), ".html") && !strings.HasPrefix(x.Name(), "text ") {
			t.Errorf("no page is made with the template %s", x.Name())
		}
	}
}

// Hostile text changes no tag of any page (A43).
func TestHostileText(t *testing.T) {
	s, a, _ := world(t, "harmless text", 2)
	want := map[string]string{}
	for at, page := range pages(t, s, a, 2) {
		want[at] = webtest.Skeleton(read(t, s, page))
	}
	for i, text := range webtest.Hostile() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			s, a, _ := world(t, text, 2)
			for at, page := range pages(t, s, a, 2) {
				all := read(t, s, page)
				webtest.CheckSafe(t, at, all)
				if got := webtest.Skeleton(all); got != want[at] {
					t.Errorf("%s: %q changes the tags: %s", at, text, webtest.Difference(got, want[at]))
				}
				if strings.Contains(page, "ZgotmplZ") {
					t.Errorf("%s: a value was refused by the template", at)
				}
			}
		})
	}
}

// Every response has the security headers, whatever it is, and requests from other sites are
// rejected.
func TestHeaders(t *testing.T) {
	s, _, _ := world(t, "plain", 1)
	in := enter(t, s)
	cross := func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }
	rebound := func(r *http.Request) { r.Host = "evil.example:8080" }
	for _, x := range []struct {
		method, path string
		change       func(*http.Request)
		status       int
	}{
		{"GET", "/sandbox/webhooks", nil, 200}, {"HEAD", "/sandbox/webhooks", nil, 200}, {"GET", "/sandbox", nil, 200}, {"GET", "/sandbox/events", nil, 200}, {"GET", "/sandbox/objects/order/ord_0", nil, 200},
		{"GET", "/sandbox/nowhere", nil, 404}, {"GET", "/sandbox/webhooks/nobody", nil, 404}, {"GET", "/sandbox/mail/nothing", nil, 404},
		{"POST", "/sandbox/mail", nil, 405}, {"DELETE", "/sandbox/webhooks", nil, 405}, {"GET", "/sandbox/clock", nil, 405},
		{"POST", "/sandbox/webhooks", cross, 403}, {"POST", "/sandbox/enter", cross, 403}, {"GET", "/sandbox/webhooks", rebound, 421},
		{"GET", "/sandbox/requests/log_0", nil, 200}, {"GET", "/sandbox/requests/log_99", nil, 404}, {"POST", "/sandbox/requests/log_0/run", cross, 403}, {"POST", "/sandbox/requests/log_0/run", nil, 400},
		{"POST", "/sandbox/clock", nil, 400}, {"GET", "/sandbox/mail/mail_0/html", nil, 200}, {"GET", "/sandbox/%2e%2e/x", nil, 301},
	} {
		var change []func(*http.Request)
		if x.change != nil {
			change = append(change, x.change)
		}
		var form url.Values
		if x.method == "POST" {
			form = url.Values{}
		}
		w := call(s, x.method, x.path, form, in, change...)
		h := w.Header()
		policy := policy().Policy()
		if strings.HasSuffix(x.path, "/html") {
			policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; sandbox"
		}
		if w.Code != x.status && !(x.status == 301 && w.Code >= 300) || h.Get("Content-Security-Policy") != policy || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" ||
			h.Get("Referrer-Policy") != "same-origin" || h.Get("Cross-Origin-Opener-Policy") != "same-origin" {
			t.Errorf("%s %s: %d, want %d, %v", x.method, x.path, w.Code, x.status, h)
		}
	}
	if w := call(s, "GET", s.site.assets.CSS, nil, nil); w.Code != 200 || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("the stylesheet: %d %v", w.Code, w.Header())
	}
	if w := call(s, "POST", "/sandbox/enter", url.Values{"token": {strings.Repeat("x", maxForm)}}, nil); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a large form: %d", w.Code)
	}
}

// A visitor who has not entered sees nothing. A link can be used once, within half an hour; a
// session ends after the same time, whatever the sandbox's clock shows, or when the visitor
// leaves.
func TestTheDoor(t *testing.T) {
	s, a, now := world(t, "plain", 1)
	for _, at := range []string{"/sandbox", "/sandbox/events", "/sandbox/objects/order/ord_0", "/sandbox/webhooks", "/sandbox/webhooks/r0", "/sandbox/webhooks/r0/rcv_0", "/sandbox/mail", "/sandbox/mail/mail_0", "/sandbox/mail/mail_0/html", "/sandbox/snapshots"} {
		for _, cookies := range [][]*http.Cookie{nil, {{Name: s.cookie, Value: "guessed"}}} {
			w := call(s, "GET", at, nil, cookies)
			if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/sandbox/enter?to="+url.QueryEscape(at) {
				t.Errorf("%s: %d to %s", at, w.Code, w.Header().Get("Location"))
			}
		}
	}
	for _, at := range []string{"/sandbox/webhooks", "/sandbox/webhooks/r0/now", "/sandbox/webhooks/r0/rcv_0/send", "/sandbox/clock", "/sandbox/token", "/sandbox/reset", "/sandbox/snapshots"} {
		if w := call(s, "POST", at, url.Values{"key": {"k"}}, nil); w.Code != http.StatusSeeOther || len(a.asked) != 0 {
			t.Errorf("%s: %d, asked %v", at, w.Code, a.asked)
		}
	}
	code := strings.TrimPrefix(s.Link(base), base+"/sandbox/enter/")
	call(s, "GET", "/sandbox/enter/"+code, nil, nil) // looking does not consume it
	use := func(code string) *httptest.ResponseRecorder {
		return call(s, "POST", "/sandbox/enter", url.Values{"code": {code}, "to": {"//evil.example/"}}, nil)
	}
	w := use(code)
	in := w.Result().Cookies()
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/sandbox" || len(in) != 1 || !in[0].HttpOnly || in[0].SameSite != http.SameSiteStrictMode || in[0].Path != "/sandbox" {
		t.Fatalf("%d to %s, %v", w.Code, w.Header().Get("Location"), in)
	}
	if strings.Contains(in[0].Value, "tnr_") {
		t.Error("the cookie has the token")
	}
	if w := use(code); w.Code != http.StatusForbidden || len(w.Result().Cookies()) != 0 {
		t.Errorf("the link works twice: %d", w.Code)
	}
	old := strings.TrimPrefix(s.Link(base), base+"/sandbox/enter/")
	*now = now.Add(29 * time.Minute)
	if w := call(s, "GET", "/sandbox/webhooks", nil, in); w.Code != http.StatusOK {
		t.Errorf("after 29 minutes: %d", w.Code)
	}
	*now = now.Add(time.Minute)
	if w := call(s, "GET", "/sandbox/webhooks", nil, in); w.Code != http.StatusSeeOther {
		t.Errorf("after half an hour: %d", w.Code)
	}
	if w := use(old); w.Code != http.StatusForbidden {
		t.Errorf("an old link: %d", w.Code)
	}
	in = enter(t, s)
	call(s, "POST", "/sandbox/leave", url.Values{}, in)
	if w := call(s, "GET", "/sandbox/webhooks", nil, in); w.Code != http.StatusSeeOther {
		t.Errorf("after leaving: %d", w.Code)
	}
	in = enter(t, s)
	a.tokens = map[string]bool{} // it was revoked
	for range 2 {
		if w := call(s, "GET", "/sandbox/webhooks", nil, in); w.Code != http.StatusSeeOther {
			t.Errorf("with a token that has ended: %d", w.Code)
		}
	}
	for _, token := range []string{"", "a\nb", "é", "tnr_bad"} {
		if w := call(s, "POST", "/sandbox/enter", url.Values{"token": {token}}, nil); w.Code != http.StatusForbidden || len(w.Result().Cookies()) != 0 {
			t.Errorf("%q: %d", token, w.Code)
		}
	}
}

// The page of a scenario shows how it ended, or why it was not played; no other session sees it.
func TestScenarios(t *testing.T) {
	s, _, _ := world(t, "plain", 1)
	in := enter(t, s)
	for name, want := range map[string]string{"passing": "Every check holds", "failing": "The result is not what the scenario expects", "unknown": "not_found"} {
		if page := played(t, s, name, in); !strings.Contains(page, want) {
			t.Errorf("%s: %s", name, page)
		}
	}
	at := call(s, "POST", "/sandbox/scenarios/passing/run", url.Values{"key": {"once more"}}, in).Header().Get("Location")
	if w := call(s, "GET", at, nil, enter(t, s)); w.Code != http.StatusNotFound {
		t.Errorf("another session: %d", w.Code)
	}
}

// A form takes effect once, however often it is submitted; a refused one comes back with what was
// entered, except for secrets.
func TestForms(t *testing.T) {
	s, a, _ := world(t, "plain", 1)
	in := enter(t, s)
	for _, at := range []string{"webhooks", "sandbox/receivers/new", "sandbox/receivers/r0", "webhooks/whk_r0/test", "sandbox/deliveries/dlv_1/send-now", "deliveries/dlv_0/redeliver",
		"sandbox/clock/advance", "sandbox/clock/freeze", "sandbox/clock/resume", "sandbox/snapshots", "sandbox/snapshots/snp_0/restore", "sandbox/reset"} {
		a.answers["POST /v1/"+at] = object{}
	}
	a.answers["POST /v1/sandbox/receivers/r0/send"] = object{"id": "rcv_0"}
	for i, x := range []struct {
		path string
		form url.Values
		want string // requested from the API
		to   string
	}{
		{"webhooks", url.Values{"name": {"new"}}, `POST /v1/sandbox/receivers/new {"behavior":"accept"};POST /v1/webhooks {"description":"receiver of the sandbox","url":"http://localhost:8080/sandbox/receive/new"}`, "/sandbox/webhooks/new"},
		{"webhooks/r0/behavior", url.Values{"behavior": {"busy"}, "retry_after": {"9"}, "times": {"2"}}, `POST /v1/sandbox/receivers/r0 {"behavior":"busy","retry_after":9,"times":2}`, "/sandbox/webhooks/r0"},
		{"webhooks/r0/test", url.Values{}, `POST /v1/webhooks/whk_r0/test {}`, "/sandbox/webhooks/r0"},
		{"webhooks/r0/now", url.Values{"delivery": {"dlv_1"}}, `POST /v1/sandbox/deliveries/dlv_1/send-now {}`, "/sandbox/webhooks/r0"},
		{"webhooks/r0/rcv_0/redeliver", url.Values{}, `POST /v1/deliveries/dlv_0/redeliver {}`, "/sandbox/webhooks/r0"},
		{"webhooks/r0/rcv_0/send", url.Values{"id": {"evt_1"}, "body": {"a\r\nb"}, "timestamp": {" 7 "}}, `POST /v1/sandbox/receivers/r0/send {"body":"a\nb","id":"evt_1","timestamp":"7"}`, "/sandbox/webhooks/r0/rcv_0"},
		{"clock", url.Values{"act": {"week"}, "back": {"/sandbox/mail"}}, `POST /v1/sandbox/clock/advance {"duration":"168h0m0s"}`, "/sandbox/mail"},
		{"clock", url.Values{"act": {"next"}, "back": {"https://evil.example/"}}, `POST /v1/sandbox/clock/advance {"until":"next_event"}`, "/sandbox"},
		{"clock", url.Values{"act": {"freeze"}, "back": {"/sandbox/../x"}}, `POST /v1/sandbox/clock/freeze {}`, "/sandbox"},
		{"clock", url.Values{"act": {"to"}, "to": {"2026-12-24"}, "back": {"/sandbox"}}, `POST /v1/sandbox/clock/advance {"to":"2026-12-24T15:00:00Z"}`, "/sandbox"},
		{"clock", url.Values{"act": {"to"}, "to": {"tomorrow"}, "back": {"/sandbox"}}, "", "/sandbox"},
		{"snapshots", url.Values{"name": {" before "}}, `POST /v1/sandbox/snapshots {"name":"before"}`, "/sandbox/snapshots"},
		{"snapshots", url.Values{"name": {""}}, `POST /v1/sandbox/snapshots {}`, "/sandbox/snapshots"},
		{"snapshots/snp_0/restore", url.Values{}, `POST /v1/sandbox/snapshots/snp_0/restore {}`, "/sandbox"},
		{"reset", url.Values{"word": {"Reset it"}}, "", "/sandbox/snapshots"},
		{"reset", url.Values{"word": {"reset"}}, `POST /v1/sandbox/reset {"seed":true}`, "/sandbox"},
	} {
		a.asked, a.keys = nil, nil
		x.form.Set("key", fmt.Sprint("key", i))
		for range 2 {
			w := call(s, "POST", "/sandbox/"+x.path, x.form, in)
			if w.Code != http.StatusSeeOther || w.Header().Get("Location") != x.to {
				t.Errorf("%s: %d to %s, %s", x.path, w.Code, w.Header().Get("Location"), w.Body)
			}
		}
		if got := strings.Join(a.asked, ";"); got != x.want {
			t.Errorf("%s asked\n%s, want\n%s", x.path, got, x.want)
		}
		if slices.Contains(a.keys, "") || len(slices.Compact(slices.Clone(a.keys))) != len(a.keys) {
			t.Errorf("%s has the keys %v", x.path, a.keys)
		}
	}
	if w := call(s, "POST", "/sandbox/webhooks/r0/test", url.Values{}, in); w.Code != http.StatusBadRequest {
		t.Errorf("a form without a key: %d", w.Code)
	}
	a.problem = object{"code": "validation_failed", "title": "The request is wrong.", "request_id": "req_1", "errors": []object{{"detail": "Too long."}}}
	w := call(s, "POST", "/sandbox/webhooks/r0/rcv_0/send", url.Values{"key": {"bad"}, "id": {"mine"}, "body": {"my body"}, "secret": {"s3cr3t"}}, in)
	page := call(s, "GET", w.Header().Get("Location"), nil, in).Body.String()
	for _, want := range []string{"The request is wrong. Too long.", `href="/docs/errors/validation_failed"`, "req_1", `value="mine"`, "my body"} {
		if w.Code != http.StatusSeeOther || !strings.Contains(page, want) {
			t.Errorf("the form does not come back with %s", want)
		}
	}
	if again := call(s, "GET", w.Header().Get("Location"), nil, in).Body.String(); strings.Contains(again, "my body") || strings.Contains(again, "Too long.") || strings.Contains(page, "s3cr3t") {
		t.Error("it comes back twice, or with a secret")
	}
}

// An error of the program is shown with the request ID in the log, and a next step.
func TestFault(t *testing.T) {
	s, _, _ := world(t, "plain", 1)
	in := enter(t, s)
	s.config.API = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "req_7")
		_, _ = w.Write([]byte("{"))
	})
	w := call(s, "GET", "/sandbox/mail", nil, in)
	if page := w.Body.String(); w.Code != http.StatusInternalServerError || !strings.Contains(page, "req_7") || !strings.Contains(page, `Begin again at the <a href="/sandbox">`) {
		t.Errorf("%d %s", w.Code, page)
	}
}
