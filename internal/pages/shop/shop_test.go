package shop

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenor/internal/ports/facts/sandbox"
	"tenor/internal/proof/webtest"
)

var show = flag.String("show", "", "write the pages of the test and their files to this folder, to be looked at")

// browser is a client with cookies that follows no redirects by itself.
type browser struct {
	t    *testing.T
	shop *Shop
	jar  map[string]string
}

func open(t *testing.T, a *api) *browser {
	t.Helper()
	s, err := New(Config{
		API: a.base, BaseURL: "http://localhost:8080", Token: func(context.Context) (string, error) { return "merchant-token", nil },
		Merchant: func(context.Context) (string, error) { return "mch_1", nil },
		Clock:    func(context.Context) (string, error) { return "Jan 5, 2026 09:00", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, s, map[string]string{}}
}

// answer is a response.
type answer struct {
	status   int
	location string
	body     string
	header   http.Header
}

func (b *browser) do(method, path string, form url.Values, header ...string) answer {
	b.t.Helper()
	r := httptest.NewRequest(method, "http://localhost:8080"+path, strings.NewReader(form.Encode()))
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	for k, v := range b.jar {
		r.AddCookie(&http.Cookie{Name: k, Value: v})
	}
	w := httptest.NewRecorder()
	b.shop.ServeHTTP(w, r)
	x := w.Result()
	for _, c := range x.Cookies() {
		b.jar[c.Name] = c.Value
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/shop" {
			b.t.Errorf("the cookie is %v", c)
		}
	}
	body, err := io.ReadAll(x.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer{x.StatusCode, x.Header.Get("Location"), string(body), x.Header}
}

// get reads a page with a strict parser.
func (b *browser) get(path string) answer {
	b.t.Helper()
	a := b.do("GET", path, nil)
	b.read(path, a)
	return a
}

func (b *browser) read(at string, a answer) []webtest.Element {
	b.t.Helper()
	all := webtest.Read(b.t, strings.TrimPrefix(a.body, "<!doctype html>\n"))
	webtest.CheckSafe(b.t, at, b.unscripted(at, all))
	webtest.CheckForm(b.t, at, all)
	webtest.CheckClasses(b.t, at, all, string(b.shop.site.assets.Files[b.shop.site.assets.CSS].Body))
	if policy := a.header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self'") || a.header.Get("Cache-Control") != "no-store" {
		b.t.Errorf("%s: %s", at, policy)
	}
	return all
}

// unscripted returns a page without its scripts and widgets, which are those that any merchant's
// page loads, and the shop's own.
func (b *browser) unscripted(at string, all []webtest.Element) []webtest.Element {
	b.t.Helper()
	return slices.DeleteFunc(slices.Clone(all), func(e webtest.Element) bool {
		switch e.Name {
		case "script":
			if src := e.Attr("src"); src != "/js/v1/promo.js" && src != b.shop.site.script && src != b.shop.site.assets.Copy || e.Text != "" {
				b.t.Errorf("%s: a script of %q", at, src)
			}
		case "tenor-promo":
			if e.Attr("merchant") != "mch_1" || !strings.Contains(e.Attr("amount"), ".") || !strings.Contains(e.Attr("class"), "min-h-") {
				b.t.Errorf("%s: a widget of %v", at, e.Attrs)
			}
		default:
			return false
		}
		return true
	})
}

// form returns the fields of the payment form on the page.
func (b *browser) form() url.Values {
	b.t.Helper()
	f := url.Values{"mode": {"redirect"}, "act": {"pay"}, "pay": {"later"}}
	for _, e := range b.read("/shop/cart", b.get("/shop/cart")) {
		if n := e.Attr("name"); n == "once" || n == "email" {
			f.Set(n, e.Attr("value"))
		}
	}
	if f.Get("once") == "" {
		b.t.Fatal("the cart has no form to pay")
	}
	return f
}

func (b *browser) add(sku string) {
	b.t.Helper()
	if a := b.do("POST", "/shop/cart", url.Values{"sku": {sku}, "act": {"more"}}); a.status != 303 || a.location != "/shop/cart" {
		b.t.Fatal(a.status, a.location)
	}
}

// keep writes a page to where it can be looked at.
func (b *browser) keep(name string, a answer) {
	b.t.Helper()
	if *show == "" {
		return
	}
	files := map[string][]byte{name + ".html": []byte(a.body)}
	for path, f := range b.shop.site.assets.Files {
		files[path] = f.Body
	}
	for path, body := range files {
		to := filepath.Join(*show, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, body, 0o600)); err != nil {
			b.t.Fatal(err)
		}
	}
}

