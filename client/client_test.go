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

// stub is a server that gives the listed responses, one per call, and records the requests.
type stub struct {
	*Client
	t       *testing.T
	mu      sync.Mutex // across a broken connection, nothing orders server and client
	answers []answer
	calls   []request
	waits   []time.Duration
	now     time.Time
}

// answer is one response; a status of 0 breaks the connection.
type answer struct {
	status int
	body   string
	header map[string]string
}

// asked returns the calls so far, and how many responses are left.
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
	s := &stub{t: t, answers: answers, now: time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c, err := New(server.URL+"/", "tnr_SECRET")
	if err != nil {
		t.Fatal(err)
	}
	c.Clock, c.NewKey = s, nil
	s.Client = c
	return s
}

// Now is the stub's time, which advances as its client waits.
func (s *stub) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Sleep takes no time.
func (s *stub) Sleep(ctx context.Context, d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits, s.now = append(s.waits, d), s.now.Add(d)
	return ctx.Err()
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

func dry(body string) answer {
	return answer{status: 200, body: body, header: map[string]string{"Preference-Applied": "dry-run"}}
}

func problem(status int, code string, header ...string) answer {
	a := answer{status: status, header: map[string]string{"Content-Type": "application/problem+json"}}
	a.body = `{"type":"http://x/docs/errors/` + code + `","title":"T","status":0,"detail":"D.","code":"` + code + `","request_id":"req_1","from":"CAPTURED","available":250.00,"errors":[{"pointer":"/amount","code":"required","detail":"Missing."}]}`
	for i := 0; i+1 < len(header); i += 2 {
		a.header[header[i]] = header[i+1]
	}
	return a
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
	s := newStub(t, dry(`{"result":{"key":null,"amount":1200.00,"status":"AUTHORIZED","created_at":null},"schedule":null,
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

// A POST or PATCH without a key from the caller gets one of its own, and its retries use the same
// one.
func TestKeysAreMade(t *testing.T) {
	s := newStub(t, answer{}, ok(`{}`), ok(`{}`), ok(`{}`), dry(`{"result":{}}`), answer{status: 204})
	n := 0
	s.NewKey = func() string { n++; return strings.Repeat("k", n) }
	ctx, raw := context.Background(), Response{}
	s.CancelOrder(ctx, "ord_1", Record(&raw))
	s.RecordPayment(ctx, PaymentRequest{Amount: "5", Method: "WIRE", OrderKey: "ord_1"})
	s.Order(ctx, "ord_1")
	s.CancelOrder(ctx, "ord_1", DryRun(new(Preview)))
	s.DeleteWebhook(ctx, "whk_1")
	got := ""
	calls, _ := s.asked()
	for _, r := range calls {
		got += strings.Fields(r.line)[0] + " " + r.header.Get("Idempotency-Key") + ","
	}
	if want := "PATCH k,PATCH k,POST kk,GET ,PATCH ,DELETE ,"; got != want || raw.IdempotencyKey != "k" {
		t.Errorf("sent %s want %s; recorded key %q", got, want, raw.IdempotencyKey)
	}
	c, err := New("http://x", "")
	if err != nil {
		t.Fatal(err)
	}
	if one, other := c.NewKey(), c.NewKey(); one == other || len(one) < 20 {
		t.Error("the keys of a new client are not random")
	}
}

func TestWhatIsNotKnownIsKept(t *testing.T) {
	s := newStub(t, ok(`{"data":[{"key":"ord_2","status":"FROZEN"},{"key":"ord_1","pledge":{"id":7}}],"has_more":false,"next_cursor":null}`), dry(`{"result":{"key":null,"later":1},"warnings":["w"]}`))
	p, err := s.ListOrders(context.Background(), OrderFilter{}, Paging{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Data[0].Status != "FROZEN" || string(p.Data[1].Member("pledge")) != `{"id":7}` || string(p.Data[0].JSON()) != `{"key":"ord_2","status":"FROZEN"}` {
		t.Errorf("kept %s and %s", p.Data[0].JSON(), p.Data[1].JSON())
	}
	if p.Data[0].Member("pledge") != nil || (&Order{}).JSON() != nil || (&Order{}).Member("key") != nil {
		t.Error("something is kept of nothing")
	}
	var preview Preview
	o, err := s.CancelOrder(context.Background(), "ord_1", DryRun(&preview))
	if err != nil || string(o.Member("later")) != "1" || string(preview.Member("warnings")) != `["w"]` {
		t.Errorf("kept of a dry run: %s, %s, %v", o.JSON(), preview.JSON(), err)
	}
}

// A server that does not support dry runs may have made the change: that is not a success.
func TestDryRunMustBeOne(t *testing.T) {
	s := newStub(t, ok(`{"key":"ord_1","status":"CANCELED"}`))
	if _, err := s.CancelOrder(context.Background(), "ord_1", DryRun(new(Preview))); err == nil || !strings.Contains(err.Error(), "may have been done") {
		t.Errorf("got %v", err)
	}
}

func TestLastResponse(t *testing.T) {
	s := newStub(t, answer{status: 200, body: `{}`, header: map[string]string{"ETag": `"4"`, "As-Of-Seq": "17", "X-Request-Id": "req_9"}}, problem(404, "not_found"), answer{status: 304})
	if s.LastResponse() != nil {
		t.Error("there is an answer before the first call")
	}
	ctx := context.Background()
	s.Order(ctx, "ord_1")
	if r := s.LastResponse(); r.ETag() != `"4"` || r.CommitSeq() != 17 || r.RequestID() != "req_9" {
		t.Errorf("last answer: %+v", r)
	}
	var raw Response
	s.Order(ctx, "ord_2", Record(&raw))
	if s.LastResponse().Status != 404 || raw.Status != 404 || raw.CommitSeq() != 0 {
		t.Errorf("last answer: %+v, recorded %+v", s.LastResponse(), raw)
	}
	if _, err := s.Order(ctx, "ord_1", IfNoneMatch(`"4"`)); !errors.Is(err, ErrNotModified) {
		t.Errorf("not modified: %v", err)
	}
	if calls, _ := s.asked(); calls[2].header.Get("If-None-Match") != `"4"` {
		t.Errorf("sent %v", calls[2].header)
	}
}

// Deleting what a lost deletion has already deleted is not an error.
func TestDeletionAfterALostOne(t *testing.T) {
	s := newStub(t, answer{}, problem(404, "not_found"), problem(404, "not_found"))
	if err := s.DeleteWebhook(context.Background(), "whk_1"); err != nil {
		t.Errorf("after a lost one: %v", err)
	}
	if err := s.DeleteWebhook(context.Background(), "whk_1"); !errors.Is(err, CodeNotFound) {
		t.Errorf("of what is not there: %v", err)
	}
}

func TestEachWithOptions(t *testing.T) {
	s := newStub(t, ok(`{"data":[{"key":"ord_1"}],"has_more":false,"next_cursor":null}`))
	var raw Response
	for o, err := range Each(func(p Paging) (*Page[Order], error) {
		return s.ListOrders(context.Background(), OrderFilter{}, p, Record(&raw))
	}) {
		if err != nil || o.Key != "ord_1" || raw.Status != 200 {
			t.Errorf("got %v, %v, %d", o, err, raw.Status)
		}
	}
}
