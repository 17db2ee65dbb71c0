package letter

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

func speak(t *testing.T, lang string) Words {
	t.Helper()
	w, err := Speak(lang)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Every phrase put into letters exists in each language, with the same placeholders, and is
// used. The meaning of a bank's return code is given in English by the code's title, and by
// phrases in the other languages.
func TestWords(t *testing.T) {
	english, other := speak(t, language), speak(t, spanish)
	places := regexp.MustCompile(`\{\d\}`)
	of := func(text string) []string {
		return slices.Compact(slices.Sorted(slices.Values(places.FindAllString(text, -1))))
	}
	for key, text := range english.all {
		got, ok := other.all[key]
		switch {
		case !ok || strings.TrimSpace(got) == "":
			t.Errorf("%s does not say %s", spanish, key)
		case got == text:
			t.Errorf("%s says %s in English", spanish, key)
		case !slices.Equal(of(text), of(got)):
			t.Errorf("%s: %s has not the places of the English text", spanish, key)
		}
	}
	source := sources(t, "../buyer/*.go") + sources(t, "words.go")
	returns := map[string]bool{}
	for _, r := range lending.ReturnCodes() {
		returns["return."+strings.ToLower(string(r.Class))] = true
	}
	for key := range other.all {
		_, said := english.all[key]
		if !said && !returns[key] {
			t.Errorf("%s says %s, and English does not", spanish, key)
		}
		made := slices.ContainsFunc([]string{"role.", "case.", "paid.", "return."}, func(p string) bool { return strings.HasPrefix(key, p) })
		if !made && !strings.Contains(source, `"`+key+`"`) {
			t.Errorf("nothing says %s", key)
		}
	}
	for key := range returns {
		if _, ok := other.Find(key); !ok {
			t.Errorf("%s does not say %s", spanish, key)
		}
	}
	for _, m := range regexp.MustCompile(`words\.Say\("([a-z.]+)"[,)]`).FindAllStringSubmatch(source, -1) {
		if english.Say(m[1]) == m[1] {
			t.Errorf("there is no %s", m[1])
		}
	}
	for _, key := range []string{
		"role." + string(credit.RoleOwner), "role." + string(credit.RoleBuyer), "role." + string(credit.RoleViewer), "case." + string(credit.CaseDispute), "case." + string(credit.CaseQuestion),
		"case." + string(credit.CaseUpheld), "case." + string(credit.CaseRejected), "case." + string(credit.CaseAnswered), "case." + string(credit.CaseWithdrawn),
	} {
		if english.Say(key) == key {
			t.Errorf("there is no %s", key)
		}
	}
	if got := english.Say("order.at", "A-1", "a {2} shop", "$5.00"); got != "Order A-1 at a {2} shop: $5.00" {
		t.Errorf("a value has places: %q", got)
	}
	if got := english.Say("no.such"); got != "no.such" {
		t.Errorf("a text that is not there is %q", got)
	}
	if got := speak(t, "fr-FR"); !maps.Equal(got.all, english.all) {
		t.Error("a language without words is not the usual one")
	}
}

func sources(t *testing.T, pattern string) (all string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v", pattern, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(f, "_test.go") {
			all += string(b)
		}
	}
	return all
}

// A legal notice is unchanged after a line that says, in the reader's language, why it is
// in English.
func TestNote(t *testing.T) {
	for _, name := range notices() {
		version, _ := Latest(name, language)
		r, err := Render(name, version, language, sample(t, name, version, true))
		if err != nil {
			t.Fatal(err)
		}
		got := r.Note(speak(t, spanish), "help <b>")
		if got.Subject != r.Subject || !strings.HasPrefix(got.Text, "Este mensaje está disponible solo en inglés.") || !strings.HasSuffix(got.Text, "\n\n"+r.Text) {
			t.Errorf("%s: the text is\n%s", name, got.Text)
		}
		note := `<p lang="es-US">Este mensaje está disponible solo en inglés. Si necesita ayuda para leerlo, comuníquese con nosotros: help &lt;b&gt;.</p>` + "\n"
		if strings.Replace(got.HTML, note, "", 1) != r.HTML || !strings.Contains(got.HTML, "<main>\n"+note) {
			t.Errorf("%s: the page is\n%s", name, got.HTML)
		}
	}
}
