package operator

import (
	"encoding/base64"
	"net/http"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

// maxSigned is the maximum body with a signed paper: a file in Base64, and its description.
const maxSigned = 15 << 20

type paperSignatureBody struct {
	Name     string        `json:"signer_name" required:"true" minLength:"2" maxLength:"200" doc:"Name of the signer, as on the document." example:"Ada Marsh"`
	Title    string        `json:"signer_title" required:"true" minLength:"1" maxLength:"100" doc:"Title of the signer, as on the document." example:"Managing member"`
	SignedOn calendar.Date `json:"signed_on" required:"true" doc:"Date of the signature, not in the future." example:"2026-01-09"`
	Document string        `json:"document" required:"true" minLength:"1" maxLength:"13981016" doc:"Signed document: PDF, PNG or JPEG, at most 10 MiB, Base64-encoded. The type is detected from the content. Images are re-encoded, which strips everything but the image." example:"JVBERi0xLjQKJSVFT0YK"`
	serve.BecauseBody

	contentType string
	file        []byte // as it is stored
}

// Check decodes the file.
func (b *paperSignatureBody) Check(report func(name, code, detail string)) {
	data, err := base64.StdEncoding.DecodeString(b.Document)
	switch {
	case err != nil || len(data) == 0:
		report("/document", "invalid", "The file is not valid Base64.")
		return
	case len(data) > serve.MaxUpload:
		report("/document", "too_long", "The file has more than 10 MiB.")
		return
	}
	b.contentType = http.DetectContentType(data)
	if !slices.Contains(serve.Uploads(), b.contentType) {
		report("/document", "invalid", "The file is not a PDF, PNG or JPEG.")
		return
	}
	kept, problem := serve.Clean(b.contentType, data)
	if problem != nil {
		report("/document", "invalid", problem.Detail)
	}
	b.file = kept
}

// Agreements returns the operations on companies' master agreements, as signed.
func (s API) Agreements() []rest.Operation {
	const path = "/v1/operator/companies/{company_id}/agreement"
	return rest.Group{Tag: "Operator", Reads: access.ScopeRead, Writes: access.ScopeCompanies}.With([]rest.Operation{
		{
			ID: "getMasterAgreement", Method: "GET", Path: path, Summary: "Retrieve a company's signed master agreement",
			Doc:      "404 before it is signed, and for a company the lender created without one. As `application/octet-stream` it is the file itself, as a download. Access is recorded.",
			Response: resource.MasterAgreement{}, ETag: true, Produces: []string{rest.MediaJSON, rest.MediaOctets}, Endpoint: rest.Handle(s.getMasterAgreement),
		},
		{
			ID: "recordPaperSignature", Method: "POST", Path: path, Summary: "Record a master agreement signed on paper", MaxBody: maxSigned,
			Doc:      "Once, with the signed document; its hash is kept with the signer and the date. Orders of the company can then be authorized. Every owner is notified. 409 `invalid_transition` if already signed.",
			Response: resource.Company{}, ETag: true, Problems: []string{"invalid_transition", "company_not_eligible"}, Endpoint: rest.Handle(s.recordPaperSignature),
		},
	})
}

func (s API) getMasterAgreement(c *rest.Call, p *serve.CompanyKey, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := companyIn(v, p.CompanyID)
		if err != nil {
			return rest.Answer{}, err
		}
		signed, proof, err := s.Desk.Signed(v, x)
		switch {
		case err != nil:
			return rest.Answer{}, err
		case signed == nil:
			return rest.Answer{}, rest.NotFound()
		case c.Accepted == rest.MediaOctets:
			return s.documentIn(v, signed.Of, signed.ID)
		}
		w := resource.NewMasterAgreement(x, signed, s.Zone.Date(signed.CreatedAt))
		if proof != nil {
			w.Signer = &resource.AgreementSign{Name: proof.Name, Title: resource.Text(proof.Title)}
		}
		return serve.Tagged(&w)
	})
}

func (s API) recordPaperSignature(c *rest.Call, p *serve.CompanyKey, b *paperSignatureBody) (rest.Answer, error) {
	s.Hidden(c)
	cmd, err := s.Desk.SigningOnPaper(int64(p.CompanyID), buyer.Signature{
		Name: b.Name, Title: b.Title, On: b.SignedOn, Address: c.From(), UserAgent: c.Request.UserAgent(), Language: credit.MailLanguage,
	}, b.contentType, b.file)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.SubmitCompany(c, p.CompanyID, func([]string) credit.Command { return cmd })
}
