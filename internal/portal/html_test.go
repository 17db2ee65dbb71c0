package portal

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// element is a tag of a page as it was opened.
type element struct {
	name  string
	attrs [][2]string
	text  string // what stands directly in it
}

func (e element) attr(name string) string {
	for _, a := range e.attrs {
		if a[0] == name {
			return a[1]
		}
	}
	return ""
}

func (e element) has(name string) bool {
	return slices.ContainsFunc(e.attrs, func(a [2]string) bool { return a[0] == name })
}

// voids are elements without an end tag.
var voids = []string{"meta", "link", "input", "hr", "br", "img"}

// readPage reads a page strictly: every element that is opened is closed, in
// order. An HTML parser would mend what is wrong; this one refuses it.
func readPage(t *testing.T, page string) []element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.Entity, d.AutoClose = false, xml.HTMLEntity, voids
	var all []element
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
			e := element{name: token.Name.Local}
			for _, a := range token.Attr {
				e.attrs = append(e.attrs, [2]string{a.Name.Local, a.Value})
			}
			open = append(open, len(all))
			all = append(all, e)
		case xml.EndElement:
			if len(open) == 0 || all[open[len(open)-1]].name != token.Name.Local {
				t.Fatalf("</%s> closes what is not open", token.Name.Local)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(token)
			}
		case xml.Comment:
			t.Fatal("the page has a comment")
		}
	}
	if len(open) > 0 {
		t.Fatalf("<%s> is never closed", all[open[len(open)-1]].name)
	}
	return all
}

// skeleton is a page without its texts and without the values of attributes.
func skeleton(all []element) string {
	var b strings.Builder
	for _, e := range all {
		b.WriteString(e.name)
		for _, a := range e.attrs {
			b.WriteString(" " + a[0])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// allowedAttributes are all that the pages use. None of them runs a script.
var allowedAttributes = strings.Fields(`lang charset name content rel href type class id for action method role aria-label aria-labelledby
	aria-current aria-describedby value maxlength autocomplete tabindex scope colspan start open xmlns rows spellcheck required selected`)

// checkSafe asks that a page can do nothing but be read and searched.
func checkSafe(t *testing.T, at string, all []element) {
	t.Helper()
	for _, e := range all {
		if slices.Contains([]string{"script", "style", "iframe", "object", "embed", "base", "img", "svg", "video", "audio"}, e.name) {
			t.Errorf("%s: has <%s>", at, e.name)
		}
		for _, a := range e.attrs {
			if !slices.Contains(allowedAttributes, a[0]) {
				t.Errorf("%s: <%s> has the attribute %s", at, e.name, a[0])
			}
		}
		for _, link := range []string{e.attr("href"), e.attr("action"), e.attr("src")} {
			if link != "" && !strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "#") && !strings.HasPrefix(link, "https://") ||
				strings.HasPrefix(link, "//") {
				t.Errorf("%s: leads to %q", at, link)
			}
		}
	}
}

// checkForm asks for what helps everybody to find their way on a page.
func checkForm(t *testing.T, at string, all []element) {
	t.Helper()
	count, ids := map[string]int{}, map[string]bool{}
	labels := map[string]bool{}
	for _, e := range all {
		count[e.name]++
		if id := e.attr("id"); id != "" {
			if ids[id] {
				t.Errorf("%s: two elements have the id %s", at, id)
			}
			ids[id] = true
		}
		if e.name == "label" {
			labels[e.attr("for")] = true
		}
	}
	for _, name := range []string{"h1", "main", "header", "footer", "title"} {
		if name != "header" && count[name] != 1 || count[name] < 1 {
			t.Errorf("%s: has %d <%s>", at, count[name], name)
		}
	}
	level := 0
	for i, e := range all {
		switch e.name {
		case "html":
			if e.attr("lang") == "" {
				t.Errorf("%s: has no language", at)
			}
		case "input", "select", "textarea":
			if by := e.attr("aria-describedby"); by != "" && !ids[by] {
				t.Errorf("%s: a field is described by #%s, which is not there", at, by)
			}
			if !labels[e.attr("id")] {
				t.Errorf("%s: a field has no label", at)
			}
		case "nav", "section":
			if by := e.attr("aria-labelledby"); by != "" && !ids[by] {
				t.Errorf("%s: <%s> is named by #%s, which is not there", at, e.name, by)
			} else if by == "" && e.attr("aria-label") == "" && e.name == "nav" {
				t.Errorf("%s: <nav> has no name", at)
			}
		case "th":
			if e.attr("scope") == "" {
				t.Errorf("%s: a heading of a table heads nothing", at)
			}
		case "a":
			if i > 0 && e.attr("href") == "" {
				t.Errorf("%s: a link leads nowhere", at)
			}
		case "h1", "h2", "h3", "h4":
			n := int(e.name[1] - '0')
			if n > level+1 {
				t.Errorf("%s: <%s> comes below a heading of level %d", at, e.name, level)
			}
			level = n
		}
	}
	if first := all[slices.IndexFunc(all, func(e element) bool { return e.name == "a" })]; first.attr("href") != "#main" || !ids["main"] {
		t.Errorf("%s: the first link does not skip to the content", at)
	}
}

// The reader itself must notice what is wrong.
func TestReadPage(t *testing.T) {
	all := readPage(t, `<!doctype html><html lang="en"><p class="a">x &amp; <b>y</b></p><hr><details open>z</details></html>`)
	if got := fmt.Sprint(skeleton(all)); got != "html lang\np class\nb\nhr\ndetails open\n" {
		t.Errorf("skeleton %q", got)
	}
	if all[1].text != "x & " || !all[4].has("open") {
		t.Errorf("read %+v", all)
	}
}
