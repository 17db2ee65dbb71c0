// Package stage is a sandbox in this process: a node with a settable clock and a bank. A stage
// serves one sandbox at one address and can replace it, from a snapshot or with a new one. The
// caller provides what a new one contains.
package stage

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"tenor/internal/app/node"
	"tenor/internal/domain/calendar"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
	"tenor/internal/pages/sandboxui"
	"tenor/internal/ports/telemetry"
)

// Stage serves a playground at one address, and can replace it while serving: running requests
// finish first, and new ones wait until it is done.
type Stage struct {
	Unlogged bool // it keeps no request log
	LogRate  int  // successful calls of a client per second that it keeps
	at       *node.Place
	start    time.Time // where the clock of an empty sandbox starts
	Wall     func() time.Time
	Log      *slog.Logger
	Base     string          // the public address, known once it listens
	seed     func() [16]byte // for each API command; nil: random
	ctx      context.Context // of the running sandbox's duties

	Metrics    *telemetry.Metrics // nil: not enabled
	Door       *sandboxui.Door    // who has entered the pages
	Demo       string             // secret of the address where made-up staff sign in to the console
	SeedNumber int64              // of the demo data
	makes      Makers             // the demo data
	Told       func(done, of int) // called with the days of their history; may be nil
	Patience   time.Duration      // patienceForChange, except in tests

	mu      sync.Mutex
	Playing *Playground
	handler http.Handler  // of the running sandbox; nil: none
	end     func()        // stops its duties
	release func()        // releases requests to it that are waiting for something that will not come
	running int           // requests being served
	fewer   chan struct{} // closed when one finishes, then replaced
	moved   chan struct{} // closed at the end of the current change; nil: none
}

// Makers create the contents of a new sandbox: the stage does not know the demo.
type Makers struct {
	// Demo creates the demo data through the engine, and returns the demo merchant.
	Demo func(ctx context.Context, n *node.Node, seed int64, wall func() time.Time) (string, error)
	// Begins returns when the history of the demo data begins, for a sandbox that begins at a given
	// time.
	Begins func(zone calendar.Zone, sandbox time.Time) time.Time
	// History creates the demo data with their history, up to the time at which the sandbox begins.
	// base is the sandbox's future address; tell may be nil.
	History func(ctx context.Context, p *Playground, until time.Time, seed int64, wall func() time.Time, base string, tell func(done, total int)) (string, error)
}

// Open opens a sandbox for serving. metrics may be nil. The caller must close it.
func Open(ctx context.Context, at *node.Place, start time.Time, wall func() time.Time, log *slog.Logger, metrics *telemetry.Metrics, makes Makers) (*Stage, error) {
	st := &Stage{
		at: at, start: start, Wall: wall, Log: log, Metrics: metrics, makes: makes, fewer: make(chan struct{}), Patience: patienceForChange,
		ctx: context.WithoutCancel(ctx), Door: sandboxui.NewDoor(wall), Demo: rand.Text(),
	}
	p, err := st.raise(ctx, start)
	st.Playing = p
	if err == nil {
		st.LogRate = p.Node.LogRate
	}
	return st, err
}

// raise opens the database as a playground whose controls know the stage.
func (st *Stage) raise(ctx context.Context, start time.Time) (*Playground, error) {
	p, err := openPlayground(ctx, st.at, start, st.Wall, st.Log, st.Metrics, nil)
	if err != nil {
		return nil, err
	}
	p.Node.Controls, p.Node.Door, p.Node.ConsoleDemo = controls{p.Box, p.Node, st}, st.Door, st.Demo
	if st.seed != nil {
		p.Node.Seed = st.seed
	}
	return p, nil
}

// perform makes a playground serve requests and run its duties.
func (st *Stage) perform(p *Playground) error {
	p.Node.Unlogged, p.Node.LogRate = st.Unlogged, st.LogRate
	s, err := p.server(st.Base, st.Wall, st.Log)
	st.mu.Lock()
	defer st.mu.Unlock()
	st.Playing = p // it is closed in any case
	if err == nil {
		s.Watched(st.Wall)
		st.handler, st.end, st.release = s.HTTP.Handler, s.Duties(st.ctx), s.Release
	}
	return err
}

