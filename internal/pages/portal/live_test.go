package portal

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	_ "time/tzdata"

	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
	"tenor/internal/core/store/memory"
	clients "tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/ports/outbound"
)

// liveCompany is a company in every sandbox.
const liveCompany = 1000000001

// live is the whole API with the reference store, on a loopback port: the pages' code samples run
// against it, and their forms call it.
type live struct {
	t        *testing.T
	api      *httpapi.API
	db       *memory.DB
	engine   *engine.Engine
	url      string
	merchant string
	token    string // of the merchant
	ops      string // of the operator
	client   string // the merchant's client, which requests tokens
	secret   string // its secret
	asked    atomic.Int64
}

// gate exposes auth's principals to the API.
type gate struct{ *auth.Authenticator }

func (g gate) Authenticate(ctx context.Context, hash [32]byte) (rest.Principal, bool, error) {
	p, ok, err := g.Authenticator.Authenticate(ctx, hash)
	return rest.Principal{
		ClientID: p.Client, Tenant: p.Merchant, Operator: p.Operator, Scopes: p.Scopes, RatePerMinute: p.PerMinute, Burst: p.Burst,
	}, ok, err
}

// newLive creates a merchant with a company, and tokens for it and for the operator.
func newLive(t *testing.T) *live {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	x, zone := &live{t: t, db: memory.New()}, calendar.NewZone(location)
	day := zone.At(calendar.MustParse("2026-01-12"), 10, 0)
	now := func() time.Time { return day }
	ring, err := seal.New(seal.Derive([]byte("key of a test"), "portal"))
	if err != nil {
		t.Fatal(err)
	}
	x.engine, err = engine.New(engine.Config{
		Backend: x.db, Zone: zone, Now: now, Node: "test", Wire: resource.APIVersion, Seal: ring.Seal, Open: ring.Open,
		Alarm: func(a engine.Alarm) { t.Errorf("alarm %s: %v\n%s", a.What, a.Err, a.Stack) },
		EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
			return resource.EncodeEvent(e, at, by)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { x.engine.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })

	tokens := auth.NewAuthenticator(x.db, now)
	service := &serve.Service{
		Submit: x.engine, Store: x.db, Zone: zone, Now: now, Seed: randomSeed, OAuth: auth.NewServer(x.db, x.engine, tokens, now),
		Seal: ring.Seal, Open: ring.Open, CheckURL: outbound.Rules{AllowPrivate: true}.CheckURL, Sandbox: true,
	}
	x.api, err = httpapi.New(rest.Config{
		BaseURL: testBase, Authenticator: gate{tokens}, CursorKey: make([]byte, 32), Now: now, Log: slog.New(slog.DiscardHandler),
		Observe: func(rest.Observation) { x.asked.Add(1) },
	}, httpapi.Table(service))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(x.api)
	t.Cleanup(server.Close)
	x.url = server.URL
	x.people(now)
	return x
}

func randomSeed() (b [16]byte) {
	_, _ = rand.Read(b[:]) // never fails
	return b
}

func (x *live) people(now func() time.Time) {
	x.t.Helper()
	x.merchant = x.submit(merchants.CreateMerchant{Title: "Harbor Supply", Settings: lending.DefaultSettings()}).(*credit.Merchant).ID
	x.submit(lending.CreateCompany{
		ID: liveCompany, Title: "Alder Kitchens", Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("900000.00"), Merchants: []string{x.merchant},
	})
	issuer := auth.Issuer{Store: x.db, Submit: x.engine, Sandbox: true, Now: now}
	for merchant, token := range map[string]*string{x.merchant: &x.token, "": &x.ops} {
		c, err := issuer.Create(context.Background(), clients.CreateClient{ID: "cli_TEST" + merchant, Merchant: merchant, Title: "test", PerMinute: 1e6, Burst: 1e6})
		if err != nil {
			x.t.Fatal(err)
		}
		secret, _, err := issuer.NewToken(context.Background(), c, nil, time.Hour)
		if err != nil {
			x.t.Fatal(err)
		}
		*token = secret
	}
	x.client, x.secret = "cli_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "tns_"+strings.Repeat("0", 48)
	_, err := issuer.Create(context.Background(), clients.CreateClient{
		ID: x.client, Merchant: x.merchant, Title: "shop", Scopes: auth.Scopes(false, false), PerMinute: 1e6, Burst: 1e6,
		SecretHash: auth.HashSecret(auth.Secret(x.secret)),
	})
	if err != nil {
		x.t.Fatal(err)
	}
}

// submit submits a command of the operator.
func (x *live) submit(c credit.Command) (result any) {
	x.t.Helper()
	_, err := x.engine.Submit(context.Background(), engine.Request{
		Command: c, Actor: credit.Actor{Client: "system", Operator: true}, Seed: randomSeed(),
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			if r != nil {
				x.t.Errorf("%s: %v", c.Name(), r)
			}
			result = ch.Result
			return engine.Response{Status: 200}
		},
	})
	if err != nil {
		x.t.Fatalf("%s: %v", c.Name(), err)
	}
	return result
}

