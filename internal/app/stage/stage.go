// Package stage is a sandbox in this process: a node with a clock that can be moved and a bank
// beside it. A stage serves one at one address and can put another in its place, from a
// snapshot or started over. What a new one holds it is given.
package stage

import (
	"context"
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

// Stage serves a playground at one address, and can put another one in its place while
// it serves: requests that run end first, and new ones wait for the moment.
type Stage struct {
	Unlogged bool // it keeps no request log
	at       *node.Place
	start    time.Time // where the clock of an empty sandbox stands
	Wall     func() time.Time
	Log      *slog.Logger
	Base     string          // the public address, known when it listens
	seed     func() [16]byte // of each command of the API; nil: at random
	ctx      context.Context // of the duties of what plays

	Metrics    *telemetry.Metrics // nil: nobody asked for them
	Door       *sandboxui.Door    // who has entered the pages
	SeedNumber int64              // of the demo data
	makes      Makers             // the demo data
	Told       func(done, of int) // of the days of their past; nil: nobody asked
	Patience   time.Duration      // patienceForChange, but for tests

	mu      sync.Mutex
	Playing *Playground
	handler http.Handler  // of what plays; nil: nothing does
	end     func()        // ends its duties
	release func()        // lets go of requests to it that wait for what does not come
	running int           // requests that are being answered
	fewer   chan struct{} // closed when one has been, then replaced
	moved   chan struct{} // of the change under way, closed at its end; nil: there is none
}

// Makers make what a new sandbox holds: the stage does not know the demo.
type Makers struct {
	// Demo makes the demo data through the engine, and returns the demo merchant.
	Demo func(ctx context.Context, n *node.Node, seed int64, wall func() time.Time) (string, error)
	// Begins is when the past of the demo data begins, of a sandbox that begins at an instant.
	Begins func(zone calendar.Zone, sandbox time.Time) time.Time
	// History makes the demo data with their past, up to the instant at which the sandbox
	// begins. base is where the sandbox will answer; tell may be nil.
	History func(ctx context.Context, p *Playground, until time.Time, seed int64, wall func() time.Time, base string, tell func(done, total int)) (string, error)
}

// Open opens a sandbox for serving. metrics may be nil. The caller must close it.
func Open(ctx context.Context, at *node.Place, start time.Time, wall func() time.Time, log *slog.Logger, metrics *telemetry.Metrics, makes Makers) (*Stage, error) {
	st := &Stage{
		at: at, start: start, Wall: wall, Log: log, Metrics: metrics, makes: makes, fewer: make(chan struct{}), Patience: patienceForChange,
		ctx: context.WithoutCancel(ctx), Door: sandboxui.NewDoor(wall),
	}
	p, err := st.raise(ctx, start)
	st.Playing = p
	return st, err
}

// raise opens what is in the database as a playground whose controls know the stage.
func (st *Stage) raise(ctx context.Context, start time.Time) (*Playground, error) {
	p, err := openPlayground(ctx, st.at, start, st.Wall, st.Log, st.Metrics, nil)
	if err != nil {
		return nil, err
	}
	p.Node.Controls, p.Node.Door = controls{p.Box, p.Node, st}, st.Door
	if st.seed != nil {
		p.Node.Seed = st.seed
	}
	return p, nil
}

// perform lets a playground answer requests and do its duties.
func (st *Stage) perform(p *Playground) error {
	p.Node.Unlogged = st.Unlogged
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

// Node is the open database of what plays.
func (st *Stage) Node() *node.Node {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.Playing.Node
}

// Listen takes an address of this machine: after it the addresses that are printed are
// known.
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

// Close ends the duties and closes the database.
func (st *Stage) Close() error { return st.leave() }

// leave takes down what plays: a move of its clock first, then its duties, its engine and
// its database. Nobody is being answered.
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

// patienceForChange is how long a request waits while another sandbox is put in place,
// and how long that waits for the requests that run. A restore takes less than a second.
const patienceForChange = 5 * time.Second

// ServeHTTP passes a request on to what plays.
func (st *Stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := st.Enter(r.Context())
	if h == nil {
		st.unavailable(w, r)
		return
	}
	defer st.Exit()
	h.ServeHTTP(w, r)
}

// Enter counts a request, nil if there is nothing to answer it.
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

// Exit counts a request out that has entered.
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
	_, _ = w.Write(body) // the caller may have gone
}

// Change runs fn while nothing else is answered, on behalf of a request that is being
// answered itself. serve.ErrSandboxBusy says that another one runs on.
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
	// From here on the change is made whoever goes away.
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
