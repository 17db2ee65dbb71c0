package checkout

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/onboarding"
	"tenor/internal/proof/webtest"
)

const shopOrigin = "http://localhost:9000"

func modal(c *onboarding.CreateCheckout) { c.Mode = onboarding.ModeModal }

// inFrame is a browser that shows a checkout in a frame of the shop's page.
func (r *rig) inFrame(token string) *browser {
	b := r.browser(token)
	b.around, b.framed = shopOrigin, true
	return b
}

// hear extracts the only script of a framed page, and checks that the page identifies itself,
// sets no cookie and leads nowhere but out of the frame.
func (b *browser) hear() {
	b.t.Helper()
	b.told, b.all = webtest.Script(b.t, b.at, b.pages.frameAt, b.head.Get("Content-Security-Policy"), b.all)
	if b.told.Name == "" {
		b.t.Fatalf("%s tells the page around nothing", b.at)
	}
	if b.told.Attr("data-origins") != b.around {
		b.t.Errorf("%s: the script is %v", b.at, b.told.Attrs)
	}
	if len(b.cookies) > 0 {
		b.t.Errorf("%s: cookies in a frame: %v", b.at, b.cookies)
	}
	for i, e := range b.all {
		for _, at := range []string{e.Attr("href"), e.Attr("action")} {
			if strings.Contains(at, "://") || strings.HasPrefix(at, "/") && !strings.HasPrefix(at, Prefix) || e.Attr("target") == "_top" && strings.Contains(at, ".") && !strings.Contains(at, "/exit?out=") {
				b.t.Errorf("%s leads to %s", b.at, at)
			}
		}
		if e.Attr("target") == "_top" {
			b.all[i].Attrs = slices.DeleteFunc(slices.Clone(e.Attrs), func(a [2]string) bool { return a[0] == "target" })
		}
	}
}

// A known buyer completes the checkout in a frame: the session is only in the address, and
// changes with the proof; at the end a ticket leads to the shop, while the frame itself never
// goes there.
func TestFramed(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alderkitchens.example", 5_000_00)
	c, token := r.begin(1_200_00, modal)
	b := r.inFrame(token)
	b.get("").want("")
	if b.token != token {
		t.Errorf("a session before anybody has typed anything: %s", b.token)
	}
	b.get("email").post("email", "email", "avery@alderkitchens.example").want("code")
	before := b.token
	if !strings.HasPrefix(before, token+".") || len(before) < len(token)+1+52 {
		t.Fatalf("the session is not in the address: %s", before)
	}
	b.post("code", "code", "000 000").want("terms")
	proved := b.token
	if proved == before || !strings.HasPrefix(proved, token+".") {
		t.Errorf("the proof has not changed the session: %s", proved)
	}
	b.post("terms", "plan", "6").want("repay").post("repay").want("accept")
	b.get("agreement")
	if b.status != 200 || !strings.Contains(b.head.Get("Content-Security-Policy"), "frame-ancestors "+shopOrigin) {
		t.Errorf("a paper that cannot be read in the frame: %d %s", b.status, b.head.Get("Content-Security-Policy"))
	}
	b.get("accept").post("accept", "name", "Avery Alder", "agree", "yes", "master", "yes").want("done")
	if got := b.head.Get("Refresh"); got != "2; url="+Prefix+proved+"/return" || b.told.Has("data-what") {
		t.Errorf("the end: Refresh %q, told %v", got, b.told.Attrs)
	}
	b.get("return").want("return")
	ticket := b.told.Attr("data-ticket")
	if b.told.Attr("data-what") != "complete" || b.told.Attr("data-checkout") != c.ID || !strings.HasPrefix(ticket, "accepted.") {
		t.Errorf("told %v", b.told.Attrs)
	}
	order := r.visit(c).Checkout.Of
	top := r.browser(token)
	top.goes(t, "exit?out="+ticket, shopOrigin+"/thanks?o="+order)
	for _, bad := range []string{"", "accepted", "accepted.", "x." + ticket, strings.Replace(ticket, "accepted", "declined", 1), strings.ToUpper(ticket), "https://evil.example"} {
		if top.goes(t, "exit?out="+bad, ""); strings.Contains(top.head.Get("Location"), "//") || strings.Contains(top.head.Get("Location"), order) {
			t.Errorf("%q leads to %s", bad, top.head.Get("Location"))
		}
	}
	other, secondToken := r.begin(900_00, modal)
	r.browser(secondToken).goes(t, "exit?out="+ticket, Prefix+secondToken)
	if r.status(other) != "OPEN" {
		t.Errorf("another checkout is %s", r.status(other))
	}
}

// goes requests an address as a page by itself, and checks where it leads; "" is not compared.
func (b *browser) goes(t *testing.T, step, to string) {
	t.Helper()
	q := httptest.NewRequest("GET", Prefix+b.token+"/"+step, nil)
	q.Header.Set("Sec-Fetch-Dest", "document")
	w := httptest.NewRecorder()
	b.pages.ServeHTTP(w, q)
	b.status, b.head = w.Code, w.Header()
	if to != "" && (b.status != 303 || b.head.Get("Location") != to) {
		t.Errorf("%s leads to %q (%d) instead of %q", step, b.head.Get("Location"), b.status, to)
	}
}

