package statement

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Latin makes a text displayable with the fonts of a PDF, which have the letters of western
// Europe. Other Latin letters lose their mark, as Ğ becomes G; anything else becomes a
// question mark, to show that something is missing. translate is the font's own
// translation, which returns "." for a letter it lacks.
func Latin(text string, translate func(string) string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(text) {
		if shown := translate(string(r)); r == '.' || shown != "." {
			b.WriteString(shown)
			continue
		}
		b.WriteString(bare(r, translate))
	}
	return b.String()
}

// bare returns a letter without its marks.
func bare(r rune, translate func(string) string) string {
	if base, found := map[rune]string{'Ł': "L", 'ł': "l", 'Đ': "D", 'đ': "d", 'Ħ': "H", 'ħ': "h", 'ı': "i", 'Ŧ': "T", 'ŧ': "t"}[r]; found {
		return base
	}
	var b strings.Builder
	for _, base := range norm.NFKD.String(string(r)) {
		if unicode.Is(unicode.Mn, base) {
			continue
		}
		shown := translate(string(base))
		if shown == "." {
			return "?"
		}
		b.WriteString(shown)
	}
	return b.String()
}
