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

// offer is Tenor's public answer about an amount: every plan, the one with the fewest payments
// first. Without plans there are no figures.
type offer struct {
	Eligible bool    `json:"eligible"`
	Plans    []plan  `json:"plans"`
	TermsURL *string `json:"terms_url"`
}

// plan is one way to pay an amount over time.
type plan struct {
	Plan         string       `json:"plan"`
	Installments int          `json:"installments"`
	Amount       money.Amount `json:"amount"`
	Charge       money.Amount `json:"finance_charge"`
	APR          string       `json:"apr"`
}

// shownMonths is the longest plan with which this shop shows a cart's cost: half a year, within
// which its products have paid for themselves.
const shownMonths = 6

// shown returns that plan: the longest one up to that limit, otherwise the shortest.
func (o offer) shown() plan {
	x := o.Plans[0]
	for _, p := range o.Plans {
		if p.Installments <= shownMonths {
			x = p
		}
	}
	return x
}

// terms describes all plans: Net 30, or 3 or 6 monthly payments.
func (o offer) terms() string {
	var once string
	var months []string
	for _, p := range o.Plans {
		switch {
		case p.Plan == "NET30":
			once = "Net 30"
		case p.Installments == 1:
			once = "One payment"
		default:
			months = append(months, strconv.Itoa(p.Installments))
		}
	}
	said := ""
	if n := len(months); n > 1 {
		said = strings.Join(months[:n-1], ", ") + " or " + months[n-1] + " monthly payments"
	} else if n == 1 {
		said = months[0] + " monthly payments"
	}
	if once != "" && said != "" {
		return once + ", or " + said + "."
	}
	return once + said + "."
}

// offerWait is how long a cart waits for its cost over time. After that it is shown without.
const offerWait = 2 * time.Second

// later returns how a cart can be paid over time, and the cost, for that payment option; "" and
// nil if nothing is offered or known.
func (s *Shop) later(r *http.Request, merchant string, total money.Amount) (terms string, inset *design.Inset) {
	if merchant == "" {
		return "", nil
	}
	ctx, stop := context.WithTimeout(r.Context(), offerWait)
	defer stop()
	server := s.server
	server.note = unheard
	q := url.Values{"merchant": {merchant}, "amount": {total.String()}, "currency": {"USD"}}
	var o offer
	if _, err := server.call(ctx, "GET", "/v1/promotions?"+q.Encode(), "", nil, &o); err != nil || !o.Eligible || len(o.Plans) == 0 || o.TermsURL == nil {
		return "", nil
	}
	say, p := design.English.Money, o.shown()
	x := &design.Inset{
		Figure: strconv.Itoa(p.Installments) + " × " + say(p.Amount), Per: "a month",
		Cost: strings.Join([]string{p.APR + "% APR", "finance charge " + say(p.Charge), "total " + say(total.Add(p.Charge))}, " · "),
		Text: "For business purchases, subject to approval.", Link: &design.Link{Text: "Terms", Href: *o.TermsURL},
	}
	if p.Installments == 1 {
		x.Figure, x.Per = say(p.Amount), "in one payment"
	}
	return o.terms(), x
}
