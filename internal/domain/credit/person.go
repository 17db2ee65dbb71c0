package credit

import (
	"cmp"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// TellOwners writes to the owners of a company, whose people are loaded, what was changed in
// its name (buyer, mails): whoever has somebody's mailbox is not alone with what she does.
func (d *Draft) TellOwners(company int64, template string, data map[string]string) {
	d.WriteOwners(company, template, RecordHead{Company: company}, data)
}

// WriteOwners is tellOwners about a record; about none, it is about who it goes to.
func (d *Draft) WriteOwners(company int64, template string, about RecordHead, data map[string]string) {
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

// SignedOnPaper is when a master agreement was signed that was signed on paper, and when the
// operator has recorded it. Who signed stands in the proof, which is sealed.
type SignedOnPaper struct {
	On calendar.Date `json:"on"`
	At time.Time     `json:"at"`
}

// Languages are those in which people are written to.
func Languages() []string { return []string{MailLanguage, "es-US"} }

// MailLanguage is the language of a mail to somebody who has chosen none.
const MailLanguage = "en-US"

// Spoken reports whether a language is one of them, or that none is known.
func Spoken(language string) bool { return language == "" || slices.Contains(Languages(), language) }

// Addressee is who a mail goes to.
type Addressee struct {
	Contact  string // handle of the vault
	Language string // in which she reads, "" if that is not known
	Person   string // "" of somebody who is no person yet
}

// Addressee is the person as somebody who is written to.
func (p *Person) Addressee() Addressee { return Addressee{p.Contact, p.Language, p.ID} }

// What an owner says in a session of her own is the company's word (F41.8): the pages pass it
// on with who she is. It is neither a merchant's nor the operator's: it proves no account, and
// lets nobody in whom the records do not know as an owner.

// OwnersWord asks for the person whose word a command passes on, too.
func (k Keys) OwnersWord(person string) Keys {
	if person != "" {
		k.Records = append(k.Records, RecordKey{NounPerson, person})
	}
	return k
}

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

// Sound describes the first problem with a person; see Record.
func (p *Person) Sound(old Record) string {
	if !Spoken(p.Language) {
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

// Proved reports whether somebody has shown that the e-mail is hers: nobody else may act as this
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

// MayAccept reports whether a person may accept an order of an amount for a company.
func (p *Person) MayAccept(company int64, amount money.Amount) bool {
	r, ok := p.RoleAt(company)
	return ok && (r.Role == RoleOwner || r.Role == RoleBuyer && amount <= r.Limit)
}

// EmailClaim is a person's claim on an e-mail address, by its hash.
func EmailClaim(hash string) Claim { return Claim{Kind: ClaimPersonEmail, Name: hash} }
