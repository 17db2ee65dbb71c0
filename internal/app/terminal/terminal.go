package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// What others wrote, a buyer's name or a receiver's answer, must not be obeyed by the
// terminal on which it is shown (T30). Cells of tables are cleaned one by one, because
// columns need their width; the streams are cleaned besides, so that no print can forget.

// Unseen says that a character is obeyed or not seen, instead of shown: a control
// character, or one that is invisible or turns the direction of others.
func Unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs)
}

// Clean keeps a text of somebody else on its line and away from the terminal.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if Unseen(r) {
			return '?'
		}
		return r
	}, s)
}

// Shown is a stream for people. What is unseen comes out as a question mark, but for
// ends of lines, tabs and the styles of this program.
type Shown struct{ io.Writer }

// Write writes whole characters: a character is not split over two calls.
func (s Shown) Write(b []byte) (int, error) {
	if plainASCII(b) {
		return s.Writer.Write(b)
	}
	if _, err := io.WriteString(s.Writer, cleanLines(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// plainASCII says that a text needs no look at its characters.
func plainASCII(b []byte) bool {
	for _, c := range b {
		if (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// cleanLines is clean for a text of several lines, with tabs and styles.
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

// escaped is a JSON document in which what is unseen is spelt out. Its value is the same:
// inside of strings JSON knows this spelling, and elsewhere it has no such characters.
func escaped(document []byte) []byte {
	if plainASCII(document) {
		return document
	}
	out := make([]byte, 0, len(document)+16)
	for _, r := range string(document) {
		switch {
		case r == '\r': // space between members: in a string it would be spelt
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
