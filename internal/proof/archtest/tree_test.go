package archtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/verify"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/rest"
	"tenor/internal/proof/suite"
)

// foreign are words that belong to a workplace, not to the project. The patterns
// are written so that they do not match themselves.
var foreign = regexp.MustCompile(`(?i)(/wor[k]/|/hom[e]/[a-z]|/roo[t]/|/tm[p]/bash|\bsub-?agen[t]|\bthis sessio[n]|\bissu[e] #?[0-9]|\bthe brie[f]\b|\bAI assistan[t]|\blanguage mode[l])`)

// foreignWords finds them in a text.
func foreignWords(text []byte) []string {
	var out []string
	for i, line := range bytes.Split(text, []byte("\n")) {
		if m := foreign.Find(line); m != nil {
			out = append(out, fmt.Sprintf("%d: %q", i+1, m))
		}
	}
	return out
}

// wordsAllowed are files that name such words in order to forbid them.
var wordsAllowed = map[string]string{
	"internal/proof/docstest/links_test.go": "holds the pattern of paths that the documents must not have",
}

// The repository is only about Tenor.
func TestWords(t *testing.T) {
	for _, name := range tracked(t) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
			continue // removed meanwhile, or not a text
		}
		for _, found := range foreignWords(text) {
			if wordsAllowed[name] != "" {
				break
			}
			t.Errorf("%s:%s does not belong here", name, found)
		}
	}
}

func TestWordsCanFail(t *testing.T) {
	for _, bad := range []string{"see /wor" + "k/main", "Sub" + "agent", "a sub" + "-agent did", "in this " + "session", "Issue" + " 2", "issue" + " #12"} {
		if len(foreignWords([]byte("first\n"+bad))) != 1 {
			t.Errorf("%q was not found", bad)
		}
	}
	for _, good := range []string{"the issue of an invoice", "network/", "a session of a person", "issued 3 invoices"} {
		if len(foreignWords([]byte(good))) != 0 {
			t.Errorf("%q was found", good)
		}
	}
}

// tracked lists what is in the repository or about to be added.
func tracked(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command(suite.Program(t, "git", "git"), "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("not a git checkout: %v", err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
}

// maxDependencies is the maximum number of direct module dependencies.
const maxDependencies = 25

// required matches a line of go.mod that names a module.
var required = regexp.MustCompile(`(?m)^(?:require)?\s+(\S+\.\S+) v\S+( // indirect)?$`)

// Every module that the code imports is required directly and has a line in
// docs/dependencies.md.
func TestDependencies(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join(root, "docs/dependencies.md"))
	if err != nil {
		t.Errorf("every dependency has a line there: %v", err)
	}
	for _, problem := range dependencyProblems(string(mod), string(doc), imported(packages(t))) {
		t.Error(problem)
	}
}

