package portal

import (
	"html/template"
	"math"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tenor/internal/web"
	"tenor/internal/webtest"
)

// visit is a page that a crawl has read.
type visit struct {
	elements []webtest.Element
	anchors  map[string]bool
}

// served are addresses that other parts of the program answer.
var served = []string{"/openapi.json", "/openapi.yaml"}

// crawl follows every link from the first page on, and checks every page.
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
		v := visit{webtest.Read(t, w.Body.String()), map[string]bool{}}
		seen[at] = v
		if strings.Contains(w.Body.String(), "ZgotmplZ") {
			t.Errorf("%s: a value was refused by the template", at)
		}
		if n := w.Body.Len() + len(p.assets[p.site.assets.CSS].Body); n > 300<<10 {
			t.Errorf("%s loads %d bytes", at, n)
		}
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

// target is the page that a link leads to; false if it leads to another host or
// is none.
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

// TestCrawl reads every page of the real portal: no link is dead, no page is out
// of reach, and what leads to another host says so.
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

// TestHeaders looks at every kind of answer.
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
		{"GET", "/docs/assets/tenor-000000000000.css", 404, "no-store"},
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
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
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

// TestFault looks at the answer if a page cannot be made: with the page of errors,
// and without any template at all.
func TestFault(t *testing.T) {
	p := open(t, written("x"))
	p.pages["/docs"].template = "gone"
	for _, media := range []string{"text/html; charset=utf-8", "text/plain; charset=utf-8"} {
		w := get(p, "/docs")
		h := w.Header()
		if w.Code != http.StatusInternalServerError || h.Get("Content-Type") != media || h.Get("Content-Security-Policy") != web.Policy ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" || strings.Contains(w.Body.String(), "gone") {
			t.Errorf("%d %v %s", w.Code, h, w.Body)
		}
		p.site.templates = template.New("nothing")
	}
	if w := get(p, "/docs/search?q=x"); w.Code != http.StatusInternalServerError {
		t.Errorf("a search without templates: %d", w.Code)
	}
}

// TestManyReadersAtOnce has several readers ask for the same pages, which are
// rendered for the first of them.
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

// TestNotModified asks for a page twice.
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

// TestContrast holds the colours of both schemes against WCAG 2.2 AA: 4.5 to 1 for
// text, 3 to 1 for the border of a field.
func TestContrast(t *testing.T) {
	p := realPortal(t)
	css := string(p.assets[p.site.assets.CSS].Body)
	color := regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{3,6});`)
	for name, block := range map[string]string{
		"light": css[strings.Index(css, ":root {"):strings.Index(css, "@media")], "dark": css[strings.Index(css, "prefers-color-scheme: dark"):],
	} {
		colors := map[string]float64{}
		for _, m := range color.FindAllStringSubmatch(strings.SplitN(block, "}", 2)[0], -1) {
			colors[m[1]] = luminance(t, m[2])
		}
		for _, x := range []struct {
			front, back string
			least       float64
		}{
			{"ink", "paper", 4.5}, {"ink", "wash", 4.5}, {"soft", "paper", 4.5}, {"soft", "wash", 4.5}, {"link", "paper", 4.5}, {"link", "wash", 4.5},
			{"on-accent", "accent", 4.5}, {"soft", "paper", 3}, {"accent", "paper", 3},
		} {
			front, ok := colors[x.front]
			back, also := colors[x.back]
			if !ok || !also {
				t.Fatalf("%s: no colours %s and %s in %v", name, x.front, x.back, colors)
			}
			if ratio := (max(front, back) + 0.05) / (min(front, back) + 0.05); ratio < x.least {
				t.Errorf("%s: %s on %s has a contrast of %.2f", name, x.front, x.back, ratio)
			}
		}
	}
}

// luminance is the relative luminance of a colour (WCAG 2.2).
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if hex = hex[1:]; len(hex) == 3 {
		hex = hex[:1] + hex[:1] + hex[1:2] + hex[1:2] + hex[2:] + hex[2:]
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		c := float64(n>>(8*i)&0xff) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// TestAssets asks that what a browser loads is small, and loads nothing else.
func TestAssets(t *testing.T) {
	p := realPortal(t)
	for at, a := range p.assets {
		if len(a.Body) > 10<<10 {
			t.Errorf("%s has %d bytes", at, len(a.Body))
		}
		for _, word := range []string{"@import", "url(", "<script", "expression("} {
			if strings.Contains(string(a.Body), word) {
				t.Errorf("%s has %s", at, word)
			}
		}
	}
	css := string(p.assets[p.site.assets.CSS].Body)
	for _, part := range []string{"prefers-color-scheme: dark", "prefers-reduced-motion", "forced-colors", "@media print", "max-width: 48rem"} {
		if !strings.Contains(css, part) {
			t.Errorf("the stylesheet has no %s", part)
		}
	}
	if path.Dir(p.site.assets.CSS) != "/docs/assets" || path.Dir(p.site.assets.Icon) != "/docs/assets" {
		t.Errorf("assets at %s and %s", p.site.assets.CSS, p.site.assets.Icon)
	}
}
