package storefront

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"tenor/internal/proof/browsertest"
	"tenor/internal/ui/web"
)

// lender plays the lender's server for the widget: the script as served, and the test's
// responses.
type lender struct {
	*httptest.Server
	mu     sync.Mutex
	answer func(http.ResponseWriter, *http.Request)
	asked  []*http.Request
}

func newLender(t *testing.T) *lender {
	l := &lender{}
	script, err := scriptFiles.ReadFile("scripts/promo.js")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /js/v1/promo.js", func(w http.ResponseWriter, r *http.Request) {
		web.NewAsset("text/javascript", script).ServeFor(w, r, "no-store")
	})
	mux.HandleFunc("GET /v1/promotions", func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.asked = append(l.asked, r)
		l.answer(w, r)
	})
	l.Server = httptest.NewServer(mux)
	t.Cleanup(l.Close)
	return l
}

// says makes the server respond with a status and a text, to any page.
func (l *lender) says(status int, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}
}

// shopPage is a merchant's product page. late loads the script after the page was shown; reserved
// is the one CSS rule that the guide asks for.
func shopPage(t *testing.T, script string, late, reserved bool) string {
	t.Helper()
	head, foot := `<script async src="`+script+`"></script>`, ""
	if late {
		foot = `<script>addEventListener("load", () => setTimeout(() => document.head.append(Object.assign(document.createElement("script"), {src: "` + script + `"})), 300))</script>`
		head = ""
	}
	if reserved {
		head += `<style>tenor-promo { display: block; min-height: 1.5em }</style>`
	}
	page := `<!doctype html><html lang="en"><title>Oven</title><link rel="icon" href="data:,">` + head + `<main><h1>Oven</h1><p>$1,200.00</p>` +
		`<tenor-promo merchant="mch_1" amount="1200.00" currency="USD" placement="product"></tenor-promo><p id="below">Ships in two days. <button>Add to cart</button></p></main>` + foot
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) }))
	t.Cleanup(s.Close)
	return s.URL
}

// said is the text shown by the widget.
const said = `(document.querySelector("tenor-promo").shadowRoot?.textContent ?? "")`

func good(base string) string {
	return `{"eligible":true,"text":"From $56.49 a month: 24 payments, 12.00% APR","installments":24,"amount":56.49,"apr":"12.00","terms_url":"` + base + `/promotions/terms?merchant=mch_1"}`
}

