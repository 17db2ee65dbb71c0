package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/credit"
)

// At the end nothing is started, attempts in progress may finish, and what does not finish
// stays as it was. Leases are given back: the next process starts at once.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		quick, slow := w.endpoint(shop, "https://quick.example/hook"), w.endpoint(shop, "https://slow.example/hook")
		w.net.answer("quick.example", func(*message) reply { return reply{after: 3 * time.Second} })
		w.net.answer("slow.example", func(m *message) reply {
			if m.n > 0 || m.id != w.event(0).ID {
				return reply{}
			}
			return reply{after: 15 * time.Second}
		})
		_, _, stop := w.startProcess()
		time.Sleep(time.Second)
		w.emit(shop, order("o1"), credit.OrderCreatedEvent, credit.OrderUpdatedEvent)
		time.Sleep(time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took < 5*time.Second || took > 6*time.Second {
			t.Errorf("it took %v to stop", took)
		}
		const pending, sent = store.DeliveryPending, store.DeliverySucceeded
		if got := w.states(quick.ID); !slices.Equal(got, []store.DeliveryState{sent, pending}) {
			t.Errorf("the quick one: %v", got)
		}
		if d := w.deliveries(slow.ID)[0]; d.State != pending || d.Attempts != 0 || len(w.attempts(d.ID)) != 0 {
			t.Errorf("the slow one: %+v", d)
		}
		if n := len(w.net.received("quick.example")); n != 1 {
			t.Errorf("%d messages to the quick one", n)
		}
		w.startProcess()
		time.Sleep(4 * time.Second)
		if got := append(w.states(quick.ID), w.states(slow.ID)...); !slices.Equal(got, repeat(4, sent)) {
			t.Errorf("after the next process has begun: %v", got)
		}
	})
}

// A database that does not answer for a while costs only time. What was sent meanwhile is
// marked when it is back.
func TestDatabaseAway(t *testing.T) {
	for _, call := range []string{"View", "Record", "Lease", "all"} {
		t.Run(call, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				shop := w.merchant("Shop")
				e := w.endpoint(shop, "https://shop.example/hook")
				w.net.answer("shop.example", func(m *message) reply {
					if m.id == w.event(9).ID && m.n < 2 { // tried twice before the database is back
						return reply{status: 500, after: 2 * time.Second}
					}
					return reply{after: 50 * time.Millisecond}
				})
				p, _, _ := w.startProcess()
				for i := range 60 {
					if i == 10 {
						p.fault.Store(value(func(c string) error {
							if call == "all" || c == call {
								return store.ErrUnreachable
							}
							return nil
						}))
					}
					if i == 50 {
						p.fault.Store(nil)
					}
					w.emit(shop, order(fmt.Sprint("o", i%3)), credit.OrderUpdatedEvent)
					time.Sleep(time.Second)
				}
				time.Sleep(10 * time.Minute)
				if got := w.states(e.ID); !slices.Equal(got, repeat(60, store.DeliverySucceeded)) {
					t.Errorf("states %v", got)
				}
				if d := w.deliveries(e.ID)[9]; d.Attempts != 3 || len(w.attempts(d.ID)) != 3 {
					t.Errorf("delivery %+v, %d attempts", d, len(w.attempts(d.ID)))
				}
				checkOrder(t, w, "shop.example")
				if n := len(w.net.received("shop.example")); n != 62 {
					t.Errorf("%d messages", n)
				}
			})
		})
	}
}

// A record whose outcome was not reported is written again, and changes nothing.
func TestOutcomeNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		p := &process{world: w, db: w.db}
		var n atomic.Int64
		w.start(func(c *Config) { c.Backend = &forgetful{process: p, n: &n} })
		for i := range 40 {
			w.emit(shop, order(fmt.Sprint("o", i%3)), credit.OrderUpdatedEvent)
			time.Sleep(500 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		if got := w.states(e.ID); !slices.Equal(got, repeat(40, store.DeliverySucceeded)) {
			t.Errorf("states %v", got)
		}
		for _, d := range w.deliveries(e.ID) {
			if a := w.attempts(d.ID); len(a) != d.Attempts {
				t.Errorf("%d attempts of %+v", len(a), d)
			}
		}
		checkOrder(t, w, "shop.example")
		if n.Load() < 20 {
			t.Errorf("only %d records", n.Load())
		}
	})
}

