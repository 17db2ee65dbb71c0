package checkout

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// filled returns the answers, with proposals for missing ones from the shop's billing address and
// its data about the buyer. A person who has taken over from another gets no proposals: they were
// about the other one.
func (v *visit) filled() buyer.Draft {
	out := buyer.Draft{}
	propose := func(name string, texts ...string) {
		for _, text := range texts {
			if out[name] == "" {
				out[name] = text
			}
		}
	}
	b, x := v.x.Checkout.Billing, v.x.Buyer
	if v.x.Checkout.Taken > 0 {
		b, x = nil, buyer.Contact{}
	}
	propose("legal_name", x.Company)
	propose("first_name", x.FirstName)
	propose("last_name", x.LastName)
	propose("phone", x.Phone)
	if b != nil {
		propose("legal_name", b.CompanyName)
		propose("first_name", b.FirstName)
		propose("last_name", b.LastName)
		propose("phone", b.PhoneNumber)
		propose("street", strings.TrimSuffix(b.Address1+", "+b.Address2, ", "))
		propose("city", b.City)
		propose("zip", b.Zip)
		if pages.IsState(strings.ToUpper(b.State)) {
			propose("state", strings.ToUpper(b.State))
			propose("formed_in", strings.ToUpper(b.State))
		}
	}
	propose("entity", string(pages.EntityOf(out["legal_name"])))
	propose("limit", strings.TrimPrefix(v.Money(pages.Proposed(v.x.Checkout.Amount)), "$"))
	for name, text := range v.Draft {
		out[name] = text
	}
	return out
}

// businessPage is page 2: the business.
func (v *visit) businessPage() error { return v.showBusiness(http.StatusOK, pages.Problems{}) }

func (v *visit) showBusiness(status int, wrong pages.Problems) error {
	back := v.link("back.shop", "leave", design.Ghost)
	if len(v.choices) > 0 {
		back = v.link("back", "company", design.Ghost)
	}
	form := v.BusinessForm(v.filled(), wrong, v.path("business"), v.Say("h.limit"), back)
	p := page{
		Shell: v.shell(2, v.Say("business.title")), Form: form, Summary: form.Summary(),
		Title: design.Title{Text: v.Say("business.title"), Lead: v.Say("business.lead"), Part: 1, Parts: 4},
	}
	p.Shell.Notices = append(p.Shell.Notices, v.BusinessNotices(v.x.Merchant.Name)...)
	return v.show(status, p)
}

// saveBusiness saves the answers, complete or not, and continues if they are complete.
func (v *visit) saveBusiness() error {
	d := v.Answers(pages.BusinessNames()...)
	if err := v.Keep(d); err != nil {
		return err
	}
	if _, problems := v.Business(d); len(problems) > 0 {
		return v.showBusiness(wrong, problems)
	}
	return v.to("you")
}

// youPage is page 3: the applicant, the owners of the business, and their consents.
func (v *visit) youPage() error { return v.showYou(http.StatusOK, pages.Problems{}) }

func (v *visit) showYou(status int, wrong pages.Problems) error {
	form := v.YouForm(v.filled(), wrong, v.path("you"), v.link("back", "business", design.Ghost))
	p := page{
		Shell: v.shell(2, v.Say("you.title")), Form: form, Summary: form.Summary(),
		Title: design.Title{Text: v.Say("you.title"), Lead: v.Say("you.lead"), Part: 2, Parts: 4},
	}
	p.Shell.Notices = append(p.Shell.Notices, design.Notice{Icon: "lock", Title: v.Say("why"), Text: v.Say("you.why", v.x.Merchant.Name)})
	return v.show(status, p)
}

// apply saves the answers and submits the application. Two clicks submit it once.
func (v *visit) apply() error {
	f, step, wrong, err := v.ReadYou()
	switch {
	case err != nil:
		return err
	case len(wrong) > 0:
		return v.showYou(pages.Wrong, wrong)
	case step != "":
		return v.to(step)
	}
	return v.send(f, 0)
}

// decideWait is how long a page itself waits for a decision. After that the desk continues, and
// the next page checks again.
const decideWait = 1500 * time.Millisecond

// send submits an application once and requests its decision. company is that of a higher line.
func (v *visit) send(f buyer.Form, company int64) error {
	d := v.Desk
	through := buyer.Through{Merchant: v.x.Checkout.Merchant, Checkout: v.x.Checkout.ID, Language: string(v.Language)}
	once := "apply/" + v.x.Checkout.ID
	if company != 0 {
		through.Company, through.Person = company, v.Person.ID
		once += "/" + strconv.Itoa(v.x.Company.Version)
	}
	first, err := d.Once(v.Ctx(), once)
	if err != nil {
		return err
	}
	if !first {
		return v.next()
	}
	a, err := d.Send(v.Ctx(), f, through, v.Address)
	if err != nil {
		if again := d.Again(v.Ctx(), once); again != nil || pages.Refused(err) == nil {
			return errors.Join(err, again)
		}
		return v.next() // the records say why
	}
	if err := v.sent(); err != nil {
		return err
	}
	wait, stop := context.WithTimeout(v.Ctx(), decideWait)
	defer stop()
	if err := d.Decide(wait, a.ID); err != nil && wait.Err() == nil {
		return err
	}
	return v.toOutcome()
}

// sent discards the answers, which are now in the application, and records the time.
func (v *visit) sent() error {
	if err := v.Desk.DropDraft(v.Ctx(), v.Session); err != nil {
		return err
	}
	v.Draft = buyer.Draft{}
	return v.Keep(buyer.Draft{"sent": v.Desk.Wall().UTC().Format(time.RFC3339)})
}

// toOutcome redirects to the decision: it is shown once, even if the line is not sufficient.
func (v *visit) toOutcome() error {
	if err := v.again(); err != nil {
		return err
	}
	if v.may("decision") {
		return v.to("decision")
	}
	return v.to(v.at)
}
