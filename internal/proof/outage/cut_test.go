//go:build unix

package outage

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenor/internal/proof/faultproxy"
	"tenor/internal/proof/pgtest"
)

// exchange is the size in bytes of a COMMIT's request and response, on a connection that has or
// has not sent the same statements before.
type exchange struct{ request, answer int }

// measure lets one order through and counts.
func measure(t *testing.T, s *site, n *node) exchange {
	t.Helper()
	var x exchange
	var on faultproxy.ConnID
	n.next(func(id faultproxy.ConnID, chunk []byte) faultproxy.Action {
		on, x.request = id, len(chunk)
		return faultproxy.Action{}
	})
	n.watch(func(d faultproxy.Direction, id faultproxy.ConnID, chunk []byte) {
		if d == faultproxy.ToClient && id == on {
			x.answer += len(chunk)
		}
	})
	s.one(t, n, true)
	n.watch(nil)
	if x.request == 0 || x.answer == 0 {
		t.Fatalf("the COMMIT exchange was not recognised: %+v", x)
	}
	return x
}

// cool closes the node's connections while idle: its next commit uses a new one.
func cool(_ *testing.T, n *node) { n.proxy.ResetAll() }

// cuts returns the numbers of bytes after which an exchange is cut: some in its last 2,000 bytes,
// where the COMMIT is, an eighth as many in the parameters before them, and all of the last 16.
func cuts(random *rand.Rand, every, length int) (all []int) {
	tail, last := max(0, length-2000), max(0, length-16)
	for k := random.IntN(8 * every); k < tail; k += 8 * every {
		all = append(all, k)
	}
	for k := tail + random.IntN(every); k < last; k += every {
		all = append(all, k)
	}
	for k := last; k <= length; k++ {
		all = append(all, k)
	}
	return all
}

// T14: the connection breaks after every byte of the COMMIT exchange, in both directions.
func TestCutAfterEveryByte(t *testing.T) {
	t.Parallel()
	random := seeded(t)
	s, n := newSite(t, pgtest.New(t, pgtest.Options{}), steady())
	s.several(t.Context(), n, 4)
	cool(t, n)
	cold := measure(t, s, n)
	warm := measure(t, s, n)
	every := max(1, *everyFlag)
	for _, story := range []struct {
		name  string
		warm  bool
		d     faultproxy.Direction
		how   faultproxy.Break
		after []int
	}{
		{"request", true, faultproxy.ToServer, faultproxy.Reset, cuts(random, every, warm.request)},
		{"answer", true, faultproxy.ToClient, faultproxy.Reset, cuts(random, every, warm.answer)},
		{"first request", false, faultproxy.ToServer, faultproxy.Close, cuts(random, 8*every, cold.request)},
		{"first answer", false, faultproxy.ToClient, faultproxy.Close, cuts(random, 8*every, cold.answer)},
	} {
		t.Run(story.name, func(t *testing.T) {
			unknown, committed, not := n.outcomes()
			var took []time.Duration
			for i, k := range story.after {
				if !story.warm {
					cool(t, n)
				}
				took = append(took, s.cut(t, n, story.d, k, story.how, i%4 != 3).took)
				if story.warm {
					s.one(t, n, true) // working again, and warm
				}
			}
			u, c, r := n.outcomes()
			u, c, r = u-unknown, c-committed, r-not
			wantCutOutcomes(t, story.d, u, c, r)
			t.Logf("%d cuts × 1 operation: unknown %d, resolved committed %d, not committed %d; answered after p50 %v, max %v",
				len(story.after), u, c, r, quantile(took, 50), quantile(took, 100))
		})
	}
	t.Run("control", func(t *testing.T) { controlRepeat(t, s) })
	c := s.settle(t, n)
	t.Logf("%d acknowledged, %d lost, %d twice; exchanges of %+v bytes, the first on a connection %+v", c.acked, len(c.lost), len(c.twice), warm, cold)
}

// cut breaks the connection of the next COMMIT after k bytes in one direction, and requests an
// order meanwhile.
func (s *site) cut(t *testing.T, n *node, d faultproxy.Direction, k int, how faultproxy.Break, keyed bool) *op {
	t.Helper()
	came := n.next(func(id faultproxy.ConnID, _ []byte) faultproxy.Action {
		if d == faultproxy.ToServer {
			return faultproxy.CutAt(k, how)
		}
		n.proxy.CutAfter(faultproxy.ToClient, k, how, id)
		return faultproxy.Action{}
	})
	o := s.one(t, n, keyed)
	n.proxy.Heal() // a cut after the last byte of a response waits for the next one
	select {
	case <-came:
	default:
		t.Fatalf("no COMMIT exchange was recognised")
	}
	if t.Failed() {
		t.Fatalf("after a cut behind byte %d %v", k, d)
	}
	return o
}

// wantCutOutcomes checks that the cuts hit what they should: completed commits and ones that
// never will be, if the request was cut; only completed ones, if the response was.
func wantCutOutcomes(t *testing.T, d faultproxy.Direction, unknown, committed, not int64) {
	t.Helper()
	switch {
	case unknown != committed+not:
		t.Errorf("%d unknown outcomes, but %d committed and %d not", unknown, committed, not)
	case d == faultproxy.ToServer && (committed == 0 || not == 0):
		t.Error("cuts of the request never met one of the two outcomes")
	case d == faultproxy.ToClient && (committed == 0 || not != 0):
		t.Error("a cut of the answer undid the commit, or never happened")
	}
}

// controlRepeat is the control: a driver that resends a statement after its connection was lost.
// The response to the first is cut off, and it is executed twice.
func controlRepeat(t *testing.T, s *site) {
	s.query(t, "CREATE TABLE naive (n bigint)")
	proxy, err := faultproxy.New(s.server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	const statement = "INSERT INTO naive VALUES (1)"
	var once sync.Once
	proxy.OnData(func(d faultproxy.Direction, id faultproxy.ConnID, chunk []byte) faultproxy.Action {
		if d == faultproxy.ToServer && bytes.Contains(chunk, []byte(statement)) {
			once.Do(func() { proxy.CutAfter(faultproxy.ToClient, 0, faultproxy.Reset, id) })
		}
		return faultproxy.Action{}
	})
	sent := 0
	for err = errors.New("not sent yet"); err != nil; sent++ {
		if sent == 10 {
			t.Fatal(err)
		}
		var conn *pgx.Conn
		if conn, err = pgx.Connect(t.Context(), urlOf(proxy.Addr(), s.name)); err != nil {
			continue
		}
		_, err = conn.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol)
		_ = conn.Close(t.Context()) // it may be broken
	}
	if rows := s.count(t, "SELECT count(*) FROM naive"); sent != 2 || rows != 2 {
		t.Errorf("sent %d times, a statement was executed %d times: the control proves nothing", sent, rows)
	}
	t.Log("a statement that is sent again after its answer was cut off is executed twice")
}
