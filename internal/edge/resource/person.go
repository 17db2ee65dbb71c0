package resource

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Person is somebody who acts for a company or is invited to, without name and e-mail.
type Person struct {
	ID         string        `json:"id" doc:"Identifier of the person." example:"per_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	CompanyID  int64         `json:"company_id" doc:"The company." example:"4821073356"`
	Role       *string       `json:"role" nullable:"true" enum:"OWNER,BUYER,VIEWER" doc:"An OWNER accepts orders of any amount and signs for the company, a BUYER accepts orders up to limit, a VIEWER accepts none. Null: role ended." example:"OWNER"`
	Limit      *money.Amount `json:"limit" nullable:"true" doc:"Largest order a BUYER can accept; null for others." example:"500.00"`
	Invited    bool          `json:"invited" doc:"Whether the person still has to accept the role; until then it has no effect." example:"false"`
	VerifiedAt *time.Time    `json:"verified_at" nullable:"true" doc:"When the e-mail address was first verified; null while invited or never verified." example:"2026-01-12T15:04:05.123456Z"`
}

// NewPerson returns a person as one of a company's.
func NewPerson(p *credit.Person, company int64) Person {
	w := Person{ID: p.ID, CompanyID: company, VerifiedAt: instantIn(&p.VerifiedAt)}
	if r, ok := p.Offered(company); ok {
		role := string(r.Role)
		w.Role, w.Invited = &role, r.Invited != ""
		if r.Role == credit.RoleBuyer {
			w.Limit = &r.Limit
		}
		if w.Invited { // a verification done elsewhere is not this company's to know
			w.VerifiedAt = nil
		}
	}
	return w
}

// NamedPerson is a person with name and e-mail. For an invited person they are those of the
// invitation.
type NamedPerson struct {
	Person
	Email     *string `json:"email" nullable:"true" doc:"E-mail address; null once erased." example:"ada@alder.example"`
	FirstName *string `json:"first_name" nullable:"true" doc:"First name; null if unknown." example:"Ada"`
	LastName  *string `json:"last_name" nullable:"true" doc:"Last name; null if unknown." example:"Marsh"`
}

// CompanyAgreement says whether a company has signed the master agreement.
type CompanyAgreement struct {
	Status     string         `json:"status" enum:"UNSIGNED,SIGNED,NOT_ASKED" doc:"UNSIGNED: no order can be authorized until an owner signs. NOT_ASKED: the lender created the company without one." example:"SIGNED"`
	DocumentID *string        `json:"document_id" nullable:"true" doc:"Document signed." example:"doc_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	OnPaper    bool           `json:"on_paper" doc:"Whether it was signed on paper, and recorded by the lender." example:"false"`
	SignedOn   *calendar.Date `json:"signed_on" nullable:"true" doc:"For one on paper: when it was signed." example:"2026-01-09"`
}

func newCompanyAgreement(c *credit.Company) CompanyAgreement {
	v := &c.Servicing
	w := CompanyAgreement{Status: "SIGNED", DocumentID: textIn(&v.Agreement)}
	switch {
	case v.Unsigned:
		w.Status = "UNSIGNED"
	case v.Agreement == "":
		w.Status = "NOT_ASKED"
	}
	if p := v.OnPaper; p.On != 0 {
		w.OnPaper, w.SignedOn = true, &p.On
	}
	return w
}

// MasterAgreement is a company's master agreement as signed.
type MasterAgreement struct {
	CompanyID  int64          `json:"company_id" doc:"The company." example:"4821073356"`
	Document   Document       `json:"document" doc:"Document signed; request this resource as application/octet-stream for the file."`
	OnPaper    bool           `json:"on_paper" doc:"Whether it was signed on paper, and recorded by the lender." example:"true"`
	SignedOn   calendar.Date  `json:"signed_on" doc:"When it was signed." example:"2026-01-09"`
	RecordedAt time.Time      `json:"recorded_at" doc:"When it was filed." example:"2026-01-12T15:04:05.123456Z"`
	Signer     *AgreementSign `json:"signer" nullable:"true" doc:"Signer; null if signed in a checkout, where the order's agreement has the proof."`
}

// AgreementSign says who signed a master agreement outside a checkout.
type AgreementSign struct {
	Name  string  `json:"name" doc:"As signed." example:"Ada Marsh"`
	Title *string `json:"title" nullable:"true" doc:"Title of the signer, as on the document." example:"Managing member"`
}

// NewMasterAgreement returns the resource of a company's master agreement, filed on a day,
// without the signer.
func NewMasterAgreement(c *credit.Company, x *credit.Document, on calendar.Date) MasterAgreement {
	w := MasterAgreement{CompanyID: c.ID, Document: NewDocument(x), SignedOn: on, RecordedAt: instant(x.CreatedAt)}
	if p := c.Servicing.OnPaper; p.On != 0 {
		w.OnPaper, w.SignedOn = true, p.On
	}
	return w
}
