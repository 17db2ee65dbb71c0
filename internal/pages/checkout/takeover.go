package checkout

import (
	"cmp"
	"net/http"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// current reports whether the checkout has not been taken over since the session's email was
// proved. A session that has lost it can do nothing until the email is proved again.
func (v *visit) current() bool {
	return v.Session != nil && v.Session.Taken == v.x.Checkout.Taken
}

// routeOther is for a visitor who has proved an email and opens a checkout started by another
// person: she may take over if she could have started it herself, or if she did, with another
// email.
func (v *visit) routeOther() error {
	v.at = "elsewhere"
	v.open = append(v.open, "email", "code", "leave")
	c := v.x.Checkout
	of := cmp.Or(c.Company, c.Named)
	companies, err := v.Desk.Companies(v.Ctx(), v.Person)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(companies, func(x *credit.Company) bool { return x.ID == of }); i >= 0 {
		v.company = companies[i]
	}
	able := v.company != nil && v.mayEnter(v.company) || of == 0 && v.Session.From == c.Person
	if able && v.current() && c.Person != v.Person.ID && c.Status == credit.CheckoutOpen && !c.Applied(v.x.Application) {
		v.at = "takeover"
	}
	return nil
}

// applied returns the application that led to the checkout's company, as far as the visitor may
// see it: one person's application is not shown to another who takes over from her.
func (v *visit) applied() *credit.Application {
	if a := v.x.Application; a != nil && (v.x.Checkout.Taken == 0 || a.Of == v.Person.Of) {
		return a
	}
	return nil
}

// takeoverPage asks whether to continue in place of the person who started. It does not reveal
// who that is, nor what was entered.
func (v *visit) takeoverPage() error {
	text := v.Say("takeover.new")
	if v.company != nil {
		text = v.Say("takeover.text", v.company.Name)
	}
	return v.show(http.StatusOK, page{Shell: v.shell(0, v.Say("takeover.title")), Post: v.path("takeover"), Outcome: &design.Outcome{
		Badge: design.Badge{Text: v.Say("elsewhere.badge")}, Title: v.Say("takeover.title"), Text: text,
		Acts: []design.Button{{Text: v.Say("takeover.go"), Emphasis: design.Primary}, v.link("back.shop", "leave", design.Ghost)},
	}})
}

// takeOver records the takeover. Of two concurrent ones, one succeeds.
func (v *visit) takeOver() error {
	company := int64(0)
	if v.company != nil {
		company = v.company.ID
	}
	err := v.Desk.TakeOver(v.Ctx(), v.Session, v.x.Checkout, company, v.Address)
	if err != nil && pages.Refused(err) == nil {
		return err
	}
	return v.next()
}

// elsewherePage is what a browser sees of a checkout that continues in another browser, or with
// another person.
func (v *visit) elsewherePage() error {
	title, text := v.Say("elsewhere.title"), v.Say("elsewhere.text")
	switch other := v.Person != nil && v.Person.ID != v.x.Checkout.Person; {
	case other && v.company != nil:
		title, text = v.Say("colleague.title", v.company.Name), v.Say("colleague.text", v.company.Name)
	case other && !v.current():
		title, text = v.Say("replaced.title"), v.Say("replaced.text")
	}
	return v.show(http.StatusOK, page{Shell: v.shell(0, title), Outcome: &design.Outcome{
		Badge: design.Badge{Text: v.Say("elsewhere.badge")}, Title: title, Text: text,
		Acts: []design.Button{v.link("elsewhere.go", "email", design.Primary)},
	}})
}
