package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text written by others, such as a buyer's name or a receiver's response, must not control the
// terminal it is shown on (T30). Table cells are cleaned one by one, because columns need their
// width. The streams are cleaned as well, so that no print statement can forget to.

// Unseen reports whether a character controls the terminal or is invisible instead of being
// shown: a control character, or one that changes the direction of others.
func Unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs)
}

// Clean keeps a foreign text on its line and from controlling the terminal.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if Unseen(r) {
			return '?'
		}
		return r
	}, s)
}

// Shown is a stream for people. Unseen characters are printed as question marks, except line
// ends, tabs and this program's styles.
type Shown struct{ io.Writer }

// Write expects whole characters: a character is not split over two calls.
func (s Shown) Write(b []byte) (int, error) {
	if plainASCII(b) {
		return s.Writer.Write(b)
	}
	if _, err := io.WriteString(s.Writer, cleanLines(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// plainASCII reports whether a text needs no cleaning.
func plainASCII(b []byte) bool {
	for _, c := range b {
		if (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// cleanLines is Clean for a text of several lines, with tabs and styles.
func cleanLines(s string) string {
	var out strings.Builder
	for s != "" {
		if style := leadingStyle(s); style != "" {
			out.WriteString(style)
			s = s[len(style):]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		if s = s[n:]; r != '\n' && r != '\t' && Unseen(r) {
			r = '?'
		}
		out.WriteRune(r)
	}
	return out.String()
}

func leadingStyle(s string) string {
	for _, style := range []string{Bold, Red, Dim, PlainAgain} {
		if strings.HasPrefix(s, style) {
			return style
		}
	}
	return ""
}

// escaped escapes the unseen characters of a JSON document. Its value is the same: within strings
// JSON allows these escapes, and elsewhere it has no such characters.
func escaped(document []byte) []byte {
	if plainASCII(document) {
		return document
	}
	out := make([]byte, 0, len(document)+16)
	for _, r := range string(document) {
		switch {
		case r == '\r': // space between members: in a string it would be escaped
			out = append(out, ' ')
			continue
		case r == '\n' || r == '\t' || !Unseen(r):
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, half := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, half)
		}
	}
	return out
}
