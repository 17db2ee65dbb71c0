package pagetest

import (
	"slices"
	"strings"
	"testing"

	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/suite"
)

// ending is a course of a checkout, as seen by its buyer's browser and by the shop.
type ending struct {
	name   string
	email  string // of a ready company; "": a new one
	ein    string // of an unknown business; "": none applies
	more   fields // of the checkout
	then   func(*clerk, *patron, purchase)
	page   string // the page on which the browser ends up
	says   []string
	press  []string // how it is left
	lands  string   // where that leads at the shop
	stands string   // what the shop knows afterwards
	plain  bool     // also run without scripts
	night  string   // what only nights run, because by day another ending shows the same: "all", or "plain"
}

// The ways of a buyer out of a page.
func straight() []string { return []string{"Back to the shop"} }

func asked() []string { return []string{"Back to the shop", "Go back to Harbor Supply"} }

func ready(n string) string { return "buyer-" + n + "@sandbox.example" }

func endings() []ending {
	return []ending{
		{name: "not finished", page: "/business", says: []string{"About 3 minutes"}, stands: "OPEN, no order", night: "all"},
		{name: "leaves", page: "/business", press: asked(), lands: "/cart?reason=buyer_canceled", stands: "CANCELED/buyer_canceled, no order", plain: true},
		{name: "accepted", email: ready("01"), then: waits, page: "/thanks", lands: "/thanks?order=ORDER", stands: "ACCEPTED, order CREATED"},
		{name: "completed", email: ready("01"), more: fields{"mode": "link", "return_url": nil}, then: completes, page: "/done", says: []string{"is placed", "You can close this page"}, stands: "COMPLETED, order AUTHORIZED", plain: true, night: "plain"},
		{name: "declined at once", ein: "00-0000004", page: "/declined", says: []string{"Not approved", "within 30 days"}, press: straight(), lands: "/cart?reason=declined", stands: "DECLINED/declined, no order", plain: true, night: "plain"},
		{name: "declined by the review", ein: "00-0000015", then: decides("DECLINED"), page: "/declined", says: []string{"Not approved"}, press: straight(), lands: "/cart?reason=declined", stands: "DECLINED/declined, no order", night: "all"},
		{name: "sanctions", ein: "00-0000041", page: "/declined", press: straight(), lands: "/cart?reason=declined", stands: "DECLINED/declined, no order", night: "all"},
		{name: "in review", ein: "00-0000003", page: "/review", says: []string{"In review", "5 pm Eastern", "nothing is charged"}, press: straight(), lands: "/cart?reason=pending_review", stands: "PENDING_REVIEW/pending_review, no order", plain: true, night: "plain"},
		{name: "documents wanted", ein: "00-0000005", then: reloads, page: "/review", says: []string{"articles of organization"}, press: straight(), lands: "/cart?reason=pending_review", stands: "PENDING_REVIEW/pending_review, no order", night: "all"},
		{name: "bureau silent", ein: "00-0000050", page: "/review", press: straight(), lands: "/cart?reason=pending_review", stands: "PENDING_REVIEW/pending_review, no order", night: "all"},
		{name: "duplicate", ein: "00-0000060", page: "/review", press: straight(), lands: "/cart?reason=pending_review", stands: "PENDING_REVIEW/pending_review, no order", night: "all"},
		{name: "review says yes", ein: "00-0000003", then: decides("APPROVED"), page: "/decision", says: []string{"Approved"}, press: []string{"Choose how to repay"}, lands: "/terms", stands: "OPEN, no order", plain: true, night: "all"},
		{name: "line too small", email: ready("02"), page: "/line", says: []string{"$250.00 of this $1,200.00 is available"}, press: straight(), lands: "/cart?reason=insufficient_credit", stands: "CANCELED/insufficient_credit, no order", plain: true, night: "plain"},
		{name: "new line too small", ein: "00-0000014", then: goesOn, page: "/line", says: []string{"$800.00 of this $1,200.00 is available"}, press: straight(), lands: "/cart?reason=insufficient_credit", stands: "CANCELED/insufficient_credit, no order", night: "all"},
		{name: "higher line", email: ready("02"), then: asksForMore, page: "/review", press: straight(), lands: "/cart?reason=pending_review", stands: "PENDING_REVIEW/pending_review, no order"},
		{name: "counter-offer", ein: "00-0000013", page: "/decision", says: []string{"You asked for $1,200.00", "$600.00"}, press: asked(), lands: "/cart?reason=insufficient_credit", stands: "CANCELED/insufficient_credit, no order"},
		{name: "on hold", email: ready("09"), page: "/unavailable", says: []string{"cannot order on terms right now"}, press: straight(), lands: "/cart?reason=company_not_eligible", stands: "CANCELED/company_not_eligible, no order", plain: true, night: "plain"},
		{name: "closed", email: ready("10"), page: "/unavailable", press: straight(), lands: "/cart?reason=company_not_eligible", stands: "CANCELED/company_not_eligible, no order", night: "all"},
		{name: "ended by the shop", email: ready("01"), then: endsIt, page: "/ended", says: []string{"The shop ended this checkout", "Nothing was charged"}, press: straight(), lands: "/cart?reason=merchant_canceled", stands: "CANCELED/merchant_canceled, no order", plain: true, night: "plain"},
		{name: "changed", email: ready("01"), more: fields{"remote_id": "cart-changed"}, then: changesIt, page: "/changed", says: []string{"The total was $1,200.00 and is $1,500.00 now."}, press: []string{"Continue with $1,500.00"}, lands: "/c/", stands: "CANCELED/replaced, no order", plain: true},
		{name: "other business", email: ready("04"), more: fields{"company_id": 1000000001}, page: "/outsider", says: []string{"a business that you do not act for here"}, press: asked(), lands: "/cart?reason=buyer_canceled", stands: "CANCELED/buyer_canceled, no order", plain: true, night: "plain"},
		{name: "fault", ein: "00-0000011", more: fields{"cart_items": []fields{{"sku": "tenor-500", "name": "Nothing", "price": 1200, "quantity": 1}}}, then: triesAgain, page: "/decision", says: []string{"Approved"}, press: []string{"Choose how to repay"}, lands: "/terms", stands: "OPEN, no order", plain: true, night: "plain"},
		{name: "to a stranger's site", ein: "00-0000004", more: fields{"cancel_url": "https://shop.example/cart?reason=%REASON%"}, then: backs, page: "/leave", says: []string{"You are leaving this sandbox", "shop.example"}, stands: "DECLINED/declined, no order", plain: true},
	}
}

