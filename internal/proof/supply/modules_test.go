package supply

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// root is the module's directory, seen from this package.
const root = "../../.."

// output runs a program in the module's directory, without the network.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The module cache is what was downloaded: nobody has changed it.
func TestModulesAreUnchanged(t *testing.T) {
	if out := output(t, "go", "mod", "verify"); out != "all modules verified" {
		t.Error(out)
	}
}

// modules lists those that the code and its tests are built from, as "path version".
func modules(t *testing.T) []string {
	t.Helper()
	out := output(t, "go", "list", "-deps", "-test", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{if .Replace}} replaced{{end}}{{end}}{{end}}", "./...")
	list := slices.DeleteFunc(strings.Split(out, "\n"), func(line string) bool { return line == "" })
	slices.Sort(list)
	if list = slices.Compact(list); len(list) < 20 {
		t.Fatalf("only %d modules", len(list))
	}
	return list
}

// sumProblems lists modules without recorded sums, and replacements, which would take a module
// from elsewhere.
func sumProblems(modules []string, sums string) (problems []string) {
	for _, m := range modules {
		if strings.HasSuffix(m, " replaced") {
			problems = append(problems, m)
			continue
		}
		for _, line := range []string{m + " h1:", m + "/go.mod h1:"} {
			if !strings.Contains("\n"+sums, "\n"+line) {
				problems = append(problems, "go.sum lacks "+line)
			}
		}
	}
	return problems
}

func TestSumsAreKept(t *testing.T) {
	all := modules(t)
	sums := read(t, "go.sum")
	for _, p := range sumProblems(all, sums) {
		t.Error(p)
	}
	t.Logf("%d modules, findings 0", len(all))
	if len(sumProblems([]string{"example.org/x v1.0.0"}, sums)) != 2 || len(sumProblems([]string{all[0] + " replaced"}, sums)) != 1 {
		t.Error("a module without a sum, or a replaced one, is not seen")
	}
	for _, name := range []string{"go.mod", "tools/go.mod", "tools/stripe-mock/go.mod"} {
		if regexp.MustCompile(`(?m)^\s*(replace|exclude)\b`).MatchString(read(t, name)) {
			t.Errorf("%s replaces a module", name)
		}
	}
}

// allowed are the licences of modules that may be part of the binary: none of them requires the
// source, or more than its own text and notice.
var allowed = []string{"MIT", "Unlicense", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Apache-2.0", "OFL-1.1"}

// licenceProblems lists modules whose licence is not allowed, or not recorded.
func licenceProblems(linked []string, index string) (problems []string) {
	kept := map[string]string{}
	for line := range strings.Lines(index) {
		if f := strings.Fields(line); len(f) == 3 {
			kept[f[0]] = f[1]
		}
	}
	for _, m := range linked {
		switch licence, ok := kept[m]; {
		case !ok:
			problems = append(problems, "docs/licences lacks "+m)
		case !slices.Contains(allowed, licence):
			problems = append(problems, m+" has the licence "+licence)
		}
	}
	return problems
}

// The binary contains nothing that may not be redistributed, and docs/licences has the licence
// text of everything it contains.
func TestLicencesAreAllowed(t *testing.T) {
	index := read(t, "docs/licences/index.txt")
	linked := []string{"go"}
	for _, m := range linkedModules(t, built(t)) {
		linked = append(linked, m.Path)
	}
	for name := range packages(t).Dependencies {
		linked = append(linked, "npm:"+name)
	}
	for _, p := range licenceProblems(linked, index) {
		t.Error(p)
	}
	t.Logf("%d modules and packages in the binary, all of an allowed licence", len(linked))
	if got := licenceProblems([]string{"example.org/x", "example.org/y"}, "example.org/y GPL-3.0 y.txt\n"); len(got) != 2 {
		t.Errorf("a licence that is missing and one that is not allowed give %q", got)
	}
}

// linkedModules returns the modules that the program reports.
func linkedModules(t *testing.T, program string) []*debug.Module {
	t.Helper()
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Deps) < 5 {
		t.Fatalf("only %d modules in the binary", len(info.Deps))
	}
	return info.Deps
}

// The binary lists every module in it, with the sum from go.sum (SBOM): to tools that read it,
// and to people who run it.
func TestBinaryTellsItsModules(t *testing.T) {
	sums, program := read(t, "go.sum"), built(t)
	held := linkedModules(t, program)
	var told struct {
		Modules []struct{ Path, Version, Sum string }
	}
	out, err := exec.Command(program, "version", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &told); err != nil || len(told.Modules) != len(held) {
		t.Errorf("tenor version --json tells %d modules, %v", len(told.Modules), err)
	}
	for _, m := range told.Modules {
		if !strings.Contains(sums, m.Path+" "+m.Version+" "+m.Sum+"\n") {
			t.Errorf("tenor version --json: %+v is not in go.sum", m)
		}
	}
	for _, m := range held {
		if line := fmt.Sprintf("%s %s %s\n", m.Path, m.Version, m.Sum); m.Sum == "" || m.Replace != nil || !strings.Contains(sums, line) {
			t.Errorf("%+v is not in go.sum", *m)
		}
	}
}
