//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tenor/internal/proof/proctest"
)

// Mode is a way to stop a server.
type Mode int

const (
	// Fast ends connections, writes a checkpoint and stops.
	Fast Mode = iota
	// Immediate stops at once. The next start recovers from the WAL.
	Immediate
)

// errEnded means that a server ended before it answered.
var errEnded = errors.New("PostgreSQL ended before it answered")

// Start starts a stopped or killed server and returns when it answers.
func (c *Cluster) Start(t testing.TB) {
	t.Helper()
	if err := c.start(); err != nil {
		t.Fatalf("%v\n%s", err, c.tail())
	}
}

// Stop stops the server and waits until it is gone.
func (c *Cluster) Stop(t testing.TB, mode Mode) {
	t.Helper()
	if !c.running() {
		t.Fatal("the server does not run")
	}
	signal := syscall.SIGINT
	if mode == Immediate {
		signal = syscall.SIGQUIT
	}
	_ = c.cmd.Process.Signal(signal) // it may have ended meanwhile
	if !c.wait() {
		t.Fatalf("the server does not stop\n%s", c.tail())
	}
	if mode == Fast && c.err != nil {
		t.Fatalf("stopped with %v\n%s", c.err, c.tail())
	}
}

// Restart is a fast Stop and a Start.
func (c *Cluster) Restart(t testing.TB) {
	t.Helper()
	c.Stop(t, Fast)
	c.Start(t)
}

// KillAll kills the server and all its processes with SIGKILL and returns when they are gone. The
// next Start recovers from the WAL.
func (c *Cluster) KillAll(t testing.TB) {
	t.Helper()
	if !c.running() {
		t.Fatal("the server does not run")
	}
	if err := c.killAll(); err != nil {
		t.Fatal(err)
	}
}

func (c *Cluster) killAll() error {
	pid := c.cmd.Process.Pid
	// While stopped, it starts no further process, and reaps none, so no process ID is reused.
	if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stop %d: %w", pid, err)
	}
	pids, err := children(pid)
	_ = c.cmd.Process.Kill() // it may have ended meanwhile
	for _, child := range pids {
		_ = syscall.Kill(child, syscall.SIGKILL) // the same
	}
	if err != nil {
		return err
	}
	if !c.wait() {
		return fmt.Errorf("process %d survives SIGKILL", pid)
	}
	for end := time.Now().Add(timeout); slices.ContainsFunc(pids, alive); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("one of the processes %d survives SIGKILL", pids)
		}
	}
	return nil
}

// KillBackend kills one process of the server with SIGKILL. The server then ends all others and
// recovers, and refuses connections meanwhile.
func (c *Cluster) KillBackend(t testing.TB, pid int) {
	t.Helper()
	pids, err := children(c.cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(pids, pid) {
		t.Fatalf("process %d is none of the server's: %d", pid, pids)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

// firstStart chooses a port and starts the server. Another process may take the port before the
// server does.
func (c *Cluster) firstStart() (err error) {
	for range 10 {
		if c.port, err = freePort(); err != nil {
			return err
		}
		if err = c.start(); !errors.Is(err, errEnded) {
			return err
		}
	}
	return err
}

// freePort returns a port below the kernel's range for outgoing connections, so that it stays
// free while the server is down.
func freePort() (int, error) {
	for range 100 {
		port := 20000 + rand.IntN(12000)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no free port")
}

// start starts the server and waits until it answers. The error is errEnded if it does not come
// up.
func (c *Cluster) start() error {
	if c.running() {
		return errors.New("the server runs")
	}
	// The data is not in use: these were left by a killed server. The process ID in them may have
	// been reused, and the server would respect that process.
	socket := fmt.Sprintf(".s.PGSQL.%d", c.port)
	for _, stale := range []string{"data/postmaster.pid", socket, socket + ".lock"} {
		if err := os.Remove(filepath.Join(c.dir, stale)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	log, err := os.OpenFile(c.log(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	c.cmd = c.installation.command(context.Background(), c.dir, "postgres", "-D", c.data(), "-p", strconv.Itoa(c.port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+c.dir)
	c.cmd.Stdout, c.cmd.Stderr = log, log
	if err := proctest.Spawn(c.cmd); err != nil {
		return fmt.Errorf("start %s: %w", c.cmd.Path, err)
	}
	c.ended = make(chan struct{})
	go func() {
		c.err = c.cmd.Wait()
		close(c.ended)
	}()
	return c.answers()
}

// answers waits for the first response.
func (c *Cluster) answers() error {
	for end := time.Now().Add(timeout); ; {
		_, err := c.query("postgres", "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-c.ended:
			return fmt.Errorf("%w: %w", errEnded, c.err)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			return fmt.Errorf("no answer from PostgreSQL: %w", err)
		}
	}
}

func (c *Cluster) running() bool {
	if c.ended == nil {
		return false
	}
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// wait waits until the server is gone and reports whether it is.
func (c *Cluster) wait() bool {
	select {
	case <-c.ended:
		return true
	case <-time.After(timeout):
		return false
	}
}

// releaseMemory releases the System V segment that a killed server left, which its lock file
// names. A server that stopped has removed the file, and this one is never started again, which
// would have found the segment.
func releaseMemory(lockFile string) {
	b, err := os.ReadFile(lockFile)
	if err != nil {
		return
	}
	lines := strings.Split(string(b), "\n")
	if len(lines) < 7 {
		return
	}
	if key := strings.Fields(lines[6]); len(key) == 2 {
		_ = exec.Command("ipcrm", "-m", key[1]).Run() // it is a few bytes, and may be gone
	}
}
