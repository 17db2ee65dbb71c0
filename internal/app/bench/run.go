package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// runner is one run.
type runner struct {
	cfg    Config
	dir    string // for files that are removed at the end
	rng    rng
	report *Report
}

// Run makes the configured measurements. A report that is not Valid is complete, but something
// acknowledged is missing or the books are wrong. The error means that a measurement could not be
// made; then the report contains what was measured before, and may be nil.
func Run(ctx context.Context, c Config) (report *Report, err error) {
	c, err = c.complete()
	if err != nil {
		return nil, err
	}
	if c.Dir != "" {
		if err := os.MkdirAll(c.Dir, 0o700); err != nil {
			return nil, fmt.Errorf("bench: %w", err)
		}
	}
	r := &runner{cfg: c, rng: rng(c.Seed)}
	if r.dir, err = os.MkdirTemp(c.Dir, "tenor-bench-"); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	defer func() {
		if gone := os.RemoveAll(r.dir); gone != nil && err == nil {
			err = fmt.Errorf("bench: %w", gone)
		}
	}()
	begin := time.Now()
	r.report = &Report{
		Release: c.Release, Version: c.Version, Commit: c.Commit, StartedAt: begin.UTC(), Invalid: []string{}, Notes: []string{},
		Settings: Settings{Rounds: c.Rounds, Seconds: c.Duration.Seconds(), Companies: c.Companies, Seed: c.Seed, Quick: c.Quick},
	}
	if c.wants(W4, W5, Growth, Start) {
		r.report.Settings.Orders = c.Orders
	}
	if c.wants(W6) {
		r.report.Settings.DayOrders = c.DayOrders
	}
	if r.report.Machine, err = thisMachine(r.dir); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	for _, kind := range c.Databases {
		if err := r.measure(ctx, kind); err != nil {
			r.invalid("the run did not come to its end: %s: %v", kind, err)
			r.report.finish(time.Since(begin))
			return r.report, fmt.Errorf("bench: %s: %w", kind, err)
		}
	}
	r.report.finish(time.Since(begin))
	return r.report, nil
}

// measure makes all measurements on one kind of database.
func (r *runner) measure(ctx context.Context, kind string) error {
	for _, part := range []struct {
		workloads []string
		run       func(context.Context, string) error
	}{
		{[]string{W1, W2, W3, Ceiling}, r.writes},
		{[]string{W4, W5, W9, Growth, Start}, r.full},
		{[]string{W6}, r.day},
		{[]string{W7}, r.fanOut},
		{[]string{W8}, r.checkouts},
		{[]string{Long}, r.long},
		{[]string{Nodes}, r.nodes},
	} {
		if !r.cfg.wants(part.workloads...) {
			continue
		}
		if err := part.run(ctx, kind); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// step is one measurement of a round.
type step struct {
	name string
	run  func(context.Context) error
}

// rounds runs all steps in turn, several times.
func (r *runner) rounds(ctx context.Context, what string, steps []step) error {
	for n := range r.cfg.Rounds {
		for i, s := range steps {
			r.cfg.Progress(what+": measure "+s.name, n*len(steps)+i, r.cfg.Rounds*len(steps))
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.run(ctx); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	r.cfg.Progress(what+": measured", r.cfg.Rounds*len(steps), r.cfg.Rounds*len(steps))
	return nil
}

// measurement is a load on a site, and where its figures are recorded.
type measurement struct {
	site        *site
	workload    string
	variant     string
	connections int
	do          work
	tolerant    bool // errors are a figure, and do not invalidate the run
	accounted   bool // measure the CPU time of a request, too
}

func (m *measurement) row(r *runner) *Row {
	return r.report.row(m.site.kind, m.workload, m.variant, m.connections, "requests/s")
}

// closed returns a closed-loop step.
func (r *runner) closed(m measurement) step {
	return step{fmt.Sprintf("%s %s, %d connections", m.workload, m.variant, m.connections), func(ctx context.Context) error {
		return r.load(m, func(callers []*caller) *result { return closedLoop(ctx, callers, r.cfg.Duration, m.do) })
	}}
}

// dial returns n callers with the run's response timeout.
func (r *runner) dial(s *site, n int) ([]*caller, error) {
	callers, err := s.shop.dial(n, s.hosts()...)
	for _, c := range callers {
		c.patience = r.cfg.patience
	}
	return callers, err
}

// load connects, runs the load, and records it. A failed request invalidates the run: its figures
// would be those of errors.
func (r *runner) load(m measurement, run func([]*caller) *result) error {
	callers, err := r.dial(m.site, m.connections)
	if err != nil {
		return err
	}
	var res *result
	if m.accounted {
		err = r.account(m, func() int64 { res = run(callers); return res.requests })
	} else {
		res = run(callers)
	}
	m.site.shop.leave(callers)
	if err != nil {
		return err
	}
	if err := r.autopsy(m.site, res); err != nil {
		return err
	}
	m.row(r).add(res)
	if res.errors > 0 && !m.tolerant {
		r.invalid("%s: %s %s at %d connections: %d of %d requests failed: %v",
			m.site.kind, m.workload, m.variant, m.connections, res.errors, res.requests, res.first)
	}
	return nil
}

// warmFor is how long a server runs before it is measured: its pools fill, and its heap reaches
// its size.
const warmFor = 500 * time.Millisecond

// warm loads a server briefly.
func (r *runner) warm(ctx context.Context, s *site, do work) error {
	const connections = 16
	callers, err := r.dial(s, connections)
	if err != nil {
		return err
	}
	res := closedLoop(ctx, callers, min(warmFor, r.cfg.Duration), do)
	s.shop.leave(callers)
	if err := r.autopsy(s, res); err != nil {
		return err
	}
	if res.errors > 0 {
		return fmt.Errorf("warm up: %w", res.first)
	}
	return nil
}

// finish settles the sites and removes them, even after an error.
func (r *runner) finish(ctx context.Context, err error, sites ...*site) error {
	for _, s := range sites {
		if s == nil {
			continue
		}
		if err == nil {
			err = r.settle(ctx, s, s.kind+" "+s.name)
		}
		err = errors.Join(err, s.close())
	}
	return err
}