// call calls the API and decodes its JSON response.
func (x *live) call(token, method, path, body string) (status int, answer map[string]any) {
	x.t.Helper()
	r, err := http.NewRequest(method, x.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		x.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		x.t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		x.t.Fatalf("%s %s: %v: %s", method, path, err, text)
	}
	return a.StatusCode, answer
}

// must is call for requests that must succeed.
func (x *live) must(token, method, path, body string) map[string]any {
	x.t.Helper()
	status, answer := x.call(token, method, path, body)
	if status >= 300 {
		x.t.Fatalf("%s %s %s: %d %v", method, path, body, status, answer)
	}
	return answer
}

// order creates an order with a status and returns its key.
func (x *live) order(status string) string {
	x.t.Helper()
	begin := "AUTHORIZED"
	if status == "CREATED" || status == "CANCELED" {
		begin = "CREATED"
	}
	key := fmt.Sprint(x.must(x.token, "POST", "/order", fmt.Sprintf(`{"company_id": %d, "amount": 1200.00, "installments": 6, "status": %q}`, liveCompany, begin))["key"])
	switch status {
	case "CANCELED":
		x.must(x.token, "PATCH", "/v1/order/"+key, `{"status": "CANCELED"}`)
	case "CAPTURED", "RETURNED":
		x.must(x.token, "PATCH", "/v1/order/"+key, `{"status": "CAPTURED"}`)
		if status == "RETURNED" {
			x.must(x.token, "PATCH", "/v1/order/"+key+"/refund", `{}`)
		}
	}
	return key
}

// payment creates a payment with a status and returns its ID.
func (x *live) payment(status string) string {
	x.t.Helper()
	id := fmt.Sprint(x.must(x.token, "POST", "/payment", fmt.Sprintf(`{"order_key": %q, "amount": 200.00, "method": "WIRE"}`, x.order("CAPTURED")))["id"])
	switch status {
	case "PARTIALLY_REFUNDED":
		x.must(x.token, "POST", "/payment/"+id+"/refund", `{"amount": 50.00}`)
	case "REFUNDED":
		x.must(x.token, "POST", "/payment/"+id+"/refund", `{}`)
	case "RETURNED":
		x.must(x.ops, "POST", "/v1/operator/payments/"+id+"/return", `{"code": "bounced"}`)
	}
	return id
}

// company creates a company with a status and returns its ID.
func (x *live) company(status string) string {
	x.t.Helper()
	begin := strings.Replace(status, "CLOSED", "APPROVED", 1)
	c := x.must(x.ops, "POST", "/v1/operator/companies", fmt.Sprintf(`{"reason": "x", "name": "Alder", "tier": "A", "limit": 100.00, "status": %q}`, begin))
	id := fmt.Sprint(c["id"])
	if status == "CLOSED" {
		x.must(x.ops, "POST", "/v1/operator/companies/"+id+"/close", `{"code": "requested_by_company", "reason": "x"}`)
	}
	return id
}
