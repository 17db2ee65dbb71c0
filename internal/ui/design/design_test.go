package design

import (
	"flag"
	"html/template"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var showIn = flag.String("show", "", "a folder to write the test pages to, with their files, to be looked at in a browser")

// pages are the test pages by name: their template and their data.
var pages = []struct {
	name, template string
	view           func(Assets) view
}{
	{"terms", "terms", terms}, {"accept", "accept", accept}, {"business", "business", business},
	{"approved", "decision", approved}, {"review", "decision", inReview}, {"declined", "decision", declined}, {"sink", "sink", sink},
}

func parsed(t testing.TB) *template.Template { return parsedIn(t, English) }

func parsedIn(t testing.TB, l Language) *template.Template {
	t.Helper()
	parts, err := Parts(l)
	if err != nil {
		t.Fatal(err)
	}
	all, err := parts.ParseGlob("testdata/pages/*.html")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func assets(t testing.TB) Assets {
	t.Helper()
	a, err := LoadAssets("/assets/")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func render(t testing.TB, all *template.Template, name string, v any) string {
	t.Helper()
	var b strings.Builder
	if err := all.ExecuteTemplate(&b, name, v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// show writes the pages to where somebody wants to look at them.
func show(t *testing.T, name, page string, a Assets) {
	t.Helper()
	if *showIn == "" {
		return
	}
	for path, f := range a.Files {
		write(t, filepath.Join(*showIn, path), f.Body)
	}
	write(t, filepath.Join(*showIn, name+".html"), []byte(page))
}

func write(t testing.TB, name string, body []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, body, 0o644); err != nil {
		t.Fatal(err)
	}
}
