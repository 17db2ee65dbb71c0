package pages

import (
	"embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tenor/internal/ui/design"
)

//go:embed texts/*.json
var textFiles embed.FS

// Texts are all that the pages say, by key: the catalog of one language. {0}, {1} and so on
// are places for what is put into a text. None has tags: pages escape them as everything.
type Texts map[string]string

// LoadTexts reads the catalog of a language.
func LoadTexts(l design.Language) (Texts, error) {
	b, err := textFiles.ReadFile("texts/" + string(l) + ".json")
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	var x Texts
	if err := json.Unmarshal(b, &x); err != nil {
		return nil, fmt.Errorf("pages: the texts in %s: %w", l, err)
	}
	return x, nil
}

// Say is a text with values in its places. One that is not there says its key, which a test
// looks for.
func (x Texts) Say(key string, args ...any) string {
	text, found := x[key]
	if !found {
		return key
	}
	var pairs []string
	for i, a := range args {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", fmt.Sprint(a))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
