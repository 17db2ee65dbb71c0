package docstest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenor/internal/proof/scorecard"
)

// TestRules compares the book of rules with everything that cites it.
func TestRules(t *testing.T) {
	var cited []citation
	eachCited(t, func(file, text string) { cited = append(cited, citationsIn(file, text)...) })
	if len(cited) < 4000 {
		t.Fatalf("only %d citations found", len(cited))
	}
	for _, problem := range ruleProblems(ruleRows(t), cited, mutants(t)) {
		t.Error(problem)
	}
}

var mutantID = regexp.MustCompile(`id:\s+"(M[0-9]+)"`)

// mutants returns the numbers defined in package mutants.
func mutants(t *testing.T) (numbers []string) {
	t.Helper()
	for _, name := range []string{"table_test.go", "years_test.go"} {
		text, err := os.ReadFile(filepath.Join(root, "internal/proof/mutants", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mutantID.FindAllStringSubmatch(string(text), -1) {
			numbers = append(numbers, m[1])
		}
	}
	if len(numbers) < 40 {
		t.Fatalf("only %d mutants found", len(numbers))
	}
	return numbers
}

// ruleProblems returns what is wrong: a citation of an unknown rule, a rule that is never cited,
// a number with two meanings.
func ruleProblems(rows []numbered, cited []citation, elsewhere []string) (problems []string) {
	defined, used := map[string]bool{}, map[string]bool{}
	for _, r := range rows {
		if !r.onlyWhatIsProof {
			defined[r.rule] = true
			if slices.Contains(elsewhere, r.rule) {
				problems = append(problems, fmt.Sprintf("%s: %s is a mutant of package mutants, too", r.page, r.rule))
			}
		}
	}
	for _, c := range cited {
		if !defined[c.rule] && !slices.Contains(elsewhere, c.rule) {
			problems = append(problems, fmt.Sprintf("%s:%d: cites %s, which has no row in %s", c.file, c.line, c.rule, rulePages))
		}
		if !strings.HasPrefix(c.file, rulePages) {
			used[c.rule] = true
		}
	}
	for _, r := range rows {
		if !used[r.rule] {
			problems = append(problems, fmt.Sprintf("%s: nothing cites %s: its row can go", r.page, r.rule))
		}
	}
	return problems
}

// rowCited matches a row of the scorecard, or an ACH return code written with one digit, which
// looks like a former rule of the engine.
var (
	rowCited   = regexp.MustCompile(rowOfScorecard + `([A-Z][0-9]+)\b`)
	formerRule = regexp.MustCompile(`\bR[1-9]\b`)
)

// TestRowsOfTheScorecardThatAreCited looks up the rows named in comments.
func TestRowsOfTheScorecardThatAreCited(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/scorecard.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := scorecard.Read(string(text))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	eachCited(t, func(file, text string) {
		if filepath.Ext(file) != ".go" {
			return
		}
		eachGoText(text, func(line int, comment bool, words string) {
			if !comment {
				return
			}
			if m := formerRule.FindString(words); m != "" {
				t.Errorf("%s:%d: %s is no return code, and the engine's rules are EN", file, line, m)
			}
			for _, m := range rowCited.FindAllStringSubmatch(words, -1) {
				count++
				if !slices.ContainsFunc(rows, func(r scorecard.Row) bool { return r.ID == m[1] }) {
					t.Errorf("%s:%d: the scorecard has no row %s", file, line, m[1])
				}
			}
		})
	})
	if count == 0 {
		t.Error("no comment cites a row of the scorecard")
	}
}

func TestRulesCanBeWrong(t *testing.T) {
	rows := []numbered{
		{rule: "F1", page: "docs/rules/x.md"}, {rule: "F2", page: "docs/rules/x.md"}, {rule: "M1", page: "docs/rules/x.md"},
		{rule: "F3", page: "docs/rules/y.md", onlyWhatIsProof: true},
	}
	cited := []citation{{"F1", "a.go", 1}, {"F2", "docs/rules/x.md", 2}, {"F3", "b.sql", 3}, {"M1", "a.go", 4}, {"M2", "a.go", 5}, {"M3", "a.go", 6}}
	want := []string{
		"docs/rules/x.md: M1 is a mutant of package mutants, too",
		"b.sql:3: cites F3, which has no row in docs/rules/", "a.go:6: cites M3, which has no row in docs/rules/",
		"docs/rules/x.md: nothing cites F2: its row can go",
	}
	if got := ruleProblems(rows, cited, []string{"M1", "M2"}); !slices.Equal(got, want) {
		t.Errorf("problems %q, want %q", got, want)
	}
}

// What counts as a citation where, and what only looks like one.
func TestCitations(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a.go", "// F9: prepayments (F41.8, EN5), and T17.\npackage a", "F9 F41.8 EN5 T17"},
		{"a.go", "// F1–F3, T14 to T16; EV2–EV4 and F40.1–3", "F1 F2 F3 T14 T15 T16 EV2 EV3 EV4 F40.1"},
		{"a.go", "/* LG3\n   A31 */", "LG3 A31"},
		{"a.go", "// R01, C02, W1, p99, M0, A0, RS03, F00, M3.4, US-F1, T10:00, 0xF1, %F0, /F1, #F2, F3=, aF4, F5x", ""},
		{"a.go", "// scorecard A1 and A31", "A31"},
		{"a.go", "x, y := \"F7, odd days\", `LG3 AU1`", "F7 LG3 AU1"},
		{"a.go", `x := []string{"A16", "M2, M3", "answers go to another (M4)", "order A1", "T1", "P2", "R10", "\xF1"}`, "A16 M2 M3 M4"},
		{"a.go", "var F9 = A31 // no comment", ""},
		{"a.md", "F9 and `F8` of [F7](F6.md), (P3)\n```text\nF5\n```\n| EN4 | x |", "F9 F7 P3 EN4"},
		{"a.sql", "SELECT 'F9' -- F10, R16, ID3", "F10 ID3 EN16"},
		{"a.txt", "# F23: after R11, order A1\ncapture A1\nF9", "F23"},
		{"a.json", "F9", ""},
	} {
		var got []string
		for _, x := range citationsIn(c.file, c.text) {
			got = append(got, x.rule)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %q cites %q, want %q", c.file, c.text, got, c.want)
		}
	}
	if found := citationsIn("a.go", "package a\n\n/* one\n two (F9) */"); len(found) != 1 || found[0].line != 4 {
		t.Errorf("found %+v", found)
	}
}

var pageName = regexp.MustCompile(`[\w./-]+\.md\b`)

// TestPagesThatCommentsName looks up every page named in a Go comment: relative to the root, to
// docs, or to the file.
func TestPagesThatCommentsName(t *testing.T) {
	count := 0
	eachCited(t, func(file, text string) {
		if filepath.Ext(file) != ".go" {
			return
		}
		eachGoText(text, func(line int, comment bool, words string) {
			if !comment || strings.HasPrefix(words, "go:") {
				return
			}
			for _, name := range pageName.FindAllString(words, -1) {
				count++
				if !slices.ContainsFunc([]string{"", "docs", filepath.Dir(file)}, func(in string) bool {
					_, err := os.Stat(filepath.Join(root, in, filepath.FromSlash(name)))
					return err == nil
				}) {
					t.Errorf("%s:%d: there is no page %s", file, line, name)
				}
			}
		})
	})
	if count < 20 {
		t.Errorf("comments name %d pages: too few to be all", count)
	}
}
