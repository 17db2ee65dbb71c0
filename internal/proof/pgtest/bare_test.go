//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"tenor/internal/proof/suite"
)

// Without PostgreSQL the tests of this package are skipped, and none of them breaks; if skipping
// is not allowed, they fail. Both name the package to install.
func TestWithoutServer(t *testing.T) {
	if suite.Bare() {
		t.Skip("this is what it starts")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, require := range []string{"", "all"} {
		cmd := exec.Command(self, "-test.v")
		cmd.Env = append(os.Environ(), suite.Nothing+"=1", suite.Require+"="+require)
		out, err := cmd.CombinedOutput()
		if (err == nil) != (require == "") || strings.Contains(string(out), "panic:") || !strings.Contains(string(out), "apt-get install -y postgresql") {
			t.Errorf("with %s=%q: %v\n%s", suite.Require, require, err, out)
		}
		if skips := strings.Count(string(out), "SKIP PostgreSQL: "); (skips > 3) != (require == "") {
			t.Errorf("with %s=%q %d tests are skipped for the server", suite.Require, require, skips)
		}
	}
}
