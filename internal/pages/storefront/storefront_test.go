package storefront

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/edge/resource"
	"tenor/internal/office/buyer"
	"tenor/internal/proof/webtest"
)

// rig is the pages with a merchant that offers up to 50,000.00.
type rig struct {
	t        *testing.T
	pages    *Pages
	desk     *buyer.Desk
	merchant string
	wall     time.Time
}

func newRig(t *testing.T, change ...func(*Config)) *rig {
	t.Helper()
	db := memory.New()
	zone := calendar.NewZone(time.UTC)
	r := &rig{t: t, wall: time.Date(2026, 1, 15, 15, 0, 0, 0, time.UTC)}
	now := func() time.Time { return r.wall }
	e, err := engine.New(engine.Config{Backend: db, Zone: zone, Now: now, EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion,
		Alarm: func(a engine.Alarm) { t.Errorf("alarm: %s: %v", a.What, a.Err) }})
	if err != nil {
		t.Fatal(err)
	}
	s := lending.DefaultSettings()
	s.MinOrder, s.MaxOrder = money.MustParse("100.00"), money.MustParse("50000.00")
	if _, err := (engine.Alone{Engine: e}).Submit(t.Context(), engine.Request{
		Command: merchants.CreateMerchant{Title: "Harbor Supply", Settings: s}, Actor: credit.Actor{Client: "cli_staff", Operator: true},
		Encode: func(c credit.Changes, _ *credit.Rejection) engine.Response {
			r.merchant = c.Result.(*credit.Merchant).ID
			return engine.Response{Status: 201}
		},
	}); err != nil {
		t.Fatal(err)
	}
	r.desk = &buyer.Desk{Store: db, Zone: zone, Now: now, Wall: now, Sandbox: true}
	config := Config{Desk: r.desk, Secure: true, Address: func(q *http.Request) string { return q.RemoteAddr }}
	for _, f := range change {
		f(&config)
	}
	if r.pages, err = New(config); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) ask(method, target string, header ...string) *httptest.ResponseRecorder {
	r.t.Helper()
	q := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	r.pages.ServeHTTP(w, q)
	if c := w.Header().Values("Set-Cookie"); len(c) > 0 {
		r.t.Errorf("%s %s: cookies %v", method, target, c)
	}
	return w
}

// terms requests the page about an amount, with a strict parser.
func (r *rig) terms(merchant, amount string) (status int, text string) {
	r.t.Helper()
	w := r.ask("GET", "/promotions/terms?merchant="+merchant+"&amount="+amount+"&currency=USD")
	all := webtest.Read(r.t, strings.TrimPrefix(w.Body.String(), "<!doctype html>\n"))
	webtest.CheckSafe(r.t, amount, all)
	webtest.CheckForm(r.t, amount, all)
	webtest.CheckClasses(r.t, amount, all, string(r.pages.files.Files[r.pages.files.CSS].Body))
	if h := w.Header(); !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") || strings.Contains(h.Get("Content-Security-Policy"), "script-src") || h.Get("X-Robots-Tag") != "noindex" {
		r.t.Errorf("%s: %v", amount, h)
	}
	var out []string
	for _, e := range all {
		if t := strings.Join(strings.Fields(e.Text), " "); t != "" {
			out = append(out, t)
		}
	}
	return w.Code, strings.Join(out, "\n")
}