// Framed and unframed pages are separate: an address with a session opens nothing outside a
// frame, and a cookie opens nothing in a frame.
func TestFrameAndPageAreApart(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alderkitchens.example", 5_000_00)
	_, token := r.begin(1_200_00, modal)
	inside := r.inFrame(token).signIn("avery@alderkitchens.example").want("terms")
	alone := r.browser(token)
	alone.goes(t, "terms", Prefix+token+"/elsewhere") // somebody has started
	alone.token = inside.token
	for _, dest := range []string{"document", "", "object", "frame", "empty", "iframe2"} {
		q := httptest.NewRequest("GET", Prefix+inside.token+"/terms", nil)
		q.Header.Set("Sec-Fetch-Dest", dest)
		w := httptest.NewRecorder()
		r.pages.ServeHTTP(w, q)
		if w.Code != 303 || w.Header().Get("Location") != Prefix+token+"/elsewhere" {
			t.Errorf("opened as %q: %d %s", dest, w.Code, w.Header().Get("Location"))
		}
	}

	_, second := r.begin(900_00, modal)
	outside := r.browser(second)
	outside.around = shopOrigin
	outside.signIn("avery@alderkitchens.example").want("terms")
	if len(outside.cookies) != 1 || outside.token != second {
		t.Fatalf("a modal checkout that is opened by itself: %v, %s", outside.cookies, outside.token)
	}
	framed := httptest.NewRequest("GET", Prefix+second+"/terms", nil)
	framed.Header.Set("Sec-Fetch-Dest", "iframe")
	for _, c := range outside.cookies {
		framed.AddCookie(c)
	}
	w := httptest.NewRecorder()
	r.pages.ServeHTTP(w, framed)
	if w.Code != 303 || w.Header().Get("Location") != Prefix+second+"/elsewhere" || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("a cookie in a frame: %d %s", w.Code, w.Header().Get("Location"))
	}
	_, redirect := r.begin(800_00)
	q := httptest.NewRequest("GET", Prefix+redirect, nil)
	q.Header.Set("Sec-Fetch-Dest", "iframe")
	w = httptest.NewRecorder()
	r.pages.ServeHTTP(w, q)
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(w.Body.String(), "<script") {
		t.Errorf("a checkout by redirect in a frame: %s", policy)
	}
}

// Who may show a checkout in a frame depends on its mode: the merchant's registered origins, in a
// sandbox also the shop's, and nobody for any other mode.
func TestFrameAncestors(t *testing.T) {
	r := newRig(t)
	r.submit(staff(), merchants.SetMerchantShop{Merchant: r.merchant, Shop: credit.Shop{Origins: []string{"https://shop.example", "https://www.shop.example:8443"}}, Reason: "sells"})
	ancestors := func(token, step string) string {
		w := httptest.NewRecorder()
		r.pages.ServeHTTP(w, httptest.NewRequest("GET", Prefix+token+step, nil))
		policy := w.Header().Get("Content-Security-Policy")
		return policy[strings.Index(policy, "frame-ancestors ")+len("frame-ancestors "):]
	}
	_, framed := r.begin(1_200_00, modal)
	_, redirected := r.begin(1_200_00)
	const registered = "https://shop.example https://www.shop.example:8443"
	for _, step := range []string{"", "/email", "/help", "/leave", "/terms", "/done"} {
		if got := ancestors(framed, step); got != registered+" "+shopOrigin {
			t.Errorf("modal%s in a sandbox: %s", step, got)
		}
		if got := ancestors(redirected, step); got != "'none'" {
			t.Errorf("redirect%s: %s", step, got)
		}
	}
	for _, path := range []string{framed + "/nothing", "nobody", "nobody/email"} {
		if got := ancestors(path, ""); got != "'none'" {
			t.Errorf("%s: %s", path, got)
		}
	}
	r.Sandbox = false
	if got := ancestors(framed, ""); got != registered {
		t.Errorf("modal, live: %s", got)
	}
	r.submit(staff(), merchants.SetMerchantShop{Merchant: r.merchant, Reason: "sells no more"})
	if got := ancestors(framed, ""); got != "'none'" {
		t.Errorf("modal, live, no origin: %s", got)
	}
}

// Each way out of a frame reports to the surrounding page which one it is, and its ticket leads
// there.
func TestFramedWaysOut(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alderkitchens.example", 5_000_00)
	c, token := r.begin(1_200_00, modal)
	b := r.inFrame(token)
	b.get("leave").want("leave").post("leave").want("leave")
	if b.told.Attr("data-what") != "cancel" || r.status(c) != "CANCELED/buyer_canceled" {
		t.Errorf("left: told %v, %s", b.told.Attrs, r.status(c))
	}
	r.browser(token).goes(t, "exit?out="+b.told.Attr("data-ticket"), shopOrigin+"/cart?why=buyer_canceled")

	c, token = r.begin(1_200_00, modal)
	b = r.inFrame(token)
	b.signIn("new@alderkitchens.example").fill("00-0000003").get("review").want("review").get("leave").want("leave")
	if b.told.Attr("data-what") != "pending" {
		t.Errorf("in review: told %v, %s", b.told.Attrs, r.status(c))
	}
	r.browser(token).goes(t, "exit?out="+b.told.Attr("data-ticket"), shopOrigin+"/cart?why=pending_review")
}
