package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"tenor/internal/proof/scorecard"
	"tenor/internal/proof/suite"
)

// A row's verdict: the outcome of its tests.
const (
	pass = "pass"
	skip = "skip" // something that a test needs is missing
	fail = "fail"
	none = "none" // no test measures it
)

// outcome is the result of a finished test, including its subtests.
type outcome struct {
	failed bool
	lacks  string // why part of it did not run here
}

// note stores the outcome of a test or a subtest under the test.
func (r *report) note(pack, test string, got outcome) {
	name, _, _ := strings.Cut(test, "/")
	name = strings.TrimPrefix(pack, "tenor/") + "." + name
	old := r.outcomes[name]
	r.outcomes[name] = outcome{old.failed || got.failed, cmp.Or(old.lacks, got.lacks)}
}

// chosen returns the named rows: one row, or a part by its letter, or all.
func chosen(rows []scorecard.Row, name string) ([]scorecard.Row, error) {
	var out []scorecard.Row
	for _, r := range rows {
		if name == "" || r.ID == name || r.ID[:1] == name {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the scorecard has no row %s", name)
	}
	return out, nil
}

// measure runs the tests of rows of a page, prints the outcome of each row, and reports whether
// all went well. Each package is tested once.
func (r *report) measure(page, name string, args []string) (bool, error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return false, err
	}
	rows, err := scorecard.Read(string(text))
	if err != nil {
		return false, fmt.Errorf("%s: %w", page, err)
	}
	if rows, err = chosen(rows, name); err != nil {
		return false, err
	}
	plan := planned(rows)
	for i, pack := range slices.Sorted(maps.Keys(plan)) {
		tests := plan[pack]
		r.print(fmt.Sprintf("== package %d of %d: %s, %d tests", i+1, len(plan), pack, len(tests)))
		if err := r.test(append(slices.Clone(args), "-run", `^(`+strings.Join(tests, "|")+`)$`, "./"+pack)); err != nil {
			return false, err
		}
	}
	for _, line := range r.table(rows) {
		r.print(line)
	}
	good := !r.failed
	for _, row := range rows {
		v, _ := r.verdict(row)
		good = good && v != fail && (v != none || len(rows) > 1) // a row requested alone has to pass
	}
	return good, nil
}

// planned returns the tests of rows by the directory of their package, each once.
func planned(rows []scorecard.Row) map[string][]string {
	plan := map[string][]string{}
	for _, row := range rows {
		for _, t := range row.Tests {
			in := folder(t.Package)
			if name := regexp.QuoteMeta(t.Name); !slices.Contains(plan[in], name) {
				plan[in] = append(plan[in], name)
			}
		}
	}
	return plan
}

// folder returns the directory of the package with a short name.
func folder(pack string) string { return suite.Folder(".", pack) }

// verdict returns the outcome of a row, and why.
func (r *report) verdict(row scorecard.Row) (verdict, why string) {
	verdict = pass
	if len(row.Tests) == 0 {
		return none, ""
	}
	for _, t := range row.Tests {
		o, ran := r.outcomes[folder(t.Package)+"."+t.Name]
		switch {
		case !ran:
			return fail, t.String() + " has not run to its end"
		case o.failed:
			return fail, t.String()
		case o.lacks != "":
			verdict, why = skip, o.lacks
		}
	}
	return verdict, why
}

// table prints for each row what it is worth today: a row that fails is broken, and one that
// could not be checked here is not known to be Automatic.
func (r *report) table(rows []scorecard.Row) []string {
	out := []string{"", "ROW  W  SCORE  MEASURED"}
	held := slices.Clone(rows)
	for i, row := range rows {
		verdict, why := r.verdict(row)
		switch verdict {
		case fail:
			held[i].Score = min(row.Score, scorecard.Partial)
		case skip:
			held[i].Score = min(row.Score, scorecard.Works)
		}
		text := verdict
		if why != "" {
			text += ": " + why
		}
		if row.Missing != "" {
			text += " (missing: " + row.Missing + ")"
		}
		out = append(out, fmt.Sprintf("%-3s  %d  %-5d  %s", row.ID, row.Weight, held[i].Score, text))
	}
	out = append(out, "", scorecard.Total(held))
	if written := scorecard.Total(rows); written != scorecard.Total(held) {
		out = append(out, "The page says: "+written)
	}
	return out
}
