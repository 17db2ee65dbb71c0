package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/access"
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
	"tenor/internal/ports/screening"
)

// house is a complete in-process API, with real clients and tokens, over the reference
// store. The test moves both clocks.
type house struct {
	t       *testing.T
	api     *httpapi.API
	backend *memory.DB
	engine  *engine.Engine
	service *serve.Service
	ring    seal.Ring
	zone    calendar.Zone
	log     *journal
	// sanctions is the list that the engine compares names with; nil means none.
	sanctions *screening.List
	config    rest.Config // of the API

	made      atomic.Int64 // number of people so far
	mu        sync.Mutex
	day, wall time.Time
	from      string // network address of the caller
	a, b      string // merchants
	company   int64  // linked to a
	unlinked  int64  // linked to b
	tokens    map[string]string
}

// journal is a log that several goroutines write to.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// gate shows auth's principals to the API.
type gate struct{ *auth.Authenticator }

func (g gate) Authenticate(ctx context.Context, hash [32]byte) (rest.Principal, bool, error) {
	p, ok, err := g.Authenticator.Authenticate(ctx, hash)
	return rest.Principal{
		ClientID: p.Client, Tenant: p.Merchant, Operator: p.Operator, Scopes: p.Scopes, RatePerMinute: p.PerMinute, Burst: p.Burst,
	}, ok, err
}

func newHouse(t *testing.T, change ...func(*rest.Config)) *house {
	t.Helper()
	h := bareHouse(t, change...)
	h.people()
	return h
}

// bareHouse returns a house without merchants, companies or clients.
func bareHouse(t *testing.T, change ...func(*rest.Config)) *house {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{
		t: t, backend: memory.New(), zone: calendar.NewZone(location), log: &journal{}, from: "192.0.2.10",
		wall: time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC), tokens: map[string]string{},
	}
	h.day = h.zone.At(calendar.MustParse("2026-01-10"), 10, 0)
	if h.ring, err = seal.New(seal.Derive([]byte("key of a test"), "test")); err != nil {
		t.Fatal(err)
	}
	h.engine, err = engine.New(engine.Config{
		Compare: func(names ...string) *credit.Compared { return h.sanctions.Compare(names...) },
		Backend: h.backend, Zone: h.zone, Now: h.business, Node: "test", Wire: resource.APIVersion, Seal: h.ring.Seal, Open: h.ring.Open,
		Alarm: func(a engine.Alarm) { t.Errorf("alarm %s: %v\n%s", a.What, a.Err, a.Stack) },
		EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
			return resource.EncodeEvent(e, at, by)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { h.engine.Run(ctx); close(done) }()
	t.Cleanup(func() { stop(); <-done })
	tokens := auth.NewAuthenticator(h.backend, h.now)
	h.service = &serve.Service{
		Submit: h.engine, Store: h.backend, Zone: h.zone, Now: h.business, Seed: seed,
		OAuth: auth.NewServer(h.backend, h.engine, tokens, h.now), Seal: h.ring.Seal, Open: h.ring.Open, Fingerprint: fingerprint, CheckURL: outbound.Rules{}.CheckURL,
	}
	h.service.Desk = h.desk()
	config := rest.Config{
		BaseURL: "http://tenor.test", Authenticator: gate{tokens}, CursorKey: make([]byte, 32), Now: h.now,
		Log: slog.New(slog.NewTextHandler(h.log, nil)),
	}
	for _, c := range change {
		c(&config)
	}
	h.config = config
	if h.api, err = httpapi.New(config, httpapi.Table(h.service)); err != nil {
		t.Fatal(err)
	}
	return h
}

// people creates the merchants, the companies and a token for each caller.
func (h *house) people() {
	h.a = h.submit(merchants.CreateMerchant{Title: "Harbor Supply", Settings: lending.DefaultSettings()}).(*credit.Merchant).ID
	h.b = h.submit(merchants.CreateMerchant{Title: "Quay Tools", Settings: lending.DefaultSettings()}).(*credit.Merchant).ID
	company := func(title, merchant string) int64 {
		return h.submit(lending.CreateCompany{
			Title: title, Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("25000.00"), Merchants: []string{merchant},
		}).(*credit.Company).ID
	}
	h.company, h.unlinked = company("Alder Kitchens", h.a), company("Birch Offices", h.b)
	h.tokens["a"] = h.token(h.a)
	h.tokens["b"] = h.token(h.b)
	h.tokens["ops"] = h.token("")
	h.tokens["reader"] = h.token("", "operator:read")
}

// token creates a client with practically no rate limit and returns a token of it.
func (h *house) token(merchant string, scopes ...string) string {
	h.t.Helper()
	_, token := h.person(merchant, scopes...)
	return token
}

func (h *house) person(merchant string, scopes ...string) (credit.Client, string) {
	h.t.Helper()
	if scopes == nil {
		scopes = auth.Scopes(merchant == "", false)
	}
	c, err := h.issuer().Create(context.Background(), access.CreateClient{
		ID: fmt.Sprintf("cli_TEST%d", h.made.Add(1)), Merchant: merchant, Title: "test", Scopes: scopes, PerMinute: 1_000_000, Burst: 100_000,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	token, _, err := h.issuer().NewToken(context.Background(), c, nil, time.Hour)
	if err != nil {
		h.t.Fatal(err)
	}
	return c, token
}

func (h *house) issuer() auth.Issuer {
	return auth.Issuer{Store: h.backend, Submit: h.engine, Sandbox: true, Now: h.now}
}

func (h *house) business() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.day
}

func (h *house) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.wall
}

// pass advances the wall clock.
func (h *house) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wall = h.wall.Add(d)
}

