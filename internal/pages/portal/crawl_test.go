package portal

import (
	"html/template"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"tenor/internal/proof/webtest"
)

// visit is a page read by a crawl.
type visit struct {
	elements []webtest.Element
	anchors  map[string]bool
}

// served are addresses served by other parts of the program.
var served = []string{"/openapi.json", "/openapi.yaml", "/sandbox"}

// crawl follows every link from the first page, and checks every page.
func crawl(t *testing.T, p *Portal) map[string]visit {
	t.Helper()
	seen := map[string]visit{}
	next := []string{"/docs"}
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		if _, ok := seen[at]; ok || slices.Contains(served, at) {
			continue
		}
		w := get(p, at)
		if w.Code != http.StatusOK {
			t.Errorf("%s answers %d", at, w.Code)
			continue
		}
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			seen[at] = visit{}
			continue
		}
		v := visit{read(t, p, w.Body.String()), map[string]bool{}}
		seen[at] = v
		if strings.Contains(w.Body.String(), "ZgotmplZ") {
			t.Errorf("%s: a value was refused by the template", at)
		}
		if n := w.Body.Len() + p.assets[p.site.assets.CSS].Sent(); n > 300<<10 {
			t.Errorf("%s loads %d bytes", at, n)
		}
		webtest.CheckClasses(t, at, v.elements, string(p.assets[p.site.assets.CSS].Body))
		webtest.CheckSafe(t, at, v.elements)
		webtest.CheckForm(t, at, v.elements)
		for _, e := range v.elements {
			v.anchors[e.Attr("id")] = true
			if to, internal := target(at, e.Attr("href")); internal {
				next = append(next, to)
			}
		}
	}
	return seen
}

// read parses a page without the design's script files, which it must do without.
func read(t *testing.T, p *Portal, page string) []webtest.Element {
	t.Helper()
	a := p.site.assets
	return webtest.Read(t, webtest.WithoutScripts(page, a.Docs, a.Search, a.Copy))
}

// uncolored removes the code colors from a page.
func uncolored(page string) string {
	return regexp.MustCompile(`<span class="hl-[a-z]+">([^<]*)</span>`).ReplaceAllString(page, "$1")
}

// target returns the page that a link leads to; false if it leads to another host or is not a
// link.
func target(at, href string) (string, bool) {
	to, _, _ := strings.Cut(href, "#")
	switch {
	case href == "" || strings.HasPrefix(href, "https://"):
		return "", false
	case to == "":
		return at, true
	}
	return to, true
}

// TestCrawl reads every page of the real portal: no link is dead, no page is unreachable, and
// links to other hosts are marked.
func TestCrawl(t *testing.T) {
	t.Run("live", func(t *testing.T) { checkCrawl(t, realPortal(t)) })
	t.Run("sandbox", func(t *testing.T) { checkCrawl(t, tryable(t, http.NotFoundHandler())) })
}

func checkCrawl(t *testing.T, p *Portal) {
	t.Helper()
	seen := crawl(t, p)
	for at := range p.pages {
		if _, ok := seen[at]; !ok {
			t.Errorf("no link leads to %s", at)
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d pages", len(seen))
	}
	for at, v := range seen {
		for _, e := range v.elements {
			href := e.Attr("href")
			if strings.HasPrefix(href, "https://") && !strings.Contains(e.Attr("rel"), "external") {
				t.Errorf("%s: the link to %s does not say that it leads elsewhere", at, href)
			}
			to, internal := target(at, href)
			if _, anchor, ok := strings.Cut(href, "#"); ok && internal && !seen[to].anchors[anchor] {
				t.Errorf("%s: %s names a place that is not on the page", at, href)
			}
		}
	}
}

// TestHeaders checks every kind of response.
func TestHeaders(t *testing.T) {
	c := realConfig(t)
	c.BaseURL = "https://pay.example.com"
	p := open(t, c)
	for _, x := range []struct {
		method, path string
		status       int
		cache        string
	}{
		{"GET", "/docs", 200, "no-cache"},
		{"HEAD", "/docs", 200, "no-cache"},
		{"GET", "/docs/errors/not_found", 200, "no-cache"},
		{"GET", p.site.assets.CSS, 200, "public, max-age=31536000, immutable"},
		{"GET", p.site.assets.Icon, 200, "public, max-age=31536000, immutable"},
		{"GET", "/docs/search?q=order", 200, "no-store"},
		{"GET", "/docs/search?q=%zz&;", 200, "no-store"},
		{"GET", "/docs/nowhere", 404, "no-store"},
		{"GET", p.site.assets.Docs, 200, "public, max-age=31536000, immutable"},
		{"GET", "/docs/assets/design-000000000000.css", 404, "no-store"},
		{"GET", "/docs/assets/../../go.mod", 404, "no-store"},
		{"GET", "/docs/%6eowhere", 404, "no-store"},
		{"POST", "/docs", 405, "no-store"},
		{"DELETE", "/docs/errors", 405, "no-store"},
		{"GET", "/docs/", 308, ""},
		{"GET", "/docs/guides/webhooks", 308, ""},
	} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest(x.method, x.path, nil))
		h := w.Header()
		if w.Code != x.status {
			t.Errorf("%s %s: %d, want %d", x.method, x.path, w.Code, x.status)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": x.cache,
			"Strict-Transport-Security": "max-age=63072000",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s %s: %s is %q, want %q", x.method, x.path, name, got, want)
			}
		}
		if x.status != 308 && h.Get("Content-Type") == "" {
			t.Errorf("%s %s: no Content-Type", x.method, x.path)
		}
		if x.method == "HEAD" && (w.Body.Len() > 0 || h.Get("Content-Length") == "0") {
			t.Errorf("HEAD %s: %d bytes, Content-Length %s", x.path, w.Body.Len(), h.Get("Content-Length"))
		}
		if x.status == 405 && h.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s %s: Allow is %q", x.method, x.path, h.Get("Allow"))
		}
		if h.Get("Set-Cookie") != "" {
			t.Errorf("%s %s: sets a cookie", x.method, x.path)
		}
	}
	if h := get(realPortal(t), "/docs").Header(); h.Get("Strict-Transport-Security") != "" {
		t.Error("a server without TLS asks for TLS")
	}
}

