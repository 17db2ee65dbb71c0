package statement

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Latin makes a text one that the fonts of a PDF can show, which know the letters of
// western Europe. Another Latin letter stands without its mark, as Ğ stands as G;
// what is left is a question mark, so that it is seen that something is missing.
// translate is the font's own translation, which says "." of a letter that it lacks.
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

// bare is a letter without its marks.
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
