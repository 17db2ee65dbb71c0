package httpapi_test

import (
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/edge/rest"
)

// bodies are requests that pass the schema. %s is the object that the body names, if any.
var bodies = map[string]struct{ kind, body string }{
	"createOrder":    {"company", `{"company_id":%s,"amount":100,"installments":3}`},
	"recordPayment":  {"order", `{"order_key":"%s","amount":1,"method":"WIRE"}`},
	"updateOrder":    {"", `{"merchant_status":"packed"}`},
	"refundOrder":    {"", `{"amount":1}`},
	"capturePart":    {"", `{"amount":1}`},
	"refundPayment":  {"", `{"amount":1}`},
	"returnPayment":  {"", `{"code":"bounced"}`},
	"createMerchant": {"", `{"name":"Matrix %d"}`},
	"addProgram":     {"", `{"effective_from":"%D"}`},
	"createCompany":  {"", `{"name":"Matrix","limit":1}`},
	"updateCompany":  {"", `{"tier":"B"}`},
	"linkCompany":    {"", `{"merchant_id":"%m"}`},
	"unlinkCompany":  {"", `{"merchant_id":"%m"}`},
	"setCreditLine":  {"", `{"limit":5}`},
	"holdCompany":    {"", `{"code":"test"}`},
	"createClient":   {"", `{"name":"matrix"}`},
	"createWebhook":  {"", `{"url":"https://shop.example/","enabled":false}`},
	"updateWebhook":  {"", `{"description":"x"}`},
	"reconcile":      {"", `[{"merchant_order_id":"PO-1","amount":1,"status":"CAPTURED"}]`},
	"addPaymentMethod": {"", `{"type":"ACH","routing_number":"021000021","account_number":"123456789",` +
		`"authorization":{"channel":"WEB","accepted_at":"2026-01-02T15:00:00Z"}}`},
	"verifyPaymentMethod":    {"", `{"amounts":[0.32,0.45]}`},
	"setAutopay":             {"", `{"enabled":false}`},
	"setOrderAutopay":        {"", `{"enabled":false}`},
	"setMerchantAccount":     {"", `{"routing_number":"021000021","account_number":"987654321","holder_name":"Harbor"}`},
	"setMerchantLimits":      {"", `{"exposure":80000,"reason":"matrix"}`},
	"setMerchantShop":        {"", `{"origins":["https://shop.example"],"reason":"matrix"}`},
	"cancelMerchantAccount":  {"", `{"reason":"matrix"}`},
	"holdPayouts":            {"", `{"reason":"matrix"}`},
	"remitCollected":         {"", `{"amount":1}`},
	"payClawback":            {"", `{"amount":1}`},
	"payRefund":              {"", `{"method":"CHECK"}`},
	"sendSameDay":            {"", `{"reason":"r"}`},
	"reversePayment":         {"", `{"reason":"DUPLICATE"}`},
	"holdOrder":              {"", `{"days":5,"reason":"matrix"}`},
	"reviseSchedule":         {"", `{"installment":1,"due_date":"2026-03-10","reason":"matrix"}`},
	"chargeOffOrder":         {"", `{"reason":"matrix"}`},
	"reverseChargeOff":       {"", `{"reason":"matrix"}`},
	"waiveFee":               {"", `{"reason":"matrix"}`},
	"sendNotice":             {"", `{"channel":"MAIL","evidence":"matrix"}`},
	"requestReasons":         {"", `{"received_on":"2026-01-05"}`},
	"recordReceipt":          {"", `{"amount":1,"method":"WIRE"}`},
	"identifyReceipt":        {"", `{"company_id":%c}`},
	"returnReceipt":          {"", `{"reference":"matrix"}`},
	"moveFunding":            {"", `{"amount":1,"direction":"IN","reference":"matrix"}`},
	"closePeriod":            {"", `{"month":"2025-12"}`},
	"putBankLines":           {"", `{"lines":[{"id":"line-%d","date":"2026-01-09","amount":-1}]}`},
	"assignBankLine":         {"", `{"owner":"ann"}`},
	"assignEntry":            {"", `{"owner":"ann"}`},
	"reviewBankNotice":       {"", `{"note":"matrix"}`},
	"createBankMatch":        {"lines", `{"line_ids":["%s"]}`},
	"updateLender":           {"", `{"provision_rates":{"DPD_30_59":"0.1"}}`},
	"confirmScreening":       {"", `{"reason":"matrix"}`},
	"clearScreening":         {"", `{"reason":"matrix"}`},
	"unfreezeCompany":        {"", `{"reason":"matrix"}`},
	"reportCompany":          {"", `{"kind":"FRAUD","on":"2026-01-02","reason":"matrix"}`},
	"withdrawReport":         {"", `{"kind":"FRAUD","reason":"matrix"}`},
	"vouchForPaymentMethod":  {"", `{"reason":"matrix"}`},
	"authorizePaymentMethod": {"", `{"channel":"WEB","accepted_at":"2026-01-02T16:00:00Z"}`},

	"createCheckout":         {"", `{"amount":1200,"return_url":"https://shop.example/","cancel_url":"https://shop.example/"}`},
	"createApplication":      {"", newApplication("00-0000003")},
	"addApplicationDocument": {"", aPDF},
	"prequalify":             {"", estimateOf("ada@alder.example", `"annual_revenue":300000`)},
	"approveApplication":     {"", `{"limit":10000,"tier":"A","reason":"matrix"}`},
	"declineApplication":     {"", `{"reasons":["credit_score"]}`},
	"requestInformation":     {"", `{"what":"Articles of organization"}`},
	"sendApplicationNotice":  {"", `{"channel":"MAIL","evidence":"matrix"}`},

	"createCase":      {"order", `{"kind":"QUESTION","order_key":"%s","subject":"Matrix","text":"Which?"}`},
	"addCaseNote":     {"", `{"text":"matrix"}`},
	"addCaseDocument": {"", aPDF},
	"answerCase":      {"", `{"text":"matrix"}`},
	"resolveCase":     {"", `{"outcome":"ANSWERED","text":"matrix"}`},
	"approve":         {"", `{"reason":"matrix"}`},
	"endApproval":     {"", `{"reason":"matrix"}`},

	"setPerson":            {"", `{"email":"matrix@alder.example","role":"VIEWER"}`},
	"recordPaperSignature": {"", `{"signer_name":"Ada Marsh","signer_title":"Owner","signed_on":"2026-01-02","document":"` + aPaper + `"}`},

	"replayWebhook": {"", `{"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}`},
}

