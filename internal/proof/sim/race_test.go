package sim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/proof/pgtest"
)

// TestMain stops the PostgreSQL server that tests have started.
func TestMain(m *testing.M) { pgtest.Main(m) }

// backends runs a test on each backend.
func backends(t *testing.T, run func(*testing.T, store.Backend)) {
	t.Run("memory", func(t *testing.T) { run(t, memory.New()) })
	t.Run("sqlite", func(t *testing.T) { run(t, OpenSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { run(t, OpenPostgres(t)) })
}

// after uses the wall clock, except for a retry that waits for the first request with its key:
// that waits as long as the disk takes.
func after(d time.Duration) <-chan time.Time {
	if d == engine.KeyWait {
		return nil
	}
	return time.After(d)
}

// racing sets up a world and runs its engine in its own goroutine, on the wall clock's timers and
// a stopped business clock.
func racing(t *testing.T, db store.Backend) (w *World, m *Model, stop func()) {
	t.Helper()
	w, err := NewWorld(db, func(c *engine.Config) { c.After = after })
	if err != nil {
		t.Fatal(err)
	}
	location, err := BusinessZone()
	if err != nil {
		t.Fatal(err)
	}
	m = NewModel(location, nil)
	if err := Found(w, m, 3); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		w.Engine.Run(context.Background())
		close(done)
	}()
	return w, m, func() {
		if err := w.Engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
		<-done
		if len(w.Alarms) > 0 {
			t.Errorf("alarm: %s: %v", w.Alarms[0].What, w.Alarms[0].Err)
		}
		b, err := ReadBooks(db)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Check(); err != nil {
			t.Error(err)
		}
	}
}

// However many callers ask at once, a line is never exceeded, and exactly as many are accepted as
// fit: min(N, ⌊v/a⌋) (T17, CL7, A31). Cancels give back what they reserved.
func TestRaceForOneLine(t *testing.T) {
	seed := SeedOf(t)
	backends(t, func(t *testing.T, db store.Backend) {
		w, m, stop := racing(t, db)
		draw, number := NewRand(seed), uint64(1_000_000)
		company := m.Companies()[0]
		limit := int64(Limits()[0])
		for round := range 6 {
			callers := int(Between(draw, 20, 120))
			amount := Between(draw, limit/150, limit/5)
			keys, codes := storm(t, w, m.Merchants()[round%2], company, amount, callers, number)
			number += 1_000
			want := min(int64(callers), limit/amount)
			if int64(len(keys)) != want || len(codes) != callers-len(keys) {
				t.Fatalf("round %d: %d of %d accepted at %d on %d, want %d", round, len(keys), callers, amount, limit, want)
			}
			for _, code := range codes {
				if code != "insufficient_credit" {
					t.Fatalf("round %d: refused with %s", round, code)
				}
			}
			cancelAll(t, w, m.Merchants()[round%2], keys, number)
			number += 1_000
		}
		stop()
	})
}

// storm authorizes concurrently in one goroutine per caller, and returns the orders' keys and the
// codes of the refusals.
func storm(t *testing.T, w *World, merchant string, company, amount int64, callers int, number uint64) (keys, codes []string) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range callers {
		c := lending.CreateOrder{Company: company, Amount: money.Amount(amount), Installments: 3, Authorize: true}
		q, err := NewRequest(Request{Shop(merchant), c}, number+uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			<-start
			r, err := w.Engine.Submit(context.Background(), q)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				codes = append(codes, err.Error())
				return
			}
			if a := NewAnswer(r); a.Code != "" {
				codes = append(codes, a.Code)
			} else {
				keys = append(keys, a.ID)
			}
		})
	}
	close(start)
	all.Wait()
	return keys, codes
}

func cancelAll(t *testing.T, w *World, merchant string, keys []string, number uint64) {
	t.Helper()
	var all sync.WaitGroup
	for i, key := range keys {
		q, err := NewRequest(Request{Shop(merchant), lending.UpdateOrder{Order: key, Status: credit.OrderCanceled}}, number+uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if r, err := w.Engine.Submit(context.Background(), q); err != nil || r.Status != 200 {
				t.Errorf("cancel: %d %s %v", r.Status, r.Body, err)
			}
		})
	}
	all.Wait()
}

