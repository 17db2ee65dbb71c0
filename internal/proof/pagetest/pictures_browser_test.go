package pagetest

import (
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenor/internal/app/cli/operate"
	"tenor/internal/domain/permit"
	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/devtest"
)

var rewritePictures = flag.Bool("rewrite", false, "take the pictures of docs/pictures anew, to be reviewed like code")

// picturesOfPages is the folder of the pictures in the README and the guides, relative to this
// folder.
const picturesOfPages = "../../../docs/pictures"

// printed are those pictures: each is created from a sandbox by -rewrite.
func printed() map[string]func(*testing.T, *browsertest.Browser) {
	return map[string]func(*testing.T, *browsertest.Browser){
		"shop, checkout-modal": printShop, "checkout-decision, checkout-terms, checkout-accept": printCheckout,
		"account-home": printAccount, "sandbox-home, docs-operation": printPortal, "console-home, console-reports, console-cash, console-set-up": printConsole,
	}
}

// The README and the guides show pictures of the main pages, no picture is unused, and all of
// them are small. With -rewrite they are recreated in a browser.
func TestPictures(t *testing.T) {
	var names []string
	if *rewritePictures {
		t.Setenv("FONTCONFIG_FILE", fontsFor(t))
	}
	for of, take := range printed() {
		names = append(names, strings.Split(of, ", ")...)
		if *rewritePictures {
			t.Run(of, func(t *testing.T) { take(t, browsertest.Start(t)) })
		}
	}
	pages := ""
	for _, pattern := range []string{"../../../README.md", "../../../docs/*.md", "../../../docs/guides/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pages += string(text)
		}
	}
	there, err := os.ReadDir(picturesOfPages)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range there {
		name := strings.TrimSuffix(f.Name(), ".png")
		if !slices.Contains(names, name) {
			t.Errorf("nobody makes docs/pictures/%s again", f.Name())
		}
		if !strings.Contains(pages, "pictures/"+f.Name()+")") {
			t.Errorf("no page shows docs/pictures/%s", f.Name())
		}
		if info, err := f.Info(); err != nil || info.Size() > 100<<10 {
			t.Errorf("docs/pictures/%s is larger than 100 KB (%v)", f.Name(), err)
		}
	}
	if len(there) != len(names) {
		t.Errorf("%d pictures, want %d: %v", len(there), len(names), names)
	}
}

