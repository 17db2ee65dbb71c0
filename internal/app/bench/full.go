package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// full measures on a book with many orders: reads against a bare handler, the mix of reads and
// writes in an open loop, the cost of growth, and the start.
func (r *runner) full(ctx context.Context, kind string) (err error) {
	big, err := r.build(ctx, "full book", kind, r.cfg.Orders, 1)
	if err != nil {
		return err
	}
	var small *site
	defer func() { err = r.finish(ctx, err, big, small) }()
	if r.cfg.wants(Growth) {
		if small, err = r.build(ctx, "small book", kind, min(smallBook, r.cfg.Orders/10), 1); err != nil {
			return err
		}
	}
	if err := r.warm(ctx, big, read); err != nil {
		return err
	}
	for _, part := range []struct {
		workload string
		run      func(context.Context, *site, *site) error
	}{{W4, r.reads}, {Growth, r.growth}, {W5, r.openMix}, {W9, r.staff}, {Start, r.starts}} {
		if !r.cfg.wants(part.workload) {
			continue
		}
		if err := part.run(ctx, big, small); err != nil {
			return err
		}
	}
	return nil
}

// samples is the number of responses that the bare handler knows.
const samples = 1000

// bareVariant is the upper bound for W4.
const bareVariant = "bare net/http handler"

// reads is W4 against a bare handler that encodes the same resources from memory.
func (r *runner) reads(ctx context.Context, s, _ *site) (err error) {
	paths, file, err := r.sample(s)
	if err != nil {
		return err
	}
	x, err := start(ctx, file+".log", nil, append(slices.Clone(r.cfg.Bare), file)...)
	if err != nil {
		return err
	}
	bare := &site{name: "bare", database: &database{kind: s.kind, shop: &shop{rng: r.rng.fork()}}, servers: []*server{x}}
	defer func() { err = errors.Join(err, bare.halt()) }()
	known := func(c *caller) error {
		_, err := c.ask(&request{method: "GET", path: paths[c.rng.below(len(paths))]}, 200)
		return err
	}
	if err := r.warm(ctx, bare, known); err != nil {
		return err
	}
	err = r.rounds(ctx, s.kind, []step{
		r.closed(measurement{site: s, workload: W4, variant: "tenor", connections: usual, do: read}),
		r.closed(measurement{site: bare, workload: W4, variant: bareVariant, connections: usual, do: known}),
	})
	tenor, limit := r.report.row(s.kind, W4, "tenor", usual, "").Rounds, r.report.row(s.kind, W4, bareVariant, usual, "").Rounds
	r.report.atLeast(s.kind, "w4.bare", "W4 / a bare handler that encodes the same JSON", bareShare(s.kind), "x", ratios(tenor, limit))
	return err
}

// bareShare is how much of a bare handler's throughput reads must reach: on PostgreSQL a read
// goes through another process on the same cores.
func bareShare(kind string) float64 {
	if kind == Postgres {
		return 0.3
	}
	return 0.45
}

// openMix is W5: the closed loop measures the capacity, and the open loop runs at a fraction of
// it.
func (r *runner) openMix(ctx context.Context, s, _ *site) error {
	const connections = 256
	capacity := 0.0
	m := measurement{site: s, workload: W5, variant: "capacity", connections: usual, do: mix}
	most := r.closed(m)
	steps := []step{{most.name, func(ctx context.Context) error {
		err := most.run(ctx)
		rounds := m.row(r).Rounds
		capacity = rounds[max(0, len(rounds)-1)]
		return err
	}}}
	for _, share := range []int{50, 80} {
		open := measurement{site: s, workload: W5, variant: fmt.Sprintf("open loop at %d %%", share), connections: connections, do: mix, tolerant: true}
		steps = append(steps, step{open.variant, func(ctx context.Context) error {
			rate := max(capacity*float64(share)/100, 1)
			open.row(r) // above its parts
			return r.load(open, func(callers []*caller) *result {
				res := openLoop(ctx, callers, rate, r.cfg.Duration, mix)
				r.apart(open, "reads", res.elapsed, res.reads)
				r.apart(open, "writes", res.elapsed, res.writes)
				return res
			})
		}})
	}
	if err := r.rounds(ctx, s.kind, steps); err != nil {
		return err
	}
	at := r.report.row(s.kind, W5, "open loop at 80 %", connections, "")
	for _, part := range []struct {
		name  string
		limit float64
	}{{"reads", 6}, {"writes", 3}} {
		x := r.report.row(s.kind, W5, at.Variant+", "+part.name, connections, "")
		r.report.atMost(s.kind, "w5."+part.name, "W5 at 80 % of capacity: p99 / p50 of "+part.name, part.limit, "x", ratios(x.p99, x.p50))
	}
	r.report.atMost(s.kind, "w5.errors", "W5 at 80 % of capacity: errors", 0, "errors", []float64{float64(at.Errors)})
	return nil
}