// Fifty callers with one key have one effect and one answer; with another body they are refused
// (T19).
func TestStormOfOneKey(t *testing.T) {
	SeedOf(t)
	backends(t, func(t *testing.T, db store.Backend) {
		w, m, stop := racing(t, db)
		const keys, callers = 20, 50
		var all sync.WaitGroup
		start := make(chan struct{})
		answers := make([][]Answer, keys)
		for k := range keys {
			answers[k] = make([]Answer, callers)
			actor := Shop(m.Merchants()[0])
			actor.Key = fmt.Sprint("storm ", k)
			for i := range callers {
				c := lending.CreateOrder{Company: m.Companies()[0], Amount: 10_000, MerchantOrderID: fmt.Sprint("N-", k), Installments: 1, Authorize: true}
				if i == callers-1 {
					c.Amount++ // another body
				}
				q, err := NewRequest(Request{actor, c}, uint64(1_000_000+k*callers+i))
				if err != nil {
					t.Fatal(err)
				}
				all.Go(func() {
					<-start
					r, err := w.Engine.Submit(context.Background(), q)
					if err != nil {
						answers[k][i] = Answer{Err: err}
						return
					}
					answers[k][i] = NewAnswer(r)
				})
			}
		}
		close(start)
		all.Wait()
		stop()
		b, err := ReadBooks(db)
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Orders) != keys {
			t.Errorf("%d orders for %d keys", len(b.Orders), keys)
		}
		for k := range keys {
			checkStorm(t, answers[k])
		}
	})
}

// checkStorm: one body won; all requests with that body have the same answer, one of them first,
// and the others are told that the key is taken.
func checkStorm(t *testing.T, answers []Answer) {
	t.Helper()
	var won *Answer
	first, reused := 0, 0
	for i := range answers {
		a := &answers[i]
		switch {
		case errors.Is(a.Err, engine.ErrKeyReused):
			reused++
			continue
		case a.Err != nil:
			t.Errorf("answered %v", a.Err)
			continue
		case won == nil:
			won = a
		case !a.Same(*won):
			t.Errorf("two answers for one key:\n%d %s\n%d %s", a.Status, a.Body, won.Status, won.Body)
		}
		if !a.Replayed {
			first++
		}
	}
	if first != 1 || reused != 1 && reused != len(answers)-1 {
		t.Errorf("%d executions, %d refusals for another body among %d", first, reused, len(answers))
	}
}

// Everything at once on one company, through real goroutines: reserve, raise, capture, cancel,
// refund, pay and change the limit. Each result is the model's at its place in the commit order
// (T17, P3).
func TestRaceOfEverything(t *testing.T) {
	seed := SeedOf(t)
	backends(t, func(t *testing.T, db store.Backend) {
		c, err := NewClients(db, NewRand(seed), 0)
		if err != nil {
			t.Fatal(err)
		}
		c.Faulty.Heal()
		for round := range 12 {
			requests := c.drawn(t, 40)
			if err := c.World.Restart(func(cfg *engine.Config) { cfg.After = after }); err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				c.World.Engine.Run(context.Background())
				close(done)
			}()
			submitAll(t, c.World, requests, uint64(1_000_000*(round+1)))
			if err := c.World.Engine.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			<-done
			if err := c.follow(); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			c.World.Clock.Set(c.World.Clock.Now().Add(30 * time.Hour))
		}
		t.Logf("%d requests, %d commits", c.Sent(), c.Heard())
	})
}

// The same requests, sent one after another, end the same way every time: each was generated
// before those in front of it were done, and the model knows the outcome in whatever state it
// meets.
func TestRequestsOfAStateThatIsGone(t *testing.T) {
	for _, seed := range seedsOf(t, 20) {
		c, err := NewClients(memory.New(), NewRand(seed), 0)
		if err != nil {
			t.Fatal(err)
		}
		c.Faulty.Heal()
		for round := range 12 {
			for _, r := range c.drawn(t, 40) {
				if a := c.World.Do(r); a.Err != nil {
					t.Fatalf("seed %d, round %d: %s: %v", seed, round, Describe(r), a.Err)
				}
			}
			if err := c.follow(); err != nil {
				t.Fatalf("seed %d, round %d: %v", seed, round, err)
			}
			c.World.Clock.Set(c.World.Clock.Now().Add(30 * time.Hour))
		}
	}
}

// drawn generates requests, mostly on the first company or on its orders and payments.
func (c *Clients) drawn(t *testing.T, n int) []Request {
	t.Helper()
	var requests []Request
	for len(requests) < n {
		q, ok := c.Generator.Draw(Pick(c.Generator.Source, Weighted()), c.Today())
		if !ok || c.companyOf(q.Command) != fmt.Sprint(c.Model.Companies()[0]) && Chance(c.Generator.Source, 90) {
			continue
		}
		q.Actor.Key = fmt.Sprint("call ", len(c.calls))
		c.calls, c.sent[KeyOf(q)] = append(c.calls, q), q
		requests = append(requests, q)
	}
	return requests
}

func submitAll(t *testing.T, w *World, requests []Request, number uint64) {
	t.Helper()
	var all sync.WaitGroup
	start := make(chan struct{})
	for i, r := range requests {
		q, err := NewRequest(r, number+uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			<-start
			if _, err := w.Engine.Submit(context.Background(), q); err != nil {
				t.Errorf("%s: %v", Describe(r), err)
			}
		})
	}
	close(start)
	all.Wait()
}
