package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/office/alarm"
)

// A company's credits name their source and what they wait for. A merchant sees the
// remainder of its own payments and orders, and the total is the company's.
func TestCreditsOfACompany(t *testing.T) {
	m := newMatrix(t)
	company := m.act("", lending.CreateCompany{
		Title: "Rowan Bakery", Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("5000.00"), Merchants: []string{m.house.a, m.house.b},
	}).(*credit.Company).ID
	over := func(merchant, payer, amount string) (order, payment string) {
		o := m.act(merchant, lending.CreateOrder{Company: company, Amount: money.MustParse("100.00"), Installments: 1, Authorize: true}).(*credit.Order)
		m.act(merchant, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
		p := m.act(payer, payments.RecordPayment{
			Order: o.Key, Amount: money.MustParse(amount), Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
		}).(*credit.Payment)
		return o.Key, p.ID
	}
	path := fmt.Sprintf("/v1/companies/%d/credits", company)
	if r := m.must(200, "a", "GET", path, ""); !strings.HasPrefix(r.raw, `{"data":[],"has_more":false`) {
		t.Errorf("before there is any: %s", r.raw)
	}
	orderA, paymentA := over(m.house.a, "", "130.00") // recorded by the lender
	m.pass(1)
	_, paymentB := over(m.house.b, m.house.b, "150.00")
	for _, x := range []struct {
		who  string
		want []string
	}{{"a", []string{paymentA}}, {"b", []string{paymentB}}, {"ops", []string{paymentA, paymentB}}} {
		r := m.must(200, x.who, "GET", path, "")
		data := r.body["data"].([]any)
		if len(data) != len(x.want) {
			t.Errorf("%s sees %s", x.who, r.raw)
		}
		for _, id := range x.want {
			if !strings.Contains(r.raw, `"source":"`+id+`"`) {
				t.Errorf("%s does not see %s: %s", x.who, id, r.raw)
			}
		}
		conforms(t, "GET", "/v1/companies/{company_id}/credits", r)
	}
	first := m.must(200, "ops", "GET", path+"?limit=1", "")
	second := m.must(200, "ops", "GET", path+"?limit=1&cursor="+first.text("next_cursor"), "")
	sum := amount(t, first.body["data"].([]any)[0].(map[string]any)["amount"]).Add(amount(t, second.body["data"].([]any)[0].(map[string]any)["amount"]))
	if c := m.must(200, "ops", "GET", fmt.Sprintf("/v2/companies/%d", company), ""); amount(t, c.body["unapplied_credit"]) != sum || second.body["has_more"] != false {
		t.Errorf("pages come to %s, the company has %v", sum, c.body["unapplied_credit"])
	}
	r := m.must(200, "a", "GET", path, "")
	if x := r.body["data"].([]any)[0].(map[string]any); x["order_key"] != orderA || fmt.Sprint(x["amount"]) == "0.00" || x["waits"] != nil || x["next_at"] == nil {
		t.Errorf("a credit whose day is to come: %s", r.raw)
	}

	// No account is named to send it to, so the company's request waits for one.
	m.must(200, "a", "POST", fmt.Sprintf("/v1/companies/%d/credit_requests", company), "")
	m.play(m.zone.Date(m.business()).AddBankingDays(6), 9, 0)
	m.submit(payments.ServiceCredit{Company: company})
	if r := m.must(200, "a", "GET", path, ""); !strings.Contains(r.raw, `"waits":"no_payment_method"`) && !strings.Contains(r.raw, `"waits":"funds_not_good"`) {
		t.Errorf("a credit that cannot be sent: %s", r.raw)
	}
}

// Papers carry the creditor that the lender has configured and how to reach it. Absent
// members keep their values, and null clears them.
func TestPapersAreSignedByTheLender(t *testing.T) {
	m := newMatrix(t)
	invoice := m.make("invoice", m.house.a)
	page := func() string { return m.must(200, "a", "GET", "/v1/invoices/"+invoice, "", "Accept", "text/html").raw }
	statement := func() string {
		return m.must(200, "ops", "GET", fmt.Sprintf("/v1/companies/%d/statements/%s", m.house.company, m.zone.Date(m.business()).String()[:7]), "").raw
	}
	if text := statement(); !strings.Contains(page(), "Tenor") || !strings.Contains(text, "Ask Tenor about anything on this statement.") {
		t.Errorf("before the lender has a name: %s", text)
	}
	set := func(body string) reply { return m.must(200, "ops", "PATCH", "/v1/operator/lender", body) }
	set(`{"creditor":{"name":"Harbor Credit LLC","address":"1 Pier Rd, Boston, MA 02110"}}`)
	if text := statement(); !strings.Contains(page(), "Harbor Credit LLC") || !strings.Contains(text, "Ask Harbor Credit LLC about anything on this statement: 1 Pier Rd, Boston, MA 02110.") {
		t.Errorf("with a creditor: %s", text)
	}
	set(`{"contact":"help@harbor.example"}`)
	if text := statement(); !strings.Contains(text, "Ask Harbor Credit LLC about anything on this statement: help@harbor.example.") {
		t.Errorf("with a contact: %s", text)
	}
	if r := set(`{"provision_rates":{}}`); r.body["contact"] != "help@harbor.example" || r.body["version"] != json.Number("2") {
		t.Errorf("what is absent stays, and no change is no version: %s", r.raw)
	}
	if r := set(`{"contact":null}`); r.body["contact"] != nil || !strings.Contains(statement(), "1 Pier Rd") {
		t.Errorf("null clears: %s", r.raw)
	}
	if r := set(`{"creditor":null,"regulator":null}`); r.body["creditor"] != nil || !strings.Contains(statement(), "Ask Tenor about") {
		t.Errorf("null clears the creditor: %s", r.raw)
	}
	m.must(422, "ops", "PATCH", "/v1/operator/lender", `{"creditor":{"name":"Harbor Credit LLC"}}`)
	m.must(422, "ops", "PATCH", "/v1/operator/lender", `{"contact":""}`)
	m.must(422, "ops", "PATCH", "/v1/operator/lender", `{"contact":7}`)
}

// Alarms can be filtered by kind, and a screening can be read by itself.
func TestAlarmsOfOneKind(t *testing.T) {
	m := newMatrix(t)
	id, notice := m.make("screening", m.house.a), m.make("notice", m.house.a)
	m.play(m.zone.Date(m.business()).AddDays(25), 9, 0)
	subjects := func(query string) string { return m.must(200, "ops", "GET", "/v1/operator/alarms"+query, "").raw }
	if all := subjects(""); !strings.Contains(all, id) || !strings.Contains(all, notice) {
		t.Errorf("all: %s", all)
	}
	if open := subjects("?kind=screening_open"); !strings.Contains(open, id) || strings.Contains(open, notice) {
		t.Errorf("of a kind: %s", open)
	}
	if none := subjects("?kind=payouts_held"); !strings.HasPrefix(none, `{"data":[],"has_more":false,"next_cursor":null}`) {
		t.Errorf("of a kind that there is not: %s", none)
	}
	for _, kind := range alarm.Kinds() {
		subjects("?kind=" + string(kind))
	}
	m.must(400, "ops", "GET", "/v1/operator/alarms?kind=fire", "")
	m.must(400, "ops", "GET", "/v1/operator/alarms?limit=5", "")
	if r := m.must(200, "ops", "GET", "/v1/operator/screenings/"+id, ""); r.body["id"] != id || r.body["status"] != "OPEN" {
		t.Errorf("a screening: %s", r.raw)
	}
}

// A change of the rates is a merge patch: buckets change independently, and null removes
// one.
func TestProvisionRatesAreMerged(t *testing.T) {
	m := newMatrix(t)
	for _, x := range []struct {
		body, want string
		version    int
	}{
		{`{"provision_rates":{"DPD_30_59":"0.05","DPD_90_119":"0.5"}}`, `{"DPD_30_59":"0.050000","DPD_90_119":"0.500000"}`, 1},
		{`{"provision_rates":{"DPD_30_59":0.1}}`, `{"DPD_30_59":"0.100000","DPD_90_119":"0.500000"}`, 2},
		{`{"provision_rates":{"DPD_30_59":"0.1"}}`, `{"DPD_30_59":"0.100000","DPD_90_119":"0.500000"}`, 2},
		{`{"provision_rates":{"DPD_90_119":null,"CURRENT":null}}`, `{"DPD_30_59":"0.100000"}`, 3},
		{`{}`, `{"DPD_30_59":"0.100000"}`, 3},
		{`{"provision_rates":null}`, `{}`, 4},
	} {
		r := m.must(200, "ops", "PATCH", "/v1/operator/lender", x.body)
		if !strings.Contains(r.raw, `"provision_rates":`+x.want) || r.body["version"] != json.Number(fmt.Sprint(x.version)) || r.header.Get("ETag") != fmt.Sprintf("%q", fmt.Sprint(x.version)) {
			t.Errorf("%s: %s", x.body, r.raw)
		}
	}
	for _, body := range []string{`{"provision_rates":{"SOON":"0.1"}}`, `{"provision_rates":{"SOON":null}}`, `{"provision_rates":{"CURRENT":"1.1"}}`, `{"provision_rates":{"CURRENT":"-0.1"}}`, `{"provision_rates":[]}`} {
		if r := m.call("ops", "PATCH", "/v1/operator/lender", body); r.status != 422 || r.code() != "validation_failed" {
			t.Errorf("%s: %d %s", body, r.status, r.raw)
		}
	}
}

// A request for the books of a future date or a reversed span is refused.
func TestBooksOfDaysToCome(t *testing.T) {
	m := newMatrix(t)
	today := m.zone.Date(m.business())
	for _, path := range []string{"/v1/operator/bank_reconciliation", "/v1/operator/ledger/trial_balance", "/v1/operator/ledger/balances"} {
		m.must(200, "ops", "GET", path+"?as_of="+today.String(), "")
		for _, day := range []string{(today + 1).String(), "2999-12-31"} {
			if r := m.call("ops", "GET", path+"?as_of="+day, ""); r.status != 400 || r.code() != "invalid_parameter" || !strings.Contains(r.raw, `"parameter":"as_of"`) {
				t.Errorf("%s of %s: %d %s", path, day, r.status, r.raw)
			}
		}
	}
	r := m.call("a", "GET", "/v1/payouts/export?updated_since=2026-01-03T00:00:00Z&updated_before=2026-01-02T00:00:00Z", "")
	if r.status != 400 || r.code() != "invalid_parameter" || !strings.Contains(r.raw, `"code":"reversed"`) {
		t.Errorf("a reversed span: %d %s", r.status, r.raw)
	}
	m.must(200, "a", "GET", "/v1/payouts/export?updated_since=2026-01-02T00:00:00Z&updated_before=2026-01-02T00:00:00Z", "")
}

// A bank line can never be removed, so an impossible one is refused.
func TestBankLinesThatCannotBe(t *testing.T) {
	m := newMatrix(t)
	const path, sheet = "/v1/operator/bank_lines", "text/csv"
	today := m.zone.Date(m.business())
	tomorrow := (today + 1).String()
	for _, x := range []struct{ body, kind, want string }{
		{`{"lines":[{"id":"a","date":"2026-01-09","amount":1},{"id":"b","date":"` + tomorrow + `","amount":1}]}`, "application/json", `"pointer":"/lines/1/date","code":"in_future"`},
		{"id,date,amount,reference\na,2026-01-09,1,\nb,2206-01-09,1,\n", sheet, `"line":3,"column":"date","code":"in_future"`},
		{`{"lines":[{"id":"a","date":"2026-01-09","amount":1},{"id":"a","date":"2026-01-09","amount":2}]}`, "application/json", `"pointer":"/lines/1/id","code":"duplicate"`},
		{"id,date,amount,reference\na,2026-01-09,1,\na,2026-01-09,1,other\n", sheet, `"line":3,"column":"id","code":"duplicate"`},
	} {
		if r := m.call("ops", "POST", path, x.body, "Content-Type", x.kind); r.status != 422 || r.code() != "validation_failed" || !strings.Contains(r.raw, x.want) {
			t.Errorf("%s: %d %s", x.body, r.status, r.raw)
		}
	}
	if r := m.must(200, "ops", "GET", path, ""); len(r.body["data"].([]any)) != 0 {
		t.Errorf("something of it was taken: %s", r.raw)
	}
	same := `{"lines":[{"id":"a","date":"` + today.String() + `","amount":1},{"id":"a","date":"` + today.String() + `","amount":1}]}`
	if r := m.must(200, "ops", "POST", path, same); r.body["new"] != json.Number("1") {
		t.Errorf("the same line twice: %s", r.raw)
	}
}

// Only the lender reverses a charge-off. Repeating it changes nothing, and an order that
// was never charged off has none to reverse.
func TestReverseChargeOff(t *testing.T) {
	m := newMatrix(t)
	order, never := m.make("order", m.house.a), m.make("order", m.house.a)
	path, because := "/v1/operator/orders/"+order+"/charge_off", `{"reason":"x"}`
	if r := m.call("ops", "POST", "/v1/operator/orders/"+never+"/charge_off/reverse", because); r.status != 409 || r.code() != "invalid_transition" {
		t.Errorf("never charged off: %d %s", r.status, r.raw)
	}
	m.must(200, "ops", "POST", path, because)
	if r := m.call("a", "POST", path+"/reverse", because); r.status != 403 {
		t.Errorf("by the merchant: %d %s", r.status, r.raw)
	}
	if r := m.call("ops", "POST", path+"/reverse", `{}`); r.status != 422 {
		t.Errorf("without a reason: %d %s", r.status, r.raw)
	}
	dry := m.must(200, "ops", "POST", path+"/reverse", because, "Prefer", "dry-run")
	if entries := dry.body["entries"].([]any); len(entries) != 2 || entries[0].(map[string]any)["event"] != "ALLOWANCE_RAISED" {
		t.Errorf("what it would post: %s", dry.raw)
	}
	r := m.must(200, "ops", "POST", path+"/reverse", because)
	if r.text("financing_status") != "ACTIVE" {
		t.Errorf("reversed: %s", r.raw)
	}
	if again := m.must(200, "ops", "POST", path+"/reverse", because); again.raw != r.raw || again.header.Get("ETag") != r.header.Get("ETag") {
		t.Errorf("reversed again: %s\nfirst %s", again.raw, r.raw)
	}
}

// The lender records a bankruptcy and withdraws it. A merchant sees only that autopay is
// paused.
func TestReportCompany(t *testing.T) {
	m := newMatrix(t)
	company := m.make("company", m.house.a)
	path, body := "/v1/operator/companies/"+company+"/reports", `{"kind":"BANKRUPTCY","on":"2026-01-05","reason":"chapter 7"}`
	if r := m.call("a", "POST", path, body); r.status != 403 {
		t.Errorf("by a merchant: %d %s", r.status, r.raw)
	}
	for _, wrong := range []string{`{"kind":"LOST","on":"2026-01-05","reason":"x"}`, `{"kind":"FRAUD","on":"2036-01-05","reason":"x"}`, `{"kind":"FRAUD","on":"2026-01-05"}`} {
		if r := m.call("ops", "POST", path, wrong); r.status != 422 {
			t.Errorf("%s: %d %s", wrong, r.status, r.raw)
		}
	}
	r := m.must(200, "ops", "POST", path, body)
	if x := r.body["reports"].([]any)[0].(map[string]any); x["kind"] != "BANKRUPTCY" || x["proposes_on"] != "2026-03-06" {
		t.Errorf("reported: %s", r.raw)
	}
	seen := m.must(200, "a", "GET", "/v1/companies/"+company, "")
	if seen.body["reports"] != nil || seen.body["autopay"].(map[string]any)["paused"] != "bankruptcy" {
		t.Errorf("the merchant sees %s", seen.raw)
	}
	if again := m.must(200, "ops", "POST", path, body); again.raw != r.raw {
		t.Errorf("reported again: %s", again.raw)
	}
	r = m.must(200, "ops", "POST", path+"/withdraw", `{"kind":"BANKRUPTCY","reason":"dismissed"}`)
	if r.body["reports"] != nil || r.body["autopay"].(map[string]any)["paused"] != nil {
		t.Errorf("withdrawn: %s", r.raw)
	}
}

// Every change by the lender of an order or a company honors If-Match.
func TestIfMatchOfTheBackOffice(t *testing.T) {
	m := newMatrix(t)
	order, company := m.make("order", m.house.a), m.make("company", m.house.a)
	fee := strings.Split(m.feeOf(m.house.a), "/")
	stale := []string{"If-Match", `"99"`}
	for _, x := range []struct{ path, body string }{
		{"orders/" + order + "/hold", `{"days":5,"reason":"x"}`}, {"orders/" + order + "/charge_off", `{"reason":"x"}`}, {"orders/" + order + "/resume", ""},
		{"orders/" + order + "/charge_off/reverse", `{"reason":"x"}`},
		{"orders/" + order + "/schedule", `{"reamortize":true,"reason":"x"}`},
		{"orders/" + fee[0] + "/fees/" + fee[1] + "/waive", `{"reason":"x"}`},
		{"companies/" + company + "/hold", `{"code":"check"}`}, {"companies/" + company + "/line", `{"limit":5}`}, {"companies/" + company + "/unfreeze", `{"reason":"x"}`},
		{"companies/" + company + "/reports", `{"kind":"FRAUD","on":"2026-01-02","reason":"x"}`}, {"companies/" + company + "/reports/withdraw", `{"kind":"FRAUD","reason":"x"}`},
		{"companies/" + company + "/release", ""}, {"companies/" + company + "/close", ""},
	} {
		if r := m.call("ops", "POST", "/v1/operator/"+x.path, x.body, stale...); r.status != 412 || r.code() != "precondition_failed" {
			t.Errorf("%s with a stale If-Match: %d %s", x.path, r.status, r.raw)
		}
	}
	if r := m.call("a", "PATCH", "/v1/order/"+order+"/autopay", `{"enabled":false}`, stale...); r.status != 412 {
		t.Errorf("autopay of an order: %d %s", r.status, r.raw)
	}
	tag := m.must(200, "ops", "GET", "/v1/order/"+order, "").header.Get("ETag")
	m.must(200, "ops", "POST", "/v1/operator/orders/"+order+"/hold", `{"days":5,"reason":"x"}`, "If-Match", tag)
}

// Errors about an account of one type with members of the other always come in the same
// order.
func TestCardWithMembersOfAnAccount(t *testing.T) {
	m := newMatrix(t)
	body := `{"type":"CARD","card":{"token":"t","mandate":"m","last4":"4242","exp_month":1,"exp_year":2030,"debit":true},"routing_number":"021000021","account_number":"123456789",` +
		`"holder_name":"Alder","verify":true,"prenote":true,"authorization":{"channel":"WEB","accepted_at":"2026-01-02T15:00:00Z"}}`
	for range 5 {
		r := m.call("a", "POST", fmt.Sprintf("/v1/companies/%d/payment_methods", m.house.company), body)
		var pointers []string
		for _, e := range r.body["errors"].([]any) {
			pointers = append(pointers, e.(map[string]any)["pointer"].(string))
		}
		if want := []string{"/routing_number", "/account_number", "/holder_name", "/verify", "/prenote"}; r.status != 422 || !slices.Equal(pointers, want) {
			t.Fatalf("%d %v", r.status, pointers)
		}
	}
}

// Months close from the month of the first entry on. An earlier one would start a series of
// months that nobody closes.
func TestClosingBeforeTheFirstEntry(t *testing.T) {
	m := newMatrix(t)
	m.make("order", m.house.a)
	r := m.call("ops", "POST", "/v1/operator/ledger/periods", `{"month":"1970-01"}`)
	if r.status != 409 || r.code() != "period_closed" || r.body["next"] != "2026-01" {
		t.Errorf("a month before the books begin: %d %s", r.status, r.raw)
	}
}

// A waived fee stays in the schedule with the amount waived (F11).
func TestWaivedFee(t *testing.T) {
	m := newMatrix(t)
	order, fee, _ := strings.Cut(m.feeOf(m.house.a), "/")
	items := func() map[string]any {
		t.Helper()
		for _, row := range m.must(200, "a", "GET", "/payments/schedule/"+order, "").body["installments"].([]any) {
			for _, f := range row.(map[string]any)["fee_items"].([]any) {
				return f.(map[string]any)
			}
		}
		return nil
	}
	want := map[string]any{
		"id": fee, "kind": "RETURNED_PAYMENT", "amount": json.Number("25.00"), "paid": json.Number("0.00"), "waived": json.Number("0.00"),
		"assessed_on": m.zone.Date(m.business()).String(),
	}
	if got := items(); !maps.Equal(got, want) {
		t.Errorf("the fee is %v, must be %v", got, want)
	}
	m.must(200, "ops", "POST", "/v1/operator/orders/"+order+"/fees/"+fee+"/waive", `{"reason":"bank's mistake"}`)
	want["amount"], want["waived"] = json.Number("0.00"), json.Number("25.00")
	if got := items(); !maps.Equal(got, want) {
		t.Errorf("waived it is %v, must be %v", got, want)
	}
}

// A read of a day between a charge-off and its reversal returns the same after the reversal
// as before, even for a payment that counts on its own date since.
func TestDaysBeforeAReversal(t *testing.T) {
	m := newMatrix(t)
	order := m.make("order", m.house.a)
	day := func() calendar.Date { return m.zone.Date(m.business()) }
	paid := day()
	m.play(paid.AddDays(1), 10, 0)
	m.must(200, "ops", "POST", "/v1/operator/orders/"+order+"/charge_off", `{"reason":"lost"}`)
	m.play(paid.AddDays(2), 10, 0)
	m.must(201, "ops", "POST", "/payment", fmt.Sprintf(`{"order_key":%q,"amount":20.00,"method":"CHECK","effective_date":%q}`, order, paid))
	asked := day()
	m.play(asked.AddDays(3), 10, 0)
	then := func(day calendar.Date) string {
		return m.must(200, "ops", "GET", "/payments/schedule/"+order+"?as_of="+day.String(), "").raw
	}
	before, old := then(asked), then(paid)
	m.must(200, "ops", "POST", "/v1/operator/orders/"+order+"/charge_off/reverse", `{"reason":"found"}`)
	if after := then(asked); after != before {
		t.Errorf("%s was\n%s\nand is\n%s", asked, before, after)
	}
	if after := then(paid); after != old {
		t.Errorf("%s was\n%s\nand is\n%s", paid, old, after)
	}
	m.play(day().AddDays(1), 10, 0)
	if now := then(day().AddDays(-1)); now == before || now == old {
		t.Errorf("the day of the reversal shows nothing of it: %s", now)
	}
}

// The lender sets how long personal data is kept, with a reason and within bounds. Absent
// members keep their values, and null restores the defaults.
func TestRetentionIsTheLenders(t *testing.T) {
	m := newMatrix(t)
	for _, x := range []struct{ body, want string }{
		{`{}`, `{"draft_days":30,"document_months":12,"application_months":25,"prequalification_months":12,"owner_months":60}`},
		{`{"retention":{"application_months":36},"reason":"counsel"}`, `{"draft_days":30,"document_months":12,"application_months":36,"prequalification_months":12,"owner_months":60}`},
		{`{"retention":{"document_months":36,"draft_days":7,"prequalification_months":13,"owner_months":24},"reason":"counsel"}`,
			`{"draft_days":7,"document_months":36,"application_months":36,"prequalification_months":13,"owner_months":24}`},
		{`{"retention":null,"reason":"counsel"}`, `{"draft_days":30,"document_months":12,"application_months":25,"prequalification_months":12,"owner_months":60}`},
	} {
		if r := m.must(200, "ops", "PATCH", "/v1/operator/lender", x.body); !strings.Contains(r.raw, `"retention":`+x.want) {
			t.Errorf("%s: %s", x.body, r.raw)
		}
	}
	for _, body := range []string{
		`{"retention":{"application_months":36}}`, `{"retention":{"application_months":11},"reason":"x"}`, `{"retention":{"document_months":26},"reason":"x"}`,
		`{"retention":{"draft_days":0},"reason":"x"}`, `{"retention":{"owner_months":241},"reason":"x"}`, `{"retention":7,"reason":"x"}`,
	} {
		if r := m.call("ops", "PATCH", "/v1/operator/lender", body); r.status != 422 || r.code() != "validation_failed" {
			t.Errorf("%s: %d %s", body, r.status, r.raw)
		}
	}
}
