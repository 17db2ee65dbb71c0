package shop

import (
	"strings"
	"testing"
)

// A modal checkout is the same call with another mode: the page's script gets its address, and
// without the script the browser goes there. A refusal shows the page that says why.
func TestModal(t *testing.T) {
	a := newAPI(t)
	b := open(t, a)
	b.add("OVEN-HALF")
	f := b.form()
	f.Set("mode", "modal")
	x := b.do("POST", "/shop/checkout", f, "Accept", "application/json")
	if x.status != 200 || x.body != `{"checkout_url":"`+a.base+`/c/chk_1"}` || x.header.Get("Content-Type") != "application/json" || !strings.Contains(a.checkouts[0].cart, "modal") {
		t.Errorf("%d %s", x.status, x.body)
	}
	if x := b.do("POST", "/shop/checkout", f); x.status != 303 || x.location != a.base+"/c/chk_1" || len(a.checkouts) != 1 {
		t.Errorf("without script: %d %s", x.status, x.location)
	}
	f.Set("email", "nobody")
	if x := b.do("POST", "/shop/checkout", f, "Accept", "application/json"); x.status != 422 || !strings.Contains(x.body, "e-mail</span> is needed.") {
		t.Errorf("refused: %d", x.status)
	}
	policy := b.get("/shop/cart").header.Get("Content-Security-Policy")
	for _, part := range []string{"script-src 'self';", "connect-src 'self';", "frame-src 'self';", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy %s lacks %s", policy, part)
		}
	}
	if s := b.do("GET", b.shop.site.script, nil); s.status != 200 || !strings.Contains(s.body, "openCheckout") {
		t.Errorf("the script: %d", s.status)
	}
}