// TestFault checks the response if a page cannot be rendered: with the error page, and without
// any template at all.
func TestFault(t *testing.T) {
	p := open(t, written("x"))
	p.pages["/docs"].template = "gone"
	for _, media := range []string{"text/html; charset=utf-8", "text/plain; charset=utf-8"} {
		w := get(p, "/docs")
		h := w.Header()
		if w.Code != http.StatusInternalServerError || h.Get("Content-Type") != media || h.Get("Content-Security-Policy") != policy().Policy() ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" || strings.Contains(w.Body.String(), "gone") {
			t.Errorf("%d %v %s", w.Code, h, w.Body)
		}
		p.site.templates = template.New("nothing")
	}
	if w := get(p, "/docs/search?q=x"); w.Code != http.StatusInternalServerError {
		t.Errorf("a search without templates: %d", w.Code)
	}
}

// TestManyReadersAtOnce requests the same pages concurrently; they are rendered once.
func TestManyReadersAtOnce(t *testing.T) {
	p := open(t, realConfig(t))
	pages := []string{"/docs", "/docs/api/createOrder", "/docs/events/order.captured", "/docs/webhooks", "/docs/search?q=order"}
	bodies := make([][]string, 8)
	var readers sync.WaitGroup
	for i := range bodies {
		readers.Go(func() {
			for _, at := range pages {
				bodies[i] = append(bodies[i], get(p, at).Body.String())
			}
		})
	}
	readers.Wait()
	for i := range bodies {
		if !slices.Equal(bodies[i], bodies[0]) {
			t.Errorf("reader %d sees other pages", i)
		}
	}
}

// TestNotModified requests a page twice.
func TestNotModified(t *testing.T) {
	p := realPortal(t)
	tag := get(p, "/docs/api").Header().Get("ETag")
	r := httptest.NewRequest(http.MethodGet, "/docs/api", nil)
	r.Header.Set("If-None-Match", tag)
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	if tag == "" || w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("tag %q: %d with %d bytes", tag, w.Code, w.Body.Len())
	}
	if other := get(p, "/docs/events").Header().Get("ETag"); other == tag {
		t.Error("two pages have one tag")
	}
}

// TestAssets checks that what a browser loads is small and local, and that scripts turn no text
// into HTML.
func TestAssets(t *testing.T) {
	p := realPortal(t)
	for at, a := range p.assets {
		if dir := path.Dir(at); dir != "/docs/assets" && dir != "/docs/pictures" {
			t.Errorf("an asset is at %s", at)
		}
		if strings.HasPrefix(a.Media, "image/png") && len(a.Body) > 100<<10 {
			t.Errorf("%s has %d bytes", at, len(a.Body))
		}
		if strings.Contains(a.Media, "javascript") && len(a.Body) > 4<<10 {
			t.Errorf("%s has %d bytes", at, len(a.Body))
		}
		if !strings.HasPrefix(a.Media, "text/") {
			continue
		}
		for _, word := range []string{"@import", "url(http", "url(//", "url(\"http", "<script", "expression(", "https://", "innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("} {
			if strings.Contains(string(a.Body), word) && !(word == "https://" && strings.HasSuffix(at, ".css")) { // a stylesheet names its licenses
				t.Errorf("%s has %s", at, word)
			}
		}
	}
	css := string(p.assets[p.site.assets.CSS].Body)
	for _, part := range []string{"prefers-color-scheme:dark", "prefers-reduced-motion", "forced-colors", "@media print", "max-width"} {
		if !strings.Contains(css, part) {
			t.Errorf("the stylesheet has no %s", part)
		}
	}
}