// A buyer chooses, pays over time, returns and has bought; refreshing changes nothing.
func TestBuy(t *testing.T) {
	a := newAPI(t)
	b := open(t, a)
	b.keep("shelves", b.get("/shop"))
	b.keep("empty", b.get("/shop/cart"))
	b.add("OVEN-HALF")
	f := b.form()
	b.keep("cart", b.get("/shop/cart"))
	went := b.do("POST", "/shop/checkout", f)
	if went.status != 303 || went.location != a.base+"/c/chk_1" || a.checkouts[0].amount.String() != "1200.00" || !strings.HasPrefix(a.checkouts[0].cancelURL, "http://localhost:8080/shop/cart?reason=%REASON%") {
		t.Fatalf("%+v, %+v", went, a.checkouts[0])
	}
	if !strings.Contains(went.header.Get("Content-Security-Policy"), "form-action 'self' "+a.base) {
		t.Error("a browser would stop the form on its way to the checkout")
	}
	if page := b.get("/shop/cart"); !strings.Contains(page.body, "None yet.") { // events are read from here on
		t.Error("there are events already")
	}
	back := a.accept("chk_1")
	thanks := b.get(back)
	b.keep("thanks", thanks)
	for _, want := range []string{"Order authorized", "$1,200.00", `id="order-key">ord_1<`, `data-copy="order-key"`, `id="checkout-key">chk_1<`, "&#34;status&#34;: &#34;AUTHORIZED&#34;", "POST /v1/checkouts/chk_1/complete", "checkout.accepted", "order.authorized"} {
		if !strings.Contains(strings.ReplaceAll(thanks.body, "<wbr>", ""), want) {
			t.Errorf("the page after the purchase lacks %q", want)
		}
	}
	if strings.Contains(thanks.body, "somebody_else") {
		t.Error("it tells of another's checkout")
	}
	if again := b.get(back); again.status != 200 || !strings.Contains(again.body, "Order authorized") || a.completed != 1 {
		t.Errorf("refreshed: %d, completed %d times", again.status, a.completed)
	}
	if cart := b.get("/shop/cart"); !strings.Contains(cart.body, "Your cart is empty") {
		t.Error("what was bought is still in the cart")
	}
}

// Whatever is pressed twice, in any tab, a cart has one checkout.
func TestOneCheckout(t *testing.T) {
	a := newAPI(t)
	b := open(t, a)
	b.add("OVEN-HALF")
	first, second := b.form(), b.form() // two tabs
	for _, f := range []url.Values{first, first, second, first} {
		if x := b.do("POST", "/shop/checkout", f); x.location != a.base+"/c/chk_1" {
			t.Errorf("%d %s", x.status, x.location)
		}
	}
	if len(a.checkouts) != 1 {
		t.Errorf("%d checkouts of one cart", len(a.checkouts))
	}
	first.Set("email", "other@alderkitchens.example") // the same page with a different entry: another key
	if x := b.do("POST", "/shop/checkout", first); x.status != 303 || len(a.answers) != 3 {
		t.Errorf("%d, %d keys", x.status, len(a.answers))
	}
	b.add("PANS-12") // another cart replaces the old one
	if x := b.do("POST", "/shop/checkout", b.form()); x.location != a.base+"/c/chk_3" || a.checkouts[0].status != "CANCELED" || a.checkouts[2].remote != a.checkouts[0].remote {
		t.Errorf("%d %s", x.status, x.location)
	}
	b.get(a.accept("chk_3"))
	old := &browser{t, b.shop, map[string]string{b.shop.cookie: cartWith(a.checkouts[2].remote, "OVEN-HALF").cookie()}} // a tab from before
	x := old.do("POST", "/shop/checkout", old.form())
	old.read("ordered", x)
	if x.status != 409 || !strings.Contains(x.body, "It is order ord_3") || !strings.Contains(old.get("/shop/cart").body, "cart is empty") {
		t.Errorf("%d", x.status)
	}
}

