//go:build linux

package nodetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenor/internal/proof/pgtest"
)

// The contest of the naive ways: sixteen connections, ten reservations each.
const (
	naiveConns = 16
	naiveWaves = 10
	naiveLimit = 1000
	naiveStep  = 100
)

// way is a way to reserve. rendezvous, if any, is called between the check and what follows from
// it.
type way struct {
	name     string
	level    pgx.TxIsoLevel
	reserve  func(ctx context.Context, tx pgx.Tx, rendezvous func()) (bool, error)
	together bool // everybody has checked before anybody inserts
	over     bool // more is reserved than available
}

// ways are those that Tenor must not use (M32, M33), and for comparison two correct ones, under
// the same load.
var ways = []way{
	{"check then insert, READ COMMITTED", pgx.ReadCommitted, checkThenInsert(""), true, true},
	{"check then insert, REPEATABLE READ", pgx.RepeatableRead, checkThenInsert(""), true, true},
	{"check under FOR UPDATE", pgx.ReadCommitted, checkThenInsert("SELECT FROM naive_lines FOR UPDATE"), false, false},
	{"conditional UPDATE", pgx.ReadCommitted, conditionalUpdate, false, false},
}

// checkThenInsert adds up what is reserved, and inserts if the amount fits.
func checkThenInsert(lock string) func(context.Context, pgx.Tx, func()) (bool, error) {
	return func(ctx context.Context, tx pgx.Tx, rendezvous func()) (bool, error) {
		if lock != "" {
			if _, err := tx.Exec(ctx, lock); err != nil {
				return false, err
			}
		}
		var reserved int
		err := tx.QueryRow(ctx, "SELECT coalesce(sum(amount), 0)::int FROM naive_reservations").Scan(&reserved)
		rendezvous()
		if err != nil || reserved+naiveStep > naiveLimit {
			return false, err
		}
		_, err = tx.Exec(ctx, "INSERT INTO naive_reservations VALUES ($1)", naiveStep)
		return true, err
	}
}

func conditionalUpdate(ctx context.Context, tx pgx.Tx, rendezvous func()) (bool, error) {
	rendezvous()
	tag, err := tx.Exec(ctx, "UPDATE naive_lines SET reserved = reserved + $1 WHERE reserved + $1 <= $2", naiveStep, naiveLimit)
	if err != nil || tag.RowsAffected() == 0 {
		return false, err
	}
	_, err = tx.Exec(ctx, "INSERT INTO naive_reservations VALUES ($1)", naiveStep)
	return true, err
}

// TestNaive is the control of T17: the naive ways over-reserve in every round. If one of them did
// not, the race would have tested nothing. Ten fit; in the first wave all sixteen see an empty
// line.
func TestNaive(t *testing.T) {
	conns := make([]*pgx.Conn, naiveConns)
	url := pgtest.Database(t)
	for i := range conns {
		conns[i] = dial(t, url)
	}
	prepare(t, conns[0], "CREATE TABLE naive_lines (reserved int NOT NULL); CREATE TABLE naive_reservations (amount int NOT NULL)")
	caught, controls := 0, 0
	for round := range *roundsFlag {
		for _, w := range ways {
			prepare(t, conns[0], "TRUNCATE naive_lines, naive_reservations; INSERT INTO naive_lines VALUES (0)")
			warmConns(t, conns)
			accepted := w.contest(t, conns)
			if w.over {
				controls++
			}
			switch fit := naiveLimit / naiveStep; {
			case w.over && accepted > fit:
				caught++
			case w.over:
				t.Errorf("round %d: %s accepted %d, which fit: the race does not show its fault", round+1, w.name, accepted)
			case accepted != fit:
				t.Errorf("round %d: %s accepted %d, and %d fit", round+1, w.name, accepted, fit)
			}
		}
	}
	t.Logf("naive ways: over-reserved %d of %d", caught, controls)
}

func prepare(t *testing.T, c *pgx.Conn, sql string) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// warmConns uses all connections concurrently.
func warmConns(t *testing.T, conns []*pgx.Conn) {
	t.Helper()
	errs := make([]error, len(conns))
	meeting := newRendezvous(len(conns))
	together(len(conns), func(i int) {
		meeting.pass()
		_, errs[i] = conns[i].Exec(t.Context(), "SELECT count(*) FROM naive_reservations")
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// contest runs all waves and returns how many reservations were accepted.
func (w way) contest(t *testing.T, conns []*pgx.Conn) (accepted int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	oks, errs := make([]int, len(conns)), make([]error, len(conns))
	for range naiveWaves {
		meeting := newRendezvous(len(conns))
		pass := func() {}
		if w.together {
			pass = meeting.pass
		}
		together(len(conns), func(i int) {
			ok, err := w.once(ctx, conns[i], pass)
			errs[i] = errors.Join(errs[i], err)
			if ok {
				oks[i]++
			}
		})
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatalf("%s: %v", w.name, err)
	}
	for _, n := range oks {
		accepted += n
	}
	return accepted
}

// once is one reservation in a transaction of its own.
func (w way) once(ctx context.Context, c *pgx.Conn, pass func()) (ok bool, err error) {
	tx, err := c.BeginTx(ctx, pgx.TxOptions{IsoLevel: w.level})
	if err != nil {
		pass() // the others wait
		return false, err
	}
	if ok, err = w.reserve(ctx, tx, pass); err != nil {
		return false, errors.Join(fmt.Errorf("reserve: %w", err), tx.Rollback(ctx))
	}
	return ok, tx.Commit(ctx)
}

// rendezvous blocks until all have arrived.
type rendezvous struct {
	mu      sync.Mutex
	missing int
	all     chan struct{}
}

func newRendezvous(n int) *rendezvous { return &rendezvous{missing: n, all: make(chan struct{})} }

// pass waits for the others. Its patience only prevents a hang.
func (r *rendezvous) pass() {
	r.mu.Lock()
	r.missing--
	if r.missing == 0 {
		close(r.all)
	}
	r.mu.Unlock()
	select {
	case <-r.all:
	case <-time.After(patience):
	}
}
