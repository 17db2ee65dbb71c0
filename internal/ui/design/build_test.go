package design

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tenor/internal/proof/suite"
)

var rewriteSheet = flag.Bool("rewrite-sheet", false, "make the stylesheet, the icons, the font and their licences anew")

// root is the repository, relative to this package's tests.
const root = "../../.."

// made are the files written by src/build.mjs, relative to the root.
var made = []string{
	"internal/ui/design/assets/design.css", "internal/ui/design/assets/inter.woff2", "internal/ui/design/templates/icons.html",
	"docs/licences/npm_tailwindcss.txt", "docs/licences/npm_basecoat-css.txt", "docs/licences/npm_lucide-static.txt", "docs/licences/npm_@fontsource-variable_inter.txt",
}

// TestSheet rebuilds the stylesheet and the icons from their sources and from every template that
// is scanned for classes, and compares the bytes. It works in a separate folder: npm packages are
// never stored below the module.
func TestSheet(t *testing.T) {
	node, npm := suite.Program(t, "nodejs", "node"), suite.Program(t, "npm", "npm")
	dir := t.TempDir()
	src := filepath.Join(dir, "internal/ui/design/src")
	copySources(t, dir)
	cmd := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	cmd.Dir = src
	if out, err := cmd.CombinedOutput(); err != nil {
		for _, ours := range []string{"EUSAGE", "EINTEGRITY", "EJSONPARSE", "ETARGET"} { // the lock file itself is wrong
			if strings.Contains(string(out), ours) {
				t.Fatalf("npm ci: %v\n%s", err, out)
			}
		}
		suite.Missing(t, "packages of the stylesheet", "npm ci in internal/ui/design/src, which cannot fetch them here: "+firstLine(out))
	}
	cmd = exec.Command(node, "build.mjs", dir)
	cmd.Dir = src
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build.mjs: %v\n%s", err, out)
	}
	for _, name := range made {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if *rewriteSheet {
			write(t, filepath.Join(root, name), got)
			continue
		}
		if want, err := os.ReadFile(filepath.Join(root, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what its sources make: run make generate (%v)", name, err)
		}
	}
}

// copySources copies the design sources and the templates of all packages.
func copySources(t *testing.T, dir string) {
	t.Helper()
	for _, pattern := range []string{"internal/ui/design/src/*", "internal/ui/design/src/.npmrc", "internal/*/templates/*.html", "internal/*/*/templates/*.html"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: nothing (%v)", pattern, err)
		}
		for _, name := range names {
			body, err := os.ReadFile(name)
			if info, failed := os.Stat(name); failed == nil && info.Mode().IsDir() {
				continue // packages put there manually
			}
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, rel), body)
		}
	}
}

func firstLine(out []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}

// Every icon used by a template or a test page is on the list, and every one on the list draws
// something.
func TestIcons(t *testing.T) {
	list, err := os.ReadFile("src/icons.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := parsed(t)
	for _, name := range strings.Fields(string(list)) {
		if got := render(t, all, "icon", Icon{name, "size-4"}); strings.Count(got, "<") < 3 {
			t.Errorf("the icon %s draws nothing: %s", name, got)
		}
	}
	if got := render(t, all, "icon", Icon{"no-such", ""}); strings.Count(got, "<") != 2 {
		t.Errorf("an icon that is none draws %s", got)
	}
	for _, p := range pages {
		if page := render(t, all, p.template, p.view(assets(t))); strings.Contains(page, `stroke-linejoin="round"></svg>`) {
			t.Errorf("%s asks for an icon that is none", p.name)
		}
	}
}

// Classes are scanned for only where the stylesheet's source says.
func TestSourcesAreListed(t *testing.T) {
	source, err := fs.ReadFile(os.DirFS("src"), "input.css")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), `@import "tailwindcss" source(none);`) || strings.Count(string(source), "@source \"../") < 4 {
		t.Error("what is searched for classes is not listed: the stylesheet would depend on what lies about")
	}
}