// The page shows every plan's cost, the range of the APR, an example with all figures, and that
// it is for businesses and subject to approval.
func TestTerms(t *testing.T) {
	r := newRig(t)
	status, text := r.terms(r.merchant, "1200.00")
	for _, want := range []string{
		"Paying $1,200.00 over time", "For business purchases, subject to approval.", "6\n$207.06\n$42.35\n$1,242.35\n12.00% to 24.00%", "1\n$1,200.00\n$0.00\n$1,200.00\n0.00%", "Harbor Supply",
		"Example: $1,200.00 in 24 monthly payments: $56.49 each and $56.43 at the end, finance charge $155.70, total $1,355.70, 12.00% APR.",
		"The APR is from 12.00% to 24.00%, depending on the business.",
	} {
		if status != 200 || !strings.Contains(text, want) {
			t.Errorf("%d, without %q:\n%s", status, want, text)
		}
	}
	if status, text := r.terms(r.merchant, "50000.01"); status != 200 || !strings.Contains(text, "Pay over time, up to $50,000.00.") || strings.Contains(text, "APR") {
		t.Errorf("above the maximum: %d\n%s", status, text)
	}
	_, nobody := r.terms("mch_01KAG7Q2M8X4T6W2Y9Z0A1B2C4", "1200.00")
	for name, x := range map[string][2]string{"below the minimum": {r.merchant, "99.99"}, "no amount": {r.merchant, "x"}, "nothing": {r.merchant, "0"}, "less": {r.merchant, "-5"}, "no merchant": {"", "1200.00"}, "tags": {"<b>", "<b>"}} {
		if status, text := r.terms(x[0], x[1]); status != 404 || text != nobody {
			t.Errorf("%s: %d\n%s", name, status, text)
		}
	}
}

// A network address that asks too often has to wait; others do not.
func TestTermsAreLimited(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limit = 2; c.Address = func(q *http.Request) string { return q.Header.Get("From") } })
	at := "/promotions/terms?merchant=" + r.merchant + "&amount=1200.00&currency=USD"
	var got []int
	for range 3 {
		got = append(got, r.ask("GET", at, "From", "a").Code)
	}
	got = append(got, r.ask("GET", at, "From", "b").Code)
	r.wall = r.wall.Add(time.Minute)
	got = append(got, r.ask("GET", at, "From", "a").Code)
	if want := [5]int{200, 200, 429, 200, 200}; [5]int(got) != want {
		t.Errorf("%v instead of %v", got, want)
	}
}

// Any page may load the scripts and cache them for a while; nothing else is served here.
func TestScripts(t *testing.T) {
	r := newRig(t)
	for path, media := range map[string]string{"promo.js": "text/javascript", "checkout.js": "text/javascript", "promo.d.ts": "text/plain", "checkout.d.ts": "text/plain"} {
		w := r.ask("GET", Scripts+path, "Origin", "https://shop.example", "Accept-Encoding", "gzip")
		for name, want := range map[string]string{
			"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin", "Cache-Control": "public, max-age=600", "X-Content-Type-Options": "nosniff",
			"Content-Type": media + "; charset=utf-8", "Content-Encoding": "gzip", "Strict-Transport-Security": "max-age=63072000", "Access-Control-Allow-Credentials": "",
		} {
			if got := w.Header().Get(name); w.Code != 200 || got != want {
				t.Errorf("%s: %d, %s is %q", path, w.Code, name, got)
			}
		}
		if again := r.ask("GET", Scripts+path, "If-None-Match", w.Header().Get("ETag")); again.Code != 304 || again.Body.Len() > 0 {
			t.Errorf("%s again: %d", path, again.Code)
		}
		if w := r.ask("POST", Scripts+path); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: %d", path, w.Code)
		}
	}
	for path, want := range map[string]int{Scripts: 404, Scripts + "x.js": 404, Scripts + "../v1/promo.js": 404, "/promotions/assets/x.css": 404, r.pages.files.CSS: 200} {
		if w := r.ask("GET", path); w.Code != want || !Serves(path) {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	for _, path := range []string{"/", "/v1/promotions", "/promotions", "/js/v2/promo.js", "/js/v1", "/promotions/terms/x"} {
		if Serves(path) {
			t.Errorf("%s is somebody else's", path)
		}
	}
}

// Without their requirements there are no pages.
func TestConfig(t *testing.T) {
	if _, err := New(Config{}); err == nil {
		t.Error("pages of nothing")
	}
}
