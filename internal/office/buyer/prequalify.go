package buyer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
)

// Estimate is a request for an estimate, as stored in the vault. Its applicant has the same
// place as in a Form. The answer is computed from the figures.
type Estimate struct {
	Applicant Applicant        `json:"applicant"`
	Business  EstimateBusiness `json:"business"`
	credit.Figures
}

// EstimateBusiness is the addressee of a notice.
type EstimateBusiness struct {
	LegalName string                 `json:"legal_name"`
	Address   *credit.CompanyAddress `json:"address,omitempty"`
}

// EstimateHash is EmailHash for whoever requests an estimate. It is a different hash, so
// that a lookup by email address, such as of a person's own applications, does not find
// what a merchant requested in that person's name.
func (d *Desk) EstimateHash(email string) string { return d.Hash("estimate", Fold(email)) }

// Prequalification returns the command that requests an estimate. Names, email address and
// figures are sealed; the log keeps whether it was declined, and for which reasons: the
// notice is owed for longer than they are kept.
func (d *Desk) Prequalification(e Estimate) (onboarding.Prequalify, error) {
	form, err := d.Keep(e)
	if err != nil {
		return onboarding.Prequalify{}, err
	}
	contact, err := d.Keep(Contact{Email: e.Applicant.Email, FirstName: e.Applicant.FirstName, LastName: e.Applicant.LastName, Phone: e.Applicant.Phone, Company: e.Business.LegalName})
	if err != nil {
		return onboarding.Prequalify{}, err
	}
	return onboarding.Prequalify{
		LegalName: e.Business.LegalName, Email: d.EstimateHash(e.Applicant.Email), Form: form.ID, Contact: contact.ID,
		Figures: e.Figures, Secrets: []credit.Secret{form, contact},
	}, nil
}

// Bounds of a name that is shown to an unproved addressee: fewer digits than a telephone
// number has, and no room for a message.
const (
	maxPlain  = 80
	maxDigits = 6
)

// plainName is the name of a business as shown to an unproved addressee: whoever made the
// request chose both. What looks like a URL or a telephone number, which a mail program
// turns into a link, and what is long enough to be a message, is replaced with other words.
func plainName(name string) string {
	if couldBeMessage(name) {
		return "your business"
	}
	return name
}

// couldBeMessage reports whether a text from somebody who also chose its addressee contains
// something to follow, or is long enough to be a message.
func couldBeMessage(text string) bool {
	digits := 0
	for _, r := range text {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return utf8.RuneCountInString(text) > maxPlain || digits > maxDigits || strings.ContainsAny(text, `@/\:`) || hasHost(text)
}

// hasHost reports whether a text contains what reads as a host name: a dot directly
// followed by at least two letters. Initials have only one.
func hasHost(text string) bool {
	letters, behind := 0, false
	for _, r := range text {
		switch {
		case strings.ContainsRune(".\u3002\uff0e\uff61", r): // full stops that browsers treat as dots
			letters, behind = 0, true
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-':
			if letters++; behind && letters > 1 {
				return true
			}
		default:
			behind = false
		}
	}
	return false
}
