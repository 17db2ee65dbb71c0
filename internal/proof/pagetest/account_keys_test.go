package pagetest

import (
	"testing"

	"tenor/internal/proof/browsertest"
)

// accountPages are those with controls, by path.
func accountPages(order string) []string {
	return []string{"", "/orders", "/orders/" + order, "/pay", "/payments", "/banks", "/banks/add", "/autopay", "/statements", "/people", "/people/invite", "/cases", "/cases/new", "/line", "/notices", "/you", "/help"}
}

// partly checks that part of the focused element is in the window: browsers do not scroll a row
// that scrolls by itself while part of the next stop is visible (WCAG 2.4.11).
const partly = `(r => r.right > 24 && r.left < document.documentElement.clientWidth - 24 && r.bottom > 24 && r.top < innerHeight - 24)(document.activeElement.getBoundingClientRect())`

// tabs moves through the whole page with the Tab key. Each stop is visible, and nothing covers
// it.
func (s *patron) tabs() (stops int) {
	s.t.Helper()
	before := ""
	for range 2 * most {
		s.Key(browsertest.KeyTab)
		f := s.Focus()
		inside := f.Name != "" && f.Name == before // the parts of a date show it themselves
		if before = f.Name; !f.Ring && !inside || f.Over != "" || f.Off && !browsertest.Eval[bool](s.Tab, partly) {
			s.t.Errorf("%s: the keyboard cannot be seen on %+v", s.URL(), f)
		}
		if f.Says == "Skip to content" && stops > 0 || f.Tag == "" && stops > 1 {
			return stops
		}
		stops++
	}
	s.t.Errorf("the Tab key comes to no end at %s", s.URL())
	return stops
}

// Every page of the account can be used with the keyboard, on a phone and with forced colors at
// half the width of a typical screen.
func TestAccountKeyboardInABrowser(t *testing.T) {
	t.Parallel()
	b, c := browsertest.Start(t), openShop(t)
	order := c.owes(t)
	for _, v := range []browsertest.View{{Width: 390}, {Width: 640, Forced: true}} {
		s := visits(t, b, c, v).signsIn(ready("01"))
		s.Await("/account")
		for _, path := range accountPages(order) {
			s.Go(s.url + "/account" + path)
			s.looks("account" + path)
			if n := s.tabs(); n < 5 {
				t.Errorf("the Tab key stops %d times at %s", n, s.URL())
			}
		}
	}
}
