package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"tenor/internal/clock"
	"tenor/internal/clockwork"
	fakebank "tenor/internal/rails/fake"
	sandboxes "tenor/internal/sandbox"
	"tenor/internal/store"
)

// playground is a sandbox in this process: an engine, a clock that can be moved, a
// bank, and the clockwork that brings what is due.
type playground struct {
	node  *node
	clock *clock.Settable // it stands still until begin
	work  *clockwork.Scheduler
	box   *sandboxes.Sandbox
	still bool // the clock was left frozen
}

// openPlayground opens or makes a sandbox. Its clock stands at start, or where it was
// left: time never goes back. The caller must close it.
func openPlayground(ctx context.Context, at *place, start time.Time, wall func() time.Time, log *slog.Logger) (p *playground, err error) {
	p = &playground{}
	p.node, err = openNode(ctx, nodeConfig{
		place: at, mode: sandbox, wall: wall, log: log, keys: true,
		clock: func(ctx context.Context, db store.Backend, head store.Head) (func() time.Time, error) {
			left, still, err := sandboxes.KeptClock(ctx, db)
			for _, t := range []time.Time{head.At, left} {
				if t.After(start) {
					start = t
				}
			}
			p.clock, p.still = clock.NewSettable(start), still
			return p.clock.Now, err
		},
	})
	if err != nil {
		return nil, err
	}
	n := p.node
	bank, err := sandboxes.OpenBank(ctx, n.db, n.zone, n.now)
	if err == nil {
		p.work, err = n.scheduler(carriers{bank: bank, origin: fakebank.Origin(), cards: bank.Cards()}, wall, log)
	}
	if err != nil {
		return nil, errors.Join(err, n.close())
	}
	n.plans = sandboxes.WithPlans(p.work, n.db, n.zone, n.suspend)
	p.box = sandboxes.New(p.clock, n.plans, bank, n.db, n.zone)
	n.controls = controls{p.box, n}
	return p, nil
}

// server puts HTTP on the sandbox.
func (p *playground) server(base string, wall func() time.Time, log *slog.Logger) (*server, error) {
	s, err := newServer(p.node, base, wall, log)
	if err == nil {
		s.work = p.work
	}
	return s, err
}

// begin lets the clock run, unless it was left frozen.
func (p *playground) begin() {
	if !p.still {
		p.clock.Resume()
	}
}

// close ends a move of the clock and closes the database.
func (p *playground) close() error {
	p.box.Close()
	return p.node.close()
}
