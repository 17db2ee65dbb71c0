package sandboxui

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"
)

//go:embed texts/*.json
var textFiles embed.FS

// language is that of the pages.
const language = "en-US"

// texts are all that the pages say, by key: a catalogue of one language. A text may have
// tags of HTML, and places for what is put into it: {0}, {1}, …, and {0:time} for an
// instant.
type texts map[string]string

func loadTexts(language string) (texts, error) {
	b, err := textFiles.ReadFile("texts/" + language + ".json")
	if err != nil {
		return nil, fmt.Errorf("sandboxui: %w", err)
	}
	var x texts
	if err := json.Unmarshal(b, &x); err != nil {
		return nil, fmt.Errorf("sandboxui: the texts in %s: %w", language, err)
	}
	return x, nil
}

// into makes each text a template "text KEY" of a page's templates. So what is put into a
// text is escaped as everywhere, by where it stands: in a tag, an address or a sentence.
func (x texts) into(t *template.Template) error {
	place := regexp.MustCompile(`\{([0-9])(:time)?\}`)
	for key, text := range x {
		body := place.ReplaceAllStringFunc(text, func(p string) string {
			m := place.FindStringSubmatch(p)
			if m[2] != "" {
				return `{{template "instant" (index . ` + m[1] + `)}}`
			}
			return `{{index . ` + m[1] + `}}`
		})
		if _, err := t.New("text " + key).Parse(body); err != nil {
			return fmt.Errorf("sandboxui: the text %s: %w", key, err)
		}
	}
	return nil
}

// say is a text without tags, to be escaped by the page that it comes on; the key itself
// if there is none.
func (s *Screens) say(key string, args ...any) string {
	text, found := s.site.texts[key]
	if !found {
		return key
	}
	var pairs []string
	for i, a := range args {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", fmt.Sprint(a))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// grouped is a number with its thousands parted: 1,021.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// functions are what templates call.
func (s *site) functions() template.FuncMap {
	return template.FuncMap{
		"list":    func(args ...any) []any { return args },
		"grouped": grouped,
		"word": func(kind, name string) string { // a name that the pages may not know yet
			if text, found := s.texts[kind+name]; found {
				return text
			}
			return name
		},
	}
}
