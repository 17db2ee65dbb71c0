package credit_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/invariant"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

// equip gives the companies accounts that can be debited, and autopay.
func (m *market) equip() {
	for _, id := range m.companies {
		bank := m.must(operator, payments.AddPaymentMethod{
			Company: id, Type: credit.ACH, Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: m.now},
			Bank: &credit.BankAccount{Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte{1}, Fingerprint: "f"},
		}).(*credit.PaymentMethod)
		card := m.must(operator, payments.AddPaymentMethod{
			Company: id, Type: credit.Card, Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: m.now},
			Card: &credit.CardAccount{Token: "tok", Mandate: "man", Last4: "4242", ExpMonth: 12, ExpYear: 2040, Debit: true},
		}).(*credit.PaymentMethod)
		m.methods = append(m.methods, bank.ID, card.ID)
		on := true
		m.must(operator, payments.SetAutopay{Company: id, Enabled: &on, Method: &bank.ID})
	}
}

// returnCodes are the codes that a random bank uses.
var returnCodes = []string{"R01", "R01", "R01", "R09", "R02", "R08", "R10", "R16", "R17", "nonsense"}

// onRails submits one random command on payment methods, autopay and transfers.
func (m *market) onRails(t *rapid.T, who credit.Actor) {
	method := rapid.SampledFrom(m.methods).Draw(t, "method")
	company := m.all.Methods[method].Company
	switch rapid.IntRange(0, 10).Draw(t, "rail") {
	case 0, 1, 2:
		m.debit(t, who, method)
	case 3:
		on := rapid.Bool().Draw(t, "on")
		c := payments.SetAutopay{Company: company, Enabled: &on, Method: &method}
		if use := rapid.IntRange(0, 5).Draw(t, "credit") > 0; rapid.Bool().Draw(t, "consent") {
			c = payments.SetAutopay{Company: company, Credit: &use}
		}
		m.ask(operator, c)
	case 4:
		m.renew(t, method)
	case 5:
		if len(m.payments) > 0 {
			m.ask(operator, payments.CancelPayment{Payment: rapid.SampledFrom(m.payments).Draw(t, "payment")})
		}
	case 6:
		m.ask(operator, payments.SendCredit{Company: company})
	case 7, 8:
		m.byHand(t, company, method)
	default:
		if ids := slices.Sorted(maps.Keys(m.all.Transfers)); len(ids) > 0 {
			m.ask(system, m.outcome(t, rapid.SampledFrom(ids).Draw(t, "transfer")))
		}
	}
}

// byHand does what people do about money that goes back and about what is not collected.
func (m *market) byHand(t *rapid.T, company int64, method string) {
	switch rapid.IntRange(0, 5).Draw(t, "by hand") {
	case 0:
		m.ask(m.shops[0], payments.AskForCredit{Company: company})
	case 1:
		m.ask(operator, lending.ResumeCollection{Order: rapid.SampledFrom(m.orders).Draw(t, "order")})
	default:
		for _, id := range slices.Sorted(maps.Keys(m.all.Payments)) {
			for _, r := range m.all.Payments[id].Refunds {
				c := payments.PayRefund{Payment: id, Refund: r.ID, Method: credit.Check}
				if rapid.Bool().Draw(t, "rail") {
					c.Method, c.PaymentMethod = "", method
				}
				if r.Status != credit.RefundSettled && (r.Transfer == "" || r.Status == credit.RefundFailed) {
					m.ask(operator, c)
				}
			}
		}
	}
}

// renew adds another account and lets autopay debit it; it may end the old one.
func (m *market) renew(t *rapid.T, old string) {
	was := m.all.Methods[old]
	x := m.must(operator, payments.AddPaymentMethod{Company: was.Company, Type: was.Type, Bank: was.Bank, Card: was.Card, Authorization: was.Authorization}).(*credit.PaymentMethod)
	m.methods = append(m.methods, x.ID)
	on := true
	m.ask(operator, payments.SetAutopay{Company: x.Company, Enabled: &on, Method: &x.ID})
	if rapid.Bool().Draw(t, "remove") {
		m.ask(operator, payments.RemovePaymentMethod{Method: old})
	}
	if c := m.all.Companies[x.Company]; c.Status == credit.CompanySuspended {
		m.ask(operator, lending.UpdateCompany{Company: c.ID, Status: credit.CompanyApproved})
	}
}

