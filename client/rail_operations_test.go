package client

import (
	"context"
	"testing"
	"time"
)

// The methods of accounts, payouts, the back office and a sandbox.
func TestEveryOperationOfMoney(t *testing.T) {
	ctx := context.Background()
	accepted := time.Date(2026, 1, 9, 15, 0, 0, 0, time.UTC)
	const company, consent = "1000000001", `"authorization":{"channel":"WEB","accepted_at":"2026-01-09T15:00:00Z"}`
	sends(t, []operation{
		{"POST /v1/companies/1000000001/payment_methods", `{"type":"ACH","routing_number":"021000021","account_number":"123456789",` + consent + `,"verify":true}`, func(c *Client) error {
			_, err := c.AddPaymentMethod(ctx, company, PaymentMethodRequest{
				Type: "ACH", RoutingNumber: "021000021", AccountNumber: "123456789", Verify: true, Authorization: Authorization{Channel: "WEB", AcceptedAt: accepted},
			})
			return err
		}},
		{"POST /v1/companies/1000000001/payment_methods", `{"type":"CARD","card":{"token":"t","mandate":"m","last4":"4242","exp_month":1,"exp_year":2030,"debit":true},` + consent + `}`, func(c *Client) error {
			_, err := c.AddPaymentMethod(ctx, company, PaymentMethodRequest{
				Type: "CARD", Card: &CardToken{Token: "t", Mandate: "m", Last4: "4242", ExpMonth: 1, ExpYear: 2030, Debit: true},
				Authorization: Authorization{Channel: "WEB", AcceptedAt: accepted},
			})
			return err
		}},
		{"GET /v1/companies/1000000001/payment_methods?limit=2", "", func(c *Client) error {
			_, err := c.ListPaymentMethods(ctx, company, Paging{Limit: 2})
			return err
		}},
		{"GET /v1/companies/1000000001/payment_methods/pm_1", "", func(c *Client) error { _, err := c.PaymentMethod(ctx, company, "pm_1"); return err }},
		{"DELETE /v1/companies/1000000001/payment_methods/pm_1", "", func(c *Client) error { return c.RemovePaymentMethod(ctx, company, "pm_1") }},
		{"POST /v1/companies/1000000001/payment_methods/pm_1/verify", `{"amounts":[0.32,0.45]}`, func(c *Client) error {
			_, err := c.VerifyPaymentMethod(ctx, company, "pm_1", [2]Amount{"0.32", "0.45"})
			return err
		}},
		{"PATCH /v1/companies/1000000001/autopay", `{"enabled":true,"payment_method_id":"pm_1"}`, func(c *Client) error {
			_, err := c.SetAutopay(ctx, company, AutopayChange{Enabled: new(true), PaymentMethodID: new("pm_1")})
			return err
		}},
		{"PATCH /v1/companies/1000000001/autopay", `{"apply_credit_to_due":false}`, func(c *Client) error {
			_, err := c.SetAutopay(ctx, company, AutopayChange{ApplyCredit: new(false)})
			return err
		}},
		{"PATCH /v1/order/ord_1/autopay", `{"enabled":false}`, func(c *Client) error { _, err := c.SetOrderAutopay(ctx, "ord_1", false); return err }},
		{"POST /v1/companies/1000000001/credit_refunds", `{"amount":12.50}`, func(c *Client) error {
			_, err := c.SendCredit(ctx, company, CreditRefund{Amount: "12.50"})
			return err
		}},
		{"POST /v1/companies/1000000001/credit_requests", `{}`, func(c *Client) error { _, err := c.RequestCredit(ctx, company); return err }},
		{"POST /v1/operator/orders/ord_1/resume", `{}`, func(c *Client) error { _, err := c.ResumeCollection(ctx, "ord_1", CorrectedEntry{}); return err }},
		{"POST /v1/operator/orders/ord_1/resume", `{"amount":150.00,"scheduled_date":"2026-03-24"}`, func(c *Client) error {
			_, err := c.ResumeCollection(ctx, "ord_1", CorrectedEntry{Amount: "150.00", ScheduledDate: "2026-03-24"})
			return err
		}},
		{"GET /v1/operator/refunds?limit=2", "", func(c *Client) error { _, err := c.ListOwedRefunds(ctx, Paging{Limit: 2}); return err }},
		{"POST /v1/operator/payments/pay_1/refunds/rfd_1/pay", `{"method":"CHECK","reference":"1042"}`, func(c *Client) error {
			_, err := c.PayRefund(ctx, "pay_1", "rfd_1", RefundPayout{Method: "CHECK", Reference: "1042"})
			return err
		}},
		{"GET /v1/payouts?status=SENT", "", func(c *Client) error {
			_, err := c.ListPayouts(ctx, PayoutFilter{Status: "SENT"}, Paging{})
			return err
		}},
		{"GET /v1/payouts/po_1", "", func(c *Client) error { _, err := c.Payout(ctx, "po_1"); return err }},
		{"PUT /v1/operator/merchants/mch_1/bank_account", `{"routing_number":"021000021","account_number":"1234","holder_name":"Harbor","debits":false}`, func(c *Client) error {
			_, err := c.SetMerchantAccount(ctx, "mch_1", MerchantAccountRequest{RoutingNumber: "021000021", AccountNumber: "1234", HolderName: "Harbor"})
			return err
		}},
		{"PUT /v1/operator/merchants/mch_1/limits", `{"exposure":80000.00,"reason":"audited"}`, func(c *Client) error {
			_, err := c.SetMerchantLimits(ctx, "mch_1", MerchantLimitsRequest{Exposure: "80000.00", Reason: "audited"})
			return err
		}},
		{"PUT /v1/operator/merchants/mch_1/shop", `{"accent_color":"#0b5cad","logo":"AQI=","origins":[],"reason":"looks","support_phone":null}`, func(c *Client) error {
			none, color := "", "#0b5cad"
			_, err := c.SetMerchantShop(ctx, "mch_1", MerchantShopRequest{SupportPhone: &none, AccentColor: &color, Logo: []byte{1, 2}, Reason: "looks"})
			return err
		}},
		{"PUT /v1/operator/merchants/mch_1/shop", `{"origins":["https://shop.example"],"reason":"new shop"}`, func(c *Client) error {
			_, err := c.SetMerchantShop(ctx, "mch_1", MerchantShopRequest{Origins: []string{"https://shop.example"}, Reason: "new shop"})
			return err
		}},
		{"POST /v1/operator/merchants/mch_1/payouts/hold", `{"reason":"review"}`, func(c *Client) error { _, err := c.HoldPayouts(ctx, "mch_1", "review"); return err }},
		{"POST /v1/operator/merchants/mch_1/payouts/release", `{}`, func(c *Client) error { _, err := c.ReleasePayouts(ctx, "mch_1"); return err }},
		{"POST /v1/operator/merchants/mch_1/remittances", `{"amount":5.00,"reference":"wire 1"}`, func(c *Client) error {
			_, err := c.RemitCollected(ctx, "mch_1", "5.00", "wire 1")
			return err
		}},
		{"POST /v1/operator/orders/ord_1/hold", `{"days":30,"reason":"disputed"}`, func(c *Client) error { _, err := c.HoldOrder(ctx, "ord_1", 30, "disputed"); return err }},
		{"POST /v1/operator/orders/ord_1/schedule", `{"installment":3,"due_date":"2026-04-30","reason":"flood"}`, func(c *Client) error {
			_, err := c.RescheduleOrder(ctx, "ord_1", 3, "2026-04-30", "flood")
			return err
		}},
		{"POST /v1/operator/orders/ord_1/schedule", `{"reamortize":true,"reason":"hardship"}`, func(c *Client) error { _, err := c.ReamortizeOrder(ctx, "ord_1", "hardship"); return err }},
		{"POST /v1/operator/orders/ord_1/charge_off", `{"reason":"lost"}`, func(c *Client) error { _, err := c.ChargeOffOrder(ctx, "ord_1", "lost"); return err }},
		{"POST /v1/operator/orders/ord_1/charge_off/reverse", `{"reason":"error"}`, func(c *Client) error { _, err := c.ReverseChargeOff(ctx, "ord_1", "error"); return err }},
		{"POST /v1/operator/orders/ord_1/fees/fee_1/waive", `{"reason":"goodwill"}`, func(c *Client) error { _, err := c.WaiveFee(ctx, "ord_1", "fee_1", "goodwill"); return err }},
		{"POST /v1/operator/transfers/trf_1/same_day", `{"reason":"promised"}`, func(c *Client) error { _, err := c.SendSameDay(ctx, "trf_1", "promised"); return err }},
		{"GET /v1/operator/transfers?company_id=1000000001&rail=ACH&status=SENT", "", func(c *Client) error {
			_, err := c.ListTransfers(ctx, TransferFilter{CompanyID: 1000000001, Rail: "ACH", Status: "SENT"}, Paging{})
			return err
		}},
		{"GET /v1/operator/notices", "", func(c *Client) error { _, err := c.ListNotices(ctx, NoticeFilter{}, Paging{}); return err }},
		{"GET /v1/operator/notices?company_id=1000000001&state=overdue", "", func(c *Client) error {
			_, err := c.ListNotices(ctx, NoticeFilter{CompanyID: 1000000001, State: "overdue"}, Paging{})
			return err
		}},
		{"GET /v1/operator/notices/ntc_1", "", func(c *Client) error { _, err := c.Notice(ctx, "ntc_1"); return err }},
		{"POST /v1/operator/notices/ntc_1/sent", `{"channel":"MAIL","evidence":"tracking"}`, func(c *Client) error { _, err := c.SendNotice(ctx, "ntc_1", "MAIL", "tracking"); return err }},
		{"POST /v1/operator/notices/ntc_1/reasons", `{"received_on":"2026-03-20","reasons":["credit_score"]}`, func(c *Client) error {
			_, err := c.RequestReasons(ctx, "ntc_1", "2026-03-20", []string{"credit_score"})
			return err
		}},
		{"POST /v1/operator/ledger/funding", `{"amount":100.00,"direction":"IN","reference":"first"}`, func(c *Client) error { _, err := c.MoveFunding(ctx, "100.00", "IN", "first"); return err }},
		{"GET /v1/operator/ledger/trial_balance?as_of=2026-01-31", "", func(c *Client) error { _, err := c.TrialBalance(ctx, "2026-01-31"); return err }},
		{"GET /v1/operator/ledger/entries?from=2026-01-01&to=2026-01-31", "", func(c *Client) error { _, err := c.Entries(ctx, "2026-01-01", "2026-01-31"); return err }},
		{"POST /v1/operator/ledger/periods", `{"month":"2026-01"}`, func(c *Client) error { _, err := c.ClosePeriod(ctx, "2026-01"); return err }},
		{"GET /v1/operator/ledger/periods", "", func(c *Client) error { _, err := c.ListPeriods(ctx, Paging{}); return err }},
		{"POST /v1/operator/bank_lines", `{"lines":[{"id":"l-1","date":"2026-01-09","amount":-12.50}]}`, func(c *Client) error {
			_, err := c.PutBankLines(ctx, []BankLineRequest{{ID: "l-1", Date: "2026-01-09", Amount: "-12.50"}})
			return err
		}},
		{"GET /v1/operator/bank_lines?open=true", "", func(c *Client) error { _, err := c.ListBankLines(ctx, true, Paging{}); return err }},
		{"POST /v1/operator/bank_lines/l-1/assign", `{"owner":"ann","note":"asked"}`, func(c *Client) error { return c.AssignBankLine(ctx, "l-1", "ann", "asked") }},
		{"POST /v1/operator/ledger/entries/ent_1/assign", `{"owner":"ann"}`, func(c *Client) error { return c.AssignEntry(ctx, "ent_1", "ann", "") }},
		{"POST /v1/operator/bank_matches", `{"line_ids":["l-1"],"entry_ids":["ent_1"]}`, func(c *Client) error {
			_, err := c.CreateBankMatch(ctx, BankMatchRequest{LineIDs: []string{"l-1"}, EntryIDs: []string{"ent_1"}})
			return err
		}},
		{"GET /v1/operator/bank_matches", "", func(c *Client) error { _, err := c.ListBankMatches(ctx, Paging{}); return err }},
		{"POST /v1/operator/bank_matches/mtc_1/undo", "", func(c *Client) error { _, err := c.UndoBankMatch(ctx, "mtc_1"); return err }},
		{"GET /v1/operator/bank_notices?limit=2&waiting=true", "", func(c *Client) error {
			_, err := c.ListBankNotices(ctx, BankNoticeFilter{Waiting: true}, Paging{Limit: 2})
			return err
		}},
		{"GET /v1/operator/bank_notices/bkn_1", "", func(c *Client) error { _, err := c.BankNotice(ctx, "bkn_1"); return err }},
		{"POST /v1/operator/bank_notices/bkn_1/review", `{"note":"not ours"}`, func(c *Client) error { _, err := c.ReviewBankNotice(ctx, "bkn_1", "not ours"); return err }},
		{"GET /v1/operator/bank_reconciliation?as_of=2026-02-27", "", func(c *Client) error { _, err := c.BankReconciliation(ctx, "2026-02-27"); return err }},
		{"GET /v1/companies/1000000001/statements/2026-01", "", func(c *Client) error { _, err := c.Statement(ctx, company, "2026-01"); return err }},
		{"GET /v1/sandbox/clock", "", func(c *Client) error { _, err := c.BusinessClock(ctx); return err }},
		{"POST /v1/sandbox/clock/advance", `{"duration":"72h0m0s"}`, func(c *Client) error { _, err := c.AdvanceClock(ctx, Advance{Duration: 72 * time.Hour}); return err }},
		{"POST /v1/sandbox/clock/advance", `{"until":"next_event"}`, func(c *Client) error { _, err := c.AdvanceClock(ctx, Advance{Next: true}); return err }},
		{"POST /v1/sandbox/clock/advance", `{"to":"2026-01-09T15:00:00Z"}`, func(c *Client) error { _, err := c.AdvanceClock(ctx, Advance{To: accepted}); return err }},
		{"POST /v1/sandbox/clock/advance", `{"until":"payment.succeeded"}`, func(c *Client) error {
			_, err := c.AdvanceClock(ctx, Advance{Until: "payment.succeeded"})
			return err
		}},
		{"POST /v1/sandbox/clock/advance", `{"after":"evt_1","until":"payment.succeeded"}`, func(c *Client) error {
			_, err := c.AdvanceClock(ctx, Advance{Until: "payment.succeeded", After: "evt_1"})
			return err
		}},
		{"POST /v1/sandbox/bank/notice", `{"company_id":1000000001,"change_code":"C01"}`, func(c *Client) error { return c.SendBankNotice(ctx, 1000000001, "C01") }},
		{"POST /v1/sandbox/snapshots", `{}`, func(c *Client) error { _, err := c.MakeSnapshot(ctx, ""); return err }},
		{"POST /v1/sandbox/snapshots", `{"name":"before"}`, func(c *Client) error { _, err := c.MakeSnapshot(ctx, "before"); return err }},
		{"GET /v1/sandbox/snapshots", "", func(c *Client) error { _, err := c.ListSnapshots(ctx); return err }},
		{"POST /v1/sandbox/snapshots/snp_1/restore", "", func(c *Client) error { _, err := c.RestoreSnapshot(ctx, "snp_1"); return err }},
		{"POST /v1/sandbox/reset", `{"seed":true,"history":true}`, func(c *Client) error {
			_, err := c.ResetSandbox(ctx, SandboxReset{Seed: true, History: true})
			return err
		}},
		{"POST /v1/sandbox/seed", `{"history":true}`, func(c *Client) error { _, err := c.SeedSandbox(ctx, true); return err }},
		{"GET /v1/sandbox/mail?kind=INVOICE&limit=2", "", func(c *Client) error {
			_, err := c.ListSandboxMail(ctx, "INVOICE", Paging{Limit: 2})
			return err
		}},
		{"GET /v1/sandbox/mail/mail_1", "", func(c *Client) error { _, err := c.SandboxMail(ctx, "mail_1"); return err }},
		{"GET /v1/companies/1000000001/statements?limit=2", "", func(c *Client) error { _, err := c.ListStatements(ctx, company, Paging{Limit: 2}); return err }},
		{"POST /v1/companies/1000000001/payment_methods/pm_1/authorization", `{"channel":"WEB","accepted_at":"2026-01-09T15:00:00Z"}`, func(c *Client) error {
			_, err := c.AuthorizePaymentMethod(ctx, company, "pm_1", Authorization{Channel: "WEB", AcceptedAt: accepted})
			return err
		}},
		{"POST /v1/sandbox/clock/freeze", `{}`, func(c *Client) error { _, err := c.FreezeClock(ctx); return err }},
		{"POST /v1/sandbox/clock/resume", `{}`, func(c *Client) error { _, err := c.ResumeClock(ctx); return err }},
		{"POST /v1/sandbox/bank/fail-next", `{"return_code":"R01"}`, func(c *Client) error { return c.FailNextDebit(ctx, "R01", 0) }},
		{"POST /v1/sandbox/bank/return", `{"payment_id":"pay_1","return_code":"R01"}`, func(c *Client) error { return c.ReturnDebit(ctx, "pay_1", "R01") }},
		{"POST /v1/sandbox/bank/settle", `{}`, func(c *Client) error { _, err := c.SettleDebits(ctx); return err }},
		{"POST /v1/sandbox/companies", `{"preset":"approved"}`, func(c *Client) error { _, err := c.MakeSandboxCompany(ctx, "approved"); return err }},
	})
}

