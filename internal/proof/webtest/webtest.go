// Package webtest reads the edges' pages more strictly than any browser, and reports what is
// wrong with them: mismatched tags, anything that could run or lead elsewhere, and what makes a
// page hard to use. Tests only.
package webtest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Element is an opening tag of a page.
type Element struct {
	Name  string
	Attrs [][2]string // names and values
	Text  string      // its direct text
}

// Attr returns the value of an attribute, "" if it does not exist.
func (e Element) Attr(name string) string {
	for _, a := range e.Attrs {
		if a[0] == name {
			return a[1]
		}
	}
	return ""
}

// Has reports whether an attribute exists.
func (e Element) Has(name string) bool {
	return slices.ContainsFunc(e.Attrs, func(a [2]string) bool { return a[0] == name })
}

// voids lists the elements without an end tag.
func voids() []string { return []string{"meta", "link", "input", "hr", "br", "img", "wbr"} }

// drawings lists the elements of an inline icon or chart, with their allowed attributes. None of
// them loads, links, moves or runs anything.
func drawings() map[string][]string {
	form := "class fill stroke stroke-width stroke-linecap stroke-linejoin x y x1 x2 y1 y2 cx cy r rx ry width height d points transform"
	drawn := strings.Fields(form)
	return map[string][]string{
		"svg": strings.Fields(form + " viewBox preserveAspectRatio xmlns role aria-hidden aria-label aria-labelledby"),
		"img": {"src", "alt", "width", "height", "loading"}, // of this origin: see CheckSafe
		"g":   drawn, "path": drawn, "rect": drawn, "circle": drawn, "line": drawn, "polyline": drawn, "ellipse": drawn, "text": drawn,
	}
}

// Read reads a page strictly: every opened element is closed, in order. An HTML parser would
// repair errors; this one rejects them.
func Read(t testing.TB, page string) []Element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.Entity, d.AutoClose = false, xml.HTMLEntity, voids()
	var all []Element
	var open []int
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := Element{Name: token.Name.Local}
			for _, a := range token.Attr {
				e.Attrs = append(e.Attrs, [2]string{a.Name.Local, a.Value})
			}
			open = append(open, len(all))
			all = append(all, e)
		case xml.EndElement:
			if len(open) == 0 || all[open[len(open)-1]].Name != token.Name.Local {
				t.Fatalf("</%s> closes what is not open", token.Name.Local)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			in := len(open) - 1
			for in > 0 && all[open[in]].whole() {
				in--
			}
			if in >= 0 {
				all[open[in]].Text += string(token)
			}
		case xml.Comment:
			t.Fatal("the page has a comment")
		}
	}
	if len(open) > 0 {
		t.Fatalf("<%s> is never closed", all[open[len(open)-1]].Name)
	}
	return all
}

// WithoutScripts returns a page without the script files at some paths, which it must work
// without.
func WithoutScripts(page string, paths ...string) string {
	for _, path := range paths {
		for _, end := range []string{`" defer></script>`, `"></script>`} {
			page = strings.Replace(page, `<script src="`+path+end, "", 1)
		}
	}
	return strings.TrimPrefix(page, "<!doctype html>\n")
}

// whole reports whether an element only keeps part of a sentence on one line.
func (e Element) whole() bool {
	return e.Name == "span" && len(e.Attrs) == 1 && strings.HasPrefix(e.Attr("class"), "whole")
}