// Node is the running sandbox's open database.
func (st *Stage) Node() *node.Node {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.Playing.Node
}

// Listen derives the public address from the listener and starts serving.
func (st *Stage) Listen(l net.Listener) error {
	st.Base = "http://localhost:" + strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	return st.perform(st.Playing)
}

// Serve answers until the context ends.
func (st *Stage) Serve(ctx context.Context, l net.Listener) error {
	h := rest.NewServer("", st, st.Log)
	h.RegisterOnShutdown(func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		if st.release != nil {
			st.release()
		}
	})
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), node.ShutdownTimeout)
	defer cancel()
	if err := h.Shutdown(end); err != nil {
		return errors.Join(fmt.Errorf("stop: %w", err), h.Close())
	}
	return nil
}

// Close stops the duties and closes the database.
func (st *Stage) Close() error { return st.leave() }

// leave shuts down the running sandbox: first a move of its clock, then its duties, its engine
// and its database. No requests are being served.
func (st *Stage) leave() error {
	st.mu.Lock()
	p, end := st.Playing, st.end
	st.Playing, st.handler, st.end = nil, nil, nil
	st.mu.Unlock()
	if p == nil {
		return nil
	}
	p.Box.Close()
	if end != nil {
		end()
	}
	return p.close()
}

// patienceForChange is how long a request waits while the sandbox is being replaced, and how long
// the replacement waits for running requests. A restore takes less than a second.
const patienceForChange = 5 * time.Second

// ServeHTTP passes a request on to the running sandbox.
func (st *Stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := st.Enter(r.Context())
	if h == nil {
		st.unavailable(w, r)
		return
	}
	defer st.Exit()
	h.ServeHTTP(w, r)
}

// Enter registers a request and returns its handler, nil if there is none.
func (st *Stage) Enter(ctx context.Context) http.Handler {
	ctx, cancel := context.WithTimeout(ctx, st.Patience)
	defer cancel()
	for {
		st.mu.Lock()
		moved, h := st.moved, st.handler
		if moved == nil {
			if h != nil {
				st.running++
			}
			st.mu.Unlock()
			return h
		}
		st.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return nil
		}
	}
}

// Exit unregisters a request that has entered.
func (st *Stage) Exit() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.running--
	close(st.fewer)
	st.fewer = make(chan struct{})
}

// unavailable answers while no sandbox can.
func (st *Stage) unavailable(w http.ResponseWriter, r *http.Request) {
	id, p := httpapi.RequestID(r.Header, st.Wall()), rest.Unavailable("overloaded", time.Second)
	p.Detail = "The sandbox is being restored or reset."
	w.Header().Set("X-Request-Id", id)
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Retry-After", strconv.Itoa(int(p.RetryAfter.Seconds())))
	status, body := httpapi.Problem(p, st.Base, id)
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller may be gone
}

// Change runs fn while no other request is served, on behalf of a request that is being served
// itself. serve.ErrSandboxBusy means that another request did not finish.
func (st *Stage) Change(ctx context.Context, fn func(context.Context) error) error {
	st.mu.Lock()
	if st.moved != nil {
		st.mu.Unlock()
		return serve.ErrSandboxBusy
	}
	st.moved = make(chan struct{})
	st.mu.Unlock()
	defer func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		close(st.moved)
		st.moved = nil
	}()
	if err := st.drain(ctx); err != nil {
		return err
	}
	// From here on the change is completed even if the caller goes away.
	return fn(context.WithoutCancel(ctx))
}

// drain waits until the request for the change is the only one.
func (st *Stage) drain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, st.Patience)
	defer cancel()
	for {
		st.mu.Lock()
		running, fewer := st.running, st.fewer
		st.mu.Unlock()
		if running <= 1 {
			return nil
		}
		select {
		case <-fewer:
		case <-ctx.Done():
			return serve.ErrSandboxBusy
		}
	}
}
