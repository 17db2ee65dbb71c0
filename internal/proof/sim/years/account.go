package years

import (
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/people"
	"tenor/internal/proof/sim"
	"tenor/internal/proof/sim/onrails"
)

// atAccount generates what a person does on her account pages: with the company's other people,
// its agreement, its debts and her own e-mail.
func (p *cast) atAccount(kind string) (credit.Actor, credit.Command) {
	s := p.y.Source
	who, ok := recordOf(p, func(x *credit.Person) bool { return len(x.Roles) > 0 && (x.Proved() || sim.Chance(s, 10)) })
	if !ok {
		return credit.Actor{}, nil
	}
	company := sim.Pick(s, who.Roles).Company
	switch kind {
	case "role":
		return sim.Operator(), p.role(who.ID, company)
	case "staff role":
		return sim.Operator(), p.role("", company)
	case "answer":
		for _, r := range who.Roles {
			if company = r.Company; r.Invited != "" {
				break
			}
		}
		return sim.Operator(), people.AnswerInvitation{Person: who.ID, Company: company, Accept: sim.Chance(s, 80)}
	case "sign", "sign on paper":
		c := onboarding.SignAgreement{Company: company, Person: who.ID}
		if kind == "sign on paper" {
			c.Person, c.On = "", p.draw.Today()+1-calendar.Date(s.Intn(20)) // sometimes a future day
		}
		for _, kind := range []string{credit.DocumentMaster, onboarding.DocumentSignature} {
			paper := p.paper(kind)
			c.Papers, c.Secrets = append(c.Papers, paper), append(c.Secrets, vaulted(paper.Content)...)
		}
		return sim.Operator(), c
	case "email":
		c := people.ChangeEmail{
			Person: who.ID, Email: fmt.Sprint("email ", s.Intn(8)), Contact: p.handle("contact"), Was: p.handle("was"), TellOld: p.handle("told old"), TellNew: p.handle("told new"),
		}
		c.Secrets = vaulted(c.Contact, c.Was, c.TellOld, c.TellNew)
		return sim.Operator(), c
	case "language":
		return sim.Operator(), people.SetLanguage{Person: who.ID, Language: sim.Pick(s, credit.Languages())}
	case "name":
		c := people.NamePerson{Person: who.ID, Was: who.Contact, Contact: p.handle("contact")}
		c.Secrets = vaulted(c.Contact)
		return sim.Operator(), c
	case "pay":
		return sim.Operator(), p.payDebt(who.ID, company)
	}
	return credit.Actor{}, nil
}

// role generates a role change, by an owner, or by staff if there is none, for a person: new,
// known, or herself.
func (p *cast) role(owner string, company int64) credit.Command {
	s := p.y.Source
	c := people.SetPerson{Company: company, Owner: owner, Role: sim.Pick(s, []credit.Role{credit.RoleOwner, credit.RoleBuyer, credit.RoleViewer, ""})}
	if c.Role == credit.RoleBuyer {
		c.Limit = money.Amount(sim.Between(s, 5_000, 100_000))
	}
	if x, ok := recordOf(p, func(x *credit.Person) bool { _, acts := x.RoleAt(company); return acts }); ok && sim.Chance(s, 50) {
		c.Person = x.ID
		return c
	}
	c.Email, c.Contact = fmt.Sprint("email ", s.Intn(8)), p.handle("contact")
	c.Secrets = vaulted(c.Contact)
	return c
}

// payDebt generates a payment of a company's debt from one of its accounts; nil if it has none.
func (p *cast) payDebt(person string, company int64) credit.Command {
	s := p.y.Source
	m, ok := onrails.OneOf(p.draw, p.draw.Books.Methods, func(m *credit.PaymentMethod) bool { return m.Company == company && m.Type == credit.ACH })
	if !ok {
		return nil
	}
	c := payments.RecordPayment{
		Amount: money.Amount(sim.Between(s, 500, 50_000)), Method: credit.ACH, PaymentMethod: m.ID, Person: person, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	}
	if o, ok := onrails.One(p.draw, p.draw.Books.Orders, func(o *credit.Order) bool { return o.Company == company && o.Captured > 0 }); ok && sim.Chance(s, 70) {
		c.Order = o.Key
		return c
	}
	c.Company = company
	return c
}

// speaks reports whether a command is made in the name of a person who acts for a company: once
// she no longer does, the company does not exist for her.
func speaks(c credit.Command) bool {
	switch c := c.(type) {
	case people.AnswerInvitation, people.ChangeEmail:
		return true
	case people.SetPerson:
		return c.Owner != "" // otherwise staff decide
	case onboarding.SignAgreement:
		return c.Person != ""
	case payments.RecordPayment:
		return c.Person != ""
	case cases.OpenCase:
		return c.Person != ""
	case cases.AddCaseNote:
		return c.Person != ""
	case cases.AttachCaseDocument:
		return c.Person != ""
	case cases.ResolveCase:
		return c.Person != ""
	}
	return false
}
