package pagetest

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/cli/operate"
	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/devtest"
	"tenor/internal/proof/suite"
)

// reader is a person who reads the documentation and uses a sandbox.
type reader struct {
	*patron
	operate.World
}

// kinds are the kinds of pages of the portal.
func kinds() map[string]string {
	return map[string]string{
		"home": "/docs", "guide": "/docs/webhooks", "tutorial": "/docs/guides/quickstart-checkout", "decisions": "/docs/decisions", "operations": "/docs/api", "operation": "/docs/api/updateOrder",
		"long": "/docs/api/createOrder", "events": "/docs/events", "event": "/docs/events/order.captured", "errors": "/docs/errors", "error": "/docs/errors/insufficient_credit",
		"search": "/docs/search?q=capture", "nothing": "/docs/search?q=zzzz", "licences": "/docs/licences", "missing": "/docs/nowhere",
	}
}

// Every kind of portal page is accessible: light and dark, wide and narrow, with forced colors,
// with large text, and without scripts. Nothing is fetched from elsewhere.
func TestPortalInABrowser(t *testing.T) {
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	for _, v := range views() {
		t.Run(viewName(v), func(t *testing.T) {
			r := reader{&patron{Tab: b.Tab(t, v), t: t, url: w.URL, view: v, large: v.Width == 1440 && !v.Dark && !v.Forced}, w}
			r.Go(w.URL + "/docs") // a tab's first page turns dark only after loading: it is checked later
			for name, path := range shownIn(v, kinds()) {
				r.Go(w.URL + path)
				r.looks("docs-" + name + "-" + viewName(v))
			}
			r.stays()
		})
	}
}

// stays checks that nothing was fetched from elsewhere.
func (r reader) stays() {
	r.t.Helper()
	if got := r.Origins(); !slices.Equal(got, []string{r.World.URL}) {
		r.t.Errorf("the pages fetch from %v", got)
	}
}

// views are those in which each page is checked: with every change wide and light, narrow and
// dark, and at minimum width without scripts; at night all that users may have.
func views() []browsertest.View {
	wide, dark, least := browsertest.View{Width: 1440}, browsertest.View{Width: 390, Dark: true}, browsertest.View{Width: 320, NoScript: true}
	return suite.By([]browsertest.View{wide, dark, least}, []browsertest.View{
		wide, dark, least, {Width: 1440, Dark: true}, {Width: 390}, {Width: 320}, {Width: 1440, Forced: true}, {Width: 390, NoScript: true},
	})
}

// shownIn returns those of some pages that are shown in a view: with every change each page in one
// of the views with scripts, and without scripts; at night each page in all.
func shownIn(v browsertest.View, pages map[string]string) map[string]string {
	shown := maps.Clone(pages)
	for i, name := range slices.Sorted(maps.Keys(pages)) {
		if suite.By(!v.NoScript && v.Dark != (i%2 == 1), false) {
			delete(shown, name)
		}
	}
	return shown
}

func viewName(v browsertest.View) string {
	name := fmt.Sprint(v.Width)
	for word, on := range map[string]bool{"dark": v.Dark, "forced": v.Forced, "noscript": v.NoScript} {
		if on {
			name += "-" + word
		}
	}
	return name
}

