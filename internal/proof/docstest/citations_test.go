package docstest

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// citation is the number of a rule in a text.
type citation struct {
	rule string // such as F41.8
	file string // relative to the root, with slashes
	line int    // from 1
}

// Families of rules, by the texts that cite them. In a string of a program a single letter and a
// number can be anything, so only whole strings, and what is in parentheses, count there.
const (
	invariants = "MN LG OR CL SC PA RF CA PO TM EV ID AU RC RS ST"
	inWords    = "F P EN T M A " + invariants // comments and pages
	inTexts    = "F " + invariants            // strings of a program, and stories, where orders are called A1
	wholeTexts = "A M"
	inBrackets = "P EN T M A"
)

const listOfRules = `[A-Z]{1,2}[1-9][0-9]?(?:[ ,]+[A-Z]{1,2}[1-9][0-9]?)*`

var (
	// ruleNumber matches a possible number; numbersIn checks its surroundings.
	ruleNumber = regexp.MustCompile(`([A-Z]{1,2})(0|[1-9][0-9]?)(?:\.([1-9][0-9]?))?`)
	// wholeList matches a text that consists only of rule numbers, bracketed one in parentheses.
	wholeList = regexp.MustCompile(`^` + listOfRules + `$`)
	bracketed = regexp.MustCompile(`\(` + listOfRules + `\)`)
	// upTo separates two numbers that stand for all in between.
	upTo = regexp.MustCompile(`^(–| to )$`)
)

// rowOfScorecard precedes a number that is a row of docs/scorecard.md.
const rowOfScorecard = "scorecard "

// numbersIn finds the rules of some families that a text cites.
func numbersIn(text, families string) (rules []string) {
	known := strings.Fields(families)
	before, end := "", 0 // the previous citation, and where it ends
	for _, m := range ruleNumber.FindAllStringSubmatchIndex(text, -1) {
		family, rule := text[m[2]:m[3]], text[m[0]:m[1]]
		if !slices.Contains(known, family) || !standsAlone(text, m[0], m[1]) || m[6] >= 0 && family != "F" || family != "F" && text[m[4]] == '0' {
			continue
		}
		if before != "" && upTo.MatchString(text[end:m[0]]) {
			rules = append(rules, between(before, rule)...)
		}
		before, end = rule, m[1]
		rules = append(rules, rule)
	}
	return rules
}

// standsAlone reports whether a piece of a text is a word of its own, and not part of an address,
// a path, a time, a decimal or an escape.
func standsAlone(text string, from, to int) bool {
	ahead, behind := text[:from], text[to:]
	if strings.HasSuffix(ahead, rowOfScorecard) || endsIn(ahead, `[\pL\pN_/#%.\-=+$\\:]`) {
		return false
	}
	return !beginsWith(behind, `[\pL\pN_/%=]|[:.\-]\w`)
}

func endsIn(text, pattern string) bool { return regexp.MustCompile(pattern + `$`).MatchString(text) }
func beginsWith(text, pattern string) bool {
	return regexp.MustCompile(`^(?:` + pattern + `)`).MatchString(text)
}

// between lists the numbers between two of the same family.
func between(first, last string) (rules []string) {
	family := strings.TrimRight(first, "0123456789.")
	a, err := strconv.Atoi(first[len(family):])
	if err != nil || !strings.HasPrefix(last, family) {
		return nil
	}
	b, err := strconv.Atoi(last[len(family):])
	if err != nil {
		return nil
	}
	for n := a + 1; n < b; n++ {
		rules = append(rules, family+strconv.Itoa(n))
	}
	return rules
}

// citationsIn finds the citations in a file of a known kind; nil for others.
func citationsIn(file, text string) (found []citation) {
	add := func(line int, rules []string) {
		for _, r := range rules {
			found = append(found, citation{r, file, line})
		}
	}
	switch filepath.Ext(file) {
	case ".go":
		eachGoText(text, func(line int, comment bool, words string) {
			if comment {
				add(line, numbersIn(words, inWords))
				return
			}
			add(line, numbersIn(words, inTexts))
			if wholeList.MatchString(words) {
				add(line, numbersIn(words, wholeTexts))
			}
			for _, list := range bracketed.FindAllString(words, -1) {
				add(line, numbersIn(list, inBrackets))
			}
		})
	case ".md":
		p, _ := parsePage(file, text)
		for i, line := range p.prose() {
			add(i+1, numbersIn(codeSpan.ReplaceAllString(link.ReplaceAllString(line, "]"), "·"), inWords))
		}
	case ".sql":
		for i, line := range strings.Split(text, "\n") {
			_, comment, _ := strings.Cut(line, "--")
			add(i+1, numbersIn(comment, inWords))
			for _, r := range numbersIn(comment, "R") { // the engine's rules in migrations, which are never edited
				add(i+1, []string{"EN" + r[1:]})
			}
		}
	case ".txt":
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "#") {
				add(i+1, numbersIn(line[1:], inTexts))
			}
		}
	}
	return found
}

// eachGoText calls fn with the comments and the strings of a Go file, line by line.
func eachGoText(src string, fn func(line int, comment bool, words string)) {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return
		}
		at := file.Line(pos)
		switch tok {
		case token.COMMENT:
			for i, line := range strings.Split(lit, "\n") {
				fn(at+i, true, strings.TrimPrefix(line, "//"))
			}
		case token.STRING:
			if words, err := strconv.Unquote(lit); err == nil {
				fn(at, false, words)
			}
		}
	}
}

// theirOwn are files with numbers that are not rules.
var theirOwn = []string{
	"docs/scorecard.md", "internal/proof/scorecard/", "internal/proof/testrun/", "internal/proof/docstest/", // rows of the scorecard, and examples of this check
	"internal/proof/contracttest/testdata/", "internal/proof/mutants/table_test.go", "internal/proof/mutants/years_test.go", // the second defines each M
}

// eachCited calls fn with every file that can cite a rule.
func eachCited(t *testing.T, fn func(file, text string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if name != root && strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".md", ".sql", ".txt"}, filepath.Ext(rel)) || slices.ContainsFunc(theirOwn, func(p string) bool { return strings.HasPrefix(rel, p) }) {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fn(rel, string(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
