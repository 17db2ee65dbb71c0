package credit

import (
	"cmp"
	"slices"

	"tenor/internal/domain/money"
)

// maxPeople is how many people act for a company at most.
const maxPeople = 50

// SetPerson gives somebody a role at a company, changes it, or ends it: at the word of one of
// its owners in a session of her own, or by the operator, whose reason the audit log has. Who
// has no role there is invited, by her e-mail: she may act once she has proved it and accepted
// (AnswerInvitation), whoever has invited her. The owners hear of it. A company keeps an owner
// who has accepted. Result is the *Person.
type SetPerson struct {
	Company int64        `json:"company_id"`
	Owner   string       `json:"owner"`            // who says so; "": the operator
	Person  string       `json:"person,omitzero"`  // whose role it is; "": it goes by Email
	Email   string       `json:"email,omitzero"`   // keyed hash
	Contact string       `json:"contact,omitzero"` // handle: what was typed of who is invited
	Role    Role         `json:"role"`             // "" ends it
	Limit   money.Amount `json:"limit,omitzero"`   // of one order, of a BUYER
	Secrets []Secret     `json:"-"`
}

func (SetPerson) Name() string { return "company.person" }

// Keys asks for the company with its people, for who says so, and for whose role it is.
func (c SetPerson) Keys(s *State, _ Env) Keys {
	k := joinKeys(peopleKeys(s, c.Company), Keys{}.OwnersWord(c.Owner))
	if c.Person != "" {
		k.Records = append(k.Records, RecordKey{NounPerson, c.Person})
	}
	if c.Email != "" {
		k.Claims = append(k.Claims, emailClaim(c.Email))
		if id := s.Claims[emailClaim(c.Email)]; id != "" {
			k.Records = append(k.Records, RecordKey{NounPerson, id})
		}
	}
	return k
}

// peopleKeys asks for a company with the people who act for it.
func peopleKeys(s *State, company int64) Keys {
	k := Keys{}
	if company == 0 {
		return k
	}
	k.Companies = []int64{company}
	if x := s.Companies[company]; x != nil {
		for _, p := range x.Servicing.People {
			k.Records = append(k.Records, RecordKey{NounPerson, p})
		}
	}
	return k
}

func (c SetPerson) Admit(s *State, e Env) *Rejection {
	if s.Companies[c.Company] == nil || c.Owner == "" && !e.Actor.Operator {
		return NotFound.Because("There is no such company.")
	}
	return AdmitOwner(s, e, c.Owner, c.Company)
}

// who is whose role it is, nil if nobody is known under the e-mail.
func (c SetPerson) who(s *State) *Person {
	if c.Person != "" {
		return s.Person(c.Person)
	}
	return s.Person(s.Claims[emailClaim(c.Email)])
}

func (c SetPerson) Decide(s *State, e Env) (Changes, *Rejection) {
	p := c.who(s)
	if r := c.refuse(s, p); r != nil {
		return Changes{}, r
	}
	next := PersonRole{Company: c.Company, Role: c.Role, Limit: c.Limit}
	was, had, acts := p.at(c.Company)
	invites := c.Email != "" && !acts
	if next.Invited = was.Invited; !invites && was == next {
		return Changes{Result: p}, nil
	}
	d := NewDraft(s, e)
	made := p == nil
	if made {
		p = d.newPerson(c.Email, c.Contact)
	} else {
		p = EditRecord[*Person](d, p.ID)
	}
	if invites {
		d.forgetInvitation(p, was)
		next.Invited, d.Changes.Secrets = c.Contact, c.Secrets
	}
	about := map[string]string{"who": p.ID, "by": c.Owner, "role": string(c.Role), "sum": c.Limit.String()}
	d.tellOwners(c.Company, "people_changed", about) // those of before, too: who is put out has to hear of it
	if c.Role == "" {
		d.forgetInvitation(p, was)
		d.revoke(p, c.Company)
	} else {
		d.grant(p, next)
	}
	switch {
	case invites:
		d.Mail("invitation", c.invitee(s, p), RecordHead{ID: p.ID, Company: c.Company}, about)
	case had && was.Invited == "" && was.Role != RoleOwner:
		d.Mail("people_changed", p.Addressee(), RecordHead{ID: p.ID, Company: c.Company}, about)
	}
	return d.Done(p, made), nil
}

// invitee is who is invited: she reads in her own language, else in that of who invites her.
func (c SetPerson) invitee(s *State, p *Person) addressee {
	to := p.Addressee()
	if by := s.Person(c.Owner); by != nil {
		to.language = cmp.Or(to.language, by.Language)
	}
	return to
}

// at is what a person was offered at a company, whether she was offered something, and whether
// she acts for it. Nobody was.
func (p *Person) at(company int64) (was PersonRole, had, acts bool) {
	if p == nil {
		return PersonRole{}, false, false
	}
	was, had = p.Offered(company)
	return was, had, had && was.Invited == ""
}

