//go:build linux

package crashtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// startTimeout is how long a server may take to say where it listens. It is far
// above what a start takes: machines that build are slow.
const startTimeout = 60 * time.Second

// process is a server that runs in a process group of its own.
type process struct {
	cmd    *exec.Cmd
	url    string // where it listens
	ended  chan struct{}
	err    error // how it ended, once ended is closed
	stderr *tail
}

// errEarly says that a server ended before it served.
var errEarly = errors.New("ended before it served")

// spawned is how processes are started: by one thread that lives as long as the
// tests, so that the kernel kills what is left when the tests are killed.
var spawned = sync.OnceValue(func() chan func() {
	requests := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range requests {
			start()
		}
	}()
	return requests
})

// launch starts a server and waits until it listens. A server that ends first is
// errEarly.
func launch(t *testing.T, env []string, argv ...string) (*process, error) {
	t.Helper()
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), ended: make(chan struct{}), stderr: &tail{}}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	// A pipe of our own: what a killed tracer leaves behind must not hold Wait up.
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = write
	started := make(chan error)
	spawned() <- func() { started <- p.cmd.Start() }
	err = <-started
	write.Close()
	if err != nil {
		t.Fatalf("start %s: %v", argv[0], err)
	}
	address := make(chan string, 1)
	go p.watch(read, address)
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	select {
	case a := <-address:
		p.url = "http://" + a
		return p, nil
	case <-p.ended:
		return p, fmt.Errorf("%w: %v\n%s", errEarly, p.err, p.stderr)
	case <-time.After(startTimeout):
		p.kill()
		t.Fatalf("no server after %s\n%s", startTimeout, p.stderr)
		return nil, nil
	}
}

// start is launch of a server that must come up.
func start(t *testing.T, env []string, argv ...string) *process {
	t.Helper()
	p, err := launch(t, env, argv...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// watch keeps the end of what the process logs and looks for the address.
func (p *process) watch(r io.ReadCloser, address chan<- string) {
	defer r.Close()
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		p.stderr.write(line)
		var entry struct{ Msg, Address string }
		if bytes.Contains(line, []byte(`"serving"`)) && json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
			select {
			case address <- entry.Address:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// kill ends the process group as kill -9 does and waits for its leader.
func (p *process) kill() {
	select {
	case <-p.ended: // the group's number may belong to somebody else by now
		return
	default:
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // it may have ended meanwhile
	<-p.ended
}

// killTraced ends the process that a tracer started, and lets the tracer write
// down what it has seen.
func (p *process) killTraced(t *testing.T) {
	t.Helper()
	pid := p.cmd.Process.Pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(children)))
	if err != nil {
		t.Fatalf("the tracer has children %q", children)
	}
	_ = syscall.Kill(child, syscall.SIGKILL) // it may have ended meanwhile
	select {
	case <-p.ended:
	case <-time.After(startTimeout):
		t.Fatal("the tracer does not end")
	}
}

// terminate asks the process to end as an operator would, and waits for it.
func (p *process) terminate(t *testing.T) {
	t.Helper()
	select {
	case <-p.ended: // the group's number may belong to somebody else by now
		return
	default:
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM) // it may have ended meanwhile
	select {
	case <-p.ended:
	case <-time.After(startTimeout):
		t.Fatalf("it does not stop\n%s", p.stderr)
	}
}

// stop is terminate of a process that must end well.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if p.terminate(t); p.err != nil {
		t.Fatalf("stopped with %v\n%s", p.err, p.stderr)
	}
}

// killed reports that the process was ended by SIGKILL.
func (p *process) killed() bool {
	var exit *exec.ExitError
	return errors.As(p.err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
}

// tail keeps the end of a log.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (l *tail) write(b []byte) {
	const keep = 4 << 10
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b = append(l.b, b...)
	if len(l.b) > 2*keep {
		l.b = append([]byte(nil), l.b[len(l.b)-keep:]...)
	}
}

func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.b)
}
