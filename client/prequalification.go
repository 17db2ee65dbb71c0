package client

import (
	"context"
	"net/http"
)

// EstimateRequest asks for an estimate of a line. Of the figures one at least is given.
type EstimateRequest struct {
	Applicant        EstimateApplicant `json:"applicant"`
	Business         EstimateBusiness  `json:"business"`
	OwnerScore       int               `json:"owner_score,omitempty"`
	AnnualRevenue    Amount            `json:"annual_revenue,omitempty"`
	MonthsInBusiness *int              `json:"months_in_business,omitempty"`
	Bank             *BankFigures      `json:"bank,omitempty"`
	RequestedLimit   Amount            `json:"requested_limit,omitempty"`
}

// EstimateApplicant is who asks for an estimate: the notice of a no goes there.
type EstimateApplicant struct {
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Email     string `json:"email"`
	Phone     string `json:"phone,omitempty"`
}

// EstimateBusiness is for whom an estimate is.
type EstimateBusiness struct {
	LegalName string          `json:"legal_name"`
	Address   *CompanyAddress `json:"address,omitempty"` // for a notice that cannot be mailed
}

// Estimate is an estimate of a line, and not an approval.
type Estimate struct {
	Raw
	ID             string   `json:"id"` // of its record, an application of the kind PREQUALIFICATION
	Pass           bool     `json:"pass"`
	Messages       []string `json:"messages"`
	EstimatedLimit Amount   `json:"estimated_limit"`
	Tier           string   `json:"tier"`
	Points         int      `json:"points"`
	Reasons        []string `json:"reasons"` // of a no
	PolicyVersion  int      `json:"policy_version"`
}

// AskedEstimate is what was asked for an estimate, and what was answered.
type AskedEstimate struct {
	OwnerScore       int             `json:"owner_score"`
	AnnualRevenue    Amount          `json:"annual_revenue"`
	MonthsInBusiness *int            `json:"months_in_business"`
	Bank             *BankFigures    `json:"bank"`
	RequestedLimit   Amount          `json:"requested_limit"`
	BusinessAddress  *CompanyAddress `json:"business_address"`
	Answer           Estimate        `json:"answer"`
}

// Prequalify asks for an estimate of a business's line: an *EstimateRequest, or the same as
// JSON. The applicant of a no is mailed a notice; asked again on that day it is refused.
func (c *Client) Prequalify(ctx context.Context, r any, options ...Option) (*Estimate, error) {
	return send[Estimate](ctx, c, http.MethodPost, "/v1/prequalifications", r, options)
}
