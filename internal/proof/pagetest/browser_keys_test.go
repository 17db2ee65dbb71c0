package pagetest

import (
	"strings"
	"testing"
	"time"

	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/devtest"
)

// most is how often the Tab key is pressed when looking for something on a page.
const most = 80

// stop checks the focused element: it is visible, and nothing covers it.
func (s *patron) stop() browsertest.Focus {
	s.t.Helper()
	f := s.Focus()
	what := f.Tag + " " + f.Name + " " + f.Says
	switch {
	case !f.Ring:
		s.t.Errorf("%s: nothing shows that the keyboard is on %s", s.URL(), what)
	case f.Over != "":
		s.t.Errorf("%s: %s lies over %s", s.URL(), f.Over, what)
	case f.Off:
		s.t.Errorf("%s: %s is not in sight", s.URL(), what)
	}
	return f
}

// reach presses Tab until a field with a name, or an element with a text, has the focus.
func (s *patron) reach(what string) *patron {
	s.t.Helper()
	for range most {
		s.Key(browsertest.KeyTab)
		if f := s.stop(); f.Name == what || f.Tag != "INPUT" && strings.Contains(f.Says, what) {
			return s
		}
	}
	s.t.Fatalf("the Tab key does not come to %s at %s", what, s.URL())
	return s
}

// types types into a field, replacing its content.
func (s *patron) types(name, text string) *patron {
	s.t.Helper()
	s.reach(name).Key(text) // Tab selects the content
	return s
}

// enter presses Enter on the element with a text, and waits for a page.
func (s *patron) enter(what, page string) *patron {
	s.t.Helper()
	s.reach(what).Enter()
	s.Await(page)
	return s
}

// ticks moves to a checkbox and checks it.
func (s *patron) ticks(names ...string) {
	s.t.Helper()
	for _, name := range names {
		s.reach(name).Key(browsertest.KeySpace)
	}
}

// sweeps moves the focus back to the top of the page.
func (s *patron) sweeps() {
	s.t.Helper()
	for range most {
		s.ShiftTab()
		if f := s.stop(); f.Says == "Skip to content" {
			return
		}
	}
	s.t.Errorf("Shift and Tab do not come to the top of %s", s.URL())
}

// A keyboard-only buyer gets from the first page to the shop's thank-you page, on a screen where
// the order's total stays at the top. The focused element is always visible.
func TestKeyboardInABrowser(t *testing.T) {
	t.Parallel()
	c := openShop(t)
	s := visits(t, browsertest.Start(t), c, browsertest.View{Width: 390})
	x := c.sell(t, "kim@ruiz.example", 1200, fields{"return_url": c.URL + "/shop/thanks?order=%ORDER_KEY%&checkout=%CHECKOUT_ID%"})
	s.Go(x.url)
	s.Key(browsertest.KeyTab)
	if f := s.stop(); f.Says != "Skip to content" {
		t.Errorf("first comes %+v", f)
	}
	s.enter("Continue", "/email").enter("Send the code", "/code")
	s.types("code", "000000").Enter()
	s.Await("/business")
	s.reach("Continue").Enter()
	if !devtest.Comes(func() bool { return strings.HasPrefix(s.Title(), "Error: ") }) {
		t.Fatalf("a form without answers comes back as %q", s.Title())
	}
	if !devtest.Comes(func() bool { return strings.Contains(s.Focus().Says, "Three answers need another look") }) {
		t.Fatalf("the keyboard is on %+v instead of what is wrong", s.Focus())
	}
	s.stop()
	s.reach("Enter a 9-digit EIN").Enter()
	if !devtest.Comes(func() bool { return s.Focus().Name == "ein" }) {
		t.Fatalf("the first problem leads to %+v", s.Focus())
	}
	s.stop()
	s.Key("84-3190799")
	s.types("revenue", "480,000").types("formed", "3/2019").reach("limit")
	s.sweeps()
	s.enter("Continue", "/you")
	for _, f := range [][2]string{{"first_name", "Kim"}, {"last_name", "Ruiz"}, {"title", "Owner"}, {"share", "100"}, {"birth", "5/31/1980"}, {"home", "12 Elm Street, Portland, OR 97209"}} {
		s.types(f[0], f[1])
	}
	s.ticks("may_apply", "credit_check", "electronic")
	s.enter("Apply", "/decision").enter("Choose how to repay", "/terms")
	s.reach("plan").Key(browsertest.KeySpace)
	s.Key(browsertest.KeyDown)
	if f := s.stop(); !strings.Contains(f.Says, "3 monthly payments") {
		t.Errorf("one below Net 30 is %+v", f)
	}
	s.reach("All payment dates").Enter()
	s.enter("Continue", "/repay").enter("Continue", "/accept")
	s.types("name", "Kim Ruiz").ticks("master", "agree")
	s.reach("Help")
	s.sweeps()
	s.enter("Accept and place order", "/shop/thanks")
	if !strings.Contains(s.Text(), "Thank you") {
		t.Errorf("the shop says:\n%s", s.Text())
	}
	if n := c.must(t, "GET", "/v1/checkouts/"+x.id, nil)["installments"]; n != 3.0 {
		t.Errorf("%v installments were accepted", n)
	}
}

// looksForced checks a page with forced colors, and with text twice as large.
func (s *patron) looksForced(name string) {
	s.t.Helper()
	for _, what := range s.Plain() {
		s.t.Errorf("%s: in the system's colors %s", name, what)
	}
}

// The whole checkout with forced colors, at half the width of a typical screen, which equals 200
// % zoom.
func TestForcedColorsInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	v := browsertest.View{Width: 640, Forced: true}
	s := &patron{Tab: b.Tab(t, v), t: t, url: w.URL, view: v}
	s.toCheckout("fay@ruiz.example")
	s.signIn()
	s.apply("Ruiz Kitchens LLC", "84-3190701")
	s.accept()
}

// The first page of a checkout is small and comes from one server. The test prints how soon it is
// painted on a slow connection, and how long a program takes for the whole checkout.
func TestCostInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	c := openShop(t)
	first := visits(t, b, c, browsertest.View{Width: 390})
	first.On(browsertest.Slow4G())
	first.Go(c.sell(t, ready("01"), 1200, nil).url)
	if n := first.Received(); n == 0 || n > 60<<10 {
		t.Errorf("the first page is %d bytes with all that it needs", n)
	}
	if got := first.Origins(); len(got) != 1 || got[0] != c.URL {
		t.Errorf("asked %v for the first page", got)
	}
	t.Logf("the first page: %d bytes, largest paint after %s at 1.6 Mbit/s and 150 ms", first.Received(), first.LargestPaint().Round(time.Millisecond))

	s := visits(t, b, c, browsertest.View{})
	s.Go(c.URL + "/shop")
	s.Press("Add to cart")
	s.Go(c.URL + "/shop/cart")
	s.Put("email", "quick@ruiz.example")
	began := time.Now()
	s.Press("Continue to pay over time")
	s.Press("Continue")
	s.Press("Send the code")
	s.Put("code", "000000")
	s.Press("Continue")
	s.applies("84-3190702").Press("Choose how to repay")
	s.agrees().Press("Accept and place order")
	s.Press("Go back to Harbor Supply")
	s.Await("/shop/thanks")
	t.Logf("from the button in the shop to its thank-you page: %s", time.Since(began).Round(time.Millisecond))
}
