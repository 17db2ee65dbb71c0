package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// Variants of a server.
const (
	grouped  = "group commit"
	oneByOne = "batches of one"
)

// usual is the number of connections for most targets.
const usual = 64

// writes measures W1 to W3 on a regular server, W1 on a server that commits one request at a
// time, and the ceiling, in turn.
func (r *runner) writes(ctx context.Context, kind string) (err error) {
	a, err := r.build(ctx, "writes", kind, 0, 1)
	if err != nil {
		return err
	}
	var b, c *site
	defer func() { err = r.finish(ctx, err, a, b, c) }()
	if r.cfg.wants(W1) {
		if b, err = r.build(ctx, "one by one", kind, 0, 1, "--batch", "1"); err != nil {
			return err
		}
	}
	var top *ceiling
	if r.cfg.wants(Ceiling) {
		if c, top, err = r.ceiling(ctx, kind); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, top.close()) }()
	}
	steps := r.writeSteps(a, b, top)
	for _, s := range []*site{a, b} {
		if s == nil {
			continue
		}
		if err := r.warm(ctx, s, authorize); err != nil {
			return err
		}
	}
	if err := r.rounds(ctx, kind, steps); err != nil {
		return err
	}
	r.writeTargets(kind)
	return nil
}

// writeSteps are the measurements of a round: what is compared runs back to back. W1 at the usual
// number of connections is in all of them.
func (r *runner) writeSteps(a, b *site, top *ceiling) []step {
	w1 := func(s *site, variant string, connections int) step {
		return r.closed(measurement{site: s, workload: W1, variant: variant, connections: connections, do: authorize, accounted: s == a && connections == usual})
	}
	var steps []step
	if top != nil {
		steps = append(steps, step{"ceiling", top.measure})
	}
	steps = append(steps, w1(a, grouped, usual))
	if b != nil {
		steps = append(steps, w1(b, oneByOne, usual))
	}
	if r.cfg.wants(W2) {
		steps = append(steps, r.closed(measurement{site: a, workload: W2, variant: grouped, connections: usual, do: authorizeHot}))
	}
	if r.cfg.wants(W3) {
		steps = append(steps, r.lives(a))
	}
	if b != nil {
		steps = append(steps, w1(a, grouped, 1), w1(b, oneByOne, 1), w1(a, grouped, 16), w1(a, grouped, 256))
	}
	return steps
}

// lives is W3. It counts steps, and separately the orders that lived a whole life: as many as
// were paid, since only a tenth goes further.
func (r *runner) lives(s *site) step {
	m := measurement{site: s, workload: W3, variant: grouped, connections: usual, do: live}
	whole := r.closed(m)
	run := whole.run
	whole.run = func(ctx context.Context) error {
		paid, begin := len(s.shop.acked.payments), time.Now()
		err := run(ctx)
		rate := float64(len(s.shop.acked.payments)-paid) / time.Since(begin).Seconds()
		r.report.row(s.kind, W3, "orders finished", usual, "orders/s").put(rate)
		return err
	}
	return whole
}

func (r *runner) writeTargets(kind string) {
	rate := func(workload, variant string, connections int) []float64 {
		return r.report.row(kind, workload, variant, connections, "requests/s").Rounds
	}
	usualW1 := rate(W1, grouped, usual)
	if r.cfg.wants(W1) {
		r.report.atLeast(kind, "w1.batching", "W1 at 64 connections / the same with batches of one", 2.5, "x", ratios(usualW1, rate(W1, oneByOne, usual)))
		lone := ratios(r.report.row(kind, W1, grouped, 1, "").p50, r.report.row(kind, W1, oneByOne, 1, "").p50)
		r.report.atMost(kind, "w1.lone", "W1 at 1 connection: latency (p50) / the same with batches of one", 1.3, "x", lone)
	}
	if cpu := r.report.find(kind, W1, cpuVariant, usual); cpu != nil {
		r.report.atMost(kind, "w1.cpu", "W1 at 64 connections: CPU of server and database for a request", 250, "µs", cpu.Rounds)
	}
	if r.cfg.wants(Ceiling) {
		r.report.atLeast(kind, "w1.ceiling", "W1 at 64 connections / ceiling", 0.6, "x", ratios(usualW1, r.report.row(kind, Ceiling, ceilingVariant, 0, "").Rounds))
	}
	if r.cfg.wants(W2) {
		r.report.atLeast(kind, "w2.hot", "W2 / W1 at 64 connections", 1, "x", ratios(rate(W2, grouped, usual), usualW1))
	}
	if r.cfg.wants(W3) {
		r.report.atLeast(kind, "w3.steps", "W3 steps / W1 requests at 64 connections", 0.5, "x", ratios(rate(W3, grouped, usual), usualW1))
	}
}

