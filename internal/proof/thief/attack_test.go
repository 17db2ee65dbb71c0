package thief

import (
	"fmt"
	"testing"
	"time"

	"tenor/internal/domain/credit"
)

// theft is one way to the lender's money, or around its rules, that was once open. It is played
// as its inventor would: with a merchant's token. A call that F41 refuses must be refused with
// its code; at the end the lender must have lost nothing.
type theft struct {
	name string
	rule string
	play func(w *world)
}

// Each theft is played to its end. When a call is refused the thief continues with what is left.
func TestThefts(t *testing.T) {
	playAll(t, thefts())
	playAll(t, sabotages())
}

func playAll(t *testing.T, list []theft) {
	for _, x := range list {
		t.Run(x.name, func(t *testing.T) {
			w := newWorld(t, "2026-01-05 10:00")
			x.play(w)
			w.nothing(t)
			if t.Failed() {
				t.Logf("the rule is %s", x.rule)
			}
		})
	}
}

// refusedWith fails the test unless a call was refused with this status and code; the code ""
// matches any.
func (w *world) refusedWith(a answer, status int, code string) {
	w.t.Helper()
	if a.Status != status || code != "" && a.Code != code {
		w.t.Errorf("answered %d %s, want %d %s: %s", a.Status, a.Code, status, code, w.log[len(w.log)-1])
	}
}

