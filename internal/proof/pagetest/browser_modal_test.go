package pagetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/devtest"
)

// counterAt is a merchant's page, at an origin of its own, that opens checkouts in a dialog and
// records how they end.
func counterAt(t *testing.T, c *clerk) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /pay", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><html lang="en"><title>The shop</title><link rel="icon" href="data:,"><main><h1>The shop</h1><button id="pay">Pay over time</button></main>
<script>window.ended = [];
const end = how => r => ended.push(how + " " + r.reason);
document.getElementById("pay").addEventListener("click", async () => (await import("`+c.URL+`/js/v1/checkout.js")).openCheckout({
	url: new URLSearchParams(location.search).get("url"), onComplete: location.search.includes("plain") ? undefined : end("complete"), onPending: end("pending"), onCancel: end("cancel")}));
</script>`)
	})
	for _, path := range []string{"/cart", "/thanks"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `<!doctype html><html lang="en"><title>The shop</title><link rel="icon" href="data:,"><main><h1>The shop</h1></main>`)
		})
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	// The same site as the sandbox, but another origin: the browser keeps both in one process, so
	// that the test can look into the frame.
	return strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
}

// sellInside creates a checkout that the page of an origin shows in a frame.
func (c *clerk) sellInside(t *testing.T, email, site string) purchase {
	t.Helper()
	return c.sell(t, email, 1200, fields{"mode": "modal", "return_url": site + "/thanks?order=%ORDER_KEY%", "cancel_url": site + "/cart?reason=%REASON%"})
}

const (
	sheetOpen = `(document.querySelector("main ~ div")?.shadowRoot.getElementById("sheet").open ?? false)`
	askOpen   = `(document.querySelector("main ~ div")?.shadowRoot.getElementById("ask").open ?? false)`
	atButton  = `document.activeElement.id === "pay"`
)

// opensAt opens a checkout on a merchant's page, and returns the page and the inside of the
// frame.
func opensAt(t *testing.T, b *browsertest.Browser, c *clerk, site, query string, x purchase) (page, inside *patron) {
	t.Helper()
	page = visits(t, b, c, browsertest.View{})
	page.Go(site + "/pay?url=" + x.url + query)
	page.Click("Pay over time")
	page.Until(sheetOpen)
	inside = &patron{Tab: page.Frame(), t: t, url: c.URL, view: page.view}
	inside.Await("/c/")
	return page, inside
}

func (s *patron) ended() string {
	s.t.Helper()
	return strings.Join(browsertest.Eval[[]string](s.Tab, "ended"), ", ")
}

// proves proves an email inside the frame.
func (s *patron) proves() *patron {
	s.t.Helper()
	s.Press("Continue")
	s.Await("/email")
	s.Press("Send the code")
	s.Put("code", "000000")
	s.Press("Continue")
	return s
}

// An unknown buyer completes the checkout in a dialog of the shop's page, where no cookie is set,
// and returns to the shop through the address known to the server.
func TestModalInABrowser(t *testing.T) {
	c, b := openShop(t), browsertest.Start(t)
	site := counterAt(t, c)
	x := c.sellInside(t, "modal@alderkitchens.example", site)
	page, inside := opensAt(t, b, c, site, "&plain", x)
	inside.looks("modal-start")
	for _, v := range page.Axe() {
		t.Errorf("the dialog: %s: %s: %s", v.ID, v.Help, v.Where)
	}
	inside.proves().applies("00-0000001").sees("/decision", "has a line of")
	inside.Press("Choose how to repay")
	first := inside.URL()
	if !strings.HasPrefix(first, x.url+".") {
		t.Errorf("the session is not in the address: %s", first)
	}
	inside.agrees()
	inside.looks("modal-accept")
	inside.Press("Accept and place order")
	page.Await("/thanks")
	if got := page.URL(); got != site+"/thanks?order="+x.order {
		t.Errorf("came back to %s", got)
	}
	if got := c.stands(t, x); got != "ACCEPTED, order CREATED" {
		t.Errorf("it stands at %s", got)
	}
	if got := page.Cookies(); len(got) > 0 {
		t.Errorf("cookies %q", got)
	}
	if got := page.Origins(); !slices.Equal(got, []string{site, c.URL}) {
		t.Errorf("asked %q", got)
	}
	// The address with the session is useless outside the frame.
	thief := visits(t, b, c, browsertest.View{})
	thief.Go(first)
	if got := thief.URL(); strings.Contains(got, ".") && strings.Contains(got[len(c.URL):], ".") || strings.Contains(thief.Text(), "modal@") {
		t.Errorf("it opens as %s:\n%s", got, thief.Text())
	}
}

// The focus moves in and back; Escape asks before input is lost, and when reopened the checkout
// is at the same step, with the same input.
func TestModalKeyboardInABrowser(t *testing.T) {
	c, b := openShop(t), browsertest.Start(t)
	site := counterAt(t, c)
	x := c.sellInside(t, "keys@alderkitchens.example", site)
	page, inside := opensAt(t, b, c, site, "", x)
	page.Until(`document.activeElement === document.querySelector("main ~ div")`)
	page.Key("\x1b") // in the frame, where nothing is entered
	page.Until(`!` + sheetOpen + ` && ` + atButton)
	page.Enter()
	page.Until(sheetOpen)
	inside.proves()
	inside.Await("/business")
	inside.Fill("ein", "00-000")
	page.Key("\x1b")
	page.Until(askOpen)
	page.Enter() // Keep going
	page.Until(`!` + askOpen + ` && ` + sheetOpen)
	page.Key("\x1b")
	page.Until(askOpen)
	page.Key("\t")
	page.Enter() // Close
	page.Until(`!` + sheetOpen + ` && ` + atButton + ` && ended.length === 2`)
	if got := page.ended(); got != "cancel closed, cancel closed" || c.stands(t, x) != "OPEN, no order" {
		t.Errorf("ended %q, it stands at %s", got, c.stands(t, x))
	}
	page.Enter()
	page.Until(sheetOpen)
	if got := browsertest.Eval[string](inside.Tab, `document.querySelector("[name=ein]").value`); !strings.Contains(inside.URL(), "/business") || got != "00-000" {
		t.Errorf("opened again: %q at %s", got, inside.URL())
	}
	inside.Click("Back to the shop")
	inside.Await("/leave")
	inside.Click("Go back to Harbor Supply")
	page.Until(`!` + sheetOpen + ` && ` + atButton)
	if got := page.ended(); got != "cancel closed, cancel closed, cancel buyer_canceled" || c.stands(t, x) != "CANCELED/buyer_canceled, no order" {
		t.Errorf("ended %q, it stands at %s", got, c.stands(t, x))
	}
}

// A page of another site cannot show a checkout in a frame: the browser refuses it, and goes to
// the checkout itself after a timeout. A page that frames a checkout without the script shows
// nothing, and receives no messages.
func TestModalAtAForeignPage(t *testing.T) {
	c, b := openShop(t), browsertest.Start(t)
	site, evil := counterAt(t, c), counterAt(t, c)
	x := c.sellInside(t, "thief@alderkitchens.example", site)
	page := visits(t, b, c, browsertest.View{})
	page.Go(evil + "/pay?url=" + x.url)
	browsertest.Eval[bool](page.Tab, `(window.heard = [], addEventListener("message", e => heard.push(e.data)), document.body.append(Object.assign(document.createElement("iframe"), {src: "`+x.url+`", onload: () => window.loaded = true})), true)`)
	page.Until("window.loaded")
	if got := page.Frame().Text(); strings.Contains(got, "Harbor Supply") || browsertest.Eval[float64](page.Tab, "heard.length") != 0 {
		t.Errorf("framed, it shows %q", got)
	}
	page.Go(evil + "/pay?url=" + x.url)
	page.Click("Pay over time")
	page.Until(`location.pathname.startsWith("/c/")`)
	if got := page.URL(); got != x.url {
		t.Errorf("at %s", got)
	}
	page.sees("/c/", "Harbor Supply")
	plain := c.sell(t, "thief@alderkitchens.example", 900, fields{"return_url": evil + "/thanks", "cancel_url": evil + "/cart"})
	page.Go(evil + "/pay?url=" + plain.url) // the merchant's page, and a checkout that must not be framed
	page.Click("Pay over time")
	page.Until(`location.pathname.startsWith("/c/")`)
	if page.URL() != plain.url {
		t.Errorf("at %s", page.URL())
	}
}

// The sandbox's shop shows next to each price what it costs over time, as reported by the API,
// and opens its checkout in a dialog. The linked terms are public.
func TestShopModalInABrowser(t *testing.T) {
	w, b := devtest.Sandbox(t, t.Cleanup), browsertest.Start(t)
	c := &clerk{w, ""}
	s := visits(t, b, c, browsertest.View{})
	s.Go(w.URL + "/shop")
	const lines = `[...document.querySelectorAll("tenor-promo")].map(e => e.shadowRoot?.textContent ?? "")`
	s.Until(lines + `.every(t => t.includes("APR"))`)
	said := browsertest.Eval[[]string](s.Tab, lines)
	offer := c.must(t, "GET", "/v1/promotions?merchant="+w.Merchant+"&amount=1050.00", nil)
	if len(said) != 3 || said[0] != offer["text"].(string)+". Terms" {
		t.Errorf("the shelves say %q, the API %v", said, offer["text"])
	}
	// Headers move, and elements at the right shift, when the font loads; the widget shifts nothing
	// down.
	if moved := browsertest.Eval[[]string](s.Tab, `new Promise(done => {
		const all = [];
		new PerformanceObserver(l => all.push(...l.getEntries().flatMap(e => e.sources.filter(s => s.previousRect.top !== s.currentRect.top).map(s => s.node)))).observe({type: "layout-shift", buffered: true});
		requestAnimationFrame(() => requestAnimationFrame(() => done(all.filter(n => n?.parentElement?.closest("main")).map(n => n.textContent.slice(0, 80)))));
	})`); len(moved) > 0 {
		t.Errorf("of the shelves have moved: %q", moved)
	}
	s.looks("shelves-promoted")
	s.Go(offer["terms_url"].(string))
	s.sees("/promotions/terms", "For business purchases, subject to approval.", "12.00% to 24.00%", "Example: $1,050.00 in 24 monthly payments", "finance charge")
	s.Go(w.URL + "/shop")
	s.Press("Add to cart")
	s.Fill("email", ready("01"))
	s.Fill("mode", "modal")
	plans := c.must(t, "GET", "/v1/promotions?merchant="+w.Merchant+"&amount=1200.00", nil)["plans"].([]any)
	plan := plans[slices.IndexFunc(plans, func(p any) bool { return p.(map[string]any)["installments"] == 6.0 })].(map[string]any)
	cart := strings.Join(strings.Fields(s.Text()), " ")
	if !strings.Contains(cart, fmt.Sprintf("6 × $%.2f a month", plan["amount"])) || !strings.Contains(cart, "Net 30, or 3, 6, 9, 12 or 24 monthly payments. Nothing due today.") ||
		!strings.Contains(cart, fmt.Sprintf("%v%% APR finance charge $%.2f total $1,%.2f", plan["apr"], plan["finance_charge"], 200+plan["finance_charge"].(float64))) {
		t.Errorf("the API says %v of the cart, which says:\n%s", plan, cart)
	}
	s.Click("Continue to pay over time")
	s.Until(`(document.querySelector("body > div:last-child")?.shadowRoot?.getElementById("sheet")?.open ?? false)`)
	inside := &patron{Tab: s.Frame(), t: t, url: w.URL, view: s.view}
	inside.Await("/c/")
	inside.proves().agrees()
	inside.Press("Accept and place order")
	s.Await("/shop/thanks")
	if thanks := s.Text(); !strings.Contains(thanks, "Thank you") {
		t.Errorf("the shop says:\n%s", thanks)
	}
	if cookies := s.Cookies(); len(cookies) != 1 || !strings.HasPrefix(cookies[0], "tenor_shop") {
		t.Errorf("cookies %q", cookies)
	}
}
