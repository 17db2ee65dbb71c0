package httpapi_test

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

var statementSeed = flag.Uint64("statement-seed", 0, "seed of the random months of statements; 0: another one each time")

// owedOn are the accounts on which a company owes, including memo accounts.
var owedOn = []ledger.Account{
	ledger.LoanPrincipal, ledger.ChargeReceivable, ledger.FeesReceivable, ledger.OtherReceivable, ledger.NonaccrualCharge, ledger.ChargedOff, ledger.UnfundedExternal,
}

// months is a house in which something random happens every few days.
type months struct {
	*matrix
	rng      *rand.Rand
	company  int64
	method   string
	orders   []string
	payments []string
}

// may submits a command that may be refused, in which case there is no result.
func (x *months) may(merchant string, c credit.Command) (result any) {
	x.t.Helper()
	_, err := x.engine.Submit(x.t.Context(), engine.Request{
		Command: c, Actor: credit.Actor{Client: "system", Merchant: merchant, Operator: merchant == ""}, Seed: x.service.Seed(),
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			if r == nil {
				result = ch.Result
			}
			return engine.Response{Status: 200}
		},
	})
	if err != nil {
		x.t.Fatalf("%s: %v", c.Name(), err)
	}
	return result
}

// something makes something random happen to the company.
func (x *months) something() {
	x.t.Helper()
	a, none := x.house.a, calendar.None
	order := ""
	if len(x.orders) > 0 {
		order = x.orders[x.rng.IntN(len(x.orders))]
	}
	cents := money.Amount(100 + x.rng.IntN(40_000))
	switch n := x.rng.IntN(8); {
	case n < 2 || order == "":
		o, ok := x.may(a, lending.CreateOrder{Company: x.company, Amount: 10_000 + cents, Installments: []int{1, 3, 6}[x.rng.IntN(3)], Authorize: true}).(*credit.Order)
		if ok && x.may(a, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured}) != nil {
			x.orders = append(x.orders, o.Key)
		}
	case n < 4:
		day := x.zone.Date(x.business()).AddDays(-x.rng.IntN(50)) // perhaps long ago
		if p, ok := x.may("", payments.RecordPayment{Order: order, Amount: cents, Method: credit.Check, ScheduledDate: none, EffectiveDate: day}).(*credit.Payment); ok {
			x.payments = append(x.payments, p.ID)
		}
	case n == 4:
		x.may("", payments.RecordPayment{Company: x.company, Amount: cents, Method: credit.Wire, ScheduledDate: none, EffectiveDate: none})
	case n == 5:
		x.may(a, lending.RefundOrder{Order: order, Amount: &cents})
	case n == 6 && len(x.payments) > 0:
		x.may("", payments.ReturnPayment{Payment: x.payments[x.rng.IntN(len(x.payments))], Code: "NSF"})
	case n == 7 && len(x.payments) > 0:
		x.may("", payments.RefundPayment{Payment: x.payments[x.rng.IntN(len(x.payments))], Amount: &cents})
	}
}

// amount reads a member.
func amount(t *testing.T, x any) money.Amount {
	t.Helper()
	return money.MustParse(fmt.Sprint(x))
}

