package pagetest

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"tenor/internal/proof/browsertest"
)

// other is the same page in the other language, for a moment. It is opened in a second tab of the
// same user, so that no input is lost; a form that came back is submitted again.
type other struct {
	tab   *browsertest.Tab
	pages int
	axed  int // pages whose form was another than in English
	took  time.Duration
}

// speaks reports whether a page is available in two languages, and where its session's language
// is set.
func speaks(address string) (at string, two bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	switch part := strings.Split(u.Path, "/"); {
	case strings.HasPrefix(u.Path, "/c/"):
		u.Path = strings.Join(part[:3], "/") + "/stay"
	case strings.HasPrefix(u.Path, "/account"), strings.HasPrefix(u.Path, "/apply/"):
		u.Path = "/account/stay"
	default:
		return "", false
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String(), true
}

// looksSpanish checks the page in Spanish: for accessibility, and for remaining unmarked English.
// data is what is not text of the page.
func (s *patron) looksSpanish(name string) {
	s.t.Helper()
	at, two := speaks(s.URL())
	if counted := strings.Contains(name, "verify-wrong"); counted { // resubmitting a wrong answer would count again
		return
	}
	if !two || s.view.NoScript || s.view.Forced || s.view.Width != 0 && s.view.Width != 1360 || !s.meets("Spanish", frame+"+"+said) {
		return
	}
	began, form := time.Now(), browsertest.Eval[string](s.Tab, frame)
	if s.other.tab == nil {
		s.other.tab = s.Twin()
	}
	x := s.other.tab
	if strings.HasPrefix(s.Title(), "Error: ") {
		x.Go(at + "?lang=es-US")
		s.Reload()
		s.inSpanish(s.Tab, name, form)
		x.Go(at + "?lang=en-US")
		s.Reload()
	} else {
		sep := "?"
		if strings.Contains(s.URL(), "?") {
			sep = "&"
		}
		page, _, _ := strings.Cut(s.URL(), "#")
		x.Go(page + sep + "lang=es-US")
		s.inSpanish(x, name, form)
		x.Go(at + "?lang=en-US")
	}
	s.other.pages++
	s.other.took += time.Since(began)
}

// inSpanish looks at a page in Spanish, whose English form frame has described.
func (s *patron) inSpanish(x *browsertest.Tab, name, form string) {
	s.t.Helper()
	if lang := browsertest.Eval[string](x, "document.documentElement.lang"); lang != "es-US" {
		s.t.Errorf("%s is in %q at %s", name, lang, x.URL())
		return
	}
	if got := browsertest.Eval[string](x, frame); got != form { // else axe-core has seen it, but for its words
		s.other.axed++
		for _, v := range x.Axe() {
			s.t.Errorf("%s in Spanish: %s: %s: %s", name, v.ID, v.Help, v.Where)
		}
	}
	for _, text := range browsertest.Eval[[]string](x, english) {
		s.t.Errorf("%s in Spanish says %q", name, text)
	}
	if x.Sideways() {
		s.t.Errorf("%s scrolls sideways in Spanish", name)
	}
}

// A page in other words has the same frame. One whose label, text, class or element is missing
// has another, so axe-core sees it.
func TestFrame(t *testing.T) {
	t.Parallel()
	x := browsertest.Start(t).Tab(t, browsertest.View{})
	x.Go("data:text/html,<main><p class=a>The <span class=whole>total</span></p><button aria-label=Close>x</button></main>")
	was := browsertest.Eval[string](x, frame)
	for _, c := range []struct {
		change string
		same   bool
	}{
		{`document.querySelector("p").innerHTML = "El total"`, true},
		{`document.querySelector("button").setAttribute("aria-label", "Cerrar")`, true},
		{`document.querySelector("button").setAttribute("aria-label", "")`, false},
		{`document.querySelector("button").setAttribute("aria-label", "Cerrar")`, true},
		{`document.querySelector("p").className = "b"`, false},
		{`document.querySelector("p").className = "a"`, true},
		{`document.querySelector("p").textContent = ""`, false},
		{`document.querySelector("p").remove()`, false},
	} {
		browsertest.Eval[bool](x, c.change+", true")
		if same := browsertest.Eval[string](x, frame) == was; same != c.same {
			t.Errorf("after %s the frame is the same: %v", c.change, same)
		}
	}
}

// frame describes a page without its words: its elements with their classes, roles and states,
// and which of their names and texts are empty.
const frame = `(() => {
	const out = [], named = a => /^(aria-label|alt|title|placeholder|content|lang|href|src|value|datetime|action|srcdoc|d|nonce|data-.*)$/.test(a.name);
	for (const e of document.querySelectorAll("*")) {
		if (e.tagName === "SPAN" && [...e.attributes].every(a => a.name === "class")) continue; // words that stay together
		out.push(e.tagName, [...e.attributes].map(a => a.name + (named(a) ? (a.value === "" ? "-" : "+") : "=" + a.value)).sort().join(" "), e.textContent.trim() === "" ? "-" : "+");
	}
	return out.join("\n");
})()`

// said is what a page says, without names of people, addresses and figures.
const said = `document.body.innerText.replace(/\S*[@\d]\S*/g, "")`

// english returns the texts of a page with English words, visible or announced, except marked
// ones and user input.
const english = `(() => {
	const words = /\b(the|your|and|with|you|our|this|is|are|of|for|will|by|back|continue)\b/i, out = [];
	const typed = /The oven came without|It was delivered on January|The driver has noted|The articles of organization/;
	const ours = e => { if (e.matches("option") && e.value.length === 2) return false; const l = e.closest("[lang]"); return l === document.documentElement && !e.closest("script, style, dialog") };
	const say = (e, text) => { if (text && words.test(text) && !typed.test(text) && ours(e)) out.push(text.trim().slice(0, 120)) };
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n; (n = walk.nextNode());) say(n.parentElement, n.data);
	for (const e of document.querySelectorAll("[aria-label], [placeholder], [title], [alt]")) for (const a of ["aria-label", "placeholder", "title", "alt"]) say(e, e.getAttribute(a));
	return out;
})()`
