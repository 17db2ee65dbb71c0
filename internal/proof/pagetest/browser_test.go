package pagetest

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	fakebank "tenor/internal/ports/rails/fake"
	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/devtest"
	"tenor/internal/proof/suite"
)

// patron is a buyer with a browser at a sandbox's shop.
type patron struct {
	*browsertest.Tab
	t       *testing.T
	url     string
	view    browsertest.View
	email   string
	autopay bool // payments are debited
	large   bool // pages are also checked with large text
	asked   int  // required fields without an answer, until the order was placed
	n       int
	other   other
}

// TENOR_TEST_PICTURES is a directory for pictures of every page; without it none are taken.
const picturesVariable = "TENOR_TEST_PICTURES"

// looks checks the page: its accessibility, and whether it fits.
func (s *patron) looks(name string) {
	s.t.Helper()
	s.n++
	if dir := os.Getenv(picturesVariable); dir != "" && !s.view.NoScript {
		s.Picture(dir, strconv.FormatInt(s.view.Width, 10)+"-"+strconv.Itoa(s.n)+"-"+name)
	}
	if !s.view.NoScript && !s.view.Forced && s.meets("axe", frame) { // axe-core is a script, and needs the page's own colors
		for _, v := range s.Axe() {
			s.t.Errorf("%s: %s: %s: %s", name, v.ID, v.Help, v.Where)
		}
	}
	for _, target := range s.Small(24) {
		s.t.Errorf("%s: too small to be hit: %s", name, target)
	}
	if s.Sideways() {
		s.t.Errorf("%s scrolls sideways", name)
	}
	if s.view.Forced {
		s.looksForced(name)
	}
	s.looksSpanish(name)
	if s.large {
		if s.Text200(true); s.Sideways() {
			s.t.Errorf("%s scrolls sideways when its text is twice as large", name)
		}
		s.Text200(false)
		if s.Spaced(true); s.Sideways() {
			s.t.Errorf("%s scrolls sideways when its letters and lines are further apart", name)
		}
		s.Spaced(false)
	}
}

// meets reports whether a check has something new on this page, which an expression describes. By
// day only the first page of each form is checked in each view, by whichever test shows it: each
// check costs more than its page. At night all are.
func (s *patron) meets(check, form string) bool {
	s.t.Helper()
	return suite.By(false, true) || s.Meets(check+browsertest.Eval[string](s.Tab, form))
}

// step checks a page of the checkout and counts its questions.
func (s *patron) step(path, name string) {
	s.t.Helper()
	s.Await(path)
	s.looks(name)
	s.asked += s.Unfilled()
}

// toCheckout puts an oven into the cart and chooses to pay over time.
func (s *patron) toCheckout(email string) {
	s.t.Helper()
	s.Go(s.url + "/shop")
	s.looks("shop")
	s.Press("Add to cart")
	s.Go(s.url + "/shop/cart")
	s.Fill("email", email)
	s.looks("cart")
	s.Press("Continue to pay over time")
	s.step("/c/", "start")
}

// signIn proves the email named by the shop.
func (s *patron) signIn() {
	s.t.Helper()
	s.Press("Continue")
	s.step("/email", "email")
	s.Press("Send the code")
	s.step("/code", "code")
	s.Fill("code", "000000")
	s.Press("Continue")
}

// apply answers the lender's questions, and is approved.
func (s *patron) apply(name, ein string) {
	s.t.Helper()
	s.answers(name, ein)
	s.step("/decision", "decision")
	s.Press("Choose how to repay")
}

// answers enters what a lender must know about a business and its owners.
func (s *patron) answers(name, ein string) {
	s.t.Helper()
	s.step("/business", "business")
	s.Press("Continue")
	if !strings.Contains(s.Text(), "Enter a 9-digit EIN") || !strings.HasPrefix(s.Title(), "Error: ") {
		s.t.Errorf("a form without answers comes back as %q", s.Title())
	}
	s.looks("business-wrong")
	for _, f := range [][2]string{
		{"legal_name", name}, {"entity", "LLC"}, {"ein", ein}, {"revenue", "480,000"}, {"formed", "3/2019"}, {"formed_in", "OR"},
		{"street", "27 Cannery Street"}, {"city", "Portland"}, {"state", "OR"}, {"zip", "97209"}, {"phone", "(503) 555-0142"},
	} {
		s.Fill(f[0], f[1])
	}
	s.Press("Continue")
	s.step("/you", "you")
	for _, f := range [][2]string{
		{"first_name", "Ana"}, {"last_name", "Ruiz"}, {"title", "Owner"}, {"share", "100"}, {"birth", "5/31/1980"}, {"home", "12 Elm Street, Portland, OR 97209"},
	} {
		s.Fill(f[0], f[1])
	}
	for _, box := range []string{"may_apply", "credit_check", "electronic"} {
		s.Tick(box, "yes")
	}
	s.Press("Apply")
}

