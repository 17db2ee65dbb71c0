package archtest

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// checkComments requires that every package says what it is for, and every exported name what it
// guarantees.
func checkComments(r *reporter) {
	code := r.p.code()
	if len(code) == 0 {
		return
	}
	if !slices.ContainsFunc(code, func(f *file) bool { return f.syntax.Doc != nil }) {
		r.at(code[0].syntax.Name, "package", "package %s does not say what it is for", r.p.path)
	}
	for _, f := range code {
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				checkFuncComment(r, d)
			case *ast.GenDecl:
				checkGenComment(r, d)
			}
		}
	}
}

// plainMethods need no comment: their interface says everything. Four of them belong to a domain
// command, two to a command of the command line.
var plainMethods = []string{"Error", "String", "Unwrap", "Name", "Keys", "Admit", "Decide", "Run", "Examples"}

func checkFuncComment(r *reporter, d *ast.FuncDecl) {
	if d.Doc != nil || !d.Name.IsExported() {
		return
	}
	if d.Recv != nil && (!ast.IsExported(receiver(d)) || slices.Contains(plainMethods, d.Name.Name)) {
		return
	}
	r.at(d, d.Name.Name, "exported %s has no comment", d.Name.Name)
}

// receiver returns the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func checkGenComment(r *reporter, d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && d.Doc == nil {
				r.at(s, s.Name.Name, "exported %s has no comment", s.Name.Name)
			}
		case *ast.ValueSpec:
			if s.Doc != nil || s.Comment != nil || d.Doc != nil {
				continue
			}
			for _, name := range s.Names {
				if name.IsExported() {
					r.at(name, name.Name, "exported %s has no comment", name.Name)
				}
			}
		}
	}
}

// The longest file, function and package that a reader can keep in mind. Generated code is
// exempt, and tests do not count for a package.
const (
	maxFile     = 500
	maxFunction = 60
	maxPackage  = 8000
)

// tooLong reports whether a package has more than some lines of code, and how many.
func tooLong(p *pkg, most int) (lines int, long bool) {
	for _, f := range p.code() {
		if !ast.IsGenerated(f.syntax) {
			lines += f.lines
		}
	}
	return lines, lines > most
}

func TestPackagesAreShort(t *testing.T) {
	longest := 0
	for _, p := range packages(t) {
		lines, long := tooLong(p, maxPackage)
		if long {
			t.Errorf("%s has %d lines, more than %d: split it by what changes together", p.path, lines, maxPackage)
		}
		if _, long := tooLong(p, lines-1); lines > 0 && !long {
			t.Errorf("%s: %d lines pass for fewer", p.path, lines)
		}
		longest = max(longest, lines)
	}
	if longest < maxPackage/2 {
		t.Errorf("the longest package has %d lines: something else is counted", longest)
	}
}

func checkSize(r *reporter) {
	for _, f := range r.p.files {
		if f.lines > maxFile && !ast.IsGenerated(f.syntax) {
			r.at(f.syntax.Name, "", "file has %d lines, more than %d", f.lines, maxFile)
		}
		if f.test {
			continue
		}
		for _, d := range f.syntax.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := r.p.fset.Position(d.End()).Line - r.p.fset.Position(d.Pos()).Line + 1; n > maxFunction {
				r.at(d, d.Name.Name, "%s has %d lines, more than %d", d.Name.Name, n, maxFunction)
			}
		}
	}
}

// constructors create values that never change afterwards.
var constructors = []string{
	"errors.New", "fmt.Errorf", "regexp.MustCompile", "template.Must", "strings.NewReplacer", "base32.NewEncoding",
	"netip.MustParsePrefix", "json.JoinOptions", "jsontext.Value", "money.MustParse", "money.MustParseRate", "calendar.MustParse",
}

// checkState refuses init functions and package-level variables that can change.
func checkState(r *reporter) {
	vars := map[string]bool{}
	for _, f := range r.p.code() {
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					r.at(d, "init", "init hides work: do it where it is asked for")
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					checkVars(r, d, vars)
				}
			}
		}
	}
	for _, f := range r.p.code() {
		for _, d := range f.syntax.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				checkWrites(r, d, vars)
			}
		}
	}
}

func checkVars(r *reporter, d *ast.GenDecl, vars map[string]bool) {
	embedded := d.Doc != nil && slices.ContainsFunc(d.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") })
	for _, s := range d.Specs {
		s := s.(*ast.ValueSpec)
		for i, name := range s.Names {
			if name.Name == "_" {
				continue
			}
			vars[name.Name] = true
			if embedded || i < len(s.Values) && isConstant(s.Values[i]) {
				continue
			}
			r.at(name, name.Name, "package-level variable %s: hold it in a value that is passed, or make it a function", name.Name)
		}
	}
}

// isConstant reports whether an initial value is one of the constant kinds: a listed constructor,
// or a table, which is a non-empty composite literal. An empty one is there to be filled.
func isConstant(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.UnaryExpr:
		return x.Op == token.AND && isConstant(x.X)
	case *ast.CompositeLit:
		if id, ok := x.Type.(*ast.Ident); ok && len(x.Elts) == 0 {
			return strings.HasSuffix(id.Name, "Error")
		}
		return len(x.Elts) > 0 && !slices.ContainsFunc(x.Elts, holdsEmpty)
	case *ast.CallExpr:
		s, ok := x.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		if inner, ok := s.X.(*ast.CallExpr); ok { // base32.NewEncoding(…).WithPadding(…)
			return isConstant(inner)
		}
		id, ok := s.X.(*ast.Ident)
		return ok && slices.Contains(constructors, id.Name+"."+s.Sel.Name)
	}
	return false
}

// holdsEmpty reports whether an element of a table is an empty map or slice.
func holdsEmpty(x ast.Expr) bool {
	if kv, ok := x.(*ast.KeyValueExpr); ok {
		x = kv.Value
	}
	lit, ok := x.(*ast.CompositeLit)
	if !ok {
		return false
	}
	switch lit.Type.(type) {
	case *ast.MapType, *ast.ArrayType:
		return len(lit.Elts) == 0
	}
	return slices.ContainsFunc(lit.Elts, holdsEmpty)
}

// checkWrites finds assignments to package-level variables, or to a part of one. A local variable
// with the same name hides it.
func checkWrites(r *reporter, d *ast.FuncDecl, vars map[string]bool) {
	local := map[string]bool{}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				local[name.Name] = true
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, x := range n.Lhs {
					if id, ok := x.(*ast.Ident); ok {
						local[id.Name] = true
					}
				}
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				local[name.Name] = true
			}
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE {
					local[id.Name] = true
				}
			}
		}
		return true
	})
	write := func(x ast.Expr) {
		for {
			switch y := x.(type) {
			case *ast.IndexExpr:
				x = y.X
			case *ast.SelectorExpr:
				x = y.X
			case *ast.StarExpr:
				x = y.X
			case *ast.Ident:
				if vars[y.Name] && !local[y.Name] {
					r.at(y, y.Name, "package-level variable %s is changed", y.Name)
				}
				return
			default:
				return
			}
		}
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, x := range n.Lhs {
					write(x)
				}
			}
		case *ast.IncDecStmt:
			write(n.X)
		}
		return true
	})
}
