package checkout

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/onboarding"
	"tenor/internal/pages"
	"tenor/internal/proof/suite"
	"tenor/internal/proof/webtest"
	"tenor/internal/ui/design"
)

// tale walks through pages with a text in every field that a merchant or a buyer can fill, and
// returns their tags.
func tale(t *testing.T, text string) map[string]string {
	t.Helper()
	r := newRig(t)
	seen := map[string]string{}
	note := func(name string, b *browser) *browser {
		seen[name] = webtest.Skeleton(b.all)
		return b
	}
	name := []rune(strings.ToValidUTF8(text, ""))
	name = name[:min(len(name), 100)]
	_, token := r.begin(1_200_00, func(c *onboarding.CreateCheckout) {
		c.Cart = []credit.CartItem{{Name: text, Price: 1, Quantity: 2, SKU: text, Size: text, Color: text}}
		c.Billing = &credit.Address{FirstName: text, LastName: text, CompanyName: text, Email: text, PhoneNumber: text, Address1: text, Address2: text, City: text, State: text, Zip: text, Country: text}
		c.RemoteID, c.RemoteCustomerID, c.Metadata = text, text, map[string]string{"k": text}
		c.ReturnURL, c.CancelURL = "http://localhost:9000/?x="+url.QueryEscape(text), "http://localhost:9000/?y="+url.QueryEscape(text)
	})
	b := note("start", r.browser(token).get("").want(""))
	note("help", b.get("help"))
	note("email", b.get("email").post("email", "email", text).want("email"))
	b.signIn("avery@alderkitchens.example").want("business")
	note("business", b)
	answers := []string{}
	for _, n := range pages.BusinessNames() {
		answers = append(answers, n, text)
	}
	note("business, wrong", b.post("business", answers...).want("business"))
	b.post("business", "legal_name", string(name), "trading_name", string(name), "industry", text, "entity", "LLC", "ein", "000000001", "revenue", "480000", "formed", "3/2019",
		"formed_in", "OR", "street", text, "city", text, "state", "OR", "zip", "97209", "phone", "5035550142", "limit", "1200").want("you")
	note("you", b)
	note("you, wrong", b.post("you", "first_name", text, "last_name", text, "title", text, "share", text, "birth", text, "home", text))
	b.post("you", "first_name", text, "last_name", text, "title", text, "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209", "may_apply", "yes", "credit_check", "yes", "electronic", "yes")
	note("decision", b.want("decision"))
	note("terms", b.get("terms"))
	note("repay", b.post("terms", "plan", "6").want("repay"))
	note("accept", b.post("repay").want("accept"))
	note("accept, wrong", b.post("accept", "name", text).want("accept"))
	note("done", b.post("accept", "name", "x"+text, "agree", "yes", "master", "yes").want("done"))
	note("leave", r.browser(token).get("leave"))
	return seen
}

// Texts have no effect on markup: whatever a merchant or a buyer writes, the tags are the same.
func TestHostileTexts(t *testing.T) {
	want := tale(t, "a plain text")
	for i, text := range webtest.Hostile() {
		if i%suite.By(4, 1) != 0 {
			continue
		}
		for page, got := range tale(t, text) {
			if got != want[page] {
				t.Errorf("text %d changes the tags of %s: %s", i, page, webtest.Difference(got, want[page]))
			}
		}
	}
}

// The ways out are the stored addresses. A sandbox redirects nobody without a click to an address
// that is neither registered nor on the same machine.
func TestWaysOut(t *testing.T) {
	to := func(home, back string) func(*onboarding.CreateCheckout) {
		return func(c *onboarding.CreateCheckout) { c.ReturnURL, c.CancelURL = home, back }
	}
	done := func(r *rig, change func(*onboarding.CreateCheckout)) (*credit.Checkout, *browser) {
		c, b := r.ready(25_000_00, change)
		return c, b.to("accept").accept().want("done")
	}
	r := newRig(t)
	c, b := done(r, to("https://evil.example/a?o=%CKKEY%&c=%25CHECKOUT_ID%25#x", "https://evil.example/b"))
	if b.head.Get("Refresh") != "" {
		t.Error("a sandbox leads to an address that nobody has registered")
	}
	if strings.Contains(b.head.Get("Content-Security-Policy"), "evil") {
		t.Error("forms may lead there")
	}
	want := "https://evil.example/a?o=" + c.Of + "&c=" + c.ID + "#x"
	b.get("return").want("return", "You are leaving this sandbox", "evil.example")
	if !strings.Contains(b.body, `href="`+strings.ReplaceAll(want, "&", "&amp;")+`"`) {
		t.Errorf("the page does not link to %s", want)
	}

	r = newRig(t)
	r.submit(staff(), merchants.SetMerchantShop{Merchant: r.merchant, Shop: credit.Shop{Origins: []string{"https://shop.example"}}, Reason: "its shop"})
	c, b = done(r, to("https://shop.example/a?o=%ORDER_KEY%", "https://shop.example/b"))
	if !strings.Contains(b.head.Get("Content-Security-Policy"), "form-action 'self' https://shop.example;") || b.head.Get("Refresh") == "" {
		t.Errorf("a registered shop: %s, refresh %q", b.head.Get("Content-Security-Policy"), b.head.Get("Refresh"))
	}
	b.get("return").led("https://shop.example/a?o=" + c.Of)

	for _, other := range []string{"https://shop.example.evil/a", "https://shop.example:444/a"} {
		_, token := r.begin(700_00, to(other, other))
		b := r.browser(token).get("leave").want("leave")
		b.post("leave").want("leave", "You are leaving this sandbox")
	}
	for _, bad := range []string{"https://shop.example@evil.example/a", "//evil.example", "javascript:alert(1)", "data:text/html,x", "https:evil.example", `\\evil.example`, "https://ok.example\\@evil.example", "ftp://evil.example"} {
		_, token := r.begin(700_00, to(bad, bad))
		b := r.browser(token).get("leave").want("leave")
		b.post("leave").want("leave", "You can close this page")
		for _, e := range b.all {
			if href := e.Attr("href"); strings.HasPrefix(href, "javascript") || strings.HasPrefix(href, "data:") {
				t.Errorf("%s is a link: %s", bad, href)
			}
		}
	}
	_, b = done(newRig(t), to("", ""))
	b.want("done", "You can close this page")
	if strings.Contains(b.body, "/return") || strings.Contains(b.body, "Back to the shop") && strings.Contains(b.body, `/leave"`) {
		t.Error("a page leads nowhere")
	}
}

// New fails without its requirements.
func TestNew(t *testing.T) {
	full := newRig(t).config
	for name, without := range map[string]func(*Config){
		"Desk": func(c *Config) { c.Desk = nil }, "Papers": func(c *Config) { c.Papers = nil }, "Assets": func(c *Config) { c.Assets = design.Assets{} },
		"Address": func(c *Config) { c.Address = nil }, "Expand": func(c *Config) { c.Expand = nil },
	} {
		c := full
		without(&c)
		if _, err := New(c); err == nil {
			t.Errorf("without %s", name)
		}
	}
	w := httptest.NewRecorder()
	newRig(t).pages.ServeHTTP(w, httptest.NewRequest(http.MethodGet, full.Assets.CSS, nil))
	if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/css") || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("the stylesheet: %d, %v", w.Code, w.Header())
	}
}
