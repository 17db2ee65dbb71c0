package clockwork_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/postgres"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/office/clockwork"
	"tenor/internal/proof/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// The same 36 entries result in a file and on a database server.
func TestWorkedExampleInAFile(t *testing.T) {
	db, err := sqlite.Open(filepath.Join(t.TempDir(), "tenor.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, db) })
	w := newWorldOn(t, "2026-01-10 10:00", db)
	w.workedExample()
	sameJournal(t, w.journal(), journalOfVector(t))
}

// Two nodes with their own engines and connections work on one database at the same time,
// unaware of each other: the books are those of one (TM2).
func TestTwoNodesAtOnce(t *testing.T) {
	w, other := twoNodes(t)
	w.second = w.schedulerWith(clockwork.Config{Backend: other, Submit: w.engine(other, "other"), Node: "other", Alone: true})
	w.workedExample()
	got, want := w.journal(), journalOfVector(t)
	slices.Sort(got)
	slices.Sort(want)
	sameJournal(t, got, want)
}

// One node at a time has the duty. When it dies silently, the other waits until the lease
// has expired, and continues; when it leaves, the other continues at once.
func TestTheDutyPassesOn(t *testing.T) {
	w, other := twoNodes(t)
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", "100000000", harbor)
	wall := newWall(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	if _, ours, err := w.db.Lease(t.Context(), "clockwork", "dead", wall.Now(), wall.Now().Add(30*time.Second)); err != nil || !ours {
		t.Fatal(ours, err)
	}
	first := w.node(t, w.db, w.eng, "first", wall)
	w.capture(harbor, w.order(harbor, alder, "PO-1", 1200_00, 6, false))
	w.jump("2026-01-12 17:00") // the cut-off of the first banking day: a payout is due
	first.looks(3)
	if n := w.payouts(); n != 0 {
		t.Fatalf("%d payouts while another has the duty", n)
	}
	wall.add(31 * time.Second)
	first.until("the first has paid the merchant", func() bool { return w.payouts() == 1 })

	second := w.node(t, other, w.engine(other, "second"), "second", wall)
	w.capture(harbor, w.order(harbor, alder, "PO-2", 500_00, 6, false))
	w.jump("2026-01-13 17:00")
	first.until("the one that has the duty has paid again", func() bool { return w.payouts() == 2 })
	first.stop()
	w.capture(harbor, w.order(harbor, alder, "PO-3", 700_00, 6, false))
	w.jump("2026-01-14 17:00")
	second.until("the second has paid", func() bool { return w.payouts() == 3 })
	second.stop()
}

// twoNodes returns a world on a database server, and a second node's connection to it.
func twoNodes(t *testing.T) (*world, *postgres.DB) {
	t.Helper()
	url := pgtest.Database(t)
	var dbs [2]*postgres.DB
	for i := range dbs {
		db, err := postgres.Open(t.Context(), url, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closed(t, db) })
		dbs[i] = db
	}
	return newWorldOn(t, "2026-01-10 10:00", dbs[0]), dbs[1]
}

func closed(t *testing.T, db store.Backend) {
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// wallClock is a security time that a test moves.
type wallClock struct {
	mu  sync.Mutex
	now time.Time
}

func newWall(at time.Time) *wallClock { return &wallClock{now: at} }

func (c *wallClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *wallClock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// running is a scheduler that polls by itself.
type running struct {
	t    *testing.T
	seen atomic.Int64 // how often it has requested the duty
	stop func()       // stops it: it releases the duty
}

// node starts a scheduler that requests the duty before each poll.
func (w *world) node(t *testing.T, db store.Backend, submit engine.Submitter, name string, wall *wallClock) *running {
	t.Helper()
	r := &running{t: t}
	s := w.schedulerWith(clockwork.Config{
		Backend: db, Submit: submit, Node: name, Poll: 5 * time.Millisecond,
		Wall: func() time.Time { r.seen.Add(1); return wall.Now() },
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	t.Cleanup(r.stop)
	return r
}

// looks waits until it has polled n more times.
func (r *running) looks(n int64) {
	r.t.Helper()
	from := r.seen.Load()
	r.until("it looks for work", func() bool { return r.seen.Load() > from+n })
}

// until waits for a condition. It times out only on a hang.
func (r *running) until(what string, there func() bool) {
	r.t.Helper()
	for end := time.Now().Add(time.Minute); !there(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("in a minute not: %s", what)
		}
	}
}

// jump moves the clock at once, as a night without a scheduler does.
func (w *world) jump(at string) {
	w.t.Helper()
	if _, err := w.clock.AdvanceTo(w.instant(at)); err != nil {
		w.t.Fatal(err)
	}
}

// payouts counts the payouts made.
func (w *world) payouts() (n int) {
	w.view(func(v store.View) error {
		list, err := store.ListPayouts(v, store.PayoutFilter{}, store.Page{Limit: 100})
		n = len(list)
		return err
	})
	return n
}
