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

// Timeout ends a test that hangs: how long a server may take to say where it
// listens, to be ready, or to stop. It is far above what that takes, because
// machines that build are slow.
const Timeout = 60 * time.Second

// ErrEarly says that a server ended before it served.
var ErrEarly = errors.New("ended before it served")

// Process is a server that runs in a process group of its own. It is killed at
// the end of its test. If the test failed by then and nobody had ended the
// process, the end of what it logged is printed.
type Process struct {
	URL string // http://host:port where it listens; "" until Serving has said so

	cmd     *exec.Cmd
	argv    []string
	address chan string
	ended   chan struct{}
	err     error         // how it ended, once ended is closed
	read    chan struct{} // closed when all of its log is read
	stderr  tail
	asked   atomic.Bool // somebody has ended it
}

// Begin starts a program and does not wait for it. The variables of env are added
// to those of the tests.
func Begin(t testing.TB, env []string, argv ...string) *Process {
	t.Helper()
	p := &Process{
		cmd: exec.Command(argv[0], argv[1:]...), argv: argv,
		address: make(chan string, 1), ended: make(chan struct{}), read: make(chan struct{}),
	}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A pipe of our own: what a killed tracer leaves behind must not hold Wait up.
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

// Launch starts a server and waits until it listens. A server that ends first is
// ErrEarly, with what it logged.
func Launch(t testing.TB, env []string, argv ...string) (*Process, error) {
	t.Helper()
	p := Begin(t, env, argv...)
	return p, p.Serving(t)
}

// Start is Launch of a server that must come up.
func Start(t testing.TB, env []string, argv ...string) *Process {
	t.Helper()
	p, err := Launch(t, env, argv...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Serving waits until a server logs where it listens, and sets URL. A server that
// ends first is ErrEarly, with what it logged.
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

// how is the way in which the process ended.
func (p *Process) how() error {
	if p.err == nil {
		return errors.New("without an error")
	}
	return p.err
}

// Ready waits until a server answers /readyz with 200. A server that
// ends first is ErrEarly, with what it logged.
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

// watch keeps the end of what the process logs and looks for the address.
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

// PID is the number of the process, and of its group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Err is how a process that has ended did: nil, or an exec.ExitError.
func (p *Process) Err() error {
	<-p.ended
	return p.err
}

// Killed reports that SIGKILL ended the process. It waits for the end.
func (p *Process) Killed() bool {
	var exit *exec.ExitError
	return errors.As(p.Err(), &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
}

// Log is the end of what the process has logged; all there is, once it has ended.
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

// Signal sends a signal to the process group, as long as its leader runs: later
// its number may belong to somebody else.
func (p *Process) Signal(signal syscall.Signal) {
	select {
	case <-p.ended:
	default:
		_ = syscall.Kill(-p.PID(), signal) // it may have ended meanwhile
	}
}

// Kill ends the process group as kill -9 does and waits for its leader.
func (p *Process) Kill() {
	p.asked.Store(true)
	p.Signal(syscall.SIGKILL)
	<-p.ended
}

// Wait waits for a process that ends by itself, or is ended by a failpoint.
func (p *Process) Wait(t testing.TB) {
	t.Helper()
	p.asked.Store(true)
	select {
	case <-p.ended:
	case <-time.After(Timeout):
		t.Fatalf("%s does not end\n%s", p.argv[0], p.Log())
	}
}

// Terminate asks the process to end as an operator would, with SIGTERM, and waits
// for it.
func (p *Process) Terminate(t testing.TB) {
	t.Helper()
	p.Signal(syscall.SIGTERM)
	p.Wait(t)
}

// Stop is Terminate of a process that must end well.
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