// ceiling is what the database achieves with the store's own statements: the rows of W1 in
// batches, decided beforehand, without HTTP.
type ceiling struct {
	run     *runner
	db      *database
	backend store.Backend
	forge   *forge
	batches []store.Batch // recorded but not applied yet
	count   int           // number of batches per round
}

// A batch of the ceiling, and how many of them one round may need: recorded batches must be kept
// in memory.
const (
	ceilingBatch   = 100
	ceilingVariant = "batches of 100"
	firstCeiling   = 30
	mostCeiling    = 500
)

// ceiling creates a database with the same companies as W1.
func (r *runner) ceiling(ctx context.Context, kind string) (s *site, c *ceiling, err error) {
	d, err := r.fresh(ctx, kind)
	if err != nil {
		return nil, nil, err
	}
	s = &site{name: "ceiling", database: d}
	c = &ceiling{run: r, db: d, count: firstCeiling}
	if c.backend, err = r.cfg.Open(ctx, d.target); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open database: %w", err), s.close())
	}
	if c.forge, err = newForge(ctx, c.backend, r.cfg.Zone, r.rng.fork(), ceilingBatch); err != nil {
		return nil, nil, errors.Join(err, c.close(), s.close())
	}
	c.forge.sink = func(b store.Batch) error { return apply(ctx, c.backend, b) }
	c.forge.keyed = true // like W1
	d.shop = &shop{}
	if err = r.stock(ctx, d, c.forge, 0); err != nil {
		return nil, nil, errors.Join(err, c.close(), s.close())
	}
	c.forge.sink = func(b store.Batch) error { c.batches = append(c.batches, b); return nil }
	return s, c, nil
}

func (c *ceiling) close() error {
	if c.backend == nil {
		return nil
	}
	err := c.backend.Close()
	c.backend = nil
	return err
}

// measure records batches and then times how long the database takes to commit them.
func (c *ceiling) measure(ctx context.Context) error {
	if err := c.record(ctx); err != nil {
		return err
	}
	// The recorded batches will become garbage. Collecting them is not the store's work, so it is
	// put off until afterwards as far as possible.
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	begin := time.Now()
	for _, b := range c.batches {
		if err := apply(ctx, c.backend, b); err != nil {
			return err
		}
	}
	took := time.Since(begin)
	n := len(c.batches)
	c.batches = nil
	c.run.report.row(c.db.kind, Ceiling, ceilingVariant, 0, "orders/s").put(float64(n*ceilingBatch) / took.Seconds())
	c.count = min(max(int(float64(n)*c.run.cfg.Duration.Seconds()/took.Seconds()), 1), mostCeiling)
	return nil
}

func (c *ceiling) record(ctx context.Context) error {
	s := c.db.shop
	for range c.count {
		commands := make([]credit.Command, ceilingBatch)
		for i := range commands {
			commands[i] = c.forge.order(s.companies[c.forge.rng.below(len(s.companies))])
		}
		made, err := c.forge.decide(ctx, commands)
		if err != nil {
			return err
		}
		for _, x := range made {
			key := x.(*credit.Order).Key
			s.acked.created = append(s.acked.created, key)
			c.forge.forget(key)
		}
	}
	return nil
}
