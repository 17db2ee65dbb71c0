package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tenor/internal/domain/credit"
)

// running runs the engine in a bubble with virtual time; the bubble ends only when every
// goroutine has.
func running(t *testing.T, f func(t *testing.T, r *rig), change ...func(*Config)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, change...)
		go r.Run(t.Context())
		f(t, r)
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
	})
}

// within is a context that ends after d.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// Every caller gets the answer of its own command, and that answer's commit sequence is its
// own row's (EN10, M2).
func TestEveryCallerGetsItsOwnAnswer(t *testing.T) {
	running(t, func(t *testing.T, r *rig) {
		var callers sync.WaitGroup
		results := make([]Result, 400)
		for i := range results {
			callers.Go(func() {
				q := from(fmt.Sprint("m", i%7), fmt.Sprint("c", i))
				if i%5 == 0 {
					q.Actor.Key = fmt.Sprint("k", i)
				}
				var err error
				if results[i], err = r.Submit(t.Context(), q); err != nil {
					t.Errorf("%d: %v", i, err)
				}
			})
		}
		callers.Wait()
		log := r.backend.audits()
		if len(log) != len(results) {
			t.Fatalf("%d rows, want %d", len(log), len(results))
		}
		for i, x := range results {
			if want := fmt.Sprint("c", i); string(x.Body) != want || log[x.Q-1].Command != "test."+want {
				t.Errorf("caller %d got %q; its row at %d is %s", i, x.Body, x.Q, log[x.Q-1].Command)
			}
		}
	}, func(c *Config) { c.Batch = 64 })
}

// Fifty callers with one key: one effect, one body (T19).
func TestSameKeyStorm(t *testing.T) {
	running(t, func(t *testing.T, r *rig) {
		var callers sync.WaitGroup
		var mu sync.Mutex
		firsts := 0
		for range 50 {
			callers.Go(func() {
				x, err := r.Submit(t.Context(), keyed("a", "k"))
				mu.Lock()
				defer mu.Unlock()
				if err != nil || string(x.Body) != "a" || x.Q != 1 {
					t.Errorf("got %q at %d, %v", x.Body, x.Q, err)
				}
				if !x.Replayed {
					firsts++
				}
			})
		}
		callers.Wait()
		if firsts != 1 || r.commands() != "a " || len(r.queue.keys) != 0 {
			t.Errorf("%d first answers, log %q", firsts, r.commands())
		}
	}, func(c *Config) { c.Batch = 16 })
}

// Nobody is answered before the commit (M1). A caller whose time ends meanwhile gets an
// unknown outcome, and its key returns the answer later.
func TestCallerLeavesDuringCommit(t *testing.T) {
	running(t, func(t *testing.T, r *rig) {
		r.backend.stall = make(chan struct{})
		begin := time.Now()
		if _, err := r.Submit(within(t, 3*time.Second), keyed("a", "k")); !errors.Is(err, ErrOutcomeUnknown) {
			t.Errorf("got %v", err)
		}
		if d := time.Since(begin); d != 3*time.Second {
			t.Errorf("waited %v", d)
		}
		// Commands behind it are still queued when their time ends.
		if _, err := r.Submit(within(t, time.Second), request("b")); !errors.Is(err, ErrExpired) {
			t.Errorf("queued: %v", err)
		}
		close(r.backend.stall)
		x, err := r.Submit(t.Context(), keyed("a", "k"))
		if err != nil || !x.Replayed || x.Q != 1 || r.commands() != "a " {
			t.Errorf("later: %+v, %v, log %q", x, err, r.commands())
		}
		if s := r.Stats(); s.OutcomeUnknown != 1 || s.Expired != 1 {
			t.Errorf("stats %+v", s)
		}
	})
}

// A caller that leaves while its command is decided cancels nothing: what is stored under
// its key has happened (M13).
func TestCallerLeavesWhileItIsDecided(t *testing.T) {
	running(t, func(t *testing.T, r *rig) {
		ctx, leave := context.WithCancel(t.Context())
		x := keyed("a", "k")
		x.Command.(*command).decide = func(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
			leave()
			return raise(s, e)
		}
		if got, err := r.Submit(ctx, x); err != nil && !errors.Is(err, ErrOutcomeUnknown) || err == nil && got.Q != 1 {
			t.Errorf("got %+v, %v", got, err)
		}
		again, err := r.Submit(t.Context(), keyed("a", "k"))
		if err != nil || !again.Replayed || again.Q != 1 {
			t.Errorf("its key says %+v, %v", again, err)
		}
		if c := r.backend.state.Companies[1]; c == nil || c.Version != 1 {
			t.Errorf("the company is %+v", c)
		}
	})
}

