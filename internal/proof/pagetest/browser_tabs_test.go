package pagetest

import (
	"fmt"
	"strings"
	"testing"

	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/suite"
)

// orders returns how many orders a checkout has resulted in, by the shop's events.
func (c *clerk) orders(t *testing.T, x purchase) (n int) {
	t.Helper()
	for cursor, more := "", true; more; {
		page := c.must(t, "GET", "/v1/events?limit=100"+cursor, nil)
		for _, e := range page["data"].([]any) {
			if e := e.(map[string]any); e["type"] == "order.created" && e["object"].(map[string]any)["id"] == x.order {
				n++
			}
		}
		more = page["has_more"].(bool)
		cursor = fmt.Sprint("&cursor=", page["next_cursor"])
	}
	return n
}

// once checks that a checkout has been accepted exactly once.
func (c *clerk) once(t *testing.T, x purchase) {
	t.Helper()
	if got := c.stands(t, x); got != "ACCEPTED, order CREATED" {
		t.Errorf("the checkout stands at %q", got)
	}
	if n := c.orders(t, x); n != 1 {
		t.Errorf("%d orders", n)
	}
}

// impatient is a buyer who does not proceed straight ahead.
type impatient struct {
	*patron
	c *clerk
	b *browsertest.Browser
	x purchase
}

// Back, Reload, two tabs and impatience: whatever a buyer does, there is one order, and each page
// shown is valid.
func TestTabsInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	c := openShop(t)
	for _, x := range []struct {
		name, email string
		story       func(*testing.T, impatient)
		night       bool // by day another story shows the same
	}{
		{"back", ready("01"), goesBack, false},
		{"double click", ready("01"), clicksTwice, false},
		{"accepted in another tab", ready("01"), acceptsInBoth, true},
		{"another plan in another tab", ready("01"), changesThePlan, false},
		{"completed", ready("01"), comesAgain, true},
		{"the day after", ready("06"), acceptsTooLate, false}, // it advances the clock: last
	} {
		if suite.By(x.night, false) {
			continue
		}
		t.Run(x.name, func(t *testing.T) {
			s := impatient{visits(t, b, c, browsertest.View{}), c, b, c.sell(t, x.email, 1200, nil)}
			s.enters(s.x.url)
			x.story(t, s)
		})
	}
}

func goesBack(t *testing.T, s impatient) {
	s.agrees()
	for _, step := range []string{"/repay", "/terms"} {
		s.Back()
		s.Await(step)
	}
	s.Put("plan", "3")
	s.Press("Continue")
	s.Press("Continue")
	s.sees("/accept", "3 monthly payments of $408.03")
	s.Reload()
	s.signs().places(s.x)
	s.Back() // the previous page returns to the shop again, by itself
	s.Await("/thanks")
	s.c.once(t, s.x)
}

func clicksTwice(t *testing.T, s impatient) {
	s.agrees().DoubleClick("Accept and place order")
	s.Await("/thanks")
	s.c.once(t, s.x)
}

func acceptsInBoth(t *testing.T, s impatient) {
	s.agrees()
	other := s.twin()
	other.Go(s.x.url + "/accept")
	other.signs().places(s.x)
	s.places(s.x)
	s.c.once(t, s.x)
}

func changesThePlan(t *testing.T, s impatient) {
	s.agrees()
	other := s.twin()
	other.Go(s.x.url + "/terms")
	other.Put("plan", "3")
	other.Press("Continue")
	s.places(s.x) // for what this tab shows
	if n := s.c.must(t, "GET", "/v1/checkouts/"+s.x.id, nil)["installments"]; n != 6.0 {
		t.Errorf("%v installments were accepted, and 6 were shown", n)
	}
	other.Press("Continue")
	other.Await("/thanks")
	s.c.once(t, s.x)
}

func comesAgain(t *testing.T, s impatient) {
	s.agrees().places(s.x)
	s.c.must(t, "POST", "/v1/checkouts/"+s.x.id+"/complete", nil)
	s.Go(s.x.url + "/accept")
	s.Await("/thanks")
	other := visits(t, s.b, s.c, browsertest.View{})
	other.Go(s.x.url)
	other.sees("/ended", "This order is placed", "There is nothing left to do here.")
	if strings.Contains(other.Text(), "Alder") {
		t.Errorf("a stranger is told whose it is:\n%s", other.Text())
	}
}

