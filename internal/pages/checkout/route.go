package checkout

import (
	"slices"
	"strconv"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/onboarding"
)

// route determines where the records lead (experience: states, what everybody sees).
func (v *visit) route() error {
	v.place = place{open: []string{"help"}}
	c := v.x.Checkout
	v.mine = v.Person != nil && (c.Person == "" || c.Person == v.Person.ID) && v.current()
	over := !c.ExpiresAt.After(v.Desk.Now())
	switch {
	case c.Status == credit.CheckoutCompleted, c.Status == credit.CheckoutAccepted && !over:
		v.at = "ended"
		if v.mine {
			v.at = "done"
			v.open = append(v.open, "return")
		}
	case c.Reason == lending.EndReplaced:
		v.at = "changed"
		v.open = append(v.open, "leave")
	case c.Status == credit.CheckoutDeclined && v.mine:
		v.at, v.application = "declined", v.x.Application
		v.open = append(v.open, "leave")
	case c.Ended(), over && c.Status != credit.CheckoutPending:
		v.at = "ended"
		v.open = append(v.open, "leave")
	case v.Person == nil:
		v.routeStranger()
	case !v.mine:
		return v.routeOther()
	default:
		return v.routeBuyer()
	}
	return nil
}

// routeStranger is for a visitor who has not proved an email yet: the link opens two pages.
func (v *visit) routeStranger() {
	v.at = "start"
	switch {
	case v.Late != nil: // she was signed in here recently
		v.at = "email"
	case v.x.Checkout.Person != "":
		v.at = "elsewhere"
	}
	v.open = append(v.open, "email", "leave")
	if v.Session != nil && v.Session.Email != "" {
		v.open = append(v.open, "code")
	}
}

// routeBuyer is for the buyer who goes through the checkout.
func (v *visit) routeBuyer() error {
	c := v.x.Checkout
	v.open = append(v.open, "email", "code", "leave")
	a := v.applied()
	switch {
	case c.Status == credit.CheckoutPending:
		v.at, v.application = "review", a
		return nil
	case a != nil && a.Status == credit.ApplicationSubmitted:
		v.at, v.application = "decision", a
		if v.waited() {
			v.at = "review"
		}
		return nil
	case c.Person == "":
		return v.routeChoice()
	}
	companies, err := v.Desk.Companies(v.Ctx(), v.Person)
	if err != nil {
		return err
	}
	if c.Named == 0 && (len(companies) > 1 || len(companies) == 1 && v.x.Company == nil) && (a == nil || !a.Decided()) {
		v.choices = companies
		v.open = append(v.open, "company")
	}
	if v.x.Company == nil {
		return v.routeNew()
	}
	v.routeCompany(v.x.Company)
	return nil
}

// reviewAfter is how long the page waits for a decision.
const reviewAfter = 30 * time.Second

// waited reports whether an application was submitted so long ago that its buyer need not wait on
// the page.
func (v *visit) waited() bool {
	sent, err := time.Parse(time.RFC3339, v.Draft["sent"])
	return err != nil || v.Desk.Wall().Sub(sent) > reviewAfter
}

// routeChoice is for a visitor whose business is not known yet. The checkout is not bound to a
// person who may not accept it: an owner can still open it.
func (v *visit) routeChoice() error {
	companies, err := v.Desk.Companies(v.Ctx(), v.Person)
	if err != nil {
		return err
	}
	chosen, _ := strconv.ParseInt(v.Draft["company"], 10, 64)
	if named := v.x.Checkout.Named; named != 0 {
		chosen = named
		companies = slices.DeleteFunc(companies, func(c *credit.Company) bool { return c.ID != named })
		if len(companies) == 0 {
			v.at = "outsider"
			return nil
		}
	}
	if len(companies) == 0 {
		return v.routeNew()
	}
	v.choices, v.at = companies, "company"
	v.open = append(v.open, "company")
	if len(companies) == 1 {
		chosen = companies[0].ID
	}
	if i := slices.IndexFunc(companies, func(c *credit.Company) bool { return c.ID == chosen }); i >= 0 && !v.mayEnter(companies[i]) {
		v.routeCompany(companies[i])
	}
	return nil
}

// mayEnter reports whether a person may continue for a company.
func (v *visit) mayEnter(c *credit.Company) bool {
	return c.Status == credit.CompanyApproved && v.Person.MayFinish(c, v.x.Checkout.Amount)
}

// declinedFor is the number of days before the pages allow another application after a decision.
const declinedFor = 30

// routeNew is for a business that is not known yet, unless somebody has recently applied with
// this email.
func (v *visit) routeNew() error {
	list, err := v.Desk.Applications(v.Ctx(), v.Session.Email)
	if err != nil {
		return err
	}
	for _, a := range list {
		since := v.Desk.Zone.Date(a.EndedAt)
		switch {
		case !a.Decided():
			v.at, v.application = "review", a
			return nil
		case a.Status == credit.ApplicationDeclined && v.Today() < since.AddDays(declinedFor):
			v.at, v.application = "declined", a
			return nil
		}
	}
	v.at = "business"
	if _, problems := v.Business(v.Draft); len(problems) == 0 {
		v.at = "you"
		v.open = append(v.open, "business")
	}
	return nil
}

// routeCompany is for a known company: from its status to the acceptance.
func (v *visit) routeCompany(c *credit.Company) {
	v.company = c
	role, acts := v.Person.RoleAt(c.ID)
	a := v.applied()
	approved := a != nil && a.Status == credit.ApplicationApproved
	switch {
	case !acts: // she no longer acts for it
		v.at = "outsider"
	case c.Status == credit.CompanyPending:
		v.at = "review"
	case c.Status != credit.CompanyApproved:
		v.at = "unavailable"
	case !v.mayEnter(c):
		v.at = "owner"
	case c.Available() < v.x.Checkout.Amount:
		v.at = "line"
		if role.Role == credit.RoleOwner {
			v.open = append(v.open, "higher")
		}
		if approved {
			v.open, v.application = append(v.open, "decision"), a
		}
	default:
		if !approved {
			a = nil
		}
		v.routeOffer(a)
	}
}

// routeOffer is for a buyer who only has to choose and accept. approved is the application that
// led to the line, nil if none.
func (v *visit) routeOffer(approved *credit.Application) {
	v.open, v.at = append(v.open, "terms"), "terms"
	if approved != nil {
		v.open, v.at, v.application = append(v.open, "decision"), "decision", approved
	}
	if _, ok := v.chosen(); !ok {
		return
	}
	v.open, v.at = append(v.open, "repay", "agreement", "agreement.pdf", "disclosure", "disclosure.pdf", "master", "master.pdf"), "repay"
	if v.repaid() {
		v.open, v.at = append(v.open, "accept"), "accept"
	}
}

// chosen returns the chosen offer, false if there is none or it is no longer offered.
func (v *visit) chosen() (onboarding.Offer, bool) {
	for _, o := range v.offers() {
		if v.Draft["plan"] == strconv.Itoa(o.Terms.Installments) {
			return o, true
		}
	}
	return onboarding.Offer{}, false
}

// offers returns what the company may choose from today.
func (v *visit) offers() []onboarding.Offer {
	x := v.x
	x.Company = v.company
	return v.Desk.Offers(x)
}