// The pages of a sandbox, with everything on them, are checked in the same way.
func TestSandboxInABrowser(t *testing.T) {
	b := browsertest.Start(t)
	s, w := devtest.NewShopper(t)
	s.Form("/sandbox/enter", url.Values{"token": {w.Token}})
	order := s.API(201, "POST", "/order", `{"company_id":1000000001,"merchant_order_id":"PO-7781","amount":1200.00,"installments":6,"status":"AUTHORIZED"}`)
	s.API(200, "PATCH", "/v1/order/"+order["key"].(string), `{"status":"CAPTURED"}`)
	s.Form("/sandbox/webhooks", url.Values{"name": {"shop"}})
	s.Form("/sandbox/webhooks/shop/test", url.Values{})
	got := s.Until("a delivery", "/v1/sandbox/receivers/shop/deliveries", func(list []map[string]any) bool { return len(list) == 1 })
	s.Page("/sandbox")
	s.Form("/sandbox/clock", url.Values{"act": {"to"}, "to": {"2026-02-20"}, "back": {"/sandbox"}})
	s.Until("the clock is there", "/v1/sandbox/mail", func([]map[string]any) bool { return s.API(200, "GET", "/v1/sandbox/clock", "")["status"] == "ready" })
	home := s.Page("/sandbox", "What happened when the clock moved", "Installment paid", "installment 1", "$207.06", "clock moved 46 days", "Alder Kitchens", "PO-7781")
	if strings.Index(home, "Installment paid") > strings.Index(home, "clock moved 46 days") || strings.Index(home, "clock moved 46 days") > strings.LastIndex(home, "Order captured") {
		t.Error("what happened since the clock moved does not stand before what happened earlier")
	}
	mail := s.List("/v1/sandbox/mail?limit=1")[0]["id"].(string)
	calls := s.Until("the order's call", "/v1/requests?operation=createOrder", func(list []map[string]any) bool { return len(list) == 1 })
	pages := map[string]string{
		"home": "/sandbox", "events": "/sandbox/events?from=2026-01-05", "order": "/sandbox/objects/order/" + order["key"].(string), "company": "/sandbox/objects/company/1000000001",
		"webhooks": "/sandbox/webhooks", "receiver": "/sandbox/webhooks/shop", "delivery": "/sandbox/webhooks/shop/" + got[0]["id"].(string), "mail": "/sandbox/mail", "message": "/sandbox/mail/" + mail,
		"requests": "/sandbox/requests", "request": "/sandbox/requests/" + calls[0]["id"].(string), "requests-none": "/sandbox/requests?method=PUT", "scenarios": "/sandbox/scenarios", "snapshots": "/sandbox/snapshots", "missing": "/sandbox/nowhere",
	}
	for _, v := range views() {
		t.Run(viewName(v), func(t *testing.T) {
			r := reader{&patron{Tab: b.Tab(t, v), t: t, url: w.URL, view: v}, w}
			r.Go(w.URL + "/")
			r.looks("sandbox-enter-" + viewName(v))
			r.Fill("token", w.Token)
			r.Press("Enter for half an hour")
			for name, path := range shownIn(v, pages) {
				r.Go(w.URL + path)
				r.looks("sandbox-" + name + "-" + viewName(v))
			}
			if v == (browsertest.View{Width: 1440}) || v == (browsertest.View{Width: 390, Dark: true}) && suite.By(false, true) {
				r.plays(viewName(v))
			}
			r.stays()
		})
	}
}

// plays plays a scenario through its page, reads its story, and follows a link in it.
func (r reader) plays(view string) {
	r.t.Helper()
	r.Go(r.World.URL + "/sandbox/scenarios")
	r.Press("Run happy-path")
	for end := time.Now().Add(devtest.Longest); strings.Contains(r.Text(), "Reload this page") && time.Now().Before(end); r.Reload() {
		time.Sleep(200 * time.Millisecond)
	}
	for _, want := range []string{"Passed. Every check holds.", "The goods are shipped.", "$1,200.00", "Order PO-1", "$1,164.00", "paid off"} {
		if says := r.Text(); !strings.Contains(says, want) {
			r.t.Errorf("the story does not say %s:\n%s", want, says)
		}
	}
	r.looks("sandbox-play-" + view)
	r.Press("Order PO-1")
	if says := r.Text(); !strings.Contains(says, "the last state that the scenario saw") {
		r.t.Errorf("the order's page says\n%s", says)
	}
	r.looks("sandbox-played-order-" + view)
}

