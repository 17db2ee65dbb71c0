package resource

import (
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
)

// Promotion is what a merchant's page may say about paying an amount over time.
type Promotion struct {
	Eligible     bool           `json:"eligible" doc:"Whether there is anything to show. If false, all other members are null and there are no plans, whatever the reason." example:"true"`
	Text         *string        `json:"text" nullable:"true" doc:"Text to show, unchanged." example:"From $207.06 a month: 6 payments, 12.00% APR"`
	TextVersion  *int           `json:"text_version" nullable:"true" doc:"Version of the texts." example:"1"`
	Installments *int           `json:"installments" nullable:"true" doc:"Number of payments; null above the merchant's maximum, like all figures." example:"6"`
	Amount       *money.Amount  `json:"amount" nullable:"true" doc:"Each payment. Show it with installments and apr or not at all." example:"207.06"`
	Charge       *money.Amount  `json:"finance_charge" nullable:"true" doc:"Finance charge." example:"42.35"`
	APR          *string        `json:"apr" nullable:"true" doc:"Annual percentage rate, in percent." example:"12.00"`
	Example      *string        `json:"example" nullable:"true" doc:"The plan with all its figures, in a sentence." example:"$1,200.00 in 6 monthly payments: $207.06 each and $207.05 at the end, finance charge $42.35, total $1,242.35, 12.00% APR."`
	Plans        []PromotedPlan `json:"plans" doc:"All plans of the amount, the one with the fewest payments first; the last is the one that the sentence is about. None above the merchant's maximum."`
	TermsURL     *string        `json:"terms_url" nullable:"true" doc:"Page with the range of the APR, the charges and the example. Link it beside the sentence." example:"https://pay.example.com/promotions/terms?amount=1200.00&currency=USD&merchant=mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
}

// PromotedPlan is one way to pay an amount over time.
type PromotedPlan struct {
	Plan         string       `json:"plan" enum:"NET30,ZERO,AMORTIZED,FLAT_FEE" doc:"The kind of schedule." example:"AMORTIZED"`
	Installments int          `json:"installments" doc:"Number of payments." example:"6"`
	Amount       money.Amount `json:"amount" doc:"Each payment. Show it with installments and apr or not at all." example:"207.06"`
	Charge       money.Amount `json:"finance_charge" doc:"What the financing costs." example:"42.35"`
	APR          string       `json:"apr" doc:"Annual percentage rate, in percent." example:"12.00"`
}

// Offers adds an offered plan.
func (p *Promotion) Offers(o onboarding.Offer) {
	x := o.Disclosure
	p.Plans = append(p.Plans, PromotedPlan{string(o.Terms.Plan), x.Count, x.Payment, x.FinanceCharge, percent(x.APR)})
}

// Figures sets the figures of a disclosure.
func (p *Promotion) Figures(x lending.Disclosure) {
	apr := percent(x.APR)
	p.Installments, p.Amount, p.Charge, p.APR = &x.Count, &x.Payment, &x.FinanceCharge, &apr
}
