package archtest

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// root is the repository, relative to this package's folder.
const root = "../../.."

// pkg is one directory of Go files.
type pkg struct {
	path  string // from the root, with slashes: internal/domain/money
	fset  *token.FileSet
	files []*file
}

// file is one Go file.
type file struct {
	name   string // relative to the root
	test   bool   // a test, or internal tooling: it does not ship
	syntax *ast.File
	lines  int
}

// finding is one broken rule.
type finding struct {
	file    string
	line    int
	subject string // what an exception names: a function, a variable, an import; "" for the whole file
	text    string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.text) }

// house is the parsed repository, read once for all tests.
var house = sync.OnceValues(func() ([]*pkg, error) { return readTree(root) })

func packages(t *testing.T) []*pkg {
	t.Helper()
	all, err := house()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// readTree parses every package below a folder, without fixtures and other modules.
func readTree(dir string) ([]*pkg, error) {
	byPath := map[string]*pkg{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != dir && (d.Name() == "testdata" || d.Name() == "vendor" || strings.HasPrefix(d.Name(), ".") || exists(filepath.Join(name, "go.mod"))) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		path := filepath.ToSlash(filepath.Dir(rel))
		p := byPath[path]
		if p == nil {
			p = &pkg{path: path, fset: token.NewFileSet()}
			byPath[path] = p
		}
		return p.add(name, rel)
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	out := make([]*pkg, 0, len(byPath))
	for _, p := range byPath {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *pkg) int { return cmp.Compare(a.path, b.path) })
	return out, nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// add parses one file of the package.
func (p *pkg) add(name, rel string) error {
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	syntax, err := parser.ParseFile(p.fset, rel, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	r, _ := roomOf(p.path)
	p.files = append(p.files, &file{
		name: rel, test: strings.HasSuffix(rel, "_test.go") || r.floor == keeping, syntax: syntax, lines: bytes.Count(src, []byte("\n")),
	})
	return nil
}

// code returns the files that ship.
func (p *pkg) code() []*file {
	return slices.DeleteFunc(slices.Clone(p.files), func(f *file) bool { return f.test })
}

// reporter collects the findings of a check in one package.
type reporter struct {
	p     *pkg
	found []finding
}

func (r *reporter) at(n ast.Node, subject, format string, args ...any) {
	pos := r.p.fset.Position(n.Pos())
	r.found = append(r.found, finding{pos.Filename, pos.Line, subject, fmt.Sprintf(format, args...)})
}

// imports maps the local name of each import of a file to its path.
func (f *file) imports() map[string]string {
	out := map[string]string{}
	for _, s := range f.syntax.Imports {
		path := importPath(s)
		name := path[strings.LastIndex(path, "/")+1:]
		if strings.HasPrefix(name, "v") && strings.Trim(name[1:], "0123456789") == "" { // math/rand/v2
			short := strings.TrimSuffix(path, "/"+name)
			name = short[strings.LastIndex(short, "/")+1:]
		}
		if s.Name != nil {
			name = s.Name.Name
		}
		out[name] = path
	}
	return out
}

func importPath(s *ast.ImportSpec) string {
	path, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		return s.Path.Value
	}
	return path
}

// selections calls fn for every x.name in a file where x is an import.
func (f *file) selections(fn func(n *ast.SelectorExpr, path, name string)) {
	imports := f.imports()
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && imports[x.Name] != "" {
				fn(s, imports[x.Name], s.Sel.Name)
			}
		}
		return true
	})
}

// literals calls fn for every string literal of a file with its value.
func (f *file) literals(fn func(n *ast.BasicLit, value string)) {
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if v, err := strconv.Unquote(l.Value); err == nil {
				fn(l, v)
			}
		}
		return true
	})
}
