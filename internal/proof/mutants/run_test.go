package mutants

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/proof/suite"
)

var which = flag.String("mutants", suite.By("change", "all"), "which mutants: change, all, or their names with commas between them")

// mutant is a fault, and the test that must detect it.
type mutant struct {
	id     string // M…, as in the test plan; or a name
	what   string
	change bool // also run with every change
	edits  []edit
	pkg    string // whose tests are run
	test   string // name of the failing test, including its subtests
}

// edit replaces a text that occurs exactly once in the file.
type edit struct{ file, old, new string }

// empty changes nothing relevant. If it were killed, all the others would be killed by something
// other than their fault.
var empty = mutant{
	id: "empty", what: "a comment", pkg: "engine", test: "TestOutcomes",
	edits: []edit{{"engine/commit.go", "// alarmEvery is how many attempts", "// alarmEvery is how many of the attempts"}},
}

// limit stops a test hung by a mutant. Hanging does not count as being killed.
const limit = 3 * time.Minute

func TestMutants(t *testing.T) {
	killed, run := 0, 0
	t.Run("mutant", func(t *testing.T) {
		for _, m := range slices.Concat(table, access, years) {
			if !m.wanted() {
				continue
			}
			run++
			t.Run(m.id, func(t *testing.T) {
				out, survived := m.tried(t)
				switch red := "--- FAIL: " + m.test; {
				case survived:
					t.Errorf("%s survives %s.%s: %s", m.id, m.pkg, m.test, m.what)
				case !strings.Contains(out, red):
					t.Errorf("%s was not killed by a red %s.%s:\n%s", m.id, m.pkg, m.test, out)
				default:
					killed++
				}
			})
		}
	})
	t.Run("empty", func(t *testing.T) {
		if out, survived := empty.tried(t); !survived || !strings.Contains(out, "--- PASS: "+empty.test) {
			t.Errorf("a mutant that changes nothing is killed:\n%s", out)
		}
	})
	t.Logf("mutants killed: %d of %d", killed, run)
	if run == 0 {
		t.Errorf("-mutants %q names none", *which)
	}
}

func (m mutant) wanted() bool {
	switch *which {
	case "all":
		return true
	case "change":
		return m.change
	}
	return slices.Contains(strings.Split(*which, ","), m.id)
}

// tried runs the mutant's test on its code, and reports whether it passed.
func (m mutant) tried(t *testing.T) (out string, survived bool) {
	t.Helper()
	args := []string{"test", "-overlay", m.overlay(t), "-count=1", "-vet=off", "-ldflags=-w", "-v", "-failfast", "-timeout", limit.String(),
		"-run", "^" + strings.ReplaceAll(m.test, "/", "$/^") + "$", "tenor/" + where(m.pkg)}
	if drawsAtRandom(t, where(m.pkg)) {
		args = append(args, "-rapid.nofailfile") // a mutant's failure must not be replayed on the real code
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), suite.Night+"=") // also at night: the variant that runs with every change must detect it
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err := cmd.Run()
	out = tail(b.String(), 4000)
	switch {
	case strings.Contains(b.String(), "[build failed]"), strings.Contains(b.String(), "[setup failed]"):
		t.Fatalf("%s does not compile:\n%s", m.id, out)
	case strings.Contains(b.String(), "no tests to run"):
		t.Fatalf("%s: there is no test %s.%s", m.id, m.pkg, m.test)
	case strings.Contains(b.String(), "--- SKIP: "+m.test):
		t.Fatalf("%s: %s.%s was skipped", m.id, m.pkg, m.test)
	}
	return b.String(), err == nil
}

// drawsAtRandom reports whether a package's tests use rapid, which stores failures next to them.
func drawsAtRandom(t *testing.T, dir string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in %s: %v", dir, err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(text, []byte(`"pgregory.net/rapid"`))
	})
}

// root is the module's folder, relative to this package's tests.
const root = "../../.."

// where returns the path of a package, or of a file, in the module.
func where(path string) string {
	return suite.Folder(root, path)
}

// overlay writes the changed files, and the list through which the compiler finds them.
func (m mutant) overlay(t *testing.T) string {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	for i, e := range m.edits {
		path, err := filepath.Abs(filepath.Join(root, where(e.file)))
		if err != nil {
			t.Fatal(err)
		}
		from := path
		if replace[path] != "" {
			from = replace[path] // another edit of the same file
		}
		code, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(code), e.old); n != 1 {
			t.Fatalf("%s: %s has %d times\n%s\nThe code has moved on: write the mutant anew.", m.id, e.file, n, e.old)
		}
		to := filepath.Join(dir, fmt.Sprint(i, filepath.Base(path)))
		if err := os.WriteFile(to, []byte(strings.Replace(string(code), e.old, e.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[path] = to
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func tail(s string, n int) string {
	if len(s) > n {
		return "… " + s[len(s)-n:]
	}
	return s
}

// TestTable checks that every mutant is complete, and that the tests that it names exist, without
// running any.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range slices.Concat(table, access, years, []mutant{empty}) {
		if seen[m.id] {
			t.Errorf("%s is there twice", m.id)
		}
		seen[m.id] = true
		if m.what == "" || len(m.edits) == 0 || !regexp.MustCompile(`^Test[\w/]+$`).MatchString(m.test) {
			t.Errorf("%s is not whole", m.id)
		}
		m.overlay(t) // every text occurs once in its file
		files, err := filepath.Glob(filepath.Join(root, where(m.pkg), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(m.test, "/")
		if !slices.ContainsFunc(files, func(file string) bool {
			code, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(code), "\nfunc "+name+"(t *testing.T)")
		}) {
			t.Errorf("%s: there is no %s.%s", m.id, m.pkg, m.test)
		}
	}
	for _, id := range []string{"M1", "M3", "M19", "M20", "M25", "M26", "M50", "M59"} { // at least with every change
		if !slices.ContainsFunc(table, func(m mutant) bool { return m.id == id && m.change }) {
			t.Errorf("%s must run with every change", id)
		}
	}
}
