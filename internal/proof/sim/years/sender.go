package years

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/edge/webhook"
	"tenor/internal/proof/sim"
)

// post is how events leave the lender: the sender of each node, and the receivers. A sender has
// its own goroutines and timers, so this is the one part of a life that is not stepped manually.
// They run only while until lets time pass, when nobody else runs, and their time is virtual.
// Their only randomness is a hash of what they do, and no two answers come at the same instant:
// so a seed still means one life.
type post struct {
	y     *Years
	pass  func(time.Duration) // lets time pass for senders; returns when all of them wait
	began time.Time           // when that time began
	first time.Time           // the life's instant at that time
	wait  sync.WaitGroup
	count uint64 // senders started

	mu        sync.Mutex // held by the one that is working, and by the life in between
	mix       Troubles
	receivers map[string]*receiver // by host
	arrivals  int
	notes     map[string]*note // state of deliveries, by id
	lost      map[string]bool  // events lost in a restore
}

// The times of senders: long enough that idle days cost little.
const (
	senderLease = 6 * time.Hour
	senderPoll  = 24 * time.Hour
)

func newPost(y *Years, pass func(time.Duration)) *post {
	return &post{y: y, pass: pass, began: time.Now(), first: y.Clock.Now(), receivers: map[string]*receiver{}, notes: map[string]*note{}, lost: map[string]bool{}}
}

// now is the true time of senders and receivers. It lags behind the life's time, which jumps,
// until it is let run.
func (p *post) now() time.Time { return p.first.Add(time.Since(p.began)) }

// draw returns a source for one choice, by what the choice is about.
func (p *post) draw(about ...any) *sim.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, append([]any{p.first.Unix()}, about...)...)
	return sim.NewRand(h.Sum64())
}

// struck is Years.struck for those who must not use its source.
func (p *post) struck(draw *sim.Rand, per int, what string) bool {
	if per == 0 || draw.Intn(1000) >= per {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.y.Trouble[what]++
	return true
}

// until lets senders work until an instant. They see what was committed before.
func (p *post) until(at time.Time) {
	p.mu.Lock()
	if p.mix = p.y.Mix; p.y.healed {
		p.mix = Troubles{}
	}
	for _, n := range p.y.nodes {
		n.sender.skew.Store(int64(n.skew))
		if n.dead {
			n.sender.die()
		}
		n.sender.Notify()
	}
	p.mu.Unlock()
	p.pass(max(at.Sub(p.now()), 0)) // also with no time to pass: they have been told that there is news
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.y.nodes {
		n.dead = n.dead || n.sender.dead.Load()
	}
	p.turn()
}

// close stops all senders. It must be called at the end of a life.
func (p *post) close() {
	for _, n := range p.y.nodes {
		n.sender.die()
	}
	p.wait.Wait()
}

// sender is the sender of one process.
type sender struct {
	*webhook.Sender
	p       *post
	n       *node
	number  uint64
	life    context.Context // of the process
	cancel  context.CancelFunc
	skew    atomic.Int64 // of its clock
	dead    atomic.Bool
	sleeps  atomic.Int64 // until that instant the process is paused, in nanoseconds of its time
	records int
	purged  time.Time
}

// startSender replaces the sender that has died.
func (p *post) startSender(n *node) error {
	if n.sender != nil {
		n.sender.die()
	}
	p.count++
	s := &sender{p: p, n: n, number: p.count}
	var err error
	s.Sender, err = webhook.New(webhook.Config{
		Backend: mailbag{p.y.Faulty.Backend, s}, Submit: s, Open: sim.Opened, Client: &http.Client{Transport: s}, Node: n.name,
		Now:     func() time.Time { return p.now().Add(time.Duration(s.skew.Load())) },
		Workers: 64, Poll: senderPoll, Lease: senderLease, Grace: time.Minute,
	})
	if err != nil {
		return fmt.Errorf("start the sender of %s: %w", n.name, err)
	}
	s.life, s.cancel = context.WithCancel(context.Background())
	n.sender = s
	p.wait.Go(func() {
		// No two senders look at the same instant.
		time.Sleep(time.Duration(p.draw("start", s.number).Intn(int(time.Minute))))
		if err := s.Run(s.life); err != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.y.never("%s: %w", n.name, err)
		}
	})
	return nil
}

// die stops the process at once: nothing more from it reaches the database or a receiver.
func (s *sender) die() {
	s.dead.Store(true)
	s.cancel()
}