// The widget is small, shows the server's sentence with a link to its terms, requests it without
// identifying the reader, and shifts nothing, however late it loads.
func TestWidget(t *testing.T) {
	l, b := newLender(t), browsertest.Start(t)
	l.says(200, good(l.URL))
	for _, late := range []bool{false, true} {
		x := b.Tab(t, browsertest.View{})
		x.Go(shopPage(t, l.URL+"/js/v1/promo.js", late, true))
		x.Until(said)
		if got := browsertest.Eval[string](x, said); got != "From $56.49 a month: 24 payments, 12.00% APR. Terms" {
			t.Errorf("it says %q", got)
		}
		if moved := x.Shifted(); moved != 0 {
			t.Errorf("late %v: the page has moved by %g", late, moved)
		}
		link := browsertest.Eval[[]string](x, `(a => [a.href, a.target, a.rel, a.getAttribute("aria-label")])(document.querySelector("tenor-promo").shadowRoot.querySelector("a"))`)
		if link[0] != l.URL+"/promotions/terms?merchant=mch_1" || link[1] != "_blank" || link[2] != "noopener" || !strings.HasPrefix(link[3], "Terms") {
			t.Errorf("the link is %q", link)
		}
		if cookies := x.Cookies(); len(cookies) > 0 {
			t.Errorf("cookies %q", cookies)
		}
		for _, v := range x.Axe() {
			t.Errorf("%s: %s: %s", v.ID, v.Help, v.Where)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.asked {
		if got := r.URL.RawQuery; got != "merchant=mch_1&amount=1200.00&currency=USD" || r.Header.Get("Referer") != "" || r.Header.Get("Cookie") != "" || r.Header.Get("Authorization") != "" {
			t.Errorf("asked %q with %v", got, r.Header)
		}
	}
}

// The layout shift measurement can fail: a page that reserves no space shifts when the script
// loads.
func TestShiftIsSeen(t *testing.T) {
	l, b := newLender(t), browsertest.Start(t)
	l.says(200, good(l.URL))
	x := b.Tab(t, browsertest.View{})
	x.Go(shopPage(t, l.URL+"/js/v1/promo.js", true, false))
	x.Until(said)
	if x.Shifted() == 0 {
		t.Error("a page that reserves no place has not moved")
	}
}

// Whatever fails, the page stays as it was: nothing is shown, nothing shifts, and no error
// appears on the page.
func TestWidgetIsSilent(t *testing.T) {
	l, b := newLender(t), browsertest.Start(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	script := l.URL + "/js/v1/promo.js"
	for name, c := range map[string]struct {
		script, answer string
		status         int
	}{
		"the server is gone":       {gone.URL + "/js/v1/promo.js", "", 0},
		"the answer never begins":  {script, "", 0},
		"no JSON":                  {script, "<html>", 200},
		"JSON of something else":   {script, `[1,2]`, 200},
		"null":                     {script, `null`, 200},
		"nothing to show":          {script, `{"eligible":false,"text":null,"terms_url":null}`, 200},
		"a text that is none":      {script, `{"eligible":true,"text":7,"terms_url":"` + l.URL + `/"}`, 200},
		"terms of somebody else":   {script, strings.ReplaceAll(good(l.URL), l.URL, "https://elsewhere.example"), 200},
		"terms that are a script":  {script, strings.ReplaceAll(good(l.URL), l.URL+"/promotions/terms", "javascript:alert(1)//"), 200},
		"no terms":                 {script, `{"eligible":true,"text":"From $1.00 a month"}`, 200},
		"a fault of the server":    {script, good(l.URL), 500},
		"asked too often":          {script, good(l.URL), 429},
		"tags are text, not forms": {script, `{"eligible":true,"text":"<img src=x onerror=document.title='hit'>","terms_url":"` + l.URL + `/"}`, 200},
	} {
		t.Run(name, func(t *testing.T) {
			l.says(c.status, c.answer)
			if c.status == 0 {
				l.mu.Lock()
				l.answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
				l.mu.Unlock()
			}
			x := b.Tab(t, browsertest.View{})
			x.Go(shopPage(t, c.script, false, true))
			x.Until(`performance.getEntriesByType("resource").some(e => e.name.includes("` + map[bool]string{true: "/v1/promotions", false: "/promo.js"}[c.script == script] + `"))`)
			want := ""
			if strings.HasPrefix(name, "tags") {
				want = "<img src=x onerror=document.title='hit'>. Terms"
			}
			if got := browsertest.Eval[string](x, said); got != want || x.Title() != "Oven" || x.Shifted() != 0 {
				t.Errorf("it says %q, title %q, moved %g", got, x.Title(), x.Shifted())
			}
		})
	}
}

// If a page changes the amount, the widget is updated, once for all attributes that change
// together, and an old response never overwrites a newer one.
func TestWidgetFollowsThePage(t *testing.T) {
	l, b := newLender(t), browsertest.Start(t)
	l.says(200, good(l.URL))
	x := b.Tab(t, browsertest.View{})
	x.Go(shopPage(t, l.URL+"/js/v1/promo.js", false, true))
	x.Until(said)
	l.says(200, strings.ReplaceAll(good(l.URL), "56.49", "112.98"))
	browsertest.Eval[bool](x, `(e => { e.setAttribute("amount", "9.00"); e.setAttribute("amount", "2400.00"); return true })(document.querySelector("tenor-promo"))`)
	x.Until(said + `.includes("112.98")`)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.asked) != 2 || l.asked[1].URL.Query().Get("amount") != "2400.00" {
		t.Errorf("asked %d times", len(l.asked))
	}
}

// A page loads at most 6 KB, compressed, for the widget.
func TestWidgetIsSmall(t *testing.T) {
	script, err := scriptFiles.ReadFile("scripts/promo.js")
	if err != nil {
		t.Fatal(err)
	}
	var small bytes.Buffer
	w := gzip.NewWriter(&small)
	if _, err := w.Write(script); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, %d compressed", len(script), small.Len())
	if small.Len() > 6<<10 {
		t.Errorf("%d bytes", small.Len())
	}
}
