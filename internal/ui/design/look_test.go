package design

import (
	"strings"
	"testing"

	"tenor/internal/proof/webtest"
)

// read parses a page without its own script file, which the rest must do without.
func read(t testing.TB, at, page string, a Assets) []webtest.Element {
	t.Helper()
	page = strings.Replace(page, `<script src="`+a.Copy+`" defer></script>`, "", 1)
	all := webtest.Read(t, strings.TrimPrefix(page, "<!doctype html>\n"))
	webtest.CheckSafe(t, at, all)
	webtest.CheckForm(t, at, all)
	return all
}

// Every page is well-formed, contains nothing that a strict policy would block, is navigable, and
// uses only classes in the stylesheet.
func TestPages(t *testing.T) {
	all, a := parsed(t), assets(t)
	sheet := string(a.Files[a.CSS].Body)
	for _, p := range pages {
		page := render(t, all, p.template, p.view(a))
		show(t, p.name, page, a)
		elements := read(t, p.name, page, a)
		webtest.CheckClasses(t, p.name, elements, sheet)
		for _, e := range elements {
			if e.Has("style") || strings.HasPrefix(e.Name, "on") {
				t.Errorf("%s: <%s> has a look of its own", p.name, e.Name)
			}
		}
		checkPrimary(t, p.name, elements)
		checkGroups(t, p.name, elements)
	}
}

// checkPrimary requires that a page has one action in the accent color. The page of all parts has
// the actions of several pages.
func checkPrimary(t *testing.T, at string, all []webtest.Element) {
	t.Helper()
	n := 0
	for _, e := range all {
		if has(e, "btn") && !e.Has("data-variant") && !e.Has("disabled") {
			n++
		}
	}
	if n != 1 && at != "sink" {
		t.Errorf("%s: %d primary acts", at, n)
	}
}

// checkGroups requires that a group states its name first, that errors are shown at the field,
// and that nothing is preselected.
func checkGroups(t *testing.T, at string, all []webtest.Element) {
	t.Helper()
	ids := map[string]bool{}
	for _, e := range all {
		ids[e.Attr("id")] = true
	}
	for i, e := range all {
		switch {
		case e.Name == "fieldset" && all[i+1].Name != "legend":
			t.Errorf("%s: a fieldset begins with <%s>", at, all[i+1].Name)
		case e.Attr("aria-invalid") == "true" && !e.Has("aria-describedby") && e.Attr("type") != "radio":
			t.Errorf("%s: #%s is wrong, and does not say why", at, e.Attr("id"))
		case e.Has("checked") && at != "sink":
			t.Errorf("%s: #%s was chosen for somebody", at, e.Attr("id"))
		case e.Name == "a" && strings.HasPrefix(e.Attr("href"), "#") && !ids[e.Attr("href")[1:]]:
			t.Errorf("%s: a link leads to %s, which is not there", at, e.Attr("href"))
		case e.Name == "svg" && e.Attr("aria-hidden") != "true" && e.Attr("aria-label") == "":
			t.Errorf("%s: a drawing says nothing", at)
		}
	}
}

func has(e webtest.Element, class string) bool {
	for _, c := range strings.Fields(e.Attr("class")) {
		if c == class {
			return true
		}
	}
	return false
}

// A form that comes back lists its errors at the top, with links, and in the same words at the
// fields; its title begins with it, and the list has the focus.
func TestErrors(t *testing.T) {
	a := assets(t)
	page := render(t, parsed(t), "business", business(a))
	for _, want := range []string{
		"<title>Error: Your business – Harbor Supply</title>", "Two answers need another look", `href="#ein">Enter a 9-digit EIN, like 12-3456789</a>`,
		`aria-invalid="true" aria-describedby="ein-hint ein-error"`, `<span class="sr-only">Error: </span>Enter a 9-digit EIN, like 12-3456789`, `role="alert" tabindex="-1" aria-labelledby="errors-title" autofocus`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if got := render(t, parsed(t), "summary", Summarize(Field{Name: "a"}, Choices{Name: "b"}, Check{Name: "c"}, Set{ID: "d"})); strings.TrimSpace(got) != "" {
		t.Errorf("where nothing is wrong the summary says %q", got)
	}
	got := Summarize(Choices{Name: "b", Error: "two"}, Check{Name: "c", Error: "three"}, Set{ID: "d", Error: "four", Fields: []Field{{Name: "e"}, {Name: "f", Error: "five"}}}).Problems
	want := []Problem{{"b", "two"}, {"c", "three"}, {"f", "four"}}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("problem %d is %v instead of %v", i, got[i], want[i])
		}
	}
}

