package webhook

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// process is the database and the network as one process sees them. A test can kill the
// process: from then on nothing it does reaches anything. And it can suspend it, as a
// machine does that swaps or is migrated: calls wait, and continue later.
type process struct {
	*world
	db        store.Backend // its own connections
	dead      atomic.Bool
	suspended atomic.Bool
	refused   atomic.Int64                       // records refused because a lease was lost
	sent      atomic.Int64                       // requests
	fault     atomic.Pointer[func(string) error] // of a database call, by name
}

var errDead = errors.New("this process is dead")

func (p *process) broken(call string) error {
	if err := p.alive(); err != nil {
		return err
	}
	if f := p.fault.Load(); f != nil {
		return (*f)(call)
	}
	return nil
}

func (p *process) alive() error {
	for p.suspended.Load() {
		time.Sleep(100 * time.Millisecond)
	}
	if p.dead.Load() {
		return errDead
	}
	return nil
}

func (p *process) View(ctx context.Context, fn func(store.View) error) error {
	if err := p.broken("View"); err != nil {
		return err
	}
	return p.db.View(ctx, fn)
}

func (p *process) Lease(ctx context.Context, name, holder string, now, until time.Time) (store.Lease, bool, error) {
	late := p.suspended.Load()
	if err := p.broken("Lease"); err != nil {
		return store.Lease{}, false, err
	}
	if late {
		time.Sleep(2 * time.Second) // everything else continues before the lost lease is noticed
	}
	l, ok, err := p.db.Lease(ctx, name, holder, now, until)
	if ok {
		p.holder.Store(name, holder)
	}
	return l, ok, err
}

func (p *process) Release(ctx context.Context, l store.Lease) error {
	if err := p.broken("Release"); err != nil {
		return err
	}
	return p.db.Release(ctx, l)
}

func (p *process) Record(ctx context.Context, w store.Work) error {
	if err := p.broken("Record"); err != nil {
		return err
	}
	named := map[string]bool{}
	for _, d := range w.Deliveries {
		if named[d.ID] {
			p.Errorf("delivery %s is named twice", d.ID)
		}
		named[d.ID] = true
	}
	for _, c := range w.Cursors {
		if named[c.Endpoint] {
			p.Errorf("the cursor of %s is named twice", c.Endpoint)
		}
		named[c.Endpoint] = true
	}
	err := p.db.Record(ctx, w)
	if errors.Is(err, store.ErrLeaseLost) {
		p.refused.Add(1)
	}
	return err
}

func (p *process) Purge(ctx context.Context, r store.Retention, limit int) (int, error) {
	if err := p.broken("Purge"); err != nil {
		return 0, err
	}
	return p.db.Purge(ctx, r, limit)
}

// RoundTrip implements http.RoundTripper.
func (p *process) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := p.alive(); err != nil {
		return nil, err
	}
	p.sent.Add(1)
	answer, err := p.net.RoundTrip(r)
	if gone := p.alive(); gone != nil {
		return nil, gone // the receiver has it, and nobody is there to learn so
	}
	return answer, err
}

// startProcess starts a sender as one of several.
func (w *world) startProcess(change ...func(*Config)) (*process, *Sender, func()) {
	return w.startProcessOn(w.db, change...)
}

func (w *world) startProcessOn(db store.Backend, change ...func(*Config)) (*process, *Sender, func()) {
	p := &process{world: w, db: db}
	s, stop := w.start(append([]func(*Config){func(c *Config) {
		c.Backend, c.Client, c.Alone, c.Workers = p, &http.Client{Transport: p}, false, 32
	}}, change...)...)
	return p, s, stop
}

// kill kills a process without notice.
func (p *process) kill(stop func()) {
	p.dead.Store(true)
	stop()
}

