package portal

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Groups of the navigation.
const (
	groupStart      = "Start here"
	groupTutorials  = "Tutorials"
	groupGuides     = "Guides"
	groupReference  = "Reference"
	groupBackground = "Background"
	groupAbout      = "About"
	groupWithin     = "" // pages linked from another page, but not in the navigation
)

// document is a page written in Markdown.
type document struct {
	file  string // in the docs folder
	path  string // in the portal
	group string
	title string
	lead  string // the first paragraph, as text
	nodes []node // without the title
}

// glossaryFile explains terms in a table.
const glossaryFile = "glossary.md"

// shelf lists the files of the docs folder that are pages, in the order of the navigation.
// Missing files are left out.
var shelf = []struct{ file, path, group string }{
	{"guides/quickstart.md", "/docs/guides/quickstart", groupStart},
	{"guides/authentication.md", "/docs/guides/authentication", groupStart},
	{"guides/quickstart-checkout.md", "/docs/guides/quickstart-checkout", groupTutorials},
	{"guides/erp.md", "/docs/guides/erp", groupTutorials},
	{"guides/first-day.md", "/docs/guides/first-day", groupTutorials},
	{"guides/checkout.md", "/docs/guides/checkout", groupGuides},
	{"guides/modal-and-widget.md", "/docs/guides/modal-and-widget", groupGuides},
	{"guides/applications.md", "/docs/guides/applications", groupGuides},
	{"guides/orders.md", "/docs/guides/orders", groupGuides},
	{"guides/payments.md", "/docs/guides/payments", groupGuides},
	{"guides/refunds.md", "/docs/guides/refunds", groupGuides},
	{"guides/account.md", "/docs/guides/account", groupGuides},
	{"guides/console.md", "/docs/guides/console", groupGuides},
	{"guides/cases.md", "/docs/guides/cases", groupGuides},
	{"guides/webhooks.md", "/docs/webhooks", groupGuides},
	{"guides/idempotency.md", "/docs/guides/idempotency", groupGuides},
	{"guides/dry-run.md", "/docs/guides/dry-run", groupGuides},
	{"guides/reconciliation.md", "/docs/guides/reconciliation", groupGuides},
	{"guides/errors.md", "/docs/guides/errors", groupGuides},
	{"guides/sandbox.md", "/docs/guides/sandbox", groupGuides},
	{"guides/versioning.md", "/docs/guides/versioning", groupGuides},
	{"guides/statuses.md", "/docs/guides/statuses", groupBackground},
	{"accounting.md", "/docs/guides/accounting", groupBackground},
	{"reliability.md", "/docs/guides/reliability", groupBackground},
	{"accessibility.md", "/docs/guides/accessibility", groupBackground},
	{"cli.md", "/docs/guides/cli", groupBackground},
	{"operating.md", "/docs/guides/operating", groupBackground},
	{"interface.md", "/docs/interface", groupReference},
	{"rules.md", "/docs/rules", groupReference},
	{"rules/finance.md", "/docs/rules/finance", groupWithin},
	{"rules/promises.md", "/docs/rules/promises", groupWithin},
	{"rules/invariants.md", "/docs/rules/invariants", groupWithin},
	{"rules/tests.md", "/docs/rules/tests", groupWithin},
	{"rules/attacks.md", "/docs/rules/attacks", groupWithin},
	{"decisions.md", "/docs/decisions", groupAbout},
	{glossaryFile, "/docs/glossary", groupAbout},
	{"changelog.md", "/docs/changelog", groupAbout},
}

// shortTitles are the navigation titles of pages with a long title.
var shortTitles = map[string]string{"interface.md": "Interface document"}

// elsewhere maps linked files that the portal shows in another form.
var elsewhere = map[string]string{
	"events.md": "/docs/events", "reference/errors.md": "/docs/errors", codesFile: "/docs/errors", eventTypesFile: "/docs/events",
	"../api/openapi.yaml": "/openapi.yaml",
}

// Files whose sections are the texts on the pages of codes and event types.
const (
	codesFile      = "reference/codes.md"
	eventTypesFile = "reference/event-types.md"
)

// historyFile has a section for each released version, with what it introduced: operations, event
// types, codes.
const historyFile = "reference/history.md"

// section is the content below a second-level heading.
type section struct {
	title string
	nodes []node
}

// loadDocs reads the Markdown pages.
func (s *site) loadDocs() error {
	for _, at := range shelf {
		text, err := fs.ReadFile(s.config.Docs, at.file)
		if err != nil {
			continue // a deployment shows what it has; a test requires all of them
		}
		d := &document{file: at.file, path: at.path, group: at.group, nodes: s.markdown.nodes(string(text), s.linkFrom(at.file))}
		if len(d.nodes) == 0 || d.nodes[0].Kind != "heading" || d.nodes[0].Level != 1 {
			return fmt.Errorf("%s does not begin with its title", at.file)
		}
		d.title, d.nodes = strings.TrimSpace(plainText(d.nodes[0].Children)), d.nodes[1:]
		if len(d.nodes) > 0 && d.nodes[0].Kind == "p" {
			d.lead = firstLine(plainText(d.nodes[0].Children))
		}
		s.docs = append(s.docs, d)
	}
	s.codeText, s.eventText = s.sections(codesFile), s.sections(eventTypesFile)
	s.first = map[string]string{}
	for version, section := range s.sections(historyFile) {
		for _, name := range codeSpans(section.nodes) {
			s.first[name] = version
		}
	}
	return s.loadLicences()
}

