package credit_test

import (
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
)

// Staff set how a merchant appears to buyers. What is not named stays, null removes it, and a
// replaced picture is erased.
func TestMerchantShows(t *testing.T) {
	s := newScene(t, "no order")
	staff := credit.Actor{Client: "ops", Operator: true}
	text := func(x string) *lending.Patch[string] { return &lending.Patch[string]{Value: x, Null: x == ""} }
	logo := func(name string) (*lending.Patch[credit.Logo], []credit.Secret) {
		return &lending.Patch[credit.Logo]{Value: credit.Logo{Content: "vault of " + name, Hash: hashOf(name), Size: 100}}, sealed("vault of " + name)
	}
	set := func(change func(*merchants.SetMerchantShop)) (credit.Changes, *credit.Rejection) {
		c := merchants.SetMerchantShop{Merchant: s.owner.Merchant, Shop: credit.Shop{Origins: []string{"https://shop.example"}}, Reason: "its looks"}
		change(&c)
		return s.do(staff, c)
	}
	must := func(change func(*merchants.SetMerchantShop)) credit.Changes {
		t.Helper()
		ch, r := set(change)
		if r != nil {
			t.Fatal(r)
		}
		return ch
	}
	must(func(c *merchants.SetMerchantShop) {
		c.SupportEmail, c.SupportPhone, c.TermsURL, c.AccentColor = text("help@shop.example"), text("+1 212 555 0142"), text("https://shop.example/terms"), text("#0B5CAD")
		c.Logo, c.Secrets = logo("one")
	})
	must(func(*merchants.SetMerchantShop) {})
	want := credit.Shop{
		Origins: []string{"https://shop.example"}, SupportEmail: "help@shop.example", SupportPhone: "+1 212 555 0142", TermsURL: "https://shop.example/terms",
		AccentColor: "#0b5cad", Logo: credit.Logo{"vault of one", hashOf("one"), 100},
	}
	shown := func() credit.Shop { return s.all.Merchants[s.owner.Merchant].Shop }
	if got := shown(); !slices.Equal(got.Origins, want.Origins) || got.SupportEmail != want.SupportEmail || got.SupportPhone != want.SupportPhone ||
		got.TermsURL != want.TermsURL || got.AccentColor != want.AccentColor || got.Logo != want.Logo {
		t.Errorf("it shows %+v", got)
	}
	if ch := must(func(c *merchants.SetMerchantShop) { // the same picture, sealed again
		c.Logo, c.Secrets = logo("one")
		c.Logo.Value.Content, c.Secrets[0].ID = "vault of one again", "vault of one again"
	}); len(ch.Secrets)+len(ch.Erased)+len(ch.Merchants) != 0 {
		t.Errorf("the same picture changes %+v", ch)
	}
	if ch := must(func(c *merchants.SetMerchantShop) { c.Logo, c.Secrets = logo("two") }); !slices.Equal(ch.Erased, []string{"vault of one"}) || len(ch.Secrets) != 1 {
		t.Errorf("another picture: erased %v, %d kept", ch.Erased, len(ch.Secrets))
	}
	if ch := must(func(c *merchants.SetMerchantShop) {
		c.Logo, c.SupportPhone = &lending.Patch[credit.Logo]{Null: true}, text("")
	}); !slices.Equal(ch.Erased, []string{"vault of two"}) ||
		shown().Logo != (credit.Logo{}) || shown().SupportPhone != "" || shown().SupportEmail == "" {
		t.Errorf("taken away: erased %v, %+v", ch.Erased, shown())
	}
	for name, change := range map[string]func(*merchants.SetMerchantShop){
		"https://": func(c *merchants.SetMerchantShop) { c.TermsURL = text("http://shop.example/terms") },
		"4.47:1":   func(c *merchants.SetMerchantShop) { c.AccentColor = text("#777777") },
		"256 KiB": func(c *merchants.SetMerchantShop) {
			c.Logo, c.Secrets = logo("big")
			c.Logo.Value.Size = merchants.MaxLogo + 1
		},
		"a reason":       func(c *merchants.SetMerchantShop) { c.Reason, c.AccentColor = "", text("#000000") },
		"such as https:": func(c *merchants.SetMerchantShop) { c.Shop.Origins = []string{"http://shop.example"} },
	} {
		if _, r := set(change); r == nil || !strings.Contains(r.Detail, name) {
			t.Errorf("%s: %v", name, r)
		}
	}
	if _, r := s.do(s.owner, merchants.SetMerchantShop{Merchant: s.owner.Merchant, Reason: "mine"}); r == nil || r.Code != credit.NotFound.Code {
		t.Errorf("a merchant does it itself: %v", r)
	}
}
