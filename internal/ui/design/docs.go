package design

import (
	"slices"
	"strings"
)

// Docs is the shell of documentation pages: templates "docs" and "docs-end". The tree of all
// pages is at the left on a wide screen, and in a menu on a narrow one.
type Docs struct {
	Page
	Brand  Brand  // in one line
	Search Search // in the header
	Nav    string // the name of the tree
	Links  []Link // in the header
	State  *Link  // after them: that this is a sandbox
	Tree   []Branch
	Foot   []Sentence
}

// Search is a search field for the whole site. With scripts, it shows the best matches while
// typing: the same as on the search page.
type Search struct{ Action, Label, Hint, Value string }

// Branch is part of a tree of pages. With Href it links to a page of its own.
type Branch struct {
	Text, Href string
	Here       bool
	Links      []Link
}

// nameParts splits a technical name, such as a path or a member, where a line may break: after a
// dot, and only in one longer than a phone's width also before a slash, and after other marks if
// that is not enough. Templates use it with "name".
func nameParts(s string) []string {
	var out []string
	joined := false // the previous part ends with a space, where a line may break anyway
	for word := range splitBehind(s, " ") {
		for i, part := range wordParts(word) {
			if i == 0 && joined {
				out[len(out)-1] += part
			} else {
				out = append(out, part)
			}
		}
		joined = true
	}
	return out
}

// codePart is a part of a code, before which a line may break. A Late one is part of one word: in
// a table, which scrolls, lines do not break there.
type codePart struct {
	Text string
	Late bool
}

// codeParts is the same for code, whose lines do not break at spaces by themselves.
func codeParts(s string) []codePart {
	var out []codePart
	for word := range splitBehind(s, " ") {
		before := "."
		for _, part := range wordParts(word) {
			out = append(out, codePart{part, !strings.HasSuffix(before, ".")})
			before = part
		}
	}
	return out
}

// treeParts splits a text in a tree, whose column is narrow: names break after dots, and after
// underscores if a part is wider than the column.
func treeParts(s string) []string {
	var out []string
	for part := range splitBehind(s, ".") {
		if strings.Contains(part, " ") || len(part) <= longBranch {
			out = append(out, part)
			continue
		}
		out = slices.AppendSeq(out, splitBehind(part, "_"))
	}
	return out
}

// longBranch is the maximum length of a name in a tree that is never broken.
const longBranch = 23

// wordParts splits one word of a name.
func wordParts(word string) []string {
	var out []string
	for part := range splitBehind(word, ".") {
		if len(part) <= longPath {
			out = append(out, part)
			continue
		}
		for _, step := range steps(part) {
			for piece := range splitBehind(step, "?&=") {
				if len(piece) <= longName {
					out = append(out, piece)
					continue
				}
				out = slices.AppendSeq(out, splitBehind(piece, "_-:;,|"))
			}
		}
	}
	return out
}

// steps splits a path before its slashes, except for those of http://.
func steps(path string) []string {
	var out []string
	begin := 0
	for i := 1; i < len(path); i++ {
		if path[i] == '/' && path[i-1] != '/' && path[i-1] != ':' {
			out, begin = append(out, path[begin:i]), i
		}
	}
	return append(out, path[begin:])
}

// longName is the maximum length of a name that is never broken: it fits on a phone. A path that
// is never broken also fits with letters twice as large.
const (
	longName = 31 // a key after a slash
	longPath = 24
)

// splitBehind splits a text after each of some characters.
func splitBehind(s, characters string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for s != "" {
			n := strings.IndexAny(s, characters) + 1
			if n == 0 {
				n = len(s)
			}
			if !yield(s[:n]) {
				return
			}
			s = s[n:]
		}
	}
}
