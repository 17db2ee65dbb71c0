package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
)

// Another merchant of the same company sees only the last four digits of an account, and
// can neither change nor use it. The merchant that added it and the lender see its owner
// and the record of the company's consent (F36).
func TestAnotherMerchantsAccount(t *testing.T) {
	h := newHouse(t)
	h.submit(lending.UpdateCompany{Company: h.company, Link: []string{h.b}})
	path := fmt.Sprintf("/v1/companies/%d/payment_methods", h.company)
	body := `{"type":"ACH","routing_number":"021000021","account_number":"55566677788","holder_name":"Alder Kitchens LLC",` + strings.Replace(consent, `}`, `,"reference":"consent-8841"}`, 1) + `}`
	id := h.must(201, "a", "POST", path, body).text("id")
	for _, who := range []string{"a", "ops"} {
		for _, r := range []reply{h.must(200, who, "GET", path+"/"+id, ""), h.must(200, who, "GET", path, "")} {
			for _, shown := range []string{"Alder Kitchens LLC", "021000021", "consent-8841", "7788"} {
				if !strings.Contains(r.raw, shown) {
					t.Errorf("%s does not see %s: %s", who, shown, r.raw)
				}
			}
		}
	}
	for _, r := range []reply{h.must(200, "b", "GET", path+"/"+id, ""), h.must(200, "b", "GET", path, "")} {
		for _, hidden := range []string{"Alder Kitchens LLC", "021000021", "consent-8841", "expires_on"} {
			if strings.Contains(r.raw, hidden) {
				t.Errorf("another merchant sees %s: %s", hidden, r.raw)
			}
		}
		if !strings.Contains(r.raw, `"last4":"7788"`) {
			t.Errorf("another merchant does not see the last four digits: %s", r.raw)
		}
	}
	before := h.state()
	for _, x := range []struct {
		method, path, body string
		status             int
	}{
		{"DELETE", path + "/" + id, "", 404},
		{"POST", path + "/" + id + "/verify", `{"amounts":[0.01,0.02]}`, 404},
		{"POST", path + "/" + id + "/authorization", `{"channel":"WEB","accepted_at":"2026-01-09T16:00:00Z"}`, 404},
		{"POST", path + "/" + id + "/vouch", `{"reason":"mine"}`, 403},
		{"PATCH", fmt.Sprintf("/v1/companies/%d/autopay", h.company), `{"enabled":true,"payment_method_id":"` + id + `",` + given + `}`, 404},
	} {
		h.must(x.status, "b", x.method, x.path, x.body)
	}
	if h.state() != before {
		t.Error("another merchant has changed something")
	}
	h.must(200, "ops", "POST", path+"/"+id+"/vouch", `{"reason":"voided check"}`)
	order := h.submitAs(h.b, lending.CreateOrder{Company: h.company, Amount: 300_00, Installments: 3, Authorize: true}).(*credit.Order)
	h.submitAs(h.b, lending.UpdateOrder{Order: order.Key, Status: credit.OrderCaptured})
	h.must(422, "b", "POST", "/payment", fmt.Sprintf(`{"order_key":%q,"amount":30.00,"method":"ACH","payment_method_id":%q}`, order.Key, id))
	h.must(204, "a", "DELETE", path+"/"+id, "")
}

// A merchant's new account waits for the lender's cooling-off and, if configured, for
// another client. It can be canceled. No merchant's token can do any of this (F41.12).
func TestChangeOfAMerchantsAccount(t *testing.T) {
	h := newHouse(t)
	path := "/v1/operator/merchants/" + h.a + "/bank_account"
	body := func(number, more string) string {
		return `{"routing_number":"021000021","account_number":"` + number + `","holder_name":"Harbor"` + more + `}`
	}
	first := h.must(200, "ops", "PUT", path, body("987654321", `,"contact_email":"accounts@harbor.example"`))
	if account := first.body["payout_account"].(map[string]any); account["pending"] != nil || account["contact_email"] != "accounts@harbor.example" {
		t.Errorf("the first account: %v", account)
	}
	h.must(422, "ops", "PUT", path, body("987654321", `,"contact_email":"nobody"`))
	h.must(422, "ops", "PATCH", "/v1/operator/lender", `{"cooling_off_days":0,"reason":"audit"}`)
	h.must(422, "ops", "PATCH", "/v1/operator/lender", `{"cooling_off_days":4}`)
	h.must(200, "ops", "PATCH", "/v1/operator/lender", `{"cooling_off_days":4,"reason":"audit"}`)
	pending := func(who string, r reply) map[string]any {
		t.Helper()
		p, _ := r.body["payout_account"].(map[string]any)["pending"].(map[string]any)
		return p
	}
	p := pending("ops", h.must(200, "ops", "PUT", path, body("123456789", "")))
	if p["effective_from"] != "2026-01-15" || p["needs_second"] != false || p["contact_email"] != "accounts@harbor.example" {
		t.Errorf("another account waits as %v", p)
	}
	for _, act := range []string{"/confirm", "/cancel"} {
		h.must(403, "a", "POST", path+act, `{"reason":"it is ours"}`)
	}
	h.must(403, "a", "PUT", path, body("123456789", ""))
	if p := pending("ops", h.must(200, "ops", "POST", path+"/cancel", `{"reason":"nobody asked"}`)); p != nil {
		t.Errorf("it was canceled and waits as %v", p)
	}
	h.must(409, "ops", "POST", path+"/cancel", `{"reason":"again"}`)
	h.tokens["desk"] = h.token("")
	p = pending("ops", h.must(200, "ops", "PUT", path, body("987654321", `,"contact_email":null`)))
	if p["needs_second"] != true || p["contact_email"] != nil {
		t.Errorf("another contact waits as %v", p)
	}
	h.must(409, "ops", "POST", path+"/confirm", "")
	if alarms := h.must(200, "ops", "GET", "/v1/operator/alarms?kind=account_change", ""); !strings.Contains(alarms.raw, "Ask the merchant at accounts@harbor.example") {
		t.Errorf("the alarm: %s", alarms.raw)
	}
	if p := pending("desk", h.must(200, "desk", "POST", path+"/confirm", "")); p["confirmed_by"] == nil {
		t.Errorf("confirmed before its day: %v", p)
	}
	h.until(calendar.MustParse("2026-01-16"), 12, 0)
	if account := h.must(200, "desk", "POST", path+"/confirm", "").body["payout_account"].(map[string]any); account["pending"] != nil || account["contact_email"] != nil {
		t.Errorf("on its day: %v", account)
	}
}

