package design

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Code is source text, syntax-colored, with a copy button: template "code". It has the colors of
// a terminal; a Calm one those of the page, as for responses.
type Code struct {
	Title    string // of its header; "": no header
	Language string // curl, sh, go, php, javascript, python, json, sql; others are not colored
	Text     string
	Calm     bool
	Badge    *Badge // before the title
	Bounded  bool   // it scrolls by itself, so that what is below stays in view
}

// Tabs are several texts that say the same in different languages: template "tabs". Without
// scripts they are stacked. With scripts only one is shown, and the choice applies to every page
// of the origin.
type Tabs struct {
	Label string
	Code  []Code
}

// Piece is a part of a code with its kind; "" is nothing in particular.
type Piece struct{ Kind, Text string }

// Kinds of pieces, as the stylesheet names them.
const (
	word    = "word"    // of the language
	text    = "text"    // a string
	number  = "number"  // also true, false, null
	comment = "comment" //
	name    = "name"    // of a member, an option, a variable
)

// grammar is what coloring needs to know about a language.
type grammar struct {
	comments []string // prefixes of comments to the end of the line
	quotes   string   // delimiters of strings
	words    string
	values   string
	dollar   bool // a dollar starts a variable name
	options  bool // a hyphen starts an option name
	members  bool // a string before a colon is a member name
}

// grammars returns the grammar of a language used on pages.
func grammars(language string) (grammar, bool) {
	const c = "break case continue default else for if return switch"
	switch language {
	case "json":
		return grammar{quotes: `"`, values: "true false null", members: true}, true
	case "curl", "sh", "bash", "shell":
		return grammar{comments: []string{"#"}, quotes: `"'`, words: "curl export if then else fi for do done until while case esac in function local echo printf", dollar: true, options: true}, true
	case "go":
		return grammar{comments: []string{"//"}, quotes: "\"`'", words: c + " chan const defer func go import interface map package range select struct type var", values: "true false nil"}, true
	case "php":
		return grammar{comments: []string{"//", "#"}, quotes: `"'`, words: c + " array as echo exit foreach function fn new throw try catch use namespace class public private static instanceof", values: "true false null", dollar: true}, true
	case "javascript":
		return grammar{comments: []string{"//"}, quotes: "\"'`", words: c + " async await class const export from function import let new throw try catch typeof of in", values: "true false null undefined"}, true
	case "python":
		return grammar{comments: []string{"#"}, quotes: `"'`, words: "and as assert break class continue def elif else except finally for from global if import in is lambda not or pass raise return try while with yield", values: "True False None"}, true
	case "sql":
		return grammar{comments: []string{"--"}, quotes: `'`, words: "SELECT FROM WHERE AND OR INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE PRIMARY KEY NOT NULL ON CONFLICT DO text bigint"}, true
	}
	return grammar{}, false
}

// Pieces splits the text into its pieces. Joined, they are the text.
func (c Code) Pieces() []Piece {
	g, known := grammars(c.Language)
	if !known {
		return []Piece{{"", c.Text}}
	}
	var out []Piece
	add := func(kind, s string) {
		if s == "" {
			return
		}
		if n := len(out); n > 0 && out[n-1].Kind == kind {
			out[n-1].Text += s
			return
		}
		out = append(out, Piece{kind, s})
	}
	for rest, before := c.Text, rune('\n'); rest != ""; {
		kind, n := g.first(rest, before)
		add(kind, rest[:n])
		before, _ = utf8.DecodeLastRuneInString(rest[:n])
		rest = rest[n:]
	}
	return out
}

// first returns the first piece of a text: its kind and its length in bytes. before is the
// character before it.
func (g grammar) first(s string, before rune) (kind string, n int) {
	r, size := utf8.DecodeRuneInString(s)
	for _, begin := range g.comments {
		if strings.HasPrefix(s, begin) && (unicode.IsSpace(before) || begin != "#") {
			return comment, lineEnd(s)
		}
	}
	switch {
	case strings.ContainsRune(g.quotes, r):
		n = stringEnd(s, byte(r))
		if g.members && strings.HasPrefix(strings.TrimLeft(s[n:], " "), ":") {
			return name, n
		}
		return text, n
	case g.dollar && r == '$' && len(s) > 1 && inWord(rune(s[1])):
		return name, 1 + wordEnd(s[1:])
	case g.options && r == '-' && unicode.IsSpace(before) && len(s) > 1 && (inWord(rune(s[1])) || s[1] == '-'):
		end := strings.IndexFunc(s, unicode.IsSpace)
		if end < 0 {
			end = len(s)
		}
		return name, end
	case unicode.IsDigit(r) || r == '-' && len(s) > 1 && s[1] >= '0' && s[1] <= '9' && g.members:
		return number, numberEnd(s)
	case inWord(r):
		n = wordEnd(s)
		return g.kindOf(s[:n]), n
	}
	return "", size
}

func (g grammar) kindOf(s string) string {
	switch {
	case lists(g.words, s):
		return word
	case lists(g.values, s):
		return number
	}
	return ""
}

// lists reports whether a list of words contains a word.
func lists(list, s string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == s {
			return true
		}
	}
	return false
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func wordEnd(s string) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !inWord(r) }); n >= 0 {
		return n
	}
	return len(s)
}

func numberEnd(s string) int {
	for i, r := range s {
		if i > 0 && !unicode.IsDigit(r) && r != '.' && r != '_' {
			return i
		}
	}
	return len(s)
}

func lineEnd(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}

// stringEnd returns where a string at the beginning of a text ends: after the same quote, or at
// the end of the text.
func stringEnd(s string, quote byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return len(s)
}
