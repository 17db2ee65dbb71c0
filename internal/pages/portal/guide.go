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
	groupWithin     = "" // pages that another page leads to, and the navigation does not
)

// document is a page that is written in Markdown.
type document struct {
	file  string // in the docs folder
	path  string // in the portal
	group string
	title string
	lead  string // the first paragraph, as text
	nodes []node // without the title
}

// glossaryFile explains words in a table.
const glossaryFile = "glossary.md"

// shelf says which files of the docs folder are pages, in the order of the
// navigation. A file that is not there is left out.
var shelf = []struct{ file, path, group string }{
	{"guides/quickstart.md", "/docs/guides/quickstart", groupStart},
	{"guides/authentication.md", "/docs/guides/authentication", groupStart},
	{"guides/quickstart-checkout.md", "/docs/guides/quickstart-checkout", groupTutorials},
	{"guides/erp.md", "/docs/guides/erp", groupTutorials},
	{"guides/checkout.md", "/docs/guides/checkout", groupGuides},
	{"guides/modal-and-widget.md", "/docs/guides/modal-and-widget", groupGuides},
	{"guides/applications.md", "/docs/guides/applications", groupGuides},
	{"guides/orders.md", "/docs/guides/orders", groupGuides},
	{"guides/payments.md", "/docs/guides/payments", groupGuides},
	{"guides/refunds.md", "/docs/guides/refunds", groupGuides},
	{"guides/account.md", "/docs/guides/account", groupGuides},
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

// shortTitles are what the navigation calls pages that have a long title.
var shortTitles = map[string]string{"interface.md": "Interface document"}

// elsewhere are files that links name and that the portal shows in another form.
var elsewhere = map[string]string{
	"events.md": "/docs/events", "reference/errors.md": "/docs/errors", codesFile: "/docs/errors", eventTypesFile: "/docs/events",
	"../api/openapi.yaml": "/openapi.yaml",
}

// Files whose sections are the texts of the pages of codes and of event types.
const (
	codesFile      = "reference/codes.md"
	eventTypesFile = "reference/event-types.md"
)

// historyFile has a section for each version that was released, with what it had
// first: operations, event types, codes.
const historyFile = "reference/history.md"

// section is what stands below a heading of the second level.
type section struct {
	title string
	nodes []node
}

// loadDocs reads the pages in Markdown.
func (s *site) loadDocs() error {
	for _, at := range shelf {
		text, err := fs.ReadFile(s.config.Docs, at.file)
		if err != nil {
			continue // a deployment shows what it has; a test asks for all of them
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

// since is the version that had something first. What no released version has is
// new in this one.
func (s *site) since(name string) string { return cmp.Or(s.first[name], s.config.Version) }

// codeSpans lists what stands as code in running text.
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

// firstLine is the first sentence or so of a text.
func firstLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if end := strings.Index(s, ". "); end > 0 {
		s = s[:end+1]
	}
	return s
}

// linkFrom says where links of a file lead in the portal.
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

// pageOfSection is the page of a code or an event type that a link names by its
// heading, "" for other links.
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

// sections reads a file whose headings of the second level name things.
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

// docView is a page in Markdown.
type docView struct {
	Nodes    []node
	Contents []navLink // its headings of the second level
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

// parts cuts a page at its headings. What stands before the first one belongs to
// the page itself, with an empty title.
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

// terms are the words that the tables of a page explain: the first cell of a row is the
// word, the second what it means.
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
