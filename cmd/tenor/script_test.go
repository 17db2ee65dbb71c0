package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tenor/internal/app/cli"
	"tenor/internal/app/cli/operate"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

func TestMain(m *testing.M) {
	testscript.Main(withPostgres{m}, map[string]func(){"tenor": main})
}

// withPostgres runs the tests beside a PostgreSQL server, which the first test
// that asks for it starts.
type withPostgres struct{ m *testing.M }

// Run returns the exit code. The tests get folders of their own for what the program
// keeps: those of the user are none of their business.
func (w withPostgres) Run() (code int) {
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
	return pgtest.Main(w.m)
}

// TestScripts runs the command lines of testdata/script as a user would, each
// against a sandbox of its own. Beside what testscript knows they have:
//
//	exits CODE PROGRAM ARGS…   the program must end with that code
//	keep NAME                  what was printed last becomes $NAME
//	await URL                  wait until the address answers 200
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			w := startSandbox(t, env.Defer, "--data", filepath.Join(env.WorkDir, "sandbox"))
			env.Setenv("TENOR_URL", w.URL)
			env.Setenv("TENOR_TOKEN", w.Token)
			env.Setenv("MERCHANT", w.Merchant)
			env.Setenv("ADDR", proctest.FreeAddress(t))
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			return nil
		},
		Cmds: scriptCommands(),
	})
}

func scriptCommands() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	return map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "keep": keep, "await": await}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || neg {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		code = ended.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func keep(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

func await(ts *testscript.TestScript, _ bool, args []string) {
	c := http.Client{Timeout: longest}
	defer c.CloseIdleConnections()
	if !comes(func() bool {
		r, err := c.Do(newRequest(args[0]))
		if err != nil {
			return false
		}
		r.Body.Close()
		return r.StatusCode == http.StatusOK
	}) {
		ts.Fatalf("%s does not answer", args[0])
	}
}

// longest ends a test that hangs. It decides nothing: machines that build are slow.
const longest = 2 * time.Minute

// comes looks until something is there, and reports whether it ever was.
func comes(there func() bool) bool {
	for end := time.Now().Add(longest); !there(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

func newRequest(url string) *http.Request {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		panic(err)
	}
	return r
}

// pipe is a buffer that one goroutine fills while another looks.
type pipe struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (p *pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.Write(b)
}

func (p *pipe) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.String()
}

// testApp is a program whose output is kept.
func testApp(out, err io.Writer) *terminal.App {
	return &terminal.App{In: strings.NewReader(""), Out: out, Err: err, Getenv: os.Getenv, Program: "tenor", Wall: clock.Wall{}.Now}
}

// startSandbox runs dev in this process until the test ends, and returns its banner. It
// does not listen where a user's sandbox does: whoever asks the usual address by mistake
// finds nobody, or the user's, and must not find what the test has started.
func startSandbox(t testing.TB, cleanup func(func()), args ...string) operate.World {
	_, port, err := net.SplitHostPort(proctest.FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	return startDev(t, cleanup, append([]string{"--port", port}, args...)...)
}

// startDev is startSandbox on the port that dev chooses, or that args name.
func startDev(t testing.TB, cleanup func(func()), args ...string) operate.World {
	var out, errs pipe
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan int, 1)
	go func() { done <- cli.Run(ctx, append([]string{"dev", "--json"}, args...), testApp(&out, &errs)) }()
	cleanup(func() {
		cancel()
		if code := <-done; code != exit.Done {
			t.Errorf("dev ended with %d: %s", code, errs.String())
		} else if t.Failed() {
			t.Logf("dev's log:\n%s", errs.String())
		}
	})
	var w operate.World
	if !comes(func() bool {
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
