package webtest

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A pseudo-locale is a language that nobody speaks: the English texts with accents, in
// brackets and longer. What a page shows outside of brackets does not come from a catalog, and
// has to be data.

const open, closed = "⟦", "⟧"

// longer is by how much a text grows, in percent: as much as other languages need.
const longer = 40

// place is where a value goes.
var place = regexp.MustCompile(`\{\d+\}`)

// Pseudo is a text of a catalog in the pseudo-locale. Places for values stay.
func Pseudo(text string) string {
	accents := strings.NewReplacer("a", "á", "e", "é", "i", "í", "o", "ó", "u", "ú", "n", "ñ", "c", "ç", "A", "Á", "E", "É", "I", "Í", "O", "Ó", "U", "Ú", "N", "Ñ", "C", "Ç")
	return open + accents.Replace(text) + strings.Repeat("~", (utf8.RuneCountInString(place.ReplaceAllString(text, ""))*longer+99)/100) + closed
}

// word is a run of letters. What an address or a number is made of is none.
var word = regexp.MustCompile(`^[(“"'¿]*(\pL[\pL’'-]*)[)”"'.,:;?!…]*$`)

// Untranslated are the words that a page shows outside of brackets: as text, or in what is read
// out or stands in a field that is empty.
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

// unbracketed is what is left of a text without what stands in brackets, which may hold others.
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
