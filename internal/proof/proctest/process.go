//go:build unix

package proctest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Timeout stops a hung test: how long a server may take to report its address, to be ready, or to
// stop. It is far above what that takes, because build machines are slow.
const Timeout = 60 * time.Second

// ErrEarly means that a server exited before it served.
var ErrEarly = errors.New("ended before it served")

// Process is a server that runs in its own process group. It is killed at the end of its test. If
// the test failed by then and nobody had stopped the process, the end of its log is printed.
type Process struct {
	URL string // its address, http://host:port; "" until Serving has returned

	cmd     *exec.Cmd
	argv    []string
	address chan string
	ended   chan struct{}
	err     error         // its exit error, valid once ended is closed
	read    chan struct{} // closed when its whole log is read
	stderr  tail
	asked   atomic.Bool // somebody has stopped it
}

// Begin starts a program without waiting for it. The variables in env are added to those of the
// tests.
func Begin(t testing.TB, env []string, argv ...string) *Process {
	t.Helper()
	p := &Process{
		cmd: exec.Command(argv[0], argv[1:]...), argv: argv,
		address: make(chan string, 1), ended: make(chan struct{}), read: make(chan struct{}),
	}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A pipe of our own: what a killed tracer leaves behind must not block Wait.
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = write
	err = Spawn(p.cmd)
	write.Close()
	if err != nil {
		read.Close()
		t.Fatalf("start %s: %v", argv[0], err)
	}
	go p.watch(read)
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() { p.cleanup(t) })
	return p
}

// Launch starts a server and waits until it listens. If the server exits first, the error is
// ErrEarly, with its log.
func Launch(t testing.TB, env []string, argv ...string) (*Process, error) {
	t.Helper()
	p := Begin(t, env, argv...)
	return p, p.Serving(t)
}

// Start is Launch for a server that must come up.
func Start(t testing.TB, env []string, argv ...string) *Process {
	t.Helper()
	p, err := Launch(t, env, argv...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Serving waits until a server logs its address, and sets URL. If the server exits first, the
// error is ErrEarly, with its log.
func (p *Process) Serving(t testing.TB) error {
	t.Helper()
	if p.URL != "" {
		return nil
	}
	select {
	case a := <-p.address:
		p.URL = "http://" + a
		return nil
	case <-p.ended:
		p.asked.Store(true) // the caller knows
		return fmt.Errorf("%w: %w\n%s", ErrEarly, p.how(), p.Log())
	case <-time.After(Timeout):
		p.Kill()
		t.Fatalf("no server after %s\n%s", Timeout, p.Log())
		return nil
	}
}

// how returns how the process ended.
func (p *Process) how() error {
	if p.err == nil {
		return errors.New("without an error")
	}
	return p.err
}

// Ready waits until a server answers /readyz with 200. If the server exits first, the error is
// ErrEarly, with its log.
func (p *Process) Ready(t testing.TB) error {
	t.Helper()
	if err := p.Serving(t); err != nil {
		return err
	}
	client := &http.Client{Timeout: Timeout}
	defer client.CloseIdleConnections()
	last := ""
	for end := time.Now().Add(Timeout); time.Now().Before(end); {
		resp, err := client.Get(p.URL + "/readyz")
		if err == nil {
			last = resp.Status
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		} else {
			last = err.Error()
		}
		select {
		case <-p.ended:
			p.asked.Store(true) // the caller knows
			return fmt.Errorf("%w: %w\n%s", ErrEarly, p.how(), p.Log())
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Fatalf("not ready after %s: %s\n%s", Timeout, last, p.Log())
	return nil
}

// watch keeps the end of the process's log and looks for the address.
func (p *Process) watch(r io.ReadCloser) {
	defer close(p.read)
	defer r.Close()
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		p.stderr.write(line)
		var entry struct{ Msg, Address string }
		if bytes.Contains(line, []byte(`"serving"`)) && json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
			select {
			case p.address <- entry.Address:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// PID returns the ID of the process, and of its group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Err returns the exit error of a process that has ended: nil, or an exec.ExitError.
func (p *Process) Err() error {
	<-p.ended
	return p.err
}

// Killed reports whether SIGKILL ended the process. It waits for the end.
func (p *Process) Killed() bool {
	var exit *exec.ExitError
	return errors.As(p.Err(), &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
}

// Log returns the end of the process's log; all of it, once the process has ended.
func (p *Process) Log() string {
	select {
	case <-p.ended:
		select {
		case <-p.read:
		case <-time.After(time.Second): // somebody else holds its end of the pipe
		}
	default:
	}
	return p.stderr.String()
}

// Signal sends a signal to the process group while its leader runs: later its ID may be reused.
func (p *Process) Signal(signal syscall.Signal) {
	select {
	case <-p.ended:
	default:
		_ = syscall.Kill(-p.PID(), signal) // it may have ended meanwhile
	}
}

// Kill kills the process group like kill -9 and waits for its leader.
func (p *Process) Kill() {
	p.asked.Store(true)
	p.Signal(syscall.SIGKILL)
	<-p.ended
}

// Wait waits for a process that exits by itself, or is killed by a failpoint.
func (p *Process) Wait(t testing.TB) {
	t.Helper()
	p.asked.Store(true)
	select {
	case <-p.ended:
	case <-time.After(Timeout):
		t.Fatalf("%s does not end\n%s", p.argv[0], p.Log())
	}
}

// Terminate stops the process like an operator, with SIGTERM, and waits for it.
func (p *Process) Terminate(t testing.TB) {
	t.Helper()
	p.Signal(syscall.SIGTERM)
	p.Wait(t)
}

// Stop is Terminate for a process that must exit successfully.
func (p *Process) Stop(t testing.TB) {
	t.Helper()
	if p.Terminate(t); p.err != nil {
		t.Fatalf("stopped with %v\n%s", p.err, p.Log())
	}
}

func (p *Process) cleanup(t testing.TB) {
	expected := p.asked.Load()
	p.Kill()
	if t.Failed() && !expected {
		t.Logf("%q, process %d, ended with %v; the end of its log:\n%s", p.argv, p.PID(), p.err, p.Log())
	}
}
