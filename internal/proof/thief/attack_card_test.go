package thief

import (
	"fmt"
	"testing"
	"time"

	"tenor/internal/domain/credit"
)

// Thefts with money that the payer reverses: a disputed card charge, a returned debit.
func cardThefts() []theft {
	return []theft{
		{"a suspension lifted by a card that is disputed, and by a debit that comes back", "F41.6", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			card, account := w.card("operator", c), w.account("operator", c, "100000000", "BUSINESS")
			order := w.mustCapture(m, c, "1000.00", 1)
			w.days(64) // due after 30
			w.wantStatus(c, "SUSPENDED")
			p := w.pay(m, order, "1000.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)).text("id")
			w.days(1)
			w.wantStatus(c, "SUSPENDED")
			_, a := w.captured(m, c, "9000.00", 1, "")
			w.refusedWith(a, 409, "company_not_eligible")
			w.dispute(p)
			w.debit(m, order, "1000.00", account)
			w.days(2)
			w.wantStatus(c, "SUSPENDED")
			_, a = w.captured(m, c, "9000.00", 1, "")
			w.refusedWith(a, 409, "company_not_eligible")
			w.comeBack(c, "R01")
			w.days(5)
			w.wantStatus(c, "SUSPENDED")
		}},
		{"a line paid for by charges whose disputes are won, to be disputed again", "F24", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			card := w.card("operator", c)
			for range 4 {
				if order, _ := w.captured(m, c, "10000.00", 1, ""); order != "" {
					p := w.pay(m, order, "10000.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)).text("id")
					w.days(1)
					w.dispute(p)
					w.days(1)
					if err := w.bank.Cards().Win(w.chargeOf(p).Reference); err != nil {
						w.t.Fatal(err)
					}
				}
				w.days(1)
			}
			w.bought(2 * 10_000_00)
		}},
		{"orders refunded to the card that paid for them, and every charge disputed as well", "F41.2", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			card := w.card("operator", c)
			var paid []string
			for n := range 8 {
				order, _ := w.captured(m, c, "10000.00", 1, "")
				if order == "" {
					continue
				}
				p := w.pay(m, order, "10000.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)).text("id")
				w.days(1)
				if paid = append(paid, p); n%2 > 0 {
					w.refundPayment(m, p, "")
				}
				w.refundOrder(m, order, "")
				w.days(11) // credit from an order's refund goes back within seven business days
			}
			for _, p := range paid {
				w.dispute(p)
			}
			if owed := w.glance().other[w.number(c)]; owed > 10_000_00 {
				w.t.Errorf("%d stands on 1130", owed)
			}
		}},
		{"a shop whose buyer returns what was paid for by card keeps no line from it", "F24", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			card := w.card("operator", c)
			order := w.mustCapture(m, c, "10000.00", 1)
			w.pay(m, order, "10000.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card))
			w.days(1)
			w.refundOrder(m, order, "")
			w.days(12)
			order = w.mustCapture(m, c, "10000.00", 1)
			w.pay(m, order, "10000.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card))
			w.days(1)
			w.mustCapture(m, c, "10000.00", 1)
		}},
		{"small charges of a card, each disputed", "F25", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			card, other := w.card("operator", c), w.card(m, c)
			order := w.mustCapture(m, c, "5000.00", 1)
			w.refusedWith(w.pay(m, order, "1.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)), 422, "debit_too_small")
			for n := range 30 {
				method := card
				if n%2 > 0 {
					method = other
				}
				if p := w.pay(m, order, "10.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, method)).text("id"); p != "" {
					w.days(1)
					w.dispute(p)
				}
			}
			if w.meter.score.Costs > 50_00 {
				w.t.Errorf("the processor has charged %d", w.meter.score.Costs)
			}
		}},
		{"a merchant's own cards, disputed, stop those of a company for another merchant", "F41.8", func(w *world) {
			m, honest := w.merchant("Harbor Supply", ""), w.merchant("Quarry Tools", "")
			c := w.company("Alder Kitchens", "10000.00", m, honest)
			card := w.card("operator", c)
			order, theirs := w.mustCapture(m, c, "1000.00", 1), w.mustCapture(honest, c, "1000.00", 1)
			for range 4 {
				bogus := w.card(m, c)
				if p := w.pay(m, order, "10.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, bogus)).text("id"); p != "" {
					w.days(1)
					w.dispute(p)
				}
			}
			if a := w.pay(honest, theirs, "1000.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)); a.Code != "" {
				w.t.Errorf("the company's own card is refused: %s", a.Code)
			}
		}},
		{"an unfunded order of 1.00, called unpaid, keeps other merchants from the company", "F41.8", func(w *world) {
			m, honest := w.merchant("Harbor Supply", `"external_funding":"UNFUNDED"`), w.merchant("Quarry Tools", "")
			c := w.company("Alder Kitchens", "10000.00", m, honest)
			if order, _ := w.captured(m, c, "1.00", 1, `,"externally_managed_payments":true`); order == "" {
				w.t.Fatal("the order is refused")
			}
			w.days(100)
			w.wantStatus(c, "APPROVED")
			w.mustCapture(honest, c, "1000.00", 1)
		}},
		{"an account that failed its check, written with zeros before its number", "F41.1", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			path := "/v1/companies/" + c + "/payment_methods"
			body := func(number string) string {
				body := w.accountBody(number, "BUSINESS")
				return body[:len(body)-1] + `,"verify":true}`
			}
			first := w.must(m, "POST", path, body("0555000111")).text("id")
			w.refusedWith(w.call(m, "POST", path, body("555000111")), 409, "payment_method_locked")
			w.days(5)
			for range 3 {
				w.call(m, "POST", path+"/"+first+"/verify", `{"amounts":["0.98","0.99"]}`)
			}
			for _, number := range []string{"0555000111", "555000111", "000555000111"} {
				w.refusedWith(w.call(m, "POST", path, body(number)), 409, "payment_method_unverified")
			}
			if a := w.call(m, "POST", path, body("5550001110")); a.Code != "" {
				w.t.Errorf("another account is refused: %s", a.Code)
			}
		}},
	}
}

// bought fails the test unless this much was captured in total.
func (w *world) bought(want int64) {
	w.t.Helper()
	sum := int64(0)
	for _, o := range w.glance().orders { // unordered: a sum
		sum += int64(o.Captured)
	}
	if sum != want {
		w.t.Errorf("%d was bought, want %d", sum, want)
	}
}

// dispute lets the cardholder dispute the charge of a payment.
func (w *world) dispute(payment string) {
	w.t.Helper()
	if err := w.bank.Cards().Dispute(w.chargeOf(payment).Reference, "fraudulent"); err != nil {
		w.t.Fatal(err)
	}
	w.until(w.clock.Now().Add(time.Minute))
}

// chargeOf returns the charge by which a payment was made.
func (w *world) chargeOf(payment string) *credit.Transfer {
	w.t.Helper()
	for _, t := range w.glance().transfers {
		if t.Payment == payment && t.Kind == credit.TransferPayment {
			return t
		}
	}
	w.t.Fatalf("payment %q has no charge", payment)
	return nil
}

func TestCardThefts(t *testing.T) { playAll(t, cardThefts()) }
