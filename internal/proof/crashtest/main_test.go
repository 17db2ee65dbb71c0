//go:build linux

package crashtest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random choices; 0: always the same, or in a night a new one, which is printed")

// The environment variable that turns this binary into a server instead of a test.
const serverEnv = "CRASHTEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverEnv) != "" {
		if err := serveRecorded(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(run(m))
}

// run runs the tests and stops what they have started.
func run(m *testing.M) int {
	defer pgtest.Shared()()
	return proctest.Main(m)
}

// seed returns the seed of a random test and prints how to reproduce it.
func seed(t *testing.T) uint64 {
	t.Helper()
	s := *seedFlag
	if s == 0 {
		s = suite.By(1, uint64(time.Now().UnixNano()))
	}
	t.Logf("seed %d; again: go test ./internal/proof/crashtest -run '^%s$' -seed %d", s, t.Name(), s)
	return s
}

// withinOneDay waits for the next business day if the current one ends within a minute or two:
// the harnesses' arithmetic assumes a single day.
func withinOneDay(t *testing.T) {
	t.Helper()
	zone, err := newYork()
	if err != nil {
		t.Fatal(err)
	}
	for end := zone.Date(time.Now().Add(2 * time.Minute)); zone.Date(time.Now()) != end; {
		time.Sleep(time.Second)
	}
}

// requireStrace skips the test if no process can be traced, or fails it if skipping is not
// allowed.
func requireStrace(t *testing.T) string {
	t.Helper()
	path := suite.Program(t, "strace", "strace")
	out, err := exec.Command(path, "-f", "--seccomp-bpf", "-e", "trace=write", "-o", os.DevNull, "true").CombinedOutput()
	if err != nil {
		suite.Missing(t, "a system in which strace can trace", fmt.Sprintf("%v %s", err, out))
	}
	return path
}

// quick is a directory in memory if there is one: its content is discarded after a check.
func quick(t *testing.T) string {
	t.Helper()
	if dir, err := os.MkdirTemp("/dev/shm", "tenor-crashtest-"); err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		return dir
	}
	return t.TempDir()
}