// imported lists every external package that the code and its tests import.
func imported(all []*pkg) []string {
	var out []string
	for _, p := range all {
		for _, f := range p.files {
			for _, path := range importsOf(f) {
				if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
					out = append(out, path)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func dependencyProblems(mod, doc string, imports []string) (problems []string) {
	direct := map[string]bool{}
	var names []string
	for _, m := range required.FindAllStringSubmatch(mod, -1) {
		names = append(names, m[1])
		direct[m[1]] = m[2] == ""
	}
	used := map[string]bool{}
	for _, path := range imports {
		longest := ""
		for _, name := range names {
			if (path == name || strings.HasPrefix(path, name+"/")) && len(name) > len(longest) {
				longest = name
			}
		}
		if longest == "" {
			problems = append(problems, path+" is imported and not in go.mod")
			continue
		}
		used[longest] = true
	}
	n := 0
	for _, name := range names {
		switch {
		case used[name] && !direct[name]:
			problems = append(problems, name+" is imported, but go.mod calls it indirect: run go mod tidy")
		case direct[name] && doc != "" && !strings.Contains(doc, name):
			problems = append(problems, name+" has no line in docs/dependencies.md")
		}
		if used[name] || direct[name] {
			n++
		}
	}
	if n > maxDependencies {
		problems = append(problems, fmt.Sprintf("%d direct dependencies, more than %d", n, maxDependencies))
	}
	return problems
}

func TestDependenciesCanFail(t *testing.T) {
	mod := "module tenor\n\nrequire (\n\texample.org/a v1.0.0\n\texample.org/b/v2 v2.0.0 // indirect\n\texample.org/c v1.0.0\n)\n"
	got := dependencyProblems(mod, "| example.org/a | for tests |", []string{"example.org/a/x", "example.org/b/v2", "example.org/d"})
	want := []string{
		"example.org/d is imported and not in go.mod",
		"example.org/b/v2 is imported, but go.mod calls it indirect: run go mod tidy",
		"example.org/c has no line in docs/dependencies.md",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var many strings.Builder
	for i := range maxDependencies + 1 {
		fmt.Fprintf(&many, "require example.org/m%d v1.0.0\n", i)
	}
	if got := dependencyProblems(many.String(), "", nil); len(got) != 1 {
		t.Errorf("26 dependencies give %q", got)
	}
}

// edgeCodes are the codes of state, precondition and rule that the domain never returns, because
// the edge or the engine does, or because their noun has no command yet.
var edgeCodes = map[string]string{
	"idempotency_key_in_use": "the engine: the first request is still running",
	"idempotency_key_reused": "the engine: another request has the key",
	"already_matched":        "matches of the bank's lines are decided by no command",
	"lender_incomplete":      "a paper is printed by no command",
	"match_refused":          "matches of the bank's lines are decided by no command",
	"clock_moving":           "a sandbox: its clock is on its way",
	"snapshots_unavailable":  "a sandbox: its database is on a server",
	"url_not_allowed":        "addresses are checked where they come in",
}

// unpublished are codes that no operation of the published contract returns, with the reason; the
// reference lists them nevertheless.
var unpublished = map[string]string{
	"clock_moving":          "live mode has no operation of a sandbox",
	"snapshots_unavailable": "live mode has no operation of a sandbox",
	"checkout_taken":        "people accept on the buyer's pages, or in a sandbox",
	"terms_changed":         "people accept on the buyer's pages, or in a sandbox",
	"transfer_locked":       "transfers are moved by the clockwork and by what banks say, not by operations",
}

// Every refusal of the domain has the same code and status at the edge, in the published contract
// and in the reference, and nothing is published that cannot happen.
func TestCodes(t *testing.T) {
	published := map[string]string{}
	for _, name := range []string{"api/openapi.yaml", "docs/reference/errors.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
			continue
		}
		published[name] = string(text)
	}
	for _, problem := range codeProblems(credit.Reasons(), httpapi.Codes(), published) {
		t.Error(problem)
	}
}

func codeProblems(reasons []credit.Reason, codes []rest.Code, published map[string]string) (problems []string) {
	edge := map[string]rest.Code{}
	for _, c := range codes {
		if edge[c.Name].Name != "" {
			problems = append(problems, c.Name+" stands twice at the edge")
		}
		edge[c.Name] = c
	}
	domain := map[string]bool{}
	for _, r := range reasons {
		domain[r.Code] = true
		switch c, ok := edge[r.Code]; {
		case !ok:
			problems = append(problems, r.Code+" is not known at the edge")
		case c.Status != r.Status:
			problems = append(problems, fmt.Sprintf("%s has status %d in the domain and %d at the edge", r.Code, r.Status, c.Status))
		}
	}
	for _, c := range codes {
		business := c.Status == 409 || c.Status == 412 || c.Status == 422
		if business && !domain[c.Name] && edgeCodes[c.Name] == "" {
			problems = append(problems, c.Name+" is known at the edge, but nothing answers with it")
		}
		for _, name := range []string{"api/openapi.yaml", "docs/reference/errors.md"} {
			if text, ok := published[name]; ok && !hasWord(text, c.Name) && (name != "api/openapi.yaml" || unpublished[c.Name] == "") {
				problems = append(problems, c.Name+" is missing in "+name)
			}
		}
	}
	for _, m := range docCode.FindAllStringSubmatch(published["docs/reference/errors.md"], -1) {
		if _, ok := edge[m[1]]; !ok {
			problems = append(problems, m[1]+" is in docs/reference/errors.md, but no code of ours")
		}
	}
	return problems
}

// docCode is a row of the table of codes: the code, then its status.
var docCode = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| [0-9]{3} \\|")

func hasWord(text, word string) bool {
	for i := strings.Index(text, word); i >= 0; {
		end := i + len(word)
		if (i == 0 || !isWord(text[i-1])) && (end == len(text) || !isWord(text[end])) {
			return true
		}
		next := strings.Index(text[end:], word)
		if next < 0 {
			return false
		}
		i = end + next
	}
	return false
}

func isWord(b byte) bool { return b == '_' || b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }

func TestCodesCanFail(t *testing.T) {
	reasons := []credit.Reason{{Code: "a_locked", Status: 409}, {Code: "b_closed", Status: 422}, {Code: "c_lost", Status: 409}}
	codes := []rest.Code{{Name: "a_locked", Status: 409}, {Name: "b_closed", Status: 409}, {Name: "d_new", Status: 422}}
	got := codeProblems(reasons, codes, map[string]string{
		"api/openapi.yaml": "- a_locked\n- b_closed\n- d_new_er\n", "docs/reference/errors.md": "| `a_locked` | 409 |\n| `b_closed` | 409 |\n| `d_new` | 422 |\n| `e_old` | 410 |\n| `detail` | text |",
	})
	want := []string{
		"b_closed has status 422 in the domain and 409 at the edge",
		"c_lost is not known at the edge",
		"d_new is known at the edge, but nothing answers with it",
		"d_new is missing in api/openapi.yaml",
		"e_old is in docs/reference/errors.md, but no code of ours",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// given are the tables that are not derived from anything else in the database, so they cannot be
// recomputed.
var given = map[string]string{
	"merchants": "the names of merchants are what the operator gave; the deep pass decides them again",
	"programs":  "what the operator gave; the deep pass decides them again",
	"leases":    "who has a duty at the moment: void after a restart",
	"settings":  "settings of the deployment, not decided",
	"scratch":   "codes, sessions and unfinished answers: void when their time is over",
}

// checkedInvariants are those that verify must recompute and that today's tables can show. If a
// pass goes missing, one of them is uncovered.
const checkedInvariants = "LG1 LG2 LG3 LG4 LG5 LG6 LG7 LG8 MN4 OR1 OR2 OR3 OR5 OR6 OR7 OR8 OR10 OR11 CL2 CL3 CL4 " +
	"SC1 SC3 SC4 SC5 SC6 SC9 ST1 PA1 PA2 PA3 PA4 PA6 PA7 PA8 PA9 PA10 PA11 PO1 PO2 PO3 PO4 PO5 PO6 RF1 RF2 RF4 RF5 TM1 TM2 EV1 EV2 EV4 EV5 EV6 ID4 " +
	"AU1 AU2 AU3 AU4 AU5 AU7 AU8 RC1 RC2 RC3 F27"

// Every derived table has a pass of verify, and every invariant that verify can check is checked
// by one (EN14).
func TestEveryDerivedTableIsVerified(t *testing.T) {
	for _, problem := range passProblems(verify.Passes(), store.Schemas()) {
		t.Error(problem)
	}
}

func passProblems(passes []verify.Pass, tables []store.Schema) (problems []string) {
	seenTable, seenInvariant := map[string]bool{}, map[string]bool{}
	for _, p := range passes {
		for _, name := range p.Tables {
			seenTable[name] = true
			if !slices.ContainsFunc(tables, func(s store.Schema) bool { return s.Name == name }) {
				problems = append(problems, fmt.Sprintf("pass %s checks %s, which is no table", p.Name, name))
			}
		}
		for _, id := range p.Invariants {
			seenInvariant[id] = true
		}
	}
	for _, s := range tables {
		if !seenTable[s.Name] && given[s.Name] == "" {
			problems = append(problems, fmt.Sprintf("table %s has no pass in verify", s.Name))
		}
	}
	for _, id := range strings.Fields(checkedInvariants) {
		if !seenInvariant[id] {
			problems = append(problems, fmt.Sprintf("invariant %s has no pass in verify", id))
		}
	}
	return problems
}

// Removing any one pass is noticed.
func TestMissingPassIsFound(t *testing.T) {
	for i, p := range verify.Passes() {
		rest := slices.Delete(slices.Clone(verify.Passes()), i, i+1)
		if len(passProblems(rest, store.Schemas())) == 0 {
			t.Errorf("without pass %s nothing is missing", p.Name)
		}
	}
	if len(passProblems([]verify.Pass{{Name: "x", Tables: []string{"no_table"}}}, nil)) == 0 {
		t.Error("a pass over a table that does not exist was not found")
	}
}
