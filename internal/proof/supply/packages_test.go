package supply

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// manifest lists the npm packages from which the pages' stylesheet is made. A build fetches none
// of them: the result is in the repository.
type manifest struct {
	Dependencies    map[string]string
	DevDependencies map[string]string
}

// packages returns the manifest of the pages' design.
func packages(t *testing.T) manifest {
	t.Helper()
	var m manifest
	if err := json.Unmarshal([]byte(read(t, "internal/ui/design/src/package.json")), &m); err != nil {
		t.Fatal(err)
	}
	if len(m.Dependencies) < 2 || len(m.DevDependencies) < 1 {
		t.Fatalf("only %d and %d packages", len(m.Dependencies), len(m.DevDependencies))
	}
	return m
}

// exact matches a version, not a range of versions.
var exact = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)

// lockProblems lists what in a lock file could let something else in: a package without a content
// hash, one from a URL, one that runs a script when installed.
func lockProblems(lock string) (problems []string) {
	var l struct {
		Packages map[string]struct {
			Version, Resolved, Integrity string
			InBundle                     bool // its hash is that of the package that bundles it
		}
	}
	if err := json.Unmarshal([]byte(lock), &l); err != nil {
		return []string{err.Error()}
	}
	for at, p := range l.Packages {
		switch {
		case at == "":
		case p.Resolved != "":
			problems = append(problems, fmt.Sprintf("%s is taken from %s", at, p.Resolved))
		case !p.InBundle && !strings.HasPrefix(p.Integrity, "sha512-"):
			problems = append(problems, at+" has no sum")
		case !exact.MatchString(p.Version):
			problems = append(problems, at+" has the version "+p.Version)
		}
	}
	return problems
}

// Packages are pinned as modules are: each has one version and a content hash, and none of them
// runs a script when it is installed.
func TestPackagesArePinned(t *testing.T) {
	m, lock := packages(t), read(t, "internal/ui/design/src/package-lock.json")
	for _, list := range []map[string]string{m.Dependencies, m.DevDependencies} {
		for name, version := range list {
			if !exact.MatchString(version) || !strings.Contains(lock, `"node_modules/`+name+`": {`) {
				t.Errorf("%s %s is not pinned", name, version)
			}
		}
	}
	for _, p := range lockProblems(lock) {
		t.Error(p)
	}
	if !strings.Contains(read(t, "internal/ui/design/src/.npmrc"), "ignore-scripts=true\n") {
		t.Error("packages may run scripts when they are fetched")
	}
	bad := `{"packages":{"":{},"node_modules/a":{"version":"1.0.0"},"node_modules/b":{"version":"1.0.0","resolved":"https://example.org/b.tgz","integrity":"sha512-x"},"node_modules/c":{"version":"^1","integrity":"sha512-x"}}}`
	if got := lockProblems(bad); len(got) != 3 {
		t.Errorf("of three bad packages %q are seen", got)
	}
}