// F38: each month opens where the last one closed. Closing = opening + changes by kind =
// opening + the lines, in total and for each order, and matches the books. A finished month
// returns the same bytes for ever, whatever is backdated into it.
func TestStatementsOfRandomMonths(t *testing.T) {
	seed := *statementSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 100_000
	}
	t.Logf("seed %d", seed)
	x := &months{matrix: newMatrix(t), rng: rand.New(rand.NewPCG(seed, 38))}
	x.company = x.house.company
	x.method = x.methodOf(x.company, "123456789").ID
	forms := []string{"application/json", "text/html", "application/pdf", "text/csv"}
	frozen := map[string]string{}
	read := func(month calendar.Date, form string) reply {
		return x.must(200, "ops", "GET", fmt.Sprintf("/v1/companies/%d/statements/%s", x.company, month.String()[:7]), "", "Accept", form)
	}
	first := calendar.Of(2026, 1, 1)
	closing, unapplied, credits, kinds := money.Amount(0), money.Amount(0), 0, map[string]int{}
	most := money.Amount(0) // the most that any month left owed; the last may leave nothing
	for month := first; month < first.AddMonths(5); month = month.AddMonths(1) {
		for day := month; day <= month.EndOfMonth(); day = day.AddDays(1 + x.rng.IntN(3)) {
			x.play(day, 11, 0)
			x.something()
		}
		x.play(month.EndOfMonth().AddDays(1), 0, 1)
		w := read(month, forms[0]).body
		if w["final"] != true || amount(t, w["opening"]) != closing {
			t.Errorf("%s: final %v, opening %v after %s", month, w["final"], w["opening"], closing)
		}
		sum, lines, orders := closing, closing, money.Amount(0)
		for _, k := range w["totals"].([]any) {
			m := k.(map[string]any)
			sum = sum.Add(amount(t, m["amount"]))
			kinds[m["kind"].(string)]++
		}
		for _, l := range w["lines"].([]any) {
			lines = lines.Add(amount(t, l.(map[string]any)["amount"]))
		}
		for _, o := range w["orders"].([]any) {
			orders = orders.Add(amount(t, o.(map[string]any)["closing"]))
		}
		if amount(t, w["unapplied_credit_opening"]) != unapplied {
			t.Errorf("%s: credit of %v after %s", month, w["unapplied_credit_opening"], unapplied)
		}
		for _, l := range w["credits"].([]any) {
			credits++
			unapplied = unapplied.Add(amount(t, l.(map[string]any)["amount"]))
			if l := l.(map[string]any); amount(t, l["balance"]) != unapplied || l["kind"] == "ADJUSTMENT" {
				t.Errorf("%s: credit of %s after %v", month, unapplied, l)
			}
		}
		if booked := -x.onAccounts(month.EndOfMonth(), ledger.BorrowerCredit); amount(t, w["unapplied_credit"]) != unapplied || booked != unapplied {
			t.Errorf("%s: credit of %v, by lines %s, in the books %s", month, w["unapplied_credit"], unapplied, booked)
		}
		closing = amount(t, w["closing"])
		most = max(most, closing)
		if history := changes(t, read(month, "text/csv").raw); history != closing {
			t.Errorf("%s: closing %s, the balance history comes to %s", month, closing, history)
		}
		if booked := x.owed(month.EndOfMonth()); sum != closing || lines != closing || orders != closing || booked != closing {
			t.Errorf("%s: closing %s, by kinds %s, by lines %s, by orders %s, in the books %s", month, closing, sum, lines, orders, booked)
		}
		for _, form := range forms {
			frozen[month.String()+form] = read(month, form).raw
		}
		for key, want := range frozen {
			day, form := calendar.MustParse(key[:10]), key[10:]
			if got := read(day, form).raw; got != want {
				t.Fatalf("the statement of %s as %s has changed:\n%s\n%s", day, form, want, got)
			}
		}
	}
	if len(kinds) < 4 || most == 0 || credits == 0 || kinds["ADJUSTMENT"] > 0 {
		t.Errorf("the test is empty, or something is of no kind: %v, at most %s owed, %d lines of credit", kinds, most, credits)
	}
}

// changes sums a balance history, and checks that each row's balance is the sum of its
// order's changes.
func changes(t *testing.T, text string) (sum money.Amount) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	balances := map[string]money.Amount{}
	for _, r := range rows[1:] {
		change := money.MustParse(r[6])
		balances[r[3]] = balances[r[3]].Add(change)
		if sum = sum.Add(change); balances[r[3]].String() != r[7] {
			t.Errorf("%q: the balance is %s", r, balances[r[3]])
		}
	}
	return sum
}

// owed is what a company owes in the books up to a day.
func (x *months) owed(day calendar.Date) money.Amount { return x.onAccounts(day, owedOn...) }

// onAccounts is the company's balance on accounts up to a day.
func (x *months) onAccounts(day calendar.Date, accounts ...ledger.Account) (sum money.Amount) {
	x.t.Helper()
	err := x.backend.View(x.t.Context(), func(v store.View) error {
		trial, err := v.TrialBalance(store.BookFilter{From: calendar.None, To: day, Company: x.company})
		for _, a := range accounts {
			sum = sum.Add(trial[a])
		}
		return err
	})
	if err != nil {
		x.t.Fatal(err)
	}
	return sum
}

