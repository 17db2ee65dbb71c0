package httpapi_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"tenor/internal/core/engine"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

// shop is a running API over the reference store with two merchants, one company that only
// the first may use, and a clock that the test moves.
type shop struct {
	t       *testing.T
	server  *httptest.Server
	backend *memory.DB
	engine  *engine.Engine
	zone    calendar.Zone

	mu  sync.Mutex
	now time.Time

	company  int64
	merchant string
	stranger string // the other merchant
	service  *serve.Service
	config   rest.Config
}

type tokens map[[32]byte]rest.Principal

func (k tokens) Authenticate(_ context.Context, hash [32]byte) (rest.Principal, bool, error) {
	p, ok := k[hash]
	return p, ok, nil
}

var merchantScopes = []string{"orders:read", "orders:write", "payments:read", "payments:write", "companies:read", "invoices:read", "events:read", "reports:read"}

func open(t *testing.T) *shop {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{t: t, zone: calendar.NewZone(location), backend: memory.New()}
	s.at("2026-01-10")
	s.engine, err = engine.New(engine.Config{
		Backend: s.backend, Zone: s.zone, Now: s.clock, Node: "test",
		Alarm: func(a engine.Alarm) { t.Errorf("alarm %s: %v\n%s", a.What, a.Err, a.Stack) },
		EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
			return resource.EncodeEvent(e, at, by)
		},
		Wire: resource.APIVersion,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.engine.Run(ctx); close(done) }()
	t.Cleanup(func() { stop(); <-done })

	m := s.submit(merchants.CreateMerchant{Title: "Harbor Supply", Settings: lending.DefaultSettings()}).(*credit.Merchant)
	other := s.submit(merchants.CreateMerchant{Title: "Quay Tools", Settings: lending.DefaultSettings()}).(*credit.Merchant)
	c := s.submit(lending.CreateCompany{Title: "Alder Kitchens", Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("25000.00"), Merchants: []string{m.ID}}).(*credit.Company)
	s.company, s.merchant, s.stranger = c.ID, m.ID, other.ID

	service := &serve.Service{Submit: s.engine, Store: s.backend, Zone: s.zone, Now: s.clock, Seed: seed}
	s.service = service
	s.config = rest.Config{
		BaseURL: "http://tenor.test", Authenticator: tokens{
			sha256.Sum256([]byte("shop")):   {ClientID: "cli_shop", Tenant: m.ID, Scopes: merchantScopes, RatePerMinute: 1e6, Burst: 1e6},
			sha256.Sum256([]byte("other")):  {ClientID: "cli_other", Tenant: other.ID, Scopes: merchantScopes, RatePerMinute: 1e6, Burst: 1e6},
			sha256.Sum256([]byte("ops")):    {ClientID: "cli_ops", Operator: true, Scopes: []string{"operator:read", "operator:write"}, RatePerMinute: 1e6, Burst: 1e6},
			sha256.Sum256([]byte("reader")): {ClientID: "cli_reader", Tenant: m.ID, Scopes: []string{"orders:read", "payments:read", "companies:read"}, RatePerMinute: 1e6, Burst: 1e6},
			sha256.Sum256([]byte("blind")):  {ClientID: "cli_blind", Tenant: m.ID, RatePerMinute: 1e6, Burst: 1e6},
		},
		CursorKey: make([]byte, 32), Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: time.Now,
	}
	api, err := httpapi.New(s.config, httpapi.Table(service))
	if err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewServer(api)
	t.Cleanup(s.server.Close)
	return s
}

func seed() (b [16]byte) {
	_, _ = rand.Read(b[:])
	return b
}

func (s *shop) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// at moves the clock to 10 a.m. on a business date.
func (s *shop) at(date string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.zone.At(calendar.MustParse(date), 10, 0)
}

// pass advances the clock.
func (s *shop) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func (s *shop) submit(c credit.Command) any {
	s.t.Helper()
	var result any
	_, err := s.engine.Submit(context.Background(), engine.Request{
		Command: c, Actor: credit.Actor{Client: "system", Operator: true}, Seed: seed(),
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			if r != nil {
				s.t.Errorf("%s: %v", c.Name(), r)
			}
			result = ch.Result
			return engine.Response{Status: 200}
		},
	})
	if err != nil {
		s.t.Fatalf("%s: %v", c.Name(), err)
	}
	return result
}

// reply is a response with its body decoded.
type reply struct {
	status int
	header http.Header
	raw    string
	body   map[string]any
}

