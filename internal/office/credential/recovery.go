package credential

import (
	"crypto/rand"
	"strings"
	"unicode"
)

// alphabet has no vowels, so that it spells no words, and no characters that look alike.
const alphabet = "23456789bcdfghjkmnpqrstvwxz"

// RecoveryCodes draws codes that replace a one-time code once each: fifteen characters, 71 bits,
// in groups of five.
func RecoveryCodes(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = draw(5) + "-" + draw(5) + "-" + draw(5)
	}
	return out
}

func draw(n int) string {
	out := make([]byte, 0, n)
	var b [1]byte
	for len(out) < n {
		_, _ = rand.Read(b[:]) // never fails
		if int(b[0]) < len(alphabet)*(256/len(alphabet)) {
			out = append(out, alphabet[int(b[0])%len(alphabet)])
		}
	}
	return string(out)
}

// FoldRecovery writes a recovery code as it is compared: however it was typed, without spaces and
// dashes and in lower case.
func FoldRecovery(typed string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '-' || r == '–' {
			return -1
		}
		return unicode.ToLower(r)
	}, typed)
}
