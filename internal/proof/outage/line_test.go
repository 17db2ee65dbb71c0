//go:build unix

package outage

import (
	"sync"
	"testing"
	"time"

	"tenor/internal/core/store/postgres"
	"tenor/internal/proof/faultproxy"
	"tenor/internal/proof/pgtest"
)

// lineFault is something that happens to the network while orders are in flight.
type lineFault struct {
	name    string
	unknown bool // it certainly leaves an outcome unknown
	slow    bool // everything arrives eventually, and the node waits for it
	// run requests orders, breaks the line, repairs it, and returns when.
	run func(*testing.T, *site, *node) time.Time
}

// callers is the number of concurrent callers.
const callers = 4

// T14: the line breaks, goes silent, or is slow, before, in and after the COMMIT exchange, and is
// repaired.
func TestLine(t *testing.T) {
	t.Parallel()
	random := seeded(t)
	s, n := newSite(t, pgtest.New(t, pgtest.Options{}), hasty())
	// A slow line is not a silent one: its node waits.
	slow := s.start(t, s.server.Addr(), postgres.Options{Readers: 2})
	seed := random.Uint64()
	var took []time.Duration
	faults := append(broken(), slowness(seed)...)
	for _, f := range faults {
		on := n
		if f.slow {
			on = slow
		}
		before, _, _ := on.outcomes()
		well := s.wellSince(t, on, f.run(t, s, on))
		took = append(took, well)
		after, _, _ := on.outcomes()
		if f.unknown && after == before || f.slow && after > before {
			t.Errorf("%s: %d unknown outcomes", f.name, after-before)
		}
		t.Logf("%s: %d unknown, well after %v", f.name, after-before, well.Round(time.Millisecond))
	}
	slow.wantNoCancel(t)
	c := s.settle(t, n)
	unknown, committed, not := n.outcomes()
	t.Logf("%d faults × %d operations: unknown %d, resolved committed %d, not committed %d; %d acknowledged, %d lost, %d twice; well after p50 %v, max %v",
		len(faults), callers, unknown, committed, not, c.acked, len(c.lost), len(c.twice), quantile(took, 50), quantile(took, 100))
}

// during requests orders and calls fn, which breaks something and repairs it. It returns when fn
// has finished, after everybody was answered.
func (s *site) during(t *testing.T, n *node, fn func()) (repaired time.Time) {
	t.Helper()
	var all sync.WaitGroup
	all.Go(func() { s.several(t.Context(), n, callers) })
	fn()
	repaired = time.Now()
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	await(t, "everybody is answered", done)
	return repaired
}

// wellSince requires that the node commits soon after a repair, and returns how long it took
// until everybody was answered and one more had succeeded.
func (s *site) wellSince(t *testing.T, n *node, repaired time.Time) time.Duration {
	t.Helper()
	s.well(t, n)
	took := time.Since(repaired)
	if took > wellWithin {
		t.Errorf("well again only %v after the repair", took)
	}
	return took
}

// loading finds a moment in which a batch waits for its data. The line must be silent by then.
func (s *site) loading(t *testing.T, n *node, silence, repair func()) time.Time {
	t.Helper()
	before := n.Stats().Batches
	silence()
	return s.during(t, n, func() {
		eventually(t, "a batch is under way", func() bool { return n.Stats().Batches > before })
		repair()
	})
}

// committing breaks the line when the COMMIT exchange starts, and repairs it when the node has
// noticed.
func (s *site) committing(t *testing.T, n *node, act func(faultproxy.ConnID, []byte) faultproxy.Action, repair func()) time.Time {
	t.Helper()
	before := n.backend.unknown.Load()
	came := n.next(act)
	return s.during(t, n, func() {
		await(t, "the COMMIT exchange begins", came)
		eventually(t, "the outcome is unknown", func() bool { return n.backend.unknown.Load() > before })
		repair()
	})
}

