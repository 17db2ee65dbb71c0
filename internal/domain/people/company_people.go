package people

import (
	"cmp"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// maxPeople is the most people that may act for a company.
const maxPeople = 50

// SetPerson gives somebody a role at a company, changes it, or ends it: by one of its owners
// in her own session, or by the operator, whose reason is in the audit log. Somebody without a
// role is invited by e-mail, whoever invites her: she may act once she has proved the e-mail
// and accepted (AnswerInvitation). The owners are notified. A company always keeps an owner
// who has accepted. Result is the *Person.
type SetPerson struct {
	Company int64           `json:"company_id"`
	Owner   string          `json:"owner"`            // who makes the change; "": the operator
	Person  string          `json:"person,omitzero"`  // whose role it is; "": identified by Email
	Email   string          `json:"email,omitzero"`   // keyed hash
	Contact string          `json:"contact,omitzero"` // handle: what was typed about the invitee
	Role    credit.Role     `json:"role"`             // "" ends it
	Limit   money.Amount    `json:"limit,omitzero"`   // per order, for a BUYER
	Secrets []credit.Secret `json:"-"`
}

func (SetPerson) Name() string { return "company.person" }

// Keys requests the company with its people, who makes the change, and whose role it is.
func (c SetPerson) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := credit.JoinKeys(PeopleKeys(s, c.Company), credit.Keys{}.OwnersWord(c.Owner))
	if c.Person != "" {
		k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: c.Person})
	}
	if c.Email != "" {
		k.Claims = append(k.Claims, credit.EmailClaim(c.Email))
		if id := s.Claims[credit.EmailClaim(c.Email)]; id != "" {
			k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: id})
		}
	}
	return k
}

// PeopleKeys requests a company with the people who act for it.
func PeopleKeys(s *credit.State, company int64) credit.Keys {
	k := credit.Keys{}
	if company == 0 {
		return k
	}
	k.Companies = []int64{company}
	if x := s.Companies[company]; x != nil {
		for _, p := range x.Servicing.People {
			k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: p})
		}
	}
	return k
}

func (c SetPerson) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if s.Companies[c.Company] == nil || c.Owner == "" && !e.Actor.Operator {
		return credit.NotFound.Because("There is no such company.")
	}
	return credit.AdmitOwner(s, e, c.Owner, c.Company)
}

// who is the person whose role it is, nil if the e-mail is unknown.
func (c SetPerson) who(s *credit.State) *credit.Person {
	if c.Person != "" {
		return s.Person(c.Person)
	}
	return s.Person(s.Claims[credit.EmailClaim(c.Email)])
}

func (c SetPerson) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	p := c.who(s)
	if r := c.refuse(s, p); r != nil {
		return credit.Changes{}, r
	}
	next := credit.PersonRole{Company: c.Company, Role: c.Role, Limit: c.Limit}
	was, had, acts := roleAt(p, c.Company)
	invites := c.Email != "" && !acts
	if next.Invited = was.Invited; !invites && was == next {
		return credit.Changes{Result: p}, nil
	}
	d := credit.NewDraft(s, e)
	made := p == nil
	if made {
		p = NewPerson(d, c.Email, c.Contact)
	} else {
		p = credit.EditRecord[*credit.Person](d, p.ID)
	}
	if invites {
		forgetInvitation(d, p, was)
		next.Invited, d.Changes.Secrets = c.Contact, c.Secrets
	}
	about := map[string]string{"who": p.ID, "by": c.Owner, "role": string(c.Role), "sum": c.Limit.String()}
	d.TellOwners(c.Company, "people_changed", about) // including the previous ones: whoever is removed must be notified
	if c.Role == "" {
		forgetInvitation(d, p, was)
		revoke(d, p, c.Company)
	} else {
		Grant(d, p, next)
	}
	switch {
	case invites:
		d.Mail("invitation", c.invitee(s, p), credit.RecordHead{ID: p.ID, Company: c.Company}, about)
	case had && was.Invited == "" && was.Role != credit.RoleOwner:
		d.Mail("people_changed", p.Addressee(), credit.RecordHead{ID: p.ID, Company: c.Company}, about)
	}
	return d.Done(p, made), nil
}

// invitee is the invited person as a mail recipient, in her own language, else in that of
// whoever invites her.
func (c SetPerson) invitee(s *credit.State, p *credit.Person) credit.Addressee {
	to := p.Addressee()
	if by := s.Person(c.Owner); by != nil {
		to.Language = cmp.Or(to.Language, by.Language)
	}
	return to
}

