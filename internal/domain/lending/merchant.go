package lending

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"tenor/internal/domain/credit"
)

// MaxName is the longest name of a merchant or a company, in characters.
const MaxName = 255

// CheckName requires that a name can be shown on a page: not blank, not too long, on one line.
func CheckName(name string) *credit.Rejection {
	n := utf8.RuneCountInString(name)
	printable := !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	if n == 0 || n > MaxName || strings.TrimSpace(name) != name || !utf8.ValidString(name) || !printable {
		return credit.ValidationFailed.Because(fmt.Sprintf("A name must have 1 to %d printable characters, with no leading or trailing space.", MaxName))
	}
	return nil
}
