package buyers

import (
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

type prequalificationBody struct {
	Applicant     estimateApplicantBody `json:"applicant" required:"true" doc:"E-mail of the applicant; an adverse action notice goes there."`
	Business      estimateBusinessBody  `json:"business" required:"true" doc:"The business."`
	FICO          *int                  `json:"owner_score" minimum:"300" maximum:"850" doc:"FICO score of the owner, as stated." example:"720"`
	AnnualRevenue *money.Amount         `json:"annual_revenue" doc:"Annual revenue." example:"300000.00"`
	Months        *int                  `json:"months_in_business" minimum:"0" maximum:"12000" doc:"Months since the business was formed." example:"60"`
	Bank          *bankFiguresBody      `json:"bank" doc:"Bank account figures; the balance counts only with a requested_limit."`
	Requested     *money.Amount         `json:"requested_limit" minimum:"500.00" doc:"Credit line to be requested." example:"10000.00"`
}

type estimateApplicantBody struct {
	FirstName string  `json:"first_name" required:"true" minLength:"1" doc:"First name." example:"Ada"`
	LastName  string  `json:"last_name" required:"true" minLength:"1" doc:"Last name." example:"Marsh"`
	Email     string  `json:"email" required:"true" format:"email" doc:"E-mail." example:"ada@alder.example"`
	Phone     *string `json:"phone" doc:"Phone number." example:"+1 212 555 0142"`
}

type estimateBusinessBody struct {
	LegalName string     `json:"legal_name" required:"true" minLength:"1" doc:"Legal name." example:"Alder Kitchens LLC"`
	Address   *placeBody `json:"address" doc:"Address, for a notice that cannot be e-mailed."`
}

// prequalifications returns the operation for estimates: applications that are decided at
// once.
func (s API) prequalifications() rest.Operation {
	return rest.Operation{
		ID: "prequalify", Method: "POST", Path: "/v1/prequalifications", Tag: "Applications", Summary: "Estimate a credit line",
		Doc: "Based only on the given figures: no credit bureau is contacted and nobody else is informed. An estimate, not an approval. " +
			"A negative result is an adverse action: the applicant gets a notice by e-mail. Per merchant and day, at most one negative result per person, and at most fifty people (422 `limit_exceeded`). " +
			"Kept for twelve months as an application of kind PREQUALIFICATION, which lists omit unless requested.",
		Scopes: []string{"applications:write"}, TenantOnly: true, Success: 201, Response: resource.PrequalificationAnswer{},
		Problems: []string{"limit_exceeded"}, Endpoint: rest.Handle(s.prequalify),
	}
}

func (b *prequalificationBody) given() underwriting.Given {
	g := underwriting.Given{AnnualRevenue: b.AnnualRevenue, Months: b.Months, Requested: b.Requested}
	if b.FICO != nil {
		g.Score = &underwriting.Score{FICO: *b.FICO}
	}
	if k := b.Bank; k != nil {
		g.Bank = &underwriting.Bank{AverageBalance: k.AverageBalance, ReturnedItems: k.ReturnedItems}
	}
	return g
}

func (s API) prequalify(c *rest.Call, _ *rest.None, b *prequalificationBody) (rest.Answer, error) {
	e := buyer.Estimate{
		Applicant: buyer.Applicant{FirstName: b.Applicant.FirstName, LastName: b.Applicant.LastName, Email: strings.TrimSpace(b.Applicant.Email), Phone: serve.Deref(b.Applicant.Phone)},
		Business:  buyer.EstimateBusiness{LegalName: b.Business.LegalName}, Figures: credit.Figures{Given: b.given()},
	}
	if b.Business.Address != nil {
		a := b.Business.Address.stored()
		e.Business.Address = &a
	}
	s.Hidden(c)
	cmd, err := s.Desk.Prequalification(e)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, cmd, func(ch credit.Changes) serve.Success {
		a := ch.Result.(*credit.Application)
		x, _ := a.Answer(e.Figures) // it was decided by a policy of this program
		w := resource.PrequalificationAnswer{ID: a.ID, Prequalification: resource.NewPrequalification(x)}
		return serve.Success{Body: &w, Location: "/v1/applications/" + a.ID}
	})
}
