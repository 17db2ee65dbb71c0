// Package design defines the look of every Tenor page: the parts that pages are made of, the
// stylesheet, the icons, the font and the few words built into the parts. It
// knows no page and decides nothing. A part is a template with a struct of the same name:
//
//	parts, err := design.Parts(design.English)
//	pages, err := parts.ParseFS(files, "templates/*.html")
//
// and in a page {{template "field" .EIN}}, where EIN is a [Field]. Parts that contain others
// in them come as two: "checkout" and "checkout-end", "app" and "app-end", "fields" and
// "fields-end" around the fields of a form with their legend, "details" and "details-end"
// around what expands below a line, "docs" and "docs-end" around a documentation page. "tag",
// "command" and "name" take a text. A "panel" is a class: a
// card whose parts are separated by lines. Functions for pages: money, day and longday format
// amounts and dates, icon returns an [Icon] from a name and its classes. "flow" is a template
// for a sentence in which dates, telephone numbers and email addresses are not broken.
//
// src/build.mjs generates the stylesheet and the icons from npm packages when somebody
// changes the look. They are committed in assets and templates, so a build needs no npm.
package design

import (
	"embed"
	"fmt"
	"html/template"
)

//go:embed templates/*.html
var templateFiles embed.FS

// Parts returns the templates of all parts in a language, for a package to parse its own pages on
// top. Each call returns a separate set.
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

// functions are the template functions for parts and pages.
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
		"odd":     func(i int) bool { return i%2 == 1 },
		"parts":   nameParts,
		"flow":    flow,
		"dotted":  dotted,
		"inCode":  codeParts,
		"inTree":  treeParts,
	}
}