func thefts() []theft {
	return []theft{
		{"cash reported, then the order refunded", "F13.4", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			w.account("operator", c, "100000000", "BUSINESS")
			for range 4 {
				if order, _ := w.captured(m, c, "10000.00", 1, ""); order != "" {
					w.pay(m, order, "10000.00", "CASH", "")
					w.refundOrder(m, order, "")
				}
				w.days(1)
			}
			w.days(20)
			w.owedToBuyer(c, 0)
		}},
		{"cash reported after the payout, then the order refunded", "F13.4", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			w.account("operator", c, "100000000", "BUSINESS")
			for range 4 {
				order, _ := w.captured(m, c, "10000.00", 1, "")
				w.days(5) // paid out
				if order != "" {
					w.pay(m, order, "10000.00", "CASH", "")
					w.days(1)
					w.refundOrder(m, order, "")
				}
				w.days(10)
			}
			w.owedToBuyer(c, 0)
		}},
		{"cash reported on one order frees the line for the next", "F41.4", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			var payments []string
			for n := range 5 {
				order, a := w.captured(m, c, "10000.00", 1, "")
				if n > 0 {
					w.refusedWith(a, 422, "insufficient_credit")
				}
				if order != "" {
					payments = append(payments, w.pay(m, order, "10000.00", "CASH", "").text("id"))
				}
			}
			for _, p := range payments {
				w.refundPayment(m, p, "")
			}
			w.days(4)
		}},
		{"a debit that settled is refunded once its line is used again", "F41.4", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			account := w.account("operator", c, "100000000", "BUSINESS")
			order := w.mustCapture(m, c, "10000.00", 1)
			p := w.debit(m, order, "10000.00", account).text("id")
			w.days(14)
			w.mustCapture(m, c, "10000.00", 1)
			w.refusedWith(w.refundPayment(m, p, ""), 422, "insufficient_credit")
			w.days(4)
		}},
		{"debt on a company that staff hold, and on one that is closed", "F41.4", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			for _, end := range []struct{ path, body string }{{"/hold", `{"code":"fraud_review"}`}, {"/close", `{"reason":"x","reasons":["a review"]}`}} {
				c := w.company("Alder Kitchens "+end.path[1:], "10000.00", m)
				order := w.mustCapture(m, c, "1000.00", 1)
				p := w.pay(m, order, "1000.00", "CASH", "").text("id")
				w.must("operator", "POST", "/v1/operator/merchants/"+m+"/remittances", `{"amount":"1000.00","reference":"wire 1","reason":"x"}`)
				w.until(w.clock.Now().Add(time.Minute))
				w.must("operator", "POST", "/v1/operator/companies/"+c+end.path, end.body)
				w.refusedWith(w.refundPayment(m, p, ""), 409, "company_not_eligible")
				if now := w.glance().companies[w.number(c)].Status; now == credit.CompanyApproved {
					w.t.Errorf("the company is %s again", now)
				}
			}
		}},
		{"a suspension lifted by cash that is taken back", "F41.6", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			order := w.mustCapture(m, c, "5000.00", 1)
			w.days(70) // due after 30
			w.wantStatus(c, "SUSPENDED")
			p := w.pay(m, order, "5000.00", "CASH", "").text("id")
			w.days(1)
			w.wantStatus(c, "SUSPENDED")
			if p != "" {
				w.refundPayment(m, p, "")
			}
			w.days(15)
			w.wantStatus(c, "SUSPENDED")
		}},
		{"a company's bank account debited without an order", "F41.1", func(w *world) {
			m, honest := w.merchant("Harbor Supply", ""), w.merchant("Quarry Tools", "")
			c := w.company("Alder Kitchens", "10000.00", m, honest)
			account := w.account("operator", c, "100000029", "BUSINESS") // is returned as R29
			w.collects(c, account)
			for _, amount := range []string{"77777.00", "5000000.00"} {
				a := w.call(m, "POST", "/payment", fmt.Sprintf(`{"company_id":%s,"amount":%q,"method":"ACH","payment_method_id":%q}`, c, amount, account))
				w.refusedWith(a, 422, "debit_exceeds_balance")
				a = w.call(m, "POST", "/payment", fmt.Sprintf(`{"company_id":%s,"amount":%q,"method":"ACH"}`, c, amount))
				w.refusedWith(a, 422, "debit_exceeds_balance")
			}
			w.mustCapture(honest, c, "500.00", 1) // another merchant's order gives no right either
			a := w.call(m, "POST", "/payment", fmt.Sprintf(`{"company_id":%s,"amount":"500.00","method":"ACH"}`, c))
			w.refusedWith(a, 422, "debit_exceeds_balance")
			own := w.account(m, c, "555000111", "BUSINESS")
			w.autopay(m, c, own, true)
			w.call(m, "POST", "/v1/companies/"+c+"/credit_requests", `{}`)
			w.call(m, "POST", "/v1/companies/"+c+"/credit_refunds", fmt.Sprintf(`{"payment_method_id":%q}`, own))
			w.days(20)
			w.owedToBuyer(c, 0)
		}},
		{"a debit above the order overpays it, and the credit leaves for another account", "F41.1", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			account := w.account("operator", c, "100000029", "BUSINESS")
			order := w.mustCapture(m, c, "1000.00", 1)
			a := w.pay(m, order, "9000.00", "ACH", fmt.Sprintf(`,"payment_method_id":%q`, account))
			w.refusedWith(a, 422, "debit_exceeds_balance")
			for range 2 { // twice the balance, in two debits
				a = w.pay(m, order, "1000.00", "ACH", fmt.Sprintf(`,"payment_method_id":%q`, account))
			}
			w.refusedWith(a, 422, "debit_exceeds_balance")
			w.days(20)
		}},
		{"refunds of autopay's debits go to the thief", "F41.2, F41.3", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			theirs := w.account("operator", c, "100000000", "BUSINESS")
			w.collects(c, theirs)
			w.mustCapture(m, c, "9000.00", 3)
			w.days(100)
			if a := w.call(m, "DELETE", "/v1/companies/"+c+"/payment_methods/"+theirs, ""); a.Status < 400 {
				w.t.Error("a merchant has removed the account that the lender added")
			}
			own := w.account(m, c, "555000111", "BUSINESS")
			w.autopay(m, c, own, true)
			paid := 0
			for _, p := range w.debitsOf(c) {
				w.refusedWith(w.refundPayment(m, p, ""), 403, "")
				paid++
			}
			if paid != 3 {
				w.t.Errorf("%d debits of autopay, want 3", paid)
			}
			w.days(20)
		}},
		{"another merchant's refund goes to the thief", "F41.2", func(w *world) {
			m, honest := w.merchant("Harbor Supply", ""), w.merchant("Quarry Tools", "")
			c := w.company("Alder Kitchens", "10000.00", m, honest)
			theirs := w.account("operator", c, "100000000", "BUSINESS")
			order := w.mustCapture(honest, c, "3000.00", 1)
			w.debit("operator", order, "3000.00", theirs)
			w.days(20)
			w.call(m, "DELETE", "/v1/companies/"+c+"/payment_methods/"+theirs, "")
			own := w.account(m, c, "555000111", "BUSINESS")
			w.autopay(m, c, own, true)
			w.must(honest, "PATCH", "/v1/order/"+order+"/refund", `{}`)
			w.days(20)
		}},
		{"one debit back twice: the order's refund, then the payment's", "F41.3", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			account := w.account("operator", c, "100000000", "BUSINESS")
			order := w.mustCapture(m, c, "5000.00", 1)
			p := w.debit(m, order, "2000.00", account).text("id")
			w.days(14)
			w.must(m, "PATCH", "/v1/order/"+order+"/refund", `{}`)
			w.refusedWith(w.refundPayment(m, p, ""), 422, "refund_exceeds_payment")
			w.refusedWith(w.refundPayment(m, p, "1.00"), 422, "refund_exceeds_payment")
			w.days(20)
			w.refusedWith(w.refundPayment(m, p, "1.00"), 422, "refund_exceeds_payment")
		}},
		{"one debit back twice: the payment's refund, then the order's", "F41.3", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			account := w.account("operator", c, "100000000", "BUSINESS")
			order := w.mustCapture(m, c, "5000.00", 1)
			p := w.debit(m, order, "2000.00", account).text("id")
			w.days(14)
			w.must(m, "POST", "/payment/"+p+"/refund", `{}`)
			w.must(m, "PATCH", "/v1/order/"+order+"/refund", `{}`)
			w.days(20)
			w.owedToBuyer(c, 0)
		}},
		{"one reported payment back twice, on an order whose payments the merchant manages", "F41.3", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			order, _ := w.captured(m, c, "5000.00", 1, `,"externally_managed_payments":true`)
			w.days(4)
			p := w.pay(m, order, "2000.00", "CASH", "").text("id")
			w.must("operator", "POST", "/v1/operator/merchants/"+m+"/remittances", `{"amount":"2000.00","reference":"wire 1","reason":"x"}`)
			w.must(m, "PATCH", "/v1/order/"+order+"/refund", `{}`)
			w.refusedWith(w.refundPayment(m, p, ""), 422, "refund_exceeds_payment")
			w.days(60)
			if owed := w.glance().used(w.number(c)); owed != 0 {
				w.t.Errorf("the company owes %d of an order that was given back", owed)
			}
		}},
		{"debt hidden by cash each night that is refunded each morning", "F41.5", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			order := w.mustCapture(m, c, "5000.00", 1)
			w.until(w.zone.At(w.today()+30, 9, 0))
			refused := 0
			for range 90 {
				w.until(w.zone.At(w.today(), 23, 50))
				a := w.pay(m, order, "5000.00", "CASH", "")
				w.until(w.zone.At(w.today()+1, 0, 30))
				if a.Status == 403 {
					refused++
					break // the lender records what comes now
				}
				w.refundPayment(m, a.text("id"), "")
			}
			if refused == 0 {
				w.t.Error("cash was taken each night")
			}
			w.days(45)
			w.wantStatus(c, "SUSPENDED")
		}},
		{"debt hidden by one refund each month", "F41.5", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			order := w.mustCapture(m, c, "5000.00", 1)
			w.days(45) // 15 days late: the fee applies
			p := w.pay(m, order, "5000.00", "CASH", "").text("id")
			w.days(1)
			w.must(m, "POST", "/payment/"+p+"/refund", `{}`)
			w.days(30) // 46 days late, and 30 since the refund
			w.wantStatus(c, "SUSPENDED")
			if g := w.glance(); len(g.loans[order].Fees) != 1 || g.orders[order].Financing != credit.FinancingOverdue {
				w.t.Errorf("fees %+v, %s", g.loans[order].Fees, g.orders[order].Financing)
			}
		}},
		{"charge avoided by dates of long ago", "F41.6", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			own := w.mustCapture(m, c, "1200.00", 6)
			managed, _ := w.captured(m, c, "1200.00", 6, `,"externally_managed_payments":true`)
			w.days(150)
			for order, days := range map[string]int{own: 1, managed: 6} {
				date := w.today().AddDays(-days)
				if a := w.pay(m, order, "100.00", "CASH", fmt.Sprintf(`,"effective_date":%q`, date)); a.Status < 400 {
					w.t.Errorf("cash of %s was taken on %s", date, w.today())
				}
			}
			w.must(m, "POST", "/payment", fmt.Sprintf(`{"order_key":%q,"amount":"10.00","method":"CASH","effective_date":%q}`, managed, w.today().AddDays(-5)))
		}},
		{"all files stopped by one account", "F41.11", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			for _, bad := range []string{
				`"routing_number":"000000000","holder_name":"Alder"`, `"routing_number":"990000000","holder_name":"   "`,
				`"routing_number":"990000000","holder_name":"\u00a0"`, `"routing_number":"990000000","holder_name":"日本"`,
			} {
				a := w.call(m, "POST", "/v1/companies/"+c+"/payment_methods", fmt.Sprintf(
					`{"type":"ACH","account_number":"123456789","holder_type":"BUSINESS","verify":true,"authorization":%s,%s}`, w.consent("WEB"), bad))
				if a.Status < 400 {
					w.t.Errorf("an account was taken with %s", bad)
				}
			}
			order := w.mustCapture(m, c, "1000.00", 1)
			w.days(7)
			if paid := w.paidOut(m); paid == 0 {
				w.t.Errorf("order %s is not paid out: no file goes", order)
			}
		}},
		{"a card charged for four times the order", "F41.1", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			card := w.card(m, c)
			order := w.mustCapture(m, c, "10000.00", 1)
			a := w.pay(m, order, "40000.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card))
			w.refusedWith(a, 422, "debit_exceeds_balance")
			for range 4 {
				w.pay(m, order, "10000.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card))
			}
			w.days(3)
			if w.meter.score.Costs > 300_00 {
				w.t.Errorf("the processor has charged %d", w.meter.score.Costs)
			}
		}},
		{"one line, paid for eight times by a card that is disputed at the end", "F24", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			card := w.card("operator", c)
			last := ""
			for range 8 {
				if order, _ := w.captured(m, c, "10000.00", 1, ""); order != "" {
					last = w.pay(m, order, "10000.00", "CARD", fmt.Sprintf(`,"payment_method_id":%q`, card)).text("id")
				}
				w.days(1)
			}
			w.refusedWith(w.refundPayment(m, last, ""), 409, "payment_not_refundable")
			w.bought(2 * 10_000_00) // on a line of 10,000.00
		}},
		{"a consumer's account: paid and refunded three times, then not authorized", "F41.3", func(w *world) {
			m := w.merchant("Harbor Supply", "")
			c := w.company("Alder Kitchens", "10000.00", m)
			account := w.account("operator", c, "100000000", "CONSUMER")
			order := w.mustCapture(m, c, "10000.00", 1)
			for range 3 {
				p := w.pay(m, order, "10000.00", "ACH", fmt.Sprintf(`,"payment_method_id":%q`, account)).text("id")
				w.days(12)
				if p != "" {
					w.refundPayment(m, p, "")
				}
				w.days(3)
			}
			w.comeBack(c, "R10")
			w.days(5)
			if owed := w.glance().other[w.number(c)]; owed > 500_00 {
				w.t.Errorf("%d stands on 1130", owed)
			}
		}},
	}
}