// kindOf maps a path segment to the kind of object it precedes.
var kindOf = map[string]string{
	"order": "order", "schedule": "order", "payment": "payment", "payments": "payment", "invoices": "invoice", "companies": "company",
	"payment_methods": "method", "statements": "month", "payouts": "payout", "orders": "order", "fees": "fee", "refunds": "refund", "notices": "notice", "screenings": "screening", "receipts": "receipt", "bank_lines": "bank line",
	"bank_matches": "match", "bank_notices": "bank notice", "entries": "entry", "transfers": "transfer",
	"webhooks": "webhook", "deliveries": "delivery", "requests": "request", "events": "event", "merchants": "merchant", "clients": "client",
	"checkouts": "checkout", "applications": "application", "documents": "document", "cases": "case", "people": "person", "approvals": "approval",
}

// kindFor names the object for operations that apply only to some of a kind.
var kindFor = map[string]string{"getAgreement": "agreed order", "sendApplicationNotice": "declined application", "getApplicationNotice": "declined application", "getCaseDocument": "case document", "recordPaperSignature": "unsigned company", "getMasterAgreement": "signed company", "setPerson": "company", "listPeople": "company"}

// nobodys are well-formed IDs of objects that do not exist.
var nobodys = map[string]string{
	"order": "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "payment": "pay_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "invoice": "inv_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"company": "3000000000", "webhook": "whk_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "delivery": "dlv_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "request": "req_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"event": "evt_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "merchant": "mch_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "client": "cli_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"approval": "apv_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"method":   "3000000000/pm_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "month": "3000000000/2026-01", "payout": "po_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"fee":    "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3/fee_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"refund": "pay_01KAG7Q2M8X4T6W2Y9Z0A1B2C3/rfd_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"notice": "ntc_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "screening": "scr_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "receipt": "rcp_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "bank line": "nobodys",
	"bank notice": "bkn_QUNIL25vYm9keXM", "match": "mtc_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "lines": `nobodys-1","nobodys-2`, "entry": "ent_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"transfer": "trf_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "checkout": "chk_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "application": "app_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"agreed order": "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "declined application": "app_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"document": "app_01KAG7Q2M8X4T6W2Y9Z0A1B2C3/doc_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"person":   "3000000000/per_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "unsigned company": "3000000000", "signed company": "3000000000",
	"case": "case_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "case document": "case_01KAG7N5B3D1F9H7K5M3P1R9T7/doc_01KAG7N5B3D1F9H7K5M3P1R9T7",
}

// deliverTo is deliver for any merchant.
func (m *matrix) deliverTo(id, merchant, endpoint, event string) {
	m.t.Helper()
	a := m.house.a
	m.house.a = merchant
	m.deliver(id, endpoint, event, store.DeliverySucceeded)
	m.house.a = a
}

// conformsOnce checks one response of each status against the document.
func (m *matrix) conformsOnce(op rest.Operation, r reply) {
	m.t.Helper()
	if key := fmt.Sprint(op.ID, r.status); !m.known[key] {
		m.known[key] = true
		m.conforms(op, r)
	}
}
