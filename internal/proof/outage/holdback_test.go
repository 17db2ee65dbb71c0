//go:build unix

package outage

import (
	"bytes"
	"context"
	"sync"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/proof/faultproxy"
	"tenor/internal/proof/pgtest"
)

// pipeline is held back by the network, with the server's response to it.
type pipeline struct {
	gate  *faultproxy.Gate
	conn  faultproxy.ConnID
	batch store.BatchID

	mu     sync.Mutex
	answer []byte
}

// holdBack holds back the node's next COMMIT exchange.
func holdBack(n *node) *pipeline {
	p := &pipeline{gate: faultproxy.NewGate()}
	n.next(func(id faultproxy.ConnID, _ []byte) faultproxy.Action {
		p.conn, p.batch = id, *n.batch.Load()
		return p.gate.Hold()
	})
	return p
}

// loseClient waits for the pipeline and breaks the client's end of its connection.
func (p *pipeline) loseClient(t *testing.T, n *node) {
	t.Helper()
	await(t, "the pipeline is held back", p.gate.Caught())
	n.watch(func(d faultproxy.Direction, id faultproxy.ConnID, chunk []byte) {
		if d == faultproxy.ToClient && id == p.conn {
			p.mu.Lock()
			p.answer = append(p.answer, chunk...)
			p.mu.Unlock()
		}
	})
	if !n.proxy.BreakClient(p.conn) {
		t.Fatal("the connection is gone")
	}
}

// release lets the pipeline go and returns the server's response to it.
func (p *pipeline) release(t *testing.T, n *node) []byte {
	t.Helper()
	p.gate.Release()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := n.proxy.WaitGone(ctx, p.conn); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.answer
}

// The server's response to a completed COMMIT, and to a duplicate row.
var (
	tagCommit = []byte("COMMIT\x00")
	duplicate = []byte("23505")
)

// EN5: a pipeline is held up in transit, its client gives up and looks up the outcome. The
// result, not committed, stays true when the pipeline arrives after all.
func TestHeldBack(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgtest.Options{})
	t.Run("order", func(t *testing.T) { holdBackOrders(t, server) })
	t.Run("behind its repetition", func(t *testing.T) { holdBackMerchant(t, server) })
	t.Run("control", func(t *testing.T) { controlLook(t, server) })
}

// holdBackOrders holds back batches that have locked a company. The old session still holds the
// lock when its pipeline arrives, so the retry waits for it.
func holdBackOrders(t *testing.T, server *pgtest.Cluster) {
	s, n := newSite(t, server, steady())
	for _, keyed := range []bool{true, false} {
		held := holdBack(n)
		_, _, not := n.outcomes()
		o := s.intend(keyed)
		done := make(chan struct{})
		go func() { s.call(t.Context(), n, o); close(done) }()
		held.loseClient(t, n)
		eventually(t, "the tombstone is there", func() bool { return n.backend.not.Load() > not })
		// Now only the batch's own ID stops the pipeline.
		answer := held.release(t, n)
		if !bytes.Contains(answer, duplicate) || !bytes.Contains(answer, []byte("batches_pkey")) || bytes.Contains(answer, tagCommit) {
			t.Errorf("the server let the old pipeline pass its tombstone: %q", answer)
		}
		await(t, "the order is answered", done)
		s.wantOneAttempt(t, o, held.batch, *n.batch.Load())
	}
	c := s.settle(t, n)
	unknown, committed, not := n.outcomes()
	t.Logf("2 pipelines held back × 1 operation: unknown %d, resolved committed %d, not committed %d; %d acknowledged, %d lost, %d twice", unknown, committed, not, c.acked, len(c.lost), len(c.twice))
}

// wantOneAttempt checks that an order exists once, from the second batch, and that the first left
// nothing but a tombstone.
func (s *site) wantOneAttempt(t *testing.T, o *op, first, second store.BatchID) {
	t.Helper()
	if o.fate != acked {
		t.Errorf("the order was not acknowledged: %v", o.err)
	}
	const tombstones = "SELECT count(*) FROM batches WHERE id = $1 AND tombstone"
	const written = `SELECT count(*) FROM batches b JOIN orders o ON o.q BETWEEN b.first_q AND b.last_q
		WHERE b.id = $1 AND o.amount = $2 AND NOT b.tombstone`
	if s.count(t, tombstones, first[:]) != 1 || s.count(t, written, first[:], int64(o.amount)) != 0 {
		t.Error("the first batch has left more than a tombstone")
	}
	if first == second || s.count(t, written, second[:], int64(o.amount)) != 1 {
		t.Error("the second batch has not written the order")
	}
	if x := s.count(t, "SELECT count(*) FROM audit a JOIN orders o ON o.order_key = a.object WHERE o.amount = $1", int64(o.amount)); x != 1 {
		t.Errorf("the order was decided %d times", x)
	}
}

// holdBackMerchant holds back a batch that needs no lock: it is decided again and committed
// before the old pipeline arrives, which must fail then, too.
func holdBackMerchant(t *testing.T, server *pgtest.Cluster) {
	s, n := newSite(t, server, steady())
	held := holdBack(n)
	done := make(chan struct{})
	go func() {
		s.make(t, n, merchants.CreateMerchant{Title: "Late", Settings: lending.DefaultSettings()})
		close(done)
	}()
	held.loseClient(t, n)
	await(t, "the merchant is answered", done)
	if answer := held.release(t, n); bytes.Contains(answer, tagCommit) {
		t.Errorf("the server committed the old pipeline too: %q", answer)
	}
	made := s.count(t, "SELECT count(*) FROM audit a JOIN merchants m ON m.id = a.object WHERE m.name = 'Late'")
	if made != 1 {
		t.Errorf("the merchant was made %d times", made)
	}
	s.settle(t, n)
	t.Logf("1 pipeline held back: the merchant was made %d time", made)
}

// controlLook is the control: instead of a tombstone somebody looks up the batch, or waits for
// the row of the commit sequence and looks it up then. Both find that it does not exist, and then
// it arrives; a client that believes them decides the order again.
func controlLook(t *testing.T, server *pgtest.Cluster) {
	s, n := newSite(t, server, steady())
	for i, wait := range []string{"SELECT 1", "SELECT q FROM books WHERE book = 1 FOR UPDATE"} {
		held, looked := holdBack(n), make(chan struct{})
		n.backend.naive = func(context.Context, store.BatchID) (store.Commit, error) {
			<-looked
			return store.Commit{}, nil // not committed
		}
		o := s.intend(false)
		done := make(chan struct{})
		go func() { s.call(t.Context(), n, o); close(done) }()
		held.loseClient(t, n)
		s.query(t, wait)
		const there = "SELECT count(*) FROM batches WHERE id = $1"
		before := s.count(t, there, held.batch[:])
		close(looked)
		answer := held.release(t, n)
		after := s.count(t, there, held.batch[:])
		if before != 0 || after != 1 || !bytes.Contains(answer, tagCommit) {
			t.Errorf("%s: the batch was there %d times, then %d times, and the server said %q: the control proves nothing", wait, before, after, answer)
		}
		await(t, "the order is answered", done)
		c := s.compare(t)
		if len(c.twice) != i+1 {
			t.Errorf("%s: %d orders are there twice, want %d: the control proves nothing", wait, len(c.twice), i+1)
		}
		t.Logf("%s: the batch is not there; when the old pipeline has arrived it is, and the order twice", wait)
	}
}
