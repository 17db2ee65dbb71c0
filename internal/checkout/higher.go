package checkout

import (
	"net/http"
	"slices"
	"strings"

	"tenor/internal/buyer"
	"tenor/internal/credit"
	"tenor/internal/design"
	"tenor/internal/money"
	"tenor/internal/underwriting"
)

// higherPage asks an owner for what a higher line is decided by.
func (v *visit) higherPage() error { return v.showHigher(http.StatusOK, problems{}) }

// whole is the line with which the order would fit, as a proposal.
func (v *visit) whole() money.Amount {
	return proposed(v.company.Limit.Add(v.x.Checkout.Amount).Sub(v.company.Available()))
}

// lacking are the answers that nobody has given of a company that the lender has made: no
// application of it is on file.
func lacking() []string {
	return []string{"ein", "entity", "formed", "formed_in", "first_name", "last_name", "title", "share", "birth", "home"}
}

// companyAnswers are the answers with what the company's record says.
func (v *visit) companyAnswers() buyer.Draft {
	d, c := v.filled(), v.company
	name := c.LegalName
	if name == "" {
		name = c.Name
	}
	known := buyer.Draft{
		"legal_name": name, "street": c.BillingAddress.Street, "city": c.BillingAddress.City, "state": c.BillingAddress.State, "zip": c.BillingAddress.PostalCode,
		"phone": c.Phone, "limit": "500", "others": "0",
	}
	for key, text := range known {
		d[key] = text
	}
	if d["entity"] == "" {
		d["entity"] = string(entityOf(name))
	}
	if d["formed_in"] == "" && isState(c.BillingAddress.State) {
		d["formed_in"] = c.BillingAddress.State
	}
	return d
}

func (v *visit) showHigher(status int, wrong problems) error {
	_, known, err := v.config.Desk.LastForm(v.ctx(), v.company.ID)
	if err != nil {
		return err
	}
	limit := v.draft["higher"]
	if limit == "" {
		limit = strings.TrimPrefix(v.money(v.whole()), "$")
	}
	f := &form{Action: v.path("higher"), Groups: []group{{Parts: []part{
		field(design.Field{Name: "higher", Label: v.say("f.higher"), Hint: v.say("h.higher", v.money(v.company.Limit)), Value: limit, Error: wrong["higher"], Prefix: "$", InputMode: "decimal", Autocomplete: "off", Digits: true, Max: 20, Required: true, Width: design.Half}),
		field(design.Field{Name: "revenue", Label: v.say("f.revenue"), Hint: v.say("h.revenue"), Value: v.draft["revenue"], Error: wrong["revenue"], Prefix: "$", InputMode: "decimal", Autocomplete: "off", Digits: true, Max: 20, Required: true, Width: design.Half}),
	}}}}
	if !known {
		d := v.companyAnswers()
		about := group{Legend: v.say("business.about")}
		for _, p := range v.businessParts(d, wrong) {
			if slices.Contains(lacking(), p.Field.Name) {
				about.Parts = append(about.Parts, p)
			}
		}
		f.Groups = append(f.Groups, about, v.personFields(d, 0, wrong))
	}
	f.Groups = append(f.Groups, group{Legend: v.say("you.consents"), Parts: []part{
		check(design.Check{Name: "credit_check", Text: v.say("you.credit_check"), Detail: v.say("you.credit_check.more"), Error: wrong["credit_check"], Required: true}),
		check(design.Check{Name: "electronic", Text: v.say("you.electronic"), Detail: v.say("you.electronic.more")}),
	}})
	f.Acts = []design.Button{primary(v.say("higher.go")), v.link("back", "line", design.Ghost)}
	return v.show(status, page{
		Shell: v.shell(0, v.say("higher.title")), Title: design.Title{Text: v.say("higher.title"), Lead: v.say("higher.lead", v.company.Name)}, Form: f, Summary: f.summary(),
	})
}

// askHigher asks for a higher line: an application with what is on file of the company, or
// what was typed because nothing is.
func (v *visit) askHigher() error {
	f, known, err := v.config.Desk.LastForm(v.ctx(), v.company.ID)
	if err != nil {
		return err
	}
	typed := v.answers("higher", "revenue")
	if !known {
		for _, name := range lacking() {
			typed[name] = v.answer(name)
			if typed[name] == "" && slices.Contains(secretNames(), name) {
				typed[name] = v.draft[name]
			}
		}
	}
	if err := v.keep(typed); err != nil {
		return err
	}
	problems := problems{}
	limit, ok := dollars(typed["higher"])
	if !ok || limit <= v.company.Limit || limit < minLimit {
		problems["higher"] = v.say("wrong.higher", v.money(v.company.Limit))
	}
	revenue, ok := dollars(typed["revenue"])
	if !ok {
		problems["revenue"] = v.say("wrong.revenue")
	}
	if v.answer("credit_check") != "yes" {
		problems["credit_check"] = v.say("wrong.credit_check")
	}
	if !known {
		f = v.firstForm(problems)
	}
	if len(problems) > 0 {
		return v.showHigher(wrong, problems)
	}
	who, err := v.config.Desk.Contact(v.ctx(), v.person)
	if err != nil {
		return err
	}
	f.Kind, f.Requested, f.Business.AnnualRevenue, f.Consents, f.Reference, f.Metadata = underwriting.LineIncrease, limit, revenue, v.consents(), "", nil
	if f.Applicant.Email = v.session.Email; who.Name() != "" {
		f.Applicant.FirstName, f.Applicant.LastName = who.FirstName, who.LastName
	}
	if f.Applicant.Title == "" {
		f.Applicant.Title = v.say("role." + string(credit.RoleOwner))
	}
	return v.send(f, v.company.ID)
}

// firstForm is a form of a company of which none is on file, with what is wrong in it. What
// is not asked for here stands in the company's record.
func (v *visit) firstForm(wrong problems) buyer.Form {
	d := v.companyAnswers()
	b, about := v.business(d)
	owners, people := v.people(d)
	for _, found := range []problems{about, people} {
		for name, text := range found {
			if slices.Contains(lacking(), name) {
				wrong[name] = text
			}
		}
	}
	return buyer.Form{Business: b, Owners: owners, Applicant: buyer.Applicant{FirstName: owners[0].FirstName, LastName: owners[0].LastName, Title: owners[0].Title, Phone: b.Phone}}
}
