package docstest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/verify"
)

// rulePages are where rules are defined: one row each, whose first cell is the number.
const rulePages = "docs/rules/"

// numbered is the row of a rule with its number.
type numbered struct {
	rule, page      string
	statement       string
	check           string
	files           []string
	cells           int
	onlyWhatIsProof bool // a row that says what verify checks for a rule on another page
}

var (
	ruleCell = regexp.MustCompile(`^[A-Z]{1,2}[0-9]{1,2}(?:\.[0-9]{1,2})?$`)
	linked   = regexp.MustCompile(`^\[([^\]]+)\]\([^)]+\)$`)
	// byVerify matches the passes named as a check: "verify: orders, credit lines".
	byVerify = regexp.MustCompile(`verify: ([a-z, ]+)`)
)

// ruleRows reads the rows of all pages of rules.
func ruleRows(t *testing.T) (rows []numbered) {
	t.Helper()
	for _, p := range pages(t) {
		if strings.HasPrefix(p.name, rulePages) {
			rows = append(rows, rowsOfRules(p)...)
		}
	}
	return rows
}

func rowsOfRules(p page) (rows []numbered) {
	for _, line := range p.prose() {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		c := cells(line)
		r := numbered{rule: c[0], page: p.name, cells: len(c)}
		if m := linked.FindStringSubmatch(c[0]); m != nil {
			r.rule, r.onlyWhatIsProof = m[1], true
		}
		if !ruleCell.MatchString(r.rule) {
			continue
		}
		if len(c) > 2 {
			r.statement, r.check = c[1], c[2]
		}
		if len(c) > 3 {
			for _, m := range codeSpan.FindAllStringSubmatch(c[3], -1) {
				r.files = append(r.files, m[1])
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// TestRowsOfRules checks each row for completeness, and compares the passes of verify named in
// rows with the existing ones.
func TestRowsOfRules(t *testing.T) {
	rows := ruleRows(t)
	if len(rows) < 200 {
		t.Fatalf("only %d rules found", len(rows))
	}
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.rule] && !r.onlyWhatIsProof {
			t.Errorf("%s: %s is defined twice", r.page, r.rule)
		}
		seen[r.rule] = seen[r.rule] || !r.onlyWhatIsProof
		for _, problem := range r.problems() {
			t.Error(problem)
		}
	}
	for _, problem := range passesTold(rows, verify.Passes()) {
		t.Error(problem)
	}
}

// problems returns what a row lacks.
func (r numbered) problems() (problems []string) {
	complain := func(format string, args ...any) {
		problems = append(problems, r.page+": "+r.rule+" "+fmt.Sprintf(format, args...))
	}
	want := 4
	if r.onlyWhatIsProof {
		want = 3
	}
	if r.cells != want {
		complain("has %d cells instead of %d", r.cells, want)
		return problems
	}
	if len(r.statement) < 20 {
		complain("states nothing")
	}
	if len(testNames(r.check)) == 0 && !byVerify.MatchString(r.check) && !strings.Contains(r.check, "before each write") {
		complain("names nothing that checks it")
	}
	if !r.onlyWhatIsProof && len(r.files) == 0 {
		complain("names no file that carries it out")
	}
	for _, name := range r.files {
		if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil || info.IsDir() {
			complain("names %s, which is no file", name)
		}
	}
	return problems
}

// passesTold compares the passes of verify named in rows with the existing ones.
func passesTold(rows []numbered, passes []verify.Pass) (problems []string) {
	told := map[string][]string{}
	for _, r := range rows {
		for _, m := range byVerify.FindAllStringSubmatch(r.check, -1) {
			for _, name := range strings.Split(m[1], ",") {
				name = strings.TrimSpace(name)
				told[r.rule] = append(told[r.rule], name)
				if !slices.ContainsFunc(passes, func(p verify.Pass) bool { return p.Name == name }) {
					problems = append(problems, fmt.Sprintf("%s: %s names %q, which is no pass of verify", r.page, r.rule, name))
				}
			}
		}
	}
	for _, p := range passes {
		for _, rule := range p.Invariants {
			if !slices.Contains(told[rule], p.Name) {
				problems = append(problems, fmt.Sprintf("verify's pass %s proves %s, and its row does not say so", p.Name, rule))
			}
		}
	}
	return problems
}

func TestRowsOfRulesCanBeWrong(t *testing.T) {
	p, why := parsePage("docs/rules/x.md", "| Rule | Statement | Check | Carried out in |\n|---|---|---|---|\n"+
		"| F1 | **Good.** All of it is there. | `docstest.TestLinks`; verify: entries, orders | `internal/proof/docstest/doc.go` |\n"+
		"| [F2](finance.md) | What verify holds of it. | verify: orders |\n"+
		"| F3 | Too little. | nobody | `internal/proof/docstest/gone.go` `internal/proof/docstest` |\n"+
		"| F4 | **No file** carries this one out. | before each write | somewhere |\n| F5 | A cell is missing here. | `docstest.TestLinks` |\n| word | x | y | z |\n")
	if why != "" {
		t.Fatal(why)
	}
	rows := rowsOfRules(p)
	var got []string
	for _, r := range rows {
		got = append(got, r.problems()...)
	}
	want := []string{
		"docs/rules/x.md: F3 states nothing", "docs/rules/x.md: F3 names nothing that checks it",
		"docs/rules/x.md: F3 names internal/proof/docstest/gone.go, which is no file", "docs/rules/x.md: F3 names internal/proof/docstest, which is no file",
		"docs/rules/x.md: F4 names no file that carries it out", "docs/rules/x.md: F5 has 3 cells instead of 4",
	}
	if !slices.Equal(got, want) {
		t.Errorf("problems %q, want %q", got, want)
	}
	passes := []verify.Pass{{Name: "entries", Invariants: []string{"F1", "F2"}}}
	got = passesTold(rows, passes)
	want = []string{
		`docs/rules/x.md: F1 names "orders", which is no pass of verify`, `docs/rules/x.md: F2 names "orders", which is no pass of verify`,
		"verify's pass entries proves F2, and its row does not say so",
	}
	if !slices.Equal(got, want) {
		t.Errorf("problems %q, want %q", got, want)
	}
}
