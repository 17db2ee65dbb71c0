package orders

import (
	"context"
	"net/http"
	"net/url"

	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/promotion"
)

// promotionKept is how long a browser may cache the answer.
const promotionKept = "public, max-age=600"

type promotionQuery struct {
	Merchant string       `query:"merchant" required:"true" prefix:"mch_" doc:"Merchant whose page it is." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	Amount   money.Amount `query:"amount" required:"true" minimum:"0.01" doc:"Price of the product." example:"1200.00"`
	Currency string       `query:"currency" enum:"USD" default:"USD" doc:"Its currency." example:"USD"`
}

// Promotions returns the public reads for a merchant's pages.
func (s API) Promotions() []rest.Operation {
	return []rest.Operation{{
		ID: "getPromotion", Method: "GET", Path: "/v1/promotions", Tag: "Promotions", Summary: "Get the promotional text for an amount",
		Doc: "For browsers: no token, any origin, no cookies; cacheable for ten minutes. No data about the visitor is requested or stored. " +
			"The figures are what a checkout offers a tier A company today. Below the merchant's minimum, for a merchant without checkouts or an unknown one, the response is the same: `eligible` is false. " +
			"Above the maximum, the text names the maximum without figures. Used by the widget `/js/v1/promo.js`.",
		Public: true, PerAddress: true, Response: resource.Promotion{}, Endpoint: rest.Handle(s.getPromotion),
	}}
}

func (s API) getPromotion(c *rest.Call, q *promotionQuery, _ *rest.None) (rest.Answer, error) {
	ctx, cancel := context.WithTimeout(c.Context(), serve.ReadTimeout)
	defer cancel()
	// The answer names no commit: everybody could see how many decisions there have been.
	_, program, err := s.Desk.Seller(ctx, q.Merchant)
	if err != nil {
		return rest.Answer{}, err
	}
	w, err := s.promoted(promotion.Of(program, q.Amount, s.Today()), q)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.Answer{Body: &w, Header: http.Header{"Cache-Control": {promotionKept}, "Access-Control-Allow-Origin": {"*"}}}, nil
}

// promoted returns the resource of a promotion.
func (s API) promoted(x promotion.Promotion, q *promotionQuery) (w resource.Promotion, err error) {
	if !x.Eligible() {
		return w, nil
	}
	say, err := promotion.NewWriter(promotion.English, promotion.Version)
	if err != nil {
		return w, err
	}
	text, version := say.Text(x), promotion.Version
	terms := s.Desk.Base + promotion.TermsPath + "?" + url.Values{"merchant": {q.Merchant}, "amount": {q.Amount.String()}, "currency": {q.Currency}}.Encode()
	w = resource.Promotion{Eligible: true, Text: &text, TextVersion: &version, TermsURL: &terms}
	if p := x.Shown(); p != nil {
		example := say.Example(*p)
		w.Example = &example
		w.Figures(p.Disclosure)
		for _, plan := range x.Plans {
			w.Offers(plan.Offer)
		}
	}
	return w, nil
}
