package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"tenor/internal/clock"
	"tenor/internal/clockwork"
	fakebank "tenor/internal/rails/fake"
	sandboxes "tenor/internal/sandbox"
	"tenor/internal/store"
	"tenor/internal/telemetry"
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
// left: time never goes back. metrics may be nil. inOrder draws the seeds of what time
// brings, which is done one after the other then, the same way each time; nil: at random.
// The caller must close it.
func openPlayground(ctx context.Context, at *place, start time.Time, wall func() time.Time, log *slog.Logger, metrics *telemetry.Metrics, inOrder func() [16]byte) (p *playground, err error) {
	p = &playground{}
	p.node, err = openNode(ctx, nodeConfig{
		place: at, mode: sandbox, wall: wall, log: log, keys: true, metrics: metrics,
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
		p.work, err = n.scheduler(carriers{bank: bank, origin: fakebank.Origin(), cards: bank.Cards(), sanctions: n.sanctions, inOrder: inOrder}, wall, log)
	}
	if err != nil {
		return nil, errors.Join(err, n.close())
	}
	n.plans = sandboxes.WithPlans(p.work, n.db, n.zone, n.suspend)
	p.box = sandboxes.New(p.clock, n.plans, bank, n.db, n.zone)
	n.controls = controls{p.box, n, nil}
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

// run lets the clock run, unless it was left frozen.
func (p *playground) run() {
	if !p.still {
		p.clock.Resume()
	}
}

// close ends a move of the clock and closes the database.
func (p *playground) close() error {
	p.box.Close()
	return p.node.close()
}

// private is a sandbox for this process alone: on a port of its own, in a directory that
// goes with it.
type private struct {
	*stage
	url   string
	desk  string // a token of the lender
	dir   string
	ended chan error
	stop  context.CancelFunc
}

// openPrivate opens a private sandbox whose clock stands still at start. seed draws the
// seed of each command; nil: at random. The log of warnings goes to log. The caller must
// shut it.
func openPrivate(ctx context.Context, wall func() time.Time, log io.Writer, makes makers, start time.Time, seed func() [16]byte) (x *private, err error) {
	dir, err := os.MkdirTemp("", "tenor-private-")
	if err != nil {
		return nil, &failure{code: exitRefused, text: "make temporary directory", err: err}
	}
	x = &private{dir: dir, stop: func() {}}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.shut())
		}
	}()
	if x.stage, err = openStage(ctx, &place{dir: dir, temporary: true}, start, wall, quietLog(log), nil, makes); err != nil {
		return nil, err
	}
	x.seed = seed
	if seed != nil {
		x.playing.node.seed = seed
	}
	if x.desk, _, _, err = issue(ctx, x.playing.node.issuer(wall), tokenWish{operator: true, ttl: time.Hour}); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, &failure{code: exitRefused, text: "listen", err: err}
	}
	if err := x.listen(l); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	x.url, x.stop, x.ended = x.base, cancel, make(chan error, 1)
	go func() { x.ended <- x.serve(serving, l) }()
	return x, nil
}

// shut ends the sandbox and removes its data.
func (x *private) shut() (err error) {
	x.stop()
	if x.ended != nil {
		err = <-x.ended
	}
	if x.stage != nil {
		err = errors.Join(err, x.close())
	}
	return errors.Join(err, os.RemoveAll(x.dir))
}
