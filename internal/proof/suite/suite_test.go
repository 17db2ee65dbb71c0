package suite

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// recorder is a test that records whether it was skipped or failed.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// recorded returns the outcome of a test.
func recorded(do func(testing.TB)) *recorder {
	r, done := new(recorder), make(chan struct{})
	go func() {
		defer close(done)
		do(r)
	}()
	<-done
	return r
}

// A missing program skips a test with the command that installs it, and fails it where nothing
// may be skipped. An existing one does neither.
func TestProgram(t *testing.T) {
	t.Setenv(Require, "")
	missing := func(t testing.TB) { Program(t, "wooden-horse", "no-such-horse", "nor-this-one") }
	if r := recorded(missing); r.skipped != "SKIP no-such-horse: apt-get install -y wooden-horse" || r.failed != "" {
		t.Errorf("skipped with %q, failed with %q", r.skipped, r.failed)
	}
	t.Setenv(Require, "all")
	if r := recorded(missing); r.skipped != "" || !strings.Contains(r.failed, "apt-get install -y wooden-horse") {
		t.Errorf("skipped with %q, failed with %q", r.skipped, r.failed)
	}
	if path := Program(t, "golang", "no-such-horse", os.Args[0]); path == "" {
		t.Error("this program is not found")
	}
}

// Night runs use their own figures.
func TestBy(t *testing.T) {
	t.Setenv(Night, "")
	if got := By(1, 2); got != 1 {
		t.Errorf("with a change: %d", got)
	}
	t.Setenv(Night, "1")
	if got := By(1, 2); got != 2 {
		t.Errorf("in a night: %d", got)
	}
}

// The shell's server, token and database are removed, and the variables that say how tests are
// run stay.
func TestAlone(t *testing.T) {
	for _, name := range []string{"TENOR_URL", "TENOR_TOKEN", "TENOR_DATABASE", "PGHOST", "FORCE_COLOR", Require, "HOME"} {
		t.Setenv(name, "of the shell")
	}
	Alone()
	for _, name := range []string{"TENOR_URL", "TENOR_TOKEN", "TENOR_DATABASE", "PGHOST", "FORCE_COLOR"} {
		if _, there := os.LookupEnv(name); there {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range []string{Require, "HOME"} {
		if os.Getenv(name) != "of the shell" {
			t.Errorf("%s is gone", name)
		}
	}
}
