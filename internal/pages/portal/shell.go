package portal

import (
	"cmp"
	"slices"
	"strings"

	"tenor/internal/ui/design"
)

// shell is the frame of a page: the header, and the tree of all pages.
func (s *site) shell(f frame) design.Docs {
	d := design.Docs{
		Page:   design.Page{Title: f.Title, Site: s.name() + " docs", Assets: s.assets},
		Brand:  design.Brand{Name: s.name(), Sub: "docs", Href: "/docs"},
		Search: design.Search{Action: "/docs/search", Label: "Search", Hint: "Search operations, events, errors", Value: f.Query},
		Nav:    "Documentation", Tree: s.tree(f),
		Foot: []design.Sentence{
			{Text: s.name() + " " + s.config.Version + ". These pages are part of the program that answers at " + s.config.BaseURL + ": they describe the version that is running, and they work without a network."},
			{Text: "The contract:", Links: []design.Link{{Text: "openapi.json", Href: "/openapi.json"}, {Text: "openapi.yaml", Href: "/openapi.yaml"}}},
		},
	}
	for _, l := range []navLink{{"API", "/docs/api"}, {"Events", "/docs/events"}, {"Errors", "/docs/errors"}, {"Changelog", "/docs/changelog"}} {
		if l.Path != "/docs/changelog" || s.has(l.Path) {
			d.Links = append(d.Links, design.Link{Text: l.Title, Href: l.Path, Here: f.Path == l.Path || strings.HasPrefix(f.Path, l.Path+"/")})
		}
	}
	if s.config.Try != nil {
		d.State = &design.Link{Text: "Sandbox", Href: "/sandbox"}
	}
	return d
}

// has reports whether there is a Markdown page at a path.
func (s *site) has(path string) bool {
	return slices.ContainsFunc(s.docs, func(d *document) bool { return d.path == path })
}

// tree lists all pages as seen from one: in the reference, that page's neighbors come first.
func (s *site) tree(f frame) []design.Branch {
	var reference, guides []design.Branch
	for _, g := range s.nav {
		b := branch(g.Title, f.Path, g.Links)
		if g.Title == groupReference && inReference(f.Path) {
			reference = append(append(reference, b), s.neighbours(f)...)
			continue
		}
		guides = append(guides, b)
	}
	return append(reference, guides...)
}

func inReference(path string) bool {
	return slices.ContainsFunc([]string{"/docs/api", "/docs/events", "/docs/errors"}, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
}

// branch is a group of links; the one to the page itself is marked.
func branch(title, path string, links []navLink) design.Branch {
	b := design.Branch{Text: title}
	for _, l := range links {
		b.Links = append(b.Links, design.Link{Text: l.Title, Href: l.Path, Here: l.Path == path})
	}
	return b
}

// neighbours are the reference pages next to one, and the other groups.
func (s *site) neighbours(f frame) []design.Branch {
	if !strings.HasPrefix(f.Path, "/docs/api") {
		return s.besides(f)
	}
	var beside []navLink
	others := design.Branch{Text: "Operations"}
	for _, t := range s.operationsView().Tags {
		if t.Tag != f.Beside {
			others.Links = append(others.Links, design.Link{Text: t.Tag, Href: "/docs/api#" + t.ID})
			continue
		}
		for _, o := range t.Operations {
			beside = append(beside, navLink{o.Name, "/docs/api/" + o.ID})
		}
	}
	if len(beside) == 0 {
		return []design.Branch{others}
	}
	others.Text = "More operations"
	return []design.Branch{branch(f.Beside, f.Path, beside), others}
}

// besides are the events of the same group, or the errors with the same status.
func (s *site) besides(f frame) []design.Branch {
	if f.Beside == "" {
		return nil
	}
	var links []navLink
	for _, t := range s.eventTypes() {
		if strings.HasPrefix(f.Path, "/docs/events/") && strings.HasPrefix(t, f.Beside+".") {
			links = append(links, navLink{t, "/docs/events/" + t})
		}
	}
	for _, c := range s.config.Codes {
		if strings.HasPrefix(f.Path, "/docs/errors/") && c.group() == f.Beside {
			links = append(links, navLink{c.Name, "/docs/errors/" + c.Name})
		}
	}
	title := f.Beside
	if strings.HasPrefix(f.Path, "/docs/events/") {
		title = many(title)
	}
	return []design.Branch{branch(title, f.Path, links)}
}

// navigation lists the links on every page.
func (s *site) navigation() []navGroup {
	var groups []navGroup
	reference := navGroup{groupReference, []navLink{{"Operations", "/docs/api"}, {"Events", "/docs/events"}, {"Errors", "/docs/errors"}}}
	for _, d := range s.docs {
		if d.group == groupWithin {
			continue
		}
		link := navLink{cmp.Or(shortTitles[d.file], d.title), d.path}
		if d.group == groupReference {
			reference.Links = append(reference.Links, link)
			continue
		}
		i := slices.IndexFunc(groups, func(g navGroup) bool { return g.Title == d.group })
		if i < 0 {
			groups = append(groups, navGroup{Title: d.group})
			i = len(groups) - 1
		}
		groups[i].Links = append(groups[i].Links, link)
	}
	at := slices.IndexFunc(groups, func(g navGroup) bool { return g.Title == groupBackground || g.Title == groupAbout })
	if at < 0 {
		at = len(groups)
	}
	groups = slices.Insert(groups, at, reference)
	if at = slices.IndexFunc(groups, func(g navGroup) bool { return g.Title == groupAbout }); at < 0 {
		groups = append(groups, navGroup{Title: groupAbout})
		at = len(groups) - 1
	}
	groups[at].Links = append(groups[at].Links, navLink{"Licenses", "/docs/licences"})
	return groups
}