// The chosen language is shown on every page, also after navigation, in another tab, and with a
// fallback where a page does not have it. Arrow keys also choose; without scripts all are shown.
func TestTabsRemember(t *testing.T) {
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	shown := func(x *browsertest.Tab, want, not string) {
		t.Helper()
		if says := x.Text(); !strings.Contains(says, want) || strings.Contains(says, not) {
			t.Errorf("%s shows %v of %q, %v of %q", x.URL(), strings.Contains(says, want), want, strings.Contains(says, not), not)
		}
	}
	x := b.Tab(t, browsertest.View{Width: 1440})
	x.Go(w.URL + "/docs/api/createOrder")
	shown(x, "curl -sS", "stream_context_create")
	x.Click("PHP")
	shown(x, "stream_context_create", "curl -sS")
	x.Go(w.URL + "/docs/api/listOrders")
	shown(x, "stream_context_create", "curl -sS")
	x.Key(browsertest.KeyRight) // nothing has the focus: it does nothing
	shown(x, "stream_context_create", "curl -sS")
	twin := x.Twin()
	twin.Go(w.URL + "/docs/webhooks")
	shown(twin, "function verify(string", "func Verify(")
	twin.Click("PHP")
	twin.Key(browsertest.KeyRight)
	shown(twin, "timingSafeEqual", "function verify(string")
	if f := twin.Focus(); f.Says != "JavaScript" || !f.Ring {
		t.Errorf("the keyboard is on %+v", f)
	}
	for end := time.Now().Add(devtest.Longest); !strings.Contains(x.Text(), "await fetch(") && time.Now().Before(end); { // a tab learns of another one's choice a moment later
		x.Reload()
	}
	shown(x, "await fetch(", "stream_context_create")
	if _, session := x.Stored(); session != "{}" {
		t.Errorf("the tab keeps %s", session)
	}
	without := b.Tab(t, browsertest.View{Width: 1440, NoScript: true})
	without.Go(w.URL + "/docs/api/createOrder")
	for _, code := range []string{"curl -sS", "stream_context_create", "await fetch(", "urllib.request", "client.New("} {
		if !strings.Contains(without.Text(), code) {
			t.Errorf("without script %q is not there", code)
		}
	}
}

// The key / focuses the search, which finds misspelled words while typing and after submitting,
// in the same order, with and without scripts.
func TestSearchInABrowser(t *testing.T) {
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	x := b.Tab(t, browsertest.View{Width: 1440})
	x.Go(w.URL + "/docs/guides/orders")
	x.Slash()
	if f := x.Focus(); f.Name != "q" || !f.Ring {
		t.Fatalf("the key / leads to %+v", f)
	}
	x.Key("insuficient_credit")
	x.Says("with insufficient_credit")
	typed := x.Value("q")
	if typed != "insuficient_credit" {
		t.Errorf("the field holds %q", typed)
	}
	x.Key(browsertest.KeyDown)
	if f := x.Focus(); f.Says != "insufficient_credit" || !f.Ring {
		t.Errorf("the first hit is %+v", f)
	}
	if found := x.Axe(); len(found) != 0 {
		t.Errorf("with its hits the page has %+v", found)
	}
	x.Enter()
	x.Await("/docs/errors/insufficient_credit")
	x.Slash()
	x.Key("captrue")
	x.Enter()
	x.Await("/docs/search?q=captrue")
	with := x.Text()
	without := b.Tab(t, browsertest.View{Width: 1440, NoScript: true})
	without.Go(w.URL + "/docs")
	without.Fill("q", "captrue")
	without.Enter()
	without.Await("/docs/search?q=captrue")
	from := func(s string) string { return s[max(strings.Index(s, "with capture"), 0):] }
	if from(with) != from(without.Text()) || !strings.Contains(with, "with capture, the best first") {
		t.Errorf("with script:\n%s\nwithout:\n%s", from(with), from(without.Text()))
	}
	reader{&patron{Tab: x, t: t, url: w.URL}, w}.stays()
}

