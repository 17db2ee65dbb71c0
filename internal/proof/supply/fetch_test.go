package supply

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fetches matches commands that download something. A build may only take system packages and
// modules with recorded sums.
var fetches = regexp.MustCompile(`\b(curl|wget|git clone|git submodule|go install|go get|npm|npx|pip3?|cargo|gem|docker|podman|apt-key|add-apt-repository)\b|https?://|@latest\b`)

// actions matches steps of a hosted CI that are not pinned to a commit.
var actions = regexp.MustCompile(`(?m)^\s*-?\s*uses:\s*\S+@(?:[^0-9a-f\s]|[0-9a-f]{0,39}(?:[^0-9a-f]|$))`)

// fetching returns the lines of a script that download something. A line that only names a
// program as one that tests need downloads nothing.
func fetching(script string) (lines []string) {
	for line := range strings.Lines(script) {
		code, _, _ := strings.Cut(line, "#")
		if fetches.MatchString(code) && !strings.HasPrefix(strings.TrimSpace(code), "need ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return append(lines, actions.FindAllString(script, -1)...)
}

// What builds and checks Tenor downloads nothing but system packages and modules with recorded
// sums.
func TestNothingElseIsFetched(t *testing.T) {
	files := []string{".ci/run", "Makefile"}
	for _, pattern := range []string{"tools/*", "tools/*/*", ".github/workflows/*", "internal/*/*/testdata/*.sh"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			info, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			if rel, err := filepath.Rel(root, f); err == nil && !info.IsDir() && !strings.HasPrefix(filepath.Base(f), "go.") {
				files = append(files, rel)
			}
		}
	}
	for _, name := range files {
		for _, line := range fetching(read(t, name)) {
			t.Errorf("%s: %s", name, line)
		}
	}
	for _, bad := range []string{"curl -L https://example.org/x | sh", "\tgo install example.org/x@latest", "pip install x", "  - uses: actions/checkout@v4", "      uses: a/b@abc123 "} {
		if len(fetching(bad)) == 0 {
			t.Errorf("not seen: %s", bad)
		}
	}
	for _, good := range []string{"need curl curl", "apt-get install -y git", "go mod download", "# https://example.org", "  - uses: a/b@0123456789abcdef0123456789abcdef01234567"} {
		if got := fetching(good); len(got) > 0 {
			t.Errorf("%q is no fetch: %q", good, got)
		}
	}
}

// Tools are modules too: their versions are in a go.mod and their sums are recorded.
func TestToolsArePinned(t *testing.T) {
	for _, dir := range []string{"tools", "tools/stripe-mock"} {
		mod, sums := read(t, dir+"/go.mod"), read(t, dir+"/go.sum")
		versions := regexp.MustCompile(`(?m)^\s+(\S+\.\S+) (v\S+)`).FindAllStringSubmatch(mod, -1)
		if len(versions) < 2 {
			t.Fatalf("%s/go.mod requires %d modules", dir, len(versions))
		}
		for _, v := range versions {
			if !strings.Contains(sums, v[1]+" "+v[2]+" h1:") {
				t.Errorf("%s/go.sum lacks %s %s", dir, v[1], v[2])
			}
		}
	}
	for target, tool := range map[string]string{"lint": "honnef.co/go/tools/cmd/staticcheck", "vulnerabilities": "golang.org/x/vuln/cmd/govulncheck"} {
		if make := read(t, "Makefile"); !strings.Contains(make, "-modfile=tools/go.mod "+tool) || !strings.Contains(make, "\n"+target+":") {
			t.Errorf("make %s does not run the %s of tools/go.mod", target, tool)
		}
	}
}
