package bench

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
)

// aDay is the smallest W6. Its lender runs in this process, its callers in another.
func aDay(t testing.TB) Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Open: openFile, Scratch: sqlite.Temporary, API: serveHere(newYork(t)), Zone: newYork(t), Callers: []string{self, "--call"}, Dir: t.TempDir(),
		Quick: true, Duration: 50 * time.Millisecond, DayOrders: []int{MinDayOrders}, Only: []string{W6},
	}
}

// known exposes auth's principals to the API, as cmd/tenor does.
type known struct{ *auth.Authenticator }

// Authenticate implements rest.Authenticator.
func (k known) Authenticate(ctx context.Context, hash [32]byte) (rest.Principal, bool, error) {
	p, ok, err := k.Authenticator.Authenticate(ctx, hash)
	return rest.Principal{ClientID: p.Client, Tenant: p.Merchant, Scopes: p.Scopes, RatePerMinute: p.PerMinute, Burst: p.Burst}, ok, err
}

// serveHere returns the API as cmd/tenor does.
func serveHere(zone calendar.Zone) func(store.Backend, engine.Submitter, func() time.Time) (*http.Server, error) {
	return func(db store.Backend, submit engine.Submitter, now func() time.Time) (*http.Server, error) {
		seed := func() (b [16]byte) {
			_, _ = rand.Read(b[:]) // never fails
			return b
		}
		log := slog.New(slog.DiscardHandler)
		service := &serve.Service{Submit: submit, Store: db, Zone: zone, Now: now, Seed: seed}
		api, err := httpapi.New(rest.Config{
			BaseURL: "http://localhost", Authenticator: known{auth.NewAuthenticator(db, time.Now)}, CursorKey: make([]byte, 32), Log: log, Now: time.Now,
		}, httpapi.Table(service))
		if err != nil {
			return nil, err
		}
		return rest.NewServer("", api, log).Server, nil
	}
}

// A day is measured, and one killed in the middle does everything once.
func TestDay(t *testing.T) {
	report, err := Run(context.Background(), aDay(t))
	if err != nil || !report.Valid() {
		t.Fatalf("%v: %q", err, report.Invalid)
	}
	rows := map[string]*Row{}
	for _, x := range report.Rows {
		rows[x.Variant] = x
		if x.Value.Median <= 0 || x.Errors > 0 {
			t.Errorf("%s: %+v", x.Variant, x)
		}
	}
	if x := rows["300 financings: a day killed 4 times and resumed"]; x == nil || len(rows) != 7 {
		t.Errorf("measured %d things, the killed day %v", len(rows), x)
	}
	if len(report.Targets) != 2 { // one size has nothing to compare with
		t.Errorf("%d targets", len(report.Targets))
	}
}

// BenchmarkDay is W6 with 10,000 financings, for the profiler. The days are below Engine.Run and
// Scheduler.Advance; filling the book is below neither.
func BenchmarkDay(b *testing.B) {
	for b.Loop() {
		c := aDay(b)
		c.Quick, c.Rounds, c.Duration, c.DayOrders, c.VerifyUpTo = false, 3, 300*time.Millisecond, []int{10_000}, 1
		report, err := Run(context.Background(), c)
		if err != nil || !report.Valid() {
			b.Fatalf("%v: %q", err, report.Invalid)
		}
		for _, x := range report.Rows {
			b.Logf("%s: %v %s, p99 %v ms", x.Variant, x.Value, x.Unit, x.P99)
		}
	}
}

// twice makes a clockwork that serves a transfer debit an order a second time, once.
type twice struct {
	engine.Submitter

	mu     sync.Mutex
	orders []string // already served
	done   bool
}

// Submit implements engine.Submitter.
func (s *twice) Submit(ctx context.Context, r engine.Request) (engine.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := r.Command.(lending.ServiceOrder); ok {
		s.orders = append(s.orders, c.Order)
	}
	if _, sends := r.Command.(payments.ServiceTransfer); sends && !s.done {
		for _, order := range s.orders {
			again := r
			again.Seed[0]++
			again.Command = payments.RecordPayment{Order: order, Amount: 100, Method: credit.ACH, ScheduledDate: calendar.None, EffectiveDate: calendar.None}
			res, err := s.Submitter.Submit(ctx, again)
			if err != nil {
				return res, err
			}
			if s.done = res.Rejection == nil; s.done { // otherwise its company has no account to debit
				break
			}
		}
	}
	return s.Submitter.Submit(ctx, r)
}

