package engine

import (
	"context"
	"errors"
	"hash/maphash"
	"reflect"
	"sync"

	"tenor/internal/domain/credit"
)

// Group is several engines on one backend, each with its own queue and writer. A company's
// commands all go to the same engine, so that they do not wait for each other's locks;
// correctness does not depend on it, because the backend locks what is decided on. A
// backend with one writer gains nothing from it.
type Group struct {
	members []*Engine
	seed    maphash.Seed

	mu        sync.RWMutex
	companies map[string]int64 // by order: it never changes, so it may be cached (EN8)
}

// remembered bounds the cache of a Group: when full it is emptied.
const remembered = 100_000

// NewGroup returns n engines, 1 if n is 0, which share the queue limit.
func NewGroup(cfg Config, n int) (*Group, error) {
	n = max(1, n)
	g := &Group{seed: maphash.MakeSeed(), companies: map[string]int64{}}
	if cfg.Queue == 0 {
		cfg.Queue = DefaultQueue
	}
	cfg.Queue = max(1, cfg.Queue/n)
	alarm := cfg.Alarm
	cfg.Alarm = func(a Alarm) {
		if a.What == AlarmCheck || a.What == AlarmFenced {
			g.stop() // a failure found by one stops all
		}
		if alarm != nil {
			alarm(a)
		}
	}
	for range n {
		e, err := New(cfg)
		if err != nil {
			return nil, err
		}
		g.members = append(g.members, e)
	}
	return g, nil
}

func (g *Group) stop() {
	for _, e := range g.members {
		e.queue.setMode(broken)
	}
}

// Submit implements Submitter.
func (g *Group) Submit(ctx context.Context, r Request) (Result, error) {
	if len(g.members) == 1 {
		return g.members[0].Submit(ctx, r)
	}
	encode := r.Encode
	if encode != nil && !r.DryRun {
		r.Encode = func(c credit.Changes, x *credit.Rejection) Response {
			g.remember(c.Orders)
			return encode(c, x)
		}
	}
	return g.members[g.member(r.Command, r.Actor)].Submit(ctx, r)
}

// member chooses by the command's company, as far as that is known without the database,
// else by what the command names.
func (g *Group) member(c credit.Command, by credit.Actor) int {
	key, ok := g.company(c, by)
	if !ok {
		return 0
	}
	return int(maphash.Comparable(g.seed, key) % uint64(len(g.members)))
}

func (g *Group) company(c credit.Command, by credit.Actor) (key any, ok bool) {
	// A command that panics here panics again, and is answered, where it is decided.
	defer func() { ok = recover() == nil && ok }()
	k := c.Keys(credit.NewState(), credit.Env{Actor: by})
	switch {
	case len(k.Companies) > 0:
		return k.Companies[0], true
	case len(k.Orders) > 0:
		g.mu.RLock()
		id, known := g.companies[k.Orders[0]]
		g.mu.RUnlock()
		if known {
			return id, true
		}
		return k.Orders[0], true
	case len(k.Payments) > 0:
		return k.Payments[0], true
	}
	return nil, false
}

func (g *Group) remember(orders []*credit.Order) {
	if len(orders) == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.companies) >= remembered {
		clear(g.companies)
	}
	for _, o := range orders {
		g.companies[o.Key] = o.Company
	}
}

// Run runs every member until the context ends or Close was called.
func (g *Group) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, e := range g.members {
		all.Go(func() { e.Run(ctx) })
	}
	all.Wait()
}

// Close stops accepting commands and waits until the queued ones have been decided.
func (g *Group) Close(ctx context.Context) error {
	var errs []error
	for _, e := range g.members {
		errs = append(errs, e.Close(ctx))
	}
	return errors.Join(errs...)
}

// Health is nil while every member accepts commands.
func (g *Group) Health() error {
	for _, e := range g.members {
		if err := e.Health(); err != nil {
			return err
		}
	}
	return nil
}

// Halt ends all writing, as Engine.Halt does.
func (g *Group) Halt(why error) { g.members[0].Halt(why) }

// Stats sums the members' counts; LargestBatch is the maximum.
func (g *Group) Stats() Stats {
	var sum Stats
	total := reflect.ValueOf(&sum).Elem()
	largest := int64(0)
	for _, e := range g.members {
		s := e.Stats()
		largest = max(largest, s.LargestBatch)
		one := reflect.ValueOf(s)
		for i := range one.NumField() {
			total.Field(i).SetInt(total.Field(i).Int() + one.Field(i).Int())
		}
	}
	sum.LargestBatch = largest
	return sum
}
