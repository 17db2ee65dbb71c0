package thief

import (
	"fmt"
	"testing"
)

// What one merchant, or one company, could do to others with disputed charges, returned debits,
// and reports of next to nothing.
func cardSabotages() []theft {
	return []theft{
		{"charges that pay the whole of orders of 1.00, all disputed at the end", "F25", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			card := w.card("operator", c)
			var paid []string
			for range 30 {
				order := w.mustCapture(m, c, "1.00", 1)
				if p := w.pay(m, order, "1.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)).text("id"); p != "" {
					paid = append(paid, p)
				}
			}
			order := w.mustCapture(m, c, "100.00", 1)
			w.refusedWith(w.pay(m, order, "49.99", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)), 422, "too_many_open_debits")
			if a := w.pay(m, order, "50.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)); a.Code != "" {
				w.t.Errorf("a charge of 50.00 is refused: %s", a.Text)
			}
			if a := w.pay("operator", order, "10.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)); a.Code != "" {
				w.t.Errorf("the lender's own charge is refused: %s", a.Text)
			}
			w.days(1)
			for _, p := range paid {
				w.dispute(p)
			}
			if len(paid) != 20 || w.meter.score.Costs > 20*15_00 {
				w.t.Errorf("%d small charges cost %d", len(paid), w.meter.score.Costs)
			}
			w.must("operator", "POST", "/v1/operator/merchants/"+m+"/payouts/release", `{"reason":"x"}`)
			w.refusedWith(w.pay(m, order, "10.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)), 422, "too_many_open_debits")
			w.days(121)
			if a := w.pay(m, order, "10.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)); a.Code != "" {
				w.t.Errorf("refused for ever: %s", a.Text)
			}
		}},
		{"autopay under a forged authorization, disputed, stops another merchant's charges", "F41.8", func(w *world) {
			bad, honest := w.merchant("Harbor Supply", ""), w.merchant("Quarry Tools", "")
			c := w.company("Alder Kitchens", "10000.00", bad, honest)
			card := w.card("operator", c)
			for range 4 {
				w.mustCapture(bad, c, "1.00", 1)
			}
			w.forges(bad, c, card)
			w.days(40)
			for n, p := range w.autopaid(c) {
				if n < 3 {
					w.dispute(p)
				}
			}
			theirs := w.mustCapture(honest, c, "500.00", 1)
			if a := w.pay(honest, theirs, "500.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)); a.Code != "" {
				w.t.Errorf("the company's own card is refused: %s", a.Code)
			}
			w.mustCapture(bad, c, "60.00", 1)
			had := len(w.autopaid(c))
			w.days(40)
			if now := len(w.autopaid(c)); now > had {
				w.t.Errorf("autopay goes on under a mandate whose merchant was stopped: %d charges more", now-had)
			}
		}},
		{"autopay under a forged authorization, returned as unauthorized, suspends the company", "F41.8", func(w *world) {
			bad, honest := w.merchant("Harbor Supply", ""), w.merchant("Quarry Tools", "")
			c := w.company("Alder Kitchens", "10000.00", bad, honest)
			account := w.account("operator", c, "100000029", "BUSINESS") // is returned as R29
			for range 3 {
				w.mustCapture(bad, c, "1.00", 1)
			}
			w.forges(bad, c, account)
			w.days(37)
			w.wantStatus(c, "APPROVED")
			w.mustCapture(honest, c, "500.00", 1)
		}},
		{"a company disputes what one merchant charges, and stops it at all others", "F41.8", func(w *world) {
			m := w.merchant("Quarry Tools", "")
			hostile, good := w.company("Alder Kitchens", "10000.00", m), w.company("Birch Bakery", "10000.00", m)
			card, theirs := w.card("operator", hostile), w.card("operator", good)
			order := w.mustCapture(m, hostile, "900.00", 1)
			for range 3 {
				p := w.pay(m, order, "100.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)).text("id")
				w.days(1)
				w.dispute(p)
			}
			w.refusedWith(w.pay(m, order, "100.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)), 409, "payment_method_locked")
			other := w.mustCapture(m, good, "900.00", 1)
			p := w.pay(m, other, "100.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, theirs)).text("id")
			if p == "" {
				w.t.Fatal("the merchant may not charge another company")
			}
			w.days(1)
			w.dispute(p) // from two companies it stops everywhere
			w.refusedWith(w.pay(m, other, "100.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, theirs)), 409, "payment_method_locked")
			w.must("operator", "POST", "/v1/operator/merchants/"+m+"/payouts/release", `{"reason":"x"}`)
			if a := w.pay(m, other, "100.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, theirs)); a.Code != "" {
				w.t.Errorf("refused after the lender's release: %s", a.Code)
			}
		}},
		{"reports of a cent make a suspension for lateness a person's matter", "F41.8", func(w *world) {
			bad, honest := w.merchant("Harbor Supply", ""), w.merchant("Quarry Tools", "")
			c := w.company("Alder Kitchens", "10000.00", bad, honest)
			order, theirs := w.mustCapture(bad, c, "100.00", 1), w.mustCapture(honest, c, "100.00", 1)
			w.days(64) // due after 30
			w.wantStatus(c, "SUSPENDED")
			for range 101 {
				w.pay(bad, order, "0.01", "CASH", "")
			}
			w.must(bad, "POST", "/payment", fmt.Sprintf(`{"company_id":%s,"amount":"0.01","method":"CASH"}`, c))
			for _, key := range []string{order, theirs} {
				w.must("operator", "POST", "/payment", fmt.Sprintf(`{"order_key":%q,"amount":"105.00","method":"WIRE"}`, key))
			}
			w.wantStatus(c, "SUSPENDED") // the reports are not paid in yet
			w.must("operator", "POST", "/v1/operator/merchants/"+bad+"/remittances", `{"amount":"1.02","reference":"wire","reason":"x"}`)
			w.days(1)
			w.wantStatus(c, "APPROVED")
		}},
	}
}

// forges switches on autopay with an authorization that the merchant has made up.
func (w *world) forges(merchant, company, method string) {
	w.t.Helper()
	w.must(merchant, "PATCH", "/v1/companies/"+company+"/autopay", fmt.Sprintf(`{"enabled":true,"payment_method_id":%q,"authorization":%s}`, method, w.consent("")))
}

// autopaid lists the payments that a company's autopay has made and that have not failed.
func (w *world) autopaid(company string) []string {
	w.t.Helper()
	g := w.glance()
	var out []string
	for _, t := range g.transfers {
		if p := g.payments[t.Payment]; p != nil && p.Company == w.number(company) && p.Autopay && t.Answered() {
			out = append(out, p.ID)
		}
	}
	return out
}

func TestCardSabotages(t *testing.T) { playAll(t, cardSabotages()) }
