package design

import (
	"slices"
	"strings"
)

// Docs is the shell of pages that are read: templates "docs" and "docs-end". On a wide
// screen the tree of all pages stands at the left, on a narrow one in a menu.
type Docs struct {
	Page
	Brand  Brand  // in one line
	Search Search // in the header
	Nav    string // the name of the tree
	Links  []Link // in the header
	State  *Link  // behind them: that this is a sandbox
	Tree   []Branch
	Foot   []Sentence
}

// Search is a field that a whole site is searched with. Where scripts run, the best hits
// are shown while somebody types: those that the page of the search shows.
type Search struct{ Action, Label, Hint, Value string }

// Branch is a part of a tree of pages. With Href it leads to a page of its own.
type Branch struct {
	Text, Href string
	Here       bool
	Links      []Link
}

// nameParts are a name of a program's own, such as a path or a member, cut where a line
// may break: behind a dot, and only in one that is longer than any phone is wide before a
// slash, and behind other marks where that is not enough. Templates write it with "name".
func nameParts(s string) []string {
	var out []string
	joined := false // the last part ends with a space, where a line may break anyway
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

// codePart is a part of a code, before which a line may break. A Late one is a part of one
// word: in a table, which scrolls in itself, no line breaks there.
type codePart struct {
	Text string
	Late bool
}

// codeParts are the same for code whose lines do not even break at spaces by themselves.
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

// treeParts are a text of a tree, whose column is narrow: names break behind dots, and behind
// underscores where a part is wider than the column.
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

// longBranch is as long as a name in a tree may be that is never broken.
const longBranch = 23

// wordParts cut one word of a name.
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

// steps cut a path before its slashes; those of http:// are none.
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

// longName is as long as a name may be that is never broken: it fits on a phone. A path that
// is never broken also fits where letters are twice as large.
const (
	longName = 31 // a key behind a slash
	longPath = 24
)

// splitBehind cuts a text behind each of some characters.
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