// refuse answers what is no role, whose role nobody has, and what would leave the company
// without an owner.
func (c SetPerson) refuse(s *State, p *Person) *Rejection {
	x := s.Companies[c.Company]
	was, had, acts := p.at(c.Company)
	switch {
	case c.Role != "" && c.Role != RoleOwner && c.Role != RoleBuyer && c.Role != RoleViewer:
		return ValidationFailed.Because("A role must be OWNER, BUYER or VIEWER.")
	case (c.Role == RoleBuyer) != (c.Limit > 0) || c.Limit < 0:
		return ValidationFailed.Because("Only a BUYER has an order limit.")
	case (c.Person == "") == (c.Email == ""):
		return ValidationFailed.Because("Name a person, or an e-mail.")
	case c.Person != "" && !had:
		return NotFound.Because("There is no such person.")
	case c.Email != "" && acts && c.Owner != "":
		return InvalidTransition.Because("This person already acts for the company.")
	case c.Email != "" && (c.Contact == "" || c.Role == ""):
		return ValidationFailed.Because("An invitation needs an e-mail address and a role.")
	case !had && len(x.Servicing.People) >= maxPeople:
		return LimitExceeded.With("A company can have at most 50 people.", map[string]any{"limit": "people", "maximum": maxPeople})
	case acts && was.Role == RoleOwner && c.Role != RoleOwner && !s.otherOwner(x, p.ID):
		return OwnerRequired.Because("This is the company's only owner who has accepted: somebody else has to be invited as OWNER and accept first.")
	}
	return nil
}

// forgetInvitation erases what was typed of somebody who is the draft's own, where
// nothing else says so.
func (d *Draft) forgetInvitation(p *Person, was PersonRole) {
	if was.Invited != "" && was.Invited != p.Contact {
		d.Changes.Erased = append(d.Changes.Erased, was.Invited)
	}
}

// AnswerInvitation is a person's own word on her role at a company: she accepts what she was
// offered, or leaves. Result is the *Person.
type AnswerInvitation struct {
	Person  string `json:"person"`
	Company int64  `json:"company_id"`
	Accept  bool   `json:"accept"`
}

func (AnswerInvitation) Name() string { return "person.answer" }

// Keys asks for the person, and for the company with its people.
func (c AnswerInvitation) Keys(s *State, _ Env) Keys {
	k := peopleKeys(s, c.Company)
	k.Records = append(k.Records, RecordKey{NounPerson, c.Person})
	return k
}

func (c AnswerInvitation) Admit(s *State, e Env) *Rejection {
	if r := OwnPages(e); r != nil {
		return r
	}
	p := s.Person(c.Person)
	if p == nil || !p.Proved() || s.Companies[c.Company] == nil {
		return NotFound.Because("There is no such person.")
	}
	if _, ok := p.Offered(c.Company); !ok {
		return NotFound.Because("There is no such company.")
	}
	return nil
}

func (c AnswerInvitation) Decide(s *State, e Env) (Changes, *Rejection) {
	p := s.Person(c.Person)
	was, _ := p.Offered(c.Company)
	switch {
	case c.Accept && was.Invited == "":
		return Changes{Result: p}, nil
	case !c.Accept && was.Invited == "" && !s.otherOwner(s.Companies[c.Company], p.ID):
		return Changes{}, OwnerRequired.Because("The company needs an owner. Make someone else an owner first.")
	}
	d := NewDraft(s, e)
	p = EditRecord[*Person](d, c.Person)
	d.forgetInvitation(p, was)
	next := was
	next.Invited = ""
	about := map[string]string{"who": p.ID, "by": p.ID, "role": string(next.Role), "sum": next.Limit.String()}
	if c.Accept {
		d.grant(p, next)
	} else {
		about["role"] = ""
		d.revoke(p, c.Company)
	}
	d.tellOwners(c.Company, "people_changed", about)
	return d.Done(p, false), nil
}

// otherOwner reports that a company has an owner beside a person, who has proved her e-mail.
func (s *State) otherOwner(x *Company, person string) bool {
	return slices.ContainsFunc(x.Servicing.People, func(id string) bool {
		p := s.Person(id)
		if p == nil || id == person || !p.Proved() {
			return false
		}
		r, _ := p.RoleAt(x.ID)
		return r.Role == RoleOwner
	})
}

// revoke ends the role of a person, who is the draft's own, at a company.
func (d *Draft) revoke(p *Person, company int64) {
	p.Roles = slices.DeleteFunc(slices.Clone(p.Roles), func(r PersonRole) bool { return r.Company == company })
	x := d.Companies.Edit(company)
	x.Servicing.People = slices.DeleteFunc(slices.Clone(x.Servicing.People), func(id string) bool { return id == p.ID })
	if len(x.Servicing.People) == 0 {
		x.Servicing.People = nil
	}
}

// tellOwners writes to the owners of a company, whose people are loaded, what was changed in
// its name (buyer, mails): whoever has somebody's mailbox is not alone with what she does.
func (d *Draft) tellOwners(company int64, template string, data map[string]string) {
	d.writeOwners(company, template, RecordHead{Company: company}, data)
}

