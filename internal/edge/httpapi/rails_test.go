package httpapi_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/payments"
)

const consent = `"authorization":{"channel":"WEB","accepted_at":"2026-01-09T15:00:00Z"}`

const given = `"authorization":{"accepted_at":"2026-01-02T15:00:00Z","reference":"consent-8841"}`

// An account number is sealed: no response, log or stored byte contains it. Errors about an
// account name their place.
func TestAccountNumbersStaySealed(t *testing.T) {
	h := newHouse(t)
	const number = "55566677788"
	path := fmt.Sprintf("/v1/companies/%d/payment_methods", h.company)
	body := `{"type":"ACH","routing_number":"021000021","account_number":"` + number + `",` + consent + `}`
	first := h.must(201, "a", "POST", path, body, "Idempotency-Key", "account-1")
	again := h.must(201, "a", "POST", path, body, "Idempotency-Key", "account-1")
	if again.raw != first.raw || again.header.Get("Idempotency-Replayed") != "true" || first.header.Get("Location") != path+"/"+first.text("id") {
		t.Errorf("the repeat: %s %v", again.raw, again.header)
	}
	if r := h.call("a", "POST", path, strings.Replace(body, number, "55566677789", 1), "Idempotency-Key", "account-1"); r.code() != "idempotency_key_reused" {
		t.Errorf("another account under the same key: %d %s", r.status, r.raw)
	}
	h.must(200, "ops", "PUT", "/v1/operator/merchants/"+h.a+"/bank_account", `{"routing_number":"021000021","account_number":"`+number+`","holder_name":"Harbor"}`)
	list := h.must(200, "a", "GET", path, "")
	var stored bytes.Buffer
	if err := store.WriteDump(context.Background(), h.backend, &stored); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"answer": first.raw, "list": list.raw, "log": h.log.String(), "database": stored.String()} {
		if strings.Contains(text, number) {
			t.Errorf("the %s holds the account number", name)
		}
	}
	if bank := first.body["bank"].(map[string]any); bank["last4"] != "7788" || len(bank) != 5 {
		t.Errorf("shown of the account: %v", bank)
	}
	for body, want := range map[string]string{
		`{"type":"ACH","routing_number":"021000022","account_number":"55731",` + consent + `}`:                      "wrong_check_digit",
		`{"type":"ACH","routing_number":"021000021",` + consent + `}`:                                               "/account_number",
		`{"type":"ACH","account_number":"55731",` + consent + `}`:                                                   "/routing_number",
		`{"type":"ACH","routing_number":"000000000","account_number":"55731",` + consent + `}`:                      "/routing_number",
		`{"type":"ACH","routing_number":"021000021","account_number":"00000",` + consent + `}`:                      "/account_number",
		`{"type":"ACH","routing_number":"021000021","account_number":"55731","holder_name":"",` + consent + `}`:     "/holder_name",
		`{"type":"ACH","routing_number":"021000021","account_number":"55731","holder_name":"  ",` + consent + `}`:   "/holder_name",
		`{"type":"ACH","routing_number":"021000021","account_number":"55731","holder_name":"株式会社",` + consent + `}`: "/holder_name",
		`{"type":"CARD",` + consent + `}`:                                                                                                            "/card",
		`{"type":"ACH","routing_number":"021000021","account_number":"55731"}`:                                                                       "/authorization",
		`{"type":"ACH","routing_number":"021000021","account_number":"55 731",` + consent + `}`:                                                      "wrong_format",
		`{"type":"CARD","verify":true,"card":{"token":"t","mandate":"m","last4":"4242","exp_month":1,"exp_year":2030,"debit":true},` + consent + `}`: "/verify",
	} {
		if r := h.call("a", "POST", path, body); r.status != 422 || r.code() != "validation_failed" || !strings.Contains(r.raw, want) || strings.Contains(strings.ReplaceAll(r.raw, " ", ""), "55731") {
			t.Errorf("%s: %d %s, want %s", body, r.status, r.raw, want)
		}
	}
}

