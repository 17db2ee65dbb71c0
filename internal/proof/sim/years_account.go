package sim

import (
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/people"
)

// atAccount draws what somebody does on the pages of her account: with who else acts for the
// company, with its agreement, its debts and her own e-mail.
func (p *cast) atAccount(kind string) (credit.Actor, credit.Command) {
	s := p.y.Source
	who, ok := recordOf(p, func(x *credit.Person) bool { return len(x.Roles) > 0 && (x.Proved() || chance(s, 10)) })
	if !ok {
		return credit.Actor{}, nil
	}
	company := pick(s, who.Roles).Company
	switch kind {
	case "role":
		return Operator(), p.role(who.ID, company)
	case "staff role":
		return Operator(), p.role("", company)
	case "answer":
		for _, r := range who.Roles {
			if company = r.Company; r.Invited != "" {
				break
			}
		}
		return Operator(), people.AnswerInvitation{Person: who.ID, Company: company, Accept: chance(s, 80)}
	case "sign", "sign on paper":
		c := onboarding.SignAgreement{Company: company, Person: who.ID}
		if kind == "sign on paper" {
			c.Person, c.On = "", p.draw.today()+1-calendar.Date(s.Intn(20)) // now and then a day to come
		}
		for _, kind := range []string{credit.DocumentMaster, onboarding.DocumentSignature} {
			paper := p.paper(kind)
			c.Papers, c.Secrets = append(c.Papers, paper), append(c.Secrets, vaulted(paper.Content)...)
		}
		return Operator(), c
	case "email":
		c := people.ChangeEmail{
			Person: who.ID, Email: fmt.Sprint("email ", s.Intn(8)), Contact: p.handle("contact"), Was: p.handle("was"), TellOld: p.handle("told old"), TellNew: p.handle("told new"),
		}
		c.Secrets = vaulted(c.Contact, c.Was, c.TellOld, c.TellNew)
		return Operator(), c
	case "language":
		return Operator(), people.SetLanguage{Person: who.ID, Language: pick(s, credit.Languages())}
	case "name":
		c := people.NamePerson{Person: who.ID, Was: who.Contact, Contact: p.handle("contact")}
		c.Secrets = vaulted(c.Contact)
		return Operator(), c
	case "pay":
		return Operator(), p.payDebt(who.ID, company)
	}
	return credit.Actor{}, nil
}

// role draws the word of an owner, or of the staff if there is none, on somebody: new, known, or
// herself.
func (p *cast) role(owner string, company int64) credit.Command {
	s := p.y.Source
	c := people.SetPerson{Company: company, Owner: owner, Role: pick(s, []credit.Role{credit.RoleOwner, credit.RoleBuyer, credit.RoleViewer, ""})}
	if c.Role == credit.RoleBuyer {
		c.Limit = money.Amount(between(s, 5_000, 100_000))
	}
	if x, ok := recordOf(p, func(x *credit.Person) bool { _, acts := x.RoleAt(company); return acts }); ok && chance(s, 50) {
		c.Person = x.ID
		return c
	}
	c.Email, c.Contact = fmt.Sprint("email ", s.Intn(8)), p.handle("contact")
	c.Secrets = vaulted(c.Contact)
	return c
}

// payDebt draws a payment of a company's debt from one of its accounts; nil if it has none.
func (p *cast) payDebt(person string, company int64) credit.Command {
	s := p.y.Source
	m, ok := oneOf(p.draw, p.draw.Books.Methods, func(m *credit.PaymentMethod) bool { return m.Company == company && m.Type == credit.ACH })
	if !ok {
		return nil
	}
	c := payments.RecordPayment{
		Amount: money.Amount(between(s, 500, 50_000)), Method: credit.ACH, PaymentMethod: m.ID, Person: person, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	}
	if o, ok := one(p.draw, p.draw.Books.Orders, func(o *credit.Order) bool { return o.Company == company && o.Captured > 0 }); ok && chance(s, 70) {
		c.Order = o.Key
		return c
	}
	c.Company = company
	return c
}

// speaks reports that a command passes on the word of somebody who acts for a company: once she
// does no more, there is no such company for her.
func speaks(c credit.Command) bool {
	switch c := c.(type) {
	case people.AnswerInvitation, people.ChangeEmail:
		return true
	case people.SetPerson:
		return c.Owner != "" // else staff say so
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
