package docstest

import (
	"encoding/json"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDependencies compares the page with go.mod: every imported module, and every required one
// not marked indirect, has a row, and there are no other rows. Modules imported only by tests are
// marked.
func TestDependencies(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	direct, all := requirements(string(text))
	used := imported(t, all)
	for name := range used {
		if !slices.Contains(direct, name) {
			direct = append(direct, name)
		}
	}
	slices.Sort(direct)
	rows := map[string][]string{}
	for _, r := range readPage(t, "docs/dependencies.md").rows(t, "Direct dependencies") {
		if len(r) != 5 {
			t.Fatalf("a row has %d cells instead of 5: %q", len(r), r)
		}
		name := strings.Trim(r[0], "`")
		rows[name] = r
		if !slices.Contains(direct, name) {
			t.Errorf("%s is no direct dependency", name)
			continue
		}
		if where := r[1]; where != used[name] {
			t.Errorf("%s is marked %q, but is used by %q", name, where, used[name])
		}
		for _, cell := range r[2:] {
			if len(cell) < 5 {
				t.Errorf("%s: %q says too little", name, cell)
			}
		}
	}
	for _, name := range direct {
		if rows[name] == nil {
			t.Errorf("%s (%s) has no row", name, used[name])
		}
	}
	if len(direct) > 25 {
		t.Errorf("%d direct dependencies: at most 25 are kept", len(direct))
	}
}

// TestPackagesOfTheStylesheet compares the page with the packages that the stylesheet is built
// from: each has a row with its license, and there are no other rows.
func TestPackagesOfTheStylesheet(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "internal/ui/design/src/package.json"))
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(root, "docs/licences/index.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Dependencies, DevDependencies map[string]string }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for _, r := range readPage(t, "docs/dependencies.md").rows(t, "Packages of the stylesheet") {
		name := strings.Trim(r[0], "`")
		rows[name] = r
		if list.Dependencies[name] == "" && list.DevDependencies[name] == "" {
			t.Errorf("the stylesheet is not made of %s", name)
		}
		if list.Dependencies[name] != "" && !strings.Contains(string(index), "npm:"+name+" "+r[1]+" ") {
			t.Errorf("the licence of %s is not %s", name, r[1])
		}
	}
	for _, packages := range []map[string]string{list.Dependencies, list.DevDependencies} {
		for name := range packages {
			if len(rows[name]) != 5 {
				t.Errorf("%s has no row", name)
			}
		}
	}
}

// requirements lists the modules of a go.mod: those not marked indirect, and all.
func requirements(text string) (direct, all []string) {
	inside := false
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "require (":
			inside = true
			continue
		case line == ")":
			inside = false
		}
		words := strings.Fields(strings.TrimPrefix(line, "require "))
		if !inside && !strings.HasPrefix(line, "require ") || len(words) < 2 {
			continue
		}
		all = append(all, words[0])
		if !strings.HasSuffix(line, "// indirect") {
			direct = append(direct, words[0])
		}
	}
	return direct, all
}

// imported reports for each module whether the product imports it, or only tests.
func imported(t *testing.T, modules []string) map[string]string {
	t.Helper()
	used := map[string]string{}
	err := eachGoFile(func(rel string, f *ast.File) {
		for _, s := range f.Imports {
			path, err := strconv.Unquote(s.Path.Value)
			m := moduleOf(path, modules)
			if err != nil || m == "" {
				continue
			}
			if !strings.HasSuffix(rel, "_test.go") && !testSupport(filepath.ToSlash(rel)) {
				used[m] = "product"
			} else if used[m] == "" {
				used[m] = "tests"
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return used
}

// testSupport reports whether a file belongs to a package that only tests import.
func testSupport(rel string) bool {
	return strings.HasPrefix(rel, "internal/proof/") || strings.HasPrefix(rel, "internal/core/store/storetest/")
}

// moduleOf returns the longest module that contains an import path.
func moduleOf(path string, modules []string) string {
	best := ""
	for _, m := range modules {
		if (path == m || strings.HasPrefix(path, m+"/")) && len(m) > len(best) {
			best = m
		}
	}
	return best
}

func TestRequirements(t *testing.T) {
	direct, all := requirements("module x\n\ngo 1.26\n\nrequire a.test/one v1.0.0\n\nrequire (\n\ta.test/two v1.0.0\n\ta.test/two/sub v1.0.0 // indirect\n)\n")
	if strings.Join(direct, " ") != "a.test/one a.test/two" || len(all) != 3 {
		t.Errorf("direct %q of %q", direct, all)
	}
	if m := moduleOf("a.test/two/sub/x", all); m != "a.test/two/sub" {
		t.Errorf("module %q", m)
	}
	if m := moduleOf("a.test/twofold", all); m != "" {
		t.Errorf("module %q", m)
	}
}
