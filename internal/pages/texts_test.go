package pages

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenor/internal/ui/design"
)

// Every text used in the code is in the catalog, and every text there is used.
func TestCatalog(t *testing.T) {
	all, err := LoadTexts(design.English)
	if err != nil {
		t.Fatal(err)
	}
	source := ""
	for _, pattern := range []string{"*.go", "templates/*.html", "checkout/*.go", "checkout/templates/*.html", "accountpages/*.go", "accountpages/templates/*.html"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			source += string(b)
		}
	}
	for _, m := range regexp.MustCompile(`(?:\bSay\(|\btext |v\.link\()"([a-z_0-9.]*[a-z_0-9])"[,)} ]`).FindAllStringSubmatch(source, -1) {
		if _, ok := all[m[1]]; !ok {
			t.Errorf("the catalog lacks %s", m[1])
		}
	}
	made := regexp.MustCompile(`^(f|h|wrong|entity|role|paper|expired|merchant|left|ended|finished|lost|method|slow|foreign|large|broken|fault|mailless|files|case|refused|verify|weekday|month|application|notices|no|role|people|a\.(tab|paid|method|row|state|status|returned|invoice)|did)\.`)
	done := map[string]bool{}
	for _, m := range regexp.MustCompile(`v\.done\(.*, "([a-z]+)"\)`).FindAllStringSubmatch(source, -1) {
		done["did."+m[1]], done["did."+m[1]+".more"] = true, true
		if all["did."+m[1]] == "" || all["did."+m[1]+".more"] == "" {
			t.Errorf("the catalog does not say that %s was done", m[1])
		}
	}
	for key := range all {
		if strings.HasPrefix(key, "did.") && !done[key] {
			t.Errorf("nothing says %s", key)
		}
		if !strings.Contains(source, `"`+key+`"`) && !made.MatchString(key) {
			t.Errorf("nothing says %s", key)
		}
	}
	for _, name := range append(BusinessNames(), PersonNames()...) {
		if name == "trading_name" || name == "industry" {
			continue
		}
		if all["wrong."+name] == "" || all["f."+name] == "" {
			t.Errorf("the catalog does not say what is wrong with %s", name)
		}
	}
	checkTranslations(t, all)
	if got := all.Say("no.such"); got != "no.such" {
		t.Errorf("a text that is not there is %q", got)
	}
}

// checkTranslations requires that every other language has all English texts, with the same
// placeholders, and none in English.
func checkTranslations(t *testing.T, english Texts) {
	t.Helper()
	places := regexp.MustCompile(`\{\d\}`)
	// alike are texts that are the same in both languages; those without letters need not be listed.
	alike := []string{"entity.LLC", "paper.pdf"}
	letters := regexp.MustCompile(`\pL`)
	for _, l := range design.Languages()[1:] {
		all, err := LoadTexts(l)
		if err != nil {
			t.Fatal(err)
		}
		for key, text := range english {
			got := all[key]
			switch {
			case strings.TrimSpace(got) == "":
				t.Errorf("%s does not say %s", l, key)
			case got == text && letters.MatchString(places.ReplaceAllString(text, "")) && !slices.Contains(alike, key):
				t.Errorf("%s says %s in English: %s", l, key, text)
			case !maps.Equal(placesOf(places, text), placesOf(places, got)):
				t.Errorf("%s: %s has not the places of the English text: %s", l, key, got)
			}
		}
		for key := range all {
			if english[key] == "" {
				t.Errorf("%s says %s, and English does not", l, key)
			}
		}
	}
}

// placesOf returns the matches in a text. A text may repeat a value that another has once.
func placesOf(x *regexp.Regexp, text string) map[string]bool {
	n := map[string]bool{}
	for _, m := range x.FindAllString(text, -1) {
		n[m] = true
	}
	return n
}