// late are those that advance the sandbox's clock: they come last.
func late() []ending {
	return []ending{
		{name: "expired", email: ready("01"), then: expires, page: "/ended", says: []string{"This checkout has expired", "Nothing was charged"}, press: straight(), lands: "/cart?reason=expired", stands: "EXPIRED/expired, no order", plain: true, night: "all"},
		{name: "never completed", email: ready("01"), then: func(c *clerk, s *patron, x purchase) { s.agrees().places(x); expires(c, s, x) }, page: "/ended", says: []string{"This checkout has expired"}, press: straight(), lands: "/cart?reason=not_completed", stands: "EXPIRED/not_completed, order CANCELED", night: "all"},
	}
}

// waits accepts, and waits until the page returns to the shop by itself.
func waits(_ *clerk, s *patron, _ purchase) {
	s.t.Helper()
	s.agrees().Press("Accept and place order")
	s.Await("/thanks")
}

func completes(c *clerk, s *patron, x purchase) {
	s.t.Helper()
	s.agrees().Press("Accept and place order")
	c.must(s.t, "POST", "/v1/checkouts/"+x.id+"/complete", nil)
	s.Go(x.url)
}

func decides(decision string) func(*clerk, *patron, purchase) {
	return func(c *clerk, s *patron, _ purchase) {
		s.t.Helper()
		s.Await("/review")
		c.must(s.t, "POST", "/v1/sandbox/applications/"+c.application(s.t, s.email)+"/decide", fields{"decision": decision})
		s.Reload()
	}
}

func reloads(_ *clerk, s *patron, _ purchase) { s.t.Helper(); s.Await("/review"); s.Reload() }

func goesOn(_ *clerk, s *patron, _ purchase) { s.t.Helper(); s.Await("/decision"); s.Press("Continue") }

func triesAgain(_ *clerk, s *patron, _ purchase) {
	s.t.Helper()
	s.sees("/decision", "Something went wrong on our side", "Your answers are saved")
	s.Press("Try again")
}