// Two writers and two senders on one database are repeatedly killed and suspended while
// receivers fail at times: no event is missing, and each object's arrived in order (T21;
// EV1 to EV4).
func TestSendersAreKilled(t *testing.T) {
	seed := seedOf(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		rng := rand.New(rand.NewPCG(seed, 1))
		var hosts []string
		var shops []string
		for i := range 3 {
			shops = append(shops, w.merchant(fmt.Sprint("Shop ", i)))
			for k := range 3 {
				hosts = append(hosts, fmt.Sprintf("shop%d-%d.example", i, k))
				w.endpoint(shops[i], "https://"+hosts[len(hosts)-1]+"/hook")
			}
		}
		w.net.unreliable(rand.New(rand.NewPCG(seed, 9)), hosts)
		var writers sync.WaitGroup
		for k := range 2 {
			own := rand.New(rand.NewPCG(seed, uint64(2+k)))
			writers.Go(func() {
				for range 400 {
					shop := own.IntN(len(shops))
					w.emit(shops[shop], order(fmt.Sprintf("o%d-%d-%d", k, shop, own.IntN(4))), repeat(1+own.IntN(3), credit.OrderUpdatedEvent)...)
					time.Sleep(time.Duration(own.IntN(400)) * time.Millisecond)
				}
			})
		}
		slowly := func(c *Config) { c.Poll = 2 * time.Second }
		var refused int64
		processes := make([]*process, 2)
		stops := make([]func(), 2)
		for i := range processes {
			processes[i], _, stops[i] = w.startProcess(slowly)
		}
		for round := range 12 {
			time.Sleep(time.Duration(5+rng.IntN(10)) * time.Second)
			i := rng.IntN(2)
			if round%3 == 2 {
				processes[i].suspended.Store(true) // for longer than its leases last
				time.Sleep(40 * time.Second)
				processes[i].suspended.Store(false)
				continue
			}
			processes[i].kill(stops[i])
			refused += processes[i].refused.Load()
			processes[i], _, stops[i] = w.startProcess(slowly)
		}
		writers.Wait()
		w.net.reliable()
		for i := range stops {
			stops[i]()
		}
		w.startProcess(func(c *Config) { c.Poll = time.Minute })
		time.Sleep(20 * time.Hour)
		missing, duplicates := 0, 0
		for _, host := range hosts {
			checkOrder(t, w, host)
			seen := map[string]int{}
			for _, m := range w.net.received(host) {
				seen[m.id]++
				if seen[m.id] == 2 {
					duplicates++
				}
			}
			for _, e := range w.sent {
				if host[:5] == fmt.Sprintf("shop%d", slices.Index(shops, e.Merchant)) && seen[e.ID] == 0 {
					missing++
				}
			}
		}
		for _, p := range processes {
			refused += p.refused.Load()
		}
		t.Logf("events %d, missing %d, sent more than once %d, records refused for a lost lease %d", len(w.sent), missing, duplicates, refused)
		if n := w.pending(); missing > 0 || n > 0 || duplicates == 0 {
			t.Errorf("missing %d, pending %d, duplicates %d", missing, n, duplicates)
		}
	})
}

// A process that was suspended while its lease was taken over marks nothing: what it
// learned in the meantime is refused, and what the new holder wrote stays (EN16).
func TestSuspendedProcessMarksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		w.net.answer("shop.example", func(m *message) reply {
			if m.n == 0 {
				return reply{after: 5 * time.Second, status: 500, body: "first"}
			}
			return reply{body: "second"}
		})
		first, sender, _ := w.startProcess()
		time.Sleep(time.Second)
		w.emit(shop, order("o1"), credit.OrderCreatedEvent)
		time.Sleep(time.Second)
		first.suspended.Store(true)
		w.startProcess()
		time.Sleep(30 * time.Second)
		before := w.deliveries(e.ID)[0]
		if before.State != store.DeliverySucceeded || before.Attempts != 1 {
			t.Errorf("the second process has not delivered: %+v", before)
		}
		first.suspended.Store(false)
		time.Sleep(30 * time.Second)
		if d := w.deliveries(e.ID)[0]; d != before {
			t.Errorf("delivery %+v, was %+v", d, before)
		}
		if a := w.attempts(before.ID); len(a) != 1 || a[0].Answer != "second" {
			t.Errorf("attempts %+v", a)
		}
		if first.refused.Load() == 0 || sender.Stats().Failed != 1 {
			t.Errorf("%d records refused; stats %+v", first.refused.Load(), sender.Stats())
		}
		w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
		time.Sleep(time.Minute)
		checkOrder(t, w, "shop.example")
		if got := w.states(e.ID); !slices.Equal(got, repeat(2, store.DeliverySucceeded)) {
			t.Errorf("states %v", got)
		}
	})
}

