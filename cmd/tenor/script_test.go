package main

import (
	"errors"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tenor/internal/proof/devtest"
	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/proctest"
)

func TestMain(m *testing.M) {
	testscript.Main(withPostgres{m}, map[string]func(){"tenor": main})
}

// withPostgres runs the tests with a PostgreSQL server, started by the first test that needs it.
type withPostgres struct{ m *testing.M }

// Run returns the exit code.
func (w withPostgres) Run() int {
	return devtest.Main(func() int { return pgtest.Main(w.m) })
}

// TestScripts runs the command lines of testdata/script as a user would, each
// with a sandbox of its own. In addition to testscript's commands they have:
//
//	exits CODE PROGRAM ARGS…   the program must end with that code
//	keep NAME                  the last output becomes $NAME
//	await URL                  wait until the address answers 200
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			w := devtest.Sandbox(t, env.Defer, "--data", filepath.Join(env.WorkDir, "sandbox"))
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
	c := http.Client{Timeout: devtest.Longest}
	defer c.CloseIdleConnections()
	if !devtest.Comes(func() bool {
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

func newRequest(url string) *http.Request {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		panic(err)
	}
	return r
}
