package portal

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"tenor/internal/proof/webtest"
)

// tryable is the real portal with forms processed by a handler.
func tryable(t *testing.T, api http.Handler) *Portal {
	t.Helper()
	c := realConfig(t)
	c.Try = api
	return open(t, c)
}

// formOf returns the form of a page: its address and the values that it would send.
func formOf(t *testing.T, page string) (action string, values url.Values) {
	t.Helper()
	values = url.Values{}
	for _, e := range read(t, realPortal(t), page) {
		switch {
		case e.Name == "form" && e.Attr("method") == "post":
			action = e.Attr("action")
		case e.Name == "input" && e.Attr("name") != "q":
			values.Set(e.Attr("name"), e.Attr("value"))
		case e.Name == "textarea":
			values.Set(e.Attr("name"), strings.TrimPrefix(e.Text, "\n"))
		case e.Name == "select":
			values.Set(e.Attr("name"), "")
		}
	}
	if action == "" {
		t.Fatal("the page has no form")
	}
	return action, values
}

// post submits a form like a browser, after changes to its request.
func post(p *Portal, action string, values url.Values, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, testBase+action, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Origin", testBase)
	for _, fn := range change {
		fn(r)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

// sent submits a form and reads the page of its response.
func sent(t *testing.T, p *Portal, action string, values url.Values) (at, page string) {
	t.Helper()
	w := post(p, action, values)
	at = w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(at, action+"/") {
		t.Fatalf("%s answers %d to %q: %s", action, w.Code, at, w.Body)
	}
	at, _, _ = strings.Cut(at, "#")
	a := get(p, at)
	if a.Code != http.StatusOK || a.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("%s answers %d, %v", at, a.Code, a.Header())
	}
	all := read(t, p, a.Body.String())
	webtest.CheckSafe(t, at, all)
	webtest.CheckForm(t, at, all)
	return at, uncolored(a.Body.String())
}

// TestTryIt creates an order with the form of its page, with two clicks, captures it with another
// form, and requests one that does not exist.
func TestTryIt(t *testing.T) {
	x := newLive(t)
	p := tryable(t, x.api)
	action, form := formOf(t, get(p, "/docs/api/createOrder").Body.String())
	form.Set("token", x.token)
	key := form.Get("header.Idempotency-Key")
	first, page := sent(t, p, action, form)
	second, twin := sent(t, p, action, form)
	if !strings.Contains(page, "201 Created") || !strings.Contains(page, "PO-7781") || !strings.Contains(page, key) {
		t.Errorf("the answer is %s", page)
	}
	if first == second || !strings.Contains(twin, "Idempotency-Replayed") {
		t.Error("the second click has another effect")
	}
	list := x.must(x.token, "GET", "/v1/orders", "")["data"].([]any)
	if len(list) != 1 {
		t.Fatalf("%d orders", len(list))
	}
	order := fmt.Sprint(list[0].(map[string]any)["key"])

	_, again := formOf(t, page)
	if again.Get("body") != form.Get("body") || again.Get("token") != "" || again.Get("header.Idempotency-Key") == key {
		t.Errorf("the form begins again with %v", again)
	}

	action, form = formOf(t, get(p, "/docs/api/updateOrder").Body.String())
	form.Set("token", x.token)
	form.Set("path.key", order)
	form.Set("header.If-Match", `"1"`)
	if _, page = sent(t, p, action, form); !strings.Contains(page, "200 OK") || !strings.Contains(page, "CAPTURED") {
		t.Errorf("the capture: %s", page)
	}

	action, form = formOf(t, get(p, "/docs/api/listOrders").Body.String())
	form.Set("token", x.token)
	form.Set("query.status", "CAPTURED")
	if _, page = sent(t, p, action, form); !strings.Contains(page, "GET /v1/orders?status=CAPTURED\n") || !strings.Contains(page, order) {
		t.Errorf("the list: %s", page)
	}

	action, form = formOf(t, get(p, "/docs/api/getOrder").Body.String())
	form.Set("token", x.token)
	form.Set("path.key", "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3")
	if _, page = sent(t, p, action, form); !strings.Contains(page, "404 Not Found") || !strings.Contains(page, `href="/docs/errors/not_found"`) {
		t.Errorf("no order: %s", page)
	}
}

// TestTokenStaysSecret looks for the token in everything that is sent back or kept: pages,
// addresses, headers, memory.
func TestTokenStaysSecret(t *testing.T) {
	x := newLive(t)
	p := tryable(t, x.api)
	for _, op := range p.site.contract.operations {
		if op.access != token {
			continue
		}
		action, form := formOf(t, get(p, "/docs/api/"+op.id).Body.String())
		form.Set("token", x.token)
		w := post(p, action, form)
		at, _, _ := strings.Cut(w.Header().Get("Location"), "#")
		a := get(p, at)
		if a.Code != http.StatusOK {
			t.Fatalf("%s: %d", at, a.Code)
		}
		kept := p.tries.kept[len(p.tries.kept)-1]
		for what, text := range map[string]string{
			"headers": fmt.Sprint(w.Header(), a.Header()), "page": w.Body.String() + a.Body.String(),
			"memory": fmt.Sprint(kept.values, kept.request, kept.answer.header, kept.answer.body.String()),
		} {
			if strings.Contains(text, x.token) {
				t.Errorf("%s: the token is in the %s", op.id, what)
			}
		}
	}
	if n := x.asked.Load(); n < 40 {
		t.Errorf("only %d requests came to the API", n)
	}
}

// TestTryIsRefused sends what no form of these pages would: it never reaches the API.
func TestTryIsRefused(t *testing.T) {
	asked := 0
	p := tryable(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	const at = "/docs/api/getOrder/try"
	form := url.Values{"path.key": {"ord_1"}, "token": {"tnr_x"}}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for name, x := range map[string]struct {
		w      *httptest.ResponseRecorder
		status int
	}{
		"from another site":        {post(p, at, form, header("Sec-Fetch-Site", "cross-site")), 403},
		"from a neighbour":         {post(p, at, form, header("Sec-Fetch-Site", "same-site")), 403},
		"from another origin":      {post(p, at, form, header("Sec-Fetch-Site", ""), header("Origin", "https://evil.example")), 403},
		"from nowhere":             {post(p, at, form, header("Sec-Fetch-Site", ""), header("Origin", "null")), 403},
		"too much":                 {post(p, at, url.Values{"body": {strings.Repeat("x", maxForm+1)}}), 413},
		"no form":                  {post(p, at+"?%zz", url.Values{"x": {"y"}}), 400},
		"a header of two lines":    {post(p, at, url.Values{"path.key": {"x"}, "header.If-None-Match": {"a\r\nX: y"}}), 400},
		"a token of two lines":     {post(p, at, url.Values{"path.key": {"x"}, "token": {"a\nX: y"}}), 400},
		"the form itself":          {get(p, at), 303},
		"an answer that is gone":   {get(p, at+"/AAAA"), 410},
		"an answer, sent":          {post(p, at+"/AAAA", form), 405},
		"no operation":             {post(p, "/docs/api/nothing/try", form), 405},
		"a client's secret":        {post(p, "/docs/api/createToken/try", form), 405},
		"a client's secret, read":  {get(p, "/docs/api/createToken/try"), 404},
		"an operation with a tail": {post(p, "/docs/api/getOrder/tryx", form), 405},
	} {
		if x.w.Code != x.status || x.w.Header().Get("Content-Security-Policy") != policy().Policy() {
			t.Errorf("%s: %d, want %d", name, x.w.Code, x.status)
		}
		if strings.Contains(x.w.Body.String(), "tnr_x") {
			t.Errorf("%s: the token is shown", name)
		}
		if x.status != 303 {
			webtest.CheckSafe(t, name, read(t, p, x.w.Body.String()))
		}
	}
	if asked != 0 || len(p.tries.kept) != 0 {
		t.Errorf("the API was asked %d times, %d answers are kept", asked, len(p.tries.kept))
	}
	if w := post(p, at, form, header("Sec-Fetch-Site", "")); w.Code != 303 || asked != 1 {
		t.Errorf("an older browser is answered %d", w.Code)
	}
	if got := get(p, at+"/AAAA").Header().Get("Referrer-Policy"); got != "same-origin" {
		t.Errorf("Referrer-Policy is %s: browsers would send Origin: null", got)
	}
}

// TestRefusedFormKeepsItsInput submits a form that cannot become a request.
func TestRefusedFormKeepsItsInput(t *testing.T) {
	p := tryable(t, http.NotFoundHandler())
	w := post(p, "/docs/api/updateOrder/try", url.Values{
		"token": {"tnr_x"}, "path.key": {"ord_1"}, "body": {`{"amount": 7.00}`}, "header.If-Match": {"a\nb"}, "header.Idempotency-Key": {"k"},
	})
	page := w.Body.String()
	webtest.CheckForm(t, "refusal", read(t, p, page))
	_, form := formOf(t, page)
	if w.Code != http.StatusBadRequest || !strings.Contains(page, "If-Match has a character that no header can carry") {
		t.Errorf("%d: %s", w.Code, page)
	}
	if form.Get("path.key") != "ord_1" || form.Get("body") != `{"amount": 7.00}` || form.Get("token") != "" || strings.Contains(page, "tnr_x") {
		t.Errorf("the form begins again with %v", form)
	}
}

// TestNoFormWhereMoneyIsReal uses a portal without an API.
func TestNoFormWhereMoneyIsReal(t *testing.T) {
	p := realPortal(t)
	for _, op := range p.site.contract.operations {
		if page := get(p, "/docs/api/"+op.id).Body.String(); strings.Contains(page, `method="post"`) || strings.Contains(page, "#try") {
			t.Errorf("%s has a form", op.id)
		}
	}
	if w := get(p, "/docs/api/getOrder/try"); w.Code != http.StatusNotFound {
		t.Errorf("a form answers %d", w.Code)
	}
	if w := post(p, "/docs/api/getOrder/try", url.Values{}); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("a form that is sent answers %d", w.Code)
	}
}

// TestTryLeadsNowhereElse puts unusual values into a path and a query: the API is still called
// for the operation, with these values.
func TestTryLeadsNowhereElse(t *testing.T) {
	var got *http.Request
	p := tryable(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r }))
	for _, odd := range []string{
		"../../v1/operator/merchants", "..", "a/b", "//evil.example/", "https://evil.example/", "a?x=y", "a#b", "a%2fb", "a b", "é", `a\b`, "@evil.example", "a\nb", "",
	} {
		w := post(p, "/docs/api/listOrderEvents/try", url.Values{"path.key": {odd}, "query.limit": {odd}, "query.other": {"x"}, "header.Host": {"evil.example"}})
		if w.Code != http.StatusSeeOther {
			t.Fatalf("%q: %d", odd, w.Code)
		}
		if got.Host != "localhost:8080" || got.Method != "GET" || got.URL.EscapedPath() != "/v1/order/"+url.PathEscape(odd)+"/events" || got.Header.Get("Host") != "" {
			t.Errorf("%q leads to %s %s", odd, got.Host, got.URL)
		}
		if q := got.URL.Query(); q.Get("limit") != odd || q.Has("other") || len(q) > 1 {
			t.Errorf("%q asks for %v", odd, q)
		}
	}
	post(p, "/docs/api/createOrder/try", url.Values{"body": {"{\r\n}"}, "media": {"text/html"}, "header.Idempotency-Key": {"k"}})
	if got.Header.Get("Content-Type") != "application/json" || got.ContentLength != 3 || got.Header.Get("Idempotency-Key") != "k" {
		t.Errorf("the body is sent as %v", got.Header)
	}
}