func (r reply) code() string { c, _ := r.body["code"].(string); return c }

func (s *shop) call(token, method, path, body string, header ...string) reply {
	body = because(method, path, body)
	s.t.Helper()
	req, err := http.NewRequest(method, s.server.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	out := reply{status: res.StatusCode, header: res.Header, raw: string(raw)}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&out.body)
	return out
}

// must makes a call that has to return the status.
func (s *shop) must(status int, token, method, path, body string, header ...string) reply {
	s.t.Helper()
	r := s.call(token, method, path, body, header...)
	if r.status != status {
		s.t.Fatalf("%s %s %s: %d, want %d: %s", method, path, body, r.status, status, r.raw)
	}
	return r
}

func (s *shop) order(body string, args ...any) string {
	s.t.Helper()
	r := s.must(201, "shop", "POST", "/order", fmt.Sprintf(body, args...))
	return r.body["key"].(string)
}

// rows formats a schedule's rows: number, due date, principal, charge, paid, status.
func (s *shop) rows(key string) []string {
	s.t.Helper()
	r := s.must(200, "shop", "GET", "/payments/schedule/"+key, "")
	var out []string
	for _, x := range r.body["installments"].([]any) {
		i := x.(map[string]any)
		out = append(out, fmt.Sprintf("%v %v %v %v %v %v", i["number"], i["due_date"], i["principal"], i["finance_charge"], i["amount_paid"], i["status"]))
	}
	return out
}

// postings formats an order's entries: value date, event, accounts with signed amounts.
func (s *shop) postings(key string) []string {
	s.t.Helper()
	r := s.must(200, "ops", "GET", "/v1/order/"+key+"/ledger", "")
	var out []string
	for _, x := range r.body["data"].([]any) {
		e := x.(map[string]any)
		line := fmt.Sprintf("%v %v:", e["value_date"], e["event"])
		for _, y := range e["postings"].([]any) {
			p := y.(map[string]any)
			if fmt.Sprint(p["debit"]) != "0.00" {
				line += fmt.Sprintf(" D %v %v", p["account"], p["debit"])
			} else {
				line += fmt.Sprintf(" C %v %v", p["account"], p["credit"])
			}
		}
		out = append(out, line)
	}
	return out
}

func equalLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("%s:\n%s\nwant:\n%s", what, g, w)
	}
}

