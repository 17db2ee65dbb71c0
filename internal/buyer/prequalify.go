package buyer

import (
	"tenor/internal/credit"
	"tenor/internal/underwriting"
)

// Estimate is a request for an estimate with its answer, as it stands in the vault. Its
// applicant stands where that of a Form does.
type Estimate struct {
	Applicant Applicant                     `json:"applicant"`
	Business  EstimateBusiness              `json:"business"`
	Given     underwriting.Given            `json:"given"`
	Answer    underwriting.Prequalification `json:"answer"`
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

// Prequalification is the command that records an estimate. Names, e-mail, figures and answer
// are sealed; what the log keeps is that it was a no, and for which reasons: the notice is
// owed for longer than they are kept.
func (d *Desk) Prequalification(e Estimate) (credit.Prequalify, error) {
	form, err := d.Keep(e)
	if err != nil {
		return credit.Prequalify{}, err
	}
	contact, err := d.Keep(Contact{Email: e.Applicant.Email, FirstName: e.Applicant.FirstName, LastName: e.Applicant.LastName, Phone: e.Applicant.Phone, Company: e.Business.LegalName})
	if err != nil {
		return credit.Prequalify{}, err
	}
	c := credit.Prequalify{
		LegalName: e.Business.LegalName, Email: d.EstimateHash(e.Applicant.Email), Form: form.ID, Contact: contact.ID,
		Pass: e.Answer.Pass, Secrets: []credit.Secret{form, contact},
	}
	for _, r := range e.Answer.Reasons {
		c.Reasons = append(c.Reasons, string(r))
	}
	return c, nil
}
