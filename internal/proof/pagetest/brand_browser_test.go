package pagetest

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"tenor/internal/app/exit"
	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/devtest"
)

// A merchant's checkout has its color on the primary button and its logo next to its name, wide
// and narrow, in the system's light and dark mode: a checkout stays light.
func TestBrandInABrowser(t *testing.T) {
	b := browsertest.Start(t)
	s, w := devtest.NewShopper(t)
	mark := image.NewNRGBA(image.Rect(0, 0, 400, 160))
	for x := range 400 {
		for y := range 160 {
			mark.Set(x, y, color.NRGBA{uint8(120 + x/4), 20, 60, 255})
		}
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, mark); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "logo.png")
	if err := os.WriteFile(file, picture.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	lender := &devtest.Shopper{T: t, URL: w.URL, Token: devtest.Token(t, w, "--operator")}
	checkout := s.API(201, "POST", "/v1/checkouts", `{"amount":300.00,"return_url":"https://shop.example/","cancel_url":"https://shop.example/"}`)
	for _, m := range lender.List("/v1/operator/merchants") {
		lender.Command(exit.Done, "merchants", "shop", m["id"].(string), "--origin", "https://shop.example", "--accent", "#8a1538", "--logo", file,
			"--support-email", "care@shop.example", "--support-phone", "+1 212 555 0142", "--terms", "https://shop.example/terms", "--reason", "its looks", "--yes")
	}
	for _, v := range []browsertest.View{{Width: 1360}, {Width: 1360, Dark: true}, {Width: 320}, {Width: 320, Dark: true}} {
		p := &patron{Tab: b.Tab(t, v), t: t, url: w.URL, view: v}
		light := map[bool]string{false: "light", true: "dark"}[v.Dark]
		p.Go(checkout["checkout_url"].(string))
		p.looks("brand-start-" + light)
		for property, want := range map[string]string{"background-color": "rgb(138, 21, 56)", "color": "rgb(255, 255, 255)"} {
			if got := p.Style(".btn:not([data-variant])", property); got != want {
				t.Errorf("%d pixels, %s: the button's %s is %s", v.Width, light, property, got)
			}
		}
		if got := p.Style("header img", "height"); got != "36px" {
			t.Errorf("%d pixels, %s: the logo is %q high", v.Width, light, got)
		}
		p.Go(checkout["checkout_url"].(string) + "/help")
		p.looks("brand-help-" + light)
	}
}
