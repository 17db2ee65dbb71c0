package checkout

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/office/buyer"
)

// dressed gives the merchant a color, a logo, support and terms, and returns the logo.
func (r *rig) dressed() []byte {
	r.t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 80, 20))); err != nil {
		r.t.Fatal(err)
	}
	text := func(x string) *lending.Patch[string] { return &lending.Patch[string]{Value: x} }
	secret := r.KeepBytes(b.Bytes())
	r.submit(staff(), merchants.SetMerchantShop{
		Merchant: r.merchant, Reason: "its looks", SupportEmail: text("care@harbor.example"), SupportPhone: text("+1 212 555 0142"),
		TermsURL: text("https://harbor.example/terms"), AccentColor: text("#0b5cad"), Secrets: []credit.Secret{secret},
		Logo: &lending.Patch[credit.Logo]{Value: credit.Logo{Content: secret.ID, Hash: buyer.Digest(b.String()), Size: b.Len()}},
	})
	return b.Bytes()
}

// A merchant's pages show its logo and its color, and its support contact where its buyers get
// help: on the help page, on the page of a company that may not buy now, and when something
// fails. Without branding, no missing file is requested.
func TestMerchantShowsItself(t *testing.T) {
	r := newRig(t)
	_, token := r.begin(1_200_00)
	b := r.browser(token)
	if b.get(""); strings.Contains(b.body, sheetStep) || strings.Contains(b.body, logoStep) || strings.Contains(b.body, "Terms of sale") {
		t.Error("there is something of a merchant that shows nothing of itself")
	}
	for _, file := range []string{sheetStep, logoStep} {
		if b.get(file); b.status != 404 {
			t.Errorf("%s of a merchant without: %d", file, b.status)
		}
	}
	if b.get("help"); strings.Contains(b.body, "You reach Harbor Supply") {
		t.Error("help names a way that is not there")
	}

	logo := r.dressed()
	b.get("").want("", "Terms of sale of Harbor Supply")
	found := map[string]bool{}
	for _, e := range b.all {
		switch {
		case e.Name == "link" && strings.Contains(e.Attr("href"), sheetStep):
			found["sheet"] = e.Attr("href") == b.path(sheetStep)+"?0b5cad"
		case e.Name == "img" && strings.Contains(e.Attr("src"), logoStep):
			found["logo"] = e.Attr("src") == b.path(logoStep)+"?"+buyer.Digest(string(logo))[:16] && e.Has("alt")
		case e.Name == "a" && e.Attr("href") == "https://harbor.example/terms":
			found["terms"] = true
		}
	}
	if len(found) != 3 || !found["sheet"] || !found["logo"] || !found["terms"] {
		t.Errorf("the first page has %v", found)
	}
	b.get("help").want("help", "You reach Harbor Supply here: care@harbor.example, +1 212 555 0142.")

	stranger := r.browser(token) // files need no session
	if stranger.get(sheetStep); stranger.status != 200 || !strings.Contains(stranger.body, "background-color:#0b5cad;color:#fff") ||
		stranger.head.Get("Content-Type") != "text/css; charset=utf-8" || stranger.head.Get("Cache-Control") != kept {
		t.Errorf("the sheet: %d %v %s", stranger.status, stranger.head, stranger.body)
	}
	if stranger.get(logoStep); stranger.status != 200 || stranger.body != string(logo) || stranger.head.Get("Content-Type") != "image/png" {
		t.Errorf("the logo: %d %v", stranger.status, stranger.head)
	}
	if other := r.browser("nobody"); other.get(logoStep).status != 404 {
		t.Errorf("the logo by a token that is none: %d", other.status)
	}
}

// If a company may not buy, its buyer also learns how to contact the shop.
func TestShopIsReachedFromN(t *testing.T) {
	r := newRig(t)
	r.dressed()
	company := r.company("Alder Kitchens", "avery@alderkitchens.example", 25_000_00)
	r.submit(staff(), lending.UpdateCompany{Company: company.ID, Status: credit.CompanyOnHold, StatusCode: "account_review"})
	_, token := r.begin(1_200_00)
	b := r.browser(token)
	b.signIn("avery@alderkitchens.example").want("unavailable", "You reach Harbor Supply here: care@harbor.example, +1 212 555 0142.")
}
