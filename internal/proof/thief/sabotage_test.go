package thief

import (
	"context"
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// sabotages are what one merchant could once do to another's orders, and small change.
func sabotages() []theft {
	return []theft{
		{"thirty bogus debits of a cent suspend a shared company", "F41.8", func(w *world) {
			bad, honest, c, order := w.shared()
			for range 30 {
				own := w.account(bad, c, "100000003", "BUSINESS")
				if own == "" {
					continue
				}
				a := w.call(bad, "POST", "/payment", fmt.Sprintf(`{"order_key":%q,"amount":"0.01","method":"ACH","payment_method_id":%q}`, order, own))
				w.refusedWith(a, 409, "payment_method_unverified")
			}
			w.days(10)
			w.unharmed(honest, c)
		}},
		{"one account that a bank has frozen suspends a shared company", "F41.8", func(w *world) {
			bad, honest, c, order := w.shared()
			for _, how := range []string{"", `,"verify":true`, `,"prenote":true`} {
				body := w.accountBody("100000016", "BUSINESS")
				own := w.call(bad, "POST", "/v1/companies/"+c+"/payment_methods", body[:len(body)-1]+how+"}").text("id")
				w.days(5)
				w.pay(bad, order, "50.00", "ACH", fmt.Sprintf(`,"payment_method_id":%q`, own))
				w.days(5)
			}
			w.unharmed(honest, c)
		}},
		{"forty returns make a thousand of fees on an order of one", "F41.8", func(w *world) {
			bad, _, c, _ := w.shared()
			account := w.account("operator", c, "100000001", "BUSINESS") // is returned as R01
			tiny := w.mustCapture(bad, c, "1.00", 1)
			for range 40 {
				w.pay(bad, tiny, "0.01", "ACH", fmt.Sprintf(`,"payment_method_id":%q`, account))
				w.pay(bad, tiny, "1.00", "ACH", fmt.Sprintf(`,"payment_method_id":%q`, account))
				w.days(5)
			}
			if l := w.glance().loans[tiny]; l != nil {
				sum := int64(0)
				for _, f := range l.Fees {
					sum += int64(f.Amount)
				}
				if sum > 5_00 {
					w.t.Errorf("fees of %d on an order of 1.00", sum)
				}
			}
		}},
		{"autopay off before the cut-off and on after it", "F41.8", func(w *world) {
			bad, honest, c, _ := w.shared()
			theirs := w.account("operator", c, "100000000", "BUSINESS")
			w.collects(c, theirs)
			order := w.mustCapture(honest, c, "600.00", 1)
			due := w.glance().loans[order].Rows[0].DueDate
			for w.today() < due+5 {
				w.until(w.zone.At(w.today(), 15, 55))
				w.call(bad, "PATCH", "/v1/companies/"+c+"/autopay", `{"enabled":false}`)
				w.until(w.zone.At(w.today(), 16, 5))
				w.call(bad, "PATCH", "/v1/companies/"+c+"/autopay", fmt.Sprintf(`{"enabled":true,"payment_method_id":%q,"authorization":%s}`, theirs, w.consent("")))
				w.until(w.zone.At(w.today()+1, 9, 0))
			}
			w.days(6)
			if l := w.glance().loans[order]; unpaid(l) != 0 {
				w.t.Errorf("%d of another merchant's order is not collected", unpaid(l))
			}
		}},
		{"a debit of autopay that is canceled is never made again", "F41.8", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			theirs := w.account("operator", c, "100000000", "BUSINESS")
			w.collects(c, theirs)
			order := w.mustCapture(m, c, "600.00", 1)
			due := w.glance().loans[order].Rows[0].DueDate
			p := w.pay(m, order, "600.00", "ACH", fmt.Sprintf(`,"scheduled_date":%q`, due.NextBankingDay())).text("id")
			w.until(w.zone.At(due.AddBankingDays(1), 10, 0).AddDate(0, 0, -6))
			for w.today() <= due {
				for id, x := range w.glance().payments {
					if x.Status == credit.PaymentScheduled && (id == p || w.today() >= due-3) {
						w.call(m, "POST", "/v1/payment/"+id+"/cancel", `{}`)
					}
				}
				w.until(w.zone.At(w.today()+1, 10, 0))
			}
			w.days(10)
			if l := w.glance().loans[order]; unpaid(l) != 0 {
				w.t.Errorf("%d of the order is not collected", unpaid(l))
			}
		}},
		{"a made-up card clears a suspension for returns", "F41.8", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			theirs := w.account("operator", c, "100000001", "BUSINESS")
			w.collects(c, theirs)
			w.mustCapture(m, c, "600.00", 3)
			w.days(100)
			w.wantStatus(c, "SUSPENDED")
			w.card(m, c)
			if !w.glance().companies[w.number(c)].Servicing.NeedsVerified {
				w.t.Error("a card of which a merchant has said everything has verified the company")
			}
		}},
		{"children so small that no discount is left", "F41.10", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			order := w.must(m, "POST", "/order", fmt.Sprintf(`{"company_id":%s,"amount":"100.00","installments":1,"status":"AUTHORIZED"}`, c)).text("key")
			w.refusedWith(w.call(m, "POST", "/v1/order/"+order+"/partial", `{"amount":"0.16"}`), 422, "amount_out_of_bounds")
			for range 60 { // 0.03 each: 3 % of 1.16 is 0.0348
				w.must(m, "POST", "/v1/order/"+order+"/partial", `{"amount":"1.16"}`)
			}
			w.must(m, "PATCH", "/v1/order/"+order, `{"status":"CAPTURED"}`)
			sum := money.Amount(0)
			for _, o := range w.glance().orders {
				sum += o.Discount
			}
			if sum != 3_00 {
				w.t.Errorf("discounts of %s on 100.00, want 3.00", sum)
			}
		}},
		{"refunds and children without end", "F41.10", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			managed, _ := w.captured(m, c, "1000.00", 1, `,"externally_managed_payments":true`)
			p := w.pay(m, managed, "1000.00", "CASH", "").text("id")
			taken := 0
			for range 60 {
				if w.refundPayment(m, p, "0.01").Status < 300 {
					taken++
				}
			}
			if taken > 50 {
				w.t.Errorf("%d refunds of one payment", taken)
			}
			order := w.must(m, "POST", "/order", fmt.Sprintf(`{"company_id":%s,"amount":"1000.00","installments":1,"status":"AUTHORIZED"}`, c)).text("key")
			taken = 0
			for range 260 {
				if w.call(m, "POST", "/v1/order/"+order+"/partial", `{"amount":"1.00"}`).Status < 300 {
					taken++
				}
			}
			if taken > 250 {
				w.t.Errorf("%d children of one order", taken)
			}
		}},
		{"an overpayment that a merchant has reported waits for ever", "F36", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			w.account("operator", c, "100000000", "BUSINESS")
			w.must("operator", "PATCH", "/v1/companies/"+c+"/autopay", `{"apply_credit_to_due":true}`)
			order := w.mustCapture(m, c, "1000.00", 1)
			w.must(m, "POST", "/payment", fmt.Sprintf(`{"order_key":%q,"amount":"1500.00","method":"CHECK"}`, order))
			next := w.mustCapture(m, c, "4000.00", 1) // its payout nets 1210
			w.days(60)
			g := w.glance()
			if l := g.loans[next]; int64(l.Rows[0].PaidPrincipal) != 500_00 {
				w.t.Errorf("%s of the overpayment have paid the next order, want 500.00", l.Rows[0].PaidPrincipal)
			}
		}},
	}
}

