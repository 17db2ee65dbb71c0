package clientgen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// comments are the comments of types by name.
type comments map[string]string

// readComments reads those of all types in folders of Go files and their direct subfolders.
func readComments(folders ...string) (comments, error) {
	said := comments{}
	for _, folder := range folders {
		own, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			return nil, fmt.Errorf("read comments: %w", err)
		}
		below, err := filepath.Glob(filepath.Join(folder, "*", "*.go"))
		if err != nil {
			return nil, fmt.Errorf("read comments: %w", err)
		}
		for _, path := range slices.Concat(own, below) {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				return nil, fmt.Errorf("read comments: %w", err)
			}
			said.take(f)
		}
	}
	return said, nil
}

func (c comments) take(f *ast.File) {
	for _, d := range f.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.TYPE {
			continue
		}
		for _, s := range d.Specs {
			s := s.(*ast.TypeSpec)
			text := d.Doc.Text()
			if s.Doc != nil {
				text = s.Doc.Text()
			}
			if text != "" {
				c[s.Name.Name] = strings.TrimSpace(text)
			}
		}
	}
}

// of returns the comment of a schema's type, for its name in the client.
func (c comments) of(schema, name string) string {
	base, ending := baseName(schema)
	candidates := []string{schema, lower(schema) + "Body"}
	if ending != "" {
		candidates = []string{lower(base) + ending + "Body", lower(base) + "Body", lower(base) + ending}
	}
	for _, own := range candidates {
		text, ok := c[own]
		if !ok {
			continue
		}
		if rest, ok := strings.CutPrefix(text, own+" "); ok {
			return name + " " + rest
		}
	}
	return ""
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// lineLength is the maximum length of a comment line.
const lineLength = 100

// comment formats a text as a comment, with each paragraph wrapped, without Markdown's code
// marks.
func comment(indent, text string) string {
	if text == "" {
		return ""
	}
	text = strings.ReplaceAll(text, "`", "")
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString(indent + "//\n")
		}
		line := indent + "//"
		for _, word := range strings.Fields(paragraph) {
			if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > lineLength && strings.TrimSpace(line) != "//" {
				b.WriteString(line + "\n")
				line = indent + "//"
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