// debit submits a payment of an order or of a company through a rail.
func (m *market) debit(t *rapid.T, who credit.Actor, method string) {
	x := m.all.Methods[method]
	c := payments.RecordPayment{
		Amount: amount(t, 30000), Method: x.Type, PaymentMethod: method, EffectiveDate: calendar.None, ScheduledDate: calendar.None,
		HoldExcess: rapid.IntRange(0, 4).Draw(t, "hold") == 0,
	}
	if rapid.Bool().Draw(t, "later") {
		c.ScheduledDate = m.today().AddDays(rapid.IntRange(0, 40).Draw(t, "days"))
	}
	if rapid.IntRange(0, 3).Draw(t, "whole") > 0 {
		c.Order = rapid.SampledFrom(m.orders).Draw(t, "order")
	} else {
		c.Company = x.Company
	}
	m.ask(who, c)
}

// outcome is something that a bank or a processor reports about a transfer.
func (m *market) outcome(t *rapid.T, id string) credit.Command {
	code := rapid.SampledFrom(returnCodes).Draw(t, "code")
	cost := money.Amount(rapid.IntRange(0, 1).Draw(t, "cost"))
	if m.all.Transfers[id].Rail == credit.ACH {
		if rapid.IntRange(0, 3).Draw(t, "reject") == 0 {
			return payments.RejectTransfer{Transfer: id, Code: code}
		}
		return payments.ReturnTransfer{Transfer: id, Code: code, Cost: cost}
	}
	switch rapid.IntRange(0, 4).Draw(t, "says") {
	case 0:
		return payments.CompleteCharge{Transfer: id, Code: "declined"}
	case 1:
		return payments.SettleCharge{Transfer: id, Cost: cost}
	case 2:
		return payments.DisputeCharge{Transfer: id, Code: "fraud", Fee: cost, Won: rapid.Bool().Draw(t, "won")}
	}
	return payments.CompleteCharge{Transfer: id, Approved: true, Reference: "ch_" + id}
}

// pass lets hours go by and runs all or only some of what is due: the books must not depend on
// the scheduler.
func (m *market) pass(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.SampledFrom([]int{1, 7, 16, 24, 24, 72, 240}).Draw(t, "hours")) * time.Hour)
	for range rapid.IntRange(0, 12).Draw(t, "done") {
		_, c := (&story{world: m.world}).nextDue(m.now)
		if c == nil {
			return
		}
		m.ask(system, c)
	}
}

// verifyRails compares money in transit and money withheld with the books, and the attempts of
// each debit with the network's rules (F23, F24, F40.8, F40.11).
func (m *market) verifyRails(bal map[ledger.Account]money.Amount) {
	m.t.Helper()
	var debits, cards money.Amount
	for _, t := range m.all.Transfers {
		debits, cards = debits+t.InTransit(), cards+invariant.AtProcessor(t)
	}
	var back money.Amount
	for _, p := range m.all.Payments {
		back += p.InTransit()
	}
	if bal[ledger.ACHDebitsInTransit] != debits || bal[ledger.CardReceivable] != cards || bal[ledger.PaymentsPending] != -debits || bal[ledger.RefundsInTransit] != -back {
		m.t.Fatalf("on its way: 1010 %s, debits %s; 1020 %s, charges %s; 2120 %s; 2110 %s, payments %s", bal[ledger.ACHDebitsInTransit], debits,
			bal[ledger.CardReceivable], cards, bal[ledger.PaymentsPending], bal[ledger.RefundsInTransit], back)
	}
	held, attempts, assessed := map[int64]money.Amount{}, map[string]int{}, 0
	for _, p := range m.all.Payments {
		held[p.Company] += p.OnHold
		if p.FeeAssessed {
			assessed++
		}
		if p.Original != "" {
			attempts[p.Original]++
			m.verifyRetry(p)
		}
	}
	for id, n := range attempts {
		if n > payments.MaxReinitiations {
			m.t.Fatalf("payment %s has been tried again %d times", id, n)
		}
	}
	fees := 0
	for _, l := range m.all.Loans {
		fees += invariant.FeesOf(l)
	}
	if fees != assessed {
		m.t.Fatalf("%d fees for %d returned originals", fees, assessed)
	}
	for _, id := range m.companies {
		c := m.all.Companies[id]
		if c.OnHold != held[id] || c.Available() != c.Limit-c.Outstanding-c.Reserved-c.OnHold {
			m.t.Fatalf("company %d: %s on hold, payments hold %s", id, c.OnHold, held[id])
		}
	}
}

