package buyer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
)

// Estimate is a request for an estimate, as it stands in the vault. Its applicant stands where
// that of a Form does. What was answered is worked out of the figures.
type Estimate struct {
	Applicant Applicant        `json:"applicant"`
	Business  EstimateBusiness `json:"business"`
	credit.Figures
}

// EstimateBusiness is what addresses a notice.
type EstimateBusiness struct {
	LegalName string                 `json:"legal_name"`
	Address   *credit.CompanyAddress `json:"address,omitempty"`
}

// EstimateHash is EmailHash for who asks for an estimate. It is another hash, so that nothing
// that is found by an e-mail, such as a person's own applications, finds what a merchant has
// asked in her name.
func (d *Desk) EstimateHash(email string) string { return d.Hash("estimate", Fold(email)) }

// Prequalification is the command that asks for an estimate. Names, e-mail and figures are
// sealed; what the log keeps is whether it was a no, and for which reasons: the notice is owed
// for longer than they are kept.
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

// Bounds of a name that is shown to whom nobody has proved: fewer digits than a telephone
// number has, and no room for a message.
const (
	maxPlain  = 80
	maxDigits = 6
)

// plainName is the name of a business as it is shown to an addressee whom nobody has proved:
// whoever asked has chosen both. What looks like an address or a telephone number, which a mail
// program makes into something to follow, and what is long enough to be a message, gives way to
// other words.
func plainName(name string) string {
	if couldBeMessage(name) {
		return "your business"
	}
	return name
}

// couldBeMessage reports that a text of whoever has chosen its addressee could be followed, or
// is long enough to be a message.
func couldBeMessage(text string) bool {
	digits := 0
	for _, r := range text {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return utf8.RuneCountInString(text) > maxPlain || digits > maxDigits || strings.ContainsAny(text, `@/\:`) || hasHost(text)
}

// hasHost reports whether a text has what reads as the name of a host: a dot with two letters
// or more right behind it. Initials have one.
func hasHost(text string) bool {
	letters, behind := 0, false
	for _, r := range text {
		switch {
		case strings.ContainsRune(".\u3002\uff0e\uff61", r): // full stops that browsers take for a dot
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