func acceptsTooLate(t *testing.T, s impatient) {
	s.agrees()
	s.c.must(t, "POST", "/v1/sandbox/clock/advance", fields{"duration": "16h"})
	s.Press("Accept and place order")
	s.sees("/terms", "The terms have changed", "You had seen: 6 × $2", "first on February 5, 2026")
	if got := s.c.stands(t, s.x); got != "OPEN, no order" {
		t.Errorf("the checkout stands at %q", got)
	}
	s.agrees().places(s.x)
	s.c.once(t, s.x)
}

// twin is another tab of the same buyer.
func (s *patron) twin() *patron { return &patron{Tab: s.Twin(), t: s.t, url: s.url, view: s.view} }

// What another person's browser sees of a checkout: with only its address, with a session for her
// own company, with a code for another checkout. Nothing of it is personal.
func TestStrangersInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	c := openShop(t)
	x := c.sell(t, "quinn@ruiz.example", 1200, nil)
	owner := visits(t, b, c, browsertest.View{})
	owner.enters(x.url).applies("00-0000001")
	owner.sees("/decision", "Alder Kitchens LLC has a line of")
	personal := []string{"Ruiz", "quinn", "Alder Kitchens", "25,000", "Elm Street", "Cannery", "1980"}

	thief := visits(t, b, c, browsertest.View{})
	blind := func(s *patron, how string, steps ...string) {
		t.Helper()
		for _, step := range append(steps, "", "/decision", "/accept", "/agreement", "/return") {
			s.Go(x.url + step)
			if s.Await("/elsewhere"); !strings.Contains(s.Text(), "Continue on the device where you started") {
				t.Errorf("%s: %s shows %s", how, step, s.URL())
			}
			text := s.Text()
			for _, word := range personal {
				if strings.Contains(text, word) {
					t.Errorf("%s: %s shows %q", how, step, word)
				}
			}
		}
	}
	// One place turns strangers away from every step: by day three are tried, at night all.
	steps := []string{"/code", "/company", "/business", "/you", "/terms", "/repay", "/done", "/review", "/declined", "/line", "/higher", "/unavailable", "/owner", "/disclosure", "/master"}
	blind(thief, "with the address", steps[:suite.By(3, len(steps))]...)
	thief.looks("elsewhere")

	own := c.sell(t, ready("01"), 1200, nil) // a person with a session and a company
	other := visits(t, b, c, browsertest.View{})
	other.enters(own.url).Await("/terms")
	blind(other, "with another session")
	other.Go(own.url)
	other.Await("/terms")

	// A code sent for another checkout does not open this one, and neither does that one's page.
	thief.Go(own.url + "/email")
	thief.Put("email", "mallory@ruiz.example")
	thief.Press("Send the code")
	code := c.code(t, "mallory@ruiz.example", "")
	thief.Go(x.url + "/email")
	thief.Put("email", "mallory@ruiz.example")
	thief.Press("Send the code")
	thief.Put("code", code)
	thief.Press("Continue")
	thief.sees("/code", "That is not the code")
	thief.Put("code", c.code(t, "mallory@ruiz.example", code))
	thief.Press("Continue") // a person, but a different one
	thief.sees("/elsewhere", "Continue on the device where you started")
	blind(thief, "as another person")

	owner.Reload()
	owner.sees("/decision", "Alder Kitchens LLC has a line of")
	thief.Go(c.URL + "/c/bcdfghjkmnpqrstvwxyz23456789bcdf")
	thief.sees("/c/", "There is nothing here")
}

// A mailed link is not a session: it requires its reader to prove the email, however old it is.
func TestMailedLinkInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	c := openShop(t)
	x := c.sell(t, ready("01"), 1200, fields{"mode": "link"})
	link := c.link(t, ready("01"))
	if link != x.url {
		t.Errorf("the mail leads to %s and the checkout is %s", link, x.url)
	}
	s := visits(t, b, c, browsertest.View{Width: 390})
	s.Go(link)
	s.sees("/c/", "Finance $1,200.00 at Harbor Supply")
	s.enters(link).agrees().places(x)
	old := visits(t, b, c, browsertest.View{Width: 390})
	old.Go(link)
	old.sees("/ended", "This order is placed")
}