// The lender decides which accounts are verified. Only the lender learns that merchants
// added the same account at two companies (F41.1).
func TestLendersPolicyForAccounts(t *testing.T) {
	h := newHouse(t)
	add := func(who string, company int64) reply {
		t.Helper()
		return h.must(201, who, "POST", fmt.Sprintf("/v1/companies/%d/payment_methods", company), `{"type":"ACH","routing_number":"021000021","account_number":"55566677788",`+consent+`}`)
	}
	if r := add("a", h.company); r.text("status") != "UNVERIFIED" || r.body["verified_by"] != nil {
		t.Errorf("by default: %s", r.raw)
	}
	h.must(403, "a", "PATCH", "/v1/operator/lender", `{"verify_accounts":"never","reason":"the bank proves accounts"}`)
	if r := h.must(200, "ops", "PATCH", "/v1/operator/lender", `{"verify_accounts":"never","reason":"the bank proves accounts"}`); r.text("verify_accounts") != "never" {
		t.Errorf("the lender's settings: %s", r.raw)
	}
	const alarms = "/v1/operator/alarms?kind=account_at_several_companies"
	if r := h.must(200, "ops", "GET", alarms, ""); !strings.HasPrefix(r.raw, `{"data":[],`) {
		t.Errorf("at one company: %s", r.raw)
	}
	h.until(calendar.MustParse("2026-01-12"), 12, 0)
	r := add("b", h.unlinked)
	if r.text("status") != "ACTIVE" || r.text("verified_by") != "policy" || r.body["company_consented"] != false {
		t.Errorf("with the lender's word for all: %s", r.raw)
	}
	if list := h.must(200, "ops", "GET", alarms, ""); !strings.Contains(list.raw, r.text("id")) || !strings.Contains(list.raw, fmt.Sprintf("at company %d before", h.company)) {
		t.Errorf("at two companies: %s", list.raw)
	}
	h.must(403, "b", "GET", alarms, "")
	if strings.Contains(r.raw, "several") {
		t.Errorf("the merchant reads of it: %s", r.raw)
	}
}

// A merchant cannot refund what the lender recorded. It can take back three of its own
// reports a month, or one in fifty of those it recorded (F35, F41.5).
func TestMerchantsRefundTheirOwnReports(t *testing.T) {
	h := newHouse(t)
	order := func() string {
		o := h.submitAs(h.a, lending.CreateOrder{Company: h.company, Amount: 900_00, Installments: 3, Authorize: true}).(*credit.Order)
		return h.submitAs(h.a, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured}).(*credit.Order).Key
	}
	cash := func(who, order, amount string) string {
		t.Helper()
		return h.must(201, who, "POST", "/payment", fmt.Sprintf(`{"order_key":%q,"amount":%s,"method":"CASH"}`, order, amount)).text("id")
	}
	var orders, reports []string
	for range 5 {
		orders = append(orders, order())
		reports = append(reports, cash("a", orders[len(orders)-1], "5.00"))
	}
	lenders := cash("ops", orders[0], "7.00")
	if r := h.must(403, "a", "POST", "/payment/"+lenders+"/refund", `{}`); r.code() != "insufficient_scope" {
		t.Errorf("the lender's record: %s", r.raw)
	}
	h.must(200, "ops", "POST", "/payment/"+lenders+"/refund", `{}`)
	h.until(calendar.MustParse("2026-01-12"), 12, 0)
	for _, id := range reports[:3] {
		h.must(200, "a", "POST", "/payment/"+id+"/refund", `{}`)
	}
	h.must(403, "a", "POST", "/payment/"+reports[3]+"/refund", `{}`)
	for range 194 {
		h.submitAs(h.a, payments.RecordPayment{Order: orders[4], Amount: 1_00, Method: "CASH", EffectiveDate: calendar.None, ScheduledDate: calendar.None})
	}
	h.must(403, "a", "POST", "/payment/"+reports[3]+"/refund", `{}`) // the 199th record
	h.submitAs(h.a, payments.RecordPayment{Order: orders[4], Amount: 1_00, Method: "CASH", EffectiveDate: calendar.None, ScheduledDate: calendar.None})
	h.must(200, "a", "POST", "/payment/"+reports[3]+"/refund", `{}`)
	h.must(403, "a", "POST", "/payment/"+reports[4]+"/refund", `{}`)
}