// roleAt is the role that a person was offered at a company, whether she was offered one, and
// whether she acts for it. p may be nil.
func roleAt(p *credit.Person, company int64) (was credit.PersonRole, had, acts bool) {
	if p == nil {
		return credit.PersonRole{}, false, false
	}
	was, had = p.Offered(company)
	return was, had, had && was.Invited == ""
}

// refuse rejects an invalid role, a role change for nobody, and what would leave the company
// without an owner.
func (c SetPerson) refuse(s *credit.State, p *credit.Person) *credit.Rejection {
	x := s.Companies[c.Company]
	was, had, acts := roleAt(p, c.Company)
	switch {
	case c.Role != "" && c.Role != credit.RoleOwner && c.Role != credit.RoleBuyer && c.Role != credit.RoleViewer:
		return credit.ValidationFailed.Because("A role must be OWNER, BUYER or VIEWER.")
	case (c.Role == credit.RoleBuyer) != (c.Limit > 0) || c.Limit < 0:
		return credit.ValidationFailed.Because("Only a BUYER has an order limit.")
	case (c.Person == "") == (c.Email == ""):
		return credit.ValidationFailed.Because("Name a person, or an e-mail.")
	case c.Person != "" && !had:
		return credit.NotFound.Because("There is no such person.")
	case c.Email != "" && acts && c.Owner != "":
		return credit.InvalidTransition.Because("This person already acts for the company.")
	case c.Email != "" && (c.Contact == "" || c.Role == ""):
		return credit.ValidationFailed.Because("An invitation needs an e-mail address and a role.")
	case !had && len(x.Servicing.People) >= maxPeople:
		return credit.LimitExceeded.With("A company can have at most 50 people.", map[string]any{"limit": "people", "maximum": maxPeople})
	case acts && was.Role == credit.RoleOwner && c.Role != credit.RoleOwner && !otherOwner(s, x, p.ID):
		return credit.OwnerRequired.Because("This is the company's only owner who has accepted: somebody else has to be invited as OWNER and accept first.")
	}
	return nil
}

// forgetInvitation erases what was typed about a person that the draft may edit, if nothing
// else refers to it.
func forgetInvitation(d *credit.Draft, p *credit.Person, was credit.PersonRole) {
	if was.Invited != "" && was.Invited != p.Contact {
		d.Changes.Erased = append(d.Changes.Erased, was.Invited)
	}
}

// AnswerInvitation is a person's own answer about her role at a company: she accepts what she
// was offered, or leaves. Result is the *Person.
type AnswerInvitation struct {
	Person  string `json:"person"`
	Company int64  `json:"company_id"`
	Accept  bool   `json:"accept"`
}

func (AnswerInvitation) Name() string { return "person.answer" }

// Keys requests the person, and the company with its people.
func (c AnswerInvitation) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := PeopleKeys(s, c.Company)
	k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: c.Person})
	return k
}

func (c AnswerInvitation) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := credit.OwnPages(e); r != nil {
		return r
	}
	p := s.Person(c.Person)
	if p == nil || !p.Proved() || s.Companies[c.Company] == nil {
		return credit.NotFound.Because("There is no such person.")
	}
	if _, ok := p.Offered(c.Company); !ok {
		return credit.NotFound.Because("There is no such company.")
	}
	return nil
}

func (c AnswerInvitation) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	p := s.Person(c.Person)
	was, _ := p.Offered(c.Company)
	switch {
	case c.Accept && was.Invited == "":
		return credit.Changes{Result: p}, nil
	case !c.Accept && was.Invited == "" && !otherOwner(s, s.Companies[c.Company], p.ID):
		return credit.Changes{}, credit.OwnerRequired.Because("The company needs an owner. Make someone else an owner first.")
	}
	d := credit.NewDraft(s, e)
	p = credit.EditRecord[*credit.Person](d, c.Person)
	forgetInvitation(d, p, was)
	next := was
	next.Invited = ""
	about := map[string]string{"who": p.ID, "by": p.ID, "role": string(next.Role), "sum": next.Limit.String()}
	if c.Accept {
		Grant(d, p, next)
	} else {
		about["role"] = ""
		revoke(d, p, c.Company)
	}
	d.TellOwners(c.Company, "people_changed", about)
	return d.Done(p, false), nil
}

// otherOwner reports whether a company has another owner besides a person, with a proved
// e-mail.
func otherOwner(s *credit.State, x *credit.Company, person string) bool {
	return slices.ContainsFunc(x.Servicing.People, func(id string) bool {
		p := s.Person(id)
		if p == nil || id == person || !p.Proved() {
			return false
		}
		r, _ := p.RoleAt(x.ID)
		return r.Role == credit.RoleOwner
	})
}

