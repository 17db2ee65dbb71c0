package main

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

	"tenor/internal/calendar"
	"tenor/internal/httpapi"
	"tenor/internal/screens"
	"tenor/internal/telemetry"
)

// stage serves a playground at one address, and can put another one in its place while
// it serves: requests that run end first, and new ones wait for the moment.
type stage struct {
	unlogged bool // it keeps no request log
	at       *place
	start    time.Time // where the clock of an empty sandbox stands
	wall     func() time.Time
	log      *slog.Logger
	base     string          // the public address, known when it listens
	seed     func() [16]byte // of each command of the API; nil: at random
	ctx      context.Context // of the duties of what plays

	metrics    *telemetry.Metrics // nil: nobody asked for them
	door       *screens.Door      // who has entered the pages
	seedNumber int64              // of the demo data
	makes      makers             // the demo data
	told       func(done, of int) // of the days of their past; nil: nobody asked
	patience   time.Duration      // patienceForChange, but for tests

	mu      sync.Mutex
	playing *playground
	handler http.Handler  // of what plays; nil: nothing does
	end     func()        // ends its duties
	release func()        // lets go of requests to it that wait for what does not come
	running int           // requests that are being answered
	fewer   chan struct{} // closed when one has been, and made anew
	moved   chan struct{} // of the change under way, closed at its end; nil: there is none
}

// makers make what a new sandbox holds: the stage does not know the demo.
type makers struct {
	// demo makes the demo data through the engine, and returns the demo merchant.
	demo func(ctx context.Context, n *node, seed int64, wall func() time.Time) (string, error)
	// begins is when the past of the demo data begins, of a sandbox that begins at an instant.
	begins func(zone calendar.Zone, sandbox time.Time) time.Time
	// history makes the demo data with their past, up to the instant at which the sandbox
	// begins. base is where the sandbox will answer; tell may be nil.
	history func(ctx context.Context, p *playground, until time.Time, seed int64, wall func() time.Time, base string, tell func(done, total int)) (string, error)
}

// openStage opens a sandbox for serving. metrics may be nil. The caller must close it.
func openStage(ctx context.Context, at *place, start time.Time, wall func() time.Time, log *slog.Logger, metrics *telemetry.Metrics, makes makers) (*stage, error) {
	st := &stage{
		at: at, start: start, wall: wall, log: log, metrics: metrics, makes: makes, fewer: make(chan struct{}), patience: patienceForChange,
		ctx: context.WithoutCancel(ctx), door: screens.NewDoor(wall),
	}
	p, err := st.raise(ctx, start)
	st.playing = p
	return st, err
}

// raise opens what is in the database as a playground whose controls know the stage.
func (st *stage) raise(ctx context.Context, start time.Time) (*playground, error) {
	p, err := openPlayground(ctx, st.at, start, st.wall, st.log, st.metrics, nil)
	if err != nil {
		return nil, err
	}
	p.node.controls, p.node.door = controls{p.box, p.node, st}, st.door
	if st.seed != nil {
		p.node.seed = st.seed
	}
	return p, nil
}

// perform lets a playground answer requests and do its duties.
func (st *stage) perform(p *playground) error {
	p.node.unlogged = st.unlogged
	s, err := p.server(st.base, st.wall, st.log)
	st.mu.Lock()
	defer st.mu.Unlock()
	st.playing = p // it is closed in any case
	if err == nil {
		s.watched(st.wall)
		st.handler, st.end, st.release = s.http.Handler, s.duties(st.ctx), s.release
	}
	return err
}

// node is the open database of what plays.
func (st *stage) node() *node {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.playing.node
}

// listen takes an address of this machine: after it the addresses that are printed are
// known.
func (st *stage) listen(l net.Listener) error {
	st.base = "http://localhost:" + strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	return st.perform(st.playing)
}

// serve answers until the context ends.
func (st *stage) serve(ctx context.Context, l net.Listener) error {
	h := httpapi.NewServer("", st, st.log)
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
	end, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if err := h.Shutdown(end); err != nil {
		return errors.Join(fmt.Errorf("stop: %w", err), h.Close())
	}
	return nil
}

// close ends the duties and closes the database.
func (st *stage) close() error { return st.leave() }

// leave takes down what plays: a move of its clock first, then its duties, its engine and
// its database. Nobody is being answered.
func (st *stage) leave() error {
	st.mu.Lock()
	p, end := st.playing, st.end
	st.playing, st.handler, st.end = nil, nil, nil
	st.mu.Unlock()
	if p == nil {
		return nil
	}
	p.box.Close()
	if end != nil {
		end()
	}
	return p.close()
}

// patienceForChange is how long a request waits while another sandbox is put in place,
// and how long that waits for the requests that run. A restore takes less than a second.
const patienceForChange = 5 * time.Second

// ServeHTTP passes a request on to what plays.
func (st *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := st.enter(r.Context())
	if h == nil {
		st.unavailable(w, r)
		return
	}
	defer st.exit()
	h.ServeHTTP(w, r)
}

// enter counts a request, nil if there is nothing to answer it.
func (st *stage) enter(ctx context.Context) http.Handler {
	ctx, cancel := context.WithTimeout(ctx, st.patience)
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

func (st *stage) exit() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.running--
	close(st.fewer)
	st.fewer = make(chan struct{})
}

// unavailable answers while no sandbox can.
func (st *stage) unavailable(w http.ResponseWriter, r *http.Request) {
	id, p := httpapi.RequestID(r.Header, st.wall()), httpapi.Unavailable("overloaded", time.Second)
	p.Detail = "Another sandbox is being put in place."
	w.Header().Set("X-Request-Id", id)
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Retry-After", strconv.Itoa(int(p.RetryAfter.Seconds())))
	w.WriteHeader(p.Status())
	_, _ = w.Write(p.Encode(st.base, id)) // the caller may have gone
}

// change runs fn while nothing else is answered, on behalf of a request that is being
// answered itself. httpapi.ErrSandboxBusy says that another one runs on.
func (st *stage) change(ctx context.Context, fn func(context.Context) error) error {
	st.mu.Lock()
	if st.moved != nil {
		st.mu.Unlock()
		return httpapi.ErrSandboxBusy
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
func (st *stage) drain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, st.patience)
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
			return httpapi.ErrSandboxBusy
		}
	}
}
