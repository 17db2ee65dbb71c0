//go:build linux

package crashtest

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

// Parameters of the kill -9 test.
const (
	killLives   = 2 // databases; the first one's servers have the system's clock
	killClients = 6
	verifyEvery = 10
)

// killsEach is how often the servers of one database are killed.
func killsEach() int { return suite.By(3, 100) }

// TestKill kills the server with SIGKILL while clients work, again and again. After each restart
// every key of the cycle is sent again: what was acknowledged is replayed with the same bytes,
// what was not gets a definite response, and each effect exists once, according to the harness's
// own arithmetic.
//
// From the second database on, each server runs in a time namespace of its own: its monotonic
// clock, which the system resets with each boot, jumps back and forth by up to a year from one
// restart to the next. No reading of it may be stored (T24).
//
// It tests recovery and not durability: the kernel keeps what a killed process has written, so it
// would pass with synchronous=OFF just as well. TestPowerLoss is the one that cuts the power.
func TestKill(t *testing.T) {
	s := seed(t)
	k := &killing{t: t, random: rand.New(rand.NewPCG(s, 7)), program: proctest.Build(t, "")}
	for i := range killLives {
		k.jumps = i > 0 && hasTimeNamespaces(t)
		k.life()
	}
	slices.Sort(k.restarts)
	t.Logf("kill -9: %d cycles, %d of them over a jump of the monotonic clock / %d keys / %d acked / lost %d / unanswered: %d had happened, %d had not / restart p50 %s p99 %s",
		k.cycles, k.jumped, k.found.keys, k.found.acked, len(k.found.lost), k.found.confirmed, k.found.executed,
		quantile(k.restarts, 50), quantile(k.restarts, 99))
	if k.found.acked < k.cycles || k.found.confirmed+k.found.executed == 0 {
		t.Errorf("too little happened for the test to mean anything")
	}
}

func quantile(sorted []time.Duration, percent int) time.Duration {
	return sorted[(len(sorted)-1)*percent/100].Round(time.Millisecond)
}

// killing is the state of the test over its cycles.
type killing struct {
	t        *testing.T
	random   *rand.Rand
	world    world
	program  string
	deals    []*deal
	cycles   int
	restarts []time.Duration
	jumps    bool // each server has a monotonic clock of its own
	jumped   int
	found    replayed
}

// life takes one database through its cycles.
func (k *killing) life() {
	withinOneDay(k.t)
	k.world, k.deals = newWorld(k.t, k.program, k.t.TempDir(), 3), nil
	server, c := k.restart()
	for range killsEach() {
		k.cycles++
		server, c = k.cycle(server, c)
		if k.cycles%verifyEvery == 0 {
			k.world.Verify(k.t, k.program) // alongside the running server
		}
		if k.t.Failed() {
			k.t.Fatalf("in cycle %d", k.cycles)
		}
	}
	k.whole(c)
	k.control(c)
	server.Stop(k.t)
	k.world.Verify(k.t, k.program)
}

// restart starts the server and measures the time to its first 2xx response.
func (k *killing) restart() (*proctest.Process, *client) {
	k.t.Helper()
	begin := time.Now()
	server := proctest.Start(k.t, nil, k.command()...)
	c := newClient(server.URL, k.world.Token)
	if _, err := c.line(k.world.Companies[0]); err != nil {
		k.t.Fatal(err)
	}
	k.restarts = append(k.restarts, time.Since(begin))
	return server, c
}

// command serves the world, with a new monotonic clock if requested.
func (k *killing) command() []string {
	command := k.world.Command(k.program)
	if !k.jumps {
		return command
	}
	k.jumped++
	ahead := fmt.Sprint(k.random.Int64N(365 * 24 * 3600))
	return append([]string{"unshare", "--time", "--monotonic", ahead, "--boottime", ahead, "--fork", "--kill-child", "--"}, command...)
}

// hasTimeNamespaces reports whether processes can have monotonic clocks of their own, which needs
// root. If not, that part of the test is skipped and reported; if skipping is not allowed, it
// fails.
func hasTimeNamespaces(t *testing.T) bool {
	t.Helper()
	out, err := exec.Command("unshare", "--time", "--monotonic", "1000", "--fork", "--", "true").CombinedOutput()
	if err != nil {
		suite.Without(t, "clocks that jump", fmt.Sprintf("run it as root, with unshare of util-linux (%v %s)", err, out))
	}
	return err == nil
}

