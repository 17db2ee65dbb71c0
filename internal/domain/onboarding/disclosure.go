package onboarding

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// Offer is one plan that a buyer may choose, with its disclosure.
type Offer struct {
	Terms      credit.OrderTerms
	Disclosure lending.Disclosure
}

// Offers lists what a program offers to a company for an amount today, fewest installments
// first; limited to only, if not empty. What F1–F3 or a state's bound rejects is left out
// (F30).
func Offers(p *credit.Program, c *credit.Company, amount money.Amount, only []int, today calendar.Date) []Offer {
	if p == nil || !lending.InBounds(&p.Settings, amount) {
		return nil
	}
	var out []Offer
	for _, t := range p.Settings.Terms {
		if len(only) > 0 && !slices.Contains(only, t.Installments) {
			continue
		}
		terms, r := lending.Offer(p, c, amount, t.Installments, false, today)
		if r != nil {
			continue
		}
		if x, r := lending.Disclose(terms, &p.Settings, amount, today); r == nil {
			out = append(out, Offer{terms, x})
		}
	}
	slices.SortFunc(out, func(a, b Offer) int { return a.Terms.Installments - b.Terms.Installments })
	return out
}
