package devtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"tenor/internal/app/cli"
	"tenor/internal/app/cli/operate"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

// Longest stops a test that hangs. It decides nothing: build machines are slow.
const Longest = 2 * time.Minute

// Comes polls until a condition is true, and reports whether it ever was.
func Comes(there func() bool) bool {
	for end := time.Now().Add(Longest); !there(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// Pipe is a buffer that one goroutine fills while another reads it.
type Pipe struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (p *Pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.Write(b)
}

func (p *Pipe) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.String()
}

// App is a program whose output is kept.
func App(out, err io.Writer) *terminal.App {
	return &terminal.App{In: strings.NewReader(""), Out: out, Err: err, Getenv: os.Getenv, Program: "tenor", Wall: clock.Wall{}.Now}
}

// Sandbox runs dev in this process until the test ends, and returns its banner. It does not
// listen on a user's usual sandbox address: a test that calls that address by mistake finds
// nothing, or the user's sandbox, and must not find the one it started.
func Sandbox(t testing.TB, cleanup func(func()), args ...string) operate.World {
	_, port, err := net.SplitHostPort(proctest.FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	return Dev(t, cleanup, append([]string{"--port", port}, args...)...)
}

// Dev is Sandbox on a port chosen by dev, or given in args.
func Dev(t testing.TB, cleanup func(func()), args ...string) operate.World {
	var out, errs Pipe
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan int, 1)
	go func() { done <- cli.Run(ctx, append([]string{"dev", "--json"}, args...), App(&out, &errs)) }()
	cleanup(func() {
		cancel()
		if code := <-done; code != exit.Done {
			t.Errorf("dev ended with %d: %s", code, errs.String())
		} else if t.Failed() {
			t.Logf("dev's log:\n%s", errs.String())
		}
	})
	var w operate.World
	if !Comes(func() bool {
		select {
		case code := <-done:
			done <- code
			t.Fatalf("dev ended with %d: %s", code, errs.String())
		default:
		}
		text := out.String()
		return strings.HasSuffix(text, "\n") && json.Unmarshal([]byte(text), &w) == nil
	}) {
		t.Fatalf("no banner: %s", errs.String())
	}
	return w
}

// Main runs tests with their own directories for what the program stores, separate from the
// user's. It returns the exit code.
func Main(run func() int) int {
	suite.Alone()
	dir, err := os.MkdirTemp("", "tenor-test-home-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		if err := os.Setenv(name, dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return run()
}
