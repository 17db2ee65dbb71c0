package supply

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"tenor/internal/proof/suite"
)

var cold = flag.Bool("cold", suite.By(false, true), "build twice with nothing in the compiler's cache; takes minutes")

// release is the program, built like a release, once for all tests.
var release struct {
	once sync.Once
	path string
}

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "tenor-supply-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	release.path = filepath.Join(dir, "tenor")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// built returns the path of the release.
func built(t *testing.T) string {
	t.Helper()
	release.once.Do(func() { build(t, root, release.path, "./cmd/tenor", "-trimpath") })
	return release.path
}

// build compiles a program in a directory.
func build(t *testing.T, dir, to, what string, flags ...string) string {
	t.Helper()
	args := slices.Concat([]string{"build", "-buildvcs=false", "-o", to}, flags, []string{what})
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly", "CGO_ENABLED=0")
	if *cold && what == "./cmd/tenor" {
		cmd.Env = append(cmd.Env, "GOCACHE="+t.TempDir())
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
	return to
}

func sum(t *testing.T, file string) [32]byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(b)
}

// The same source gives the same bytes, wherever it is; so anyone with the source can verify that
// a release was built from it. It contains nothing from the builder's machine.
func TestBuildsAreEqual(t *testing.T) {
	copied := t.TempDir()
	copySource(t, copied)
	here, there := built(t), build(t, copied, filepath.Join(t.TempDir(), "tenor"), "./cmd/tenor", "-trimpath")
	if sum(t, here) != sum(t, there) {
		t.Error("two builds of the same source differ")
	}
	program, err := os.ReadFile(here)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range machineFolders(t) {
		if bytes.Contains(program, []byte(folder)) {
			t.Errorf("the program holds the name of a folder of this machine: %s", folder)
		}
	}
}

// machineFolders lists directories of which a program should contain no trace.
func machineFolders(t *testing.T) []string {
	t.Helper()
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	return []string{module + "/", strings.Trim(output(t, "go", "env", "GOMODCACHE"), "\n") + "/"}
}

// A program built without -trimpath in two directories differs, and the comparison detects it.
func TestUnequalBuildsAreSeen(t *testing.T) {
	const code = "package main\n\nimport \"runtime\"\n\nfunc main() {\n\t_, file, _, _ := runtime.Caller(0)\n\tprintln(file)\n}\n"
	var plain, trimmed [2][32]byte
	for i := range 2 {
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module sample\n\ngo 1.26\n", "main.go": code} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out := filepath.Join(t.TempDir(), "sample")
		plain[i] = sum(t, build(t, dir, out, "."))
		trimmed[i] = sum(t, build(t, dir, out, ".", "-trimpath"))
	}
	if plain[0] == plain[1] {
		t.Error("two builds that know their folders are the same: the comparison sees nothing")
	}
	if trimmed[0] != trimmed[1] {
		t.Error("two builds that do not know their folders differ")
	}
}

// copySource copies what a build needs.
func copySource(t *testing.T, to string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || rel == "tools" || rel == "bench" {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		if !d.Type().IsRegular() || strings.HasSuffix(rel, "_test.go") || strings.Count(rel, "/") == 0 && rel != "go.mod" && rel != "go.sum" {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}