// wake waits for the end of a pause of the process. Several waiters continue one after the other,
// in an order derived from what each is about.
func (s *sender) wake(ctx context.Context, about ...any) error {
	if d := time.Until(time.Unix(0, s.sleeps.Load())); d > 0 {
		select {
		case <-time.After(d + s.instant(append(about, d)...)):
		case <-s.life.Done():
		case <-ctx.Done():
			time.Sleep(s.instant(append(about, d)...)) // several may have the same time
			return ctx.Err()
		}
	}
	if s.dead.Load() {
		return errDead
	}
	return nil
}

// instant returns a time so short that nothing else happens in it, and different from any other:
// two things at the same instant could happen in either order.
func (s *sender) instant(about ...any) time.Duration {
	return time.Duration(1 + s.p.draw(append([]any{s.number}, about...)...).Intn(int(time.Millisecond)))
}

// Submit implements engine.Submitter for a sender whose receiver is gone.
func (s *sender) Submit(ctx context.Context, r engine.Request) (engine.Result, error) {
	if err := s.wake(ctx, "submit"); err != nil {
		return engine.Result{}, err
	}
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	y := s.p.y
	y.Clock.Set(s.p.now())
	r.Seed = y.seed() // a sender generates its own, but a life must depend on its seed
	result, err := s.n.Submit(ctx, r)
	if s.n.dead {
		s.die()
	}
	y.reach(err == nil && result.Rejection == nil, sim.EndpointGone)
	return result, err
}

// mailbag is a sender's view of the store. Its records may be lost before they are written, or
// the answer to them; the process may die before and after; it may sleep past its leases.
type mailbag struct {
	store.Backend
	s *sender
}

func (b mailbag) View(ctx context.Context, fn func(store.View) error) error {
	if err := b.s.wake(ctx); err != nil {
		return err
	}
	return b.Backend.View(ctx, fn)
}

// Lease uses a name that is the same in each life of a seed, unlike the one that the sender
// generates.
func (b mailbag) Lease(ctx context.Context, name, _ string, now, until time.Time) (store.Lease, bool, error) {
	if err := b.s.wake(b.s.life, "lease"); err != nil {
		return store.Lease{}, false, err
	}
	time.Sleep(time.Nanosecond) // the sender has looked at what it was told before it had the lease
	return b.Backend.Lease(ctx, name, fmt.Sprint(b.s.n.name, "#", b.s.number), now, until)
}

func (b mailbag) Release(ctx context.Context, l store.Lease) error {
	if err := b.s.wake(ctx); err != nil {
		return err
	}
	return b.Backend.Release(ctx, l)
}

// Purge deletes old rows once a day instead of every hour, which would take a life much time.
func (b mailbag) Purge(ctx context.Context, before store.Retention, limit int) (int, error) {
	if err := b.s.wake(ctx, "purge"); err != nil || time.Since(b.s.purged) < 24*time.Hour {
		return 0, err
	}
	b.s.purged = time.Now()
	b.s.p.mu.Lock()
	defer b.s.p.mu.Unlock()
	return b.Backend.Purge(ctx, before, limit)
}

func (b mailbag) Record(ctx context.Context, w store.Work) error {
	s, p := b.s, b.s.p
	s.records++
	p.mu.Lock()
	m := p.mix
	p.mu.Unlock()
	draw := p.draw("record", s.number, s.records)
	time.Sleep(s.instant("record", s.records)) // what was begun before has reached receivers
	struck := func(per int, what string) bool { return p.struck(draw, per, what) }
	switch {
	case struck(m.SenderPaused, "sender pauses"):
		s.sleeps.Store(time.Now().Add(senderLease + time.Duration(1+draw.Intn(10))*time.Hour).UnixNano())
	case struck(m.RecordLost, "record lost"):
		return errLost
	case struck(m.SenderDies, "sender dies before a record"):
		s.die()
	}
	if err := s.wake(s.life, "record", s.records); err != nil {
		return err
	}
	if err := b.write(ctx, w); err != nil {
		return err
	}
	switch {
	case struck(m.RecordUnheard, "record unheard"):
		return errLost
	case struck(m.SenderDies, "sender dies after a record"):
		s.die()
		return errDead
	}
	return nil
}

// write records work and remembers the state of deliveries.
func (b mailbag) write(ctx context.Context, w store.Work) error {
	p := b.s.p
	p.mu.Lock()
	defer p.mu.Unlock()
	err := b.Backend.Record(ctx, w)
	p.y.reach(errors.Is(err, store.ErrLeaseLost), sim.SenderLeaseStolen)
	if err != nil {
		return err
	}
	for _, d := range w.Deliveries {
		p.note(d)
	}
	return nil
}
