package client

import (
	"context"
	"strings"
	"testing"
	"time"
)

// Every method, and the request that it must send: product, parts 4 to 7.
func TestEveryOperation(t *testing.T) {
	ctx := context.Background()
	sends(t, []operation{
		{"POST /order", `{"company_id":1000000001,"amount":1200.00,"installments":6,"status":"AUTHORIZED"}`, func(c *Client) error {
			_, err := c.CreateOrder(ctx, OrderRequest{CompanyID: 1000000001, Amount: "1200.00", Installments: 6, Status: "AUTHORIZED"})
			return err
		}},
		{"GET /v1/order/ord_1", "", func(c *Client) error { _, err := c.Order(ctx, "ord_1"); return err }},
		{"PATCH /v1/order/ord_1", `{"amount":99.50,"metadata":null}`, func(c *Client) error {
			_, err := c.UpdateOrder(ctx, "ord_1", OrderChange{Amount: "99.50", Clear: []string{"metadata"}})
			return err
		}},
		{"PATCH /v1/order/ord_1", `{"status":"AUTHORIZED"}`, func(c *Client) error { _, err := c.AuthorizeOrder(ctx, "ord_1"); return err }},
		{"PATCH /v1/order/ord_1", `{"amount":5,"status":"CAPTURED"}`, func(c *Client) error { _, err := c.CaptureOrder(ctx, "ord_1", "5"); return err }},
		{"PATCH /v1/order/ord_1", `{"status":"CANCELED"}`, func(c *Client) error { _, err := c.CancelOrder(ctx, "ord_1"); return err }},
		{"PATCH /v1/order/ord_1/refund", `{"amount":300.00,"reference":"RMA-1"}`, func(c *Client) error {
			_, err := c.RefundOrder(ctx, "ord_1", OrderRefund{Amount: "300.00", Reference: "RMA-1"})
			return err
		}},
		{"POST /v1/order/ord_1/extend", `{}`, func(c *Client) error { _, err := c.ExtendOrder(ctx, "ord_1"); return err }},
		{"POST /v1/order/ord_1/partial", `{"amount":10.00}`, func(c *Client) error {
			_, err := c.CapturePart(ctx, "ord_1", PartialCapture{Amount: "10.00"})
			return err
		}},
		{"POST /v1/order/ord_1/partial", `{"amount":10.00,"items":[{"merchant_id":"","name":"Shelf","price":10.00}]}`, func(c *Client) error {
			_, err := c.CapturePart(ctx, "ord_1", PartialCapture{Amount: "10.00", Items: []CartItem{{Name: "Shelf", Price: "10.00"}}})
			return err
		}},
		{"GET /v1/order/ord_1/payoff?date=2026-04-01", "", func(c *Client) error { _, err := c.Payoff(ctx, "ord_1", "2026-04-01"); return err }},
		{"GET /v1/order/ord_1/ledger", "", func(c *Client) error { _, err := c.OrderLedger(ctx, "ord_1", Paging{}); return err }},
		{"GET /v1/order/ord_1/events?cursor=abc&limit=5", "", func(c *Client) error {
			_, err := c.OrderEvents(ctx, "ord_1", Paging{Limit: 5, Cursor: "abc"})
			return err
		}},
		{"GET /v1/orders?company_id=1000000001&created_from=2026-01-01&status=CAPTURED&updated_since=2026-01-02T03%3A04%3A05Z", "", func(c *Client) error {
			_, err := c.ListOrders(ctx, OrderFilter{CompanyID: 1000000001, Status: "CAPTURED", CreatedFrom: "2026-01-01", UpdatedSince: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, Paging{})
			return err
		}},
		{"POST /payment", `{"amount":207.06,"method":"WIRE","order_key":"ord_1"}`, func(c *Client) error {
			_, err := c.CreatePayment(ctx, PaymentRequest{Amount: "207.06", Method: "WIRE", OrderKey: "ord_1"})
			return err
		}},
		{"GET /payment/pay_1", "", func(c *Client) error { _, err := c.Payment(ctx, "pay_1"); return err }},
		{"GET /payments?from=2026-01-01&method=ACH&order_key=ord_1&to=2026-01-31", "", func(c *Client) error {
			_, err := c.ListPayments(ctx, PaymentFilter{OrderKey: "ord_1", Method: "ACH", From: "2026-01-01", To: "2026-01-31"}, Paging{})
			return err
		}},
		{"GET /payments/schedule/ord_1", "", func(c *Client) error { _, err := c.Schedule(ctx, "ord_1"); return err }},
		{"POST /payment/pay_1/refund", `{"amount":50.00,"reason":"paid twice"}`, func(c *Client) error {
			_, err := c.RefundPayment(ctx, "pay_1", RefundRequest{Amount: "50.00", Reason: "paid twice"})
			return err
		}},
		{"POST /v1/payment/pay_1/cancel", `{}`, func(c *Client) error { _, err := c.CancelPayment(ctx, "pay_1"); return err }},
		{"GET /v2/companies/1000000001", "", func(c *Client) error { _, err := c.Company(ctx, "1000000001"); return err }},
		{"GET /v1/companies?limit=3", "", func(c *Client) error { _, err := c.ListCompanies(ctx, Paging{Limit: 3}); return err }},
		{"GET /v1/invoices?order_key=ord_1&status=OPEN", "", func(c *Client) error {
			_, err := c.ListInvoices(ctx, InvoiceFilter{OrderKey: "ord_1", Status: "OPEN"}, Paging{})
			return err
		}},
		{"GET /v1/invoices/inv_1", "", func(c *Client) error { _, err := c.Invoice(ctx, "inv_1"); return err }},
		{"POST /v1/operator/payments/pay_1/return", `{"code":"bounced"}`, func(c *Client) error {
			_, err := c.ReturnPayment(ctx, "pay_1", PaymentReturn{Code: "bounced"})
			return err
		}},
		{"POST /v1/operator/payments/pay_1/reverse", `{"reason":"DUPLICATE","note":"sent twice"}`, func(c *Client) error {
			_, err := c.ReversePayment(ctx, "pay_1", PaymentReversal{Reason: "DUPLICATE", Note: "sent twice"})
			return err
		}},
		{"POST /v1/operator/order/ord_1/service", `{}`, func(c *Client) error { _, err := c.ServiceOrder(ctx, "ord_1"); return err }},
		{"GET /v1/order/ord_1/explain", "", func(c *Client) error { _, err := c.Explain(ctx, "ord_1"); return err }},
		{"GET /v1/order/ord_1?as_of=2026-01-31", "", func(c *Client) error { _, err := c.Order(ctx, "ord_1", AsOfDate("2026-01-31")); return err }},
		{"GET /payments/schedule/ord_1?as_of=2026-01-02T03%3A04%3A05Z", "", func(c *Client) error {
			_, err := c.Schedule(ctx, "ord_1", AsOf(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
			return err
		}},
		{"GET /v1/order/ord_1/payoff?date=2026-04-01&as_of=2026-03-01", "", func(c *Client) error {
			_, err := c.Payoff(ctx, "ord_1", "2026-04-01", AsOfDate("2026-03-01"))
			return err
		}},
		{"GET /v1/companies/1000000001/orders?limit=3&status=CAPTURED", "", func(c *Client) error {
			_, err := c.ListCompanyOrders(ctx, "1000000001", OrderFilter{CompanyID: 2, Status: "CAPTURED"}, Paging{Limit: 3})
			return err
		}},
		{"GET /v1/companies/1000000001/payments", "", func(c *Client) error {
			_, err := c.ListCompanyPayments(ctx, "1000000001", PaymentFilter{}, Paging{})
			return err
		}},
		{"GET /v1/companies/1000000001/invoices", "", func(c *Client) error {
			_, err := c.ListCompanyInvoices(ctx, "1000000001", InvoiceFilter{}, Paging{})
			return err
		}},
		{"GET /v1/companies/1000000001/events", "", func(c *Client) error { _, err := c.ListCompanyEvents(ctx, "1000000001", Paging{}); return err }},
		{"POST /v1/reconciliations?created_from=2026-01-01&created_to=2026-01-31", "merchant_order_id,amount,status\nPO-1,5.00,CAPTURED\n", func(c *Client) error {
			list := strings.NewReader("merchant_order_id,amount,status\nPO-1,5.00,CAPTURED\n")
			_, err := c.Reconcile(ctx, list, CSV, ReconciliationSpan{CreatedFrom: "2026-01-01", CreatedTo: "2026-01-31"})
			return err
		}},
		{"GET /v1/events?created_from=2026-01-05&cursor=c1&limit=100", "", func(c *Client) error {
			_, err := c.ListEvents(ctx, EventFilter{CreatedFrom: "2026-01-05"}, Paging{Limit: 100, Cursor: "c1"})
			return err
		}},
		{"GET /v1/events/evt_1", "", func(c *Client) error { _, err := c.Event(ctx, "evt_1"); return err }},
		{"POST /v1/webhooks", `{"url":"https://shop.example/hook","event_types":["order.captured"]}`, func(c *Client) error {
			_, err := c.CreateWebhook(ctx, WebhookRequest{URL: "https://shop.example/hook", EventTypes: []string{"order.captured"}})
			return err
		}},
		{"GET /v1/webhooks", "", func(c *Client) error { _, err := c.ListWebhooks(ctx, Paging{}); return err }},
		{"GET /v1/webhooks/whk_1", "", func(c *Client) error { _, err := c.Webhook(ctx, "whk_1"); return err }},
		{"PATCH /v1/webhooks/whk_1", `{"event_types":[],"enabled":false}`, func(c *Client) error {
			_, err := c.UpdateWebhook(ctx, "whk_1", WebhookChange{EventTypes: &[]string{}, Enabled: new(bool)})
			return err
		}},
		{"DELETE /v1/webhooks/whk_1", "", func(c *Client) error { return c.DeleteWebhook(ctx, "whk_1") }},
		{"POST /v1/webhooks/whk_1/rotate", `{}`, func(c *Client) error { _, err := c.RotateWebhook(ctx, "whk_1"); return err }},
		{"POST /v1/webhooks/whk_1/test", `{}`, func(c *Client) error { _, err := c.TestWebhook(ctx, "whk_1"); return err }},
		{"POST /v1/webhooks/whk_1/replay", `{"from":"2026-01-05T14:00:00Z","to":"2026-01-06T14:00:00Z"}`, func(c *Client) error {
			from := time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC)
			_, err := c.ReplayWebhook(ctx, "whk_1", from, from.Add(24*time.Hour))
			return err
		}},
		{"GET /v1/webhooks/whk_1/deliveries?event_id=evt_1&state=PARKED", "", func(c *Client) error {
			_, err := c.ListDeliveries(ctx, "whk_1", DeliveryFilter{State: "PARKED", EventID: "evt_1"}, Paging{})
			return err
		}},
		{"GET /v1/requests?client_id=cli_1&from=2026-01-05T14%3A00%3A00Z&idempotency_key=k&method=POST&operation=createOrder&request_id=req_1&status_class=4xx", "", func(c *Client) error {
			_, err := c.ListRequests(ctx, RequestFilter{
				ClientID: "cli_1", StatusClass: "4xx", Method: "POST", Operation: "createOrder", IdempotencyKey: "k", RequestID: "req_1",
				From: time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC),
			}, Paging{})
			return err
		}},
		{"GET /v1/requests/req_1", "", func(c *Client) error { _, err := c.LoggedRequest(ctx, "req_1"); return err }},
		{"GET /v1/deliveries/dlv_1", "", func(c *Client) error { _, err := c.Delivery(ctx, "dlv_1"); return err }},
		{"POST /v1/deliveries/dlv_1/redeliver", `{}`, func(c *Client) error { _, err := c.Redeliver(ctx, "dlv_1"); return err }},
		{"POST /v1/operator/merchants", `{"name":"Harbor Supply"}`, func(c *Client) error {
			_, err := c.CreateMerchant(ctx, MerchantRequest{Name: "Harbor Supply"})
			return err
		}},
		{"POST /v1/operator/merchants", `{"due_day":15,"name":"Harbor Supply"}`, func(c *Client) error {
			_, err := c.CreateMerchant(ctx, MerchantRequest{Name: "Harbor Supply", Settings: []byte(`{"due_day":15}`)})
			return err
		}},
		{"POST /v1/operator/merchants/mch_1/programmes", `{"due_day":15,"effective_from":"2026-07-01"}`, func(c *Client) error {
			_, err := c.AddProgramme(ctx, "mch_1", ProgrammeRequest{EffectiveFrom: "2026-07-01", Settings: []byte(`{"due_day":15}`)})
			return err
		}},
		{"GET /v1/operator/merchants", "", func(c *Client) error { _, err := c.ListMerchants(ctx, Paging{}); return err }},
		{"GET /v1/operator/merchants/mch_1", "", func(c *Client) error { _, err := c.Merchant(ctx, "mch_1"); return err }},
		{"GET /v1/operator/merchants/mch_1/programmes", "", func(c *Client) error { _, err := c.ListProgrammes(ctx, "mch_1", Paging{}); return err }},
		{"POST /v1/operator/companies", `{"name":"Alder Kitchens","limit":25000,"merchants":["mch_1"]}`, func(c *Client) error {
			_, err := c.CreateCompany(ctx, CompanyRequest{Name: "Alder Kitchens", Limit: "25000", Merchants: []string{"mch_1"}})
			return err
		}},
		{"PATCH /v1/operator/companies/1000000001", `{"phone":"+1 212 555 0199"}`, func(c *Client) error {
			_, err := c.UpdateCompany(ctx, "1000000001", CompanyChange{Phone: new("+1 212 555 0199")})
			return err
		}},
		{"POST /v1/operator/companies/1000000001/link", `{"merchant_id":"mch_1"}`, func(c *Client) error { _, err := c.LinkCompany(ctx, "1000000001", "mch_1"); return err }},
		{"POST /v1/operator/companies/1000000001/unlink", `{"merchant_id":"mch_1"}`, func(c *Client) error { _, err := c.UnlinkCompany(ctx, "1000000001", "mch_1"); return err }},
		{"POST /v1/operator/companies/1000000001/line", `{"limit":30000.00}`, func(c *Client) error { _, err := c.SetCreditLine(ctx, "1000000001", "30000.00", nil); return err }},
		{"POST /v1/operator/companies/1000000001/hold", `{"code":"manual_hold","message":"address"}`, func(c *Client) error {
			_, err := c.HoldCompany(ctx, "1000000001", StatusReason{Code: "manual_hold", Message: "address"})
			return err
		}},
		{"POST /v1/operator/companies/1000000001/release", `{}`, func(c *Client) error { _, err := c.ReleaseCompany(ctx, "1000000001"); return err }},
		{"POST /v1/operator/companies/1000000001/close", `{}`, func(c *Client) error { _, err := c.CloseCompany(ctx, "1000000001", StatusReason{}, nil); return err }},
		{"POST /v1/operator/companies/1000000001/close", `{"code":"moved","reasons":["You have moved abroad."]}`, func(c *Client) error {
			_, err := c.CloseCompany(ctx, "1000000001", StatusReason{Code: "moved"}, []string{"You have moved abroad."})
			return err
		}},
		{"POST /v1/operator/companies/1000000001/line", `{"limit":10000.00,"reasons":["credit_score"]}`, func(c *Client) error {
			_, err := c.SetCreditLine(ctx, "1000000001", "10000.00", []string{"credit_score"})
			return err
		}},
		{"POST /v1/operator/clients", `{"merchant_id":"mch_1","name":"shop","scopes":["orders:read"]}`, func(c *Client) error {
			_, err := c.CreateClient(ctx, APIClientRequest{MerchantID: "mch_1", Name: "shop", Scopes: []string{"orders:read"}})
			return err
		}},
		{"GET /v1/operator/clients?merchant_id=mch_1", "", func(c *Client) error { _, err := c.ListClients(ctx, "mch_1", Paging{}); return err }},
		{"GET /v1/operator/clients/cli_1", "", func(c *Client) error { _, err := c.APIClient(ctx, "cli_1"); return err }},
		{"POST /v1/operator/clients/cli_1/roll", `{"overlap_seconds":3600}`, func(c *Client) error { _, err := c.RollClient(ctx, "cli_1", time.Hour); return err }},
		{"POST /v1/operator/clients/cli_1/revoke", `{}`, func(c *Client) error { _, err := c.RevokeClient(ctx, "cli_1"); return err }},
		{"GET /v1/order/a%2Fb%3Fc", "", func(c *Client) error { _, err := c.Order(ctx, "a/b?c"); return err }},
	})
}

// operation is a call of a method and the request that it must send.
type operation struct {
	want, body string
	call       func(*Client) error
}

// sends holds the requests of calls against what they must be.
func sends(t *testing.T, operations []operation) {
	t.Helper()
	for _, x := range operations {
		s := newStub(t, ok(`{}`))
		if err := x.call(s.Client); err != nil {
			t.Errorf("%s: %v", x.want, err)
			continue
		}
		calls, _ := s.asked()
		got := calls[0]
		if got.line != x.want || got.body != x.body {
			t.Errorf("sent %s %s\nwant %s %s", got.line, got.body, x.want, x.body)
		}
		if got.header.Get("Authorization") != "Bearer tnr_SECRET" {
			t.Errorf("%s: Authorization %q", x.want, got.header.Get("Authorization"))
		}
		if kind := got.header.Get("Content-Type"); (kind == JSON || kind == CSV) != (x.body != "") {
			t.Errorf("%s: Content-Type %q with body %q", x.want, got.header.Get("Content-Type"), x.body)
		}
	}
}