// A statement lists what falls due in the 30 days after its end, what is late by how many
// days, and the company's rights. It also tells how payments were made, and that one was
// returned.
func TestStatementTells(t *testing.T) {
	m := newMatrix(t)
	contact := "help@harbor.example"
	m.act("", compliance.SetLender{Creditor: &credit.Party{Name: "Harbor Credit"}, Contact: &contact})
	company := m.house.company
	o := m.act(m.house.a, lending.CreateOrder{Company: company, Amount: 120_000, Installments: 6, MerchantOrderID: "PO-9", Authorize: true}).(*credit.Order)
	m.act(m.house.a, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
	due := m.zone.Date(m.business()).AddMonths(1)
	m.play(due.AddMonths(1).AddDays(2), 9, 0) // two rows late: by one month and by two days
	p := m.act("", payments.RecordPayment{Order: o.Key, Amount: 5_000, Method: credit.Check, ScheduledDate: calendar.None, EffectiveDate: calendar.None}).(*credit.Payment)
	m.act("", payments.ReturnPayment{Payment: p.ID, Code: "NSF"})
	month := m.zone.Date(m.business()).String()[:7]
	m.play(m.zone.Date(m.business()).EndOfMonth().AddDays(1), 0, 1)
	r := m.must(200, "ops", "GET", fmt.Sprintf("/v1/companies/%d/statements/%s", company, month), "")
	late := map[string]money.Amount{}
	for _, b := range r.body["past_due"].([]any) {
		b := b.(map[string]any)
		late[b["bucket"].(string)] = amount(t, b["amount"])
	}
	soon := r.body["due_soon"].([]any)
	if len(late) != 5 || late["DPD_1_29"] == 0 || late["DPD_30_59"] == 0 || late["DPD_60_89"] != 0 || len(soon) != 1 || soon[0].(map[string]any)["installment"] != json.Number("3") {
		t.Errorf("late %v, due %v", late, soon)
	}
	for _, want := range []string{
		`"merchant_name":"Harbor Supply"`, `"financing_status":"OVERDUE"`, `"method":"CHECK","payment_status":"RETURNED"`, `"kind":"PAYOFF"`, `"kind":"ERROR"`, `"kind":"DISPUTE"`,
		"help@harbor.example", `"limit":`, `"reserved":`, `"outstanding":`, `"on_hold":`, `"available":`,
	} {
		if !strings.Contains(r.raw, want) {
			t.Errorf("%s is not in %s", want, r.raw)
		}
	}
	page := m.must(200, "ops", "GET", fmt.Sprintf("/v1/companies/%d/statements/%s", company, month), "", "Accept", "text/html").raw
	for _, want := range []string{"Past due", "Due in the next 30 days", "PO-9", "CHECK, came back", "help@harbor.example", "Outstanding"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

// A statement of a finished month names the lender as of the end of that month, however
// often the name has changed since. A change within the month counts, and other settings
// make no difference.
func TestStatementNamesTheLenderOfItsMonth(t *testing.T) {
	m := newMatrix(t)
	name := func(creditor, contact string) {
		m.act("", compliance.SetLender{Creditor: &credit.Party{Name: creditor, Address: "1 Market Street"}, Contact: &contact})
	}
	first := m.zone.Date(m.business())
	start := func(month int) { m.play(first.AddMonths(month-1).EndOfMonth().AddDays(5), 9, 0) }
	start(1)
	name("Never Seen", "nobody@lender.example")
	name("Harbor Credit", "help@harbor.example")
	start(2)
	m.act("", compliance.SetLender{ProvisionRates: map[credit.Bucket]money.Rate{credit.BucketCurrent: money.MustParseRate("0.01")}})
	start(4)
	name("Basin Credit", "")
	start(5)
	for month, want := range []string{"Ask Tenor about", "Ask Harbor Credit about", "Ask Harbor Credit about", "Ask Harbor Credit about", "Ask Basin Credit about", "Ask Basin Credit about"} {
		path := fmt.Sprintf("/v1/companies/%d/statements/%s", m.house.company, first.AddMonths(month).String()[:7])
		for _, accept := range []string{"application/json", "text/html"} {
			if text := m.must(200, "ops", "GET", path, "", "Accept", accept).raw; !strings.Contains(text, want) || strings.Contains(text, "Never Seen") {
				t.Errorf("%s as %s does not say %q", path, accept, want)
			}
		}
		if contact := strings.Contains(m.must(200, "ops", "GET", path, "").raw, "help@harbor.example"); contact != strings.Contains(want, "Harbor") {
			t.Errorf("%s: the contact of Harbor Credit: %t", path, contact)
		}
	}
}
