package shop

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/money"
	"tenor/internal/ui/design"
)

// offer is what Tenor says of an amount to whoever asks: the plan with the smallest payments.
// Without a plan there are no figures.
type offer struct {
	Eligible     bool          `json:"eligible"`
	Installments *int          `json:"installments"`
	Amount       *money.Amount `json:"amount"`
	Charge       *money.Amount `json:"finance_charge"`
	APR          *string       `json:"apr"`
	TermsURL     *string       `json:"terms_url"`
}

// offerWait is how long a cart waits for what it costs over time. It is shown without, then.
const offerWait = 2 * time.Second

// inset is what a cart costs over time, for the choice to pay so; nil if nothing is offered, or
// nobody says what.
func (s *Shop) inset(r *http.Request, merchant string, total money.Amount) *design.Inset {
	if merchant == "" {
		return nil
	}
	ctx, stop := context.WithTimeout(r.Context(), offerWait)
	defer stop()
	server := s.server
	server.note = unheard
	q := url.Values{"merchant": {merchant}, "amount": {total.String()}, "currency": {"USD"}}
	var o offer
	if _, err := server.call(ctx, "GET", "/v1/promotions?"+q.Encode(), "", nil, &o); err != nil || !o.Eligible || o.Installments == nil {
		return nil
	}
	say := design.English.Money
	x := &design.Inset{
		Figure: strconv.Itoa(*o.Installments) + " × " + say(*o.Amount), Per: "a month",
		Cost: strings.Join([]string{*o.APR + "% APR", "finance charge " + say(*o.Charge), "total " + say(total.Add(*o.Charge))}, " · "),
		Text: "For business purchases, subject to approval.", Link: &design.Link{Text: "Terms", Href: *o.TermsURL},
	}
	if *o.Installments == 1 {
		x.Figure, x.Per = say(*o.Amount), "in one payment"
	}
	return x
}
