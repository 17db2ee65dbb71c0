package bench

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"sync"
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
	"tenor/internal/edge/resource"
)

// callers is the number of concurrent requests.
const callers = 64

// rig is a running engine with one merchant and its companies.
type rig struct {
	engine    *engine.Engine
	merchant  string
	companies []int64
}

func open(b *testing.B, db store.Backend, companies, batch int) *rig {
	b.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		b.Fatal(err)
	}
	s := &rig{}
	s.engine, err = engine.New(engine.Config{
		Backend: db, Zone: calendar.NewZone(location), Now: time.Now, Node: "bench", Batch: batch,
		Alarm:       func(a engine.Alarm) { b.Errorf("%s: %v", a.What, a.Err) },
		EncodeEvent: encodeEvent, Wire: resource.APIVersion,
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.engine.Run(ctx); close(done) }()
	b.Cleanup(func() { stop(); <-done; _ = db.Close() })
	s.merchant = s.do(b, "", merchants.CreateMerchant{Title: "Harbor Supply", Settings: lending.DefaultSettings()}, "").(*credit.Merchant).ID
	for i := range companies {
		c := s.do(b, "", lending.CreateCompany{
			Title: fmt.Sprintf("Company %d", i), Status: credit.CompanyApproved, Tier: "A",
			Limit: money.Max * 1000, Merchants: []string{s.merchant},
		}, "").(*credit.Company)
		s.companies = append(s.companies, c.ID)
	}
	return s
}

// do submits a command as an edge does, with the response encoded in the commit.
func (s *rig) do(b *testing.B, merchant string, c credit.Command, key string) any {
	var seed [16]byte
	_, _ = rand.Read(seed[:])
	var result any
	_, err := s.engine.Submit(context.Background(), engine.Request{
		Command: c, Seed: seed, RequestHash: [32]byte(append(seed[:], seed[:]...)),
		Actor: credit.Actor{Client: "bench", Merchant: merchant, Operator: merchant == "", RequestID: "req_bench", Key: key},
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			if r != nil {
				b.Errorf("%s: %v", c.Name(), r)
				return engine.Response{Status: r.Status}
			}
			result = ch.Result
			return respond(ch, r)
		},
	})
	if err != nil {
		b.Errorf("%s: %v", c.Name(), err)
	}
	return result
}

func BenchmarkAuthorize(b *testing.B) {
	for _, x := range []struct {
		name             string
		companies, batch int
	}{
		{"many", 1000, 0}, {"hot", 1, 0}, {"many/one-by-one", 1000, 1},
	} {
		b.Run("memory/"+x.name, func(b *testing.B) { placeOrders(b, open(b, memory.New(), x.companies, x.batch)) })
		b.Run("sqlite/"+x.name, func(b *testing.B) {
			db, err := sqlite.Open(filepath.Join(b.TempDir(), "tenor.db"), sqlite.Options{})
			if err != nil {
				b.Fatal(err)
			}
			placeOrders(b, open(b, db, x.companies, x.batch))
		})
	}
}

// placeOrders creates and authorizes b.N orders of two cart items, 64 at a time,
// each with an Idempotency-Key.
func placeOrders(b *testing.B, s *rig) {
	var next atomic.Int64
	var done sync.WaitGroup
	before := s.engine.Stats()
	b.ResetTimer()
	for range callers {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				s.do(b, s.merchant, lending.CreateOrder{
					Company: s.companies[int(i)%len(s.companies)], Amount: orderAmount, MerchantOrderID: fmt.Sprintf("PO-%d", i),
					Installments: installments, Cart: cart(), Authorize: true,
				}, fmt.Sprintf("key-%d", i))
			}
		}()
	}
	done.Wait()
	b.StopTimer()
	after := s.engine.Stats()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "orders/s")
	b.ReportMetric(float64(b.N)/float64(max(1, after.Batches-before.Batches)), "orders/batch")
}
