package contracttest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

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
	"tenor/internal/office/buyer"
	"tenor/internal/ports/facts/sandbox"
	"tenor/internal/ports/outbound"
)

// world is the whole API in process with the reference store: two merchants with a company each,
// clients of both, and the operator. Its clocks stand still and its random numbers are a counter,
// so the same calls create the same world.
type world struct {
	tb      rapid.TB
	c       *contract
	api     http.Handler // being tested
	whole   http.Handler // without a fault
	service *serve.Service
	backend *memory.DB
	engine  *engine.Engine
	zone    calendar.Zone
	ring    seal.Ring
	stop    func()

	mu        sync.Mutex
	day, wall time.Time
	drawn     uint64 // random numbers so far
	named     int    // names so far

	a, b             string // merchants
	company, foreign int64  // linked to a, linked to b
	tokens           map[string]string
	secret           string // of the client that requests tokens
	client           string // its ID
}

// gate exposes auth's principals to the API.
type gate struct{ *auth.Authenticator }

func (g gate) Authenticate(ctx context.Context, hash [32]byte) (rest.Principal, bool, error) {
	p, ok, err := g.Authenticator.Authenticate(ctx, hash)
	return rest.Principal{
		ClientID: p.Client, Tenant: p.Merchant, Operator: p.Operator, Scopes: p.Scopes, RatePerMinute: p.PerMinute, Burst: p.Burst,
	}, ok, err
}

const base = "http://tenor.test"

