//go:build unix

package outage

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"tenor/internal/core/engine"
	"tenor/internal/core/store/postgres"
	"tenor/internal/proof/faultproxy"
	"tenor/internal/proof/pgtest"
)

// pair is a primary whose standby is connected through a proxy.
type pair struct {
	primary, standby *pgtest.Cluster
	line             *faultproxy.Proxy
}

// newPair gives the primary a standby.
func newPair(t *testing.T, primary *pgtest.Cluster, synchronous bool) *pair {
	t.Helper()
	line, err := faultproxy.New(primary.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = line.Close() })
	p := &pair{primary: primary, line: line, standby: primary.Standby(t, line.Addr(), pgtest.Options{})}
	if synchronous {
		primary.Synchronous(t, "standby")
	}
	return p
}

// waiting selects the sessions whose COMMIT waits for the standby.
const waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

// waits waits until some COMMIT waits for the standby, or until over reports true.
func (p *pair) waits(t *testing.T, over func() bool) {
	t.Helper()
	eventually(t, "a COMMIT waits for the standby", func() bool {
		return over() || p.primary.Query1(t, "postgres", "SELECT count(*) "+waiting) != "0"
	})
}

// onStandby returns how often an order is on the standby.
func (p *pair) onStandby(t *testing.T, s *site, o *op) int64 {
	t.Helper()
	return (&site{server: p.standby, name: s.name}).count(t, "SELECT count(*) FROM orders WHERE amount = $1", int64(o.amount))
}

// T16: a COMMIT waits for a standby that is cut off, and is disturbed in every possible way. It
// is never reported done before it is on the standby.
func TestCanceledCommit(t *testing.T) {
	t.Parallel()
	primary := pgtest.New(t, pgtest.Options{})
	s, first := newSite(t, primary, steady())
	first.halt()
	s.query(t, "CREATE TABLE naive (n bigint)")
	wantNoStandbyNamed(t, s)
	p := newPair(t, primary, true)
	wantStandbyRefused(t, p, s)

	// Only a story's action ends this node's wait; the other one loses patience.
	n := s.start(t, primary.Addr(), postgres.Options{Live: true, Standby: true, CommitWait: patience, Readers: 2})
	impatient := s.start(t, primary.Addr(), hasty())
	outcomes := map[string]int{}
	for _, story := range cancellations() {
		t.Run(story.name, func(t *testing.T) {
			on := n
			if story.hasty {
				on = impatient
			}
			outcomes[p.cutOff(t, s, on, story)]++
		})
	}
	t.Run("control", func(t *testing.T) { p.controls(t, s) })
	impatient.wantNoCancel(t)
	c := s.settle(t, n)
	unknown, committed, not := n.outcomes()
	t.Logf("%d stories × 1 operation, answers while the standby was cut off: %v; unknown %d, resolved committed %d, not committed %d; %d acknowledged, %d lost, %d twice",
		len(cancellations()), outcomes, unknown, committed, not, c.acked, len(c.lost), len(c.twice))
}

// cancellation is a way to disturb a waiting COMMIT.
type cancellation struct {
	name  string
	hasty bool // on the node that soon loses patience
	leave bool // the caller leaves once it has been disturbed
	late  bool // because its deadline has passed
	// disturb returns when the disturbance has taken effect.
	disturb func(*testing.T, *pair, *site, *node, *op)
}