func cartWith(id string, skus ...string) cart {
	c := cart{ID: id}
	for _, sku := range skus {
		c = c.change(sku, 1)
	}
	return c
}

// Arriving proves nothing: a buyer who returns without accepting has bought nothing.
func TestReturnWithoutCompleting(t *testing.T) {
	a := newAPI(t)
	b := open(t, a)
	b.add("OVEN-HALF")
	f := b.form()
	f.Set("act", "return")
	x := b.do("POST", "/shop/checkout", f)
	if x.status != 303 || x.location != "/shop/thanks?checkout=chk_1&order=ord_1" {
		t.Fatal(x.status, x.location)
	}
	page := b.get(x.location)
	b.keep("nothing", page)
	if page.status != 409 || !strings.Contains(page.body, "Nothing was authorized") || !strings.Contains(page.body, "checkout_status OPEN") || a.completed != 0 || a.checkouts[0].status != "OPEN" {
		t.Errorf("%d, completed %d", page.status, a.completed)
	}
	if !strings.Contains(b.get("/shop/cart").body, "Convection oven") {
		t.Error("the cart is gone")
	}
	// The same button on the same page, and then the buyer accepts after all.
	b.get(a.accept("chk_1"))
	if a.completed != 1 {
		t.Error("it cannot be completed afterwards")
	}
	for _, path := range []string{"/shop/thanks", "/shop/thanks?checkout=x", "/shop/thanks?checkout=chk_" + strings.Repeat("9", 99)} {
		if page := b.get(path); page.status != 404 {
			t.Errorf("%s: %d", path, page.status)
		}
	}
	if page := b.get("/shop/thanks?checkout=chk_..%2F..%2Forders"); page.status != 404 || strings.Contains(page.body, "AUTHORIZED") {
		t.Error(page.status)
	}
}

// A link is mailed, and the person who opens it buys, in any browser.
func TestLink(t *testing.T) {
	a := newAPI(t)
	b := open(t, a)
	b.add("FRIDGE-UC27")
	f := b.form()
	f.Set("mode", "link")
	if x := b.do("POST", "/shop/checkout", f); x.status != 303 || x.location != "/shop/sent" {
		t.Fatal(x.status, x.location)
	}
	b.keep("sent", b.get("/shop/sent"))
	other := &browser{t, b.shop, map[string]string{}}
	other.add("OVEN-HALF")
	if page := other.get(a.accept("chk_1")); page.status != 200 || a.completed != 1 {
		t.Error(page.status)
	}
	if !strings.Contains(other.get("/shop/cart").body, "Convection oven") {
		t.Error("a cart was emptied that was not bought")
	}
	if !strings.Contains(b.get("/shop/cart").body, "refrigerator") {
		t.Error("the cart was emptied before its browser came back")
	}
}

// A cookie is a cart only if the shop could have written it; it contains no prices.
func TestHostileCookie(t *testing.T) {
	good := cartWith(newCart().ID, "OVEN-HALF", "PANS-12")
	if read := readCart(good.cookie()); read.cookie() != good.cookie() || read.Charges().GrandTotal.String() != "1359.00" {
		t.Errorf("%+v", read)
	}
	id := good.ID
	bad := []string{
		"", "cart-", "/", id + "/", id + "/OVEN-HALF", id + "/OVEN-HALF*0", id + "/OVEN-HALF*-1", id + "/OVEN-HALF*21", id + "/OVEN-HALF*99999999999999999999", id + "/OVEN-HALF*01",
		id + "/GOLD*1", id + "/OVEN-HALF*1/OVEN-HALF*1", id + "/OVEN-HALF*1*0.01", strings.ToLower(id) + "/OVEN-HALF*1", "cart-1/OVEN-HALF*1", id + "x/OVEN-HALF*1", strings.Repeat("/", 4000), id[:len(id)-1] + "%/OVEN-HALF*1",
	}
	for _, value := range append(bad, webtest.Hostile()...) {
		c := readCart(value)
		if len(c.Lines) != 0 || c.ID == id || len(c.ID) != len(id) {
			t.Errorf("%q is a cart: %+v", value, c)
		}
	}
	b := open(t, newAPI(t))
	for _, value := range bad {
		b.jar = map[string]string{b.shop.cookie: value}
		b.get("/shop/cart")
	}
}

