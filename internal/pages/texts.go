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

// Texts are all texts of the pages by key: the catalog of one language. {0}, {1} and so on are
// placeholders. Texts contain no tags: pages escape them like everything else.
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

// Say returns a text with values in its placeholders. A missing one returns its key, which a test
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
