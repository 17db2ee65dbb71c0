package rest

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxCombining is the longest run of combining marks that a name in any living script
// needs, with a margin; longer runs only break the page that shows them.
const maxCombining = 8

// cleanText returns s in Unicode normal form C, in which it is stored, compared and
// counted. It is refused if a character is invisible or changes the order of others:
// control characters, format characters (zero-width ones, direction marks and overrides,
// byte order marks), line and paragraph separators, private and unassigned ones, invisible
// letters. Emoji and variation selectors pass, joiners do not. lines also allows the line
// feed.
func cleanText(s string, lines bool) (string, bool) {
	if plainASCII(s) {
		return s, true
	}
	if !utf8.ValidString(s) {
		return "", false
	}
	s = norm.NFC.String(s)
	run := 0
	for _, r := range s {
		if r == '\n' && lines {
			run = 0
			continue
		}
		if !visible(r) {
			return "", false
		}
		if !unicode.Is(unicode.M, r) {
			run = 0
		} else if run++; run > maxCombining {
			return "", false
		}
	}
	return s, true
}

func plainASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func visible(r rune) bool {
	switch r {
	case 0xFE0E, 0xFE0F: // text or picture form of an emoji
		return true
	case 0x2800: // the empty braille pattern
		return false
	}
	return unicode.IsGraphic(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
