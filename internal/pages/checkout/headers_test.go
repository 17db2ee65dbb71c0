package checkout

import (
	"bytes"
	"cmp"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// checkHeaders checks the headers of every response.
func checkHeaders(t testing.TB, at string, h http.Header, around string) {
	t.Helper()
	policy := h.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "style-src 'self'", "img-src 'self' data:", "form-action 'self'", "base-uri 'none'", "frame-ancestors " + cmp.Or(around, "'none'")} {
		if !strings.Contains(policy, part) {
			t.Errorf("%s: the policy %q lacks %s", at, policy, part)
		}
	}
	if strings.Contains(policy, "script-src 'self'") || strings.Contains(policy, "unsafe") {
		t.Errorf("%s: the policy allows any script: %s", at, policy)
	}
	for name, want := range map[string]string{
		"Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Strict-Transport-Security": "max-age=63072000",
	} {
		if got := h.Get(name); got != want && !(name == "Cache-Control" && got == kept && !strings.HasPrefix(h.Get("Content-Type"), "text/html")) {
			t.Errorf("%s: %s is %q instead of %q", at, name, got, want)
		}
	}
}

// everyRoute returns all addresses of a checkout: its steps, the files, and unknown ones.
func (b *browser) everyRoute() []string {
	out := []string{Prefix + b.token, b.path("nothing"), Prefix + strings.Repeat("b", 32), b.pages.frameAt, b.pages.timeAt}
	for _, step := range slices.Sorted(maps.Keys(b.pages.steps)) {
		out = append(out, b.path(step))
	}
	return append(out, slices.Sorted(maps.Keys(b.config.Assets.Files))...)
}

// Every response of every route has the headers, whatever its status: to a stranger, to a buyer
// and in a frame; for a page, for a forged, foreign or too large form, and for an unsupported
// method; and after too many requests, or without a database.
func TestEveryAnswerHasTheHeaders(t *testing.T) {
	r, seen := newRig(t), map[int]int{}
	send := func(b *browser, q *http.Request) {
		q.RemoteAddr, q.Host = b.address, "pay.example"
		for _, c := range b.cookies {
			q.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
		}
		if b.framed {
			q.Header.Set("Sec-Fetch-Dest", "iframe")
		}
		w := httptest.NewRecorder()
		b.pages.ServeHTTP(w, q)
		seen[w.Code]++
		if strings.Contains(q.URL.Path, "/assets/") && w.Code == http.StatusOK {
			return // a public file is cached forever
		}
		around := b.around
		if (w.Code == http.StatusNotFound || w.Code == http.StatusTooManyRequests) && strings.Contains(w.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			around = "" // before a checkout is looked up, nobody may frame it
		}
		checkHeaders(t, q.Method+" "+q.URL.Path+" "+http.StatusText(w.Code), w.Header(), around)
	}
	all := func(b *browser) {
		for _, path := range b.everyRoute() {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut} {
				send(b, httptest.NewRequest(method, path, nil))
			}
			for site, body := range map[string]string{"same-origin": "form=another", "cross-site": "form=another", "": strings.Repeat("x", 70<<10)} { // unordered: each by itself
				q := httptest.NewRequest(http.MethodPost, path, bytes.NewReader([]byte(body)))
				q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				q.Header.Set("Sec-Fetch-Site", cmp.Or(site, "same-origin"))
				send(b, q)
			}
		}
	}
	_, b := r.ready(25_000_00)
	b.to("accept")
	all(b)
	all(r.browser(b.token))
	_, token := r.begin(1_200_00, modal)
	f := r.inFrame(token).signIn("avery@alderkitchens.example")
	all(f)
	c := r.config
	c.Limits = Limits{Address: 1, Token: 1}
	r.serve(c)
	all(b)
	c.Limits = Limits{Address: 100_000, Token: 100_000}
	r.serve(c)
	r.Desk.Store = blind{r.Desk.Store}
	all(b)
	for _, status := range []int{200, 303, 403, 404, 405, 413, 429, 500} {
		if seen[status] == 0 {
			t.Errorf("nothing was answered with %d: %v", status, seen)
		}
	}
}