func newWorld(tb rapid.TB, c *contract, change ...func(*rest.Config)) *world {
	tb.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		tb.Fatal(err)
	}
	w := &world{
		tb: tb, c: c, backend: memory.New(), zone: calendar.NewZone(location), tokens: map[string]string{},
		wall: time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC),
	}
	w.day = w.zone.At(calendar.MustParse("2026-03-06"), 7, 0)
	if w.ring, err = seal.New(seal.Derive([]byte("key of a test"), "contracttest")); err != nil {
		tb.Fatal(err)
	}
	w.engine, err = engine.New(engine.Config{
		Backend: w.backend, Zone: w.zone, Now: w.business, Node: "test", Wire: resource.APIVersion, Seal: w.ring.Seal, Open: w.ring.Open,
		Alarm: func(a engine.Alarm) { tb.Errorf("alarm %s: %v\n%s", a.What, a.Err, a.Stack) },
		EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
			return resource.EncodeEvent(e, at, by)
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { w.engine.Run(ctx); close(done) }()
	w.stop = func() { cancel(); <-done }
	w.service = &serve.Service{Zone: w.zone, Now: w.business, Seed: w.seed, Seal: w.ring.Seal, Open: w.ring.Open, Fingerprint: fingerprint, CheckURL: outbound.Rules{}.CheckURL}
	w.service.Desk = &buyer.Desk{
		Zone: w.zone, Now: w.business, Wall: w.now, Seed: w.seed, Seal: w.ring.Seal, Open: w.ring.Open, Hash: fingerprint, Base: base, Sandbox: true,
		Facts: sandbox.Ports(), Patient: true,
	}
	w.whole = w.serve(change...)
	w.mend()
	w.people()
	return w
}

// in creates a world that ends with the test.
func in(t *testing.T, c *contract, change ...func(*rest.Config)) *world {
	t.Helper()
	w := newWorld(t, c, change...)
	t.Cleanup(w.stop)
	return w
}

// serve creates an API of the world.
func (w *world) serve(change ...func(*rest.Config)) http.Handler {
	w.tb.Helper()
	config := rest.Config{
		BaseURL: base, Authenticator: gate{auth.NewAuthenticator(w.backend, w.now)}, CursorKey: make([]byte, 32), Now: w.now,
		Log: slog.New(slog.DiscardHandler), MaxFailures: 1e6, MaxMisses: 1e6,
	}
	for _, fn := range change {
		fn(&config)
	}
	api, err := httpapi.New(config, httpapi.Table(w.service))
	if err != nil {
		w.tb.Fatal(err)
	}
	return api
}

// mend repairs the world after a fault.
func (w *world) mend() {
	w.api = w.whole
	w.service.Submit, w.service.Store = w.engine, w.backend
	w.service.Desk.Submit, w.service.Desk.Store = w.engine, w.backend
	w.service.OAuth = auth.NewServer(w.backend, w.engine, auth.NewAuthenticator(w.backend, w.now), w.now)
}

// people creates the merchants, their companies, and a token for everybody.
func (w *world) people() {
	w.a = w.act("", merchants.CreateMerchant{Title: "Harbor Supply", Settings: lending.DefaultSettings()}).(*credit.Merchant).ID
	w.b = w.act("", merchants.CreateMerchant{Title: "Quay Tools", Settings: lending.DefaultSettings()}).(*credit.Merchant).ID
	w.company, w.foreign = w.newCompany(w.a), w.newCompany(w.b)
	w.tokens["a"], w.tokens["b"], w.tokens["ops"] = w.token(w.a, 1e6), w.token(w.b, 1e6), w.token("", 1e6)
	w.secret = "tns_" + strings.Repeat("0", 48)
	w.client = w.addClient("cli_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", 1e5)
}

func (w *world) issuer() auth.Issuer {
	return auth.Issuer{Store: w.backend, Submit: w.engine, Now: w.now}
}

// addClient creates a client that requests tokens with the world's secret.
func (w *world) addClient(id string, burst int) string {
	w.tb.Helper()
	if _, err := w.issuer().Create(context.Background(), access.CreateClient{
		ID: id, Merchant: w.a, Title: "asks for tokens", PerMinute: 10 * burst, Burst: burst, SecretHash: auth.HashSecret(auth.Secret(w.secret)),
	}); err != nil {
		w.tb.Fatal(err)
	}
	return id
}

func (w *world) newCompany(merchant string) int64 {
	w.tb.Helper()
	w.named++
	return w.act("", lending.CreateCompany{
		Title: fmt.Sprint("Company ", w.named), Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("9000000.00"), Merchants: []string{merchant},
	}).(*credit.Company).ID
}

// token creates a client of a merchant, or of the operator, with a token.
func (w *world) token(merchant string, burst int, scopes ...string) string {
	w.tb.Helper()
	w.named++
	make := access.CreateClient{
		ID: fmt.Sprintf("cli_TEST%d", w.named), Merchant: merchant, Title: "test", Scopes: scopes, PerMinute: 1_000_000, Burst: burst,
	}
	if burst == 1 {
		make.PerMinute = 1
	}
	c, err := w.issuer().Create(context.Background(), make)
	if err != nil {
		w.tb.Fatal(err)
	}
	token, _, err := w.issuer().NewToken(context.Background(), c, nil, time.Hour)
	if err != nil {
		w.tb.Fatal(err)
	}
	return token
}

// act decides a command of a merchant, or of the operator.
func (w *world) act(merchant string, c credit.Command) any {
	w.tb.Helper()
	var result any
	var refused *credit.Rejection
	_, err := w.engine.Submit(context.Background(), engine.Request{
		Command: c, Actor: credit.Actor{Client: "system", Merchant: merchant, Operator: merchant == ""}, Seed: w.seed(),
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			refused, result = r, ch.Result
			if len(ch.Events) > 0 && c.Name() == "webhook.test" {
				result = ch.Events[0].ID
			}
			if len(ch.Entries) > 0 && c.Name() == "books.fund" {
				result = ch.Entries[0].ID
			}
			return engine.Response{Status: 200}
		},
	})
	if err != nil || refused != nil {
		w.tb.Fatalf("%s: %v, %v", c.Name(), err, refused)
	}
	return result
}

func (w *world) seed() (b [16]byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drawn++
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("seed"), w.drawn))
	copy(b[:], sum[:])
	return b
}

func (w *world) business() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.day
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wall
}

// state returns the hash of everything that is stored.
func (w *world) state() [32]byte {
	w.tb.Helper()
	sum, err := w.backend.Digest(context.Background())
	if err != nil {
		w.tb.Fatal(err)
	}
	return sum
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// send makes a request and checks the response against the contract.
func (w *world) send(r request) answer {
	w.tb.Helper()
	h := r.http(w)
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, h)
	a := answer{rec.Code, rec.Header(), rec.Body.Bytes()}
	w.c.note(r.op, a)
	for _, bad := range w.c.problems(r, a) {
		w.tb.Errorf("%s: %s\n%s", r, bad, clip(a.body))
	}
	return a
}

func clip(b []byte) string {
	if len(b) > 600 {
		return string(b[:600]) + " …"
	}
	return string(b)
}
