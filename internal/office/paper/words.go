package paper

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/money"
	"tenor/internal/ui/design"
)

//go:embed texts/*.txt
var texts embed.FS

// read returns the words of a kind in a language.
func read(language, kind string) (string, error) {
	if !slices.Contains(Languages(), language) {
		return "", fmt.Errorf("%w: %q", ErrLanguage, language)
	}
	text, err := texts.ReadFile("texts/" + language + "." + kind + "." + strconv.Itoa(Text) + ".txt")
	return string(text), err
}

// values are the placeholders of the words: pairs of a name in braces and its value. They
// are replaced in one pass, so that braces within a value stay as they are.
type values []string

func (v *values) set(name, value string) { *v = append(*v, "{"+name+"}", value) }

// fill puts the values into a text.
func (v values) fill(text string) string { return strings.NewReplacer(v...).Replace(text) }

// catalogue is words by key: lines of key = words.
type catalogue struct {
	words  map[string]string
	form   string
	values values
}

// readKeys reads the words of a kind that have keys.
func readKeys(language, kind, form string) (*catalogue, error) {
	text, err := read(language, kind)
	if err != nil {
		return nil, err
	}
	c := &catalogue{words: map[string]string{}, form: form}
	for line := range strings.Lines(text) {
		key, words, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if ok && !strings.HasPrefix(key, "#") {
			c.words[key] = words
		}
	}
	return c, nil
}

// has reports whether there are words under a key.
func (c *catalogue) has(key string) bool { return c.find(key) != "" }

// find returns the words of a key for the form.
func (c *catalogue) find(key string) string {
	for _, k := range []string{c.form + "." + key, family(c.form) + "." + key, key} {
		if w, ok := c.words[k]; ok {
			return w
		}
	}
	return ""
}

// say returns the words of a key with the values filled in, and further ones: names and
// values. For a key without words it returns the key, which a test detects.
func (c *catalogue) say(key string, more ...string) string {
	v := slices.Clone(c.values)
	for i := 0; i+1 < len(more); i += 2 {
		v.set(more[i], more[i+1])
	}
	if w := c.find(key); w != "" {
		return v.fill(w)
	}
	return key
}

// hundredths formats an APR, which is in hundredths of a percent.
func hundredths(apr int64) string { return money.Rate(apr * 100).Percent(2) }

// speaker formats amounts and dates in a paper's language.
func speaker(language string) design.Language { return design.Language(language) }
