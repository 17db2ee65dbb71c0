package contracttest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/rest"
)

// atTheEdge are the codes returned neither to a request of the walk nor by a story of the domain,
// each with the test that gets it: a file below internal, and a function in it that names the
// code.
var atTheEdge = map[string][2]string{
	"malformed_csv":         {"httpapi/reconciliations_test.go", "TestBadListsAreRefused"},
	"mail_unavailable":      {"httpapi/checkouts_test.go", "TestCheckoutInLiveMode"},
	"clock_moving":          {"httpapi/sandbox_test.go", "TestSandboxControls"},
	"snapshots_unavailable": {"httpapi/sandbox_copies_test.go", "TestSandboxCopies"},
}

// codes compares the codes in the source with those that tests get: the requests of this walk,
// the stories of the domain, whose refusals the edge returns unchanged, and what atTheEdge names.
// Every code has its page, as the portal's own test requires (TestEveryCodeIsTold).
func (c *contract) codes(t *testing.T) {
	t.Helper()
	got := map[string]bool{}
	for name := range c.seen { // unordered: into a set
		if f := strings.Fields(name); len(f) == 3 {
			got[f[2]] = true
		}
	}
	for _, problem := range codeGaps(httpapi.Codes(), credit.Reasons(), got, refusals(t), atTheEdge) {
		t.Error(problem)
	}
}

// codeGaps returns the codes that no test gets, and the entries of named that are unnecessary or
// whose test does not exist. told are the refusals in the stories, as status and code.
func codeGaps(codes []rest.Code, reasons []credit.Reason, got, told map[string]bool, named map[string][2]string) (problems []string) {
	for _, x := range codes {
		decided := slices.ContainsFunc(reasons, func(r credit.Reason) bool { return r.Code == x.Name && r.Status == x.Status })
		returned := got[x.Name] || decided && told[fmt.Sprint(x.Status, " ", x.Name)]
		test, ok := named[x.Name]
		switch {
		case returned && ok:
			problems = append(problems, x.Name+" is returned: take it from the list")
		case !returned && !ok:
			problems = append(problems, x.Name+": no test returns it")
		case ok && !names(filepath.Join("../../edge", test[0]), test[1], x.Name):
			problems = append(problems, fmt.Sprintf("%s: %s of %s does not name it", x.Name, test[1], test[0]))
		}
	}
	for name := range named { // unordered: it is empty
		if !slices.ContainsFunc(codes, func(x rest.Code) bool { return x.Name == name }) {
			problems = append(problems, name+" is no code")
		}
	}
	return problems
}

var refusedLine = regexp.MustCompile(`(?m)^refused: (\d{3} [a-z_]+)\. `)

// refusals returns the refusals in the stories of the domain, as checked by credit.TestStories.
func refusals(t *testing.T) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob("../../domain/credit/testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no stories", err)
	}
	told := map[string]bool{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range refusedLine.FindAllStringSubmatch(string(text), -1) {
			told[m[1]] = true
		}
	}
	return told
}

// names reports whether a test function has a text among its literals.
func names(path, test, text string) (found bool) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == test {
			ast.Inspect(fn, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					value, err := strconv.Unquote(l.Value)
					found = found || err == nil && value == text
				}
				return true
			})
		}
	}
	return found
}

func TestCodeGaps(t *testing.T) {
	codes := []rest.Code{{Name: "walked", Status: 400}, {Name: "told", Status: 409}, {Name: "told_otherwise", Status: 422}, {Name: "only_told", Status: 409},
		{Name: "listed", Status: 409}, {Name: "listed_wrongly", Status: 409}, {Name: "never", Status: 409}, {Name: "mail_unavailable", Status: 503}}
	reasons := []credit.Reason{{Code: "told", Status: 409}, {Code: "told_otherwise", Status: 422}}
	gaps := codeGaps(codes, reasons, map[string]bool{"walked": true, "listed": true}, map[string]bool{"409 told": true, "409 told_otherwise": true, "409 only_told": true}, map[string][2]string{
		"listed": {"httpapi/checkouts_test.go", "TestCheckoutInLiveMode"}, "listed_wrongly": {"httpapi/checkouts_test.go", "TestCheckoutInLiveMode"},
		"mail_unavailable": {"httpapi/checkouts_test.go", "TestCheckoutInLiveMode"}, "gone": {"httpapi/none_test.go", "TestNone"},
	})
	want := []string{
		"told_otherwise: no test returns it", "only_told: no test returns it", "listed is returned: take it from the list",
		"listed_wrongly: TestCheckoutInLiveMode of httpapi/checkouts_test.go does not name it", "never: no test returns it", "gone is no code",
	}
	if !slices.Equal(gaps, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(gaps, "\n"), strings.Join(want, "\n"))
	}
}