func cancellations() []cancellation {
	const writers = waiting + " AND application_name = 'tenor writer'"
	signal := func(function string) func(*testing.T, *pair, *site, *node, *op) {
		return func(t *testing.T, p *pair, s *site, n *node, o *op) {
			// First the COMMIT, and then that of the session in which the node looks up the outcome: it
			// waits as well.
			told := func() bool { return s.isAcked(o) } // it should not be: the story fails then
			for _, count := range []*atomic.Int64{&n.backend.unknown, &n.backend.unresolved} {
				before := count.Load()
				p.waits(t, told)
				p.primary.Exec(t, "postgres", "SELECT "+function+"(pid) "+writers)
				eventually(t, "the outcome is unknown", func() bool { return count.Load() > before || told() })
			}
		}
	}
	return []cancellation{
		{name: "the caller leaves", leave: true, disturb: func(*testing.T, *pair, *site, *node, *op) {}},
		{name: "the caller's time ends", leave: true, late: true, disturb: func(*testing.T, *pair, *site, *node, *op) {}},
		{name: "nobody is patient", hasty: true, leave: true, disturb: func(t *testing.T, _ *pair, s *site, n *node, o *op) {
			asked := n.backend.unresolved.Load()
			eventually(t, "it is asked in vain", func() bool { return n.backend.unresolved.Load() > asked+1 || s.isAcked(o) })
		}},
		{name: "pg_cancel_backend", disturb: signal("pg_cancel_backend")},
		{name: "pg_terminate_backend", disturb: signal("pg_terminate_backend")},
		{name: "statement_timeout", disturb: func(t *testing.T, p *pair, s *site, _ *node, _ *op) {
			// It catches an unprotected session. PostgreSQL 15 ends no COMMIT with it, but would end the
			// statements before.
			before := p.primary.Query1(t, "postgres", "SELECT min(pid) "+writers)
			s.wantTimeout(t)
			if after := p.primary.Query1(t, "postgres", "SELECT min(pid) "+writers); after != before || before == "" {
				t.Errorf("the COMMIT of session %q is waited for by session %q now", before, after)
			}
		}},
	}
}

// cutOff cuts the standby off, has an order committed meanwhile, disturbs that, and repairs
// everything. It returns what the caller was told meanwhile.
func (p *pair) cutOff(t *testing.T, s *site, n *node, story cancellation) (told string) {
	t.Helper()
	if story.name == "statement_timeout" {
		setTimeout(t, p, s, n, "200ms")
		defer setTimeout(t, p, s, n, "0")
	}
	p.line.BlackHole(faultproxy.Both, faultproxy.Hold)
	defer p.line.Heal() // also if the story fails
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	if story.late {
		ctx = expiring{ctx}
	}
	before := n.backend.unknown.Load()
	o, done := s.intend(true), make(chan struct{})
	go func() { s.call(ctx, n, o); close(done) }()
	p.waits(t, func() bool { return s.isAcked(o) })
	story.disturb(t, p, s, n, o)
	told = "none"
	if story.leave {
		leave()
		await(t, "the caller has left", done)
		told = "outcome unknown"
		if !errors.Is(o.err, engine.ErrOutcomeUnknown) {
			t.Errorf("the caller was told %d %s %v", o.answer.Status, o.answer.Body, o.err)
		}
	}
	if !story.leave {
		select {
		case <-done:
			t.Errorf("the caller was told %d %s %v, though the standby knows nothing", o.answer.Status, o.answer.Body, o.err)
		default:
		}
	}
	if x := p.onStandby(t, s, o); x != 0 {
		t.Errorf("the order is on the standby: it was not cut off")
	}
	p.line.Heal()
	await(t, "the caller is answered", done)
	s.call(t.Context(), n, o) // retried under the same key
	if o.fate != acked {
		t.Errorf("the same key later: %v", o.err)
	}
	if story.leave && !story.hasty && n.backend.unknown.Load() != before {
		t.Error("the caller took the COMMIT with it")
	}
	eventually(t, "the order is on the standby", func() bool { return p.onStandby(t, s, o) == 1 })
	return told
}

// isAcked reports whether the client has been told that its order exists.
func (s *site) isAcked(o *op) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return o.fate == acked
}

// expiring is a context that ends when the test says so, with its deadline exceeded.
type expiring struct{ context.Context }

func (e expiring) Err() error {
	if e.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

// setTimeout limits the statements of every unprotected session in the site's database, and makes
// the node open new ones.
func setTimeout(t *testing.T, p *pair, s *site, n *node, limit string) {
	t.Helper()
	p.primary.Exec(t, "postgres", "ALTER ROLE "+pgtest.User+" IN DATABASE "+s.name+" SET statement_timeout = '"+limit+"'")
	n.proxy.ResetAll()
}

// wantTimeout checks that a session without settings of its own times out, which takes as long as
// the limit.
func (s *site) wantTimeout(t *testing.T) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), urlOf(s.server.Addr(), s.name))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background()) // it only reads
	_, err = conn.Exec(t.Context(), "SELECT pg_sleep(60)")
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "57014" {
		t.Errorf("no statement is timed out: %v", err)
	}
}

