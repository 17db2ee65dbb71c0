package checkout

import (
	"embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tenor/internal/design"
)

//go:embed texts/*.json
var textFiles embed.FS

// texts are all that the pages say, by key: the catalog of one language. {0}, {1} and so on
// are places for what is put into a text. None has tags: pages escape them as everything.
type texts map[string]string

func loadTexts(l design.Language) (texts, error) {
	b, err := textFiles.ReadFile("texts/" + string(l) + ".json")
	if err != nil {
		return nil, fmt.Errorf("checkout: %w", err)
	}
	var x texts
	if err := json.Unmarshal(b, &x); err != nil {
		return nil, fmt.Errorf("checkout: the texts in %s: %w", l, err)
	}
	return x, nil
}

// say is a text with values in its places. One that is not there says its key, which a test
// looks for.
func (x texts) say(key string, args ...any) string {
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
