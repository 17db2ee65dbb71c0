package linear

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// dice can be used by many goroutines.
type dice struct {
	mu     sync.Mutex
	random *rand.Rand
}

func newDice(seed uint64) *dice { return &dice{random: rand.New(rand.NewPCG(seed, 99))} }

func (d *dice) in(n int) bool { return d.n(n) == 0 }

func (d *dice) n(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.random.IntN(n)
}

// answered runs a handler and returns its response.
func answered(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func send(w http.ResponseWriter, a *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), a.Header())
	w.Header().Del("Content-Length")
	w.WriteHeader(a.Code)
	_, _ = w.Write(a.Body.Bytes()) // the client may be gone
}

func isRead(r *http.Request) bool { return r.Method == http.MethodGet }

// A connection lost before or after the decision, a 503 that says nothing, and one that says no:
// everything is resolved in the end, and there is still a single order of events (e).
func TestUnansweredCallsAreResolved(t *testing.T) {
	seed := seedOf(t)
	backends(t, func(t *testing.T, db store.Backend) {
		d := newDice(seed)
		s := startServer(t, db, 2, func(api http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch n := d.n(100); {
				case n < 3:
					panic(http.ErrAbortHandler)
				case n < 6:
					answered(api, r)
					panic(http.ErrAbortHandler)
				case n < 8:
					answered(api, r)
					http.Error(w, `{"code":"outcome_unknown"}`, http.StatusServiceUnavailable)
				case n < 9:
					http.Error(w, `{"code":"overloaded"}`, http.StatusServiceUnavailable)
				default:
					api.ServeHTTP(w, r)
				}
			})
		})
		driver := s.driver(seed)
		driver.Clients, driver.Operations, driver.Unit = 12, 1500, 4000
		h, initial := record(t, driver)
		report := Check(h, initial)
		t.Logf("%s", report)
		if !report.OK() || report.Unanswered < 20 {
			t.Errorf("%d unanswered: %s", report.Unanswered, report)
		}
		cross, err := CrossCheck(h, initial, Window{Operations: 500})
		if err != nil || !cross.OK() {
			t.Errorf("porcupine: %+v, %v", cross, err)
		}
	})
}

// control drives a server behind a fault and requires that the check reports it.
func control(t *testing.T, want Kind, porcupine bool, wrap func(http.Handler, *dice) http.Handler, clients ...string) {
	t.Helper()
	seed := seedOf(t)
	d := newDice(seed)
	s := startServer(t, memory.New(), 2, func(h http.Handler) http.Handler { return wrap(h, d) }, clients...)
	driver := s.driver(seed)
	driver.Clients, driver.Operations, driver.Unit = 12, 1500, 4000
	h, initial := record(t, driver)
	report := Check(h, initial)
	t.Logf("%s", report)
	if !report.Found(want) {
		t.Errorf("not found: %s", want)
	}
	if !porcupine {
		return
	}
	cross, err := CrossCheck(h, initial, Window{})
	if err != nil || cross.OK() {
		t.Errorf("porcupine finds an order: %+v, %v", cross, err)
	}
}

// M2: two concurrent callers get each other's responses.
func TestFindsSwappedAnswers(t *testing.T) {
	control(t, Swapped, true, func(api http.Handler, d *dice) http.Handler {
		type offer struct {
			mine, theirs chan *httptest.ResponseRecorder
		}
		meet := make(chan offer)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := answered(api, r)
			if !isRead(r) && d.in(30) {
				o := offer{make(chan *httptest.ResponseRecorder, 1), make(chan *httptest.ResponseRecorder, 1)}
				o.mine <- a
				select {
				case meet <- o: // somebody is waiting: it takes ours, we take its
					a = <-o.theirs
				case o := <-meet:
					o.theirs <- a
					a = <-o.mine
				case <-time.After(100 * time.Millisecond): // nobody came: our own
				}
			}
			send(w, a)
		})
	})
}

