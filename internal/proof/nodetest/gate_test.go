//go:build linux

package nodetest

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// gate is a lock on a table that every write and every read of a company needs. While it is shut,
// everyone waits for it with open connections; when it opens, they all continue at once. With
// cold connections a race might never occur.
type gate struct {
	t    *testing.T
	lock string
	conn *pgx.Conn // holds the lock
	look *pgx.Conn // sees who is waiting
}

func dial(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(t.Context()) }) // it may already be closed
	return c
}

func newGate(t *testing.T, url string) *gate {
	t.Helper()
	return &gate{t: t, lock: "LOCK TABLE companies IN ACCESS EXCLUSIVE MODE", conn: dial(t, url), look: dial(t, url)}
}

// newGateOfLines returns a gate for the locks on payout lines. Reads pass it.
func newGateOfLines(t *testing.T, url string) *gate {
	t.Helper()
	g := newGate(t, url)
	g.lock = "LOCK TABLE payout_lines IN EXCLUSIVE MODE"
	return g
}

func (g *gate) exec(sql string) {
	g.t.Helper()
	if _, err := g.conn.Exec(g.t.Context(), sql); err != nil {
		g.t.Fatalf("%s: %v", sql, err)
	}
}

func (g *gate) shut() {
	g.t.Helper()
	g.exec("BEGIN")
	g.exec(g.lock)
}

func (g *gate) open() {
	g.t.Helper()
	g.exec("ROLLBACK")
}

// await waits until a number of writers and readers of all nodes are waiting at the gate.
func (g *gate) await(writers, readers int) {
	g.t.Helper()
	const waiting = `SELECT count(*) FILTER (WHERE application_name = 'tenor writer'), count(*) FILTER (WHERE application_name = 'tenor reader')
		FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	var w, r int
	for end := time.Now().Add(patience); w < writers || r < readers; {
		if err := g.look.QueryRow(g.t.Context(), waiting).Scan(&w, &r); err != nil {
			g.t.Fatal(err)
		}
		if time.Now().After(end) {
			g.t.Fatalf("%d writers and %d readers wait at the gate, expected %d and %d", w, r, writers, readers)
		}
		time.Sleep(time.Millisecond)
	}
}