// cycle lets the clients work, kills the server, restarts it and determines what happened.
func (k *killing) cycle(server *proctest.Process, c *client) (*proctest.Process, *client) {
	ledger := newJournal(k.t)
	shops := make([]*shop, killClients)
	for i := range shops {
		random := rand.New(rand.NewPCG(k.random.Uint64(), 0))
		shops[i] = newShop(fmt.Sprintf("c%d-%d", k.cycles, i), k.world.Companies, random)
	}
	k.together(shops, func(i int, s *shop) error { return work(c, ledger, i, s) }, func() {
		time.Sleep(20*time.Millisecond + time.Duration(k.random.Int64N(int64(280*time.Millisecond))))
		server.Kill()
	})
	c.close()
	_ = server.Log() // all of it: then the server is gone too, if it is a child of its leader
	if !server.Killed() {
		k.t.Fatalf("the server ended by itself: %v\n%s", server.Err(), server.Log())
	}
	calls, err := ledger.read()
	if err != nil {
		k.t.Fatal(err)
	}
	server, c = k.restart()
	k.settle(c, shops, calls)
	return server, c
}

// together runs all shops concurrently, with beside in parallel.
func (k *killing) together(shops []*shop, work func(int, *shop) error, beside func()) {
	errs := make([]error, len(shops))
	var wg sync.WaitGroup
	for i, s := range shops {
		wg.Go(func() { errs[i] = work(i, s) })
	}
	beside()
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			k.t.Error(err)
		}
	}
}

// work sends one request after the other until the server is gone. An intent is on disk before
// its request leaves, an acknowledgment before the next one.
func work(c *client, ledger *journal, n int, s *shop) error {
	for {
		r := s.next()
		if err := ledger.write(record{Client: n, Request: &r}); err != nil {
			return err
		}
		a, err := c.do(r)
		if err != nil || !a.definite() {
			return nil // the replay will tell
		}
		if err := ledger.write(record{Client: n, Key: r.Key, Answer: &a}); err != nil {
			return err
		}
		if err := s.apply(r.Key, a); err != nil {
			return err
		}
	}
}

// settle sends all keys of a cycle again and compares the result with what the shops expect.
func (k *killing) settle(c *client, shops []*shop, calls map[int][]*sent) {
	found := make([]replayed, len(shops))
	problems := make([][]string, len(shops))
	k.together(shops, func(i int, s *shop) (err error) {
		found[i] = replay(c, calls[i], func(key string, a answer) {
			if e := s.apply(key, a); err == nil {
				err = e
			}
		})
		problems[i] = s.check(c)
		return err
	}, func() {})
	for i, s := range shops {
		k.found.add(found[i])
		k.deals = append(k.deals, s.deals...)
	}
	problems = append(problems, checkLines(c, k.world.Companies, k.deals), k.found.lost, k.found.indefinite)
	for _, p := range slices.Concat(problems...) {
		k.t.Error(p)
	}
}

// whole walks over every existing order: none is duplicated or unknown.
func (k *killing) whole(c *client) {
	seen, err := c.allOrders()
	if err != nil {
		k.t.Fatal(err)
	}
	for _, d := range k.deals {
		if seen[d.number] != 1 {
			k.t.Errorf("%s: %d times in the list of all orders", d.number, seen[d.number])
		}
	}
	if len(seen) != len(k.deals) {
		k.t.Errorf("%d orders, %d were made", len(seen), len(k.deals))
	}
}

// control invents an acknowledgment. The same checker must report it as lost.
func (k *killing) control(c *client) {
	r := newShop("invented", k.world.Companies, k.random).next()
	invented := &sent{request: r, acked: &answer{Status: 201, Body: "{}", ContentType: "application/json", QSeq: "1"}}
	if found := replay(c, []*sent{invented}, func(string, answer) {}); len(found.lost) != 1 {
		k.t.Errorf("control: an invented acknowledgement was not reported as lost: %+v", found)
	}
}
