package suite

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Variables that say how tests are run. [Alone] removes all others whose names begin like the
// program's own.
const (
	// Require is "all" where nothing may be skipped: a missing program fails the test.
	Require = "TENOR_TEST_REQUIRE"
	// Night is set, to any value, for the long runs.
	Night = "TENOR_TEST_NIGHT"
	// Nothing is set, to any value, to see what the tests do on a machine that has only Go: no other
	// program is found.
	Nothing = "TENOR_TEST_NOTHING"

	ours = "TENOR_TEST_"
)

// Missing skips a test that needs what this machine lacks, or fails it where nothing may be
// skipped. It names what is missing and the command that installs it, in the form by which the
// runner lists skipped tests: "SKIP what: command".
func Missing(t testing.TB, what, command string) {
	t.Helper()
	if os.Getenv(Require) == "all" {
		t.Fatalf("%s is missing: %s", what, command)
	}
	t.Skipf("SKIP %s: %s", what, command)
}

// Without is [Missing] for a part of a test that continues without it.
func Without(t testing.TB, what, command string) {
	t.Helper()
	if os.Getenv(Require) == "all" {
		t.Fatalf("%s is missing: %s", what, command)
	}
	t.Logf("SKIP %s: %s", what, command)
}

// Bare reports whether this machine's programs are to be ignored.
func Bare() bool { return os.Getenv(Nothing) != "" }

// Program returns the path of the first of the named programs that exists. If none does, it
// reports the package that has it as [Missing].
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

// By returns how much of something a test does: as much as suffices on every change, or as much
// as there is time for at night.
func By[T any](change, night T) T {
	if os.Getenv(Night) != "" {
		return night
	}
	return change
}

// Alone removes from the environment what would connect a test to anything but its own: the
// server, the token and the database that the shell's owner works with, and colors. A package
// whose tests run the program calls it before they begin.
func Alone() {
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); foreign(name) {
			os.Unsetenv(name) // a valid name, since it was set
		}
	}
}

// foreign reports whether tests must not see a variable.
func foreign(name string) bool {
	switch name {
	case "LEDGER_FILE", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE":
		return true
	}
	return strings.HasPrefix(name, "TENOR_") && !strings.HasPrefix(name, ours) || strings.HasPrefix(name, "PG")
}
