//go:build linux

package nodetest

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"tenor/internal/proof/linear"
	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/suite"
)

// Parameters of the single-order test. porcupine supports at most sixteen clients.
const (
	orderClients   = 12
	orderCompanies = 3
	orderUnit      = 40_00
)

// mostKills is how many nodes and backends are killed at most.
func mostKills() int { return suite.By(4, 12) }

// TestOneOrder is T18 over two nodes: while one node or another, or a database process, is
// killed, there is a single order of events, that of the commit sequences. Writes are strictly
// serializable, and reads linearizable (P3).
func TestOneOrder(t *testing.T) {
	s := seed(t)
	begin := time.Now()
	pg := pgtest.New(t, pgtest.Options{})
	d, site := driver(t, pg, s)
	ctx, cancel := context.WithTimeout(t.Context(), 10*patience) // for all operations together
	defer cancel()
	initial, err := d.Initial(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rec := linear.NewRecorder()
	driven := make(chan error, 1)
	go func() { driven <- d.Run(ctx, rec) }()
	kills := disturb(site, pg, rand.New(rand.NewPCG(s, 18)), driven)
	if err := d.Resolve(ctx, rec); err != nil {
		t.Fatal(err)
	}
	h := rec.History()
	report := linear.Check(h, initial)
	if !report.OK() {
		t.Errorf("%s", report)
	}
	cross, err := linear.CrossCheck(h, initial, linear.Window{})
	if err != nil {
		t.Fatal(err)
	}
	if !cross.OK() {
		t.Errorf("porcupine: %v", cross.Illegal)
	}
	site.finish()
	t.Logf("one order: operations %d / writes %d / reads %d / replays %d / unanswered %d / kills of nodes %d, of backends %d / violations %d / "+
		"unresolved %d / porcupine: %d windows, %d illegal / %s", report.Operations, report.Writes, report.Reads, report.Replays, report.Unanswered,
		kills[0], kills[1], len(report.Violations), report.Unresolved, cross.Windows, len(cross.Illegal), time.Since(begin).Round(time.Millisecond))
	if kills[0] == 0 || kills[1] == 0 || report.Unanswered == 0 {
		t.Error("too little happened for the test to mean anything")
	}
}

// driver drives both nodes of a new site, with credit lines that fill up.
func driver(t *testing.T, pg *pgtest.Cluster, seed uint64) (*linear.Driver, *site) {
	t.Helper()
	s := openSite(t, pg.CreateDatabase(t), 1, "--committers", "2")
	d := &linear.Driver{
		Token: s.Token, Second: s.second, Seed: seed, Clients: orderClients, Operations: *operationsFlag, Unit: orderUnit,
	}
	for _, n := range s.nodes {
		d.Bases = append(d.Bases, n.base())
	}
	for range orderCompanies {
		d.Companies = append(d.Companies, s.company("1000"))
	}
	return d, s
}

// disturb kills nodes and backends and restarts them until all operations are made, or it has
// killed enough, and returns how many of each it has killed. One kill in three hits a backend;
// the nodes then encounter a recovering database.
func disturb(s *site, pg *pgtest.Cluster, random *rand.Rand, driven <-chan error) (kills [2]int) {
	s.t.Helper()
	for {
		select {
		case err := <-driven:
			if err != nil {
				s.t.Fatal(err)
			}
			return kills
		case <-time.After(100*time.Millisecond + time.Duration(random.Int64N(int64(300*time.Millisecond)))):
		}
		switch n := kills[0] + kills[1]; {
		case n >= mostKills():
			continue
		case n%3 == 0: // the first one, in case there are few
			killWriter(s.t, pg, random)
			kills[1]++
		default:
			victim := s.nodes[random.IntN(len(s.nodes))]
			s.kill(victim)
			s.restart(victim)
			kills[0]++
		}
	}
}
