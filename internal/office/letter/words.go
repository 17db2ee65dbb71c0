package letter

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
)

// Words are what is put into letters besides figures and names, in one language: what an item
// of a list is, what somebody may do. A mail tells them as they are when it is sent.
type Words struct {
	lang string
	all  map[string]string
}

// Speak reads the words of a language; those of the usual one if there are none in it.
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

// Say is a text, with values in the places of {0}, {1} and so on. One that is not there says its
// key, which a test looks for.
func (w Words) Say(key string, args ...string) string {
	text, ok := w.Find(key, args...)
	if !ok {
		return key
	}
	return text
}

// Find is Say; false: there is no such text.
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

// Note puts before a letter, in the language of its reader, that it is there in English only:
// nobody has approved a translation. ask is whom she asks for help with it.
func (r Rendered) Note(w Words, ask string) Rendered {
	note := w.Say("english", clean(ask))
	r.Text = wrapped(note) + "\n" + r.Text
	head, rest, _ := strings.Cut(r.HTML, "<main>\n")
	r.HTML = head + "<main>\n" + `<p lang="` + w.lang + `">` + html.EscapeString(note) + "</p>\n" + rest
	return r
}
