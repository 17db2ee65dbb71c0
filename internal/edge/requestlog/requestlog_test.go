package requestlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/ulid"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// books are a database whose request log can fail.
type books struct {
	*memory.DB
	broken error
	leases int
	taken  bool // by another process
}

func (b *books) PutRequests(ctx context.Context, rows []store.RequestRow) error {
	if b.broken != nil {
		return b.broken
	}
	return b.DB.PutRequests(ctx, rows)
}

func (b *books) SweepRequests(ctx context.Context, before time.Time, limit int) (int, error) {
	if b.broken != nil {
		return 0, b.broken
	}
	return b.DB.SweepRequests(ctx, before, limit)
}

func (b *books) Lease(context.Context, string, string, time.Time, time.Time) (store.Lease, bool, error) {
	b.leases++
	return store.Lease{}, !b.taken, nil
}

// diary is a log on a database, with its own log output.
func diary(c Config) (*Log, *books, *bytes.Buffer) {
	var said bytes.Buffer
	b := &books{DB: memory.New()}
	c.Store, c.Node, c.Now, c.Log = b, "n1", func() time.Time { return now }, slog.New(slog.NewTextHandler(&said, nil))
	return New(c), b, &said
}

// row is the n-th call, a minute older than the previous one.
func row(n int) func() store.RequestRow {
	at := now.Add(-time.Duration(n) * time.Minute)
	return func() store.RequestRow {
		return store.RequestRow{ID: ulid.New(store.RequestPrefix, at, [10]byte{}), RequestID: fmt.Sprint("req_", n), At: at, Method: "GET", Status: 200, Client: "cli_1"}
	}
}

func kept(t *testing.T, b *books) []store.RequestRow {
	t.Helper()
	rows, err := store.ListRequests(context.Background(), b, store.RequestFilter{}, store.Page{Limit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Calls are written together, with the process that answered them.
func TestCallsAreWritten(t *testing.T) {
	l, b, _ := diary(Config{})
	for n := range 3 * round {
		l.Add(10, row(n))
	}
	if got := kept(t, b); len(got) != 0 {
		t.Errorf("%d calls are written before their time", len(got))
	}
	l.Flush(t.Context())
	got := kept(t, b)
	if len(got) != 3*round || got[0].Node != "n1" || l.Lost() != 0 {
		t.Errorf("%d calls are written, %d are lost", len(got), l.Lost())
	}
	l.Flush(t.Context())
	if again := kept(t, b); len(again) != len(got) {
		t.Error("they are written twice")
	}
}

// Neither an unwritable database nor more calls than there is room for delays anybody: what
// is lost is counted, and the log resumes when it can.
func TestLostCallsAreCounted(t *testing.T) {
	l, b, said := diary(Config{})
	b.broken = errors.New("the disk is full")
	for n := range 10 {
		l.Add(10, row(n))
	}
	l.Flush(t.Context())
	l.Sweep(t.Context())
	if l.Lost() != 10 || !strings.Contains(said.String(), "the disk is full") || strings.Contains(said.String(), "ERROR") {
		t.Errorf("%d are lost, and the log says\n%s", l.Lost(), said)
	}
	b.broken = nil
	l.Add(10, row(10))
	l.Flush(t.Context())
	if got := kept(t, b); len(got) != 1 || l.Lost() != 10 {
		t.Errorf("afterwards %d are kept, %d are lost", len(got), l.Lost())
	}

	l, b, _ = diary(Config{})
	for n := range maxRows + 5 {
		l.Add(1, row(n))
	}
	l.Flush(t.Context())
	if got := kept(t, b); len(got) != maxRows || l.Lost() != 5 {
		t.Errorf("of too many calls %d are kept, %d are lost", len(got), l.Lost())
	}
	l, b, _ = diary(Config{})
	for n := range 3 {
		l.Add(maxBytes/2, row(n))
	}
	l.Flush(t.Context())
	if got := kept(t, b); len(got) != 2 || l.Lost() != 1 {
		t.Errorf("of too large ones %d are kept, %d are lost", len(got), l.Lost())
	}
}

// Calls are deleted after 30 days, and earlier when there are too many; of several
// processes one does it.
func TestOldCallsAreDeleted(t *testing.T) {
	old := int(Keep/time.Minute) - 10 // of the next 20 calls half are too old
	for _, x := range []struct {
		what  string
		cfg   Config
		first int
		taken bool
		want  int
	}{
		{"young ones", Config{Alone: true}, 0, false, 20}, {"old ones", Config{Alone: true}, old, false, 11}, {"too many", Config{Alone: true, Most: 7}, 0, false, 7},
		{"old ones, and too many", Config{Alone: true, Most: 15}, old, false, 11}, {"by the one with the lease", Config{Most: 7}, 0, false, 7}, {"by another", Config{Most: 7}, 0, true, 20},
	} {
		t.Run(x.what, func(t *testing.T) {
			l, b, _ := diary(x.cfg)
			b.taken = x.taken
			for n := range 20 {
				l.Add(1, row(x.first+n))
			}
			l.Flush(t.Context())
			l.Sweep(t.Context())
			got := kept(t, b)
			if len(got) != x.want || got[0].RequestID != fmt.Sprint("req_", x.first) {
				t.Errorf("%d are left instead of %d, the newest is %s", len(got), x.want, got[0].RequestID)
			}
			if x.cfg.Alone != (b.leases == 0) {
				t.Errorf("%d leases were asked for", b.leases)
			}
		})
	}
}

// What has been collected when the process ends is written.
func TestTheEndIsWritten(t *testing.T) {
	l, b, _ := diary(Config{Alone: true})
	l.Add(1, row(0))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := l.Run(ctx); err != nil || len(kept(t, b)) != 1 {
		t.Errorf("%v, %d calls are kept", err, len(kept(t, b)))
	}
}

// Of a client's successful calls so many are kept between two writes, and the others counted;
// calls that fail are all kept, and another client's are not left out for it.
func TestSuccessfulCallsAreSampled(t *testing.T) {
	l, _, _ := diary(Config{Rate: 2})
	skipped := func(status int) (n int) {
		for range 5 {
			if l.Skip("cli_1", status) {
				n++
			}
		}
		return n
	}
	if ok, failed, faulty := skipped(201), skipped(422), skipped(500); ok != 3 || failed != 0 || faulty != 0 || l.Skipped() != 3 {
		t.Errorf("%d, %d and %d of five are left out, %d are counted", ok, failed, faulty, l.Skipped())
	}
	if l.Skip("cli_2", 200) {
		t.Error("another client's first call is left out")
	}
	l.Flush(t.Context())
	if again := skipped(200); again != 3 || l.Skipped() != 6 {
		t.Errorf("after a write %d of five are left out, %d are counted", again, l.Skipped())
	}
}