// M14: a response is encoded only after others have changed the order again. For porcupine some
// of these are a different order of concurrent calls.
func TestFindsLateAnswers(t *testing.T) {
	control(t, Late, false, func(api http.Handler, d *dice) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := answered(api, r)
			if r.Method == http.MethodPatch && a.Code == http.StatusOK && !strings.HasSuffix(r.URL.Path, "/refund") && d.in(3) {
				for range 500 {
					read := httptest.NewRequest(http.MethodGet, r.URL.Path, nil)
					read.Header.Set("Authorization", r.Header.Get("Authorization"))
					if now := answered(api, read); now.Header().Get("ETag") != a.Header().Get("ETag") {
						a.Body = now.Body
						break
					}
				}
			}
			send(w, a)
		})
	})
}

// A lagging replica: a read is answered with an earlier state, and its sequence.
func TestFindsStaleReads(t *testing.T) {
	control(t, Stale, true, staleReads(true))
}

// A cache that is not invalidated: an old body under a new sequence.
func TestFindsStaleBodies(t *testing.T) {
	control(t, Stale, true, staleReads(false))
}

func staleReads(withSequence bool) func(http.Handler, *dice) http.Handler {
	return func(api http.Handler, d *dice) http.Handler {
		var mu sync.Mutex
		old := map[string]*httptest.ResponseRecorder{}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := answered(api, r)
			if isRead(r) {
				mu.Lock()
				kept := old[r.URL.Path]
				switch {
				case kept == nil || d.in(4):
					old[r.URL.Path] = a
				case d.in(4) && !bytes.Equal(kept.Body.Bytes(), a.Body.Bytes()):
					stale, header := httptest.NewRecorder(), a.Header()
					if withSequence {
						header = kept.Header()
					}
					maps.Copy(stale.Header(), header)
					stale.Code, stale.Body = a.Code, bytes.NewBuffer(kept.Body.Bytes())
					a = stale
				}
				mu.Unlock()
			}
			send(w, a)
		})
	}
}

// A forgotten key: a retry is executed again.
func TestFindsKeysExecutedTwice(t *testing.T) {
	control(t, Twice, true, func(api http.Handler, d *dice) http.Handler {
		var mu sync.Mutex
		seen := map[string]bool{}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Idempotency-Key")
			mu.Lock()
			if id := r.Header.Get("Authorization") + key; key != "" && seen[id] {
				r.Header.Set("Idempotency-Key", key+"-again")
			} else {
				seen[id] = true
			}
			mu.Unlock()
			api.ServeHTTP(w, r)
		})
	})
}

// M21: two API clients share the keys.
func TestFindsSharedKeys(t *testing.T) {
	control(t, Shared, false, func(api http.Handler, _ *dice) http.Handler { return api }, "cli_same", "cli_same")
}

// (d): a command not sent by any client used a sequence. If the check knows of it, it passes.
func TestFindsMissingSequence(t *testing.T) {
	seed := seedOf(t)
	s := startServer(t, memory.New(), 3, nil)
	d := s.driver(seed)
	d.Companies, d.Clients, d.Operations = s.companies[:2], 4, 200
	initial, err := d.Initial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	limit := money.MustParse("2000.00")
	var company int64
	if err := json.Unmarshal([]byte(s.companies[2]), &company); err != nil {
		t.Fatal(err)
	}
	s.must(lending.UpdateCompany{Company: company, Limit: &limit, Reasons: []string{"credit_score"}})
	rec := NewRecorder()
	if err := d.Run(t.Context(), rec); err != nil {
		t.Fatal(err)
	}
	report := Check(rec.History(), initial)
	// Reads before a client's first write saw that sequence, too.
	other := func(v Violation) bool { return v.Seq != initial.Seq+1 }
	if !report.Found(Missing) || slices.ContainsFunc(report.Violations, other) {
		t.Errorf("want a missing sequence, %d: %s", initial.Seq+1, report)
	}
	initial.Others = []int64{initial.Seq + 1}
	if report := Check(rec.History(), initial); !report.OK() {
		t.Error(report)
	}
}