// A repeat waits five seconds for the first request with its key (ID3).
func TestKeyInUse(t *testing.T) {
	running(t, func(t *testing.T, r *rig) {
		r.backend.stall = make(chan struct{})
		var callers sync.WaitGroup
		callers.Go(func() {
			if x, err := r.Submit(t.Context(), keyed("a", "k")); err != nil || x.Replayed {
				t.Errorf("first: %+v, %v", x, err)
			}
		})
		synctest.Wait()
		begin := time.Now()
		if _, err := r.Submit(t.Context(), keyed("a", "k")); !errors.Is(err, ErrKeyInUse) || time.Since(begin) != KeyWait {
			t.Errorf("twin: %v after %v", err, time.Since(begin))
		}
		if n := r.Stats().QueueDepth; n != 0 {
			t.Errorf("%d still queued", n)
		}
		callers.Go(func() { // arrives four seconds before the first is done
			if x, err := r.Submit(t.Context(), keyed("a", "k")); err != nil || !x.Replayed {
				t.Errorf("patient twin: %+v, %v", x, err)
			}
		})
		time.Sleep(4 * time.Second)
		close(r.backend.stall)
		callers.Wait()
		if r.commands() != "a " {
			t.Errorf("log %q", r.commands())
		}
	})
}

// The wait for a key ends with the first answer; after that a repeat waits in the queue
// like everybody else.
func TestKeyWaitEndsWithTheFirstAnswer(t *testing.T) {
	running(t, func(t *testing.T, r *rig) {
		release := make(chan struct{})
		r.backend.stall = release
		var callers sync.WaitGroup
		submit := func(id string, q Request) {
			callers.Go(func() {
				if _, err := r.Submit(t.Context(), q); err != nil {
					t.Errorf("%s: %v", id, err)
				}
			})
			synctest.Wait()
		}
		submit("first", keyed("a", "k"))
		submit("other", request("b"))
		submit("twin", keyed("a", "k"))
		time.Sleep(4 * time.Second)
		release <- struct{}{} // the first commits; other and twin are taken one by one
		time.Sleep(4 * time.Second)
		release <- struct{}{}
		callers.Wait()
	}, func(c *Config) { c.Batch = 1 })
}

// Close processes the queue and accepts nothing more.
func TestCloseFinishesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *Config) { c.Batch = 2 })
		var tickets []*Ticket
		for i := range 7 {
			tickets = append(tickets, r.put(request(fmt.Sprint("a", i))))
		}
		r.backend.stall = make(chan struct{})
		go r.Run(t.Context())
		synctest.Wait()
		if err := r.Close(within(t, time.Second)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("close while the database hangs: %v", err)
		}
		if _, err := r.Submit(t.Context(), request("b")); !errors.Is(err, ErrClosed) {
			t.Errorf("after close: %v", err)
		}
		close(r.backend.stall)
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
		for i, x := range tickets {
			r.want(x, fmt.Sprint("a", i), int64(i+1), nil)
		}
	})
}

// A bug while the queue is being drained stops that too.
func TestBrokenWhileClosing(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Batch = 1 })
	r.rules.check = func(_ credit.Changes, _ *credit.State) error { return errors.New("LG1") }
	x, y := r.put(request("bad")), r.put(request("a"))
	r.queue.close()
	r.Run(context.Background())
	r.want(x, "", 0, ErrReadOnly)
	r.want(y, "", 0, ErrReadOnly)
	if r.backend.updates != 1 {
		t.Errorf("%d updates after a failed check, want 1", r.backend.updates)
	}
}

// When Run's context ends, the current batch is finished and the rest is refused.
func TestRunContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		r := newRig(t, func(c *Config) { c.Batch = 1 })
		x, y := r.put(request("a")), r.put(request("b"))
		r.backend.stall = make(chan struct{})
		go r.Run(ctx)
		synctest.Wait()
		cancel()
		close(r.backend.stall)
		synctest.Wait()
		r.want(x, "a", 1, nil)
		r.want(y, "", 0, ErrClosed)
	})
}

// Run probes a full database by itself, so that it recovers without traffic.
func TestRunProbes(t *testing.T) {
	running(t, func(t *testing.T, r *rig) {
		r.backend.script = []outcome{noRoom}
		if _, err := r.Submit(t.Context(), request("a")); !errors.Is(err, ErrReadOnly) {
			t.Errorf("full: %v", err)
		}
		time.Sleep(10 * time.Second)
		if !errors.Is(r.Health(), ErrReadOnly) {
			t.Errorf("still full: health %v", r.Health())
		}
		r.backend.mu.Lock()
		r.backend.full = false
		r.backend.mu.Unlock()
		time.Sleep(2 * probeEvery)
		if _, err := r.Submit(t.Context(), request("a")); err != nil {
			t.Errorf("room again: %v", err)
		}
	})
}