// apart records the reads or the writes of a mix, whose latencies have nothing in common.
func (r *runner) apart(m measurement, part string, took time.Duration, latency histogram) {
	m.variant += ", " + part
	m.row(r).add(&result{requests: latency.n, elapsed: took, latency: latency})
}

// growth compares the full book with a small one, and a page in its middle with the first page.
func (r *runner) growth(ctx context.Context, big, small *site) error {
	few, many := fmt.Sprintf("%d orders", len(small.shop.orders)), fmt.Sprintf("%d orders", len(big.shop.orders))
	middle, err := r.middle(ctx, big)
	if err != nil {
		return err
	}
	for s, do := range map[*site]work{small: authorize, big: authorize} {
		if err := r.warm(ctx, s, do); err != nil {
			return err
		}
	}
	on := func(s *site, variant string, connections int, do work) step {
		return r.closed(measurement{site: s, workload: Growth, variant: variant, connections: connections, do: do})
	}
	err = r.rounds(ctx, big.kind, []step{
		on(big, "W4 "+many, usual, read), on(small, "W4 "+few, usual, read),
		on(big, "W1 "+many, usual, authorize), on(small, "W1 "+few, usual, authorize),
		on(big, "page in the middle", 1, page(middle)), on(big, "first page", 1, page(firstPage)),
	})
	if err != nil {
		return err
	}
	row := func(variant string, connections int) *Row {
		return r.report.row(big.kind, Growth, variant, connections, "")
	}
	r.report.atLeast(big.kind, "growth.w1", "W1 with "+many+" / with "+few, 0.85, "x", ratios(row("W1 "+many, usual).Rounds, row("W1 "+few, usual).Rounds))
	r.report.atLeast(big.kind, "growth.w4", "W4 with "+many+" / with "+few, 0.85, "x", ratios(row("W4 "+many, usual).Rounds, row("W4 "+few, usual).Rounds))
	// "Costs the same" leaves room for the noise of two measurements.
	r.report.atMost(big.kind, "growth.page", "a list page in the middle / the first: latency (p50)", 1.2, "x", ratios(row("page in the middle", 1).p50, row("first page", 1).p50))
	return nil
}

// firstPage is the list as callers request it.
const firstPage = "/v1/orders?limit=25"

// page requests one page of a list.
func page(path string) work {
	return func(c *caller) error {
		_, err := c.ask(&request{method: "GET", path: path}, 200)
		return err
	}
}

// middle walks the list of orders to its middle and returns the path of that page.
func (r *runner) middle(ctx context.Context, s *site) (string, error) {
	callers, err := s.shop.dial(1, s.hosts()...)
	if err != nil {
		return "", err
	}
	defer s.shop.leave(callers)
	const most = 100
	pages := len(s.shop.orders) / 2 / most
	cursor := ""
	for i := range pages {
		r.cfg.Progress(s.kind+": walk to the middle of the list", i, pages)
		if err := ctx.Err(); err != nil {
			return "", err
		}
		a, err := callers[0].ask(&request{method: "GET", path: fmt.Sprintf("/v1/orders?limit=%d%s", most, cursor)}, 200)
		if err != nil {
			return "", err
		}
		next, err := member(a.body, "next_cursor")
		if err != nil {
			return "", err
		}
		cursor = "&cursor=" + next
	}
	return firstPage + cursor, nil
}

// idleFor is how long a server is idle before its memory is read.
const idleFor = 2 * time.Second
