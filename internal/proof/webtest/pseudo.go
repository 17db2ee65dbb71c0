package webtest

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A pseudo-locale is a language that nobody speaks: the English texts with accents, in brackets,
// and longer. What a page shows outside brackets does not come from a catalog, and has to be
// data.

const open, closed = "⟦", "⟧"

// longer is by how many percent a text grows: as much as other languages need.
const longer = 40

// place matches a placeholder for a value.
var place = regexp.MustCompile(`\{\d+\}`)

// Pseudo returns a catalog text in the pseudo-locale. Placeholders stay.
func Pseudo(text string) string {
	accents := strings.NewReplacer("a", "á", "e", "é", "i", "í", "o", "ó", "u", "ú", "n", "ñ", "c", "ç", "A", "Á", "E", "É", "I", "Í", "O", "Ó", "U", "Ú", "N", "Ñ", "C", "Ç")
	return open + accents.Replace(text) + strings.Repeat("~", (utf8.RuneCountInString(place.ReplaceAllString(text, ""))*longer+99)/100) + closed
}

// word matches a run of letters. Parts of addresses and numbers do not match.
var word = regexp.MustCompile(`^[(“"'¿]*(\pL[\pL’'-]*)[)”"'.,:;?!…]*$`)

// Untranslated returns the words that a page shows outside brackets: as text, in what is read
// aloud, or as a placeholder of an empty field.
func Untranslated(all []Element) (out []string) {
	for _, e := range all {
		texts := []string{e.Attr("aria-label"), e.Attr("placeholder"), e.Attr("title"), e.Attr("alt")}
		if e.Name != "style" && e.Name != "script" {
			texts = append(texts, e.Text)
		}
		for _, text := range texts {
			for _, w := range strings.Fields(unbracketed(text)) {
				if m := word.FindStringSubmatch(w); m != nil {
					out = append(out, m[1])
				}
			}
		}
	}
	return out
}

// unbracketed returns a text without its bracketed parts, which may be nested.
func unbracketed(text string) string {
	var b strings.Builder
	depth := 0
	for _, r := range text {
		switch {
		case string(r) == open:
			depth++
		case string(r) == closed && depth > 0:
			depth--
			b.WriteByte(' ')
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}
