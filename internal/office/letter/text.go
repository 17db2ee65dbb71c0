package letter

import (
	"errors"
	"regexp"
	"strings"
	"text/template"
	"unicode/utf8"
)

// maxLine is the recommended maximum length of a line, and of a subject, in characters (RFC
// 5322).
const maxLine = 78

// text renders a mail as text. A text needs no escaping: its data has no line breaks and no
// other control characters (clean).
func (s shelf) text(x sheet, lang string, members map[string]any) (subject, body string, err error) {
	name := file(lang, x.template, x.version, "txt")
	t, err := template.New("").Option("missingkey=error").ParseFS(s.files, "texts/"+lang+"/frame.txt", name)
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name[strings.LastIndexByte(name, '/')+1:], members); err != nil {
		return "", "", err
	}
	first, rest, _ := strings.Cut(b.String(), "\n")
	subject, ok := strings.CutPrefix(first, "Subject: ")
	if !ok {
		return "", "", errors.New("first line is not a subject")
	}
	return cut(subject, maxLine), wrapped(rest), nil
}

// cut truncates a text to a number of characters.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:most-1]), " ") + "…"
}

// gaps are runs of more than one empty line.
var gaps = regexp.MustCompile(`\n{3,}`)

// wrapped breaks long lines between words. Continuation lines of a list item are indented.
func wrapped(text string) string {
	var b strings.Builder
	for line := range strings.Lines(gaps.ReplaceAllString(strings.Trim(text, "\n"), "\n\n") + "\n") {
		line = strings.TrimRight(line, " \n")
		rest := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(rest)]
		var next string // prefix of the following lines
		if next = indent; strings.HasPrefix(rest, "- ") {
			next += "  "
		}
		out := indent
		for i, word := range strings.Fields(rest) {
			if i > 0 && utf8.RuneCountInString(out)+1+utf8.RuneCountInString(word) > maxLine {
				b.WriteString(out + "\n")
				out = next
			} else if i > 0 {
				out += " "
			}
			out += word
		}
		b.WriteString(out + "\n")
	}
	return b.String()
}
