package client

import (
	"context"
	"net/http"
)

// Promotion is what a merchant's page may say of paying an amount over time.
type Promotion struct {
	Raw
	Eligible      bool           `json:"eligible"` // without it there is nothing to show
	Text          string         `json:"text"`
	TextVersion   int            `json:"text_version"`
	Installments  int            `json:"installments"` // 0 above the merchant's maximum, as all figures
	Amount        Amount         `json:"amount"`       // each payment
	FinanceCharge Amount         `json:"finance_charge"`
	APR           string         `json:"apr"` // percent
	Example       string         `json:"example"`
	Plans         []PromotedPlan `json:"plans"` // the one with the fewest payments first
	TermsURL      string         `json:"terms_url"`
}

// PromotedPlan is one way to pay an amount over time.
type PromotedPlan struct {
	Plan          string `json:"plan"`
	Installments  int    `json:"installments"`
	Amount        Amount `json:"amount"` // each payment
	FinanceCharge Amount `json:"finance_charge"`
	APR           string `json:"apr"` // percent
}

// Promotion says what a merchant's page may show for a price. It needs no token.
func (c *Client) Promotion(ctx context.Context, merchant string, amount Amount, options ...Option) (*Promotion, error) {
	q := query{"merchant": {merchant}, "amount": {string(amount)}, "currency": {"USD"}}
	return send[Promotion](ctx, c, http.MethodGet, q.on("/v1/promotions"), nil, options)
}