// A button above each code copies it unmodified, without its colors, and confirms that.
func TestCopyCode(t *testing.T) {
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	x := b.Tab(t, browsertest.View{Width: 1440})
	x.Go(w.URL + "/docs/api/updateOrder")
	x.Click("Copy")
	x.Says("Copied")
	if got := x.Paste("body"); !strings.HasPrefix(got, "curl -sS -X PATCH \"$TENOR_URL/v1/order/ord_") || !strings.HasSuffix(got, "'{\n  \"status\": \"CAPTURED\"\n}'\n") {
		t.Errorf("the clipboard has %q", got)
	}
	x.Click("Python")
	x.Click("Copy")
	x.Says("Copied")
	if got := x.Paste("body"); !strings.HasPrefix(got, "import ") {
		t.Errorf("the clipboard has %q", got)
	}
	without := b.Tab(t, browsertest.View{Width: 1440, NoScript: true})
	without.Go(w.URL + "/docs/api/updateOrder")
	if strings.Contains(without.Text(), "Copy") {
		t.Error("without script there is a key that does nothing")
	}
}

// A sandbox's form keeps the token for the tab: the next form has it, but another tab of the same
// browser and the server's pages do not. It is never stored for longer.
func TestTokenIsKeptForTheTab(t *testing.T) {
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	x := b.Tab(t, browsertest.View{Width: 1440})
	x.Go(w.URL + "/docs/api/listOrders")
	if got := x.Value("token"); got != "" {
		t.Errorf("at first the form has %q", got)
	}
	x.Fill("token", w.Token)
	x.Press("Send GET")
	x.Says("200 OK")
	if got := x.Value("token"); got != w.Token {
		t.Errorf("the form of the answer has the token %q", got)
	}
	x.Go(w.URL + "/docs/api/createOrder")
	if got := x.Value("token"); got != w.Token {
		t.Errorf("the next form has the token %q", got)
	}
	x.Go(w.URL + "/docs/api/listMerchants")
	if got := x.Value("token"); got != "" {
		t.Errorf("a form of the lender has the merchant's token")
	}
	local, session := x.Stored()
	if strings.Contains(local, w.Token) || !strings.Contains(session, w.Token) {
		t.Errorf("the browser keeps %s and %s", local, session)
	}
	other := b.Tab(t, browsertest.View{Width: 1440})
	other.Go(w.URL + "/docs/api/createOrder")
	if got := other.Value("token"); got != "" {
		t.Errorf("another tab has the token")
	}
}

// Names are never broken inside a word, code is as wide as its column, and the code of an
// operation stays visible, however far a reader scrolls; nothing about another operation is
// between what an operation does and what it takes.
func TestReferenceStaysInSight(t *testing.T) {
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	for _, width := range []int64{320, 390, 1440} {
		x := b.Tab(t, browsertest.View{Width: width})
		for _, path := range []string{"/docs/api/createOrder", "/docs/events/order.authorization_expiring", "/docs/errors/duplicate_merchant_order_id", "/docs/webhooks"} {
			x.Go(w.URL + path)
			for _, name := range x.Cut("main :is(h1, code:not(.wrap-anywhere), .key), .aside a[href^=\"/docs/events/\"]") {
				t.Errorf("%s at %d pixels: %s is cut inside a word", path, width, name)
			}
		}
	}
	x := b.Tab(t, browsertest.View{Width: 1440})
	x.Go(w.URL + "/docs/api/createOrder")
	for _, part := range []string{"#request", "#answer", "#errors", "#events"} {
		x.Go(w.URL + "/docs/api/createOrder" + part)
		if !x.InSight(".tabs") {
			t.Errorf("at %s the code is out of sight", part)
		}
	}
	_, main, _ := strings.Cut(x.Text(), "/order")
	between, _, found := strings.Cut(main, "\nRequest\n")
	if !found || strings.Contains(between, "Refund a captured order") {
		t.Errorf("other operations stand between what one does and what it takes:\n%s", between)
	}
}

