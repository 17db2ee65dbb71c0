package docstest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenor/internal/domain/permit"
)

const consolePage = "docs/guides/console.md"

var rewriteRoles = flag.Bool("rewrite-roles", false, "write the table of "+consolePage+" anew")

// The guide's table of roles is the one that the server asks.
func TestRoleTable(t *testing.T) {
	file := filepath.Join(root, consolePage)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	from := strings.Index(page, "| Permission |")
	if from < 0 {
		t.Fatalf("%s has no table of roles", consolePage)
	}
	length := strings.Index(page[from:], "\n\n")
	want := roleTable()
	if page[from:from+length] == want {
		return
	}
	if !*rewriteRoles {
		t.Fatalf("%s has another table than the server: go test ./internal/proof/docstest -run RoleTable -rewrite-roles", consolePage)
	}
	if err := os.WriteFile(file, []byte(page[:from]+want+page[from+length:]), 0o644); err != nil {
		t.Fatal(err)
	}
}

func roleTable() string {
	signs := map[permit.Grant]string{permit.None: "–", permit.Second: "with a second person", permit.Limit: "up to a limit", permit.Alone: "yes"}
	var b strings.Builder
	b.WriteString("| Permission |")
	for _, r := range permit.Roles() {
		b.WriteString(" `" + string(r) + "` |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(permit.Roles())))
	for _, rule := range permit.Rules() {
		b.WriteString("\n| " + rule.Covers + " |")
		for _, r := range permit.Roles() {
			b.WriteString(" " + signs[rule.Roles[r]] + " |")
		}
	}
	return b.String()
}
