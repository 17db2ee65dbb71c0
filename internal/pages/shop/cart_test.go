package shop

import (
	"net/url"
	"strings"
	"testing"
)

// Next to "Pay over time", the cart's cost is shown as reported by the API; without a response,
// or without figures in it, the cart works as before.
func TestCostOfACart(t *testing.T) {
	none := []string{"a month", "APR", "finance charge"}
	for _, x := range []struct {
		name, offer string
		says, not   []string
	}{
		{"six payments", "", []string{"6 × $207.06</b> a month", "12.00% APR</span> <span>finance charge $42.35</span> <span>total $1,242.35", "Net 30, or 3, 6 or 24 monthly payments. Nothing due today.", "For business purchases, subject to approval.", `href="https://pay.example.com/promotions/terms?amount=1200.00"`}, nil},
		{"one payment", `{"eligible": true, "plans": [{"plan": "ZERO", "installments": 1, "amount": 1200.00, "finance_charge": 0.00, "apr": "0.00"}], "terms_url": "https://pay.example.com/promotions/terms"}`, []string{"<b class=\"text-base font-semibold tabular-nums\">$1,200.00</b> in one payment", "0.00% APR</span> <span>finance charge $0.00</span> <span>total $1,200.00", "One payment. Nothing due today."}, []string{"a month"}},
		{"longer than half a year", `{"eligible": true, "plans": [{"plan": "AMORTIZED", "installments": 9, "amount": 140.08, "finance_charge": 60.72, "apr": "12.00"}], "terms_url": "https://pay.example.com/promotions/terms"}`, []string{"9 × $140.08</b> a month", "9 monthly payments. Nothing due today."}, nil},
		{"nothing is offered", `{"eligible": false, "plans": []}`, nil, none},
		{"above the maximum", `{"eligible": true, "text": "Pay over time, up to $900.00", "plans": []}`, nil, none},
		{"no answer that can be read", `<html>`, nil, none},
	} {
		a := newAPI(t)
		a.offer = x.offer
		b := open(t, a)
		b.add("OVEN-HALF")
		page := b.get("/shop/cart").body
		for _, text := range append(x.says, "Continue to pay over time", "You see every cost before you accept", "Nothing due today.") {
			if !strings.Contains(page, text) {
				t.Errorf("%s: the cart does not say %q", x.name, text)
			}
		}
		for _, text := range x.not {
			if strings.Contains(page, text) {
				t.Errorf("%s: the cart says %q", x.name, text)
			}
		}
		if a.offers != 1 {
			t.Errorf("%s: asked %d times", x.name, a.offers)
		}
	}
}

// A buyer has the goods delivered to another address; the billing address is unchanged.
func TestDeliverElsewhere(t *testing.T) {
	a := newAPI(t)
	b := open(t, a)
	b.add("OVEN-HALF")
	if page := b.get("/shop/cart").body; !strings.Contains(page, `href="/shop/address"`) || !strings.Contains(page, "27 Cannery Street, Portland, OR 97209") {
		t.Error("the cart does not say where it goes, or has no way to change that")
	}
	b.get("/shop/address")
	for _, x := range []struct{ to, street string }{{"1", "310 Dock Avenue"}, {"9", "310 Dock Avenue"}, {"", "310 Dock Avenue"}, {"0", "27 Cannery Street"}, {"-1", "27 Cannery Street"}, {"1", "310 Dock Avenue"}} {
		if r := b.do("POST", "/shop/address", url.Values{"to": {x.to}}); r.status != 303 || r.location != "/shop/cart" {
			t.Fatal(r.status, r.location)
		}
		if !strings.Contains(b.get("/shop/cart").body, x.street) {
			t.Errorf("to %q: the cart does not go to %s", x.to, x.street)
		}
	}
	if r := b.do("POST", "/shop/checkout", b.form()); r.status != 303 {
		t.Fatal(r.status)
	}
	if x := a.checkouts[0]; x.bill != "27 Cannery Street" || x.ship != "310 Dock Avenue" {
		t.Errorf("billed to %s, shipped to %s", x.bill, x.ship)
	}
	for _, value := range []string{"/to*2/OVEN-HALF*1", "/to*0/OVEN-HALF*1", "/to*1/to*1/OVEN-HALF*1", "/OVEN-HALF*1/to*1"} {
		if id := newCart().ID; readCart(id+value).ID == id {
			t.Errorf("%s is a cart", value)
		}
	}
}
