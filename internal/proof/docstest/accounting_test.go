package docstest

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenor/internal/domain/ledger"
)

const accountingPage = "docs/accounting.md"

// TestEntries plays every example on the page and compares its entries.
func TestEntries(t *testing.T) {
	p := readPage(t, accountingPage)
	shown := map[string]bool{}
	for _, b := range p.blocks {
		name := b.entries()
		if name == "" {
			continue
		}
		shown[name] = true
		play := examples[name]
		if play == nil {
			t.Errorf("%s:%d: there is no example %s", p.name, b.line, name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			if got := play(t); squeeze(got) != squeeze(b.text) {
				t.Errorf("%s:%d: the example posts\n%s", p.name, b.line, got)
			}
		})
	}
	for name := range examples {
		if !shown[name] {
			t.Errorf("the example %s is not on the page", name)
		}
	}
}

var blanks = regexp.MustCompile(`[ \t]+`)

// squeeze makes columns comparable: only the words count.
func squeeze(s string) string {
	return strings.Join(lines(blanks.ReplaceAllString(s, " ")), "\n")
}

// TestChartOfAccounts compares the page with the chart.
func TestChartOfAccounts(t *testing.T) {
	var want, got []string
	for _, a := range ledger.Chart() {
		want = append(want, fmt.Sprintf("%d %s", a, a.Name()))
	}
	for _, r := range readPage(t, accountingPage).rows(t, "Chart of accounts") {
		got = append(got, r[0]+" "+r[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("the page lists\n%s\ninstead of\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestPostingTable requires a row for every kind of entry that the domain creates, and no others.
func TestPostingTable(t *testing.T) {
	made := map[string]bool{}
	if err := eachGoFile(func(rel string, f *ast.File) {
		if strings.HasPrefix(filepath.ToSlash(rel), "internal/domain/") && !strings.HasSuffix(rel, "_test.go") {
			entryNames(f, made)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if len(made) < 10 {
		t.Fatalf("only %d kinds of entries found in the domain", len(made))
	}
	told := map[string]bool{}
	for _, r := range readPage(t, accountingPage).rows(t, "What is posted") {
		name := strings.Trim(r[0], "`")
		told[name] = true
		if !made[name] {
			t.Errorf("the domain makes no entry %s", name)
		}
	}
	for name := range made {
		if !told[name] {
			t.Errorf("entry %s has no row", name)
		}
	}
}

var entryName = regexp.MustCompile(`^[A-Z]+(_[A-Z]+)+$`)

// posters are the functions that take an entry's name.
var posters = []string{"entry", "post", "moneyEntry", "amountEntry", "rebook"}

// called returns the name of the function or method that is called.
func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// entryNames gathers the names of entries: arguments of a poster, values of a variable named
// event, constants named entry…, names in a rail's row, and results of functions named …As.
func entryNames(f *ast.File, made map[string]bool) {
	take := func(x ast.Expr) {
		if l, ok := x.(*ast.BasicLit); ok {
			if s, err := strconv.Unquote(l.Value); err == nil && entryName.MatchString(s) {
				made[s] = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if slices.ContainsFunc(posters, func(name string) bool { return strings.EqualFold(name, called(n)) }) {
				for _, x := range n.Args[:min(2, len(n.Args))] { // the draft may come first
					take(x)
				}
			}
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && id.Name == "event" && i < len(n.Rhs) {
					take(n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if strings.HasPrefix(strings.ToLower(id.Name), "entry") && i < len(n.Values) {
					take(n.Values[i])
				}
			}
		case *ast.KeyValueExpr: // a rail's row
			if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Back" {
				take(n.Value)
			}
		case *ast.FuncDecl:
			if strings.HasSuffix(n.Name.Name, "As") {
				results(n, take)
			}
		}
		return true
	})
}

// results takes what a function returns.
func results(f *ast.FuncDecl, take func(ast.Expr)) {
	ast.Inspect(f, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok {
			for _, x := range r.Results {
				take(x)
			}
		}
		return true
	})
}

func TestAccountingCanBeWrong(t *testing.T) {
	if squeeze("a   b\n") != squeeze("a b") || squeeze("a b 1.00") == squeeze("a b 1.01") {
		t.Error("entries are not compared")
	}
	if got := worked(t); !strings.Contains(got, "ORDER_CAPTURED") || got != worked(t) {
		t.Errorf("the example is not steady:\n%s", got)
	}
}
