//go:build unix

package outage

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenor/internal/proof/faultproxy"
	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/suite"
)

// killBackend kills the server process that serves the node's writes, and returns when the server
// has therefore ended all sessions, has recovered and answers again.
func killBackend(t *testing.T, server *pgtest.Cluster) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background()) // it is broken
	pid, err := strconv.Atoi(server.Query1(t, "postgres", "SELECT min(pid) FROM pg_stat_activity WHERE application_name = 'tenor writer'"))
	if err != nil {
		t.Fatal(err)
	}
	server.KillBackend(t, pid)
	eventually(t, "the sessions have ended", func() bool { return conn.Ping(t.Context()) != nil })
	eventually(t, "the server answers", func() bool {
		again, err := pgx.Connect(t.Context(), server.URL("postgres"))
		return err == nil && again.Close(t.Context()) == nil
	})
}

// T14: the server restarts, or loses the node's session or one of its processes, before and in
// the COMMIT: with every change each in one of them, at night in both.
func TestServer(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgtest.Options{})
	s, n := newSite(t, server, steady())
	faults := []struct {
		name string
		do   func()
	}{
		{"terminate", func() {
			server.Exec(t, "postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
		}},
		{"kill -9 of a backend", func() { killBackend(t, server) }},
		{"fast restart", func() { server.Restart(t) }},
		{"immediate restart", func() { server.Stop(t, pgtest.Immediate); server.Start(t) }},
	}
	var took []time.Duration
	hit := 0
	phases := []string{"before", "in"}
	for i, f := range faults {
		for k, phase := range phases {
			if suite.By(k != i%len(phases), false) {
				continue
			}
			hit++
			gate := faultproxy.NewGate()
			came := n.next(func(faultproxy.ConnID, []byte) faultproxy.Action {
				if phase == "before" {
					return gate.Hold()
				}
				return faultproxy.Action{}
			})
			repaired := s.during(t, n, func() {
				await(t, "the COMMIT exchange begins", came)
				f.do()
				gate.Release()
			})
			well := s.wellSince(t, n, repaired)
			took = append(took, well)
			t.Logf("%s %s COMMIT: well after %v", f.name, phase, well.Round(time.Millisecond))
		}
	}
	unknown, committed, not := n.outcomes()
	if not == 0 {
		t.Error("no fault came before a COMMIT")
	}
	c := s.settle(t, n)
	t.Logf("%d faults × %d operations: unknown %d, resolved committed %d, not committed %d; %d acknowledged, %d lost, %d twice; well after p50 %v, max %v",
		hit, callers, unknown, committed, not, c.acked, len(c.lost), len(c.twice), quantile(took, 50), quantile(took, 100))
}