// Forms with any content change a cart within its limits, or not at all.
func TestCartForms(t *testing.T) {
	b := open(t, newAPI(t))
	post := func(sku, act string) string {
		b.do("POST", "/shop/cart", url.Values{"sku": {sku}, "act": {act}})
		return b.jar[b.shop.cookie][strings.Index(b.jar[b.shop.cookie]+"/", "/"):]
	}
	for range 30 {
		post("PANS-12", "more")
	}
	for _, c := range [][3]string{
		{"PANS-12", "less", "/PANS-12*19"}, {"OVEN-HALF", "more", "/PANS-12*19/OVEN-HALF*1"}, {"OVEN-HALF", "less", "/PANS-12*19"}, {"OVEN-HALF", "less", "/PANS-12*19"},
		{"GOLD", "more", "/PANS-12*19"}, {"PANS-12", "buy", "/PANS-12*19"}, {"PANS-12", "remove", ""},
	} {
		if got := post(c[0], c[1]); got != c[2] {
			t.Errorf("%s %s: %q", c[1], c[0], got)
		}
	}
	if x := b.do("POST", "/shop/checkout", url.Values{"email": {"a@b.example"}}); x.location != "/shop/cart" {
		t.Error("an empty cart has a checkout")
	}
}

// A refusal by the API, or a missing response, is shown above the cart.
func TestRefused(t *testing.T) {
	a := newAPI(t)
	b := open(t, a)
	b.add("OVEN-HALF")
	f := b.form()
	f.Set("email", `"><script>alert(1)</script>`)
	x := b.do("POST", "/shop/checkout", f)
	b.read("refused", x)
	b.keep("refused", x)
	if x.status != 422 || !strings.Contains(x.body, "e-mail</span> is needed. (422 validation_failed)") || !strings.Contains(x.body, `role="alert"`) || !strings.Contains(x.body, "Convection oven") {
		t.Error(x.status)
	}
	a.refuse = &problem{Status: 422, Code: "amount_out_of_bounds", Detail: "<b>Too little.</b>"}
	x = b.do("POST", "/shop/checkout", b.form())
	b.read("refused", x)
	if x.status != 422 || !strings.Contains(x.body, "&lt;b&gt;Too little.") {
		t.Error(x.status)
	}
	a.refuse = nil
	a.down = 1 // once: retried with the same key
	if x = b.do("POST", "/shop/checkout", b.form()); x.location != a.base+"/c/chk_1" {
		t.Errorf("%d %s", x.status, x.location)
	}
	f = b.form()
	a.down = 9
	x = b.do("POST", "/shop/checkout", f)
	b.read("down", x)
	if x.status != 502 || !strings.Contains(x.body, "cannot reach Tenor") {
		t.Error(x.status)
	}
}

// Why a buyer came back is explained in the shop's words, and nothing from the address is shown.
func TestReasons(t *testing.T) {
	b := open(t, newAPI(t))
	b.add("OVEN-HALF")
	plain := b.get("/shop/cart?reason=buyer_canceled").body
	for reason, want := range map[string]string{"declined": "not available for this order", "pending_review": "is in review", "insufficient_credit": "too small", "company_not_eligible": "cannot pay over time right now", "expired": "time for this checkout ran out", "buyer_canceled": "before you accepted"} {
		if page := b.get("/shop/cart?reason=" + reason); !strings.Contains(page.body, want) || !strings.Contains(page.body, `role="status"`) {
			t.Errorf("%s: not %q", reason, want)
		}
	}
	for _, reason := range webtest.Hostile() {
		all := b.read(reason, b.get("/shop/cart?reason="+url.QueryEscape(reason)))
		if got, want := webtest.Skeleton(all), webtest.Skeleton(webtest.Read(t, strings.TrimPrefix(plain, "<!doctype html>\n"))); got != want {
			t.Errorf("%q: %s", reason, webtest.Difference(got, want))
		}
	}
}

