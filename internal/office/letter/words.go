package letter

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
)

// Words are the phrases put into letters in addition to figures and names, in one language: the
// name of a list item, what a role permits. A mail uses those current when it is sent.
type Words struct {
	lang string
	all  map[string]string
}

// Speak reads the words of a language, or the usual one's if there are none.
func Speak(lang string) (w Words, err error) {
	b, err := texts.ReadFile("texts/" + lang + "/words.json")
	if err != nil {
		lang = Usual
		if b, err = texts.ReadFile("texts/" + lang + "/words.json"); err != nil {
			return w, fmt.Errorf("letter: %w", err)
		}
	}
	w.lang = lang
	if err := json.Unmarshal(b, &w.all); err != nil {
		return w, fmt.Errorf("letter: texts in %s: %w", lang, err)
	}
	return w, nil
}

// Say returns a text, with values in place of {0}, {1} and so on. For a missing text it
// returns the key, which a test detects.
func (w Words) Say(key string, args ...string) string {
	text, ok := w.Find(key, args...)
	if !ok {
		return key
	}
	return text
}

// Find is Say; false if there is no such text.
func (w Words) Find(key string, args ...string) (text string, ok bool) {
	if text, ok = w.all[key]; !ok {
		return "", false
	}
	var pairs []string
	for i, a := range args {
		pairs = append(pairs, fmt.Sprintf("{%d}", i), a)
	}
	return strings.NewReplacer(pairs...).Replace(text), true
}

// Note prefixes a letter, in the reader's language, with a line that it exists only in
// English because no translation has been approved. ask is whom to ask for help with it.
func (r Rendered) Note(w Words, ask string) Rendered {
	note := w.Say("english", clean(ask))
	r.Text = wrapped(note) + "\n" + r.Text
	head, rest, _ := strings.Cut(r.HTML, "<main>\n")
	r.HTML = head + "<main>\n" + `<p lang="` + w.lang + `">` + html.EscapeString(note) + "</p>\n" + rest
	return r
}
