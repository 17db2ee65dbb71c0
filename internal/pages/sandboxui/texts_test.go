package sandboxui

import (
	"html/template"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dynamic are prefixes of keys that end in a value.
var dynamic = []string{"behavior.", "language.", "step.", "clock.", "span.", "failure.title.", "kind.", "bar.act.", "story.events.", "home.since.", "request.key.replays.", "hooks.ends.", "hooks.held.", "next."}

// Every text of the catalog is used, and every used one exists.
func TestTexts(t *testing.T) {
	all, err := loadTexts(language)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	read := func(text string, pattern string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			used[m[1]] = true
		}
	}
	templates, _ := fs.Glob(templateFiles, "templates/*.html")
	for _, name := range templates {
		b, err := templateFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		read(string(b), `template "text ([a-z0-9_.]+)"`)
	}
	files, _ := fs.Glob(os.DirFS("."), "*.go")
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		read(string(b), `say\("([a-z0-9_.]+[a-z0-9])"`)
	}
	for key := range used {
		if all[key] == "" {
			t.Errorf("there is no text %s", key)
		}
	}
	for key := range all {
		if !used[key] && !slices.ContainsFunc(dynamic, func(d string) bool { return strings.HasPrefix(key, d) }) {
			t.Errorf("nothing says %s", key)
		}
	}
	for _, x := range []struct {
		prefix string
		names  []string
	}{
		{"step.", []string{"headers", "timestamp", "signed_text", "secret", "computed", "given", "verdict"}},
		{"clock.", []string{"advance", "freeze", "resume", "unknown", "date", "state.frozen", "state.running", "state.moving"}},
		{"kind.", []string{"order", "company", "checkout", "payment", "payout", "application", "invoice", "webhook"}},
		{"bar.act.", []string{"next", "day", "week", "month", "freeze", "resume"}},
		{"story.events.", []string{"one", "many"}}, {"request.key.replays.", []string{"none", "one", "many"}}, {"hooks.ends.", []string{"one", "many"}}, {"hooks.held.", []string{"one", "many"}}, {"home.since.", []string{"one", "many"}},
		{"next.", []string{"order", "order.called", "company", "order.autopay", "order.due", "order.reminder", "order.expires", "order.expiring", "company.called", "transfer", "other"}},
		{"span.", []string{"day.one", "day.many", "hour.one", "hour.many", "minute.one", "minute.many", "second.one", "second.many"}},
		{"failure.title.", []string{"400", "403", "404", "405", "413", "421", "500"}},
		{"behavior.", []string{"accept", "fail", "gone", "redirect", "busy", "slow", "time_out", "lose_response"}},
	} {
		for key := range all {
			if name, found := strings.CutPrefix(key, x.prefix); found && !slices.Contains(x.names, name) {
				t.Errorf("nothing says %s", key)
			}
		}
		for _, name := range x.names {
			if all[x.prefix+name] == "" {
				t.Errorf("there is no text %s", x.prefix+name)
			}
		}
	}
}

// spoken returns the words on a page from outside the catalog: those outside the marks of the
// pseudo-language, except for code with its languages, times, marks, and API responses.
func spoken(page string) string {
	drop := func(pattern string) { page = regexp.MustCompile(pattern).ReplaceAllString(page, " ") }
	drop(`(?s)<(code|time|textarea|figcaption)\b.*?</(code|time|textarea|figcaption)>`)
	drop(`<span class="hl-[a-z]+">[^<]*</span>|<span [^>]*aria-hidden="true">[^<]*</span>`)
	drop(`<span class="shut">[^<]*</span>`)
	drop(`<[^>]*>`)
	for strings.Contains(page, "⟦") {
		before := page
		if drop(`⟦[^⟦⟧]*⟧`); page == before {
			return "marks that do not match: " + page
		}
	}
	page = strings.NewReplacer("Skip to content", "", "Copy", "", "There is no such resource.", "", "not_found", "", "Tenor", "", "http://localhost:8080", "").Replace(page)
	drop(`&#?[a-z0-9]+;`)
	drop(`\b[2-5]xx\b|\b(GET|POST|PUT|PATCH|DELETE)\b( */ ?v1 ?/ ?order ?/ ?ord ?_ ?0(\?a=)?)?`)
	drop(`\b(r|s|rcv_|evt_|mail_|dlv_|ord_|pay_|chk_|req_|log_|cli_)[0-9]+\b`)
	drop(`\b(passing|failing|unknown)\b`)
	return strings.Join(regexp.MustCompile(`\pL+`).FindAllString(page, -1), " ")
}

// In a language whose texts are all enclosed in marks, no page has words outside them, not even
// in a label.
func TestEveryTextIsInTheCatalogue(t *testing.T) {
	for _, n := range []int{0, 1, 3} {
		s, a, _ := world(t, "9", n)
		marked := texts{}
		for key, text := range s.site.texts {
			marked[key] = "⟦" + text + "⟧"
		}
		var err error
		if s.site, err = newSite(s.config, marked); err != nil {
			t.Fatal(err)
		}
		in := enter(t, s)
		all := map[string]string{}
		for at, page := range pages(t, s, a, n) {
			all[at] = page
		}
		for _, act := range []string{"freeze", "resume", "day", "dance"} { // notices about what was done
			for _, verb := range []string{"advance", "freeze", "resume"} {
				a.answers["POST /v1/sandbox/clock/"+verb] = object{}
			}
			call(s, "POST", "/sandbox/clock", map[string][]string{"key": {"text " + act}, "act": {act}}, in)
			all[act] = call(s, "GET", "/sandbox/webhooks", nil, in).Body.String()
		}
		for at, page := range all {
			if rest := spoken(page); rest != "" {
				t.Errorf("%d of each, %s: %q is in no catalogue", n, at, rest)
			}
			for _, e := range read(t, s, page) {
				for _, name := range []string{"aria-label", "placeholder"} {
					if e.Has(name) && !strings.HasPrefix(e.Attr(name), "⟦") && !slices.Contains([]string{"Menu", "JSON", "Copy the code", "On the command line"}, e.Attr(name)) { // the design's own
						t.Errorf("%s: the %s %q is in no catalogue", at, name, e.Attr(name))
					}
				}
			}
		}
	}
}

// A text keeps its tags; inserted values cannot add tags or placeholders.
func TestTextsEscape(t *testing.T) {
	all := template.New("").Funcs((&site{}).functions())
	if err := (texts{"a": `<a href="/x/{0}">{0}</a> of {1}`}).into(all); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := all.ExecuteTemplate(&b, "text a", []any{`"<b> {1}`, 7}); err != nil {
		t.Fatal(err)
	}
	if want := `<a href="/x/%22%3cb%3e%20%7b1%7d">&#34;&lt;b&gt; {1}</a> of 7`; b.String() != want {
		t.Errorf("%s, want\n%s", b.String(), want)
	}
	if err := (texts{"b": "{{"}).into(all); err == nil {
		t.Error("a text that is none is taken")
	}
	if _, err := loadTexts("xx"); err == nil {
		t.Error("a language that is not there is spoken")
	}
}