// broken returns the faults that make a connection unusable.
func broken() []lineFault {
	hole := func(d faultproxy.Direction, h faultproxy.Hole, repair func(*node)) func(*testing.T, *site, *node) time.Time {
		return func(t *testing.T, s *site, n *node) time.Time {
			return s.committing(t, n, func(faultproxy.ConnID, []byte) faultproxy.Action {
				n.proxy.BlackHole(d, h)
				return faultproxy.Action{}
			}, func() { repair(n) })
		}
	}
	heal := func(n *node) { n.proxy.Heal() }
	healReset := func(n *node) { n.proxy.Heal(); n.proxy.ResetAll() }
	silent := func(h faultproxy.Hole, repair func(*node)) func(*testing.T, *site, *node) time.Time {
		return func(t *testing.T, s *site, n *node) time.Time {
			return s.loading(t, n, func() { n.proxy.BlackHole(faultproxy.Both, h) }, func() { repair(n) })
		}
	}
	return []lineFault{
		{"reset of idle connections", false, false, func(t *testing.T, s *site, n *node) time.Time {
			n.proxy.ResetAll()
			return s.during(t, n, func() {})
		}},
		{"end of idle connections", false, false, func(t *testing.T, s *site, n *node) time.Time {
			n.proxy.CloseAll()
			return s.during(t, n, func() {})
		}},
		{"no new connections", false, false, func(t *testing.T, s *site, n *node) time.Time {
			n.proxy.Refuse()
			n.proxy.ResetAll()
			s.during(t, n, func() {})
			n.proxy.Heal()
			return time.Now()
		}},
		{"silence before COMMIT, bytes held", false, false, silent(faultproxy.Hold, heal)},
		{"silence before COMMIT, bytes lost", false, false, silent(faultproxy.Drop, healReset)},
		{"silence in COMMIT, bytes held", true, false, hole(faultproxy.ToServer, faultproxy.Hold, heal)},
		{"silence in COMMIT, bytes lost", true, false, hole(faultproxy.ToServer, faultproxy.Drop, healReset)},
		{"silence in both directions, bytes lost", true, false, hole(faultproxy.Both, faultproxy.Drop, healReset)},
		{"silence after COMMIT, bytes held", true, false, hole(faultproxy.ToClient, faultproxy.Hold, heal)},
		{"silence after COMMIT, bytes lost", true, false, hole(faultproxy.ToClient, faultproxy.Drop, heal)},
		{"half a COMMIT, then silence", true, false, func(t *testing.T, s *site, n *node) time.Time {
			asked := n.backend.unresolved.Load()
			return s.committing(t, n, func(_ faultproxy.ConnID, chunk []byte) faultproxy.Action {
				return faultproxy.CutAt(len(chunk)/2, faultproxy.Silence)
			}, func() {
				// The batch's row is written, and the rest may still be in transit: nobody can say before the
				// server has learned that it is not.
				eventually(t, "it is asked in vain", func() bool { return n.backend.unresolved.Load() > asked })
				n.proxy.ResetAll()
			})
		}},
		{"reset in COMMIT", true, false, func(t *testing.T, s *site, n *node) time.Time {
			return s.committing(t, n, func(faultproxy.ConnID, []byte) faultproxy.Action {
				n.proxy.ResetAll()
				return faultproxy.Action{}
			}, func() {})
		}},
		{"end in COMMIT", true, false, func(t *testing.T, s *site, n *node) time.Time {
			return s.committing(t, n, func(faultproxy.ConnID, []byte) faultproxy.Action {
				n.proxy.CloseAll()
				return faultproxy.Action{}
			}, func() {})
		}},
	}
}

// slowness returns lines on which everything arrives eventually: those of the catalog, ten and a
// hundred times as fast.
func slowness(seed uint64) []lineFault {
	slow := func(set func(*faultproxy.Proxy)) func(*testing.T, *site, *node) time.Time {
		return func(t *testing.T, s *site, n *node) time.Time {
			set(n.proxy)
			n.proxy.ResetAll() // connecting is slow, too
			for range 3 {
				s.during(t, n, func() {})
			}
			n.proxy.Heal()
			return time.Now()
		}
	}
	return []lineFault{
		{"50 ± 40 ms", false, true, slow(func(p *faultproxy.Proxy) {
			p.Latency(faultproxy.Both, 50*time.Millisecond, 40*time.Millisecond, seed)
		})},
		{"100 kB/s", false, true, slow(func(p *faultproxy.Proxy) { p.Bandwidth(faultproxy.Both, 100_000) })},
		{"slices of 7 bytes", false, true, slow(func(p *faultproxy.Proxy) { p.Slice(faultproxy.Both, 7, 0) })},
	}
}
