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

// language is the language of the pages.
const language = "en-US"

// texts are all texts of the pages by key: the catalog of one language. A text may contain HTML
// tags, and placeholders: {0}, {1}, …, and {0:time} for an instant.
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

// into turns each text into a template "text KEY". So inserted values are escaped depending on
// their context: in a tag, an address or a sentence.
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

// say returns a text without tags, which the page escapes; the key itself if there is none.
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

// grouped formats a number with a thousands separator: 1,021.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// functions are the template functions.
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
