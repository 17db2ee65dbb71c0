// Package scorecard reads docs/scorecard.md: what people experience in Tenor, row by row,
// how well it works, and the tests that measure it.
//
//	Read    the rows of the page
//	Total   the sum of their scores
//
// The page is the only place that defines the score and the tests of a row: make ux
// runs those tests, and a test in docstest checks the page for plausibility.
package scorecard

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Scores of a row.
const (
	Absent    = 0
	Partial   = 1 // or manual, or broken on one path
	Works     = 2
	Automatic = 3 // works, is checked automatically, is documented
)

// Browser marks measures that need a browser.
const Browser = "Ⓑ"

// Row is one line of the table.
type Row struct {
	ID             string // a letter for its part, and a number
	Check, Measure string
	Weight, Score  int
	Tests          []Test
	Page           string // links to its documentation
	Missing        string // why it is not Automatic
}

// Test measures a row: a function of a package, whose path is from the root or below internal, as
// on every page.
type Test struct{ Package, Name string }

func (t Test) String() string { return t.Package + "." + t.Name }

// columns of the table, in their order.
const columns = 8

var (
	lineOfRow = regexp.MustCompile(`^\| ([A-Z][0-9]+) \|`)
	testName  = regexp.MustCompile("^`([a-z][a-z0-9/]*)\\.((?:Test|Fuzz)[A-Za-z0-9_]*)`$")
)

// Read parses the rows of a page. A bar always ends a cell, so that a line of awk can add up the
// scores.
func Read(page string) ([]Row, error) {
	var rows []Row
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if !lineOfRow.MatchString(line) {
			continue
		}
		r, err := readRow(line)
		if err != nil {
			return nil, fmt.Errorf("%.40s…: %w", line, err)
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("there is no row")
	}
	return rows, nil
}

func readRow(line string) (Row, error) {
	c := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
	if len(c) != columns {
		return Row{}, fmt.Errorf("it has %d cells, not %d", len(c), columns)
	}
	for i := range c {
		c[i] = strings.TrimSpace(c[i])
	}
	r := Row{ID: c[0], Check: c[1], Measure: c[2], Page: c[6], Missing: c[7]}
	var err error
	if r.Weight, err = between(c[3], 1, 3); err != nil {
		return Row{}, fmt.Errorf("weight: %w", err)
	}
	if r.Score, err = between(c[4], Absent, Automatic); err != nil {
		return Row{}, fmt.Errorf("score: %w", err)
	}
	for _, name := range strings.Fields(c[5]) {
		m := testName.FindStringSubmatch(name)
		if m == nil {
			return Row{}, fmt.Errorf("%s is not like `package.Test`", name)
		}
		r.Tests = append(r.Tests, Test{m[1], m[2]})
	}
	return r, nil
}

func between(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q is not from %d to %d", text, least, most)
	}
	return n, nil
}

// Total summarizes the rows for the last line of the page.
func Total(rows []Row) string {
	sum, most := 0, 0
	for _, r := range rows {
		sum += r.Score * r.Weight
		most += Automatic * r.Weight
	}
	return fmt.Sprintf("%d rows, %d of %d points, score %.1f%%", len(rows), sum, most, 100*float64(sum)/float64(max(most, 1)))
}