// verifyRetry requires that a debit is retried only for lack of funds, for the same items and
// amount, and in time, counted from settlement to settlement (F23).
func (m *market) verifyRetry(p *credit.Payment) {
	m.t.Helper()
	first := m.all.Payments[p.Original]
	if first.Failure == nil || p.Amount != first.Amount || !slices.Equal(p.Items, first.Items) || p.Order != first.Order {
		m.t.Fatalf("payment %+v is no retry of %+v", p, first)
	}
	if r, _ := lending.LookUpReturn(first.Failure.ReturnCode); p.Method == credit.ACH && r.Class != lending.ClassRetryFunds {
		m.t.Fatalf("payment %s is tried again after %s", first.ID, first.Failure.ReturnCode)
	}
	if p.Method == credit.ACH && p.Status != credit.PaymentCanceled && first.ScheduledDate.DaysUntil(p.ScheduledDate) > payments.ReinitiationDays {
		m.t.Fatalf("payment %s, which was to settle on %s, is tried again on %s", first.ID, first.ScheduledDate, p.ScheduledDate)
	}
}

// withdrawn reports whether an event no longer counts: a refund of credit that did not arrive,
// a chargeback that was won.
func withdrawn(e credit.MoneyEvent) bool {
	return e.Returned && e.Kind != schedule.EventPayment && e.Kind != schedule.EventChargeOff
}

// Whatever banks and processors report, in any order and however late, the books agree with
// the records, and no retry breaks the network's rules (F40.5, F40.8, F40.11).
func TestAnythingOnRails(t *testing.T) {
	comesAbout := []string{
		"transfer.service", "transfer.return", "transfer.reject", "card.complete", "card.settle", "card.dispute", "credit.send", "credit.service", "credit.ask", "payment.refund", "payment.refund_pay", "order.resume", "credit used",
	}
	live(t, comesAbout, func(t *rapid.T, accepted map[string]int) {
		m := newMarket(t)
		for _, id := range m.companies {
			if use := true; rapid.Bool().Draw(t, "pools credit") {
				m.must(operator, payments.SetAutopay{Company: id, Credit: &use})
			}
			for range 2 {
				c := m.draw(t)
				c.Company, c.External, c.Amount = id, false, min(c.Amount, 40000)+3000
				m.ask(m.shops[0], c)
				m.ask(operator, lending.UpdateOrder{Order: m.orders[len(m.orders)-1], Status: credit.OrderCaptured})
			}
		}
		for range 60 {
			who := rapid.SampledFrom([]credit.Actor{operator, m.shops[0]}).Draw(t, "who")
			switch rapid.IntRange(0, 11).Draw(t, "kind") {
			case 0:
				m.pay(t, who)
			case 1:
				m.onPayment(t, who, m.anyPayment(t))
			case 2:
				m.onOrder(t, who, rapid.SampledFrom(m.orders).Draw(t, "order"))
			case 3, 4:
				m.onRails(t, who)
			case 5, 6, 7:
				if id := m.moving(t); id != "" {
					m.ask(system, m.outcome(t, id))
				}
			default:
				m.pass(t)
			}
		}
		for k, n := range m.accepted {
			accepted[k] += n
		}
		for _, events := range m.all.History {
			for _, e := range events {
				if e.Kind == schedule.EventCreditUse && len(e.Posted) > 0 {
					accepted["credit used"]++
				}
			}
		}
	})
}

// anyPayment is any payment, including autopay's; "pay_none" if there is none.
func (m *market) anyPayment(t *rapid.T) string {
	ids := slices.Sorted(maps.Keys(m.all.Payments))
	if len(ids) == 0 {
		return "pay_none"
	}
	return rapid.SampledFrom(ids).Draw(t, "payment")
}

// moving is a transfer that can have an outcome, "" if there is none.
func (m *market) moving(t *rapid.T) string {
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(m.all.Transfers)) {
		if x := m.all.Transfers[id]; x.Status == credit.TransferSent || x.Status == credit.TransferSettled || x.Status == credit.TransferReturned {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return rapid.SampledFrom(ids).Draw(t, "transfer")
}
