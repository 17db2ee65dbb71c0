package client

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"tenor/internal/edge/httpapi"
)

// The codes of this package are those of the contract.
func TestCodes(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	mine := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			code, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil || mine[code] {
				t.Errorf("code %s, %v", code, err)
			}
			mine[code] = true
		}
		return true
	})
	for _, c := range httpapi.Codes() {
		if !mine[c.Name] {
			t.Errorf("%s has no constant", c.Name)
		}
		delete(mine, c.Name)
	}
	for _, c := range []Code{CodeInvalidClient, CodeInvalidScope, CodeInvalidRequest, CodeUnsupportedGrantType} {
		delete(mine, string(c))
	}
	for c := range mine {
		t.Errorf("%s is no code of the contract", c)
	}
}

func TestProblemsAreCompared(t *testing.T) {
	err := fmt.Errorf("ship: %w", &Problem{Code: "insufficient_credit"})
	if !errors.Is(err, CodeInsufficientCredit) || errors.Is(err, CodeNotFound) || errors.Is(&Problem{}, Code("x")) {
		t.Error("problems are not compared by their codes")
	}
	if CodeNotFound.Error() != "not_found" {
		t.Error("a code does not say its name")
	}
}
