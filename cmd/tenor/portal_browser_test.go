package main

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/browsertest"
)

// reader is somebody who reads the documentation and looks into a sandbox.
type reader struct {
	*patron
	world
}

// kinds are the kinds of pages of the portal.
func kinds() map[string]string {
	return map[string]string{
		"home": "/docs", "guide": "/docs/webhooks", "tutorial": "/docs/guides/quickstart-checkout", "decisions": "/docs/decisions", "operations": "/docs/api", "operation": "/docs/api/updateOrder",
		"long": "/docs/api/createOrder", "events": "/docs/events", "event": "/docs/events/order.captured", "errors": "/docs/errors", "error": "/docs/errors/insufficient_credit",
		"search": "/docs/search?q=capture", "nothing": "/docs/search?q=zzzz", "licences": "/docs/licences", "missing": "/docs/nowhere",
	}
}

// Every kind of page of the portal can be read by everybody: light and dark, wide and
// narrow, with the system's own colors, with large text, and without script. Nothing is
// fetched from elsewhere.
func TestPortalInABrowser(t *testing.T) {
	b := browsertest.Start(t)
	w := startSandbox(t, t.Cleanup)
	for _, v := range []browsertest.View{{Width: 1440}, {Width: 1440, Dark: true}, {Width: 390}, {Width: 390, Dark: true}, {Width: 320}, {Width: 1440, Forced: true}, {Width: 390, NoScript: true}} {
		t.Run(viewName(v), func(t *testing.T) {
			r := reader{&patron{Tab: b.Tab(t, v), t: t, url: w.URL, view: v, large: v.Width == 1440 && !v.Dark && !v.Forced}, w}
			for name, path := range kinds() {
				r.Go(w.URL + path)
				r.looks("docs-" + name + "-" + viewName(v))
			}
			r.stays()
		})
	}
}

// stays asks that nothing was fetched from elsewhere.
func (r reader) stays() {
	r.t.Helper()
	if got := r.Origins(); !slices.Equal(got, []string{r.world.URL}) {
		r.t.Errorf("the pages fetch from %v", got)
	}
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

// The pages of a sandbox, with everything on them, are looked at in the same way.
func TestSandboxInABrowser(t *testing.T) {
	b := browsertest.Start(t)
	s, w := newShopper(t)
	s.form("/sandbox/enter", url.Values{"token": {w.Token}})
	order := s.api(201, "POST", "/order", `{"company_id":1000000001,"merchant_order_id":"PO-7781","amount":1200.00,"installments":6,"status":"AUTHORIZED"}`)
	s.api(200, "PATCH", "/v1/order/"+order["key"].(string), `{"status":"CAPTURED"}`)
	s.form("/sandbox/webhooks", url.Values{"name": {"shop"}})
	s.form("/sandbox/webhooks/shop/test", url.Values{})
	got := s.until("a delivery", "/v1/sandbox/receivers/shop/deliveries", func(list []map[string]any) bool { return len(list) == 1 })
	s.page("/sandbox")
	s.form("/sandbox/clock", url.Values{"act": {"to"}, "to": {"2026-02-20"}, "back": {"/sandbox"}})
	s.until("the clock is there", "/v1/sandbox/mail", func([]map[string]any) bool { return s.api(200, "GET", "/v1/sandbox/clock", "")["status"] == "ready" })
	home := s.page("/sandbox", "What happened when the clock moved", "Installment paid", "installment 1", "$207.06", "clock moved 46 days", "Alder Kitchens", "PO-7781")
	if strings.Index(home, "Installment paid") > strings.Index(home, "clock moved 46 days") || strings.Index(home, "clock moved 46 days") > strings.LastIndex(home, "Order captured") {
		t.Error("what happened since the clock moved does not stand before what happened earlier")
	}
	mail := s.list("/v1/sandbox/mail?limit=1")[0]["id"].(string)
	pages := map[string]string{
		"home": "/sandbox", "events": "/sandbox/events?from=2026-01-05", "order": "/sandbox/objects/order/" + order["key"].(string), "company": "/sandbox/objects/company/1000000001",
		"webhooks": "/sandbox/webhooks", "receiver": "/sandbox/webhooks/shop", "delivery": "/sandbox/webhooks/shop/" + got[0]["id"].(string), "mail": "/sandbox/mail", "message": "/sandbox/mail/" + mail,
		"scenarios": "/sandbox/scenarios", "missing": "/sandbox/nowhere",
	}
	for _, v := range []browsertest.View{{Width: 1440}, {Width: 1440, Dark: true}, {Width: 390}, {Width: 390, Dark: true}, {Width: 320}, {Width: 1440, Forced: true}, {Width: 390, NoScript: true}} {
		t.Run(viewName(v), func(t *testing.T) {
			r := reader{&patron{Tab: b.Tab(t, v), t: t, url: w.URL, view: v}, w}
			r.Go(w.URL + "/")
			r.looks("sandbox-enter-" + viewName(v))
			r.Fill("token", w.Token)
			r.Press("Enter for half an hour")
			for name, path := range pages {
				r.Go(w.URL + path)
				r.looks("sandbox-" + name + "-" + viewName(v))
			}
			if v == (browsertest.View{Width: 1440}) || v == (browsertest.View{Width: 390}) {
				r.plays(viewName(v))
			}
			r.stays()
		})
	}
}

// plays plays a scenario by its page, reads its story, and follows a link of it.
func (r reader) plays(view string) {
	r.t.Helper()
	r.Go(r.world.URL + "/sandbox/scenarios")
	r.Press("Play happy-path")
	for end := time.Now().Add(longest); strings.Contains(r.Text(), "It is being played") && time.Now().Before(end); r.Reload() {
		time.Sleep(200 * time.Millisecond)
	}
	for _, want := range []string{"It ended as it must.", "The goods are shipped.", "$1,200.00", "Order PO-1", "$1,164.00", "PAID_OFF"} {
		if says := r.Text(); !strings.Contains(says, want) {
			r.t.Errorf("the story does not say %s:\n%s", want, says)
		}
	}
	r.looks("sandbox-play-" + view)
	r.Press("Order PO-1")
	if says := r.Text(); !strings.Contains(says, "as the scenario saw it last") && !strings.Contains(says, "what the scenario saw last") {
		r.t.Errorf("the order's page says\n%s", says)
	}
	r.looks("sandbox-played-order-" + view)
}

var _ = os.Getenv