// A removed account is gone, and an account is found only below its own company.
func TestAccountsBelongToTheirCompany(t *testing.T) {
	h := newHouse(t)
	m := h.methodOf(h.company, "123456789")
	both := h.freshCompany(h.a)
	path := fmt.Sprintf("/v1/companies/%d/payment_methods/", h.company)
	for _, x := range []struct {
		who, method, path string
		status            int
	}{
		{"a", "GET", path + m.ID, 200},
		{"ops", "GET", path + m.ID, 200},
		{"b", "GET", path + m.ID, 403},
		{"b", "DELETE", path + m.ID, 403},
		{"a", "GET", fmt.Sprintf("/v1/companies/%d/payment_methods/%s", both, m.ID), 404},
		{"a", "DELETE", fmt.Sprintf("/v1/companies/%d/payment_methods/%s", both, m.ID), 404},
		{"a", "GET", path + "pm_1", 404},
	} {
		h.must(x.status, x.who, x.method, x.path, "")
	}
	autopay := fmt.Sprintf("/v1/companies/%d/autopay", h.company)
	on := h.must(200, "a", "PATCH", autopay, `{"enabled":true,"payment_method_id":"`+m.ID+`",`+given+`}`)
	if p := on.body["autopay"].(map[string]any); p["enabled"] != true || p["payment_method_id"] != m.ID || on.body["merchants"] != nil {
		t.Errorf("autopay: %s", on.raw)
	}
	if r := h.call("a", "PATCH", autopay, `{"enabled":false}`, "If-Match", `"stale"`); r.status != 412 {
		t.Errorf("a stale change: %d %s", r.status, r.raw)
	}
	h.must(404, "a", "DELETE", path+m.ID, "") // the lender's, not the merchant's (F36)
	h.must(412, "ops", "DELETE", path+m.ID, "", "If-Match", `"7"`)
	h.must(204, "ops", "DELETE", path+m.ID, "", "If-Match", `"1"`)
	h.must(404, "a", "GET", path+m.ID, "")
	if r := h.must(200, "a", "GET", strings.TrimSuffix(path, "/"), ""); !strings.HasPrefix(r.raw, `{"data":[],`) {
		t.Errorf("after it was removed: %s", r.raw)
	}
	if p := h.must(200, "a", "GET", fmt.Sprintf("/v2/companies/%d", h.company), "").body["autopay"].(map[string]any); p["enabled"] != false || p["payment_method_id"] != nil {
		t.Errorf("autopay without its account: %v", p)
	}
}

