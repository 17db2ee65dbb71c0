package credit_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

// market is a world of two merchants and two companies in which any command may be submitted.
type market struct {
	*world
	shops     []credit.Actor
	companies []int64
	orders    []string
	payments  []string
	clients   []string
	endpoints []string
	methods   []string
	accepted  map[string]int
	verified  int
	seen      func(operation, []credit.Event)
}

func marketSettings() credit.Settings {
	s := lending.DefaultSettings()
	term := func(n int, plan schedule.Plan, year, month string) credit.Term {
		return credit.Term{Installments: n, Plan: plan, AnnualRate: money.MustParseRate(year), MonthlyFeeRate: money.MustParseRate(month), DiscountRate: money.MustParseRate("0.030000")}
	}
	s.Terms = []credit.Term{
		term(1, schedule.Net30, "0", "0"), term(3, schedule.Zero, "0", "0"), term(4, schedule.FlatFee, "0", "0.015"),
		term(6, schedule.Amortized, "0.12", "0"), term(9, schedule.FlatFee, "0", "0.01"), term(12, schedule.Amortized, "0.24", "0"),
	}
	return s
}

func newMarket(t fails) *market { return newMarketWith(t, marketSettings) }

func newMarketWith(t fails, settings func() credit.Settings) *market {
	m := &market{world: newWorld(t), accepted: map[string]int{}}
	unfunded := settings()
	unfunded.ExternalFunding, unfunded.DueDay, unfunded.DayCount = credit.Unfunded, 1, schedule.Actual365
	m.shops = []credit.Actor{m.shop("M", settings()), m.shop("N", unfunded)}
	m.companies = []int64{m.buyer("A", "5000.00", m.shops...).ID, m.buyer("B", "1500.00", m.shops...).ID}
	m.equip()
	m.account()
	return m
}

// ask decides a command, records what it created, and verifies the whole world.
func (m *market) ask(a credit.Actor, c credit.Command) {
	m.t.Helper()
	before := map[string]credit.OrderStatus{}
	for key, o := range m.all.Orders {
		before[key] = o.Status
	}
	ch, r := m.do(a, c)
	if r != nil {
		m.accepted[r.Code]++
		return
	}
	m.accepted[c.Name()]++
	if ch.Created {
		switch x := ch.Result.(type) {
		case *credit.Order:
			m.orders = append(m.orders, x.Key)
		case *credit.Payment:
			m.payments = append(m.payments, x.ID)
		case *credit.Client:
			m.clients = append(m.clients, x.ID)
		case *credit.Endpoint:
			m.endpoints = append(m.endpoints, x.ID)
		}
	}
	if m.seen != nil && !ch.Empty() {
		m.seen(operationOf(c, ch, before), ch.Events)
	}
	m.verify()
}

// The accounts of the books, keyed by their subject.
type (
	orderAccount struct {
		account ledger.Account
		of      string
	}
	companyAccount struct {
		account ledger.Account
		of      int64
	}
)

