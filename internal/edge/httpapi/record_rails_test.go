package httpapi_test

import (
	"fmt"
	"strconv"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
)

// lend plays the movement of money: accounts, debits, payouts, and the back office.
func (x *tale) lend(merchant, company string) {
	account := `{"routing_number":"021000021","account_number":"987654321","holder_name":"Harbor Supply Inc","debits":true,"contact_email":"accounts@harbor.example"}`
	x.does("setMerchantAccount", "ops", "PUT", "/v1/operator/merchants/{id}/bank_account", merchant, account)
	x.does("setMerchantLimits", "ops", "PUT", "/v1/operator/merchants/{id}/limits", merchant, `{"exposure":250000.00,"due":25000.00,"reason":"audited accounts of 2025"}`)
	x.does("setMerchantShop", "ops", "PUT", "/v1/operator/merchants/{id}/shop", merchant, `{"origins":["https://shop.harbor.example"],"support_email":"help@harbor.example","accent_color":"#0b5cad","reason":"the merchant's new shop"}`)
	other := strings.Replace(account, `"account_number":"`, `"account_number":"1`, 1)
	x.does("", "ops", "PUT", "/v1/operator/merchants/{id}/bank_account", merchant, other)
	x.does("confirmMerchantAccount", "ops", "POST", "/v1/operator/merchants/{id}/bank_account/confirm", merchant, "")
	x.does("cancelMerchantAccount", "ops", "POST", "/v1/operator/merchants/{id}/bank_account/cancel", merchant, `{"reason":"the merchant has not asked for it"}`)
	x.does("holdPayouts", "ops", "POST", "/v1/operator/merchants/{id}/payouts/hold", merchant, `{"reason":"account under review"}`)
	const remittances = "/v1/operator/merchants/{id}/remittances"
	x.does("remitCollected", "ops", "POST", remittances, merchant, `{"amount":5.00,"reference":"wire 2231"}`)
	refused := x.must(422, "ops", "POST", "/v1/operator/merchants/"+merchant+"/remittances", `{"amount":10000.00}`)
	x.does("", "ops", "POST", remittances, merchant, fmt.Sprintf(`{"amount":%v,"reference":"wire 2240"}`, refused.body["owed"])) // everything left
	funded := x.does("moveFunding", "ops", "POST", "/v1/operator/ledger/funding", "", `{"amount":100000.00,"direction":"IN","reference":"first funding"}`)["id"].(string)
	method := x.accounts(company)
	order := x.debits(company, method)
	x.paidOut(merchant, order, account)
	x.backOffice(company, order, method)
	x.books(company, funded)
}

// accounts adds bank accounts to a company and switches autopay on.
func (x *tale) accounts(company string) string {
	const path = "/v1/companies/{company_id}/payment_methods"
	body := func(number, more string) string {
		return `{"type":"ACH","routing_number":"021000021","account_number":"` + number + `","holder_name":"Alder Kitchens LLC",` +
			`"authorization":{"channel":"WEB","accepted_at":"2026-03-20T13:55:00Z","reference":"consent-8841"}` + more + `}`
	}
	method := x.does("addPaymentMethod", "shop", "POST", path, company, body("123456789", ""))["id"].(string)
	unproven := x.does("", "shop", "POST", path, company, body("222333444", `,"verify":true`))["id"].(string)
	x.does("vouchForPaymentMethod", "ops", "POST", path+"/{id}/vouch", company+"/"+method, `{"reason":"voided check on file","company_consent":"call of 20 March"}`)
	x.does("listPaymentMethods", "shop", "GET", path, company, "")
	x.does("getPaymentMethod", "shop", "GET", path+"/{id}", company+"/"+method, "")
	x.does("verifyPaymentMethod", "shop", "POST", path+"/{id}/verify", company+"/"+unproven, `{"amounts":[0.01,0.02]}`)
	x.does("authorizePaymentMethod", "shop", "POST", path+"/{id}/authorization", company+"/"+unproven, `{"channel":"WRITTEN","accepted_at":"2026-03-20T13:58:00Z","reference":"letter of 20 March"}`)
	x.does("removePaymentMethod", "shop", "DELETE", path+"/{id}", company+"/"+unproven, "")
	x.does("setAutopay", "shop", "PATCH", "/v1/companies/{company_id}/autopay", company, `{"enabled":true,"payment_method_id":"`+method+`","authorization":{"accepted_at":"2026-03-20T13:55:00Z","reference":"consent-8841"}}`)
	return method
}

