package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/money"
)

// A company's credits say what they are left of and what they wait for. A merchant sees
// what is left of its own payments and orders, and the sum of all is the company's.
func TestCreditsOfACompany(t *testing.T) {
	m := newMatrix(t)
	company := m.act("", credit.CreateCompany{
		Title: "Rowan Bakery", Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("5000.00"), Merchants: []string{m.house.a, m.house.b},
	}).(*credit.Company).ID
	over := func(merchant, payer, amount string) (order, payment string) {
		o := m.act(merchant, credit.CreateOrder{Company: company, Amount: money.MustParse("100.00"), Installments: 1, Authorize: true}).(*credit.Order)
		m.act(merchant, credit.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
		p := m.act(payer, credit.RecordPayment{
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

	// Nothing has been named to send it to: when the company asks, it waits for that.
	m.must(200, "a", "POST", fmt.Sprintf("/v1/companies/%d/credit_requests", company), "")
	m.play(m.zone.Date(m.business()).AddBankingDays(6), 9, 0)
	m.submit(credit.ServiceCredit{Company: company})
	if r := m.must(200, "a", "GET", path, ""); !strings.Contains(r.raw, `"waits":"no_payment_method"`) && !strings.Contains(r.raw, `"waits":"funds_not_good"`) {
		t.Errorf("a credit that cannot be sent: %s", r.raw)
	}
}

// Papers are signed by the creditor that the lender has set, and say how to reach it.
// Members that are absent stay, null clears.
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
	if r := set(`{"provision_rates":{}}`); r.body["contact"] != "help@harbor.example" {
		t.Errorf("what is absent stays: %s", r.raw)
	}
	if r := set(`{"contact":null}`); r.body["contact"] != nil || !strings.Contains(statement(), "1 Pier Rd") {
		t.Errorf("null clears: %s", r.raw)
	}
	m.must(422, "ops", "PATCH", "/v1/operator/lender", `{"contact":""}`)
	m.must(422, "ops", "PATCH", "/v1/operator/lender", `{"contact":7}`)
}

// Alarms can be narrowed to one kind, and a screening be read alone.
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
	m.must(400, "ops", "GET", "/v1/operator/alarms?kind=fire", "")
	m.must(400, "ops", "GET", "/v1/operator/alarms?limit=5", "")
	if r := m.must(200, "ops", "GET", "/v1/operator/screenings/"+id, ""); r.body["id"] != id || r.body["status"] != "OPEN" {
		t.Errorf("a screening: %s", r.raw)
	}
}
