package credit

import (
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

// Sound names what a person must not be; see Record.
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

// EmailClaim is a person's claim on an e-mail address, by its hash.
func EmailClaim(hash string) Claim { return Claim{Kind: ClaimPersonEmail, Name: hash} }