// debits plays one debit that settles, one that is canceled, one that the bank rejects and
// one that is returned.
func (x *tale) debits(company, method string) string {
	order := x.does("", "shop", "POST", "/order", "", fmt.Sprintf(`{"company_id":%s,"merchant_order_id":"PO-7850","amount":600.00,"installments":3,"status":"AUTHORIZED"}`, company))["key"].(string)
	x.does("", "shop", "PATCH", "/v1/order/{key}", order, `{"status":"CAPTURED"}`)
	x.does("setOrderAutopay", "shop", "PATCH", "/v1/order/{key}/autopay", order, `{"enabled":false}`)
	debit := func(amount, more string) string {
		return x.does("", "shop", "POST", "/payment", "", fmt.Sprintf(`{"order_key":%q,"amount":%s,"method":"ACH","payment_method_id":%q%s}`, order, amount, method, more))["id"].(string)
	}
	x.does("cancelPayment", "shop", "POST", "/v1/payment/{id}/cancel", debit("25.00", `,"scheduled_date":"2026-04-10"`), "")
	settled, rejected, twice := debit("100.00", ""), debit("40.00", ""), debit("15.00", "")
	x.does("sendSameDay", "ops", "POST", "/v1/operator/transfers/{id}/same_day", x.transferOf(settled), `{"reason":"promised to the buyer"}`)
	x.play(calendar.MustParse("2026-03-20"), 17, 0)
	x.submit(payments.RejectTransfer{Transfer: x.transferOf(rejected), Code: "R09"})
	x.play(calendar.MustParse("2026-03-24"), 10, 0)
	x.does("reversePayment", "ops", "POST", "/v1/operator/payments/{id}/reverse", twice, `{"reason":"DUPLICATE","note":"sent twice on 20 March"}`)
	x.submit(payments.ReturnTransfer{Transfer: x.transferOf(settled), Code: "R01"})
	x.does("listTransfers", "ops", "GET", "/v1/operator/transfers", "", "", "payment_id="+settled)
	return order
}

// transferOf returns the transfer of a payment, as the lender sees it.
func (x *tale) transferOf(payment string) string {
	list := x.does("", "ops", "GET", "/v1/operator/transfers", "", "", "payment_id="+payment)["data"].([]any)
	return list[0].(map[string]any)["id"].(string)
}

// paidOut pays the merchant. The second payout cannot be delivered, and a refund of an
// amount already paid out is owed back.
func (x *tale) paidOut(merchant, order, account string) {
	x.does("releasePayouts", "ops", "POST", "/v1/operator/merchants/{id}/payouts/release", merchant, "")
	pay := func() *credit.Payout { return x.submit(merchants.PayMerchant{Merchant: merchant}).(*credit.Payout) }
	first := pay()
	x.play(calendar.MustParse("2026-03-26"), 10, 0)
	x.does("getPayout", "shop", "GET", "/v1/payouts/{id}", first.ID, "")
	x.does("listPayouts", "shop", "GET", "/v1/payouts", "", "", "status=SETTLED")
	x.does("exportPayouts", "shop", "GET", "/v1/payouts/export", "", "")
	x.does("", "shop", "PATCH", "/v1/order/{key}/refund", order, `{"amount":60.00,"reference":"RMA-90"}`)
	x.does("payClawback", "ops", "POST", "/v1/operator/merchants/{id}/clawback_payments", merchant, `{"amount":8.20,"reference":"wire 2251"}`)
	x.submit(payments.ReturnTransfer{Transfer: first.Transfer, Code: "R02"})
	x.does("", "ops", "PUT", "/v1/operator/merchants/{id}/bank_account", merchant, account)
}