// fontsFor returns a list of fonts in which the system's own is Liberation Sans, as wide as those
// of most machines: pages look alike in all pictures, wherever they are created.
func fontsFor(t *testing.T) string {
	list := `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig><include ignore_missing="yes">/etc/fonts/fonts.conf</include>`
	for _, system := range []string{"system-ui", "sans-serif"} {
		list += `<match target="pattern"><test name="family"><string>` + system + `</string></test><edit name="family" mode="prepend" binding="strong"><string>Liberation Sans</string></edit></match>`
	}
	file := filepath.Join(t.TempDir(), "fonts.conf")
	if err := os.WriteFile(file, []byte(list+"</fontconfig>"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// printWidth is the width of the pictures in pixels.
const printWidth = 1120

func prints(t *testing.T, b *browsertest.Browser, w operate.World) *patron {
	v := browsertest.View{Width: printWidth}
	return &patron{Tab: b.Tab(t, v), t: t, url: w.URL, view: v}
}

func (s *patron) print(name string, whole bool) {
	s.t.Helper()
	s.Print(picturesOfPages, name, whole)
}

// printShop shows the sandbox's shop: its cart, and the checkout in a dialog of its page.
func printShop(t *testing.T, b *browsertest.Browser) {
	w := devtest.Sandbox(t, t.Cleanup)
	s := prints(t, b, w)
	s.Go(w.URL + "/shop")
	s.Press("Add to cart")
	s.Go(w.URL + "/shop/cart")
	s.Fill("email", ready("01"))
	s.print("shop", true)
	s = prints(t, b, w)
	s.Go(w.URL + "/shop")
	s.Press("Add to cart")
	s.Fill("email", ready("01"))
	s.Fill("mode", "modal")
	s.Click("Continue to pay over time")
	s.Until(`(document.querySelector("body > div:last-child")?.shadowRoot?.getElementById("sheet")?.open ?? false)`)
	inside := &patron{Tab: s.Frame(), t: t, url: w.URL, view: s.view}
	inside.Await("/c/")
	inside.proves()
	inside.Await("/terms")
	inside.Tick("plan", "6")
	browsertest.Eval[bool](inside.Tab, "(scrollTo(0, 0), true)")
	s.print("checkout-modal", false)
}

// printCheckout shows an unknown business, from the decision to the binding step.
func printCheckout(t *testing.T, b *browsertest.Browser) {
	w := devtest.Sandbox(t, t.Cleanup)
	for _, stop := range []string{"decision", "terms", "accept"} {
		s := prints(t, b, w)
		s.Go(w.URL + "/shop")
		s.Press("Add to cart")
		s.Go(w.URL + "/shop/cart")
		s.Fill("email", "ana@"+stop+"-kitchens.example")
		s.Press("Continue to pay over time")
		s.signIn()
		ein := "84-319070" + string(rune('0'+len(stop)))
		if stop == "decision" { // with a line larger than the order
			ein = "00-0000001"
		}
		s.answers("Ruiz Kitchens LLC", ein)
		s.Await("/decision")
		if stop == "decision" {
			s.print("checkout-decision", true)
			continue
		}
		s.Press("Choose how to repay")
		s.Await("/terms")
		s.Tick("plan", "6")
		if stop == "terms" {
			s.print("checkout-terms", true)
			continue
		}
		s.Press("Continue")
		s.Await("/repay")
		s.debits()
		s.Press("Continue")
		s.Await("/accept")
		s.Fill("name", "Ana Ruiz")
		s.print("checkout-accept", true)
	}
}

// printAccount shows a business that has bought at a shop and has paid for a month.
func printAccount(t *testing.T, b *browsertest.Browser) {
	c := openShop(t)
	c.owes(t)
	c.must(t, "POST", "/v1/sandbox/clock/advance", fields{"duration": "840h"})
	s := prints(t, b, c.World)
	s.signsIn(ready("01"))
	s.Await("/account")
	s.print("account-home", true)
}

// printPortal shows the first page of a sandbox after a month, and a page of the reference.
func printPortal(t *testing.T, b *browsertest.Browser) {
	x, w := devtest.NewShopper(t)
	x.Form("/sandbox/enter", url.Values{"token": {w.Token}})
	order := x.API(201, "POST", "/order", `{"company_id":1000000001,"merchant_order_id":"PO-7781","amount":1200.00,"installments":6,"status":"AUTHORIZED"}`)
	x.API(200, "PATCH", "/v1/order/"+order["key"].(string), `{"status":"CAPTURED"}`)
	x.Form("/sandbox/clock", url.Values{"act": {"to"}, "to": {"2026-02-20"}, "back": {"/sandbox"}})
	x.Until("the clock is there", "/v1/sandbox/mail", func([]map[string]any) bool { return x.API(200, "GET", "/v1/sandbox/clock", "")["status"] == "ready" })
	s := prints(t, b, w)
	s.Go(w.URL + "/")
	s.Fill("token", w.Token)
	s.Press("Enter for half an hour")
	s.Go(w.URL + "/sandbox")
	s.print("sandbox-home", false)
	wide := &patron{Tab: b.Tab(t, browsertest.View{Width: 1360}), t: t, url: w.URL}
	wide.Go(w.URL + "/docs/api/updateOrder")
	wide.print("docs-operation", false)
}

// printConsole prints the console's home in a sandbox with a history, and a set-up link.
func printConsole(t *testing.T, b *browsertest.Browser) {
	w := devtest.Sandbox(t, t.Cleanup, "--history")
	s := &clerkTab{Tab: b.Tab(t, browsertest.View{Width: 1180}), t: t, w: w}
	s.Go(w.Console)
	browsertest.Eval[bool](s.Tab, "document.querySelector('input[value="+string(permit.Admin)+"]').form.submit(), true")
	s.Await("/console")
	s.Print(picturesOfPages, "console-home", false)
	s.Go(w.URL + "/console/reports")
	s.Print(picturesOfPages, "console-reports", true)
	s.Go(w.URL + "/console/reports/cash")
	s.Print(picturesOfPages, "console-cash", true)
	s.Go(s.invited("ada@lender.example"))
	s.Print(picturesOfPages, "console-set-up", false)
}