// forgetful writes every second record and reports that it failed.
type forgetful struct {
	*process
	n *atomic.Int64
}

func (f *forgetful) Record(ctx context.Context, w store.Work) error {
	err := f.process.Record(ctx, w)
	if err == nil && f.n.Add(1)%2 == 0 {
		return errors.New("the connection broke")
	}
	return err
}

// Work that the database refuses is dropped and read again: one broken record does not stop
// the sender.
func TestRefusedWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		p, _, _ := w.startProcess()
		for i := range 20 {
			if i == 10 {
				var once atomic.Bool
				p.fault.Store(value(func(c string) error {
					if c == "Record" && once.CompareAndSwap(false, true) {
						return fmt.Errorf("record: %w", store.ErrRefused)
					}
					return nil
				}))
			}
			w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		if got := w.states(e.ID); !slices.Equal(got, repeat(20, store.DeliverySucceeded)) {
			t.Errorf("states %v", got)
		}
		checkOrder(t, w, "shop.example")
	})
}

// More waits for an endpoint than fits in memory. All of it arrives, in order.
func TestMoreThanMemoryHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		up := time.Now().Add(2 * time.Hour)
		w.net.answer("shop.example", func(m *message) reply {
			if m.at.Before(up) {
				return reply{status: 503}
			}
			return reply{after: 10 * time.Millisecond}
		})
		_, stop := w.start(func(c *Config) { c.Poll = time.Second })
		for i := range 3000 {
			w.emit(shop, order(fmt.Sprint("o", i%17)), repeat(3, credit.OrderUpdatedEvent)...)
			if i == 1500 {
				time.Sleep(time.Minute)
			}
		}
		time.Sleep(time.Hour)
		if n := w.pending(); n != 9000 {
			t.Errorf("%d are pending", n)
		}
		stop() // the next process knows only what is in the database
		w.start(func(c *Config) { c.Poll = time.Second })
		time.Sleep(10 * time.Hour)
		if got := w.states(e.ID); !slices.Equal(got, repeat(9000, store.DeliverySucceeded)) {
			t.Errorf("%d pending of %d", w.pending(), len(got))
		}
		checkOrder(t, w, "shop.example")
	})
}

// An endpoint that accepts nothing gets few attempts, however much waits for it; what
// exceeds the maximum retry time is parked, and what is younger is not.
func TestDeadEndpointIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		w.net.answer("shop.example", func(*message) reply { return reply{status: 500} })
		w.start(func(c *Config) { c.Poll = time.Minute })
		for i := range 300 {
			w.emit(shop, order(fmt.Sprint("o", i)), credit.OrderUpdatedEvent)
		}
		time.Sleep(80 * time.Hour)
		w.emit(shop, order("late"), credit.OrderUpdatedEvent)
		time.Sleep(3 * time.Hour)
		if n := len(w.net.received("shop.example")); n > 84*60+50 {
			t.Errorf("%d attempts in 83 hours", n)
		}
		time.Sleep(3 * time.Hour)
		states := w.states(e.ID)
		if !slices.Equal(states[:300], repeat(300, store.DeliveryParked)) || states[300] != store.DeliveryPending {
			t.Errorf("%d are pending", w.pending())
		}
		w.net.reliable()
		time.Sleep(10 * time.Hour)
		if got := w.states(e.ID)[300]; got != store.DeliverySucceeded {
			t.Errorf("the late one is %s", got)
		}
	})
}