// Skeleton returns a page without its texts and attribute values. Where a name may be broken and
// where a sentence may not, and which part of a code has which color, depends on the text, and is
// not part of it.
func Skeleton(all []Element) string {
	var b strings.Builder
	for _, e := range all {
		if e.whole() || e.Name == "wbr" && (len(e.Attrs) == 0 || len(e.Attrs) == 1 && e.Attr("class") == "late") || e.Name == "span" && len(e.Attrs) == 1 && strings.HasPrefix(e.Attr("class"), "hl-") {
			continue
		}
		b.WriteString(e.Name)
		for _, a := range e.Attrs {
			b.WriteString(" " + a[0])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// allowedAttributes lists all attributes that the pages use. None of them runs a script.
func allowedAttributes() []string {
	return strings.Fields(`lang charset name content rel href type class id for action method role aria-label aria-labelledby
	aria-current aria-describedby value maxlength autocomplete tabindex scope colspan start open xmlns rows spellcheck required selected title datetime pattern
	aria-hidden aria-invalid autofocus checked disabled enctype form formaction hidden inputmode novalidate placeholder aria-live data-act data-copy data-keep data-key data-size data-tab data-tabs data-text data-title data-variant`)
}

// CheckSafe checks that a page can only be read and searched. Inline SVG contains only what
// draws; a picture is from the page's own origin and has an alternative text, which may be empty.
func CheckSafe(t testing.TB, at string, all []Element) {
	t.Helper()
	drawings, allowed := drawings(), allowedAttributes()
	for _, e := range all {
		if slices.Contains([]string{"script", "style", "iframe", "object", "embed", "base", "video", "audio", "use", "image", "foreignObject", "animate", "set"}, e.Name) {
			t.Errorf("%s: has <%s>", at, e.Name)
		}
		if e.Name == "img" && (!strings.HasPrefix(e.Attr("src"), "/") || !e.Has("alt")) {
			t.Errorf("%s: has a picture of %q, or one without alt", at, e.Attr("src"))
		}
		drawn := drawings[e.Name]
		for _, a := range e.Attrs {
			if !slices.Contains(allowed, a[0]) && !slices.Contains(drawn, a[0]) {
				t.Errorf("%s: <%s> has the attribute %s", at, e.Name, a[0])
			}
		}
		for _, link := range []string{e.Attr("href"), e.Attr("action"), e.Attr("src")} {
			if link != "" && !strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "#") && !strings.HasPrefix(link, "https://") ||
				strings.HasPrefix(link, "//") {
				t.Errorf("%s: leads to %q", at, link)
			}
		}
	}
}

// Script removes the script file with an address from a page's elements, and checks that the
// page's policy allows it by its nonce alone. A page without it has none.
func Script(t testing.TB, at, src, policy string, all []Element) (script Element, rest []Element) {
	t.Helper()
	i := slices.IndexFunc(all, func(e Element) bool { return e.Name == "script" && e.Attr("src") == src })
	if i < 0 {
		return Element{}, all
	}
	script = all[i]
	if nonce := script.Attr("nonce"); len(nonce) != 26 || !strings.Contains(policy, "script-src 'nonce-"+nonce+"'; ") {
		t.Errorf("%s: nonce %q, policy %s", at, nonce, policy)
	}
	return script, slices.Delete(slices.Clone(all), i, i+1)
}

// CheckForm checks what helps everybody find their way on a page.
func CheckForm(t testing.TB, at string, all []Element) {
	t.Helper()
	count, ids := map[string]int{}, map[string]bool{}
	labels := map[string]bool{}
	for _, e := range all {
		count[e.Name]++
		if id := e.Attr("id"); id != "" {
			if ids[id] {
				t.Errorf("%s: two elements have the id %s", at, id)
			}
			ids[id] = true
		}
		if e.Name == "label" {
			labels[e.Attr("for")] = true
		}
	}
	for _, name := range []string{"h1", "main", "header", "footer", "title"} {
		if name != "header" && count[name] != 1 || count[name] < 1 {
			t.Errorf("%s: has %d <%s>", at, count[name], name)
		}
	}
	level := 0
	for i, e := range all {
		switch e.Name {
		case "html":
			if e.Attr("lang") == "" {
				t.Errorf("%s: has no language", at)
			}
		case "input", "select", "textarea":
			for _, by := range strings.Fields(e.Attr("aria-describedby")) {
				if !ids[by] {
					t.Errorf("%s: a field is described by #%s, which is not there", at, by)
				}
			}
			if e.Attr("type") != "hidden" && !labels[e.Attr("id")] {
				t.Errorf("%s: a field has no label", at)
			}
		case "nav", "section":
			if by := e.Attr("aria-labelledby"); by != "" && !ids[by] {
				t.Errorf("%s: <%s> is named by #%s, which is not there", at, e.Name, by)
			} else if by == "" && e.Attr("aria-label") == "" && e.Name == "nav" {
				t.Errorf("%s: <nav> has no name", at)
			}
		case "div":
			if slices.Contains(strings.Fields(e.Attr("class")), "scroll") && e.Attr("tabindex") != "0" {
				t.Errorf("%s: a box that scrolls cannot be reached by the keyboard", at)
			}
		case "time":
			if e.Attr("datetime") == "" {
				t.Errorf("%s: a time is none", at)
			}
		case "th":
			if e.Attr("scope") == "" {
				t.Errorf("%s: a heading of a table heads nothing", at)
			}
		case "a":
			if i > 0 && e.Attr("href") == "" {
				t.Errorf("%s: a link leads nowhere", at)
			}
		case "h1", "h2", "h3", "h4":
			n := int(e.Name[1] - '0')
			if n > level+1 {
				t.Errorf("%s: <%s> comes below a heading of level %d", at, e.Name, level)
			}
			level = n
		}
	}
	if first := all[slices.IndexFunc(all, func(e Element) bool { return e.Name == "a" })]; first.Attr("href") != "#main" || !ids["main"] {
		t.Errorf("%s: the first link does not skip to the content", at)
	}
}

// CheckClasses checks that a stylesheet has every class of a page: it detects a misspelled class,
// and a stylesheet that was not regenerated.
func CheckClasses(t testing.TB, at string, all []Element, sheet string) {
	t.Helper()
	unknown := map[string][2]string{} // by how CSS writes a class: its element and its name
	for _, e := range all {
		for _, class := range strings.Fields(e.Attr("class")) {
			if class != "group" && class != "peer" { // markers that other classes refer to
				unknown[selector(class)] = [2]string{e.Name, class}
			}
		}
	}
	for rest := sheet; len(unknown) > 0; {
		_, after, found := strings.Cut(rest, ".")
		if !found {
			break
		}
		n := nameLength(after)
		delete(unknown, after[:n])
		rest = after[n:]
	}
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		x := unknown[name]
		t.Errorf("%s: <%s> has the class %s, which the stylesheet does not know", at, x[0], x[1])
	}
}

// selector is a class as CSS writes it in a selector, without the dot.
func selector(class string) string {
	var name strings.Builder
	for i, r := range class {
		if r >= 0x80 || !nameByte(byte(r)) || i == 0 && r >= '0' && r <= '9' {
			name.WriteByte('\\')
		}
		name.WriteRune(r)
	}
	return name.String()
}

func nameByte(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// nameLength is the length of the name at the beginning of a text of CSS.
func nameLength(text string) (n int) {
	for n < len(text) && (nameByte(text[n]) || text[n] == '\\' && n+1 < len(text)) {
		if text[n] == '\\' {
			n++
		}
		n++
	}
	return n
}

// CheckKeys checks that no key of a catalog's texts is on a page instead of its text.
func CheckKeys[T any](t testing.TB, at, body string, texts map[string]T) {
	t.Helper()
	for rest := body; rest != ""; {
		i := strings.IndexAny(rest, `>"`)
		if i < 0 {
			return
		}
		end := map[byte]string{'>': "<", '"': `"`}[rest[i]]
		rest = rest[i+1:]
		if key, _, ended := strings.Cut(rest[:min(len(rest), 100)], end); ended && strings.Contains(key, ".") {
			if _, is := texts[key]; is {
				t.Errorf("%s says %s", at, key)
			}
		}
	}
}

// Hostile returns texts that mean something to an HTML parser, a shell, a template or a browser,
// and nothing to Markdown.
func Hostile() []string {
	return []string{
		`<script>alert(1)</script>`, `</title><script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<svg/onload=alert(1)>`,
		`"><script>alert(1)</script>`, `'><script>alert(1)</script>`, `" onmouseover="alert(1)`, `' onfocus='alert(1)' autofocus='`,
		`</code></pre><script>alert(1)</script>`, `</textarea><iframe src=x>`, `<a href=x>y</a>`, `<base href=x>`, `<form action=x>`,
		`javascript:alert(1)`, `data:text/html,alert(1)`, `{{.}}`, `{{template "top"}}`, `${alert(1)}`, `&lt;script&gt;`, `&#60;script&#62;`, `&quot; x`,
		`<![CDATA[ x`, `<?xml x ?>`, `<!DOCTYPE x>`, `%3Cscript%3E`, `' OR 1=1 --`, `$(id)`, "\u202ereversed", "two\u2028lines",
		`<style>*{display:none}</style>`, `<meta http-equiv=refresh content=0>`, `<math><mtext></p></math>`, `a" style="display:none`,
		strings.Repeat("long ", 400) + "text", `<<<<<`, `"'"'"'`, `<p>&amp;amp;</p>`, `</main></html>`, `--></script>`, `x" href="javascript:alert(1)`,
	}
}

// Difference returns the first line in which two skeletons differ.
func Difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("tag %d is <%s> instead of <%s>", i, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d tags instead of %d", len(g), len(w))
}
