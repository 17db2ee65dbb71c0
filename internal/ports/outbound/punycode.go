package outbound

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// isPunycode reports whether what follows xn-- encodes a label that a registry would register:
// letters, marks and digits in lower case, the first of which is not a mark, at least one of them
// outside ASCII (RFC 5891, 4.2.3). Normal form KC excludes characters that only look different,
// such as circled digits and wide letters.
func isPunycode(ascii string) bool {
	label, ok := decodePunycode(ascii)
	if !ok || len(label) == 0 || unicode.IsMark(label[0]) || !norm.NFKC.IsNormalString(string(label)) {
		return false
	}
	foreign := false
	for _, r := range label {
		if unicode.ToLower(r) != r || !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Nd) && r != '-' && r != '·' {
			return false
		}
		foreign = foreign || r >= utf8.RuneSelf
	}
	return foreign
}

// Parameters of RFC 3492, section 5.
const (
	punyBase, punyMin, punyMax, punySkew, punyDamp = 36, 1, 26, 38, 700
	punyFirstBias, punyFirstRune                   = 72, 128
)

// decodePunycode is the decoding procedure of RFC 3492, section 6.2.
func decodePunycode(text string) ([]rune, bool) {
	var out []rune
	if i := strings.LastIndexByte(text, '-'); i >= 0 {
		out, text = []rune(text[:i]), text[i+1:]
	}
	n, i, bias := punyFirstRune, 0, punyFirstBias
	for first := true; text != ""; first = false {
		delta, rest, ok := punyNumber(text, bias)
		if !ok {
			return nil, false
		}
		text = rest
		size := len(out) + 1
		bias = punyAdapt(delta, size, first)
		i += delta
		n += i / size
		i %= size
		if n > unicode.MaxRune || !utf8.ValidRune(rune(n)) {
			return nil, false
		}
		out = slices.Insert(out, i, rune(n))
		i++
	}
	return out, true
}

// punyNumber decodes a variable-length number at the beginning of a text.
func punyNumber(text string, bias int) (number int, rest string, ok bool) {
	weight := 1
	for k := punyBase; text != ""; k += punyBase {
		digit := strings.IndexByte("abcdefghijklmnopqrstuvwxyz0123456789", text[0])
		text = text[1:]
		if digit < 0 || weight > 64*unicode.MaxRune { // more than any character in any label
			return 0, "", false
		}
		number += digit * weight
		t := min(max(k-bias, punyMin), punyMax)
		if digit < t {
			return number, text, true
		}
		weight *= punyBase - t
	}
	return 0, "", false
}

// punyAdapt is the bias adaptation of section 6.1.
func punyAdapt(delta, size int, first bool) int {
	if first {
		delta /= punyDamp
	} else {
		delta /= 2
	}
	delta += delta / size
	k := 0
	for ; delta > (punyBase-punyMin)*punyMax/2; k += punyBase {
		delta /= punyBase - punyMin
	}
	return k + (punyBase-punyMin+1)*delta/(delta+punySkew)
}
