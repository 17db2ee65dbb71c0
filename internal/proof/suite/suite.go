package suite

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Variables that say how tests are run. All others whose names begin like the
// program's own ones are taken away by [Alone].
const (
	// Require is "all" where nothing may be skipped: what is missing fails.
	Require = "TENOR_TEST_REQUIRE"
	// Night is set, to whatever, for the long runs.
	Night = "TENOR_TEST_NIGHT"
	// Nothing is set, to whatever, to see what the tests do on a machine that has Go and
	// nothing else: no other program is found.
	Nothing = "TENOR_TEST_NOTHING"

	ours = "TENOR_TEST_"
)

// Missing skips a test that needs what this machine lacks, or fails it where nothing
// may be skipped. It says what is missing and the command that brings it, in the form
// by which the runner lists skipped tests: "SKIP what: command".
func Missing(t testing.TB, what, command string) {
	t.Helper()
	if os.Getenv(Require) == "all" {
		t.Fatalf("%s is missing: %s", what, command)
	}
	t.Skipf("SKIP %s: %s", what, command)
}

// Without is [Missing] a part of a test that goes on without it.
func Without(t testing.TB, what, command string) {
	t.Helper()
	if os.Getenv(Require) == "all" {
		t.Fatalf("%s is missing: %s", what, command)
	}
	t.Logf("SKIP %s: %s", what, command)
}

// Bare says that programs of this machine are not to be found.
func Bare() bool { return os.Getenv(Nothing) != "" }

// Program is the path of the first of some programs that is there. If none is,
// the test is [Missing] the package that has it.
func Program(t testing.TB, install string, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil && !Bare() {
			return path
		}
	}
	Missing(t, names[0], "apt-get install -y "+install)
	return ""
}

// By is how much of something a test does: as much as shows it with every change, or
// as much as a night has time for.
func By[T any](change, night T) T {
	if os.Getenv(Night) != "" {
		return night
	}
	return change
}

// Alone takes from the environment what would bring a test to anything but its own: to
// the server, the token and the database that the shell's owner works with, or to
// colors. A package whose tests run the program calls it before they begin.
func Alone() {
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); foreign(name) {
			os.Unsetenv(name) // it has a valid name: it was there
		}
	}
}

// foreign says that a variable is none of the tests' business.
func foreign(name string) bool {
	switch name {
	case "LEDGER_FILE", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE":
		return true
	}
	return strings.HasPrefix(name, "TENOR_") && !strings.HasPrefix(name, ours) || strings.HasPrefix(name, "PG")
}
