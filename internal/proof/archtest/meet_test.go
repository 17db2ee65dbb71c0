package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The Makefile names the tests that CI runs with the race detector and SQLite. It must name every
// test of those packages that starts goroutines of its own.
func TestMeetingsAreRaced(t *testing.T) {
	named, folders := meetings(t)
	found := 0
	for _, folder := range folders {
		for name, meets := range meetingTests(t, filepath.Join(root, folder)) {
			if meets {
				found++
			}
			if meets && !named.MatchString(name) {
				t.Errorf("%s of %s starts goroutines: let MEET in the Makefile name it", name, folder)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d tests start goroutines", found)
	}
	if !named.MatchString("TestOneCartAtOnce") || named.MatchString("TestOneCart") {
		t.Errorf("MEET is %s", named)
	}
}

// meetings reads from the Makefile which tests are raced, and in which packages.
func meetings(t *testing.T) (named *regexp.Regexp, folders []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if list, ok := strings.CutPrefix(line, "SQL_RACE = "); ok {
			folders = strings.Fields(list)
		}
		if list, ok := strings.CutPrefix(line, "MEET = "); ok {
			_, list, _ = strings.Cut(strings.ReplaceAll(strings.TrimSpace(list), "$$", "$"), "|") // the first is part of a test
			named = regexp.MustCompile(list)
		}
	}
	if named == nil || len(folders) == 0 {
		t.Fatal("the Makefile says nothing of MEET and SQL_RACE")
	}
	return named, folders
}

// meetingTests returns the tests of a package, and whether goroutines meet in each of them.
func meetingTests(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in %s: %v", dir, err)
	}
	tests := map[string]bool{}
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != "TestMain" {
				tests[fn.Name.Name] = startsGoroutines(fn.Body)
			}
		}
	}
	return tests
}

// startsGoroutines reports whether a function contains a go statement, or calls something that
// starts goroutines for it.
func startsGoroutines(body ast.Node) (yes bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			yes = true
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "Go" || s.Sel.Name == "storm") {
				yes = true
			}
		}
		return true
	})
	return yes
}
