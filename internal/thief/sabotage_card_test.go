package thief

import (
	"fmt"
	"testing"
)

// What one merchant, or one company, could do to others with charges that are disputed,
// debits that come back, and reports of next to nothing.
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
	}
}

func TestCardSabotages(t *testing.T) { playAll(t, cardSabotages()) }