func backs(_ *clerk, s *patron, _ purchase) {
	s.t.Helper()
	s.Await("/declined")
	s.Press("Back to the shop")
}

func asksForMore(_ *clerk, s *patron, _ purchase) {
	s.t.Helper()
	s.Await("/line")
	s.Press("Ask for a higher line")
	s.sees("/higher", "You keep your current line")
	s.Put("higher", "5,000", "revenue", "480,000", "credit_check", "yes", "ein", "84-3190700", "formed", "3/2019", "formed_in", "OR", "first_name", "Ana", "last_name", "Ruiz",
		"title", "Owner", "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209")
	s.Press("Request this line")
}

func endsIt(c *clerk, s *patron, x purchase) {
	s.t.Helper()
	s.Await("/terms")
	c.must(s.t, "POST", "/v1/checkouts/"+x.id+"/expire", nil)
	s.Reload()
}

func expires(c *clerk, s *patron, x purchase) {
	s.t.Helper()
	c.must(s.t, "POST", "/v1/sandbox/checkouts/"+x.id+"/expire", nil)
	s.Go(x.url)
}

func changesIt(c *clerk, s *patron, x purchase) {
	s.t.Helper()
	s.Await("/terms")
	remote := c.must(s.t, "GET", "/v1/checkouts/"+x.id, nil)["remote_id"]
	if again := c.sell(s.t, s.email, 1200, fields{"remote_id": remote}); again != x {
		s.t.Errorf("the same cart is %v and was %v", again, x)
	}
	c.sell(s.t, s.email, 1500, fields{"remote_id": remote})
	s.Reload()
}

// walk takes one of the ways.
func (e ending) walk(t *testing.T, b *browsertest.Browser, c *clerk, v browsertest.View) {
	s := visits(t, b, c, v)
	if s.email = e.email; s.email == "" {
		s.email = strings.ReplaceAll(e.name, " ", "-") + "@ruiz.example"
		s.email = strings.NewReplacer(",", "", "'", "").Replace(s.email)
	}
	x := c.sell(t, s.email, 1200, e.more)
	s.enters(x.url)
	if e.ein != "" {
		s.applies(e.ein)
	}
	if e.then != nil {
		e.then(c, s, x)
	}
	s.sees(e.page, e.says...)
	if at := s.URL(); e.page != "/leave" { // that is a response
		if s.Reload(); s.URL() != at {
			t.Errorf("Reload leads from %s to %s", at, s.URL())
		}
	}
	for _, text := range e.press {
		s.Press(text)
	}
	if lands := strings.ReplaceAll(e.lands, "ORDER", x.order); strings.HasPrefix(lands, "/cart") || strings.HasPrefix(lands, "/thanks") {
		if s.Await(c.site); s.URL() != c.site+lands {
			t.Errorf("the buyer lands at %s instead of %s", s.URL(), lands)
		}
	} else {
		s.Await(lands)
	}
	if got := c.stands(t, x); got != e.stands {
		t.Errorf("the checkout stands at %q instead of %q", got, e.stands)
	}
}

// Every state of a checkout as seen by the buyer's browser: the right page, which stays valid
// when requested again, the right way out, and nothing charged. Half of them are repeated on a
// narrow screen without scripts. By day each page is reached in one way, and without scripts what
// leads on: left, changed, and to a stranger; at night all. No network is sent more than 20 codes per hour, so a sandbox has
// 20 buyers.
func TestStatesInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	night := suite.By(false, true)
	all := slices.DeleteFunc(append(endings(), late()...), func(e ending) bool { return e.night == "all" && !night })
	plain := slices.DeleteFunc(slices.Clone(all), func(e ending) bool { return !e.plain || e.night == "plain" && !night })
	half := len(all) / 2
	for _, x := range []struct {
		name string
		list []ending
		view browsertest.View
	}{{"one half", all[:half], browsertest.View{}}, {"other half", all[half:], browsertest.View{}}, {"without script", plain, browsertest.View{Width: 320, NoScript: true}}} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			c := openShop(t)
			for _, e := range x.list {
				t.Run(e.name, func(t *testing.T) { e.walk(t, b, c, x.view) })
			}
		})
	}
}