// Two orders fall due on a Saturday and are collected on the Tuesday after a holiday. The
// one that autopay debits is not late in the meantime; the other is.
func TestDebitsOnTheirWayAreNotLate(t *testing.T) {
	h := newHouse(t)
	company := h.freshCompany(h.a)
	h.play(calendar.MustParse("2026-01-14"), 10, 0)
	capture := func() string {
		r := h.must(201, "a", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":300,"installments":3,"status":"AUTHORIZED"}`, company))
		return h.must(200, "a", "PATCH", "/v1/order/"+r.text("key"), `{"status":"CAPTURED"}`).text("key")
	}
	debited, late := capture(), capture()
	h.must(200, "a", "PATCH", fmt.Sprintf("/v1/companies/%d/autopay", company), `{"enabled":true,"payment_method_id":"`+h.methodOf(company, "123456789").ID+`",`+given+`}`)
	if r := h.must(200, "a", "PATCH", "/v1/order/"+late+"/autopay", `{"enabled":false}`); r.body["autopay"] != false || fmt.Sprint(r.body["version"]) != "3" {
		t.Errorf("autopay of the order: %s", r.raw)
	}
	h.play(calendar.MustParse("2026-02-15"), 10, 0)
	row := func(order string) map[string]any {
		return h.must(200, "a", "GET", "/payments/schedule/"+order, "").body["installments"].([]any)[0].(map[string]any)
	}
	if r := row(debited); r["status"] != "DUE" || fmt.Sprint(r["days_past_due"]) != "0" {
		t.Errorf("the order that is debited: %v", r)
	}
	r := row(late)
	if r["status"] != "OVERDUE" || fmt.Sprint(r["days_past_due"]) != "1" {
		t.Errorf("the order that is not: %v", r)
	}
	x := h.must(200, "a", "GET", fmt.Sprintf("/v2/companies/%d", company), "")
	if fmt.Sprint(x.body["past_due_amount"]) != fmt.Sprint(r["amount"]) || fmt.Sprint(x.body["days_past_due"]) != "1" {
		t.Errorf("the company: %v late since %v days, want %v", x.body["past_due_amount"], x.body["days_past_due"], r["amount"])
	}
	if inList := h.must(200, "a", "GET", "/v1/companies", ""); !strings.Contains(inList.raw, fmt.Sprintf(`"past_due_amount":%v,"days_past_due":1`, r["amount"])) {
		t.Errorf("the list: %s", inList.raw)
	}
	h.play(calendar.MustParse("2026-02-17"), 9, 0)
	if r := row(debited); r["status"] != "PAID" || r["paid_at"] != "2026-02-14" {
		t.Errorf("once it has settled: %v", r)
	}
	then := h.must(200, "a", "GET", fmt.Sprintf("/v2/companies/%d?as_of=2026-02-15", company), "")
	if fmt.Sprint(then.body["past_due_amount"]) != fmt.Sprint(r["amount"]) || fmt.Sprint(then.body["days_past_due"]) != "1" {
		t.Errorf("the company as it stood: %s", then.raw)
	}
}

// A debit's responses and events report its status.
func TestDebitTellsItsOutcome(t *testing.T) {
	h := newHouse(t)
	company := h.freshCompany(h.a)
	h.play(calendar.MustParse("2026-01-12"), 10, 0)
	order := h.must(201, "a", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":300,"installments":3,"status":"AUTHORIZED"}`, company)).text("key")
	h.must(200, "a", "PATCH", "/v1/order/"+order, `{"status":"CAPTURED"}`)
	pay := func(more string) reply {
		return h.call("a", "POST", "/payment", fmt.Sprintf(`{"order_key":%q,"amount":50,"method":"ACH"%s}`, order, more))
	}
	if r := pay(""); r.status != 422 || r.code() != "payment_method_required" {
		t.Errorf("without an account: %d %s", r.status, r.raw)
	}
	method := h.methodOf(company, "123456789").ID
	if r := pay(`,"payment_method_id":"` + h.methodOf(h.company, "1234").ID + `"`); r.code() != "payment_method_required" {
		t.Errorf("another company's account: %d %s", r.status, r.raw)
	}
	at := `,"payment_method_id":"` + method + `"`
	if r := pay(at + `,"scheduled_date":"2026-01-09"`); r.code() != "invalid_effective_date" {
		t.Errorf("in the past: %d %s", r.status, r.raw)
	}
	if r := h.must(200, "a", "POST", "/payment", fmt.Sprintf(`{"order_key":%q,"amount":50,"method":"ACH"%s}`, order, at), "Prefer", "dry-run"); r.body["result"].(map[string]any)["id"] != nil {
		t.Errorf("dry run: %s", r.raw)
	}
	now, later := pay(at), pay(at+`,"scheduled_date":"2026-01-20"`)
	if now.status != 201 || now.text("status") != "PENDING" || now.text("scheduled_date") != "2026-01-13" || now.text("payment_method_id") != method {
		t.Errorf("now: %d %s", now.status, now.raw)
	}
	if later.text("status") != "SCHEDULED" || later.text("scheduled_date") != "2026-01-20" {
		t.Errorf("later: %d %s", later.status, later.raw)
	}
	h.must(200, "a", "POST", "/v1/payment/"+later.text("id")+"/cancel", "")
	h.play(calendar.MustParse("2026-01-13"), 9, 0)
	settled := h.must(200, "a", "GET", "/payment/"+now.text("id"), "")
	if settled.text("status") != "SUCCEEDED" || settled.text("submitted_at") != "2026-01-12T21:00:00Z" || settled.text("settled_at") != "2026-01-13T13:30:00Z" {
		t.Errorf("settled: %s", settled.raw)
	}
	h.submit(payments.ReturnTransfer{Transfer: h.transferOf(now.text("id")), Code: "R01"})
	back := h.must(200, "a", "GET", "/payment/"+now.text("id"), "")
	if f := back.body["failure"].(map[string]any); back.text("status") != "RETURNED" || f["return_code"] != "R01" {
		t.Errorf("returned: %s", back.raw)
	}
	var types []string
	for _, e := range h.must(200, "a", "GET", "/v1/events?limit=100", "").body["data"].([]any) {
		if e := e.(map[string]any); e["object"].(map[string]any)["id"] == now.text("id") || e["object"].(map[string]any)["id"] == later.text("id") {
			types = append(types, e["type"].(string))
		}
	}
	if got := strings.Join(types, " "); got != "payment.created payment.scheduled payment.canceled payment.succeeded payment.returned" {
		t.Errorf("events: %s", got)
	}
}

// The lender reverses an erroneous debit. A merchant cannot, and the same debit cannot be
// reversed twice or after the deadline.
func TestReversal(t *testing.T) {
	h := newHouse(t)
	company := h.freshCompany(h.a)
	h.play(calendar.MustParse("2026-01-12"), 10, 0)
	order := h.must(201, "a", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":300,"installments":3,"status":"AUTHORIZED"}`, company)).text("key")
	h.must(200, "a", "PATCH", "/v1/order/"+order, `{"status":"CAPTURED"}`)
	method := h.methodOf(company, "123456789").ID
	debit := func() string {
		return h.must(201, "a", "POST", "/payment", fmt.Sprintf(`{"order_key":%q,"amount":50,"method":"ACH","payment_method_id":%q}`, order, method)).text("id")
	}
	first, second := debit(), debit()
	h.play(calendar.MustParse("2026-01-13"), 9, 0)
	path := "/v1/operator/payments/" + second + "/reverse"
	if r := h.call("a", "POST", path, `{"reason":"DUPLICATE"}`); r.status != 403 {
		t.Errorf("a merchant: %d %s", r.status, r.raw)
	}
	if r := h.call("ops", "POST", path, `{"reason":"REGRET"}`); r.status != 422 || r.code() != "validation_failed" {
		t.Errorf("another reason: %d %s", r.status, r.raw)
	}
	r := h.must(200, "ops", "POST", path, `{"reason":"DUPLICATE","note":"sent twice"}`)
	f, refund := r.body["failure"].(map[string]any), r.body["refunds"].([]any)[0].(map[string]any)
	if r.text("status") != "RETURNED" || f["code"] != "reversed" || f["return_code"] != nil || refund["reversal"] != "DUPLICATE" || refund["reason"] != "sent twice" || refund["status"] != "PENDING" {
		t.Errorf("reversed: %s", r.raw)
	}
	conforms(t, "POST", "/v1/operator/payments/{id}/reverse", r)
	list := h.must(200, "ops", "GET", "/v1/operator/transfers?payment_id="+second, "").body["data"].([]any)
	if x := list[0].(map[string]any); len(list) != 2 || x["description"] != "REVERSAL" || fmt.Sprint(x["amount"]) != "50.00" || x["debit"] != false || x["payment_method_id"] != method {
		t.Errorf("its transfer: %v", list)
	}
	if r := h.call("ops", "POST", path, `{"reason":"DUPLICATE"}`); r.status != 409 || r.code() != "invalid_transition" {
		t.Errorf("again: %d %s", r.status, r.raw)
	}
	h.play(calendar.MustParse("2026-01-14"), 9, 0)
	if r := h.must(200, "a", "GET", "/payment/"+second, ""); r.body["refunds"].([]any)[0].(map[string]any)["status"] != "SETTLED" {
		t.Errorf("arrived: %s", r.raw)
	}
	h.play(calendar.MustParse("2026-01-21"), 17, 0)
	if r := h.call("ops", "POST", "/v1/operator/payments/"+first+"/reverse", `{"reason":"WRONG_DATE"}`); r.status != 409 || r.code() != "payment_not_refundable" || r.text("reversible_until") != "2026-01-21" {
		t.Errorf("too late: %d %s", r.status, r.raw)
	}
}

// transferOf returns the transfer of a payment.
func (h *house) transferOf(payment string) string {
	h.t.Helper()
	list := h.must(200, "ops", "GET", "/v1/operator/transfers?payment_id="+payment, "").body["data"].([]any)
	return list[0].(map[string]any)["id"].(string)
}

// Papers come in three forms, each with its own tag, and only for the resource's owner.
func TestPapers(t *testing.T) {
	m := newMatrix(t)
	payout, invoice := m.make("payout", m.house.a), m.make("invoice", m.house.a)
	statement := fmt.Sprintf("/v1/companies/%d/statements/2026-01", m.house.company)
	for path, who := range map[string]string{"/v1/payouts/" + payout: "a", "/v1/invoices/" + invoice: "a", statement: "ops"} {
		m.isPaper(path, who)
	}
	m.must(404, "ops", "GET", fmt.Sprintf("/v1/companies/%d/statements/2025-12", m.house.company), "")
	m.must(404, "ops", "GET", fmt.Sprintf("/v1/companies/%d/statements/2027-01", m.house.company), "")
	m.must(404, "ops", "GET", fmt.Sprintf("/v1/companies/%d/statements/2026-13", m.house.company), "")
}

// isPaper reads a resource in its three forms.
func (m *matrix) isPaper(path, who string) {
	t := m.t
	t.Helper()
	json := m.must(200, who, "GET", path, "")
	if json.header.Get("Content-Type") != "application/json" || json.header.Get("Vary") != "Accept" {
		t.Errorf("%s: %v", path, json.header)
	}
	page := m.must(200, who, "GET", path, "", "Accept", "text/html")
	if !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") || !strings.Contains(page.raw, "<h1>") ||
		!strings.Contains(page.header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%s as a page: %v", path, page.header)
	}
	pdf := m.must(200, who, "GET", path, "", "Accept", "application/pdf")
	if pdf.header.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(pdf.raw, "%PDF-") {
		t.Errorf("%s as PDF: %v", path, pdf.header)
	}
	if a, b := json.header.Get("ETag"), pdf.header.Get("ETag"); a == b || b == "" || b == page.header.Get("ETag") {
		t.Errorf("%s: tags %s %s", path, a, b)
	}
	m.must(304, who, "GET", path, "", "Accept", "application/pdf", "If-None-Match", pdf.header.Get("ETag"))
	m.must(406, who, "GET", path, "", "Accept", "image/png")
	if status := m.call("b", "GET", path, "", "Accept", "application/pdf").status; status != 404 && status != 403 {
		t.Errorf("%s for another merchant: %d", path, status)
	}
}

// The whole ledger is exported, in three equivalent forms.
func TestExports(t *testing.T) {
	m := newMatrix(t)
	m.make("payout", m.house.a)
	const path = "/v1/operator/ledger/entries"
	postings := 0
	all := m.must(200, "ops", "GET", path, "")
	for _, e := range all.body["data"].([]any) {
		postings += len(e.(map[string]any)["postings"].([]any))
	}
	if postings < 6 || all.body["has_more"] != false || all.header.Get("As-Of-Seq") == "" {
		t.Fatalf("as JSON: %d postings, %v", postings, all.header)
	}
	asCSV := m.must(200, "ops", "GET", path, "", "Accept", "text/csv")
	if rows, err := csv.NewReader(strings.NewReader(asCSV.raw)).ReadAll(); err != nil || len(rows) != postings+1 {
		t.Errorf("as CSV: %d lines, %v", len(rows), err)
	}
	if text := m.must(200, "ops", "GET", path, "", "Accept", "text/plain"); !strings.Contains(text.raw, "assets:1100 Loan principal") {
		t.Errorf("for hledger: %.300s", text.raw)
	}
	if r := m.must(200, "ops", "GET", path+"?from=2020-01-01&to=2020-12-31", ""); r.raw != `{"data":[],"has_more":false,"next_cursor":null}` {
		t.Errorf("of no day: %s", r.raw)
	}
	if r := m.must(200, "ops", "HEAD", path, ""); r.raw != "" || r.header.Get("As-Of-Seq") == "" {
		t.Errorf("HEAD: %q %v", r.raw, r.header)
	}
	m.must(400, "ops", "GET", path+"?from=2026-02-01&to=2026-01-01", "")
	if r := m.must(200, "ops", "GET", "/v1/operator/ledger/trial_balance", ""); r.body["balanced"] != true || r.body["debits"] != r.body["credits"] {
		t.Errorf("trial balance: %s", r.raw)
	}
}

// Bank lines arrive as JSON or CSV, and a line that already exists stays.
func TestBankLines(t *testing.T) {
	h := newHouse(t)
	const path = "/v1/operator/bank_lines"
	send := func(status int, text string) reply {
		return h.must(status, "ops", "POST", path, text, "Content-Type", "text/csv")
	}
	if r := h.must(200, "ops", "POST", path, `{"lines":[{"id":"l-1","date":"2026-01-09","amount":500},{"id":"l-2","date":"2026-01-09","amount":"-12.50"}]}`); r.raw != `{"lines":2,"new":2,"matched":0}` {
		t.Errorf("as JSON: %s", r.raw)
	}
	if r := send(200, "date,id,amount,reference\n2026-01-09,l-2,-99.00,changed\n2026-01-08,l-3,0.01,\"a, b\"\n"); r.raw != `{"lines":2,"new":1,"matched":0}` {
		t.Errorf("as CSV: %s", r.raw)
	}
	if r := send(422, "id,date,amount,reference\nl-4,2026-01-09,-12.505,x\n"); !strings.Contains(r.raw, `"line":2,"column":"amount"`) {
		t.Errorf("what is wrong with a line: %s", r.raw)
	}
	send(400, "id,date\nl-4,2026-01-09\n")
	if r := h.call("ops", "POST", path, `{"lines":[{"id":"l-5","date":"2026-01-09","amount":-10000000.01}]}`); r.status != 422 {
		t.Errorf("too much: %d %s", r.status, r.raw)
	}
	first := h.must(200, "ops", "GET", path+"?limit=2", "")
	second := h.must(200, "ops", "GET", path+"?limit=2&cursor="+first.text("next_cursor"), "")
	if got := fmt.Sprint(first.ids(), second.ids()); got != "[l-3 l-1] [l-2]" {
		t.Errorf("pages: %s", got)
	}
}

// A dry run of an operator's act that moves money reports what it would post, and posts
// nothing.
func TestDryRunsOfTheBooks(t *testing.T) {
	m := newMatrix(t)
	order := m.make("order", m.house.a)
	m.must(201, "a", "POST", "/payment", `{"order_key":"`+order+`","amount":30,"method":"CHECK"}`) // the merchant holds it
	before := m.state()
	for path, body := range map[string]string{
		"/v1/operator/ledger/funding":                          `{"amount":5,"direction":"OUT","reference":"back"}`,
		"/v1/operator/merchants/" + m.house.a + "/remittances": `{"amount":12.5}`,
		"/v1/operator/orders/" + order + "/charge_off":         `{"reason":"lost"}`,
	} {
		r := m.must(200, "ops", "POST", path, body, "Prefer", "dry-run")
		entries, _ := r.body["entries"].([]any)
		if len(entries) == 0 || entries[0].(map[string]any)["id"] != nil || r.header.Get("Preference-Applied") != "dry-run" {
			t.Errorf("%s: %s", path, r.raw)
		}
		if m.state() != before {
			t.Errorf("%s: a dry run has had an effect", path)
		}
	}
	r := m.must(201, "ops", "POST", "/v1/operator/merchants/"+m.house.a+"/remittances", `{"amount":12.5,"reference":"wire 1"}`)
	if entries := r.body["entries"].([]any); len(entries) != 1 || entries[0].(map[string]any)["event"] != "COLLECTED_REMITTED" {
		t.Errorf("remitted: %s", r.raw)
	}
	if r := m.call("ops", "POST", "/v1/operator/merchants/"+m.house.a+"/remittances", `{"amount":17.51}`); r.status != 422 || fmt.Sprint(r.body["owed"]) != "17.50" {
		t.Errorf("more than is owed: %d %s", r.status, r.raw)
	}
}
