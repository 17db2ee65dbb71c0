package credit

import (
	"cmp"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// TellOwners notifies the owners of a company, whose people are loaded, of what was changed in
// its name (buyer, mails), so that somebody who took over a mailbox does not act unseen.
func (d *Draft) TellOwners(company int64, template string, data map[string]string) {
	d.WriteOwners(company, template, RecordHead{Company: company}, data)
}

// WriteOwners is TellOwners about a record; without one, each mail is about its recipient.
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

// SignedOnPaper is when a master agreement was signed on paper, and when the operator recorded
// it. Who signed is in the sealed proof.
type SignedOnPaper struct {
	On calendar.Date `json:"on"`
	At time.Time     `json:"at"`
}

// Languages are the languages of mails and pages.
func Languages() []string { return []string{MailLanguage, "es-US"} }

// MailLanguage is the language of a mail to somebody who has chosen none.
const MailLanguage = "en-US"

// Spoken reports whether a language is one of Languages or unknown.
func Spoken(language string) bool { return language == "" || slices.Contains(Languages(), language) }

// Addressee is the recipient of a mail.
type Addressee struct {
	Contact  string // vault handle
	Language string // preferred language, "" if unknown
	Person   string // "" if not a person yet
}

// Addressee is the person as a mail recipient.
func (p *Person) Addressee() Addressee { return Addressee{p.Contact, p.Language, p.ID} }

// What an owner says in her own session is the company's word (F41.8); the pages pass it on
// with her identity. It is neither a merchant's nor the operator's word: it proves no account,
// and grants nothing to anybody who is not an owner in the records.

// OwnersWord also requests the person whose word a command passes on.
func (k Keys) OwnersWord(person string) Keys {
	if person != "" {
		k.Records = append(k.Records, RecordKey{NounPerson, person})
	}
	return k
}

// Person is a human who acts for companies. The name and e-mail are in the vault, under
// Contact; Of is the keyed hash of the e-mail, by which a person is found.
type Person struct {
	RecordHead `json:"-"`
	Contact    string       `json:"contact"`              // handle: email, first_name, last_name, phone
	VerifiedAt time.Time    `json:"verified_at,omitzero"` // when the e-mail was first proved
	Applied    bool         `json:"applied,omitzero"`     // Contact is that of the application that introduced the person
	Bare       bool         `json:"bare,omitzero"`        // Contact is only an e-mail: no name was given
	Language   string       `json:"language,omitzero"`    // language of the pages at her last sign-in, or chosen since; "": unknown
	Roles      []PersonRole `json:"roles,omitzero"`       // by company
}

// PersonRole is a person's role at a company.
type PersonRole struct {
	Company int64        `json:"company_id"`
	Role    Role         `json:"role"`
	Limit   money.Amount `json:"limit,omitzero"` // per order that a BUYER accepts; 0: none
	// Invited is set until she accepts the role, and the role allows nothing until then: it is
	// the handle of what the owner typed about her.
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

// Claims implements Record.
func (p *Person) Claims() []Claim { return []Claim{EmailClaim(p.Of)} }

// Secrets implements Record.
func (p *Person) Secrets() []string {
	all := []string{p.Contact}
	for _, x := range p.Roles {
		if x.Invited != p.Contact {
			all = append(all, x.Invited)
		}
	}
	return present(all...)
}

// Sound describes the first problem with a person; see Record.
func (p *Person) Sound(old Record) string {
	if !Spoken(p.Language) {
		return "language is not supported"
	}
	for i, r := range p.Roles {
		if r.Company == 0 || r.Limit < 0 || r.Role != RoleOwner && r.Role != RoleBuyer && r.Role != RoleViewer {
			return "a role is unknown, or has no company or a negative limit"
		}
		if slices.ContainsFunc(p.Roles[:i], func(x PersonRole) bool { return x.Company == r.Company }) {
			return "has two roles at one company"
		}
	}
	if was, ok := old.(*Person); ok && !was.VerifiedAt.IsZero() && !was.VerifiedAt.Equal(p.VerifiedAt) {
		return "verified_at has changed"
	}
	return ""
}

// Proved reports whether somebody has shown that the e-mail is hers. Nobody else may act as
// this person.
func (p *Person) Proved() bool { return !p.VerifiedAt.IsZero() }

// RoleAt is a person's accepted role at a company, false if there is none.
func (p *Person) RoleAt(company int64) (PersonRole, bool) {
	r, ok := p.Offered(company)
	if r.Invited != "" {
		return PersonRole{}, false
	}
	return r, ok
}

// Offered is a person's role at a company, accepted or not.
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

// EmailClaim is a person's claim on an e-mail address, identified by its hash.
func EmailClaim(hash string) Claim { return Claim{Kind: ClaimPersonEmail, Name: hash} }
