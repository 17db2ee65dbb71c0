//go:build linux

package nodetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"tenor/internal/core/store/postgres"
	"tenor/internal/domain/credit"
	"tenor/internal/proof/proctest"
)

// site is a database with a merchant and the two nodes that serve it.
type site struct {
	proctest.World
	t       *testing.T
	program string
	url     string // of the database
	second  string // token of another API client of the merchant
	flags   []string
	nodes   [2]*node
}

// node is one server. Its address is the same over its restarts.
type node struct {
	name, address string
	process       *proctest.Process
}

func (n *node) base() string { return "http://" + n.address }

// openSite fills an empty database and starts both nodes, with additional flags.
func openSite(t *testing.T, url string, companies int, flags ...string) *site {
	t.Helper()
	withinOneDay(t)
	s := &site{t: t, program: proctest.Build(t, ""), url: url, flags: flags}
	s.World = proctest.NewWorld(t, s.program, companies, "--database", url)
	if err := s.admit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range s.nodes {
		s.nodes[i] = &node{name: fmt.Sprintf("node-%d", i+1)}
		s.firstStart(s.nodes[i])
	}
	return s
}

// admit creates the second API client, lifts the rate limits of both, and lets the merchant keep
// what it collects: no payout nets it here (F41.6).
func (s *site) admit(ctx context.Context) (err error) {
	db, err := postgres.Open(ctx, s.url, postgres.Options{Shared: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	issuer, err := proctest.Desk(db)
	if err != nil {
		return err
	}
	var other credit.Client
	if other, err = issuer.NewClient(ctx, s.Merchant, "second shop", nil); err != nil {
		return err
	}
	if s.second, _, err = issuer.NewToken(ctx, other, nil, 24*time.Hour); err != nil {
		return err
	}
	if err = proctest.LiftLimits(ctx, db); err != nil {
		return err
	}
	writer, err := postgres.Open(ctx, s.url, postgres.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writer.Close()) }()
	return proctest.LetOwe(ctx, writer, s.Merchant)
}

// firstStart chooses the node's address. It is below the kernel's range for outgoing connections,
// so that nothing takes it while the node is down.
func (s *site) firstStart(n *node) {
	s.t.Helper()
	var err error
	for range 10 {
		n.address = net.JoinHostPort("127.0.0.1", strconv.Itoa(20000+rand.IntN(12000)))
		if err = s.launch(n); err == nil {
			return
		}
	}
	s.t.Fatal(err)
}

func (s *site) launch(n *node) (err error) {
	command := append(s.Command(s.program, "--addr", n.address, "--node", n.name), s.flags...)
	n.process, err = proctest.Launch(s.t, nil, command...)
	return err
}

// restart starts killed nodes and returns how long each took to its first 2xx response.
func (s *site) restart(nodes ...*node) (took figures) {
	s.t.Helper()
	begin := time.Now()
	for _, n := range nodes {
		s.supervise(n)
	}
	for _, n := range nodes {
		s.answers(n)
		took = append(took, time.Since(begin))
	}
	return took
}

// unavailable is the program's exit code when the database does not answer yet: it may be
// retried.
const unavailable = 7

// supervise starts a node like a supervisor: repeatedly, as long as it exits because the database
// is recovering.
func (s *site) supervise(n *node) {
	s.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := s.launch(n)
		if err == nil {
			return
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != unavailable || time.Now().After(end) {
			s.t.Fatal(err)
		}
	}
}

// answers waits until a node answers a read with 2xx.
func (s *site) answers(n *node) {
	s.t.Helper()
	c := newClient(s.t.Context(), s.Token, n.base())
	defer c.close()
	for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		a, err := c.do(request{Method: http.MethodGet, Path: "/v2/companies/" + s.Companies[0]})
		if err == nil && a.Status == http.StatusOK {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("%s does not serve: %d %s %v\n%s", n.name, a.Status, a.Body, err, n.process.Log())
		}
	}
}

// kill kills nodes with SIGKILL.
func (s *site) kill(nodes ...*node) {
	s.t.Helper()
	for _, n := range nodes {
		n.process.Signal(syscall.SIGKILL)
	}
	for _, n := range nodes {
		if n.process.Kill(); !n.process.Killed() {
			s.t.Fatalf("%s ended by itself: %v\n%s", n.name, n.process.Err(), n.process.Log())
		}
	}
}

// client uses both nodes in turn.
func (s *site) client() *client {
	c := newClient(s.t.Context(), s.Token, s.nodes[0].base(), s.nodes[1].base())
	s.t.Cleanup(c.close)
	return c
}

// company creates one with a line of a number of dollars.
func (s *site) company(limit string) string {
	s.t.Helper()
	return s.Run(s.t, s.program, "companies", "create", "Buyer", "--reason", "x", "--limit", limit, "--merchant", s.Merchant, "--quiet")
}

// finish verifies the books while both nodes run, and stops them.
func (s *site) finish() {
	s.t.Helper()
	s.Verify(s.t, s.program)
	for _, n := range s.nodes {
		n.process.Stop(s.t)
	}
}
