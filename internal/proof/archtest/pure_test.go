package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// pure are the packages that only compute (EN1).
var pure = []string{"internal/domain/money", "internal/domain/calendar", "internal/domain/schedule", "internal/domain/apr", "internal/domain/ledger", "internal/domain/underwriting", "internal/domain/credit",
	"internal/domain/explain", "internal/domain/access", "internal/domain/cases", "internal/domain/journal",
	"internal/domain/invariant", "internal/domain/outcome",
	"internal/domain/lending", "internal/domain/payments", "internal/domain/people", "internal/domain/merchants", "internal/domain/compliance", "internal/domain/onboarding"}

// pureStandard is everything in the standard library that they may use. Other packages read a
// clock, a file, the network or the environment, or share memory.
var pureStandard = []string{
	"bytes", "cmp", "crypto/sha256", "encoding/binary", "encoding/hex", "encoding/json", "errors", "fmt", "io", "iter", "maps",
	"math/big", "math/bits", "reflect", "slices", "sort", "strconv", "strings", "time", "unicode", "unicode/utf8",
}

// floats is the only package that may compute in floating point: the solver of
// Appendix J.
const floats = "internal/domain/apr"

func isPure(p *pkg) bool { return slices.Contains(pure, p.path) }

func checkPureImports(r *reporter) {
	if !isPure(r.p) {
		return
	}
	for _, f := range r.p.code() {
		for _, s := range f.syntax.Imports {
			path := importPath(s)
			if strings.Contains(path, ".") || strings.HasPrefix(path, module) || slices.Contains(pureStandard, path) || r.p.path == floats && path == "math" {
				continue
			}
			r.at(s, path, "a pure package may not import %s", path)
		}
	}
}

// impure are functions of otherwise pure packages that read a clock or a file, or wait.
var impure = map[string]string{
	"time": "Now Since Until After AfterFunc Sleep Tick NewTimer NewTicker LoadLocation LoadLocationFromTZData Local",
	"fmt":  "Print Printf Println Scan Scanf Scanln",
}

func checkPureCalls(r *reporter) {
	if !isPure(r.p) {
		return
	}
	for _, f := range r.p.code() {
		f.selections(func(n *ast.SelectorExpr, path, name string) {
			if slices.Contains(strings.Fields(impure[path]), name) {
				r.at(n, name, "a pure package may not use %s.%s", path, name)
			}
		})
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				r.at(n, "go", "a pure package starts no goroutine")
			case *ast.SelectStmt:
				r.at(n, "select", "a pure package waits for nothing")
			case *ast.ChanType:
				r.at(n, "chan", "a pure package has no channels")
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "print" || id.Name == "println") {
					r.at(n, id.Name, "a pure package prints nothing")
				}
			}
			return true
		})
	}
}

// checkPureTypes needs types: it finds floating point in any form, and ranges over maps, whose
// order is random.
func checkPureTypes(r *reporter) {
	if !isPure(r.p) {
		return
	}
	info := typesOf(r)
	seen := map[token.Position]bool{}
	for _, f := range r.p.code() {
		reasons := unordered(r.p.fset, f)
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.RangeStmt:
				if what := randomOrder(info, n.X); what != "" && !reasons[r.p.fset.Position(n.Pos()).Line] {
					r.at(n, "range", "a range over %s has no order: sort its keys, or end the line with // unordered: and why", what)
				}
			case ast.Expr:
				at := r.p.fset.Position(n.Pos())
				at.Column, at.Offset = 0, 0
				if r.p.path != floats && (isFloat(info.TypeOf(n)) || isFloatLiteral(n)) && !seen[at] {
					seen[at] = true
					r.at(n, "float", "floating point outside %s", floats)
				}
			}
			return true
		})
	}
}

// isFloatLiteral finds 1e6, which has the type it is converted to.
func isFloatLiteral(x ast.Expr) bool {
	l, ok := x.(*ast.BasicLit)
	return ok && (l.Kind == token.FLOAT || l.Kind == token.IMAG)
}

func isFloat(t types.Type) bool {
	if t == nil {
		return false
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil &&
		named.Obj().Pkg().Path() == "math/big" && named.Obj().Name() == "Float" {
		return true
	}
	if tuple, ok := t.(*types.Tuple); ok {
		return slices.ContainsFunc(slices.Collect(tuple.Variables()), func(v *types.Var) bool { return isFloat(v.Type()) })
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsFloat|types.IsComplex) != 0
}

// randomOrder says what makes a range random, "" if its order is defined.
func randomOrder(info *types.Info, x ast.Expr) string {
	if t := info.TypeOf(x); t != nil {
		if _, ok := t.Underlying().(*types.Map); ok {
			return "a map"
		}
	}
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return ""
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if f, ok := info.Uses[s.Sel].(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == "maps" && slices.Contains([]string{"All", "Keys", "Values"}, f.Name()) {
		return "maps." + f.Name()
	}
	return ""
}

// unordered lists the lines whose trailing comment says why their order does not
// matter.
func unordered(fset *token.FileSet, f *file) map[int]bool {
	lines := map[int]bool{}
	for _, g := range f.syntax.Comments {
		for _, c := range g.List {
			if why, ok := strings.CutPrefix(c.Text, "// unordered: "); ok && len(why) > 5 {
				lines[fset.Position(c.Pos()).Line] = true
			}
		}
	}
	return lines
}

// typesOf type-checks a package. Errors are left to the compiler; an unreadable import leaves its
// types unknown.
func typesOf(r *reporter) *types.Info {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	var syntax []*ast.File
	for _, f := range r.p.code() {
		syntax = append(syntax, f.syntax)
	}
	exports, err := exportFiles()
	if err != nil {
		r.at(r.p.files[0].syntax.Name, "types", "cannot read the types of imports: %v", err)
		return info
	}
	conf := types.Config{
		Importer: importer.ForCompiler(r.p.fset, "gc", func(path string) (io.ReadCloser, error) {
			if exports[path] == "" {
				return nil, fmt.Errorf("no export data for %s", path)
			}
			return os.Open(exports[path])
		}),
		Error: func(error) {},
	}
	_, _ = conf.Check(r.p.path, r.p.fset, syntax, info)
	return info
}

// exportFiles asks the go command for the export data of every import of the pure packages.
var exportFiles = sync.OnceValues(func() (map[string]string, error) {
	args := []string{"list", "-e", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}
	for _, p := range pure {
		args = append(args, "./"+p)
	}
	cmd := exec.Command("go", append(args, pureStandard...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.String())
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[path] = file
	}
	return files, nil
})
