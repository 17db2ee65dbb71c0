package thief

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"tenor/internal/core/clock"
	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/clockwork"
	"tenor/internal/ports/outbound"
	"tenor/internal/ports/rails/fake"
)

// world is a lender in one process, as the holder of a token sees it: the API, the real engine on
// the reference store, the real scheduler, and the sandbox's bank behind real files. Its clock
// only moves when told to, and its random numbers are a counter: the same calls make the same
// world.
type world struct {
	t      testing.TB
	db     *memory.DB
	eng    *engine.Engine
	api    http.Handler
	table  []rest.Operation
	work   *clockwork.Scheduler
	clock  *clock.Settable
	zone   calendar.Zone
	bank   *fake.Bank
	ring   seal.Ring
	tokens map[string]string // by caller: "operator" or the id of a merchant
	drawn  uint64
	named  int
	meter  *meter
	close  func()
	broken []string // what no call and no passage of time may cause: engine alarms, faults, a failing turn
	log    []string // requests and answers, for the reader of a failure
}

// newWorld sets up a lender on a morning, "2026-01-05 10:00" in the business zone.
func newWorld(t testing.TB, at string) *world {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: memory.New(), zone: calendar.NewZone(location), tokens: map[string]string{}}
	w.clock = clock.NewSettable(w.instant(at))
	if w.ring, err = seal.New(seal.Derive([]byte("a key for tests that is long enough"), "thief")); err != nil {
		t.Fatal(err)
	}
	w.eng, err = engine.New(engine.Config{
		Backend: w.db, Zone: w.zone, Now: w.clock.Now, Node: "thief", Wire: resource.APIVersion, Seal: w.ring.Seal, Open: w.ring.Open,
		EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
			return resource.EncodeEvent(e, at, by)
		},
		Alarm: func(a engine.Alarm) {
			w.broken = append(w.broken, fmt.Sprintf("alarm %s: %v %T %+v\n%s", a.What, a.Err, a.Command, a.Command, a.Stack)) // for a batch there is no command
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { w.eng.Run(ctx); close(done) }()
	w.close = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(w.close)
	w.bank = fake.New(w.zone, w.clock.Now)
	w.open()
	w.tokens["operator"] = w.token("")
	w.must("operator", "POST", "/v1/operator/ledger/funding", `{"amount":"1000000.00","direction":"IN","reference":"first"}`)
	w.meter = newMeter(w)
	return w
}

// open creates the API and the scheduler.
func (w *world) open() {
	w.t.Helper()
	service := &serve.Service{
		Submit: w.eng, Store: w.db, Zone: w.zone, Now: w.clock.Now, Seed: w.seed, Seal: w.ring.Seal, Open: w.ring.Open, Fingerprint: fingerprint,
		CheckURL: outbound.Rules{}.CheckURL, OAuth: auth.NewServer(w.db, w.eng, auth.NewAuthenticator(w.db, w.clock.Now), w.clock.Now),
	}
	w.table = httpapi.Table(service)
	var err error
	w.api, err = httpapi.New(rest.Config{
		BaseURL: "http://tenor.test", Authenticator: gate{auth.NewAuthenticator(w.db, w.clock.Now)}, CursorKey: make([]byte, 32), Now: w.clock.Now,
		Log: slog.New(slog.DiscardHandler), MaxFailures: 1e6, MaxMisses: 1e6,
	}, w.table)
	if err != nil {
		w.t.Fatal(err)
	}
	w.work, err = clockwork.New(clockwork.Config{
		Backend: w.db, Submit: w.eng, Now: w.clock.Now, Wall: w.clock.Now, Zone: w.zone, Node: "thief", Alone: true,
		Bank: w.bank, Origin: fake.Origin(), Cards: w.bank.Cards(), Open: w.ring.Open, Seal: w.ring.Seal, Fingerprint: fingerprint,
		Seed: w.seed, InFlight: 1,
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// gate passes auth's principals to the API.
type gate struct{ *auth.Authenticator }

func (g gate) Authenticate(ctx context.Context, hash [32]byte) (rest.Principal, bool, error) {
	p, ok, err := g.Authenticator.Authenticate(ctx, hash)
	return rest.Principal{
		ClientID: p.Client, Tenant: p.Merchant, Operator: p.Operator, Scopes: p.Scopes, RatePerMinute: p.PerMinute, Burst: p.Burst,
	}, ok, err
}

func fingerprint(routing, number string) string {
	h := sha256.Sum256([]byte(routing + "/" + number))
	return hex.EncodeToString(h[:])
}

func (w *world) seed() (b [16]byte) {
	w.drawn++
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("seed"), w.drawn))
	copy(b[:], sum[:])
	return b
}

// instant reads "2026-01-10 10:00" in the business zone.
func (w *world) instant(text string) time.Time {
	w.t.Helper()
	t, err := time.ParseInLocation("2006-01-02 15:04", text, w.zone.Location())
	if err != nil {
		w.t.Fatal(err)
	}
	return t
}

// token creates a client with every scope of its kind, and a token for it that outlives the test.
func (w *world) token(merchant string) string {
	w.t.Helper()
	w.named++
	issuer := auth.Issuer{Store: w.db, Submit: w.eng, Now: w.clock.Now}
	c, err := issuer.Create(context.Background(), access.CreateClient{
		ID: fmt.Sprintf("cli_TEST%d", w.named), Merchant: merchant, Title: "test", PerMinute: 1_000_000, Burst: 1_000_000,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	token, _, err := issuer.NewToken(context.Background(), c, nil, 10*365*24*time.Hour)
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// answer is the response to a call.
type answer struct {
	Status int
	Code   string // of a refusal, "" if it was accepted
	Body   map[string]any
	Text   string
}

// text returns a member of the answer, "" if it does not exist.
func (a answer) text(name string) string {
	switch v := a.Body[name].(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// call calls the API with a token, and lets the meter check the result.
func (w *world) call(who, method, path, body string) answer {
	w.t.Helper()
	r := httptest.NewRequest(method, "http://tenor.test"+path, strings.NewReader(body))
	if body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	} else {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Authorization", "Bearer "+w.tokens[who])
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, r)
	a := answer{Status: rec.Code, Text: rec.Body.String()}
	if rec.Body.Len() > 0 {
		d := json.NewDecoder(bytes.NewReader(rec.Body.Bytes()))
		d.UseNumber()
		if err := d.Decode(&a.Body); err != nil {
			w.t.Fatalf("%s %s: answer %s: %v", method, path, a.Text, err)
		}
	}
	if a.Status >= 400 {
		a.Code = a.text("code")
	}
	w.log = append(w.log, fmt.Sprintf("%s %s %s %s %s → %d %s", w.clock.Now().In(w.zone.Location()).Format("2006-01-02 15:04"), who, method, path, body, a.Status, a.Code))
	if a.Status >= 500 {
		w.broken = append(w.broken, w.log[len(w.log)-1])
	}
	if w.meter != nil && method != http.MethodGet {
		w.meter.after(who, fmt.Sprintf("%s %s %s", method, path, body))
	}
	return a
}

// must makes a call that cannot be refused.
func (w *world) must(who, method, path, body string) answer {
	w.t.Helper()
	a := w.call(who, method, path, body)
	if a.Status >= 300 {
		w.t.Fatalf("%s %s %s: %d %s", method, path, body, a.Status, a.Text)
	}
	return a
}

// until lets time pass up to an instant, stop by stop, with all that is due.
func (w *world) until(at time.Time) {
	w.t.Helper()
	err := w.work.Advance(context.Background(), w.clock, at, func(clockwork.Progress) {
		w.meter.after("", "time")
	})
	if err != nil {
		w.broken = append(w.broken, err.Error())
	}
}

// days lets the given number of days pass.
func (w *world) days(n int) {
	w.t.Helper()
	w.until(w.zone.At(w.today()+calendar.Date(n), 10, 0))
}

func (w *world) today() calendar.Date { return w.zone.Date(w.clock.Now()) }

// merchant creates a merchant that is paid into an account, with these members of its program.
func (w *world) merchant(title, settings string) string {
	w.t.Helper()
	body := fmt.Sprintf(`{"reason":"x","name":%q}`, title)
	if settings != "" {
		body = fmt.Sprintf(`{"reason":"x","name":%q,%s}`, title, settings)
	}
	id := w.must("operator", "POST", "/v1/operator/merchants", body).text("id")
	w.tokens[id] = w.token(id)
	w.must("operator", "PUT", "/v1/operator/merchants/"+id+"/bank_account", fmt.Sprintf(
		`{"reason":"x","routing_number":%q,"account_number":"2001002%02d","holder_name":%q}`, fake.Routing, w.named, title))
	return id
}

// company creates an approved company with a line, linked to merchants.
func (w *world) company(title, limit string, merchants ...string) string {
	w.t.Helper()
	linked, err := json.Marshal(merchants)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.must("operator", "POST", "/v1/operator/companies", fmt.Sprintf(
		`{"reason":"x","name":%q,"email":"accounts@buyer.example","tier":"A","limit":%q,"merchants":%s,"billing_address":{"street":"1 Main St","city":"Albany","state":"NY","postal_code":"12207"}}`,
		title, limit, linked)).text("id")
}

// account adds a bank account to a company and returns its id; "" if it was refused.
func (w *world) account(who, company, number, kind string) string {
	w.t.Helper()
	return w.call(who, "POST", "/v1/companies/"+company+"/payment_methods", w.accountBody(number, kind)).text("id")
}

func (w *world) accountBody(number, kind string) string {
	return fmt.Sprintf(`{"type":"ACH","routing_number":%q,"account_number":%q,"holder_type":%q,"holder_name":"Alder Kitchens","authorization":%s}`,
		fake.Routing, number, kind, w.consent("WEB"))
}

func (w *world) consent(channel string) string {
	text := fmt.Sprintf(`{"accepted_at":%q,"reference":"terms 1"}`, w.clock.Now().UTC().Format(time.RFC3339))
	if channel != "" {
		text = text[:len(text)-1] + fmt.Sprintf(`,"channel":%q}`, channel)
	}
	return text
}

// captured creates an order and captures it. It returns the key, "" if one of the two was
// refused.
func (w *world) captured(who, company, amount string, installments int, more string) (string, answer) {
	w.t.Helper()
	a := w.call(who, "POST", "/order", fmt.Sprintf(`{"company_id":%s,"amount":%q,"installments":%d,"status":"AUTHORIZED"%s}`, company, amount, installments, more))
	if a.Code != "" {
		return "", a
	}
	key := a.text("key")
	if a = w.call(who, "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`); a.Code != "" {
		return "", a
	}
	return key, a
}

// mustCapture is captured for when nothing can be refused.
func (w *world) mustCapture(who, company, amount string, installments int) string {
	w.t.Helper()
	key, a := w.captured(who, company, amount, installments, "")
	if key == "" {
		w.t.Fatalf("order of %s: %s", amount, a.Text)
	}
	return key
}

// pay records or requests a payment of an order.
func (w *world) pay(who, order, amount, method, more string) answer {
	w.t.Helper()
	return w.call(who, "POST", "/payment", fmt.Sprintf(`{"order_key":%q,"amount":%q,"method":%q%s}`, order, amount, method, more))
}

// refundOrder and refundPayment refund an amount, or all that is left if it is "".
func (w *world) refundOrder(who, order, amount string) answer {
	w.t.Helper()
	return w.call(who, "PATCH", "/v1/order/"+order+"/refund", amountBody(amount))
}

func (w *world) refundPayment(who, payment, amount string) answer {
	w.t.Helper()
	return w.call(who, "POST", "/payment/"+payment+"/refund", amountBody(amount))
}

func amountBody(amount string) string {
	if amount == "" {
		return `{}`
	}
	return fmt.Sprintf(`{"amount":%q}`, amount)
}

// autopay switches on or off the debit of a company's installments from an account.
func (w *world) autopay(who, company, method string, on bool) answer {
	w.t.Helper()
	return w.call(who, "PATCH", "/v1/companies/"+company+"/autopay", fmt.Sprintf(`{"enabled":%t,"payment_method_id":%q}`, on, method))
}

// collects lets the company itself tell the lender to debit an account.
func (w *world) collects(company, method string) {
	w.t.Helper()
	w.must("operator", "PATCH", "/v1/companies/"+company+"/autopay", fmt.Sprintf(`{"enabled":true,"payment_method_id":%q}`, method))
}

// debit requests money for an order from an account.
func (w *world) debit(who, order, amount, method string) answer {
	w.t.Helper()
	return w.must(who, "POST", "/payment", fmt.Sprintf(`{"order_key":%q,"amount":%q,"method":"ACH","payment_method_id":%q}`, order, amount, method))
}
