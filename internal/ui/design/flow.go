package design

import (
	"regexp"
	"strings"
)

// Run is a part of a sentence; one that is Whole is not broken at the end of a line. A Mail is
// broken where it is wider than a line.
type Run struct {
	Text        string
	Whole, Mail bool
}

// whole finds what is not broken at the end of a line: dates as the languages write them,
// telephone numbers, EINs, and e-mails, masked ones too, with the mark that follows; and the word
// e-mail itself.
var whole = regexp.MustCompile(`(?:` + strings.Join([]string{
	`(?:` + months(English) + `) [0-9]{1,2}, [0-9]{4}`,
	`[0-9]{1,2} (?:de )?(?:` + months(Spanish) + `)(?: de)? [0-9]{4}`,
	`(?:\+?1 )?\([0-9]{3}\) [0-9]{3}-[0-9]{4}`,
	`\b[0-9]{2}-[0-9]{7}\b`,
	`[^\s@<>(),;:"]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+`,
	`\b[Ee]-mail(?:s|ed)?\b`,
}, "|") + `)[.,;:!?)]*`)

// dotted are the parts of a line that are parted by dots. Templates write it with "dots": a
// line may break between two of them, and no dot stands at an end of it.
func dotted(line string) []string {
	if line == "" {
		return nil
	}
	return dot.Split(line, -1)
}

// dot parts a line, with spaces that may break or not.
var dot = regexp.MustCompile(`[ \x{a0}]·[ \x{a0}]`)

// Curly is a text of prose with the apostrophe that pages have: texts that are also shown on
// terminals are written with the straight one.
func Curly(text string) string { return straight.ReplaceAllString(text, "$1$3’$2$4") }

// straight finds an apostrophe inside of a word, or behind the s of a plural.
var straight = regexp.MustCompile(`(\pL)'(\pL)|(s)'(\s)`)

// months are the names of a language's months, short and long, as alternatives. Long ones come
// first: a short one begins them.
func months(l Language) string {
	return strings.Join(append(strings.Fields(l.say("months")), strings.Fields(l.say("months.short"))...), "|")
}

// flow cuts a sentence into what may be broken and what may not.
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