// backOffice plays what the lender does with a troubled order and with credit.
func (x *tale) backOffice(company, order, method string) {
	fee := ""
	for _, f := range x.loan(order).Fees {
		fee = f.ID
	}
	const path = "/v1/operator/orders/{key}"
	rows := x.loan(order).Rows
	last := rows[len(rows)-1]
	x.does("reviseSchedule", "ops", "POST", path+"/schedule", order,
		fmt.Sprintf(`{"installment":%d,"due_date":%q,"reason":"flood at the buyer's"}`, last.Number, last.DueDate.AddDays(10)))
	x.does("holdOrder", "ops", "POST", path+"/hold", order, `{"days":30,"reason":"goods disputed"}`)
	x.does("waiveFee", "ops", "POST", path+"/fees/{fee_id}/waive", order+"/"+fee, `{"reason":"bank's mistake"}`)
	wire := x.does("", "ops", "POST", "/payment", "", fmt.Sprintf(`{"order_key":%q,"amount":700.00,"method":"WIRE","reference":"wire 88"}`, order))["id"].(string)
	x.receipts(company)
	x.does("requestCredit", "shop", "POST", "/v1/companies/{company_id}/credit_requests", company, "")
	x.does("listCompanyCredits", "shop", "GET", "/v1/companies/{company_id}/credits", company, "")
	back := x.does("", "ops", "POST", "/payment/{id}/refund", wire, `{"amount":10.00,"reason":"paid twice"}`)["refunds"].([]any)[0].(map[string]any)["id"].(string)
	x.does("listOwedRefunds", "ops", "GET", "/v1/operator/refunds", "", "")
	x.does("payRefund", "ops", "POST", "/v1/operator/payments/{id}/refunds/{refund_id}/pay", wire+"/"+back, `{"method":"CHECK","reference":"check 1042"}`)
	x.does("resumeCollection", "ops", "POST", path+"/resume", order, "")
	x.does("sendCredit", "ops", "POST", "/v1/companies/{company_id}/credit_refunds", company, `{"amount":25.00,"payment_method_id":"`+method+`"}`) // a wire names no account to return it to
	x.does("", "ops", "POST", "/v1/operator/companies/{company_id}/line", company, `{"limit":20000.00,"reasons":["credit_score","annual_revenue"]}`)
	notice := x.does("listNotices", "ops", "GET", "/v1/operator/notices", "", "")["data"].([]any)[0].(map[string]any)["id"].(string)
	x.does("updateLender", "ops", "PATCH", "/v1/operator/lender", "", `{"creditor":{"name":"Harbor Credit","address":"1 Market Street, Albany, NY 12207"},"regulator":{"name":"Federal Trade Commission","address":"Equal Credit Opportunity, Washington, DC 20580"}}`)
	x.does("getNotice", "ops", "GET", "/v1/operator/notices/{id}", notice, "")
	x.does("sendNotice", "ops", "POST", "/v1/operator/notices/{id}/sent", notice, `{"channel":"MAIL","evidence":"tracking 9400 1000 0000"}`)
	x.does("requestReasons", "ops", "POST", "/v1/operator/notices/{id}/reasons", notice, fmt.Sprintf(`{"received_on":%q}`, x.zone.Date(x.day)))
	late := x.does("", "shop", "GET", "/v1/orders", "", "", "merchant_order_id=PO-7790-A")["data"].([]any)
	lost := late[0].(map[string]any)["key"].(string)
	x.does("chargeOffOrder", "ops", "POST", path+"/charge_off", lost, `{"reason":"out of business"}`)
	x.does("reportCompany", "ops", "POST", "/v1/operator/companies/{company_id}/reports", company, `{"kind":"BANKRUPTCY","on":"2026-01-05","reason":"chapter 7, case 26-10442"}`)
	x.does("withdrawReport", "ops", "POST", "/v1/operator/companies/{company_id}/reports/withdraw", company, `{"kind":"BANKRUPTCY","reason":"the case was dismissed"}`)
	x.does("reverseChargeOff", "ops", "POST", path+"/charge_off/reverse", lost, `{"reason":"another company was meant"}`)
}

// receipts plays money that nobody can identify: one receipt turns out to be the company's,
// the other is returned.
func (x *tale) receipts(company string) {
	const path = "/v1/operator/receipts"
	found := x.does("recordReceipt", "ops", "POST", path, "", `{"amount":10.00,"method":"WIRE","received_date":"2026-03-23","reference":"wire 2302","note":"sender unknown, the bank was asked"}`)["id"].(string)
	lost := x.does("", "ops", "POST", path, "", `{"amount":80.00,"method":"CHECK"}`)["id"].(string)
	x.does("listReceipts", "ops", "GET", path, "", "", "status=OPEN")
	x.does("identifyReceipt", "ops", "POST", path+"/{id}/identify", found, `{"company_id":`+company+`,"memo":"the bank has named the sender"}`)
	x.does("getReceipt", "ops", "GET", path+"/{id}", found, "")
	x.does("returnReceipt", "ops", "POST", path+"/{id}/return", lost, `{"reference":"wire 3102"}`)
}

