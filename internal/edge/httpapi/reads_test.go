package httpapi_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store/sqlite"
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

// library is an API over a read-only book: orders of several companies, either authorized
// or captured and partly paid.
type library struct {
	api       http.Handler
	orders    []string
	captured  []string
	companies []int64
	engine    *engine.Engine
	backend   *sqlite.DB
	merchant  string
	service   *serve.Service
	config    rest.Config
}

// kinds are the reads of W4 (performance program).
var kinds = []struct {
	name        string
	allocations float64 // at most
	path        func(l *library, i int) string
}{
	{"order", 127, func(l *library, i int) string { return "/v1/order/" + l.orders[i%len(l.orders)] }},
	{"schedule", 200, func(l *library, i int) string { return "/payments/schedule/" + l.captured[i%len(l.captured)] }},
	{"payments", 155, func(l *library, i int) string {
		return fmt.Sprintf("/payments?company_id=%d", l.companies[i%len(l.companies)])
	}},
}

// newLibrary creates companies with ten orders each. The first two are captured and have a
// payment.
func newLibrary(tb testing.TB, companies int) *library {
	tb.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		tb.Fatal(err)
	}
	db, err := sqlite.Open(filepath.Join(tb.TempDir(), "read.db"), sqlite.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	zone := calendar.NewZone(location)
	l := &library{backend: db}
	l.engine, err = engine.New(engine.Config{
		Backend: db, Zone: zone, Now: time.Now, Node: "test", Wire: resource.APIVersion,
		Alarm: func(a engine.Alarm) { tb.Errorf("alarm %s: %v\n%s", a.What, a.Err, a.Stack) },
		EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
			return resource.EncodeEvent(e, at, by)
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { l.engine.Run(ctx); close(done) }()
	tb.Cleanup(func() {
		stop()
		<-done
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	merchant := l.submit(tb, merchants.CreateMerchant{Title: "Harbor Supply", Settings: lending.DefaultSettings()}).(*credit.Merchant).ID
	l.merchant = merchant
	l.submit(tb, merchants.SetMerchantLimits{Merchant: merchant, Limits: credit.Limits{Due: credit.Unlimited}, Reason: "it pays nothing in"})
	l.service = &serve.Service{Submit: l.engine, Store: db, Zone: zone, Now: time.Now, Seed: seed}
	l.config = rest.Config{
		BaseURL: "http://tenor.test", CursorKey: make([]byte, 32), Now: time.Now,
		Log:           slog.New(slog.NewJSONHandler(io.Discard, nil)),
		Authenticator: tokens{sha256.Sum256([]byte("shop")): {ClientID: "cli_shop", Tenant: merchant, Scopes: merchantScopes, RatePerMinute: 1e9, Burst: 1e9}},
	}
	l.api, err = httpapi.New(l.config, httpapi.Table(l.service))
	if err != nil {
		tb.Fatal(err)
	}
	for range companies {
		l.fill(tb, merchant)
	}
	return l
}

// fill adds a company with its orders.
func (l *library) fill(tb testing.TB, merchant string) {
	tb.Helper()
	company := l.submit(tb, lending.CreateCompany{Title: "Alder Kitchens", Status: credit.CompanyApproved, Tier: "A",
		Limit: money.MustParse("1000000.00"), Merchants: []string{merchant}}).(*credit.Company).ID
	l.companies = append(l.companies, company)
	for i := range 10 {
		key := l.post(tb, "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":"1200.00","installments":6,"status":"AUTHORIZED","cart_items":[`+
			`{"merchant_id":"sku-100","name":"Steel shelf","price":"400.00","sku":"S-1","quantity":2},`+
			`{"merchant_id":"sku-200","name":"Bracket","price":"5.00","sku":"B-2","quantity":80}]}`, company))
		l.orders = append(l.orders, key)
		if i < 2 {
			l.post(tb, "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`)
			l.post(tb, "POST", "/payment", `{"amount":"207.06","method":"WIRE","order_key":"`+key+`"}`)
			l.captured = append(l.captured, key)
		}
	}
}

// post sends a write that must succeed and returns the resource's key, if any.
func (l *library) post(tb testing.TB, method, path, body string) string {
	tb.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer shop")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	l.api.ServeHTTP(w, r)
	if w.Code/100 != 2 {
		tb.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	_, rest, _ := strings.Cut(w.Body.String(), `"key":"`)
	key, _, _ := strings.Cut(rest, `"`)
	return key
}

func (l *library) submit(tb testing.TB, c credit.Command) any {
	tb.Helper()
	var result any
	_, err := l.engine.Submit(context.Background(), engine.Request{
		Command: c, Actor: credit.Actor{Client: "system", Operator: true}, Seed: seed(),
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			if r != nil {
				tb.Errorf("%s: %v", c.Name(), r)
			}
			result = ch.Result
			return engine.Response{Status: 200}
		},
	})
	if err != nil {
		tb.Fatalf("%s: %v", c.Name(), err)
	}
	return result
}

// sink is a ResponseWriter that keeps only what a server would send.
type sink struct {
	header http.Header
	status int
	size   int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(b []byte) (int, error) { s.size += len(b); return len(b), nil }

// get requests a path and returns the status.
func (l *library) get(path string) int {
	ctx, cancel := context.WithCancel(context.Background()) // as a server does
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, "GET", path, nil)
	r.Header.Set("Authorization", "Bearer shop")
	w := &sink{header: http.Header{}}
	l.api.ServeHTTP(w, r)
	return w.status
}

// TestReadsAllocateLittle bounds what a read of W4 allocates, including parsing the
// request, because what is allocated has to be collected. The bounds are a fifth above the
// current values, and far below those with a general encoder.
func TestReadsAllocateLittle(t *testing.T) {
	l := newLibrary(t, 2)
	for _, k := range kinds {
		path := k.path(l, 1)
		n := testing.AllocsPerRun(200, func() {
			if status := l.get(path); status != http.StatusOK {
				t.Fatalf("%s: status %d", path, status)
			}
		})
		t.Logf("%s: %.0f allocations", k.name, n)
		if !raced && n > k.allocations {
			t.Errorf("%s: %.0f allocations, more than %.0f", k.name, n, k.allocations)
		}
	}
}
