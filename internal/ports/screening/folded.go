package screening

import (
	"slices"
	"strings"
	"unicode"
)

// fold turns a name into words with normalized spelling: lower case without marks, in Latin
// letters, without words that only describe a firm's legal form. Alternative transliterations are
// unified.
func fold(text string, letters map[rune]string) []string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch plain, known := letters[r]; {
		case known:
			b.WriteString(plain)
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’' || r == '.' || r == '`':
			// A mark on the preceding letter, or punctuation that is not heard: S.A. is SA.
		case unicode.IsLetter(r):
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
	}
	all := strings.Fields(b.String())
	words := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return slices.Contains(forms, w) })
	if len(words) == 0 {
		words = all // a firm whose name consists only of such words
	}
	for i, w := range words {
		words[i] = heard(w)
	}
	return words
}

// heard returns a word roughly as it sounds: for scripts without a fixed spelling in Latin
// letters.
func heard(w string) string {
	w = sounds.Replace(w)
	var b strings.Builder
	var last rune
	for _, r := range w {
		if r != last || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// forms are words for a firm's legal form, and words without meaning.
var forms = []string{
	"inc", "incorporated", "llc", "ltd", "limited", "co", "company", "corp", "corporation", "lp", "llp", "plc", "gmbh", "ag", "sa", "sarl",
	"srl", "spa", "bv", "nv", "oy", "ab", "as", "ooo", "oao", "zao", "pao", "fzco", "fze", "the", "and", "of", "el", "al",
}

// sounds are spellings of one sound, longest first.
var sounds = strings.NewReplacer(
	"shch", "sh", "sch", "sh", "tsch", "ch", "tch", "ch", "kh", "h", "ch", "ch", "sh", "sh", "th", "t", "ph", "f", "ck", "k", "dj", "j", "dzh", "j", "zh", "j",
	"ou", "u", "oo", "u", "ee", "i", "ie", "i", "ei", "i", "ey", "i", "iy", "i", "ay", "ai", "y", "i", "w", "v", "q", "k", "x", "ks", "c", "k",
)

// table maps letters outside the English alphabet to English letters.
func table() map[rune]string {
	m := map[rune]string{
		'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ı': "i", 'ħ': "h",
		'щ': "shch", 'ш': "sh", 'ч': "ch", 'ж': "zh", 'ц': "ts", 'х': "kh", 'ю': "yu", 'я': "ya", 'ё': "e", 'э': "e", 'ъ': "", 'ь': "",
	}
	for _, pair := range []struct{ from, to string }{
		{"àáâãäåāăą", "a"}, {"çćčĉċ", "c"}, {"ďḍ", "d"}, {"èéêëēĕėęě", "e"}, {"ğĝġģ", "g"}, {"ìíîïĩīĭį", "i"}, {"ĵ", "j"}, {"ķ", "k"}, {"ĺļľ", "l"},
		{"ñńņňṅ", "n"}, {"òóôõöōŏő", "o"}, {"ŕŗř", "r"}, {"śŝşšș", "s"}, {"ţťŧțṭ", "t"}, {"ùúûüũūŭůűų", "u"}, {"ŵ", "w"}, {"ýÿŷ", "y"}, {"źżž", "z"},
		{"ĥḥ", "h"},
	} {
		for _, r := range pair.from {
			m[r] = pair.to
		}
	}
	for i, r := range []rune("абвгдезийклмнопрстуфы") {
		m[r] = strings.Split("a b v g d e z i y k l m n o p r s t u f y", " ")[i]
	}
	return m
}