// TestAnswersAreShown has the API return what a page cannot show directly.
func TestAnswersAreShown(t *testing.T) {
	const at = "/docs/api/getOrder/try"
	for name, x := range map[string]struct {
		answer func(http.ResponseWriter)
		want   []string
	}{
		"nothing":    {func(http.ResponseWriter) {}, []string{"200 OK", "It has no body."}},
		"no content": {func(w http.ResponseWriter) { w.WriteHeader(204); w.WriteHeader(500) }, []string{"204 No Content", "It has no body."}},
		"text":       {func(w http.ResponseWriter) { _, _ = w.Write([]byte("a <b> & c")) }, []string{"a &lt;b&gt; &amp; c"}},
		"amounts":    {func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"b":1200.00,"a":[1,2]}`)) }, []string{"&#34;b&#34;: 1200.00,\n  &#34;a&#34;: [1, 2]"}},
		"no text":    {func(w http.ResponseWriter) { _, _ = w.Write([]byte{0xff, 0xfe}) }, []string{"It has 2 bytes of no media type, which is no text."}},
		"too much": {func(w http.ResponseWriter) {
			for range maxAnswer {
				_, _ = w.Write([]byte("éx"))
			}
		}, []string{fmt.Sprintf("These are the first %d of its %d bytes.", maxAnswer, 3*maxAnswer)}},
		"a problem": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(422)
			_, _ = w.Write([]byte(`{"code":"insufficient_credit"}`))
		}, []string{"422 Unprocessable Entity", `href="/docs/errors/insufficient_credit"`}},
	} {
		p := tryable(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { x.answer(w) }))
		_, page := sent(t, p, at, url.Values{"path.key": {"ord_1"}})
		for _, want := range x.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q:\n%s", name, want, page[:min(len(page), 9000)])
			}
		}
	}
}

// TestLittleIsKept sends more than is kept, from many readers concurrently.
func TestLittleIsKept(t *testing.T) {
	p := tryable(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.URL.Path)) }))
	first, _ := sent(t, p, "/docs/api/getOrder/try", url.Values{"path.key": {"ord_first"}})
	if w := get(p, strings.Replace(first, "getOrder", "getPayment", 1)); w.Code != http.StatusGone {
		t.Errorf("another operation shows the answer: %d", w.Code)
	}
	var readers sync.WaitGroup
	for i := range maxKept {
		readers.Go(func() {
			key := fmt.Sprint("ord_", i)
			w := post(p, "/docs/api/getOrder/try", url.Values{"path.key": {key}})
			at, _, _ := strings.Cut(w.Header().Get("Location"), "#")
			if page := get(p, at).Body.String(); !strings.Contains(page, "<code>/v1/order/"+key+"</code>") {
				t.Errorf("%s does not show the answer to %s", at, key)
			}
		})
	}
	readers.Wait()
	if w := get(p, first); w.Code != http.StatusGone || len(p.tries.kept) != maxKept {
		t.Errorf("the first answer is still shown: %d, %d are kept", w.Code, len(p.tries.kept))
	}
}

// TestFormsHaveTheirOwnKey requests a page twice: each form has a unique key.
func TestFormsHaveTheirOwnKey(t *testing.T) {
	p := tryable(t, http.NotFoundHandler())
	seen := []string{}
	for _, op := range p.site.contract.operations {
		if !op.mayBeTried() || !op.takes("Idempotency-Key") {
			continue
		}
		for range 2 {
			w := get(p, "/docs/api/"+op.id)
			_, form := formOf(t, w.Body.String())
			key := form.Get("header.Idempotency-Key")
			if len(key) < 26 || slices.Contains(seen, key) || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("ETag") != "" {
				t.Errorf("%s: key %q, %v", op.id, key, w.Header())
			}
			seen = append(seen, key)
		}
	}
	if len(seen) < 40 {
		t.Errorf("only %d forms", len(seen))
	}
}
