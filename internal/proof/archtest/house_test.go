package archtest

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// check is one rule about the code of a package.
type check struct {
	name string
	run  func(*reporter)
}

// checks are the rules that are checked package by package.
var checks = []check{
	{"imports", checkImports},
	{"names", checkNames},
	{"pure-imports", checkPureImports},
	{"pure-calls", checkPureCalls},
	{"pure-types", checkPureTypes},
	{"comments", checkComments},
	{"size", checkSize},
	{"state", checkState},
	{"calls", checkCalls},
	{"sql", checkSQL},
}

func TestHouse(t *testing.T) {
	used, ran := map[exception]bool{}, 0
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			ran++
			for _, p := range packages(t) {
				r := &reporter{p: p}
				c.run(r)
				for _, f := range r.found {
					if e, ok := excused(c.name, f); ok {
						used[e] = true
						continue
					}
					t.Error(f)
				}
			}
		})
	}
	if ran == len(checks) { // and not only those selected by -run
		for _, e := range exceptions {
			if !used[e] {
				t.Errorf("the exception %s %s is no longer needed: take it out", e.check, e.where)
			}
		}
	}
}

// excused finds the exception that covers a finding.
func excused(check string, f finding) (exception, bool) {
	for _, e := range exceptions {
		if e.check == check && (e.where == f.file || e.where == f.file+"#"+f.subject) {
			return e, true
		}
	}
	return exception{}, false
}

func TestExceptionsHaveReasons(t *testing.T) {
	for _, e := range exceptions {
		if len(e.why) < 20 {
			t.Errorf("the exception %s %s needs a reason, not %q", e.check, e.where, e.why)
		}
		if !slices.ContainsFunc(checks, func(c check) bool { return c.name == e.check }) {
			t.Errorf("the exception %s %s belongs to no check", e.check, e.where)
		}
	}
}

var (
	wantComment = regexp.MustCompile(`// want(?: in (\d))?: (.+)$`) // in n: n lines below

	roomComment = regexp.MustCompile(`(?m)^//archtest:room (\S+)$`)
)

// Every check finds exactly what its fixtures say.
func TestChecksCanFail(t *testing.T) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			dirs, err := filepath.Glob("testdata/" + c.name + "/*")
			if err != nil || len(dirs) == 0 {
				t.Fatalf("no fixtures: %v", err)
			}
			wanted := 0
			for _, dir := range dirs {
				wanted += compareFixture(t, c, dir)
			}
			if wanted == 0 {
				t.Error("no fixture breaks the rule")
			}
		})
	}
}

// compareFixture runs a check on one fixture package and returns how many
// findings it wants.
func compareFixture(t *testing.T, c check, dir string) int {
	t.Helper()
	all, err := readTree(dir)
	if err != nil || len(all) != 1 {
		t.Fatalf("%s: %d packages, %v", dir, len(all), err)
	}
	p, want := all[0], map[string]string{}
	for _, f := range p.files {
		for _, group := range f.syntax.Comments {
			for _, comment := range group.List {
				if m := roomComment.FindStringSubmatch(comment.Text); m != nil {
					p.path = m[1]
				}
				if m := wantComment.FindStringSubmatch(comment.Text); m != nil {
					below, _ := strconv.Atoi(m[1])
					want[fmt.Sprintf("%s:%d", f.name, p.fset.Position(comment.Pos()).Line+below)] = m[2]
				}
			}
		}
	}
	r := &reporter{p: p}
	c.run(r)
	seen := map[string]bool{}
	for _, f := range r.found {
		at := fmt.Sprintf("%s:%d", f.file, f.line)
		seen[at] = true
		if text, ok := want[at]; !ok || !strings.Contains(f.text, text) {
			t.Errorf("%s: found %q, want %q", dir, f, text)
		}
	}
	for at, text := range want {
		if !seen[at] {
			t.Errorf("%s: %s: nothing found, want %q", dir, at, text)
		}
	}
	return len(want)
}