// verify compares every sum of the records with one over all postings.
func (m *market) verify() {
	m.t.Helper()
	if err := ledger.CheckTrialBalance(ledger.TrialBalance(m.entries)); err != nil {
		m.t.Fatal(err)
	}
	if err := ledger.CheckReversals(m.entries); err != nil {
		m.t.Fatal(err)
	}
	totals := map[ledger.Account]money.Amount{}
	orders, companies, merchants := map[orderAccount]money.Amount{}, map[companyAccount]money.Amount{}, map[orderAccount]money.Amount{}
	apart := map[int64]money.Amount{} // owed on 1130 without an order
	for _, e := range m.entries {
		for _, p := range e.Postings {
			totals[p.Account] += p.Amount
			if p.Account == ledger.OtherReceivable && p.Order == "" {
				apart[p.Company] += p.Amount
			}
			orders[orderAccount{p.Account, p.Order}] += p.Amount
			companies[companyAccount{p.Account, p.Company}] += p.Amount
			merchants[orderAccount{p.Account, p.Merchant}] += p.Amount
		}
	}
	for _, key := range m.orders {
		m.verifyOrder(m.all.Orders[key], func(a ledger.Account) money.Amount { return orders[orderAccount{a, key}] })
	}
	for _, id := range m.companies {
		m.verifyCompany(m.all.Companies[id], apart[id], func(a ledger.Account) money.Amount { return companies[companyAccount{a, id}] })
	}
	m.verifyEndpoints()
	if x := m.all.TheLender(); x.Allowance != -totals[ledger.Allowance] {
		m.t.Fatalf("the allowance is kept as %s, the books say %s", x.Allowance, -totals[ledger.Allowance])
	}
	m.verifyRails(totals)
	if m.verified++; m.verified%8 == 0 { // it reads everything: not at each step
		for _, key := range m.orders {
			m.explained(key)
		}
	}
	m.verifyMerchants(func(merchant string, a ledger.Account) money.Amount {
		return merchants[orderAccount{a, merchant}]
	})
	for _, s := range m.shops {
		if x := merchants[orderAccount{ledger.MerchantPayable, s.Merchant}]; x > 0 {
			m.t.Fatalf("2000 of %s has the debit balance %s", s.Client, x)
		}
	}
}

func (m *market) verifyOrder(o *credit.Order, bal func(ledger.Account) money.Amount) {
	m.t.Helper()
	debits := money.Amount(0)
	for _, t := range m.all.Transfers {
		if p := m.all.Payments[t.Payment]; p != nil && p.Order == o.Key {
			debits += t.InTransit()
		}
	}
	if bal(ledger.Reserved) != o.Reserved || bal(ledger.DueFromMerchant) < 0 || bal(ledger.PaymentsPending) != -debits {
		m.t.Fatalf("order %s reserves %s: 9000 %s, 1210 %s, 2120 %s", o.Key, o.Reserved, bal(ledger.Reserved), bal(ledger.DueFromMerchant), bal(ledger.PaymentsPending))
	}
	l := m.all.Loans[o.Key]
	if l == nil {
		return
	}
	is := credit.StandingOf(o, l)
	ledgers := receivableOf(bal)
	if is != ledgers {
		m.t.Fatalf("loan of %s is owed %v, the ledger says %v", o.Key, is, ledgers)
	}
	if i, v := m.all.Invoices[o.Invoice], l.View(l.AsOf); i.AmountDue != v.TotalAmount || i.Paid != v.TotalPaid {
		m.t.Fatalf("invoice of %s: %s of %s, schedule: %s of %s", o.Key, i.Paid, i.AmountDue, v.TotalPaid, v.TotalAmount)
	}
}

func (m *market) verifyCompany(c *credit.Company, apart money.Amount, bal func(ledger.Account) money.Amount) {
	m.t.Helper()
	var reserved, credited money.Amount
	outstanding := apart
	var events []schedule.Event
	seen := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(m.all.History)) {
		for _, e := range m.all.History[key] {
			if e.Company == c.ID && !seen[e.ID] && !withdrawn(e) {
				seen[e.ID] = true
				events = append(events, e.Event)
			}
		}
	}
	again, _ := schedule.Replay(events, m.today())
	for _, o := range m.all.Orders {
		if o.Company != c.ID {
			continue
		}
		reserved += o.Reserved
		if l := m.all.Loans[o.Key]; l != nil {
			outstanding += l.Used()
			if got, want := l.View(m.today()), again.Loan(o.Key).View(m.today()); m.quiet(c.ID) && !reflect.DeepEqual(got, want) {
				m.t.Fatalf("schedule of %s is\n%+v\nreplayed\n%+v", o.Key, got, want)
			}
		}
	}
	for _, k := range m.all.Credits[c.ID] {
		credited += k.Amount
	}
	late := 0
	for _, o := range m.all.Orders {
		if o.Company == c.ID && o.Financing == credit.FinancingOverdue && (o.Terms == nil || !o.Terms.Unfunded) {
			late++
		}
	}
	if late != c.Servicing.Late {
		m.t.Fatalf("company %d counts %d late orders, it has %d", c.ID, c.Servicing.Late, late)
	}
	if reserved != c.Reserved || outstanding != c.Outstanding || credited != c.Credit || bal(ledger.BorrowerCredit) != -credited {
		m.t.Fatalf("company %d: %+v, recomputed %s %s %s, 2100 %s", c.ID, c, reserved, outstanding, credited, bal(ledger.BorrowerCredit))
	}
}