// A duplicate debit makes the run invalid, although the books themselves are consistent and
// verify finds nothing.
func TestDoubleDebitIsInvalid(t *testing.T) {
	c := aDay(t)
	shared := &twice{}
	c.meddle = func(s engine.Submitter) engine.Submitter {
		shared.Submitter = s
		return shared
	}
	report, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(report.Invalid, "\n")
	if !strings.Contains(said, "were initiated") || !strings.Contains(said, "the bank was sent") || strings.Contains(said, "verify found") {
		t.Errorf("a debit was made twice, and the report says %q", said)
	}
}

// An unexpected response makes the run invalid, and is reported.
func TestFailedCallsAreInvalid(t *testing.T) {
	c := aDay(t)
	whole := c.API
	c.API = func(db store.Backend, submit engine.Submitter, now func() time.Time) (*http.Server, error) {
		s, err := whole(db, submit, now)
		if err == nil {
			answer := s.Handler
			s.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if q.Method == http.MethodPost {
					http.Error(w, "the shop is shut", http.StatusTeapot)
					return
				}
				answer.ServeHTTP(w, q)
			})
		}
		return s, err
	}
	report, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(report.Invalid, "\n"); !strings.Contains(said, "requests failed: POST /order: 418") || !strings.Contains(said, "the shop is shut") {
		t.Errorf("no order was accepted, and the report says %q", said)
	}
}

// Callers that cannot start say why.
func TestCallersDoNotBegin(t *testing.T) {
	for _, x := range []struct{ job, want string }{
		{"", "EOF"},
		{`{"host":7}`, "cannot unmarshal"},
		{`{"host":"127.0.0.1:1"}`, "companies and orders are needed"},
		{`{"host":"127.0.0.1:0","companies":[1],"orders":["x"]}`, "connect"},
	} {
		var out bytes.Buffer
		if err := Call(context.Background(), strings.NewReader(x.job), &out); err == nil || !strings.Contains(err.Error(), x.want) || out.Len() > 0 {
			t.Errorf("%s: %v, %q", x.job, err, out.String())
		}
	}
	if _, err := startCallers(aDay(t).Callers, []byte("no job")); err == nil || !strings.Contains(err.Error(), "invalid character") {
		t.Errorf("a process without a job: %v", err)
	}
}

// Measurements survive the transfer between processes.
func TestTold(t *testing.T) {
	sent := &result{gap: time.Second, elapsed: time.Minute}
	for i := range 10_000 {
		sent.tally(time.Duration(i*i)*time.Microsecond, nil)
	}
	sent.tally(0, errors.New("shut"))
	text, err := json.Marshal(sent.told([]string{"ord_1"}))
	if err != nil {
		t.Fatal(err)
	}
	var told called
	if err := json.Unmarshal(text, &told); err != nil {
		t.Fatal(err)
	}
	got, err := told.result()
	if err != nil || got.first == nil || got.first.Error() != "shut" || !slices.Equal(told.Created, []string{"ord_1"}) {
		t.Fatalf("%+v, %v", told, err)
	}
	if got.first = sent.first; *got != *sent {
		t.Error("it has changed on the way")
	}
	told.Counts = map[int]uint32{-1: 1}
	if _, err := told.result(); err == nil {
		t.Error("a bucket that there is not")
	}
}

// A thirtieth of the financings is due on each day, and nothing is due between the
// last of the days and those of the others.
func TestLots(t *testing.T) {
	todo, dates := lots(90_000, maxDays)
	sum, due := 0, map[calendar.Date]int{}
	for i, l := range todo {
		sum += l.orders
		if !l.unpaid {
			due[l.captured.AddMonths(1)] += l.orders
		}
		if l.captured < firstCapture || i > 0 && l.captured < todo[i-1].captured {
			t.Errorf("lot %d is captured on %s", i, l.captured)
		}
	}
	if sum != 90_000 || len(dates) != maxDays || dates[0].String() != "2026-08-13" || dates[maxDays-1] >= lastDue-1 {
		t.Errorf("%d financings, days %v", sum, dates)
	}
	for _, d := range dates {
		if due[d] != 3000 || !d.IsBankingDay() {
			t.Errorf("on %s %d are due", d, due[d])
		}
	}
	if len(due) != maxDays+2 {
		t.Errorf("something is due on %d dates", len(due))
	}
}
