package docstest

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"tenor/internal/proof/scorecard"
	"tenor/internal/proof/suite"
)

const (
	scorecardPage = "docs/scorecard.md"
	mostPoints    = 477 // of all rows
)

// TestScorecard checks that the scorecard page has all rows, and no impossible claims.
func TestScorecard(t *testing.T) {
	text := strings.Join(readPage(t, scorecardPage).lines, "\n")
	rows, err := scorecard.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	weights := scorecardWeights(t)
	for _, why := range scorecardProblems(t, rows, weights) {
		t.Error(why)
	}
	if want := "\n## Total\n\n" + scorecard.Total(rows) + "\n"; !strings.HasSuffix(text, want) {
		t.Errorf("the page does not end with %q", want)
	}
}

// scorecardWeights returns the required rows, as "A1 2".
func scorecardWeights(t *testing.T) (rows []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/scorecard.txt")
	if err != nil {
		t.Fatal(err)
	}
	points := 0
	for line := range strings.Lines(string(text)) {
		part, weights, _ := strings.Cut(strings.TrimSpace(line), " ")
		if part == "#" {
			continue
		}
		for i, w := range strings.Fields(weights) {
			rows = append(rows, fmt.Sprintf("%s%d %s", part, i+1, w))
			points += scorecard.Automatic * int(w[0]-'0')
		}
	}
	if points != mostPoints {
		t.Fatalf("the rows come to %d points, not %d", points, mostPoints)
	}
	return rows
}

// scorecardProblems returns what is wrong with rows.
func scorecardProblems(t *testing.T, rows []scorecard.Row, weights []string) (bad []string) {
	t.Helper()
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%s %d", r.ID, r.Weight))
		say := func(format string, args ...any) { bad = append(bad, r.ID+": "+fmt.Sprintf(format, args...)) }
		browser := false
		for _, x := range r.Tests {
			if !exists(t, x.String()) {
				say("there is no test %s", x)
			}
			browser = browser || needsBrowser(t, x)
		}
		switch documented := link.MatchString(r.Page); {
		case r.Score == scorecard.Absent && len(r.Tests) > 0:
			say("nothing is there, and tests measure it")
		case r.Score == scorecard.Automatic && (len(r.Tests) == 0 || !documented):
			say("a 3 needs a test and a page")
		case r.Score == scorecard.Automatic && r.Missing != "":
			say("a 3 lacks nothing")
		case r.Score < scorecard.Automatic && r.Missing == "":
			say("it does not say why it is no 3")
		case r.Score == scorecard.Automatic && strings.Contains(r.Measure, scorecard.Browser) && !browser:
			say("a 3 needs a test in a browser")
		}
	}
	if !slices.Equal(got, weights) {
		bad = append(bad, fmt.Sprintf("rows and weights are %q instead of %q", got, weights))
	}
	return bad
}

// inBrowser are the functions in files that drive a browser, by package.
var inBrowser = sync.OnceValues(func() (map[string]bool, error) {
	found := map[string]bool{}
	err := eachGoFile(func(rel string, f *ast.File) {
		if !slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"tenor/internal/proof/browsertest"` }) {
			return
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				found[suite.Short(filepath.Dir(rel))+"."+fn.Name.Name] = true
			}
		}
	})
	return found, err
})

func needsBrowser(t *testing.T, x scorecard.Test) bool {
	t.Helper()
	all, err := inBrowser()
	if err != nil {
		t.Fatal(err)
	}
	return all[x.String()]
}

func TestScorecardCanBeWrong(t *testing.T) {
	real := []scorecard.Test{{Package: "docstest", Name: "TestScorecard"}}
	const page = "[README](../README.md)"
	for want, r := range map[string]scorecard.Row{
		"there is no test docstest.TestGone":            {Score: 3, Tests: []scorecard.Test{{Package: "docstest", Name: "TestGone"}}, Page: page},
		"nothing is there, and tests measure it":        {Score: 0, Tests: real, Missing: "all"},
		"a 3 needs a test and a page":                   {Score: 3, Tests: real, Page: "somewhere"},
		"A1: a 3 needs a test and a page":               {Score: 3, Page: page},
		"a 3 lacks nothing":                             {Score: 3, Tests: real, Page: page, Missing: "half"},
		"it does not say why it is no 3":                {Score: 2, Tests: real, Page: page},
		"a 3 needs a test in a browser":                 {Score: 3, Tests: real, Page: page, Measure: "Ⓑ a trace"},
		`rows and weights are ["A1 2"] instead of ["A1`: {Weight: 2, Score: 3, Tests: real, Page: page},
	} {
		r.ID = "A1"
		if r.Weight == 0 {
			r.Weight = 3
		}
		if got := scorecardProblems(t, []scorecard.Row{r}, []string{"A1 3"}); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%q instead of %q", got, want)
		}
	}
	if x := (scorecard.Test{Package: "pagetest", Name: "TestBuyerInABrowser"}); !needsBrowser(t, x) {
		t.Errorf("%s needs no browser", x)
	}
}
