package credit

import (
	"cmp"
	"slices"
	"time"

	"tenor/internal/domain/money"
)

// Person is a human who acts for companies. The name and the e-mail stand in the vault,
// under Contact; the keyed hash of the e-mail, under which a person is found, is in Of.
type Person struct {
	RecordHead `json:"-"`
	Contact    string       `json:"contact"`              // handle: email, first_name, last_name, phone
	VerifiedAt time.Time    `json:"verified_at,omitzero"` // when the e-mail was proved first
	Applied    bool         `json:"applied,omitzero"`     // Contact is that of the application by which the person is known
	Bare       bool         `json:"bare,omitzero"`        // Contact is an e-mail alone: nobody has said her name
	Language   string       `json:"language,omitzero"`    // in which she reads: that of the pages where she signed in last, or has chosen since; "": not known
	Roles      []PersonRole `json:"roles,omitzero"`       // by company
}

// PersonRole is what a person may do for a company.
type PersonRole struct {
	Company int64        `json:"company_id"`
	Role    Role         `json:"role"`
	Limit   money.Amount `json:"limit,omitzero"` // of one order that a BUYER accepts; 0: none
	// Invited says that she has not accepted the role yet, and may do nothing with it: the
	// handle of what the owner has typed of her. "" once she has.
	Invited string `json:"invited,omitzero"`
}

// Role is one of the roles of people at a company.
type Role string

// The roles: an OWNER accepts orders of any amount and signs for the company, a BUYER accepts
// up to a sum, a VIEWER accepts none.
const (
	RoleOwner  Role = "OWNER"
	RoleBuyer  Role = "BUYER"
	RoleViewer Role = "VIEWER"
)

// PersonActive is the status of every person.
const PersonActive = "ACTIVE"

// Noun implements Record.
func (*Person) Noun() Noun { return NounPerson }

func (p *Person) sound(old Record) string {
	if !spoken(p.Language) {
		return "it is written to in a language that there is not"
	}
	for i, r := range p.Roles {
		if r.Company == 0 || r.Limit < 0 || r.Role != RoleOwner && r.Role != RoleBuyer && r.Role != RoleViewer {
			return "a role is none, or of no company"
		}
		if slices.ContainsFunc(p.Roles[:i], func(x PersonRole) bool { return x.Company == r.Company }) {
			return "there are two roles at one company"
		}
	}
	if was, ok := old.(*Person); ok && !was.VerifiedAt.IsZero() && !was.VerifiedAt.Equal(p.VerifiedAt) {
		return "the e-mail was proved at another instant"
	}
	return ""
}

// Proved reports that somebody has shown that the e-mail is hers: nobody else may act as this
// person.
func (p *Person) Proved() bool { return !p.VerifiedAt.IsZero() }

// RoleAt is a person's role at a company, false if there is none, or if she has not accepted it.
func (p *Person) RoleAt(company int64) (PersonRole, bool) {
	r, ok := p.Offered(company)
	if r.Invited != "" {
		return PersonRole{}, false
	}
	return r, ok
}

// Offered is a person's role at a company, whether she has accepted it or not.
func (p *Person) Offered(company int64) (PersonRole, bool) {
	i := slices.IndexFunc(p.Roles, func(r PersonRole) bool { return r.Company == company })
	if i < 0 {
		return PersonRole{}, false
	}
	return p.Roles[i], true
}

// MayAccept reports that a person may accept an order of an amount for a company.
func (p *Person) MayAccept(company int64, amount money.Amount) bool {
	r, ok := p.RoleAt(company)
	return ok && (r.Role == RoleOwner || r.Role == RoleBuyer && amount <= r.Limit)
}

// ProvePerson records that somebody has proved an e-mail: whoever has it is made or found by
// its keyed hash. Company is the one whose record has this e-mail, if there is one: of a
// company without an OWNER who has accepted the person becomes one, whoever else was invited
// there. Result is the *Person.
type ProvePerson struct {
	Email   string `json:"email"`      // keyed hash
	Contact string `json:"contact"`    // handle, for a person who is new
	Company int64  `json:"company_id"` // 0 for none
	Found   string `json:"found"`      // the e-mail in that company's record, when it was read
	// Language is that of the pages where she signs in; "": it is not known.
	Language string   `json:"language,omitzero"`
	Secrets  []Secret `json:"-"`
}

func (ProvePerson) Name() string { return "person.prove" }

func emailClaim(hash string) Claim { return Claim{Kind: ClaimPersonEmail, Name: hash} }

// Keys asks for the person under the e-mail, and for the company.
func (c ProvePerson) Keys(s *State, _ Env) Keys {
	k := peopleKeys(s, c.Company)
	k.Claims = []Claim{emailClaim(c.Email)}
	if id := s.Claims[emailClaim(c.Email)]; id != "" {
		k.Records = append(k.Records, RecordKey{NounPerson, id})
	}
	return k
}

func (c ProvePerson) Admit(_ *State, e Env) *Rejection { return OwnPages(e) }

func (c ProvePerson) Decide(s *State, e Env) (Changes, *Rejection) {
	if c.Email == "" || c.Contact == "" {
		return Changes{}, ValidationFailed.Because("A person needs an e-mail address.")
	}
	if !spoken(c.Language) {
		return Changes{}, unspoken()
	}
	d := NewDraft(s, e)
	p := s.Person(s.Claims[emailClaim(c.Email)])
	known := p != nil
	x := s.Companies[c.Company]
	first := x != nil && x.Email != "" && x.Email == c.Found && !s.otherOwner(x, "")
	if known && p.Proved() && !first && (c.Language == "" || c.Language == p.Language) {
		return Changes{Result: p}, nil
	}
	if !known {
		p = d.newPerson(c.Email, c.Contact)
		p.Bare = true
		d.Changes.Secrets = c.Secrets
	} else {
		p = EditRecord[*Person](d, p.ID)
	}
	if !p.Proved() {
		p.VerifiedAt = e.Now
	}
	p.Language = cmp.Or(c.Language, p.Language)
	if first {
		was, _ := p.Offered(x.ID)
		d.forgetInvitation(p, was)
		d.grant(p, PersonRole{Company: x.ID, Role: RoleOwner})
	}
	return d.Done(p, !known), nil
}

// newPerson makes a person under the keyed hash of an e-mail.
func (d *Draft) newPerson(email, contact string) *Person {
	p := AddRecord(d, &Person{RecordHead: d.NewRecord(prefixPerson, PersonActive), Contact: contact})
	p.Of = email
	d.Claim(emailClaim(email), p.ID)
	return p
}

// grant gives a person, who is the draft's own, a role at a company.
func (d *Draft) grant(p *Person, r PersonRole) {
	p.Roles = append(slices.DeleteFunc(slices.Clone(p.Roles), func(x PersonRole) bool { return x.Company == r.Company }), r)
	if x := d.Companies.Edit(r.Company); !slices.Contains(x.Servicing.People, p.ID) {
		x.Servicing.People = append(slices.Clone(x.Servicing.People), p.ID)
	}
}
