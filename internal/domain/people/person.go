// Package people decides on the people of a company: who they are, for which companies they
// act, which language they read, and the mails sent to them.
//
// person.go proves an address, company_people.go sets who acts for a company, language.go sets
// a language, mail.go queues mails and records their outcome, money_mail_order.go announces
// statements. Records of people, documents and mails, and other commands' mails to owners, are
// in package credit.
package people

import (
	"cmp"
	"slices"

	"tenor/internal/domain/credit"
)

// ProvePerson records that somebody has proved an e-mail: its owner is created or found by its
// keyed hash. Company is the company whose record has this e-mail, if any. If no OWNER of it
// has accepted yet, the person becomes one, whoever else was invited there. Result is the
// *Person.
type ProvePerson struct {
	Email   string `json:"email"`      // keyed hash
	Contact string `json:"contact"`    // handle, for a new person
	Company int64  `json:"company_id"` // 0 for none
	Found   string `json:"found"`      // the e-mail in that company's record, when it was read
	// Language is that of the pages where she signs in; "": unknown.
	Language string          `json:"language,omitzero"`
	Secrets  []credit.Secret `json:"-"`
}

func (ProvePerson) Name() string { return "person.prove" }

// Keys requests the person with the e-mail, and the company.
func (c ProvePerson) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := PeopleKeys(s, c.Company)
	k.Claims = []credit.Claim{credit.EmailClaim(c.Email)}
	if id := s.Claims[credit.EmailClaim(c.Email)]; id != "" {
		k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: id})
	}
	return k
}

func (c ProvePerson) Admit(_ *credit.State, e credit.Env) *credit.Rejection {
	return credit.OwnPages(e)
}

func (c ProvePerson) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if c.Email == "" || c.Contact == "" {
		return credit.Changes{}, credit.ValidationFailed.Because("A person needs an e-mail address.")
	}
	if !credit.Spoken(c.Language) {
		return credit.Changes{}, Unspoken()
	}
	d := credit.NewDraft(s, e)
	p := s.Person(s.Claims[credit.EmailClaim(c.Email)])
	known := p != nil
	x := s.Companies[c.Company]
	first := x != nil && x.Email != "" && x.Email == c.Found && !otherOwner(s, x, "")
	if known && p.Proved() && !first && (c.Language == "" || c.Language == p.Language) {
		return credit.Changes{Result: p}, nil
	}
	if !known {
		p = NewPerson(d, c.Email, c.Contact)
		p.Bare = true
		d.Changes.Secrets = c.Secrets
	} else {
		p = credit.EditRecord[*credit.Person](d, p.ID)
	}
	if !p.Proved() {
		p.VerifiedAt = e.Now
	}
	p.Language = cmp.Or(c.Language, p.Language)
	if first {
		was, _ := p.Offered(x.ID)
		forgetInvitation(d, p, was)
		Grant(d, p, credit.PersonRole{Company: x.ID, Role: credit.RoleOwner})
	}
	return d.Done(p, !known), nil
}

// NewPerson creates a person with the keyed hash of an e-mail.
func NewPerson(d *credit.Draft, email, contact string) *credit.Person {
	p := credit.AddRecord(d, &credit.Person{RecordHead: d.NewRecord(credit.NounPerson), Contact: contact})
	p.Of = email
	d.Claim(credit.EmailClaim(email), p.ID)
	return p
}

// Grant gives a role at a company to a person that the draft may edit.
func Grant(d *credit.Draft, p *credit.Person, r credit.PersonRole) {
	p.Roles = append(slices.DeleteFunc(slices.Clone(p.Roles), func(x credit.PersonRole) bool { return x.Company == r.Company }), r)
	if x := d.Companies.Edit(r.Company); !slices.Contains(x.Servicing.People, p.ID) {
		x.Servicing.People = append(slices.Clone(x.Servicing.People), p.ID)
	}
}
