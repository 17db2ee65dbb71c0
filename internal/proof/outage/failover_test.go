//go:build unix

package outage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store/postgres"
	"tenor/internal/proof/faultproxy"
	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/suite"
)

const (
	// loaders request orders concurrently while a primary is about to die.
	loaders = 16
	// cutFor is how long they do so after its standby is cut off.
	cutFor = 300 * time.Millisecond
)

// loadFor is how long they do so before.
func loadFor() time.Duration { return suite.By(700*time.Millisecond, 2*time.Second) }

// failover is the result of a cycle.
type failover struct {
	acked, unanswered, lost int
	promotion               time.Duration // from the kill to the first success
	took                    []time.Duration
}

// T15: the standby is cut off, the primary is killed and the standby promoted. Nothing
// acknowledged is lost, nothing stays unanswered, and the old primary acknowledges nothing when
// it comes back.
func TestFailover(t *testing.T) {
	t.Parallel()
	report(t, "synchronous", *cyclesFlag, func(t *testing.T, i int) failover {
		f := fail(t, true, i == 0)
		if f.lost != 0 {
			t.Errorf("%d of %d acknowledged orders are lost", f.lost, f.acked)
		}
		return f
	})
}

// The control of T15: nobody waits for the standby, and what was acknowledged while it was cut
// off is lost.
func TestControlAsynchronousFailover(t *testing.T) {
	t.Parallel()
	report(t, "asynchronous", *asyncFlag, func(t *testing.T, i int) failover {
		f := fail(t, false, i == 0)
		if f.lost == 0 {
			t.Errorf("none of %d acknowledged orders is lost: the standby was not cut off", f.acked)
		}
		return f
	})
}

// report runs the cycles, each with its own servers, and prints their combined results.
func report(t *testing.T, kind string, cycles int, cycle func(*testing.T, int) failover) {
	t.Helper()
	var sum failover
	var promotions []time.Duration
	for i := range cycles {
		var f failover
		t.Run(fmt.Sprintf("cycle %d", i+1), func(t *testing.T) { f = cycle(t, i) })
		sum.acked, sum.unanswered, sum.lost = sum.acked+f.acked, sum.unanswered+f.unanswered, sum.lost+f.lost
		sum.took = append(sum.took, f.took...)
		promotions = append(promotions, f.promotion)
	}
	t.Logf("%d failovers to the %s standby: %d acknowledged, %d unanswered, %d lost; latency p50 %v, p99 %v; kill to first success p50 %v, max %v",
		cycles, kind, sum.acked, sum.unanswered, sum.lost, quantile(sum.took, 50), quantile(sum.took, 99), quantile(promotions, 50), quantile(promotions, 100))
}

// fail runs one cycle, and starts the old primary at its end if requested.
func fail(t *testing.T, synchronous, andBack bool) (f failover) {
	t.Helper()
	primary := pgtest.New(t, pgtest.Options{})
	s, first := newSite(t, primary, steady())
	first.halt()
	p := newPair(t, primary, synchronous)
	// It does not require a standby: the promoted one has none yet.
	n := s.start(t, primary.Addr(), postgres.Options{Live: true, Readers: 2})

	killed := p.loseUnderLoad(t, s, n, synchronous)
	p.standby.Promote(t)
	n.proxy.SetTarget(p.standby.Addr())
	s.server = p.standby
	s.well(t, n)
	f.promotion = time.Since(killed)

	c := s.compare(t)
	f.acked, f.lost = c.acked, len(c.lost)
	if len(c.twice)+len(c.ghosts) > 0 {
		t.Errorf("twice: %q, there but should not be: %q", c.twice, c.ghosts)
	}
	for _, o := range s.ops {
		f.took = append(f.took, o.took)
		if o.fate == unanswered {
			f.unanswered++
		}
	}
	if synchronous && f.unanswered == 0 {
		t.Error("every order was answered: the kill came too late")
	}
	if synchronous {
		s.settle(t, n)
	} else {
		s.verify(t)
	}
	n.halt()
	if andBack {
		p.comeBack(t, s, synchronous)
	}
	return f
}

// loseUnderLoad cuts the standby off while orders are requested, and then kills the primary. Its
// callers go with it. By then an order is waiting for the standby, or one has been acknowledged
// that the standby does not have.
func (p *pair) loseUnderLoad(t *testing.T, s *site, n *node, synchronous bool) (killed time.Time) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	thereBefore, hereBefore := p.line.Bytes() // during the backup
	var all sync.WaitGroup
	for range loaders {
		all.Go(func() {
			for ctx.Err() == nil {
				s.call(ctx, n, s.intend(true))
			}
		})
	}
	time.Sleep(loadFor())
	eventually(t, "replication goes through the proxy", func() bool {
		there, here := p.line.Bytes()
		return there > thereBefore && here > hereBefore
	})
	p.line.BlackHole(faultproxy.Both, faultproxy.Drop)
	before := s.acknowledged()
	time.Sleep(cutFor)
	if synchronous {
		p.waits(t, func() bool { return false })
	} else { // each loader has at most one in transit when the line was cut
		eventually(t, "an order that the standby has not", func() bool { return s.acknowledged() > before+loaders })
	}
	killed = time.Now()
	p.primary.KillAll(t)
	leave()
	all.Wait()
	return killed
}

// comeBack starts the old primary as it was left, and lets a node request orders. It waits for a
// standby that will never come; with none to wait for, the books diverge, which is what the
// control shows.
func (p *pair) comeBack(t *testing.T, s *site, synchronous bool) {
	t.Helper()
	p.primary.Start(t)
	old := &site{server: p.primary, name: s.name, merchant: s.merchant, companies: s.companies}
	old.ops = slices.Clone(s.ops) // so that it gets new requests
	n := old.start(t, p.primary.Addr(), hasty())
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var ops []*op
	done := make(chan struct{})
	go func() { defer close(done); ops = old.several(ctx, n, callers) }()
	if synchronous {
		p.waits(t, func() bool { return false })
		asked := n.backend.unresolved.Load()
		eventually(t, "it is asked in vain", func() bool { return n.backend.unresolved.Load() > asked+1 })
		leave()
	}
	await(t, "everybody is answered", done)
	split := 0
	for _, o := range ops {
		if o.fate == acked {
			split++
		} else if !errors.Is(o.err, engine.ErrOutcomeUnknown) && !errors.Is(o.err, engine.ErrExpired) {
			t.Errorf("the old primary answers %v", o.err)
		}
	}
	if synchronous != (split == 0) {
		t.Errorf("the old primary acknowledged %d of %d orders", split, len(ops))
	}
	n.wantNoCancel(t)
	t.Logf("the old primary, started again, acknowledged %d of %d orders", split, len(ops))
}