// shared returns a company of two merchants, with an order of the bad one.
func (w *world) shared() (bad, honest, company, order string) {
	w.t.Helper()
	bad, honest = w.merchant("Harbor Supply", ""), w.merchant("Quarry Tools", "")
	company = w.company("Alder Kitchens", "10000.00", bad, honest)
	return bad, honest, company, w.mustCapture(bad, company, "100.00", 1)
}

// unharmed fails the test unless another merchant's order can be authorized, captured, collected
// and paid out.
func (w *world) unharmed(merchant, company string) {
	w.t.Helper()
	w.wantStatus(company, "APPROVED")
	theirs := w.account("operator", company, "100000000", "BUSINESS")
	w.collects(company, theirs)
	order, a := w.captured(merchant, company, "600.00", 1, "")
	if order == "" {
		w.t.Errorf("another merchant's order: %s", a.Text)
		return
	}
	w.days(40)
	if l := w.glance().loans[order]; unpaid(l) != 0 {
		w.t.Errorf("%d of another merchant's order is not collected", unpaid(l))
	}
	if paid := w.paidOut(merchant); paid != 582_00 {
		w.t.Errorf("%d paid out to another merchant, want 58200", paid)
	}
}

// trace returns the number of a transfer's entry in a bank file, false if it is in none.
func (w *world) trace(transfer string) (int64, bool) {
	w.t.Helper()
	for _, state := range []store.FileState{store.FileSent, store.FileAccepted} {
		files, err := store.Files(context.Background(), w.db, state, 10_000)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, f := range files {
			entries, err := store.FileEntries(context.Background(), w.db, f.ID)
			if err != nil {
				w.t.Fatal(err)
			}
			for _, e := range entries {
				if e.Transfer == transfer {
					return e.Trace, true
				}
			}
		}
	}
	return 0, false
}