// The 1,200.00 example of the finance rules through the API, paid by a wire that the
// operator records (F1, F13 and the worked example in docs/accounting.md).
func TestExampleThroughTheAPI(t *testing.T) {
	s := open(t)
	key := s.order(`{"company_id":%d,"merchant_order_id":"PO-1","amount":1200.00,"installments":6,"status":"AUTHORIZED"}`, s.company)
	s.at("2026-01-15")
	o := s.must(200, "shop", "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`)
	terms := o.body["terms"].(map[string]any)
	if terms["apr"] != "12.00" || fmt.Sprint(terms["finance_charge"]) != "42.35" || terms["first_due_date"] != "2026-02-15" {
		t.Errorf("terms %v", terms)
	}
	equalLines(t, "schedule", s.rows(key), []string{
		"1 2026-02-15 195.06 12.00 0.00 UPCOMING", "2 2026-03-15 197.01 10.05 0.00 UPCOMING", "3 2026-04-15 198.98 8.08 0.00 UPCOMING",
		"4 2026-05-15 200.97 6.09 0.00 UPCOMING", "5 2026-06-15 202.98 4.08 0.00 UPCOMING", "6 2026-07-15 205.00 2.05 0.00 UPCOMING",
	})
	for _, day := range []string{"2026-02-15", "2026-03-15"} {
		s.at(day)
		s.must(201, "ops", "POST", "/payment", `{"order_key":"`+key+`","amount":207.06,"method":"WIRE"}`)
	}
	s.at("2026-04-01")
	s.must(200, "shop", "PATCH", "/v1/order/"+key+"/refund", `{"amount":300.00,"reference":"RMA-1"}`)
	equalLines(t, "schedule after the refund", s.rows(key), []string{
		"1 2026-02-15 195.06 12.00 207.06 PAID", "2 2026-03-15 197.01 10.05 207.06 PAID", "3 2026-04-15 200.34 6.72 0.00 UPCOMING",
		"4 2026-05-15 203.98 3.08 0.00 UPCOMING", "5 2026-06-15 103.61 1.04 0.00 UPCOMING", "6 2026-07-15 0.00 0.00 0.00 CANCELED",
	})
	for _, p := range []struct{ day, amount string }{{"2026-04-15", "207.06"}, {"2026-05-15", "207.06"}, {"2026-06-15", "104.65"}} {
		s.at(p.day)
		s.must(201, "ops", "POST", "/payment", `{"order_key":"`+key+`","amount":`+p.amount+`,"method":"WIRE"}`)
	}
	if o := s.must(200, "shop", "GET", "/v1/order/"+key, ""); o.body["financing_status"] != "PAID_OFF" || o.body["status"] != "CAPTURED" {
		t.Errorf("order %v %v", o.body["status"], o.body["financing_status"])
	}
	equalLines(t, "postings", s.postings(key), []string{
		"2026-01-10 ORDER_AUTHORIZED: D 9000 1200.00 C 9001 1200.00",
		"2026-01-15 RESERVATION_RELEASED: C 9000 1200.00 D 9001 1200.00",
		"2026-01-15 ORDER_CAPTURED: D 1100 1200.00 C 2000 1164.00 C 4010 36.00",
		"2026-02-15 FINANCE_CHARGE_ACCRUED: D 1110 12.00 C 4000 12.00",
		"2026-02-15 PAYMENT_RECEIVED: D 1000 207.06 C 2120 207.06",
		"2026-02-15 PAYMENT_APPLIED: D 2120 207.06 C 1110 12.00 C 1100 195.06",
		"2026-03-15 FINANCE_CHARGE_ACCRUED: D 1110 10.05 C 4000 10.05",
		"2026-03-15 PAYMENT_RECEIVED: D 1000 207.06 C 2120 207.06",
		"2026-03-15 PAYMENT_APPLIED: D 2120 207.06 C 1110 10.05 C 1100 197.01",
		"2026-04-01 ORDER_REFUNDED: D 2000 291.00 C 1100 205.00 C 1100 95.00 D 4010 9.00",
		"2026-04-15 FINANCE_CHARGE_ACCRUED: D 1110 6.72 C 4000 6.72",
		"2026-04-15 PAYMENT_RECEIVED: D 1000 207.06 C 2120 207.06",
		"2026-04-15 PAYMENT_APPLIED: D 2120 207.06 C 1110 6.72 C 1100 200.34",
		"2026-05-15 FINANCE_CHARGE_ACCRUED: D 1110 3.08 C 4000 3.08",
		"2026-05-15 PAYMENT_RECEIVED: D 1000 207.06 C 2120 207.06",
		"2026-05-15 PAYMENT_APPLIED: D 2120 207.06 C 1110 3.08 C 1100 203.98",
		"2026-06-15 FINANCE_CHARGE_ACCRUED: D 1110 1.04 C 4000 1.04",
		"2026-06-15 PAYMENT_RECEIVED: D 1000 104.65 C 2120 104.65",
		"2026-06-15 PAYMENT_APPLIED: D 2120 104.65 C 1110 1.04 C 1100 103.61",
	})
}

// Money that a merchant's token records is due from the merchant (F33).
func TestMoneyReportedByTheMerchant(t *testing.T) {
	s := open(t)
	key := s.order(`{"company_id":%d,"amount":"1200.00","installments":6,"status":"AUTHORIZED"}`, s.company)
	s.at("2026-01-15")
	s.must(200, "shop", "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`)
	s.at("2026-02-15")
	s.must(201, "shop", "POST", "/payment", `{"order_key":"`+key+`","amount":207.06,"method":"WIRE"}`)
	got := s.postings(key)
	equalLines(t, "postings", got[len(got)-2:], []string{
		"2026-02-15 PAYMENT_RECEIVED: D 1210 207.06 C 2120 207.06",
		"2026-02-15 PAYMENT_APPLIED: D 2120 207.06 C 1110 12.00 C 1100 195.06",
	})
	if r := s.call("shop", "POST", "/payment", `{"order_key":"`+key+`","amount":1,"method":"WIRE","effective_date":"2026-02-14"}`); r.status != 422 || r.code() != "invalid_effective_date" {
		t.Errorf("backdated by a merchant: %d %s", r.status, r.raw)
	}
}

func TestReplayGivesTheSameBytes(t *testing.T) {
	s := open(t)
	body := fmt.Sprintf(`{"company_id":%d,"amount":100,"installments":3,"status":"AUTHORIZED"}`, s.company)
	first := s.must(201, "shop", "POST", "/order", body, "Idempotency-Key", "k1")
	again := s.must(201, "shop", "POST", "/v1/order", body, "Idempotency-Key", `"k1"`)
	if first.raw != again.raw || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("replay differs: %v\n%s\n%s", again.header, first.raw, again.raw)
	}
	for _, name := range []string{"Commit-Seq", "ETag", "Location", "Content-Type"} {
		if first.header.Get(name) == "" || first.header.Get(name) != again.header.Get(name) {
			t.Errorf("%s: %q and %q", name, first.header.Get(name), again.header.Get(name))
		}
	}
	if r := s.call("shop", "POST", "/order", body+" ", "Idempotency-Key", "k1"); r.status != 422 || r.code() != "idempotency_key_reused" {
		t.Errorf("other body: %d %s", r.status, r.raw)
	}
	other := fmt.Sprintf(`{"company_id":%d,"amount":99999,"installments":3,"status":"AUTHORIZED"}`, s.company)
	refused := s.must(422, "shop", "POST", "/order", other, "Idempotency-Key", "k2")
	s.submit(lending.UpdateCompany{Company: s.company, Limit: ptr(money.MustParse("1000000.00"))})
	if r := s.must(422, "shop", "POST", "/order", other, "Idempotency-Key", "k2"); r.raw != refused.raw || r.code() != "insufficient_credit" {
		t.Errorf("stored refusal: %s", r.raw)
	}
}

func ptr[T any](v T) *T { return &v }

func TestOwnersAndStrangers(t *testing.T) {
	s := open(t)
	key := s.order(`{"company_id":%d,"amount":100,"installments":3,"status":"AUTHORIZED"}`, s.company)
	company := fmt.Sprintf("/v2/companies/%d", s.company)
	for _, x := range []struct {
		token, method, path, body string
		status                    int
		code                      string
	}{
		{"nobody", "GET", "/v1/order/" + key, "", 401, "unauthorized"},
		{"blind", "GET", "/v1/order/" + key, "", 403, "insufficient_scope"},
		{"other", "GET", "/v1/order/" + key, "", 404, "not_found"},
		{"other", "PATCH", "/v1/order/" + key, `{"status":"CANCELED"}`, 404, "not_found"},
		{"other", "GET", "/payments/schedule/" + key, "", 404, "not_found"},
		{"other", "POST", "/payment", `{"order_key":"` + key + `","amount":1,"method":"WIRE"}`, 404, "not_found"},
		{"other", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":1}`, s.company), 403, "company_not_linked"},
		{"shop", "POST", "/order", `{"company_id":9999999999,"amount":1}`, 404, "not_found"},
		{"ops", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":1}`, s.company), 403, "insufficient_scope"},
		{"shop", "GET", company, "", 200, ""},
		{"other", "GET", company, "", 403, "company_not_linked"},
		{"shop", "GET", "/v2/companies/9999999999", "", 404, "not_found"},
		{"nobody", "GET", company, "", 401, "unauthorized"},
		{"ops", "GET", company, "", 200, ""},
		{"shop", "POST", "/v1/operator/order/" + key + "/service", "", 403, "insufficient_scope"},
		{"ops", "POST", "/v1/operator/order/" + key + "/service", "", 200, ""},
	} {
		r := s.call(x.token, x.method, x.path, x.body)
		if r.status != x.status || r.code() != x.code {
			t.Errorf("%s %s %s: %d %s, want %d %s", x.token, x.method, x.path, r.status, r.raw, x.status, x.code)
		}
	}
}

// If-Match applies to payments too: a payment that has changed since it was read is neither
// refunded nor returned.
func TestStalePaymentIsNotRefunded(t *testing.T) {
	s := open(t)
	key := s.order(`{"company_id":%d,"amount":1200,"installments":6,"status":"AUTHORIZED"}`, s.company)
	s.must(200, "shop", "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`)
	p := s.must(201, "ops", "POST", "/payment", `{"order_key":"`+key+`","amount":100,"method":"WIRE"}`)
	id, tag := p.body["id"].(string), p.header.Get("ETag")
	s.must(200, "ops", "POST", "/payment/"+id+"/refund", `{"amount":10}`, "If-Match", tag)
	for path, body := range map[string]string{
		"/payment/" + id + "/refund":              `{}`,
		"/v1/operator/payments/" + id + "/return": `{"code":"bounced"}`,
		"/v1/payment/" + id + "/cancel":           ``,
	} {
		if r := s.call("ops", "POST", path, body, "If-Match", tag); r.status != 412 || r.code() != "precondition_failed" {
			t.Errorf("%s: %d %s", path, r.status, r.raw)
		}
	}
}