// naiveCommit inserts a row and commits it with pgx in the obvious way. While the COMMIT waits it
// calls disturb with a function that cancels the caller. It returns the server's warning and the
// driver's error.
func (p *pair) naiveCommit(t *testing.T, s *site, addr string, disturb func(leave func())) (warned string, err error) {
	t.Helper()
	config, err := pgx.ParseConfig(urlOf(addr, s.name))
	if err != nil {
		t.Fatal(err)
	}
	config.OnNotice = func(_ *pgconn.PgConn, x *pgconn.Notice) { warned = x.Message }
	config.RuntimeParams["application_name"] = "naive"
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background()) // it may be broken
	for _, sql := range []string{"BEGIN", "INSERT INTO naive VALUES (1)"} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	done := make(chan struct{})
	go func() { defer close(done); _, err = conn.Exec(ctx, "COMMIT") }()
	disturb(leave)
	await(t, "the driver answers", done)
	return warned, err
}

// controls are commits made in the obvious way. The driver reports success for one that is on no
// standby, or the row exists although the driver reports an error.
func (p *pair) controls(t *testing.T, s *site) {
	proxy, err := faultproxy.New(p.primary.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	var cancels atomic.Int64
	proxy.OnData(func(d faultproxy.Direction, _ faultproxy.ConnID, chunk []byte) faultproxy.Action {
		if d == faultproxy.ToServer && bytes.HasPrefix(chunk, cancelRequest) {
			cancels.Add(1)
		}
		return faultproxy.Action{}
	})
	p.line.BlackHole(faultproxy.Both, faultproxy.Hold)
	defer p.line.Heal()
	there := s.count(t, "SELECT count(*) FROM naive")
	naive := " " + waiting + " AND application_name = 'naive'"
	waits := func() {
		eventually(t, "the COMMIT waits for the standby", func() bool { return p.primary.Query1(t, "postgres", "SELECT count(*)"+naive) == "1" })
	}
	warned, err := p.naiveCommit(t, s, proxy.Addr(), func(func()) {
		waits()
		p.primary.Exec(t, "postgres", "SELECT pg_cancel_backend(pid)"+naive)
	})
	if err != nil {
		t.Errorf("a canceled wait was no success: %v", err)
	}
	t.Logf("pg_cancel_backend: the driver reports success; the server warned: %s", warned)
	_, err = p.naiveCommit(t, s, proxy.Addr(), func(leave func()) { waits(); leave() })
	if err == nil {
		t.Error("a COMMIT without time was a success")
	}
	eventually(t, "both rows are visible", func() bool { return s.count(t, "SELECT count(*) FROM naive") == there+2 })
	if x := (&site{server: p.standby, name: s.name}).count(t, "SELECT count(*) FROM naive"); x >= there+1 {
		t.Errorf("%d rows are on the standby: it was not cut off", x)
	}
	if cancels.Load() == 0 {
		t.Error("the driver sent no request to cancel: nobody looks for the right thing")
	}
	t.Logf("deadline: the driver reports %v and sends %d request to cancel; both rows are visible, none is on the standby", err, cancels.Load())
}

// wantNoStandbyNamed checks that a node that must lose nothing does not start while no standby is
// named (EN15).
func wantNoStandbyNamed(t *testing.T, s *site) {
	t.Helper()
	wantNoStart(t, s.server, s, postgres.Options{Live: true, Standby: true}, "synchronous_standby_names")
}

// wantStandbyRefused checks that a node does not start on a standby (EN15).
func wantStandbyRefused(t *testing.T, p *pair, s *site) {
	t.Helper()
	eventually(t, "the standby has the database", func() bool {
		return p.standby.Query1(t, "postgres", "SELECT count(*) FROM pg_database WHERE datname = '"+s.name+"'") == "1"
	})
	for _, o := range []postgres.Options{{}, {Live: true}, {Keep: true}, {Shared: true}} {
		wantNoStart(t, p.standby, s, o, "standby")
	}
}

func wantNoStart(t *testing.T, server *pgtest.Cluster, s *site, o postgres.Options, why string) {
	t.Helper()
	db, err := postgres.Open(t.Context(), urlOf(server.Addr(), s.name), o)
	if err == nil {
		_ = db.Close()
		t.Errorf("a node with %+v has started", o)
	} else if !strings.Contains(err.Error(), why) {
		t.Errorf("a node with %+v does not start: %v; want a word about %s", o, err, why)
	}
}