// books reads and closes what has been posted.
func (x *tale) books(company, funded string) {
	x.does("updateLender", "ops", "PATCH", "/v1/operator/lender", "", `{"provision_rates":{"DPD_30_59":"0.050000","DPD_90_119":"0.500000"},"creditor":{"name":"Harbor Credit LLC","address":"1 Pier Rd, Boston, MA 02110"},"contact":"help@harborcredit.example","regulator":{"name":"Federal Trade Commission","address":"Equal Credit Opportunity, Washington, DC 20580"}}`)
	x.does("getLender", "ops", "GET", "/v1/operator/lender", "", "")
	number, _ := strconv.ParseInt(company, 10, 64)
	var found [2]string
	for i, entry := range []string{"T-1001", "T-1005"} {
		found[i] = x.submit(compliance.RecordScreening{Company: number, List: "test-2026-01", Names: []string{"Alder Kitchens LLC"}, Matches: []credit.Match{{Entry: entry, Name: "ALDERN KITCHEN", Score: 91}}}).(*credit.Screening).ID
		if i == 0 {
			x.does("listAlarms", "ops", "GET", "/v1/operator/alarms", "", "")
			x.does("listScreenings", "ops", "GET", "/v1/operator/screenings", "", "", "status=OPEN")
			x.does("getScreening", "ops", "GET", "/v1/operator/screenings/{id}", found[0], "")
			x.does("clearScreening", "ops", "POST", "/v1/operator/screenings/{id}/clear", found[0], `{"reason":"another address"}`)
		}
	}
	x.does("confirmScreening", "ops", "POST", "/v1/operator/screenings/{id}/confirm", found[1], `{"reason":"same identifier"}`)
	x.does("unfreezeCompany", "ops", "POST", "/v1/operator/companies/{company_id}/unfreeze", company, `{"reason":"looked into"}`)
	x.does("listAudit", "ops", "GET", "/v1/operator/audit", "", "", "command=company.unfreeze")
	x.does("getTrialBalance", "ops", "GET", "/v1/operator/ledger/trial_balance", "", "", "as_of=2026-01-31")
	x.does("exportEntries", "ops", "GET", "/v1/operator/ledger/entries", "", "", "from=2026-01-15&to=2026-01-15")
	x.does("getBalances", "ops", "GET", "/v1/operator/ledger/balances", "", "", "company_id="+company)
	x.does("closePeriod", "ops", "POST", "/v1/operator/ledger/periods", "", `{"month":"2026-01"}`)
	x.does("listPeriods", "ops", "GET", "/v1/operator/ledger/periods", "", "")
	x.does("putBankLines", "ops", "POST", "/v1/operator/bank_lines", "", `{"lines":[{"id":"20260320-1","date":"2026-03-20","amount":-35.00,"reference":"WIRE FEES"},{"id":"20260323-1","date":"2026-03-23","amount":-12.50,"reference":"FEES"}]}`)
	x.does("assignBankLine", "ops", "POST", "/v1/operator/bank_lines/{id}/assign", "20260323-1", `{"owner":"ann","note":"asked the bank"}`)
	x.does("assignEntry", "ops", "POST", "/v1/operator/ledger/entries/{id}/assign", funded, `{"owner":"ann"}`)
	x.does("", "ops", "POST", "/v1/operator/bank_lines", "", `{"lines":[{"id":"20260320-2","date":"2026-03-20","amount":60000.00,"reference":"DEPOSIT"},{"id":"20260320-3","date":"2026-03-20","amount":40000.00,"reference":"DEPOSIT"}]}`)
	match := x.does("createBankMatch", "ops", "POST", "/v1/operator/bank_matches", "", `{"line_ids":["20260320-2","20260320-3"],"entry_ids":["`+funded+`"],"note":"two deposits"}`)["id"].(string)
	x.does("listBankMatches", "ops", "GET", "/v1/operator/bank_matches", "", "")
	x.does("getBankReconciliation", "ops", "GET", "/v1/operator/bank_reconciliation", "", "")
	x.does("undoBankMatch", "ops", "POST", "/v1/operator/bank_matches/{id}/undo", match, "")
	x.does("listBankLines", "ops", "GET", "/v1/operator/bank_lines", "", "", "open=true")
	word := x.bankNotice("returns-0320.ach/5f1c9e02a7d3-1.1")
	x.does("listBankNotices", "ops", "GET", "/v1/operator/bank_notices", "", "", "waiting=true")
	x.does("getBankNotice", "ops", "GET", "/v1/operator/bank_notices/{id}", word, "")
	x.does("reviewBankNotice", "ops", "POST", "/v1/operator/bank_notices/{id}/review", word, `{"note":"Not ours: the bank takes it back."}`)
	x.does("listStatements", "ops", "GET", "/v1/companies/{company_id}/statements", company, "")
	x.does("getStatement", "ops", "GET", "/v1/companies/{company_id}/statements/{month}", company+"/2026-01", "")
}
