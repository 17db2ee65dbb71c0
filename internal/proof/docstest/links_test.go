package docstest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeSpan = regexp.MustCompile("`([^`]+)`")
	// fileName matches a code span that can only be a file or folder of the repository.
	fileName = regexp.MustCompile(`^(\.ci|api|client|cmd|docs|internal)/[\w./*-]*$|^[\w-]+\.(md|mod|sum|go)$|^(Makefile|LICENSE)$`)
)

// TestLinks follows every link within the repository.
func TestLinks(t *testing.T) {
	for _, p := range pages(t) {
		for i, line := range p.prose() {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if why := broken(p, m[1]); why != "" {
					t.Errorf("%s:%d: link %s: %s", p.name, i+1, m[1], why)
				}
			}
		}
	}
}

// broken says why a link is broken, "" if it is valid or external.
func broken(p page, target string) string {
	if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
		return ""
	}
	file, anchor, _ := strings.Cut(target, "#")
	name := p.name
	if file != "" {
		name = path.Join(path.Dir(p.name), file)
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		if info, serr := os.Stat(filepath.Join(root, filepath.FromSlash(name))); serr == nil && info.IsDir() && anchor == "" {
			return ""
		}
		return "no such file"
	}
	if anchor == "" {
		return ""
	}
	other, _ := parsePage(name, string(text))
	for _, line := range other.prose() {
		if strings.HasPrefix(line, "#") && slug(line) == anchor {
			return ""
		}
	}
	return "no such heading"
}

var notInSlugs = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

// slug returns the anchor of a heading.
func slug(heading string) string {
	s := strings.ToLower(strings.TrimSpace(strings.TrimLeft(heading, "#")))
	return strings.ReplaceAll(notInSlugs.ReplaceAllString(s, ""), " ", "-")
}

// TestFileNames looks up every file named in a code span on a page.
func TestFileNames(t *testing.T) {
	for _, p := range pages(t) {
		for i, line := range p.prose() {
			for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
				if fileName.MatchString(m[1]) && len(testNames(m[0])) == 0 && !named(m[1]) {
					t.Errorf("%s:%d: there is no %s", p.name, i+1, m[1])
				}
			}
		}
	}
}

// named reports whether a file exists: relative to the root, or, for a bare Go file name,
// anywhere.
func named(name string) bool {
	patterns := []string{name}
	if strings.HasSuffix(name, ".go") && !strings.Contains(name, "/") {
		patterns = []string{"*/" + name, "*/*/" + name, "*/*/*/" + name, "*/*/*/*/" + name}
	}
	for _, pattern := range patterns {
		if found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern))); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

var makeTarget = regexp.MustCompile(`(?m)(?:^|` + "`" + `)make ([a-z]+)\b`)

// TestMakeTargets looks up every make target named on a page.
func TestMakeTargets(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, p := range pages(t) {
		for i, line := range p.lines {
			for _, m := range makeTarget.FindAllStringSubmatch(line, -1) {
				count++
				if !strings.Contains("\n"+string(text), "\n"+m[1]+":") {
					t.Errorf("%s:%d: make has no target %s", p.name, i+1, m[1])
				}
			}
		}
	}
	if count == 0 {
		t.Error("no page names make test")
	}
}

func TestLinksCanBreak(t *testing.T) {
	p, _ := parsePage("docs/x.md", "# One two\n")
	for target, want := range map[string]string{
		"../README.md":              "",
		"decisions.md":              "",
		"../internal/domain/credit": "",
		"https://example.test":      "",
		"gone.md":                   "no such file",
		"../README.md#gone":         "no such heading",
	} {
		if got := broken(p, target); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	if named("internal/gone/*.go") || named("gone.go") || !named("replay.go") || !named("internal/*/*/doc.go") {
		t.Error("file names are not looked up")
	}
	if s := slug("## Is it a fit?"); s != "is-it-a-fit" {
		t.Errorf("slug %q", s)
	}
}

// TestSayNothingOfTheWorkshop keeps the machines on which Tenor is made out of
// the repository.
func TestSayNothingOfTheWorkshop(t *testing.T) {
	forbidden := regexp.MustCompile(`/work/|/tmp/|/root/|/home/\w`)
	for _, p := range pages(t) {
		for i, line := range p.lines {
			if m := forbidden.FindString(line); m != "" {
				t.Errorf("%s:%d: a path of one machine: %s", p.name, i+1, m)
			}
		}
	}
}