// owedToBuyer fails the test if the lender's credit of a company and what has left for it exceed
// what it received by more than this.
func (w *world) owedToBuyer(company string, want int64) {
	w.t.Helper()
	g := w.glance()
	sent, received := g.buyer(w.number(company))
	if owed := int64(g.companies[w.number(company)].Credit); owed+sent-received > want {
		w.t.Errorf("the lender has sent %d and owes %d for %d that it received", sent, owed, received)
	}
}

func (w *world) number(company string) (id int64) {
	w.t.Helper()
	if _, err := fmt.Sscan(company, &id); err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) wantStatus(company, want string) {
	w.t.Helper()
	if now := w.glance().companies[w.number(company)].Status; string(now) != want {
		w.t.Errorf("on %s the company is %s, want %s", w.today(), now, want)
	}
}

// debitsOf lists the ids of a company's settled debits.
func (w *world) debitsOf(company string) []string {
	var ids []string
	for _, t := range w.glance().transfers {
		if t.Company == w.number(company) && t.Kind == credit.TransferPayment && t.Status == credit.TransferSettled {
			ids = append(ids, t.Payment)
		}
	}
	return ids
}

// paidOut returns what has been paid out to a merchant.
func (w *world) paidOut(merchant string) int64 {
	sum := int64(0)
	for _, t := range w.glance().transfers {
		if t.Merchant == merchant && t.Kind == credit.TransferPayout && away(t) {
			sum += int64(t.Amount)
		}
	}
	return sum
}

// comeBack makes the bank return each debit of a company that can still be returned.
func (w *world) comeBack(company, code string) {
	w.t.Helper()
	for _, t := range w.glance().transfers {
		if t.Company != w.number(company) || t.Kind != credit.TransferPayment || t.Rail != credit.ACH || !away(t) {
			continue
		}
		if trace, ok := w.trace(t.ID); ok {
			if err := w.bank.ReturnNow(trace, code); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	w.until(w.clock.Now().Add(time.Minute))
}

// card adds a debit card to a company; "" if it was refused.
func (w *world) card(who, company string) string {
	w.t.Helper()
	return w.call(who, "POST", "/v1/companies/"+company+"/payment_methods", fmt.Sprintf(
		`{"type":"CARD","card":{"token":"tok_visa_debit","mandate":"mnd_1","brand":"visa","last4":"4242","exp_month":12,"exp_year":2040,"debit":true},"authorization":%s}`,
		w.consent("WEB"))).text("id")
}
