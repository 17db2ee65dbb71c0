package resource

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
)

// Prequalification is an estimate of a credit line, not an approval.
type Prequalification struct {
	Pass           bool         `json:"pass" doc:"Whether the figures qualify for a tier." example:"true"`
	Messages       []string     `json:"messages" doc:"Message to display."`
	EstimatedLimit money.Amount `json:"estimated_limit" doc:"Estimated credit line; 0.00 without revenue, or if it does not qualify." example:"10000.00"`
	Tier           *string      `json:"tier" nullable:"true" enum:"A,B,C" doc:"Estimated tier." example:"A"`
	Total          int          `json:"points" doc:"Score, out of 100." example:"80"`
	Reasons        []string     `json:"reasons" doc:"Reason codes, if it does not qualify."`
	PolicyVersion  int          `json:"policy_version" doc:"Version of the policy that scored it." example:"1"`
}

// PrequalificationAnswer is a prequalification with its record's identifier.
type PrequalificationAnswer struct {
	ID string `json:"id" doc:"Identifier of its record: an application of the kind PREQUALIFICATION." example:"app_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	Prequalification
}

// AskedEstimate is the input and the result of a prequalification.
type AskedEstimate struct {
	OwnerScore       *int             `json:"owner_score" nullable:"true" doc:"FICO score of the owner, as given." example:"720"`
	AnnualRevenue    *money.Amount    `json:"annual_revenue" nullable:"true" doc:"Annual revenue, as given." example:"300000.00"`
	MonthsInBusiness *int             `json:"months_in_business" nullable:"true" doc:"Months since the business was formed, as given." example:"60"`
	Bank             *EstimateBank    `json:"bank" nullable:"true" doc:"Figures of the business's account, as given."`
	RequestedLimit   *money.Amount    `json:"requested_limit" nullable:"true" doc:"Credit line to be requested, as given." example:"10000.00"`
	Address          *CompanyAddress  `json:"business_address" nullable:"true" doc:"Postal address for a notice, if given."`
	Answer           Prequalification `json:"answer" doc:"Result."`
}

// EstimateBank are figures of a business's bank account.
type EstimateBank struct {
	AverageBalance money.Amount `json:"average_balance" doc:"Average balance of the last 90 days." example:"8000.00"`
	ReturnedItems  int          `json:"returned_items_90d" doc:"Returned payments in the last 90 days." example:"0"`
}

// NewAskedEstimate returns the resource of a prequalification's input and result.
func NewAskedEstimate(g underwriting.Given, address *credit.CompanyAddress, x underwriting.Prequalification) *AskedEstimate {
	e := &AskedEstimate{AnnualRevenue: g.AnnualRevenue, MonthsInBusiness: g.Months, RequestedLimit: g.Requested, Answer: NewPrequalification(x)}
	if g.Score != nil {
		e.OwnerScore = &g.Score.FICO
	}
	if k := g.Bank; k != nil {
		e.Bank = &EstimateBank{AverageBalance: k.AverageBalance, ReturnedItems: k.ReturnedItems}
	}
	if address != nil {
		a := newCompanyAddress(address)
		e.Address = &a
	}
	return e
}

// NewPrequalification returns the resource of a prequalification.
func NewPrequalification(x underwriting.Prequalification) Prequalification {
	p := Prequalification{
		Pass: x.Pass, Messages: append([]string{}, x.Messages...), EstimatedLimit: x.Limit, Tier: textIn(&x.Tier), Total: x.Total,
		Reasons: []string{}, PolicyVersion: x.Policy,
	}
	for _, r := range x.Reasons {
		p.Reasons = append(p.Reasons, string(r))
	}
	return p
}
