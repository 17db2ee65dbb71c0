package client

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// The forms of calls, and the requests that they must send. Methods and types are generated, so
// one of each form is enough.
func TestCalls(t *testing.T) {
	ctx := context.Background()
	noon := time.Date(2026, 1, 5, 12, 0, 0, 0, time.FixedZone("", -5*3600))
	sends(t, []operation{
		// Paths, escaped.
		{"GET /v1/order/ord_1", "", func(c *Client) error { _, err := c.Order(ctx, "ord_1"); return err }},
		{"GET /v1/order/a%2Fb%3Fc", "", func(c *Client) error { _, err := c.Order(ctx, "a/b?c"); return err }},
		{"GET /v1/companies/1000000001/payment_methods/pm_1", "", func(c *Client) error { _, err := c.PaymentMethod(ctx, "1000000001", "pm_1"); return err }},
		{"DELETE /v1/webhooks/whk_1", "", func(c *Client) error { return c.DeleteWebhook(ctx, "whk_1") }},

		// Queries.
		{"GET /v1/order/ord_1/payoff?date=2026-04-01", "", func(c *Client) error { _, err := c.Payoff(ctx, "ord_1", "2026-04-01"); return err }},
		{"GET /v1/promotions?amount=1200.00&merchant=mch_1", "", func(c *Client) error { _, err := c.Promotion(ctx, "mch_1", "1200.00", ""); return err }},
		{"GET /v1/operator/applications/app_1/notice?owner=true", "", func(c *Client) error { _, err := c.ApplicationNotice(ctx, "app_1", true); return err }},
		{"GET /v1/operator/alarms", "", func(c *Client) error { _, err := c.ListAlarms(ctx, ""); return err }},
		{"GET /v1/orders?company_id=1000000001&created_from=2026-01-01&status=CAPTURED&updated_since=2026-01-05T17%3A00%3A00Z", "", func(c *Client) error {
			_, err := c.ListOrders(ctx, OrderFilter{CompanyID: 1000000001, Status: "CAPTURED", CreatedFrom: "2026-01-01", UpdatedSince: noon}, Paging{})
			return err
		}},
		{"GET /v1/companies/1000000001/orders?limit=3&status=CAPTURED", "", func(c *Client) error { // the path's company overrides the filter's
			_, err := c.ListCompanyOrders(ctx, "1000000001", OrderFilter{CompanyID: 2, Status: "CAPTURED"}, Paging{Limit: 3})
			return err
		}},
		{"GET /v1/order/ord_1/events?cursor=abc&limit=5", "", func(c *Client) error {
			_, err := c.ListOrderEvents(ctx, "ord_1", Paging{Limit: 5, Cursor: "abc"})
			return err
		}},
		{"GET /v1/operator/bank_lines?open=true", "", func(c *Client) error {
			_, err := c.ListBankLines(ctx, BankLineFilter{Open: true}, Paging{})
			return err
		}},

		// Past instants.
		{"GET /v1/order/ord_1?as_of=2026-01-31", "", func(c *Client) error { _, err := c.Order(ctx, "ord_1", AsOfDate("2026-01-31")); return err }},
		{"GET /payments/schedule/ord_1?as_of=2026-01-05T17%3A00%3A00Z", "", func(c *Client) error { _, err := c.Schedule(ctx, "ord_1", AsOf(noon)); return err }},
		{"GET /v1/order/ord_1/payoff?date=2026-04-01&as_of=2026-03-01", "", func(c *Client) error {
			_, err := c.Payoff(ctx, "ord_1", "2026-04-01", AsOfDate("2026-03-01"))
			return err
		}},

		// Bodies: none, arguments, a struct that omits unset members.
		{"POST /v1/order/ord_1/extend", `{}`, func(c *Client) error { _, err := c.ExtendOrder(ctx, "ord_1"); return err }},
		{"POST /v1/operator/orders/ord_1/hold", `{"days":30,"reason":"disputed"}`, func(c *Client) error { _, err := c.HoldOrder(ctx, "ord_1", 30, "disputed"); return err }},
		{"POST /v1/webhooks/whk_1/replay", `{"from":"2026-01-05T17:00:00Z","to":"2026-01-06T17:00:00Z"}`, func(c *Client) error {
			_, err := c.ReplayWebhook(ctx, "whk_1", noon, noon.Add(24*time.Hour))
			return err
		}},
		{"POST /order", `{"company_id":1000000001,"amount":1200.00,"installments":6,"status":"AUTHORIZED"}`, func(c *Client) error {
			_, err := c.CreateOrder(ctx, OrderRequest{CompanyID: 1000000001, Amount: "1200.00", Installments: 6, Status: "AUTHORIZED"})
			return err
		}},
		{"POST /v1/operator/clients/cli_1/roll", `{"overlap_seconds":0,"reason":"leaked"}`, func(c *Client) error {
			_, err := c.RollClient(ctx, "cli_1", ClientRoll{OverlapSeconds: new(0), Reason: "leaked"})
			return err
		}},
		{"POST /v1/operator/clients/cli_1/roll", `{"reason":"leaked"}`, func(c *Client) error { _, err := c.RollClient(ctx, "cli_1", ClientRoll{Reason: "leaked"}); return err }},

		// Because gives the reason, in the body or next to it.
		{"POST /v1/operator/companies/7/people/per_1/remove", `{"reason":"left"}`, func(c *Client) error { _, err := c.RemovePerson(ctx, "7", "per_1", "", Because("left")); return err }},

		// Changes: unset members stay, an empty list is set, and Clear makes a member null.
		{"PATCH /v1/order/ord_1", `{"amount":99.50,"metadata":null}`, func(c *Client) error {
			_, err := c.UpdateOrder(ctx, "ord_1", OrderChange{Amount: "99.50", Clear: []string{"metadata"}})
			return err
		}},
		{"PATCH /v1/order/ord_1", `{"metadata":{"lane":null,"warehouse":"7"}}`, func(c *Client) error {
			_, err := c.UpdateOrder(ctx, "ord_1", OrderChange{Metadata: map[string]*string{"warehouse": new("7"), "lane": nil}})
			return err
		}},
		{"PATCH /v1/webhooks/whk_1", `{"event_types":[],"enabled":false}`, func(c *Client) error {
			_, err := c.UpdateWebhook(ctx, "whk_1", WebhookChange{EventTypes: []string{}, Enabled: new(bool)})
			return err
		}},
		{"PUT /v1/operator/merchants/mch_1/shop", `{"accent_color":"#0b5cad","origins":[],"reason":"looks","support_phone":null}`, func(c *Client) error {
			_, err := c.SetMerchantShop(ctx, "mch_1", MerchantShopRequest{Origins: []string{}, AccentColor: "#0b5cad", Reason: "looks", Clear: []string{"support_phone"}})
			return err
		}},

		// Hand-written methods.
		{"PATCH /v1/order/ord_1", `{"status":"AUTHORIZED"}`, func(c *Client) error { _, err := c.AuthorizeOrder(ctx, "ord_1"); return err }},
		{"PATCH /v1/order/ord_1", `{"amount":5,"status":"CAPTURED"}`, func(c *Client) error { _, err := c.CaptureOrder(ctx, "ord_1", "5"); return err }},
		{"PATCH /v1/order/ord_1", `{"status":"CANCELED"}`, func(c *Client) error { _, err := c.CancelOrder(ctx, "ord_1"); return err }},
		{"POST /v1/operator/merchants", `{"name":"Harbor Supply"}`, func(c *Client) error {
			_, err := c.CreateMerchant(ctx, MerchantRequest{Name: "Harbor Supply"})
			return err
		}},
		{"POST /v1/operator/merchants/mch_1/programs", `{"due_day":15,"effective_from":"2026-07-01"}`, func(c *Client) error {
			_, err := c.AddProgram(ctx, "mch_1", ProgrammeRequest{EffectiveFrom: "2026-07-01", Settings: []byte(`{"due_day":15}`)})
			return err
		}},
		{"POST /v1/applications", `{"any":1}`, func(c *Client) error { _, err := c.SubmitApplication(ctx, map[string]int{"any": 1}); return err }},
		{"POST /v1/prequalifications", `{"applicant":{"first_name":"Ada","last_name":"Marsh","email":"a@b.example"},"business":{"legal_name":"Alder"},"annual_revenue":300000.00}`, func(c *Client) error {
			_, err := c.Prequalify(ctx, EstimateRequest{
				Applicant: EstimateApplicant{FirstName: "Ada", LastName: "Marsh", Email: "a@b.example"}, Business: EstimateBusiness{LegalName: "Alder"}, AnnualRevenue: "300000.00",
			})
			return err
		}},

		// Media types other than JSON.
		{"GET /v1/operator/companies/7/agreement", "", func(c *Client) error { return c.MasterAgreementFile(ctx, "7", io.Discard) }},
		{"GET /v1/order/ord_1/agreement", "", func(c *Client) error { return c.AgreementFile(ctx, "ord_1", HTML, io.Discard) }},
		{"GET /v1/payouts/export?updated_since=2026-01-05T17%3A00%3A00Z", "", func(c *Client) error { return c.ExportPayouts(ctx, noon, time.Time{}, CSV, io.Discard) }},
		{"POST /v1/operator/bank_lines", "id,date,amount\n1,2026-01-05,5.00\n", func(c *Client) error {
			_, err := c.PutBankCSV(ctx, strings.NewReader("id,date,amount\n1,2026-01-05,5.00\n"))
			return err
		}},
		{"POST /v1/reconciliations?created_from=2026-01-01&created_to=2026-01-31", "merchant_order_id,amount,status\nPO-1,5.00,CAPTURED\n", func(c *Client) error {
			list := strings.NewReader("merchant_order_id,amount,status\nPO-1,5.00,CAPTURED\n")
			_, err := c.Reconcile(ctx, list, CSV, ReconciliationSpan{CreatedFrom: "2026-01-01", CreatedTo: "2026-01-31"})
			return err
		}},
	})
}

// A file is sent unchanged, with its own media type.
func TestUpload(t *testing.T) {
	s := newStub(t, ok(`{"id":"doc_1","size":9}`))
	d, err := s.AddApplicationDocument(context.Background(), "app_1", PDF, []byte("%PDF-1.4\n"))
	if err != nil || d.ID != "doc_1" || d.Size != 9 {
		t.Fatalf("%+v, %v", d, err)
	}
	calls, _ := s.asked()
	if got := calls[0]; got.line != "POST /v1/applications/app_1/documents" || got.body != "%PDF-1.4\n" || got.header.Get("Content-Type") != PDF {
		t.Errorf("sent %s %q as %s", got.line, got.body, got.header.Get("Content-Type"))
	}
}

// operation is a method call and the request that it must send.
type operation struct {
	want, body string
	call       func(*Client) error
}

// sends compares the requests of calls with the expected ones.
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