// A process that cannot renew its leases starts nothing once they have expired, although
// the database and the network work for everything else.
func TestNothingBeginsWithoutALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		e := w.endpoint(shop, "https://shop.example/hook")
		first, _, _ := w.startProcess()
		time.Sleep(time.Second)
		w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
		time.Sleep(time.Second)
		first.fault.Store(value(func(call string) error {
			if call == "Lease" {
				return store.ErrUnreachable
			}
			return nil
		}))
		time.Sleep(16 * time.Second)
		before := first.sent.Load()
		for range 10 {
			w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
			time.Sleep(time.Second)
		}
		if n := first.sent.Load(); before != 1 || n != before {
			t.Errorf("%d requests with a lease, %d without", before, n-before)
		}
		second, _, _ := w.startProcess()
		time.Sleep(30 * time.Second)
		if got := w.states(e.ID); !slices.Equal(got, repeat(11, store.DeliverySucceeded)) || second.sent.Load() != 10 {
			t.Errorf("states %v, %d requests of the second process", got, second.sent.Load())
		}
	})
}

// unreliable makes receivers slow, and fail at times.
func (n *network) unreliable(rng *rand.Rand, hosts []string) {
	var mu sync.Mutex
	for _, h := range hosts {
		n.answer(h, func(*message) reply {
			mu.Lock()
			defer mu.Unlock()
			a := reply{after: time.Duration(rng.IntN(100)) * time.Millisecond}
			switch rng.IntN(20) {
			case 0:
				a.status = 503
			case 1:
				a.err = errors.New("cut")
			}
			return a
		})
	}
}

func (n *network) reliable() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.answers)
}

// Processes share the endpoints, whichever starts or stops, and each endpoint has one at a
// time.
func TestProcessesShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		type running struct {
			*process
			stop func()
		}
		var all []running
		add := func(n int) {
			for range n {
				// Their beats are at different instants, as with real processes: counting
				// them at the same instant may count one too many.
				time.Sleep(700 * time.Millisecond)
				p, _, stop := w.startProcess()
				all = append(all, running{p, stop})
			}
		}
		check := func(want int) {
			t.Helper()
			time.Sleep(2*time.Minute + 100*time.Millisecond) // between beats
			got := map[string]int{}
			for i := range dutyCount {
				name := dutyName(i)
				l, ok, err := w.db.Lease(t.Context(), name, "nobody", time.Now(), time.Now())
				if ok || err != nil {
					t.Errorf("%s is nobody's: %+v", name, l)
				}
				holder, _ := w.holder.Load(name)
				got[holder.(string)]++
			}
			share := (dutyCount + want - 1) / want
			for holder, n := range got {
				if n > share || len(got) != want {
					t.Errorf("%s has %d duties; %d processes have some, want %d", holder, n, len(got), want)
				}
			}
		}
		add(1)
		check(1)
		add(1)
		check(2)
		add(2)
		check(4)
		all[0].stop() // stops normally
		check(3)
		all[1].kill(all[1].stop)
		check(2)
		all[2].kill(all[2].stop)
		check(1)
	})
}
