package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
)

// shop is an engine with the real domain on the reference backend, with one
// merchant and some companies.
type shop struct {
	*Engine
	db        *memory.DB
	merchant  string
	companies []int64
	seeds     uint64
}

func newShop(tb testing.TB, companies int, limit money.Amount) *shop {
	tb.Helper()
	zone, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		tb.Fatal(err)
	}
	s := &shop{db: memory.New()}
	s.Engine, err = New(Config{
		Backend: s.db, Zone: calendar.NewZone(zone), Now: func() time.Time { return start },
		EncodeEvent: func(e credit.Event, _ time.Time, _ credit.Actor) ([]byte, error) { return json.Marshal(e.Object) },
		Wire:        "v1",
		Alarm:       func(a Alarm) { tb.Errorf("alarm: %s: %v\n%s", a.What, a.Err, a.Stack) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	operator := credit.Actor{Client: "console", Operator: true}
	if _, err := s.one(tb, operator, merchants.CreateMerchant{Title: "Shop", Settings: lending.DefaultSettings()}, func(c credit.Changes) {
		s.merchant = c.Result.(*credit.Merchant).ID
	}); err != nil {
		tb.Fatal(err)
	}
	for i := range companies {
		if _, err := s.one(tb, operator, lending.CreateCompany{
			Title: fmt.Sprint("Buyer ", i), Status: credit.CompanyApproved, Tier: "A", Limit: limit, Merchants: []string{s.merchant},
			BillingAddress: credit.CompanyAddress{State: "NY", Country: "US"},
		}, func(c credit.Changes) { s.companies = append(s.companies, c.Result.(*credit.Company).ID) }); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

// one decides a command alone and passes its changes to got.
func (s *shop) one(tb testing.TB, a credit.Actor, c credit.Command, got func(credit.Changes)) (Result, error) {
	tb.Helper()
	t, err := s.Enqueue(context.Background(), Request{Command: c, Actor: a, Seed: s.seed(), Encode: func(c credit.Changes, r *credit.Rejection) Response {
		if r != nil {
			tb.Errorf("%v", r)
			return Response{Status: r.Status}
		}
		got(c)
		return Response{Status: 201}
	}})
	if err != nil {
		return Result{}, err
	}
	s.Step(context.Background())
	return t.Result()
}

func (s *shop) seed() (seed [16]byte) {
	s.seeds++
	binary.BigEndian.PutUint64(seed[8:], s.seeds)
	return seed
}

// authorize requests an authorized order; a nonempty key is its number too.
func (s *shop) authorize(company int64, amount money.Amount, key string) Request {
	return Request{
		Command: lending.CreateOrder{
			Company: company, Amount: amount, MerchantOrderID: key, Installments: 6, Authorize: true,
			Cart: []credit.CartItem{{Name: "Chair", Price: amount / 2, Quantity: 1}, {Name: "Desk", Price: amount - amount/2, Quantity: 1}},
		},
		Actor: credit.Actor{Client: "cli_1", Merchant: s.merchant, Key: key}, Seed: s.seed(), RequestHash: sha256.Sum256([]byte(key)),
		Encode: func(c credit.Changes, r *credit.Rejection) Response {
			if r != nil {
				return Response{Status: r.Status, Body: []byte(r.Code)}
			}
			return Response{Status: 201, Body: []byte(c.Result.(*credit.Order).Key)}
		},
	}
}

// Fifty simultaneous orders on one line: exactly those that fit are accepted (CL7, A31);
// sequences have no gaps (AU7) and the audit chain can be recomputed (AU5).
func TestHotLineOnMemory(t *testing.T) {
	s := newShop(t, 1, money.MustParse("1000.00"))
	done := make(chan struct{})
	go func() { s.Run(t.Context()); close(done) }()
	var callers sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for i := range 50 {
		q := s.authorize(s.companies[0], money.MustParse("100.00"), fmt.Sprint("order ", i))
		callers.Go(func() {
			x, err := s.Submit(t.Context(), q)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			statuses[x.Status]++
			mu.Unlock()
		})
	}
	callers.Wait()
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	<-done
	if statuses[201] != 10 || statuses[422] != 40 {
		t.Errorf("statuses %v, want 10 accepted and 40 refused", statuses)
	}
	checkChain(t, s.db, 52)
}

func checkChain(t *testing.T, db *memory.DB, rows int) {
	t.Helper()
	err := db.View(t.Context(), func(v store.View) error {
		var log []store.Audit
		next := int64(1)
		if err := store.EachAudit(v, 0, func(q int64, a store.Audit) error {
			if q != next {
				t.Errorf("sequence %d follows %d", q, next-1)
			}
			next++
			log = append(log, a)
			return nil
		}); err != nil {
			return err
		}
		if len(log) != rows {
			t.Errorf("%d audit rows, want %d", len(log), rows)
		}
		var head [32]byte
		return store.EachBatch(v, func(b store.BatchRow) error {
			digest := AuditDigest(b.Rules, b.Wire, log[b.FirstQ-1:b.LastQ])
			head = sha256.Sum256(append(head[:], digest[:]...))
			if digest != b.Digest || head != b.Hash {
				t.Errorf("batch %d–%d: the chain does not fit", b.FirstQ, b.LastQ)
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}

// If another node took a name meanwhile, the whole batch is decided again, and then it is a
// refusal.
func TestTakenIsRetried(t *testing.T) {
	r := newRig(t, fast)
	r.backend.script = []outcome{loses}
	r.want(r.batch(request("a"))[0], "a", 1, nil)
	if r.backend.updates != 2 {
		t.Errorf("%d updates, want 2", r.backend.updates)
	}
}

// BenchmarkStep runs one batch of 100 authorizations on as many companies. An operation is
// a batch: a command's share is a hundredth of its allocations.
func BenchmarkStep(b *testing.B) {
	s := newShop(b, 100, money.Max)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		tickets := make([]*Ticket, len(s.companies))
		for i, company := range s.companies {
			n++
			var err error
			if tickets[i], err = s.Enqueue(context.Background(), s.authorize(company, 10_000, fmt.Sprint(n))); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		s.Step(context.Background())
		b.StopTimer()
		for _, t := range tickets {
			if x, err := t.Result(); err != nil || x.Status != 201 {
				b.Fatalf("%d %s, %v", x.Status, x.Body, err)
			}
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/command")
}