// writeOwners is tellOwners about a record; about none, it is about who it goes to.
func (d *Draft) writeOwners(company int64, template string, about RecordHead, data map[string]string) {
	x := d.Companies.Peek(company)
	if x == nil {
		return
	}
	for _, id := range x.Servicing.People {
		p := PeekRecord[*Person](d, id)
		if p == nil {
			continue
		}
		if r, _ := p.RoleAt(company); r.Role == RoleOwner {
			d.Mail(template, p.Addressee(), RecordHead{ID: cmp.Or(about.ID, p.ID), Company: company}, data)
		}
	}
}

// ChangeEmail records that a person has proved another e-mail, under which she is found from
// now on. Both addresses are written to. Result is the *Person.
type ChangeEmail struct {
	Person  string   `json:"person"`
	Email   string   `json:"email"`    // keyed hash
	Contact string   `json:"contact"`  // handle
	Was     string   `json:"was"`      // handle of who she was: the mail that goes there alone has it
	TellOld string   `json:"tell_old"` // handle of what the mail to the old address says
	TellNew string   `json:"tell_new"` // and to the new one
	Secrets []Secret `json:"-"`
}

func (ChangeEmail) Name() string { return "person.email" }

// Keys asks for the person, and whether the e-mail is free.
func (c ChangeEmail) Keys(*State, Env) Keys {
	return Keys{Records: []RecordKey{{NounPerson, c.Person}}, Claims: []Claim{emailClaim(c.Email)}}
}

func (c ChangeEmail) Admit(s *State, e Env) *Rejection {
	return admitHerself(s, e, c.Person)
}

func (c ChangeEmail) Decide(s *State, e Env) (Changes, *Rejection) {
	p := s.Person(c.Person)
	switch {
	case c.Email == "" || c.Contact == "" || c.Was == "" || c.TellOld == "" || c.TellNew == "":
		return Changes{}, ValidationFailed.Because("A person needs an e-mail address.")
	case p.Of == c.Email:
		return Changes{Result: p}, nil
	case s.Claims[emailClaim(c.Email)] != "":
		return Changes{}, ValidationFailed.Because("Someone already signs in with this e-mail address.")
	}
	d := NewDraft(s, e)
	d.Changes.Secrets = c.Secrets
	p = EditRecord[*Person](d, p.ID)
	d.Claim(emailClaim(p.Of), "")
	d.knowAs(p, c.Contact)
	p.Of = c.Email
	d.Claim(emailClaim(p.Of), p.ID)
	old := d.Mail("email_changed", addressee{contact: c.Was, language: p.Language}, RecordHead{ID: p.ID}, nil)
	old.Own, old.Secret = true, c.TellOld
	d.Mail("email_changed", p.Addressee(), RecordHead{ID: p.ID}, nil).Secret = c.TellNew
	return d.Done(p, false), nil
}

// knowAs keeps who a person, who is the draft's own, is and how to write to her in the place of
// what was known of her.
func (d *Draft) knowAs(p *Person, contact string) {
	if !p.Applied { // else it is what the application says of its applicant, too
		d.Changes.Erased = append(d.Changes.Erased, p.Contact)
	}
	p.Roles = slices.Clone(p.Roles)
	for i := range p.Roles { // invited as the one who she was
		if p.Roles[i].Invited == p.Contact {
			p.Roles[i].Invited = contact
		}
	}
	p.Contact, p.Applied = contact, false
}

// NamePerson records how a person wants to be called, at her own word: whoever came by the
// e-mail of a company's record has no name until then. Result is the *Person.
type NamePerson struct {
	Person  string   `json:"person"`
	Was     string   `json:"was"`     // handle of what was known of her when it was read
	Contact string   `json:"contact"` // handle: the same, with the name
	Secrets []Secret `json:"-"`
}

func (NamePerson) Name() string { return "person.name" }

// Keys asks for the person.
func (c NamePerson) Keys(*State, Env) Keys { return Keys{Records: []RecordKey{{NounPerson, c.Person}}} }

func (c NamePerson) Admit(s *State, e Env) *Rejection { return admitHerself(s, e, c.Person) }

func (c NamePerson) Decide(s *State, e Env) (Changes, *Rejection) {
	p := s.Person(c.Person)
	switch {
	case c.Contact == "" || c.Contact == p.Contact:
		return Changes{}, ValidationFailed.Because("A person needs a name and an e-mail address.")
	case c.Was != p.Contact: // another tab has changed the e-mail: the name must not bring the old one back
		return Changes{}, InvalidTransition.Because("This person's data changed meanwhile.")
	}
	d := NewDraft(s, e)
	d.Changes.Secrets = c.Secrets
	p = EditRecord[*Person](d, p.ID)
	d.knowAs(p, c.Contact)
	p.Bare = false
	return d.Done(p, false), nil
}
