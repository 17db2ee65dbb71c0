package linear

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
	_ "time/tzdata"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
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
	"tenor/internal/proof/proctest"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random choices; 0: a new one, which is printed")

// seedOf returns the seed of a random test and prints how to reproduce it.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	s := *seedFlag
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d; again: go test ./internal/proof/linear -run '^%s$' -seed %d", s, t.Name(), s)
	return s
}

// server is Tenor in this process: an API on an engine on a backend.
type server struct {
	t         *testing.T
	handler   http.Handler
	engine    *engine.Engine
	bases     []string
	companies []string
}

type tokens map[[32]byte]rest.Principal

// Authenticate accepts the tokens of the table.
func (k tokens) Authenticate(_ context.Context, hash [32]byte) (rest.Principal, bool, error) {
	p, ok := k[hash]
	return p, ok, nil
}

// backends runs a test on those that need no installation.
func backends(t *testing.T, run func(*testing.T, store.Backend)) {
	t.Run("memory", func(t *testing.T) { run(t, memory.New()) })
	t.Run("sqlite", func(t *testing.T) {
		db, err := sqlite.Open(filepath.Join(t.TempDir(), "tenor.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		run(t, db)
	})
}

// startServer starts a server with one merchant, two API clients of it and some companies with
// lines of a thousand. wrap, if not nil, wraps the API at both of its addresses.
func startServer(t *testing.T, db store.Backend, companies int, wrap func(http.Handler) http.Handler, clients ...string) *server {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	zone := calendar.NewZone(location)
	s := &server{t: t}
	s.engine, err = engine.New(engine.Config{
		Backend: db, Zone: zone, Now: time.Now, Node: "test", Wire: resource.APIVersion,
		Alarm: func(a engine.Alarm) { t.Errorf("alarm %s: %v\n%s", a.What, a.Err, a.Stack) },
		EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
			return resource.EncodeEvent(e, at, by)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { s.engine.Run(context.Background()); close(done) }()
	t.Cleanup(func() {
		if err := s.engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
		<-done
	})
	merchant := s.must(merchants.CreateMerchant{
		Title: "Harbor Supply", Settings: lending.DefaultSettings(), Limits: credit.Limits{Due: credit.Unlimited}, // it never pays anything in
	}).(*credit.Merchant).ID
	for n := range companies {
		c := s.must(lending.CreateCompany{
			Title: fmt.Sprint("Buyer ", n+1), Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("1000.00"), Merchants: []string{merchant},
		}).(*credit.Company)
		s.companies = append(s.companies, strconv.FormatInt(c.ID, 10))
	}
	if clients == nil {
		clients = []string{"cli_first", "cli_second"}
	}
	known := tokens{}
	for i, token := range []string{"first", "second"} {
		known[sha256.Sum256([]byte(token))] = rest.Principal{
			ClientID: clients[i], Tenant: merchant, RatePerMinute: 1e8, Burst: 1e7,
			Scopes: []string{"orders:read", "orders:write", "payments:write", "companies:read"},
		}
	}
	service := &serve.Service{Submit: s.engine, Store: db, Zone: zone, Now: time.Now, Seed: drawSeed}
	api, err := httpapi.New(rest.Config{
		BaseURL: "http://tenor.test", Authenticator: known, CursorKey: make([]byte, 32),
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: time.Now,
	}, httpapi.Table(service))
	if err != nil {
		t.Fatal(err)
	}
	s.handler = api
	if wrap != nil {
		s.handler = wrap(api)
	}
	for range 2 {
		node := httptest.NewServer(s.handler)
		t.Cleanup(node.Close)
		s.bases = append(s.bases, node.URL)
	}
	return s
}

func drawSeed() (b [16]byte) {
	_, _ = rand.Read(b[:]) // never fails
	return b
}

// must submits a set-up command.
func (s *server) must(c credit.Command) any {
	s.t.Helper()
	var made any
	_, err := s.engine.Submit(context.Background(), engine.Request{
		Command: c, Actor: credit.Actor{Client: "set-up", Operator: true}, Seed: drawSeed(),
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			if r != nil {
				s.t.Errorf("%s: %v", c.Name(), r)
			}
			made = ch.Result
			return engine.Response{Status: 200}
		},
	})
	if err != nil {
		s.t.Fatalf("%s: %v", c.Name(), err)
	}
	return made
}

// setLimit acts as the operator, under a key like everybody.
func (s *server) setLimit(ctx context.Context, company, key string, cents int64) (Reply, error) {
	id, err := strconv.ParseInt(company, 10, 64)
	if err != nil {
		return Reply{}, err
	}
	limit := money.Amount(cents)
	result, err := s.engine.Submit(ctx, engine.Request{
		Command: lending.UpdateCompany{Company: id, Limit: &limit, Reasons: []string{"credit_score"}}, Actor: credit.Actor{Client: "ops", Operator: true, Key: key}, Seed: drawSeed(),
		RequestHash: sha256.Sum256(fmt.Appendf(nil, "%s %d", company, cents)),
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			if r != nil {
				return engine.Response{Status: r.Status, Body: fmt.Appendf(nil, `{"code":%q}`, r.Code)}
			}
			w := resource.NewCompany(ch.Result.(*credit.Company), resource.Lateness{}, true)
			body, err := resource.Encode(&w)
			if err != nil {
				panic(err) // the engine isolates it
			}
			return engine.Response{Status: 200, Body: body}
		},
	})
	return Reply{Status: result.Status, Seq: result.Q, Replayed: result.Replayed, Body: result.Body}, err
}

func (s *server) driver(seed uint64) *Driver {
	return &Driver{
		Bases: s.bases, Token: "first", Second: "second", Companies: s.companies, Seed: seed, SetLimit: s.setLimit,
	}
}

// interrupted provides a second address for a handler that repeatedly goes away for a while after
// a number of requests, with all of its connections, and comes back.
func interrupted(t *testing.T, api http.Handler, every int64) (base string, times *atomic.Int64) {
	t.Helper()
	address := proctest.FreeAddress(t) // nobody takes it while the server is away
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	times = &atomic.Int64{}
	away, stop, done := make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1)%every == 0 {
			select {
			case away <- struct{}{}:
			default:
			}
		}
		api.ServeHTTP(w, r)
	})
	go func() {
		defer close(done)
		for {
			server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
			go func(l net.Listener) { _ = server.Serve(l) }(listener) // it ends when it is closed
			select {
			case <-away:
				_ = server.Close()
				times.Add(1)
			case <-stop:
				_ = server.Close()
				return
			}
			<-time.After(10 * time.Millisecond) // for clients trying to connect
			if listener, err = net.Listen("tcp", address); err != nil {
				t.Errorf("listen again: %v", err)
				return
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-done })
	return "http://" + address, times
}

// record drives a server and returns what its clients have seen.
func record(t *testing.T, d *Driver) (History, Initial) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute) // it only prevents a hang
	defer stop()
	initial, err := d.Initial(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rec := NewRecorder()
	if err := d.Run(ctx, rec); err != nil {
		t.Fatal(err)
	}
	if err := d.Resolve(ctx, rec); err != nil {
		t.Fatal(err)
	}
	return rec.History(), initial
}
