package web

import (
	"strings"
)

// PlainCell keeps a spreadsheet from treating a text chosen by somebody else as a formula.
func PlainCell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