func (h *house) submit(c credit.Command) any {
	h.t.Helper()
	return h.submitBy(credit.Actor{Client: "system", Operator: true}, c)
}

// submitAs submits a command as a merchant.
func (h *house) submitAs(merchant string, c credit.Command) any {
	h.t.Helper()
	return h.submitBy(credit.Actor{Client: "shop", Merchant: merchant}, c)
}

func (h *house) submitBy(actor credit.Actor, c credit.Command) any {
	h.t.Helper()
	var result any
	_, err := h.engine.Submit(context.Background(), engine.Request{
		Command: c, Actor: actor, Seed: h.service.Seed(),
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			if r != nil {
				h.t.Errorf("%s: %v", c.Name(), r)
			}
			result = ch.Result
			return engine.Response{Status: 200}
		},
	})
	if err != nil {
		h.t.Fatalf("%s: %v", c.Name(), err)
	}
	return result
}

// call makes a request as one of the people, or with the given token. It omits headers that
// have no value.
func (h *house) call(who, method, target, body string, header ...string) reply {
	h.t.Helper()
	return h.plain(who, method, target, because(method, target, body), header...)
}

// plain is call with the body unchanged.
func (h *house) plain(who, method, target, body string, header ...string) reply {
	h.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.RemoteAddr = h.from + ":5000"
	if strings.Contains(h.from, ":") {
		r.RemoteAddr = "[" + h.from + "]:5000"
	}
	if token, ok := h.tokens[who]; ok {
		who = token
	}
	if who != "" {
		r.Header.Set("Authorization", "Bearer "+who)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i+1] == "" {
			r.Header.Del(header[i])
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.api.ServeHTTP(w, r)
	out := reply{status: w.Code, header: w.Header(), raw: w.Body.String()}
	d := json.NewDecoder(w.Body)
	d.UseNumber()
	_ = d.Decode(&out.body)
	return out
}

func (h *house) must(status int, who, method, target, body string, header ...string) reply {
	h.t.Helper()
	r := h.call(who, method, target, body, header...)
	if r.status != status {
		h.t.Fatalf("%s %s %s as %s: %d, want %d: %s", method, target, body, who, r.status, status, r.raw)
	}
	return r
}

// state returns the hash of everything stored.
func (h *house) state() [32]byte {
	h.t.Helper()
	sum, err := h.backend.Digest(context.Background())
	if err != nil {
		h.t.Fatal(err)
	}
	return sum
}

func (r reply) text(name string) string { s, _ := r.body[name].(string); return s }

// form posts a form as OAuth requires.
func (h *house) form(path, form string, header ...string) reply {
	h.t.Helper()
	return h.call("", "POST", path, form, append([]string{"Content-Type", "application/x-www-form-urlencoded"}, header...)...)
}

// client creates a managed client and returns its ID and secret.
func (h *house) client(merchant, more string) (id, secret string) {
	h.t.Helper()
	who := "null"
	if merchant != "" {
		who = `"` + merchant + `"`
	}
	r := h.must(201, "ops", "POST", "/v1/operator/clients", `{"name":"shop backend","merchant_id":`+who+more+`}`)
	return r.text("id"), r.text("secret")
}

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, text := range list {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}
