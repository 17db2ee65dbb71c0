package archtest

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// banned is a name that this repository does not use.
type banned struct {
	pkg, names string
	in         string // only in this package, "" everywhere
	tests      bool   // also in tests
	why        string
}

// bannedNames are checked against every import and use (EN18, EN19, EN21).
var bannedNames = []banned{
	{pkg: "math/rand", names: "*", why: "secrets and seeds come from crypto/rand"},
	{pkg: "math/rand/v2", names: "*", why: "secrets and seeds come from crypto/rand"},
	{pkg: "html/template", names: "HTML HTMLAttr JS JSStr CSS URL Srcset", why: "it switches escaping off"},
	{pkg: "text/template", names: "*", why: "it does not escape"},
	{pkg: "encoding/json", names: "Unmarshal NewDecoder Decoder", in: "internal/edge/httpapi", why: "it accepts duplicate members, any case and trailing data: use the strict decoder"},
	{pkg: "encoding/json", names: "Unmarshal NewDecoder Decoder", in: "internal/edge/rest", why: "it accepts duplicate members, any case and trailing data: use the strict decoder"},
	{pkg: "net/http", names: "DefaultClient Get Post PostForm Head ListenAndServe ListenAndServeTLS", why: "it has no time limits"},
	{pkg: "os", names: "Exit", in: "internal/", why: "only main ends the process"},
	{pkg: "log", names: "*", why: "logs go through log/slog"},
	{pkg: "unsafe", names: "*", tests: true, why: "nothing here needs it"},
}

// checkCalls finds banned names, calendar arithmetic outside calendar, TLS
// without verification and signatures that are not compared in constant time.
func checkCalls(r *reporter) {
	for _, f := range r.p.files {
		f.selections(func(n *ast.SelectorExpr, path, name string) {
			for _, b := range bannedNames {
				if b.pkg == path && b.holds(r.p.path, f.test) && (b.names == "*" || slices.Contains(strings.Fields(b.names), name)) {
					r.at(n, name, "%s.%s: %s", path, name, b.why)
				}
			}
		})
		signs := !f.test && slices.Contains(importsOf(f), "crypto/hmac")
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if n.Name == "InsecureSkipVerify" {
					r.at(n, n.Name, "TLS is always verified")
				}
			case *ast.CallExpr:
				checkAddDate(r, f, n)
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && signs && s.Sel.Name == "Equal" && isIdent(s.X, "bytes") {
					r.at(n, "Equal", "a signature is compared with hmac.Equal")
				}
			}
			return true
		})
	}
}

// checkAddDate finds months added with package time. A test may add whole days.
func checkAddDate(r *reporter, f *file, n *ast.CallExpr) {
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "AddDate" || len(n.Args) != 3 || f.test && r.p.path == "internal/domain/calendar" {
		return
	}
	if f.test && isZero(n.Args[0]) && isZero(n.Args[1]) {
		return
	}
	r.at(n, "AddDate", "31 January plus a month is not 3 March: use calendar.Date.AddMonths")
}

func isZero(x ast.Expr) bool {
	l, ok := x.(*ast.BasicLit)
	return ok && l.Value == "0"
}

func (b banned) holds(path string, test bool) bool {
	return strings.HasPrefix(path, b.in) && (!test || b.tests)
}

func importsOf(f *file) []string {
	var out []string
	for _, s := range f.syntax.Imports {
		out = append(out, importPath(s))
	}
	return out
}

func isIdent(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}

// sqlText matches a statement, or the beginning of one.
var sqlText = regexp.MustCompile(`(?s)^\s*(SELECT\s.+\sFROM\s|select\s.+\sfrom\s+\w+\s*$|select\s.+\sfrom\s+\w+\s+(where|order|join)\s|(SELECT|select)\s+(count|max|sum|coalesce)\(|(INSERT|insert)\s+((OR|or)\s+\w+\s+)?(INTO|into)\s|UPDATE\s+\S+\s+SET\s|update\s+\S+\s+set\s|(DELETE\s+FROM|delete\s+from)\s|(CREATE|create)\s+(TABLE|table|INDEX|index|UNIQUE|unique|TRIGGER|trigger|VIEW|view)\s|(ALTER\s+TABLE|alter\s+table)\s|(DROP|drop)\s+(TABLE|table|INDEX|index)\s|WITH\s+\w+\s+AS\s|(PRAGMA|pragma)\s+\w)`)

// sqlRooms are the places for SQL.
var sqlRooms = []string{"internal/core/store/sqlite", "internal/core/store/postgres", "internal/proof/pgtest", "internal/proof/crashtest", "internal/proof/outage", "internal/proof/nodetest"}

// checkSQL keeps SQL in its places, and values out of its text: they are parameters.
func checkSQL(r *reporter) {
	at := slices.ContainsFunc(sqlRooms, func(room string) bool { return r.p.path == room || strings.HasPrefix(r.p.path, room+"/") })
	for _, f := range r.p.files {
		if r.p.path == "internal/proof/archtest" {
			continue
		}
		if !at {
			f.literals(func(n *ast.BasicLit, value string) {
				if sqlText.MatchString(value) {
					r.at(n, "sql", "SQL outside the backends")
				}
			})
			continue
		}
		f.selectionsCalled(func(call *ast.CallExpr, path, name string) {
			if path != "fmt" || !strings.Contains(name, "rintf") {
				return
			}
			for _, arg := range call.Args {
				if l, ok := arg.(*ast.BasicLit); ok && sqlText.MatchString(strings.Trim(l.Value, "`\"")) && !f.test {
					r.at(call, "sql", "SQL made with fmt.%s: values go as parameters", name)
				}
			}
		})
	}
}

// selectionsCalled calls fn for every call of an imported function.
func (f *file) selectionsCalled(fn func(call *ast.CallExpr, path, name string)) {
	imports := f.imports()
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && imports[x.Name] != "" {
					fn(call, imports[x.Name], s.Sel.Name)
				}
			}
		}
		return true
	})
}