// A wall clock that is set forward or back brings attempts forward or delays them; it loses
// nothing, gives nothing up and stops nobody.
func TestClockIsSet(t *testing.T) {
	for _, jump := range []time.Duration{-2 * time.Hour, 40 * 24 * time.Hour} {
		t.Run(jump.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				shop := w.merchant("Shop")
				e := w.endpoint(shop, "https://shop.example/hook")
				var offset atomic.Int64
				var down atomic.Bool
				down.Store(true)
				w.net.answer("shop.example", func(*message) reply {
					if down.Load() {
						return reply{status: 500}
					}
					return reply{}
				})
				_, _, _ = w.startProcess(func(c *Config) {
					c.Poll = 5 * time.Second
					c.Now = func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
				})
				for i := range 30 {
					w.emit(shop, order(fmt.Sprint("o", i%10)), credit.OrderUpdatedEvent)
				}
				time.Sleep(10 * time.Minute)
				offset.Store(int64(jump))
				time.Sleep(10 * time.Minute)
				down.Store(false)
				w.emit(shop, order("new"), credit.OrderUpdatedEvent)
				time.Sleep(2 * time.Minute)
				if n := len(w.net.received("shop.example")); w.states(e.ID)[30] != store.DeliverySucceeded {
					t.Errorf("the new event was not delivered (%d messages)", n)
				}
				time.Sleep(5 * time.Hour)
				if got := w.states(e.ID); !slices.Equal(got, repeat(31, store.DeliverySucceeded)) {
					t.Errorf("states %v", got)
				}
				checkOrder(t, w, "shop.example")
			})
		})
	}
}

// Finished deliveries are kept for 30 days, or as configured; unfinished ones for as long
// as they take. Many are deleted in small portions.
func TestPurge(t *testing.T) {
	for _, alone := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			shop := w.merchant("Shop")
			e, dead := w.endpoint(shop, "https://shop.example/hook"), w.endpoint(shop, "https://dead.example/hook", credit.OrderCreatedEvent)
			w.net.answer("dead.example", func(*message) reply { return reply{status: 500} })
			w.start(func(c *Config) { c.Poll, c.Alone, c.Lease, c.Keep = 10*time.Minute, alone, 6*time.Hour, 48*time.Hour })
			w.emit(shop, order("o1"), credit.OrderCreatedEvent)
			for i := range 2*purgeRows + 200 {
				w.emit(shop, order(fmt.Sprint("o", i)), credit.OrderUpdatedEvent)
			}
			time.Sleep(45 * time.Hour)
			if n := len(w.deliveries(e.ID)); n != 2*purgeRows+201 {
				t.Errorf("after 45 hours: %d", n)
			}
			w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
			time.Sleep(6 * time.Hour)
			if n := len(w.deliveries(e.ID)); n != 1 {
				t.Errorf("after 51 hours: %d", n)
			}
			if got := w.states(dead.ID); !slices.Equal(got, []store.DeliveryState{store.DeliveryPending}) {
				t.Errorf("unfinished: %v", got)
			}
		})
	}
	if s, err := New(Config{Backend: memory.New(), Submit: new(engine.Engine), Open: open}); err != nil || s.cfg.Keep != 30*24*time.Hour {
		t.Errorf("kept for %v", s.cfg.Keep)
	}
}

// What is committed is found without notification (EN17), and at once with one.
func TestNotify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		w.endpoint(shop, "https://shop.example/hook")
		s, _ := w.start(func(c *Config) { c.Poll = time.Minute })
		time.Sleep(time.Hour + time.Second)
		w.emit(shop, order("o1"), credit.OrderCreatedEvent)
		for range 100 {
			s.Notify()
		}
		time.Sleep(time.Second)
		if n := len(w.net.received("shop.example")); n != 1 {
			t.Errorf("after a word: %d", n)
		}
		w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
		time.Sleep(time.Minute)
		if n := len(w.net.received("shop.example")); n != 2 {
			t.Errorf("without a word: %d", n)
		}
	})
}