// The methods for what waits for a person of the lender, and for its own settings.
func TestEveryOperationOfTheLender(t *testing.T) {
	ctx := context.Background()
	sends(t, []operation{
		{"GET /v1/operator/lender", "", func(c *Client) error { _, err := c.Lender(ctx); return err }},
		{"PATCH /v1/operator/lender", `{"contact":"help","creditor":{"name":"Harbor Credit","address":"1 Pier Rd"},"provision_rates":{"DPD_30_59":"0.05","DPD_90_119":null}}`, func(c *Client) error {
			_, err := c.UpdateLender(ctx, LenderChange{
				ProvisionRates: map[string]*string{"DPD_30_59": new("0.05"), "DPD_90_119": nil}, Creditor: &Party{"Harbor Credit", "1 Pier Rd"}, Contact: new("help"),
			})
			return err
		}},
		{"PATCH /v1/operator/lender", `{"contact":null,"creditor":null,"regulator":null}`, func(c *Client) error {
			_, err := c.UpdateLender(ctx, LenderChange{Creditor: &Party{}, Contact: new(""), Regulator: &Party{}})
			return err
		}},
		{"PATCH /v1/operator/lender", `{"cooling_off_days":3,"reason":"asked for by audit","retention":{"application_months":36,"owner_months":84},"verify_accounts":"never"}`, func(c *Client) error {
			_, err := c.UpdateLender(ctx, LenderChange{VerifyAccounts: "never", CoolingOffDays: 3, Retention: Retention{ApplicationMonths: 36, OwnerMonths: 84}, Reason: "asked for by audit"})
			return err
		}},
		{"GET /v1/operator/alarms", "", func(c *Client) error { _, err := c.ListAlarms(ctx, ""); return err }},
		{"GET /v1/operator/alarms?kind=screening_open", "", func(c *Client) error { _, err := c.ListAlarms(ctx, "screening_open"); return err }},
		{"GET /v1/operator/screenings?company_id=1000000001&limit=2&status=OPEN", "", func(c *Client) error {
			_, err := c.ListScreenings(ctx, ScreeningFilter{CompanyID: 1000000001, Status: "OPEN"}, Paging{Limit: 2})
			return err
		}},
		{"GET /v1/operator/audit?client_id=cli_1&command=client.roll&company_id=1000000001&from=2026-01-15T00%3A00%3A00Z&limit=2&merchant_id=mch_1&object=cli_2&request_id=req_1&to=2026-01-16T00%3A00%3A00Z", "", func(c *Client) error {
			_, err := c.ListAudit(ctx, AuditFilter{
				ClientID: "cli_1", MerchantID: "mch_1", Object: "cli_2", Command: "client.roll", RequestID: "req_1", CompanyID: 1000000001,
				From: time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 1, 16, 0, 0, 0, 0, time.UTC),
			}, Paging{Limit: 2})
			return err
		}},
		{"GET /v1/operator/screenings/scr_1", "", func(c *Client) error { _, err := c.Screening(ctx, "scr_1"); return err }},
		{"POST /v1/operator/screenings/scr_1/confirm", `{"reason":"same"}`, func(c *Client) error { _, err := c.ConfirmScreening(ctx, "scr_1", "same"); return err }},
		{"POST /v1/operator/screenings/scr_1/clear", `{"reason":"another"}`, func(c *Client) error { _, err := c.ClearScreening(ctx, "scr_1", "another"); return err }},
		{"POST /v1/operator/merchants/mch_1/clawback_payments", `{"amount":5.00,"reference":"wire 1"}`, func(c *Client) error {
			_, err := c.PayClawback(ctx, "mch_1", "5.00", "wire 1")
			return err
		}},
		{"GET /v1/operator/receipts?limit=2&status=OPEN", "", func(c *Client) error { _, err := c.ListReceipts(ctx, "OPEN", Paging{Limit: 2}); return err }},
		{"GET /v1/operator/receipts/rcp_1", "", func(c *Client) error { _, err := c.Receipt(ctx, "rcp_1"); return err }},
		{"POST /v1/operator/receipts", `{"amount":5.00,"method":"WIRE","received_date":"2026-02-13","reference":"wire 1"}`, func(c *Client) error {
			_, err := c.RecordReceipt(ctx, ReceiptRequest{Amount: "5.00", Method: "WIRE", ReceivedDate: "2026-02-13", Reference: "wire 1"})
			return err
		}},
		{"POST /v1/operator/receipts/rcp_1/identify", `{"company_id":1000000001}`, func(c *Client) error {
			_, err := c.IdentifyReceipt(ctx, "rcp_1", Identification{CompanyID: 1000000001})
			return err
		}},
		{"POST /v1/operator/receipts/rcp_1/return", `{"reference":"wire 2"}`, func(c *Client) error { _, err := c.ReturnReceipt(ctx, "rcp_1", "wire 2"); return err }},
		{"POST /v1/operator/companies/1000000001/reports", `{"kind":"FRAUD","on":"2026-01-05","reason":"stolen"}`, func(c *Client) error {
			_, err := c.ReportCompany(ctx, "1000000001", "FRAUD", "2026-01-05", "stolen")
			return err
		}},
		{"POST /v1/operator/companies/1000000001/reports/withdraw", `{"kind":"FRAUD","reason":"cleared"}`, func(c *Client) error { _, err := c.WithdrawReport(ctx, "1000000001", "FRAUD", "cleared"); return err }},
		{"POST /v1/operator/companies/1000000001/unfreeze", `{"reason":"lifted"}`, func(c *Client) error { _, err := c.UnfreezeCompany(ctx, "1000000001", "lifted"); return err }},
		{"GET /v1/companies/1000000001/credits?limit=3", "", func(c *Client) error {
			_, err := c.ListCompanyCredits(ctx, "1000000001", Paging{Limit: 3})
			return err
		}},
	})
}