// debits chooses autopay from a test account of the sandbox, forgetting to authorize it at first.
func (s *patron) debits() {
	s.t.Helper()
	s.asks("routing", false)
	if says := s.Text(); strings.Contains(says, "Authorization for autopay") {
		s.t.Errorf("page 6 shows what is authorized before somebody wants it:\n%s", says)
	}
	s.Tick("how", "new")
	s.asks("routing", true)
	for _, f := range [][2]string{{"routing", fakebank.Routing}, {"number", "100000000"}, {"holder", "Ruiz Kitchens"}} {
		s.Fill(f[0], f[1])
	}
	s.Press("Continue")
	if says := s.Text(); !strings.Contains(says, "Authorize the debits") || !strings.Contains(says, "Autopay from checking ••0000") {
		s.t.Errorf("page 6 without the authorization says:\n%s", says)
	}
	s.looks("repay-wrong")
	s.Tick("debits", "yes")
}

// accept chooses a plan, signs and is returned to the shop.
func (s *patron) accept() {
	s.t.Helper()
	s.step("/terms", "terms")
	s.Tick("plan", "6")
	s.Press("Continue")
	s.step("/repay", "repay")
	if s.autopay {
		s.debits()
	}
	s.Press("Continue")
	s.step("/accept", "accept")
	if says := s.Text(); strings.Contains(says, "Autopay from checking ••0000") != s.autopay || strings.Contains(says, "100000000") || !strings.Contains(says, "Ana Ruiz, owner") {
		s.t.Errorf("page 7 says of the repayment, and of who signs:\n%s", says)
	}
	s.Fill("name", "Ana Ruiz")
	s.Tick("master", "yes")
	s.Tick("agree", "yes")
	if s.view.Forced {
		s.looksForced("accept, signed")
	}
	s.Press("Accept and place order")
	s.Await("/shop") // the page says that the order is placed, and returns by itself
	s.looks("thanks")
}

// autopays reports whether the shop sees autopay on for a business that has bought.
func autopays(t *testing.T, c *clerk, name string) bool {
	t.Helper()
	for _, x := range c.must(t, "GET", "/v1/companies?limit=100", nil)["data"].([]any) {
		if company := x.(map[string]any); company["name"] == name {
			return company["autopay"].(map[string]any)["enabled"] == true
		}
	}
	t.Fatalf("the shop knows no %s", name)
	return false
}

// An unknown business buys an oven over time, from the shop's page to its thank-you page: wide and
// as narrow as phones, in light and dark mode, and, at night, without scripts. Everything shown
// comes from one server, and Back and Reload do nothing twice.
func TestBuyerInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	views := []browsertest.View{{Width: 1360}, {Width: 390, Dark: true}, {Width: 320, NoScript: true}}
	for i, v := range views[:suite.By(2, 3)] {
		n := strconv.Itoa(i)
		s := &patron{Tab: b.Tab(t, v), t: t, url: w.URL, view: v, large: v.Width == 1360, autopay: !v.Dark}
		s.toCheckout("ana" + n + "@ruiz-kitchens.example")
		s.signIn()
		s.apply("Ruiz Kitchens "+n+" LLC", "84-319070"+n)
		s.accept()
		if thanks := s.Text(); !strings.Contains(thanks, "Thank you") {
			t.Errorf("the shop says:\n%s", thanks)
		}
		if on := autopays(t, &clerk{w, ""}, "Ruiz Kitchens "+n+" LLC"); on != s.autopay {
			t.Errorf("%d pixels: autopay on: %v", v.Width, on)
		}
		if s.asked == 0 || s.asked > 14 {
			t.Errorf("%d answers were asked for that the shop had not given", s.asked)
		}
		at := s.URL()
		s.Reload()
		if s.URL() != at || !strings.Contains(s.Text(), "Thank you") {
			t.Errorf("Reload leads to %s", s.URL())
		}
		if got := s.Origins(); !slices.Equal(got, []string{w.URL}) {
			t.Errorf("asked %v for pages", got)
		}
		t.Logf("%d pixels: %d answers asked for, %d pages, %d of them in Spanish too, which took %s", v.Width, s.asked, s.n, s.other.pages, s.other.took.Round(time.Millisecond))
	}
}
