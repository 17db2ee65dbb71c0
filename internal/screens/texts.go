package screens

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"
)

//go:embed texts/*.json
var textFiles embed.FS

// language is that of the pages.
const language = "en-US"

// texts are all that the pages say, by key: a catalogue of one language. A text may have
// marks of HTML and the places {0}, {1}, … for what is put into it.
type texts map[string]string

func loadTexts(language string) (texts, error) {
	b, err := textFiles.ReadFile("texts/" + language + ".json")
	if err != nil {
		return nil, fmt.Errorf("screens: %w", err)
	}
	var x texts
	if err := json.Unmarshal(b, &x); err != nil {
		return nil, fmt.Errorf("screens: the texts in %s: %w", language, err)
	}
	return x, nil
}

// put fills the places of a text.
func (x texts) put(key string, written []string) string {
	var pairs []string
	for i, w := range written {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", w)
	}
	return strings.NewReplacer(pairs...).Replace(x[key])
}

// html is a text on a page. What is put into it is escaped, unless it is HTML already.
func (x texts) html(key string, args ...any) (template.HTML, error) {
	if _, found := x[key]; !found {
		return "", fmt.Errorf("screens: there is no text %s", key)
	}
	written := make([]string, len(args))
	for i, a := range args {
		if h, safe := a.(template.HTML); safe {
			written[i] = string(h)
			continue
		}
		written[i] = template.HTMLEscapeString(fmt.Sprint(a))
	}
	return template.HTML(x.put(key, written)), nil
}

// say is a text without marks, to be escaped by the page that it comes on; the key itself
// if there is none.
func (s *Screens) say(key string, args ...any) string {
	if _, found := s.site.texts[key]; !found {
		return key
	}
	written := make([]string, len(args))
	for i, a := range args {
		written[i] = fmt.Sprint(a)
	}
	return s.site.texts.put(key, written)
}

// functions are what templates call.
func (s *site) functions() template.FuncMap {
	return template.FuncMap{
		"t":    func(key string, args ...any) (template.HTML, error) { return s.texts.html(key, args...) },
		"path": url.PathEscape,
		"word": func(kind, name string) string { // a name that the pages may not know yet
			if text, found := s.texts[kind+name]; found {
				return text
			}
			return name
		},
		"code": func(text string) template.HTML {
			return template.HTML("<code>" + template.HTMLEscapeString(text) + "</code>")
		},
		"link": func(path string, text any) template.HTML {
			shown, marked := text.(template.HTML)
			if !marked {
				shown = template.HTML(template.HTMLEscapeString(fmt.Sprint(text)))
			}
			return template.HTML(`<a href="`+template.HTMLEscapeString(path)+`">`) + shown + "</a>"
		},
		"instant": func(m moment) (template.HTML, error) {
			if m.Machine == "" {
				return s.texts.html("time.now")
			}
			e := template.HTMLEscapeString
			return template.HTML(`<time datetime="` + e(m.Machine) + `" title="` + e(m.Full) + `">` + e(m.Text) + "</time>"), nil
		},
	}
}