// quiet reports whether no held credit waits for a day that has passed: the next command on
// its order applies it, not a view.
func (m *market) quiet(company int64) bool {
	for _, c := range m.all.Credits[company] {
		if c.Hold {
			return false
		}
	}
	return true
}

// step submits one random command.
func (m *market) step(t *rapid.T) {
	shop := rapid.SampledFrom(m.shops).Draw(t, "shop")
	who := rapid.SampledFrom([]credit.Actor{operator, shop}).Draw(t, "who")
	switch rapid.SampledFrom(weighted).Draw(t, "kind") {
	case "wait":
		m.now = m.now.Add(time.Duration(rapid.SampledFrom([]int{1, 24, 10 * 24, 31 * 24, 45 * 24}).Draw(t, "hours")) * time.Hour)
	case "order":
		m.ask(shop, m.draw(t))
	case "act":
		m.onOrder(t, shop, rapid.SampledFrom(m.orders).Draw(t, "order"))
	case "pay":
		m.pay(t, who)
	case "back":
		if len(m.payments) > 0 {
			m.onPayment(t, who, rapid.SampledFrom(m.payments).Draw(t, "payment"))
		}
	case "access":
		m.access(t, shop)
	case "lender":
		m.lender(t, shop)
	case "rail":
		m.onRails(t, who)
	case "pass":
		m.pass(t)
	case "run":
		m.ask(operator, lending.ServiceOrder{Order: rapid.SampledFrom(m.orders).Draw(t, "order")})
	}
}

var weighted = []string{"wait", "wait", "order", "act", "act", "act", "pay", "pay", "pay", "back", "back", "run", "access",
	"rail", "rail", "rail", "rail", "pass", "pass", "pass", "pass", "lender", "lender", "lender"}

// draw generates an order from a merchant that its company is linked to.
func (m *market) draw(t *rapid.T) lending.CreateOrder {
	return lending.CreateOrder{
		Company: rapid.SampledFrom(m.companies).Draw(t, "company"), Amount: amount(t, 120000) + 400, Authorize: true,
		Installments: rapid.SampledFrom([]int{1, 3, 4, 6, 9, 12}).Draw(t, "n"), External: rapid.Bool().Draw(t, "external"),
	}
}

// amount favors values that caused problems elsewhere: a cent, round sums, anything.
func amount(t *rapid.T, most int) money.Amount {
	return money.Amount(rapid.OneOf(rapid.SampledFrom([]int{1, 100, 5000, 10000}), rapid.IntRange(1, most)).Draw(t, "amount"))
}

func (m *market) onOrder(t *rapid.T, shop credit.Actor, key string) {
	o := m.all.Orders[key]
	some := amount(t, 60000)
	switch rapid.IntRange(0, 6).Draw(t, "act") {
	case 0, 1:
		m.ask(operator, lending.UpdateOrder{Order: key, Status: credit.OrderCaptured})
	case 2:
		m.ask(operator, lending.UpdateOrder{Order: key, Status: credit.OrderCaptured, Amount: &some})
	case 3:
		m.ask(shop, lending.UpdateOrder{Order: key, Amount: &some})
	case 4:
		m.ask(operator, lending.CapturePart{Order: key, Amount: some})
	case 5:
		if rapid.Bool().Draw(t, "cancel") {
			m.ask(operator, lending.UpdateOrder{Order: key, Status: credit.OrderCanceled})
		} else {
			m.ask(operator, lending.ExtendOrder{Order: key})
		}
	case 6:
		c := lending.RefundOrder{Order: key}
		if rapid.Bool().Draw(t, "part") {
			a := min(some, max(1, o.Captured-o.Refunded))
			c.Amount = &a
		}
		m.ask(operator, c)
	}
}