// The page lists every magic EIN that an application can use, and the code.
func TestOutcomes(t *testing.T) {
	b := open(t, newAPI(t))
	b.add("OVEN-HALF")
	page := b.get("/shop/cart").body
	for _, o := range sandbox.Outcomes() {
		if n := strings.Count(page, ">"+o.EIN+"<"); (n == 1) != (o.Ready == 0) {
			t.Errorf("%s stands %d times on the page", o.EIN, n)
		}
	}
	if !strings.Contains(page, ">000000<") || !strings.Contains(page, "buyer-01@sandbox.example") {
		t.Error("the code or the ready company is not told")
	}
}

// The server's side is short enough to read, and is shown unmodified.
func TestSource(t *testing.T) {
	b := open(t, newAPI(t))
	x := b.do("GET", "/shop/server.go", nil)
	n := 0
	for s := bufio.NewScanner(strings.NewReader(x.body)); s.Scan(); n++ {
	}
	if kept, err := os.ReadFile("server.go"); err != nil || string(kept) != x.body || n > 200 || x.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%d lines, %v", n, err)
	}
}

// Another site's form does nothing, and unknown addresses are not found.
func TestStrangers(t *testing.T) {
	b := open(t, newAPI(t))
	r := httptest.NewRequest("POST", "http://localhost:8080/shop/cart", strings.NewReader("sku=OVEN-HALF&act=more"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w := httptest.NewRecorder()
	b.shop.ServeHTTP(w, r)
	if w.Code != 403 || len(w.Result().Cookies()) != 0 {
		t.Errorf("another site's form: %d", w.Code)
	}
	for path, want := range map[string]int{"/shop/nothing": 404, "/shop/cart/x": 404} {
		if x := b.get(path); x.status != want {
			t.Errorf("%s: %d", path, x.status)
		}
	}
	if x := b.do("POST", "/shop/cart", url.Values{"sku": {strings.Repeat("x", maxForm)}}); x.status != 400 {
		t.Errorf("a large form: %d", x.status)
	}
	for _, c := range []Config{{}, {API: "https://api.example"}, {API: "ftp://x", BaseURL: "https://shop.example", Token: b.shop.config.Token}, {API: "https://api.example", BaseURL: "shop", Token: b.shop.config.Token}} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v makes a shop", c)
		}
	}
}

// Concurrent clicks also result in one checkout and one purchase.
func TestAtOnce(t *testing.T) {
	a := newAPI(t)
	b := open(t, a)
	b.add("OVEN-HALF")
	f := b.form()
	all := func(act func(*browser) answer) (out []answer) {
		done := make(chan answer)
		for range 8 {
			other := &browser{t, b.shop, maps.Clone(b.jar)}
			go func() { done <- act(other) }()
		}
		for range 8 {
			out = append(out, <-done)
		}
		return out
	}
	for _, x := range all(func(b *browser) answer { return b.do("POST", "/shop/checkout", f) }) {
		if x.location != a.base+"/c/chk_1" {
			t.Errorf("%d %s", x.status, x.location)
		}
	}
	back := a.accept("chk_1")
	for _, x := range all(func(b *browser) answer { return b.do("GET", back, nil) }) {
		if x.status != 200 || !strings.Contains(x.body, "Order authorized") {
			t.Errorf("%d", x.status)
		}
	}
	if len(a.checkouts) != 1 || a.completed != 1 {
		t.Errorf("%d checkouts, completed %d times", len(a.checkouts), a.completed)
	}
}
