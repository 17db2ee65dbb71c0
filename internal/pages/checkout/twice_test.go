package checkout

import (
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// stubborn is a browser without scripts that does everything twice: it reloads each page, submits
// each form again, and goes back to all pages that it has seen.
type stubborn struct {
	*browser
	seen []string
}

// get opens a page and reloads it.
func (s *stubborn) get(step string) *stubborn {
	s.t.Helper()
	s.browser.get(step)
	at, said := s.at, words(s.all)
	if s.browser.get(step); s.at != at || words(s.all) != said {
		s.t.Errorf("%s: reloaded, the page is %q:\n%s\ninstead of %q:\n%s", step, s.at, words(s.all), at, said)
	}
	return s
}

// post submits a form twice. It leads to the same page, from which Back leads to valid pages.
func (s *stubborn) post(step, to string, answers ...string) *stubborn {
	s.t.Helper()
	form := s.fields()
	for i := 0; i < len(answers); i += 2 {
		form.Set(answers[i], answers[i+1])
	}
	for range 2 {
		s.sendForm(step, form)
		s.follow().want(to)
	}
	s.seen = append(s.seen, step)
	for _, back := range s.seen {
		if s.browser.get(back); s.status >= 400 {
			s.t.Errorf("from %s back to %s: %d", to, back, s.status)
		}
	}
	return s.get(to)
}

// A buyer who reloads every page, submits every form twice and always goes back ends up with one
// application, one company and one order (scorecard C1).
func TestEverythingTwice(t *testing.T) {
	r := newRig(t)
	c, token := r.begin(1_200_00)
	s := &stubborn{browser: r.browser(token)}
	s.get("").want("")
	s.get("email").want("email")
	s.post("email", "code")
	s.post("code", "business", "code", "000000")
	s.post("business", "you", "ein", "00-0000001", "revenue", "480,000", "formed", "3/2019")
	s.post("you", "decision", "title", "Owner", "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209", "may_apply", "yes", "credit_check", "yes", "electronic", "yes")
	s.get("terms").want("terms")
	s.post("terms", "repay", "plan", "6")
	s.post("repay", "accept")
	for _, paper := range []string{"agreement", "disclosure", "master"} {
		if first, again := s.paper(paper).Body.String(), s.paper(paper).Body.String(); first != again || first == "" {
			t.Errorf("the %s is another one when it is read again", paper)
		}
	}
	s.post("accept", "done", "name", "Avery Alder", "agree", "yes", "master", "yes")
	for range 2 {
		s.browser.get("return")
		s.led("http://localhost:9000/thanks?o=" + c.Of)
	}
	count := func(each func(store.View, func()) error) (n int) {
		r.view(func(v store.View) error { return each(v, func() { n++ }) })
		return n
	}
	applications := count(func(v store.View, one func()) error {
		return store.EachRecord(v, credit.NounApplication, func(credit.Record) error { one(); return nil })
	})
	companies := count(func(v store.View, one func()) error {
		return store.EachOf(v, store.CompanyNoun, func(*credit.Company) error { one(); return nil })
	})
	x := r.visit(c)
	if applications != 1 || companies != 1 || r.status(c) != "ACCEPTED" || x.Order == nil || x.Order.Version != 1 || x.Order.Amount != 1_200_00 {
		t.Errorf("%d applications, %d companies, %s, order %+v", applications, companies, r.status(c), x.Order)
	}
	if walked := strings.Join(s.seen, " "); walked != "email code business you terms repay accept" {
		t.Errorf("forms were sent of %s", walked)
	}
}