// Code that is higher than its space says so, and expands on request; without scripts it scrolls,
// and there is no useless button.
func TestLongCodeIsShownWhole(t *testing.T) {
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	const last = `[...document.querySelectorAll(".codebox.calm .bounded")].every(e => e.scrollHeight <= e.clientHeight)`
	for _, width := range []int64{390, 1440} {
		x := b.Tab(t, browsertest.View{Width: width})
		x.Go(w.URL + "/docs/api/createOrder")
		x.Until("!(" + last + ")")
		x.Until(`[...document.querySelectorAll(".codebox.calm .all")].every(e => !e.hidden)`)
		x.Until(`(document.querySelector(".codebox.calm .all").click(), true)`)
		x.Until(last)
		x.Until(`document.querySelector(".codebox.calm .all").hidden`)
		if found := x.Axe(); len(found) != 0 {
			t.Errorf("at %d pixels the page has %+v", width, found)
		}
		x.Go(w.URL + "/docs/api/listOrders")
		x.Click("Go")
		x.Until(`[...document.querySelectorAll(".tabs .all")].every(e => e.hidden || e.previousElementSibling.scrollHeight > e.previousElementSibling.clientHeight)`)
	}
	x := b.Tab(t, browsertest.View{Width: 1440, NoScript: true})
	x.Go(w.URL + "/docs/api/createOrder")
	if strings.Contains(x.Text(), "Show all") {
		t.Error("without script there is a button that does nothing")
	}
}

// On a phone all pages are in a menu, which opens without scripts.
func TestMenuOnAPhone(t *testing.T) {
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	for _, v := range []browsertest.View{{Width: 390}, {Width: 390, Dark: true}, {Width: 320, NoScript: true}} {
		r := reader{&patron{Tab: b.Tab(t, v), t: t, url: w.URL, view: v}, w}
		r.Go(w.URL + "/docs/api/getOrder")
		if says := r.Text(); strings.Contains(says, "Reconciliation") {
			t.Errorf("%+v: the menu is open at first", v)
		}
		r.Click("Menu")
		r.Says("Reconciliation")
		r.looks("docs-menu-" + viewName(v))
		r.Press("Refund a captured order")
		if !strings.HasSuffix(r.Tab.URL(), "/docs/api/refundOrder") {
			t.Errorf("%+v: the menu leads to %s", v, r.Tab.URL())
		}
	}
}

// The keyboard reaches everything, the focused element is visible and not covered by the sticky
// header, and nothing traps the focus; on a wide screen, and, at night, on a phone.
func TestPortalByKeyboard(t *testing.T) {
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	views := []browsertest.View{{Width: 1440}, {Width: 390, Dark: true}}
	for _, v := range views[:suite.By(1, 2)] {
		for path, want := range map[string][]string{
			"/docs/api/getOrder": {"Skip to content", "Try it in the sandbox", "curl", "Send GET /v1/order/{key}"}, "/docs/webhooks": {"Skip to content", "Standard Webhooks"}, "/sandbox/enter": {"Skip to content", "Enter for half an hour"},
		} {
			x := b.Tab(t, v)
			x.Go(w.URL + path)
			seen := map[string]bool{}
			for range 250 {
				x.Key(browsertest.KeyTab)
				f := x.Focus()
				if f.Tag == "" { // it has left the page
					break
				}
				seen[f.Says] = true
				if !f.Ring || f.Over != "" || f.Off && f.Tag != "PRE" { // a code may be as high as the window
					t.Errorf("%s at %d pixels: the keyboard is on %+v", path, v.Width, f)
				}
			}
			for _, says := range want {
				if !seen[says] {
					t.Errorf("%s at %d pixels: the keyboard never comes to %q", path, v.Width, says)
				}
			}
		}
	}
}