// revoke ends the role at a company of a person that the draft may edit.
func revoke(d *credit.Draft, p *credit.Person, company int64) {
	p.Roles = slices.DeleteFunc(slices.Clone(p.Roles), func(r credit.PersonRole) bool { return r.Company == company })
	x := d.Companies.Edit(company)
	x.Servicing.People = slices.DeleteFunc(slices.Clone(x.Servicing.People), func(id string) bool { return id == p.ID })
	if len(x.Servicing.People) == 0 {
		x.Servicing.People = nil
	}
}

// ChangeEmail records that a person has proved another e-mail, by which she is found from now
// on. Both addresses are notified. Result is the *Person.
type ChangeEmail struct {
	Person  string          `json:"person"`
	Email   string          `json:"email"`    // keyed hash
	Contact string          `json:"contact"`  // handle
	Was     string          `json:"was"`      // handle of the previous contact: only the mail sent there has it
	TellOld string          `json:"tell_old"` // handle of the content of the mail to the old address
	TellNew string          `json:"tell_new"` // and to the new one
	Secrets []credit.Secret `json:"-"`
}

func (ChangeEmail) Name() string { return "person.email" }

// Keys requests the person and the claim on the new e-mail.
func (c ChangeEmail) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Records: []credit.RecordKey{{Noun: credit.NounPerson, ID: c.Person}}, Claims: []credit.Claim{credit.EmailClaim(c.Email)}}
}

func (c ChangeEmail) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return admitHerself(s, e, c.Person)
}

func (c ChangeEmail) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	p := s.Person(c.Person)
	switch {
	case c.Email == "" || c.Contact == "" || c.Was == "" || c.TellOld == "" || c.TellNew == "":
		return credit.Changes{}, credit.ValidationFailed.Because("A person needs an e-mail address.")
	case p.Of == c.Email:
		return credit.Changes{Result: p}, nil
	case s.Claims[credit.EmailClaim(c.Email)] != "":
		return credit.Changes{}, credit.ValidationFailed.Because("Someone already signs in with this e-mail address.")
	}
	d := credit.NewDraft(s, e)
	d.Changes.Secrets = c.Secrets
	p = credit.EditRecord[*credit.Person](d, p.ID)
	d.Claim(credit.EmailClaim(p.Of), "")
	KnowAs(d, p, c.Contact)
	p.Of = c.Email
	d.Claim(credit.EmailClaim(p.Of), p.ID)
	old := d.Mail("email_changed", credit.Addressee{Contact: c.Was, Language: p.Language}, credit.RecordHead{ID: p.ID}, nil)
	old.Own, old.Secret = true, c.TellOld
	d.Mail("email_changed", p.Addressee(), credit.RecordHead{ID: p.ID}, nil).Secret = c.TellNew
	return d.Done(p, false), nil
}

// KnowAs replaces the contact of a person that the draft may edit.
func KnowAs(d *credit.Draft, p *credit.Person, contact string) {
	if !p.Applied { // else it is also the application's record of its applicant
		d.Changes.Erased = append(d.Changes.Erased, p.Contact)
	}
	p.Roles = slices.Clone(p.Roles)
	for i := range p.Roles { // invited under the previous contact
		if p.Roles[i].Invited == p.Contact {
			p.Roles[i].Invited = contact
		}
	}
	p.Contact, p.Applied = contact, false
}

// NamePerson records how a person wants to be called: somebody known only from a company
// record's e-mail has no name until then. Result is the *Person.
type NamePerson struct {
	Person  string          `json:"person"`
	Was     string          `json:"was"`     // handle of her contact when it was read
	Contact string          `json:"contact"` // handle: the same, with the name
	Secrets []credit.Secret `json:"-"`
}

func (NamePerson) Name() string { return "person.name" }

// Keys requests the person.
func (c NamePerson) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Records: []credit.RecordKey{{Noun: credit.NounPerson, ID: c.Person}}}
}

func (c NamePerson) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return admitHerself(s, e, c.Person)
}

func (c NamePerson) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	p := s.Person(c.Person)
	switch {
	case c.Contact == "" || c.Contact == p.Contact:
		return credit.Changes{}, credit.ValidationFailed.Because("A person needs a name and an e-mail address.")
	case c.Was != p.Contact: // another tab has changed the e-mail: the name must not restore the old one
		return credit.Changes{}, credit.InvalidTransition.Because("This person's data changed meanwhile.")
	}
	d := credit.NewDraft(s, e)
	d.Changes.Secrets = c.Secrets
	p = credit.EditRecord[*credit.Person](d, p.ID)
	KnowAs(d, p, c.Contact)
	p.Bare = false
	return d.Done(p, false), nil
}
