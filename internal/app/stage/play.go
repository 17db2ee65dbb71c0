package stage

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/core/clock"
	"tenor/internal/core/store"
	sandboxes "tenor/internal/edge/sandbox"
	"tenor/internal/office/clockwork"
	fakebank "tenor/internal/ports/rails/fake"
	"tenor/internal/ports/telemetry"
)

// Playground is a sandbox in this process: an engine, a settable clock, a bank, and the clockwork
// that does what is due.
type Playground struct {
	Node  *node.Node
	Clock *clock.Settable // it does not move until begin
	work  *clockwork.Scheduler
	Box   *sandboxes.Sandbox
	Still bool // the clock was left frozen
}

// openPlayground opens or creates a sandbox. Its clock is at start, or where it was left: time
// never goes back. metrics may be nil. inOrder generates the seeds of scheduled work, which then
// runs sequentially and reproducibly; nil: seeds are random. The caller must close it.
func openPlayground(ctx context.Context, at *node.Place, start time.Time, wall func() time.Time, log *slog.Logger, metrics *telemetry.Metrics, inOrder func() [16]byte) (p *Playground, err error) {
	p = &Playground{}
	p.Node, err = node.Open(ctx, node.Config{
		Place: at, Mode: node.Sandbox, Wall: wall, Log: log, Keys: true, Metrics: metrics,
		Clock: func(ctx context.Context, db store.Backend, head store.Head) (func() time.Time, error) {
			left, still, err := sandboxes.KeptClock(ctx, db)
			for _, t := range []time.Time{head.At, left} {
				if t.After(start) {
					start = t
				}
			}
			p.Clock, p.Still = clock.NewSettable(start), still
			return p.Clock.Now, err
		},
	})
	if err != nil {
		return nil, err
	}
	n := p.Node
	bank, err := sandboxes.OpenBank(ctx, n.DB, n.Zone, n.Now)
	if err == nil {
		p.work, err = n.Scheduler(node.Carriers{Bank: bank, Origin: fakebank.Origin(), Cards: bank.Cards(), Sanctions: n.Sanctions, InOrder: inOrder}, wall, log)
	}
	if err != nil {
		return nil, errors.Join(err, n.Close())
	}
	n.Plans = sandboxes.WithPlans(p.work, n.DB, n.Zone, n.Suspend)
	p.Box = sandboxes.New(p.Clock, n.Plans, bank, n.DB, n.Zone)
	n.Controls = controls{p.Box, n, nil}
	return p, nil
}

// server creates the sandbox's HTTP server.
func (p *Playground) server(base string, wall func() time.Time, log *slog.Logger) (*node.Server, error) {
	s, err := node.NewServer(p.Node, base, wall, log)
	if err == nil {
		s.Work = p.work
	}
	return s, err
}

// Run starts the clock, unless it was left frozen.
func (p *Playground) Run() {
	if !p.Still {
		p.Clock.Resume()
	}
}

// close stops a move of the clock and closes the database.
func (p *Playground) close() error {
	p.Box.Close()
	return p.Node.Close()
}

// Private is a sandbox for this process alone: on its own port, in a directory that is removed
// with it.
type Private struct {
	*Stage
	URL   string
	Desk  string // a token of the lender
	Dir   string
	ended chan error
	stop  context.CancelFunc
}

// OpenPrivate opens a private sandbox whose clock stands still at start. seed generates each
// command's seed; nil: random. Warnings are written to log. The caller must Shut it.
func OpenPrivate(ctx context.Context, wall func() time.Time, log io.Writer, makes Makers, start time.Time, seed func() [16]byte) (x *Private, err error) {
	dir, err := os.MkdirTemp("", "tenor-private-")
	if err != nil {
		return nil, &exit.Failure{Code: exit.Refused, Text: "create temporary directory", Err: err}
	}
	x = &Private{Dir: dir, stop: func() {}}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.Shut())
		}
	}()
	if x.Stage, err = Open(ctx, &node.Place{Dir: dir, Temporary: true}, start, wall, node.QuietLog(log), nil, makes); err != nil {
		return nil, err
	}
	x.seed = seed
	if seed != nil {
		x.Playing.Node.Seed = seed
	}
	if x.Desk, _, _, err = node.Issue(ctx, x.Playing.Node.Issuer(wall), node.TokenWish{Operator: true, TTL: time.Hour}); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, &exit.Failure{Code: exit.Refused, Text: "listen", Err: err}
	}
	if err := x.Listen(l); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	x.URL, x.stop, x.ended = x.Base, cancel, make(chan error, 1)
	go func() { x.ended <- x.Serve(serving, l) }()
	return x, nil
}

// Shut closes the sandbox and removes its data.
func (x *Private) Shut() (err error) {
	x.stop()
	if x.ended != nil {
		err = <-x.ended
	}
	if x.Stage != nil {
		err = errors.Join(err, x.Close())
	}
	return errors.Join(err, os.RemoveAll(x.Dir))
}
