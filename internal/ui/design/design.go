// Package design is how every page of Tenor looks: the parts that pages are made of, the
// stylesheet, the icons, the font and the few words that the parts say themselves. It
// knows no page and decides nothing. A part is a template with a struct of the same name:
//
//	parts, err := design.Parts(design.English)
//	pages, err := parts.ParseFS(files, "templates/*.html")
//
// and in a page {{template "field" .EIN}}, where EIN is a [Field]. Parts that have others
// in them come as two: "checkout" and "checkout-end", "app" and "app-end", "fields" and
// "fields-end" around the fields of a form with their legend, "details" and "details-end"
// around what opens below a line, "docs" and "docs-end" around a page that is read. "tag",
// "command" and "name" take a text. A "panel" is a class: a
// card whose parts are parted by lines. Functions for pages: money, day and longday write
// amounts and dates, icon makes an [Icon] of a name and its classes. "flow" is a template
// for a sentence in which dates, telephone numbers and e-mails stay whole.
//
// The stylesheet and the icons are made of npm packages by src/build.mjs when somebody
// changes the look, and are kept in assets and templates: a build needs none of that.
package design

import (
	"embed"
	"fmt"
	"html/template"
)

//go:embed templates/*.html
var templateFiles embed.FS

// Parts are the templates of all parts in a language, for a package to parse its own
// pages on top. Each call gives a set of its own.
func Parts(l Language) (*template.Template, error) {
	if _, found := spoken[l]; !found {
		return nil, fmt.Errorf("design: the parts do not speak %q", string(l))
	}
	t, err := template.New("").Funcs(l.functions()).ParseFS(templateFiles, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("design: %w", err)
	}
	return t, nil
}

// functions are what templates call, those of parts and those of pages.
func (l Language) functions() template.FuncMap {
	return template.FuncMap{
		"lang":    func() string { return string(l) },
		"say":     l.say,
		"count":   l.count,
		"money":   l.Money,
		"day":     l.Day,
		"longday": l.LongDay,
		"icon":    func(name, class string) Icon { return Icon{name, class} },
		"inc":     func(i int) int { return i + 1 },
		"parts":   nameParts,
		"flow":    flow,
		"dotted":  dotted,
		"inCode":  codeParts,
		"inTree":  treeParts,
	}
}
