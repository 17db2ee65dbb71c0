//go:build unix

package outage

import (
	"bytes"
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/postgres"
	"tenor/internal/edge/resource"
	"tenor/internal/proof/faultproxy"
)

// node is an engine whose database connections go through a proxy.
type node struct {
	*engine.Engine
	proxy   *faultproxy.Proxy
	backend *spy
	batch   atomic.Pointer[store.BatchID] // generated last
	cancels atomic.Int64                  // cancel requests seen by the proxy
	fenced  atomic.Int64                  // alarms
	halt    func()

	mu      sync.Mutex
	onApply func(faultproxy.ConnID, []byte) faultproxy.Action
	onChunk func(faultproxy.Direction, faultproxy.ConnID, []byte)
}

// spy is a backend that counts its results.
type spy struct {
	*postgres.DB
	unknown, committed, not, unresolved atomic.Int64
	// naive, if set, replaces Resolve.
	naive func(context.Context, store.BatchID) (store.Commit, error)
}

func (s *spy) Update(ctx context.Context, fn func(store.Tx) error) (store.Commit, error) {
	c, err := s.DB.Update(ctx, fn)
	if c.Outcome == store.Unknown {
		s.unknown.Add(1)
	}
	return c, err
}

func (s *spy) Resolve(ctx context.Context, id store.BatchID) (store.Commit, error) {
	ask := s.DB.Resolve
	if s.naive != nil {
		ask = s.naive
	}
	c, err := ask(ctx, id)
	switch {
	case err != nil || c.Outcome == store.Unknown:
		s.unresolved.Add(1)
	case c.Outcome == store.Committed:
		s.committed.Add(1)
	default:
		s.not.Add(1)
	}
	return c, err
}

// steady are the options of a node on a line that breaks but never goes silent.
func steady() postgres.Options { return postgres.Options{CommitWait: 7 * time.Second, Readers: 2} }

// hasty are the options of a node that soon gives up waiting for a response.
func hasty() postgres.Options {
	return postgres.Options{CommitWait: 300 * time.Millisecond, Readers: 2}
}

// start creates a node on the site's database, through a proxy in front of the address.
func (s *site) start(t testing.TB, addr string, o postgres.Options) *node {
	t.Helper()
	proxy, err := faultproxy.New(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	n := &node{proxy: proxy}
	proxy.OnData(n.see)
	db, err := postgres.Open(t.Context(), urlOf(proxy.Addr(), s.name), o)
	if err != nil {
		t.Fatal(err)
	}
	n.backend = &spy{DB: db}
	n.Engine, err = engine.New(engine.Config{
		Backend: n.backend, Zone: newYork(t), Now: time.Now, Node: "outage",
		EncodeEvent: resource.EncodeEvent,
		Wire:        resource.APIVersion,
		NewBatchID:  n.draw,
		Alarm: func(a engine.Alarm) {
			switch a.What {
			case engine.AlarmCommit, engine.AlarmUnknown: // the callers get an error
			case engine.AlarmFenced:
				n.fenced.Add(1)
			default:
				t.Errorf("alarm %s: %v", a.What, a.Err)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { n.Run(ctx); close(done) }()
	n.halt = sync.OnceFunc(func() {
		stop()
		_ = proxy.Close() // so that nothing waits
		<-done
		_ = db.Close()
	})
	t.Cleanup(n.halt)
	return n
}

func (n *node) draw() (id store.BatchID) {
	_, _ = rand.Read(id[:]) // never fails
	n.batch.Store(&id)
	return id
}

// cancelRequest starts a connection that asks the server to cancel another one's query: length
// and code.
var cancelRequest = []byte{0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e}

// see is the hook of the node's proxy. A chunk from the client that contains the batch's ID is
// the pipeline that applies and commits it, because the test has generated the ID.
func (n *node) see(d faultproxy.Direction, id faultproxy.ConnID, chunk []byte) (a faultproxy.Action) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.onChunk != nil {
		n.onChunk(d, id, chunk)
	}
	if d != faultproxy.ToServer {
		return a
	}
	if bytes.HasPrefix(chunk, cancelRequest) {
		n.cancels.Add(1)
	}
	if batch := n.batch.Load(); n.onApply != nil && batch != nil && bytes.Contains(chunk, batch[:]) {
		act := n.onApply
		n.onApply = nil
		return act(id, chunk)
	}
	return a
}

// next sets what happens to the next COMMIT exchange, once. The returned channel is closed when
// it has happened.
func (n *node) next(act func(id faultproxy.ConnID, chunk []byte) faultproxy.Action) <-chan struct{} {
	came := make(chan struct{})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.onApply = func(id faultproxy.ConnID, chunk []byte) faultproxy.Action {
		defer close(came)
		return act(id, chunk)
	}
	return came
}

// watch sets a function to be called with every chunk; nil removes it.
func (n *node) watch(fn func(faultproxy.Direction, faultproxy.ConnID, []byte)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.onChunk = fn
}

// wantNoCancel checks that the backend has never asked the server to cancel (EN6).
func (n *node) wantNoCancel(t testing.TB) {
	t.Helper()
	if c := n.cancels.Load(); c != 0 {
		t.Errorf("the backend sent %d requests to cancel", c)
	}
}

// outcomes returns the node's commits with an unknown outcome, and what became of them.
func (n *node) outcomes() (unknown, committed, not int64) {
	return n.backend.unknown.Load(), n.backend.committed.Load(), n.backend.not.Load()
}