func (m *market) pay(t *rapid.T, who credit.Actor) {
	c := payments.RecordPayment{
		Amount: amount(t, 30000), Method: credit.Wire, EffectiveDate: calendar.None, ScheduledDate: calendar.None, HoldExcess: rapid.IntRange(0, 4).Draw(t, "hold") == 0,
	}
	if len(m.orders) > 0 && rapid.IntRange(0, 3).Draw(t, "whole") > 0 {
		c.Order = rapid.SampledFrom(m.orders).Draw(t, "order")
		if l := m.all.Loans[c.Order]; l != nil && rapid.IntRange(0, 2).Draw(t, "payoff") == 0 {
			c.Amount = max(1, l.Payoff(max(l.AsOf, m.today())).Total)
		}
	} else {
		c.Company = rapid.SampledFrom(m.companies).Draw(t, "company")
	}
	if rapid.IntRange(0, 2).Draw(t, "late") == 0 {
		c.EffectiveDate = m.today().AddDays(-rapid.IntRange(0, 60).Draw(t, "days"))
	}
	m.ask(who, c)
}

func (m *market) onPayment(t *rapid.T, who credit.Actor, id string) {
	if rapid.Bool().Draw(t, "return") {
		m.ask(who, payments.ReturnPayment{Payment: id, Code: "bounced"})
		return
	}
	c := payments.RefundPayment{Payment: id}
	if rapid.Bool().Draw(t, "part") {
		a := amount(t, 20000)
		c.Amount = &a
	}
	m.ask(who, c)
}

// live runs random lives until each of the names has occurred; life counts them. What occurs a
// few times in a hundred lives may by chance be missing from one hundred of them, but not from
// ten hundred.
func live(t *testing.T, names []string, life func(t *rapid.T, accepted map[string]int)) {
	t.Helper()
	accepted := map[string]int{}
	missing := func() []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return accepted[name] > 0 })
	}
	for hundred := 0; hundred < 10 && (hundred == 0 || len(missing()) > 0); hundred++ {
		rapid.Check(t, func(t *rapid.T) { life(t, accepted) })
	}
	if names := missing(); len(names) > 0 {
		t.Errorf("have never come about: %q", names)
	}
	t.Log(accepted)
}

// Whatever is requested in any order, the books agree with the records and the records with
// their history (F40, T3).
func TestAnythingKeepsTheBooks(t *testing.T) {
	comesAbout := []string{
		"order.create", "order.update", "order.refund", "order.service", "payment.record", "payment.refund", "payment.return",
		"payout.run", "order.hold",
	}
	live(t, comesAbout, func(t *rapid.T, accepted map[string]int) {
		m := newMarket(t)
		for i := range 4 {
			m.ask(m.shops[0], m.draw(t))
			if i > 0 && len(m.orders) > 0 {
				m.ask(operator, lending.UpdateOrder{Order: m.orders[len(m.orders)-1], Status: credit.OrderCaptured})
			}
		}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			if len(m.orders) == 0 {
				return
			}
			m.step(t)
		}
		for k, n := range m.accepted {
			accepted[k] += n
		}
	})
}

// receivableOf is what is owed on an order's loan according to balances.
func receivableOf(bal func(ledger.Account) money.Amount) credit.Receivable {
	return credit.Receivable{
		Principal: bal(ledger.LoanPrincipal) + bal(ledger.UnfundedExternal), Charge: bal(ledger.ChargeReceivable),
		Fees: bal(ledger.FeesReceivable) + bal(ledger.OtherReceivable), Unearned: -bal(ledger.UnearnedCharge),
		Memo: bal(ledger.NonaccrualCharge), Lost: bal(ledger.ChargedOff),
	}
}
