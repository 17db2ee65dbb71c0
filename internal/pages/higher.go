package pages

import (
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
	"tenor/internal/office/buyer"
	"tenor/internal/ui/design"
)

// lacking returns the answers missing for a company created by the lender, which has no
// application on file.
func lacking() []string {
	return []string{"ein", "entity", "formed", "formed_in", "first_name", "last_name", "title", "share", "birth", "home"}
}

// companyAnswers adds the company's record to the answers.
func companyAnswers(x *credit.Company, d buyer.Draft) buyer.Draft {
	name := x.LegalName
	if name == "" {
		name = x.Name
	}
	at := x.BillingAddress
	known := buyer.Draft{
		"legal_name": name, "street": at.Street, "city": at.City, "state": at.State, "zip": at.PostalCode, "phone": x.Phone, "limit": "500", "others": "0",
	}
	for key, text := range known {
		d[key] = text
	}
	if d["entity"] == "" {
		d["entity"] = string(EntityOf(name))
	}
	if d["formed_in"] == "" && IsState(at.State) {
		d["formed_in"] = at.State
	}
	return d
}

// HigherForm asks an owner for the data that a company's higher line depends on: the line, the
// revenue, and what is not yet known about the company. d are the answers so far, proposal the
// proposed line.
func (c *Call) HigherForm(x *credit.Company, d buyer.Draft, proposal money.Amount, wrong Problems, action string, back design.Button) (*Form, error) {
	_, known, err := c.Desk.LastForm(c.Ctx(), x.ID)
	if err != nil {
		return nil, err
	}
	limit := c.Draft["higher"]
	if limit == "" {
		limit = strings.TrimPrefix(c.Money(proposal), "$")
	}
	dollars := func(name, hint, value string) Part {
		return FieldPart(design.Field{
			Name: name, Label: c.Say("f." + name), Hint: hint, Value: value, Error: wrong[name], Prefix: "$", InputMode: "decimal", Autocomplete: "off", Digits: true, Max: 20, Required: true, Width: design.Half,
		})
	}
	f := &Form{Action: action, Groups: []Group{{Parts: []Part{
		dollars("higher", c.Say("h.higher", c.Money(x.Limit)), limit), dollars("revenue", c.Say("h.revenue"), c.Draft["revenue"]),
	}}}}
	if !known {
		d = companyAnswers(x, d)
		about := Group{Legend: c.Say("business.about")}
		for _, p := range c.BusinessParts(d, wrong) {
			if slices.Contains(lacking(), p.Field.Name) {
				about.Parts = append(about.Parts, p)
			}
		}
		f.Groups = append(f.Groups, about, c.PersonFields(d, 0, wrong))
	}
	f.Groups = append(f.Groups, Group{Legend: c.Say("you.consents"), Parts: []Part{
		CheckPart(design.Check{Name: "credit_check", Text: c.Say("you.credit_check"), Detail: c.Say("you.credit_check.more"), Error: wrong["credit_check"], Required: true}),
		CheckPart(design.Check{Name: "electronic", Text: c.Say("you.electronic"), Detail: c.Say("you.electronic.more"), Optional: true}),
	}})
	f.Acts = []design.Button{Primary(c.Say("higher.go")), back}
	return f, nil
}

// ReadHigher saves the answers of that form and builds the application for a higher line: from
// the company's data on file, or from what was entered if there is none. filled returns the
// answers with proposals.
func (c *Call) ReadHigher(x *credit.Company, filled func() buyer.Draft) (f buyer.Form, wrong Problems, err error) {
	f, known, err := c.Desk.LastForm(c.Ctx(), x.ID)
	if err != nil {
		return f, nil, err
	}
	if err := c.Keep(c.typedHigher(known)); err != nil {
		return f, nil, err
	}
	wrong = Problems{}
	limit, ok := Dollars(c.Draft["higher"])
	if !ok || limit <= x.Limit || limit < MinLimit {
		wrong["higher"] = c.Say("wrong.higher", c.Money(x.Limit))
	}
	revenue, ok := Dollars(c.Draft["revenue"])
	if !ok {
		wrong["revenue"] = c.Say("wrong.revenue")
	}
	if c.Answer("credit_check") != "yes" {
		wrong["credit_check"] = c.Say("wrong.credit_check")
	}
	if !known {
		f = c.firstForm(companyAnswers(x, filled()), wrong)
	}
	who, err := c.Desk.Contact(c.Ctx(), c.Person)
	if err != nil || len(wrong) > 0 {
		return f, wrong, err
	}
	f.Kind, f.Requested, f.Business.AnnualRevenue, f.Consents, f.Reference, f.Metadata = underwriting.LineIncrease, limit, revenue, c.Consents(), "", nil
	if f.Applicant.Email = c.Session.Email; who.Name() != "" {
		f.Applicant.FirstName, f.Applicant.LastName = who.FirstName, who.LastName
	}
	if f.Applicant.Title == "" {
		f.Applicant.Title = c.Say("role." + string(credit.RoleOwner))
	}
	return f, wrong, nil
}

// typedHigher returns the answers of the form. A personal one left empty keeps its saved value.
func (c *Call) typedHigher(known bool) buyer.Draft {
	typed := c.Answers("higher", "revenue")
	if known {
		return typed
	}
	for _, name := range lacking() {
		typed[name] = c.Answer(name)
		if typed[name] == "" && slices.Contains(SecretNames(), name) {
			typed[name] = c.Draft[name]
		}
	}
	return typed
}

// firstForm builds the form of a company without one on file, with its errors. What is not asked
// here comes from the company's record.
func (c *Call) firstForm(d buyer.Draft, wrong Problems) buyer.Form {
	b, about := c.Business(d)
	owners, people := c.People(d)
	for _, found := range []Problems{about, people} {
		for name, text := range found {
			if slices.Contains(lacking(), name) {
				wrong[name] = text
			}
		}
	}
	return buyer.Form{Business: b, Owners: owners, Applicant: buyer.Applicant{FirstName: owners[0].FirstName, LastName: owners[0].LastName, Title: owners[0].Title, Phone: b.Phone}}
}