// Merchant, total, step, way back and help are on every page of a checkout, and only once for
// screen readers.
func TestShellOfCheckout(t *testing.T) {
	all, a := parsed(t), assets(t)
	for _, p := range pages {
		if p.name == "sink" {
			continue
		}
		page := render(t, all, p.template, p.view(a))
		for text, n := range map[string]int{
			`href="/c/T/help">Help</a>`: 1, `href="/c/T/leave"><span class="max-sm:hidden">Back to the shop`: 1, "Financing by Example Lender": 1, ">$1,200.00</span></summary>": 1, "<html lang=\"en-US\">": 1,
		} {
			if p.name == "declined" && strings.Contains(text, "help") {
				n = 2 // its quiet action leads there, too
			}
			if got := strings.Count(page, text); got != n {
				t.Errorf("%s: %q stands there %d times", p.name, text, got)
			}
		}
	}
	if page := render(t, all, "terms", terms(a)); !strings.Contains(page, `<li class="font-medium text-foreground" aria-current="step">Terms</li>`) || !strings.Contains(page, "Step 3 of 5") {
		t.Error("the page does not say at which step it is")
	}
	app := render(t, all, "sink", sink(a))
	if !strings.Contains(app, `<html class="auto" lang="en-US">`) {
		t.Error("a page to work with does not follow the system's light or dark")
	}
}

// Texts have no effect on a page's markup: whatever they contain, its tags are the same.
func TestHostileTexts(t *testing.T) {
	all, a := parsed(t), assets(t)
	with := func(text string) view {
		v := business(a)
		s := v["Shell"].(Checkout)
		s.Merchant, s.Lender, s.Order = text, text, &Order{At: text, Lines: []Line{{text, text, 1}}, Total: 1}
		s.Notices = []Notice{{Icon: "lock", Title: text, Text: text}}
		v["Shell"], v["Title"] = s, Title{Text: text, Lead: text}
		v["Business"] = []Field{{Name: "a", Label: text, Hint: text, Error: text, Value: text, Prefix: text}, {Name: "b", Label: text, Value: text, Rows: 2}, {Name: "c", Label: text, Value: text, Options: []Option{{text, text}}}}
		v["Acts"] = []Button{{Text: text, Emphasis: Primary, Value: text, Name: "n", Tag: text}}
		return v
	}
	want := webtest.Skeleton(read(t, "plain", render(t, all, "business", with("a text")), a))
	for i, text := range webtest.Hostile() {
		if got := webtest.Skeleton(read(t, "hostile", render(t, all, "business", with(text)), a)); got != want {
			t.Errorf("text %d changes the tags: %s", i, webtest.Difference(got, want))
		}
	}
}

// No page shows the key of a missing text.
func TestTextsAreThere(t *testing.T) {
	for _, l := range Languages() {
		all, a := parsedIn(t, l), assets(t)
		for _, p := range pages {
			page := render(t, all, p.template, p.view(a))
			if !strings.Contains(page, ` lang="`+string(l)+`">`) {
				t.Errorf("%s does not say that it is in %s", p.name, l)
			}
			for key := range spoken[English] {
				if strings.Contains(key, ".") && strings.Contains(page, ">"+key+"<") {
					t.Errorf("%s says %s in %s", p.name, key, l)
				}
			}
		}
		checkSpoken(t, l)
	}
	if got := English.say("no.such", 1); got != "no.such" {
		t.Errorf("a text that is not there is %q", got)
	}
	if _, err := Parts("xx"); err == nil {
		t.Error("parts speak a language that is none")
	}
}

// checkSpoken requires that the parts have every English text in a language, with the same
// placeholders, and no others.
func checkSpoken(t *testing.T, l Language) {
	t.Helper()
	for key, text := range spoken[English] {
		got := spoken[l][key]
		if got == "" {
			t.Errorf("%s does not say %s", l, key)
		}
		for _, place := range []string{"{0}", "{1}", "{2}"} {
			if strings.Count(text, place) != strings.Count(got, place) {
				t.Errorf("%s: %q has not the places of %q", l, got, text)
			}
		}
	}
	if n := len(spoken[l]); n != len(spoken[English]) {
		t.Errorf("%s has %d texts, English %d", l, n, len(spoken[English]))
	}
	if long, short := strings.Fields(spoken[l]["months"]), strings.Fields(spoken[l]["months.short"]); len(long) != 12 || len(short) != 12 {
		t.Errorf("the months of %s are %q and %q", l, long, short)
	}
}

// A button is calm by default; one with a target is a link.
func TestButtons(t *testing.T) {
	all := parsed(t)
	for _, c := range []struct {
		button Button
		want   string
	}{
		{Button{Text: "Save"}, `<button class="btn cursor-pointer tabular-nums" data-variant="outline" data-size="lg" type="submit">Save</button>`},
		{Button{Text: "Pay", Emphasis: Primary, Name: "act", Value: "pay"}, `<button class="btn cursor-pointer tabular-nums" data-size="lg" type="submit" name="act" value="pay">Pay</button>`},
		{Button{Text: "Back", Emphasis: Ghost, Href: "/back", Small: true, Full: true}, `<a class="btn tabular-nums w-full" data-variant="ghost" data-size="sm" href="/back">Back</a>`},
		{Button{Text: "x", Href: "javascript:alert(1)"}, `<a class="btn tabular-nums" data-variant="outline" data-size="lg" href="#ZgotmplZ">x</a>`},
	} {
		if got := render(t, all, "button", c.button); got != c.want {
			t.Errorf("%+v is\n%s instead of\n%s", c.button, got, c.want)
		}
	}
}
