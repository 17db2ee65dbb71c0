package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// stub is a server that gives the listed answers, one a call, and remembers what
// was asked.
type stub struct {
	*Client
	t       *testing.T
	mu      sync.Mutex // a broken connection orders nothing between server and client
	answers []answer
	calls   []request
	waits   []time.Duration
}

// answer is one answer; a status of 0 breaks the connection.
type answer struct {
	status int
	body   string
	header map[string]string
}

// asked returns the calls so far, and how many answers are left.
func (s *stub) asked() ([]request, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls, len(s.answers)
}

type request struct {
	line, body string
	header     http.Header
}

func newStub(t *testing.T, answers ...answer) *stub {
	s := &stub{t: t, answers: answers}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c, err := New(server.URL+"/", "tnr_SECRET")
	if err != nil {
		t.Fatal(err)
	}
	c.sleep = func(ctx context.Context, d time.Duration) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waits = append(s.waits, d)
		return ctx.Err()
	}
	s.Client = c
	return s
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, request{r.Method + " " + r.URL.RequestURI(), string(body), r.Header})
	if len(s.answers) == 0 {
		s.t.Errorf("unexpected call: %s", s.calls[len(s.calls)-1].line)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	a := s.answers[0]
	s.answers = s.answers[1:]
	if a.status == 0 {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	io.WriteString(w, a.body)
}

func ok(body string) answer { return answer{status: 200, body: body} }

func problem(status int, code string, header ...string) answer {
	a := answer{status: status, header: map[string]string{"Content-Type": "application/problem+json"}}
	a.body = `{"type":"http://x/docs/errors/` + code + `","title":"T","status":0,"detail":"D.","code":"` + code + `","request_id":"req_1","from":"CAPTURED","available":250.00,"errors":[{"pointer":"/amount","code":"required","detail":"Missing."}]}`
	for i := 0; i+1 < len(header); i += 2 {
		a.header[header[i]] = header[i+1]
	}
	return a
}

// Every method, and the request that it must send: product, parts 4 to 7.
func TestEveryOperation(t *testing.T) {
	ctx := context.Background()
	for _, x := range []struct {
		want, body string
		call       func(*Client) error
	}{
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
		{"POST /v1/operator/order/ord_1/service", `{}`, func(c *Client) error { _, err := c.ServiceOrder(ctx, "ord_1"); return err }},
		{"GET /v1/order/a%2Fb%3Fc", "", func(c *Client) error { _, err := c.Order(ctx, "a/b?c"); return err }},
	} {
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
		if (got.header.Get("Content-Type") == "application/json") != (x.body != "") {
			t.Errorf("%s: Content-Type %q with body %q", x.want, got.header.Get("Content-Type"), x.body)
		}
	}
}

func TestResourceIsRead(t *testing.T) {
	s := newStub(t, ok(`{"key":"ord_1","company_id":1000000001,"merchant_order_id":null,"amount":10000000.00,"status":"AUTHORIZED","installments":null,
		"capture_date":null,"created_at":"2026-01-12T15:04:05.123456Z","terms":{"plan":"AMORTIZED","apr":"12.00","finance_charge":42.35},
		"authorization_expires_at":"2026-02-11T15:04:05Z","added_later":[1]}`))
	var raw Response
	o, err := s.Order(context.Background(), "ord_1", Record(&raw))
	if err != nil {
		t.Fatal(err)
	}
	if o.Amount != "10000000.00" || o.MerchantOrderID != "" || o.Terms.FinanceCharge != "42.35" || o.AuthorizationExpiresAt == nil || o.AuthorizedAt != nil {
		t.Errorf("read %+v", o)
	}
	if raw.Status != 200 || !strings.Contains(string(raw.Body), "added_later") || raw.Replayed() {
		t.Errorf("recorded %d %s", raw.Status, raw.Body)
	}
}

func TestProblem(t *testing.T) {
	s := newStub(t, problem(409, "invalid_transition"))
	_, err := s.CancelOrder(context.Background(), "ord_1")
	var p *Problem
	if !errors.As(err, &p) {
		t.Fatalf("got %v", err)
	}
	if p.Code != "invalid_transition" || p.Status != 409 || p.RequestID != "req_1" || p.Detail != "D." || p.Type != "http://x/docs/errors/invalid_transition" {
		t.Errorf("read %+v", p)
	}
	if len(p.Errors) != 1 || p.Errors[0].Pointer != "/amount" || p.Member("from") != "CAPTURED" || p.Member("available") != "250.00" || p.Member("none") != "" {
		t.Errorf("errors %v, from %q, available %q", p.Errors, p.Member("from"), p.Member("available"))
	}
	if !json.Valid(p.Raw) || p.Error() != "invalid_transition: D." {
		t.Errorf("raw %s, text %q", p.Raw, p)
	}
}

func TestAnswerOfSomethingElse(t *testing.T) {
	s := newStub(t, answer{status: 502, body: "<html>", header: map[string]string{"Content-Type": "text/html"}}, answer{status: 200, body: "<html>", header: map[string]string{"Content-Type": "text/html"}})
	s.Retries = 0
	_, err := s.Order(context.Background(), "ord_1")
	var p *Problem
	if !errors.As(err, &p) || p.Status != 502 || p.Code != "" || p.Raw != nil {
		t.Errorf("a proxy's page: %v", err)
	}
	if _, err = s.Order(context.Background(), "ord_1"); err == nil || !strings.Contains(err.Error(), "is http") {
		t.Errorf("a page with status 200: %v", err)
	}
}

func TestDryRun(t *testing.T) {
	s := newStub(t, ok(`{"result":{"key":null,"amount":1200.00,"status":"AUTHORIZED","created_at":null},"schedule":null,
		"entries":[{"id":null,"postings":[{"account":9000,"debit":1200.00,"credit":0.00}]}],"credit_line":{"before":{"reserved":0.00},"after":{"reserved":1200.00}}}`))
	var preview Preview
	o, err := s.CreateOrder(context.Background(), OrderRequest{CompanyID: 1, Amount: "1200"}, DryRun(&preview))
	if err != nil {
		t.Fatal(err)
	}
	if s.calls[0].header.Get("Prefer") != "dry-run" || o.Status != "AUTHORIZED" || o.Key != "" {
		t.Errorf("sent Prefer %q, read %+v", s.calls[0].header.Get("Prefer"), o)
	}
	if preview.CreditLine.After.Reserved != "1200.00" || preview.Entries[0].Postings[0].Debit != "1200.00" {
		t.Errorf("preview %+v", preview)
	}
}

func TestOptionsAreHeaders(t *testing.T) {
	s := newStub(t, answer{status: 200, body: `{}`, header: map[string]string{"Idempotency-Replayed": "true"}})
	var raw Response
	_, err := s.UpdateOrder(context.Background(), "ord_1", OrderChange{}, IdempotencyKey("k-1"), IfMatch(`"4"`), RequestID("mine"), Record(&raw))
	h := s.calls[0].header
	if err != nil || h.Get("Idempotency-Key") != "k-1" || h.Get("If-Match") != `"4"` || h.Get("X-Request-Id") != "mine" || !raw.Replayed() {
		t.Errorf("sent %v, replayed %v, %v", h, raw.Replayed(), err)
	}
}

func TestPagesAreWalked(t *testing.T) {
	s := newStub(t,
		ok(`{"data":[{"key":"ord_3"},{"key":"ord_2"}],"has_more":true,"next_cursor":"c1"}`),
		ok(`{"data":[{"key":"ord_1"}],"has_more":false,"next_cursor":null}`))
	keys := ""
	for o, err := range s.Orders(context.Background(), OrderFilter{Status: "CAPTURED"}) {
		if err != nil {
			t.Fatal(err)
		}
		keys += o.Key + " "
	}
	if keys != "ord_3 ord_2 ord_1 " {
		t.Errorf("walked %s", keys)
	}
	if want := "GET /v1/orders?cursor=c1&limit=100&status=CAPTURED"; s.calls[1].line != want {
		t.Errorf("second page: %s, want %s", s.calls[1].line, want)
	}
}

func TestWalkEnds(t *testing.T) {
	s := newStub(t, ok(`{"data":[{"key":"ord_3"},{"key":"ord_2"}],"has_more":true,"next_cursor":"c1"}`))
	for range s.Orders(context.Background(), OrderFilter{}) {
		break // no second call
	}
	s = newStub(t, ok(`{"data":[{"id":"pay_1"}],"has_more":true,"next_cursor":"c1"}`), problem(400, "invalid_cursor"))
	n, last := 0, error(nil)
	for _, err := range s.Payments(context.Background(), PaymentFilter{}) {
		n, last = n+1, err
	}
	if n != 2 || last == nil {
		t.Errorf("%d items, error %v", n, last)
	}
	s = newStub(t, ok(`{"data":[],"has_more":true,"next_cursor":"c1"}`), ok(`{"data":[],"has_more":true,"next_cursor":"c1"}`))
	for range s.Invoices(context.Background(), InvoiceFilter{}) {
		t.Error("an empty list has an item")
	}
}

func TestAddress(t *testing.T) {
	for _, bad := range []string{"", "localhost:8080", "ftp://x", "http://", "http://u:p@x", "http://x?a=b", "http://x#y", "://"} {
		if _, err := New(bad, ""); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if c, err := New("https://pay.example.com/", ""); err != nil || c.Address() != "https://pay.example.com" {
		t.Errorf("got %v, %v", c, err)
	}
	if c, _ := New("http://x", ""); c != nil {
		if _, err := c.Do(context.Background(), "GET", "v1/orders", nil); err == nil {
			t.Error("a path without a slash was taken")
		}
	}
}
