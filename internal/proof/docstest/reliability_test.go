package docstest

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	reliabilityPage = "docs/reliability.md"
	invariantsPage  = "docs/rules/invariants.md"
)

var invariantID = regexp.MustCompile(`^([A-Z]{2}|F)[0-9]{1,2}$`)

// TestEveryViolationIsExplained requires that each invariant that the code can name in a
// violation has its row on the page of invariants.
func TestEveryViolationIsExplained(t *testing.T) {
	told := map[string]bool{}
	for _, r := range rowsOfRules(readPage(t, invariantsPage)) {
		if !invariantID.MatchString(r.rule) {
			t.Errorf("row %q explains no invariant", r.rule)
		}
		if told[r.rule] {
			t.Errorf("%s has two rows", r.rule)
		}
		told[r.rule] = true
	}
	named := map[string]string{}
	if err := eachGoFile(func(rel string, f *ast.File) {
		dir := filepath.ToSlash(filepath.Dir(rel))
		if (dir == "internal/domain/credit" || dir == "internal/core/verify") && !strings.HasSuffix(rel, "_test.go") {
			violations(f, rel, named)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if len(named) < 10 {
		t.Fatalf("only %d invariants found in the code", len(named))
	}
	for id, where := range named {
		if !told[id] {
			t.Errorf("%s is named in %s and not explained", id, where)
		}
	}
}

// violations gathers the strings in a file that consist only of an invariant's ID.
func violations(f *ast.File, rel string, named map[string]string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok {
			if s, err := strconv.Unquote(l.Value); err == nil && invariantID.MatchString(s) {
				named[s] = rel
			}
		}
		return true
	})
}

// TestPromisesAreShown requires a test for every promise.
func TestPromisesAreShown(t *testing.T) {
	for _, r := range readPage(t, reliabilityPage).rows(t, "What is promised") {
		if len(r) != 3 || len(testNames(r[2])) == 0 {
			t.Errorf("promise %q names no test", r[0])
		}
	}
}
