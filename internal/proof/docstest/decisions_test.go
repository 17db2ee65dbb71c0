package docstest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tenor/internal/proof/suite"
)

const decisionsPage = "docs/decisions.md"

// later starts the last cell of a gap that this version leaves open.
const later = "Not yet"

// TestEveryGapIsDecided compares the page with the list of gaps: each has a row with its own
// words, a decision, and a test unless it is explicitly left for later.
func TestEveryGapIsDecided(t *testing.T) {
	gaps := readGaps(t)
	rows := map[string][]string{}
	for _, r := range readPage(t, decisionsPage).rows(t, "Gaps of the interface document") {
		if len(r) != 4 {
			t.Fatalf("a row has %d cells instead of 4: %q", len(r), r)
		}
		if rows[r[0]] != nil {
			t.Errorf("two rows are numbered %s", r[0])
		}
		rows[r[0]] = r
	}
	for _, g := range gaps {
		r := rows[g.number]
		delete(rows, g.number)
		if r == nil {
			t.Errorf("gap %s has no row: %s", g.number, g.text)
			continue
		}
		if r[1] != g.text {
			t.Errorf("gap %s is told as %q instead of %q", g.number, r[1], g.text)
		}
		if len(r[2]) < 20 {
			t.Errorf("gap %s: %q is no decision", g.number, r[2])
		}
		if len(testNames(r[3])) == 0 && !strings.HasPrefix(r[3], later) {
			t.Errorf("gap %s names no test", g.number)
		}
	}
	for n := range rows {
		t.Errorf("row %s is no gap of the interface document", n)
	}
}

// TestEveryFurtherDecisionIsShown requires reasons and tests in the second table.
func TestEveryFurtherDecisionIsShown(t *testing.T) {
	for _, r := range readPage(t, decisionsPage).rows(t, "Further decisions") {
		if len(r) != 4 {
			t.Fatalf("a row has %d cells instead of 4: %q", len(r), r)
		}
		if r[0] == "" || len(r[1]) < 20 || len(r[2]) < 10 {
			t.Errorf("decision %q: %q, because %q", r[0], r[1], r[2])
		}
		if len(testNames(r[3])) == 0 {
			t.Errorf("decision %q names no test", r[0])
		}
	}
}

type gap struct{ number, text string }

// interfacePage is the interface document, which is never edited.
const interfacePage = "docs/interface.md"

// readGaps lists what the interface document says it leaves open, numbered by section.
func readGaps(t *testing.T) []gap {
	t.Helper()
	var gaps []gap
	part, count := "", 0
	for _, line := range readPage(t, interfacePage).prose() {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			part, _, _ = strings.Cut(title, ".")
			count = 0
		}
		if words, ok := strings.CutPrefix(line, "- "); ok && strings.HasSuffix(words, ": not shown.") {
			count++
			gaps = append(gaps, gap{part + "." + strconv.Itoa(count), words})
		}
	}
	if len(gaps) != 22 {
		t.Fatalf("%d gaps instead of 22", len(gaps))
	}
	return gaps
}

// A test is named by its package's path, from the root or below internal, and its function, as in
// `credit.TestX` or `cmd/tenor.TestX`; a story by its file, as in `credit/testdata/x.txt`.
var (
	testName  = regexp.MustCompile("`([a-z][a-z0-9/]*)\\.((?:Test|Fuzz|Example)[A-Za-z0-9_]*)`")
	storyName = regexp.MustCompile("`([a-z][a-z0-9/]*/testdata/[\\w./-]+)`")
)

// testNames lists what a text names: tests as package.Function, stories as files.
func testNames(s string) []string {
	var out []string
	for _, m := range testName.FindAllStringSubmatch(s, -1) {
		out = append(out, m[1]+"."+m[2])
	}
	for _, m := range storyName.FindAllStringSubmatch(s, -1) {
		out = append(out, m[1])
	}
	return out
}

// tests are the test functions of the repository, by package.
var tests = sync.OnceValues(func() (map[string]bool, error) {
	found := map[string]bool{}
	err := eachGoFile(func(rel string, f *ast.File) {
		if !strings.HasSuffix(rel, "_test.go") {
			return
		}
		pkg := suite.Short(filepath.Dir(rel))
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				found[pkg+"."+fn.Name.Name] = true
			}
		}
	})
	return found, err
})

// eachGoFile parses the Go files of the repository, without fixtures.
func eachGoFile(fn func(rel string, f *ast.File)) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), rel, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		fn(rel, f)
		return nil
	})
}

func exists(t *testing.T, name string) bool {
	t.Helper()
	all, err := tests()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(name, "/testdata/") {
		_, err := os.Stat(filepath.Join(root, suite.Folder(root, name)))
		return err == nil
	}
	return all[name]
}

// TestNamedTestsExist looks up every test named on any page.
func TestNamedTestsExist(t *testing.T) {
	count := 0
	for _, p := range pages(t) {
		for i, line := range p.prose() {
			for _, name := range testNames(line) {
				count++
				if !exists(t, name) {
					t.Errorf("%s:%d: there is no test %s", p.name, i+1, name)
				}
			}
		}
	}
	if count < 50 {
		t.Errorf("the pages name %d tests: too few to be all", count)
	}
}

func TestNamesCanBeWrong(t *testing.T) {
	if got := testNames("`credit.TestA`, `store/sqlite.FuzzB_c` and `credit/testdata/d.txt`, not `TestE` nor credit.TestF"); strings.Join(got, " ") !=
		"credit.TestA store/sqlite.FuzzB_c credit/testdata/d.txt" {
		t.Errorf("names %q", got)
	}
	if !exists(t, "docstest.TestNamesCanBeWrong") || exists(t, "docstest.TestGone") || exists(t, "docstest/testdata/gone.txt") {
		t.Error("tests are not looked up")
	}
}
