package pages

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tenor/internal/design"
)

// Every text that the code says is in the catalog, and every text there is said.
func TestCatalog(t *testing.T) {
	all, err := LoadTexts(design.English)
	if err != nil {
		t.Fatal(err)
	}
	source := ""
	for _, pattern := range []string{"*.go", "templates/*.html", "../checkout/*.go", "../checkout/templates/*.html", "../accountpages/*.go", "../accountpages/templates/*.html"} {
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
	made := regexp.MustCompile(`^(f|h|wrong|entity|role|paper|expired|merchant|left|ended|finished|lost|method|slow|foreign|large|broken|fault|mailless|files|case|refused|verify|weekday|month|application|notices|no|role|people|a\.(tab|paid|method|row|state|status|returned)|did)\.`)
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
	if got := all.Say("no.such"); got != "no.such" {
		t.Errorf("a text that is not there is %q", got)
	}
}
