package design

import (
	"regexp"
	"strings"
)

// Run is part of a sentence; a Whole one is not broken at the end of a line. A Mail is broken if
// it is wider than a line.
type Run struct {
	Text        string
	Whole, Mail bool
}

// whole matches what is not broken at the end of a line: dates in each language, telephone
// numbers, EINs, and email addresses, including masked ones, with a following mark; and the word
// e-mail itself.
var whole = regexp.MustCompile(`(?:` + strings.Join([]string{
	`(?:` + months(English) + `) [0-9]{1,2}, [0-9]{4}`,
	`[0-9]{1,2} (?:de )?(?:` + months(Spanish) + `)(?: de)? [0-9]{4}`,
	`(?:\+?1 )?\([0-9]{3}\) [0-9]{3}-[0-9]{4}`,
	`\b[0-9]{2}-[0-9]{7}\b`,
	`[^\s@<>(),;:"]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+`,
	`\b[Ee]-mail(?:s|ed)?\b`,
}, "|") + `)[.,;:!?)]*`)

// dotted splits a line at its dots. Templates use it with "dots": a line may break between two
// parts, without a dot at the break.
func dotted(line string) []string {
	if line == "" {
		return nil
	}
	return dot.Split(line, -1)
}

// dot separates parts of a line, with breaking or non-breaking spaces.
var dot = regexp.MustCompile(`[ \x{a0}]·[ \x{a0}]`)

// Curly replaces straight apostrophes in prose with typographic ones: texts that are also shown
// on terminals use the straight one.
func Curly(text string) string { return straight.ReplaceAllString(text, "$1$3’$2$4") }

// straight matches an apostrophe inside a word, or after the s of a plural.
var straight = regexp.MustCompile(`(\pL)'(\pL)|(s)'(\s)`)

// months returns a language's month names, short and long, as alternatives. Long ones come first,
// since a short one is their prefix.
func months(l Language) string {
	return strings.Join(append(strings.Fields(l.say("months")), strings.Fields(l.say("months.short"))...), "|")
}

// flow splits a sentence into breakable and unbreakable runs.
func flow(text string) (runs []Run) {
	at := 0
	for _, found := range whole.FindAllStringIndex(text, -1) {
		if found[0] > at {
			runs = append(runs, Run{Text: text[at:found[0]]})
		}
		at = found[1]
		runs = append(runs, Run{Text: text[found[0]:at], Whole: true, Mail: strings.Contains(text[found[0]:at], "@")})
	}
	if at < len(text) {
		runs = append(runs, Run{Text: text[at:]})
	}
	return runs
}