// since returns the version that introduced something. What is in no released version is new in
// this one.
func (s *site) since(name string) string { return cmp.Or(s.first[name], s.config.Version) }

// codeSpans returns the code spans in a text.
func codeSpans(nodes []node) []string {
	var out []string
	for _, n := range nodes {
		if n.Kind == "code" {
			out = append(out, n.Text)
		}
		out = append(out, codeSpans(n.Children)...)
	}
	return out
}

// firstLine returns roughly the first sentence of a text.
func firstLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if end := strings.Index(s, ". "); end > 0 {
		s = s[:end+1]
	}
	return s
}

// linkFrom returns where links in a file lead in the portal.
func (s *site) linkFrom(file string) linker {
	return func(target string) string {
		name, anchor, _ := strings.Cut(target, "#")
		if strings.Contains(name, ":") || strings.HasPrefix(name, "/") {
			return ""
		}
		if name == "" {
			return "#" + anchor
		}
		name = path.Join(path.Dir(file), name)
		if to := s.pageOfSection(name, anchor); to != "" {
			return to
		}
		if to := elsewhere[name]; to != "" {
			return to
		}
		for to, p := range s.markdown.pictures {
			if p.file == name {
				return to
			}
		}
		for _, at := range shelf {
			if at.file == name {
				if anchor != "" {
					return at.path + "#" + anchor
				}
				return at.path
			}
		}
		return ""
	}
}

// pageOfSection returns the page of a code or an event type that a link names by heading, "" for
// other links.
func (s *site) pageOfSection(file, anchor string) string {
	switch {
	case anchor == "":
	case file == codesFile:
		for _, c := range s.config.Codes {
			if slug(c.Name) == anchor {
				return "/docs/errors/" + c.Name
			}
		}
	case file == eventTypesFile:
		for _, t := range s.eventTypes() {
			if slug(t) == anchor {
				return "/docs/events/" + t
			}
		}
	}
	return ""
}

// sections reads a file whose second-level headings are names.
func (s *site) sections(file string) map[string]section {
	out := map[string]section{}
	text, err := fs.ReadFile(s.config.Docs, file)
	if err != nil {
		return out
	}
	current := ""
	for _, n := range s.markdown.nodes(string(text), s.linkFrom(file)) {
		if n.Kind == "heading" && n.Level <= 2 {
			if current = ""; n.Level == 2 {
				current = strings.TrimSpace(plainText(n.Children))
				out[current] = section{title: current}
			}
			continue
		}
		if current != "" {
			if n.Kind == "heading" {
				n.Level-- // the section is a page of its own
			}
			c := out[current]
			c.nodes = append(c.nodes, n)
			out[current] = c
		}
	}
	return out
}

// docView is a Markdown page.
type docView struct {
	Nodes    []node
	Contents []navLink // its second-level headings
}

func (s *site) docPages() []*page {
	var pages []*page
	for _, d := range s.docs {
		p := &page{path: d.path, title: d.title, kind: "Guide", summary: d.lead, template: "doc", parts: parts(d.nodes)}
		if d.file == glossaryFile {
			p.terms = terms(d.nodes)
		}
		if d.group == groupAbout {
			p.kind = "Page"
		}
		p.view = func() any { return docView{d.nodes, contents(d.nodes)} }
		pages = append(pages, p)
	}
	return pages
}

func contents(nodes []node) []navLink {
	var out []navLink
	for _, n := range nodes {
		if n.Kind == "heading" && n.Level == 2 {
			out = append(out, navLink{strings.TrimSpace(plainText(n.Children)), "#" + n.ID})
		}
	}
	return out
}

// parts splits a page at its headings. What precedes the first one belongs to the page itself,
// with an empty title.
func parts(nodes []node) []part {
	all := []part{{}}
	for _, n := range nodes {
		if n.Kind == "heading" {
			all = append(all, part{anchor: n.ID, title: strings.TrimSpace(plainText(n.Children))})
			continue
		}
		last := &all[len(all)-1]
		if last.text += plainText([]node{n}) + "\n"; n.Kind == "p" && last.lead == "" {
			last.lead = firstLine(plainText(n.Children))
		}
	}
	return all
}

// terms returns the terms explained in a page's tables: the first cell of a row is the term, the
// second its meaning.
func terms(nodes []node) []part {
	var all []part
	for _, n := range nodes {
		if n.Kind == "row" && len(n.Children) >= 2 {
			word, meaning := plainText(n.Children[:1]), plainText(n.Children[1:2])
			all = append(all, part{title: strings.TrimSpace(word), lead: firstLine(meaning), text: meaning})
		}
		all = append(all, terms(n.Children)...)
	}
	return all
}
