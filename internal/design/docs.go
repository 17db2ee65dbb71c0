package design

import "strings"

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
// may break: behind a slash or a dot, and behind an underscore only if it is very long.
// Templates write it with "name".
func nameParts(s string) []string {
	var out []string
	joined := false // the last part ends with a space, where a line may break anyway
	add := func(part string) {
		if joined && len(out) > 0 {
			out[len(out)-1] += part
		} else {
			out = append(out, part)
		}
		joined = strings.HasSuffix(part, " ")
	}
	for part := range splitBehind(s, "/. ") {
		if len(part) <= longName {
			add(part)
			continue
		}
		for small := range splitBehind(part, "_") {
			add(small)
		}
	}
	return out
}

// longName is as long as a name may be that is never broken: it fits on a phone.
const longName = 30

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
