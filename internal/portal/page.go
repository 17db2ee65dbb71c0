package portal

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"tenor/internal/web"
)

//go:embed templates/*.html
var templateFiles embed.FS

// site is everything that pages are made of. It is not changed once it is made.
type site struct {
	config    Config
	contract  *contract
	markdown  markdown
	templates *template.Template
	assets    web.Assets
	docs      []*document
	codeText  map[string]section // by code
	eventText map[string]section // by event type
	first     map[string]string  // version that had a name first, by name
	examples  map[string]recorded
	licences  []licence
	nav       []navGroup
}

func newSite(c Config) (*site, error) {
	s := &site{config: c, markdown: newMarkdown()}
	var err error
	if s.contract, err = readContract(c.OpenAPI); err != nil {
		return nil, err
	}
	if s.assets, err = web.LoadAssets("/docs/assets/"); err != nil {
		return nil, err
	}
	if s.templates, err = template.New("").Funcs(template.FuncMap{"markdown": s.prose, "inline": s.running}).ParseFS(templateFiles, "templates/*.html"); err != nil {
		return nil, err
	}
	if s.examples, err = readExamples(c.Examples); err != nil {
		return nil, err
	}
	if err := s.loadDocs(); err != nil {
		return nil, err
	}
	s.nav = s.navigation()
	return s, nil
}

// prose and running turn Markdown of the contract into nodes: as blocks, or for a
// place in running text. Their links stay within the portal.
func (s *site) prose(source string) []node { return s.markdown.nodes(source, contractLink) }

func (s *site) running(source string) []node { return s.markdown.inline(source, contractLink) }

// contractLink takes links of the contract only where they lead into the portal.
func contractLink(target string) string {
	if target == "/docs" || strings.HasPrefix(target, "/docs/") {
		return target
	}
	return ""
}

// page is one page. Its view is made when it is first asked for.
type page struct {
	path     string
	title    string
	kind     string // for the search: Guide, Operation, Event, Error, Page
	summary  string // one line for lists and the search
	text     string // what else the search finds it by
	template string
	view     func() any
	parts    []part // places on the page that the search knows
	terms    []part // words that the page explains

	once sync.Once
	body []byte
	tag  string
	err  error
}

// part is a place on a page: a heading and what stands below it.
type part struct{ anchor, title, lead, text string }

// render returns the page and its entity tag.
func (p *page) render(s *site) ([]byte, string, error) {
	p.once.Do(func() {
		p.body, p.err = s.execute(p.template, frame{Title: p.title, Path: p.path, Main: p.view()})
		sum := sha256.Sum256(p.body)
		p.tag = `"` + hex.EncodeToString(sum[:12]) + `"`
	})
	return p.body, p.tag, p.err
}

// frame is what every page has around its own part.
type frame struct {
	Title string
	Path  string
	Query string // what was searched for
	Main  any

	// The rest is the same on all pages.
	Name, Version, BaseURL string
	CSS, Icon              string
	Nav                    []navGroup
}

// navGroup is a part of the navigation.
type navGroup struct {
	Title string
	Links []navLink
}

type navLink struct{ Title, Path string }

// In reports whether the page at a path is the link's own or below it.
func (l navLink) In(path string) bool {
	return path == l.Path || l.Path != "/docs" && strings.HasPrefix(path, l.Path+"/")
}

// execute writes a page.
func (s *site) execute(name string, f frame) ([]byte, error) {
	f.Name, f.Version, f.BaseURL = s.name(), s.config.Version, s.config.BaseURL
	f.CSS, f.Icon, f.Nav = s.assets.CSS, s.assets.Icon, s.nav
	var out bytes.Buffer
	if err := s.templates.ExecuteTemplate(&out, name, f); err != nil {
		return nil, fmt.Errorf("page %s: %w", f.Path, err)
	}
	return out.Bytes(), nil
}

func (s *site) name() string {
	if s.contract.title == "" {
		return "API"
	}
	return s.contract.title
}

// navigation lists what is on every page.
func (s *site) navigation() []navGroup {
	var groups []navGroup
	for _, d := range s.docs {
		i := slices.IndexFunc(groups, func(g navGroup) bool { return g.Title == d.group })
		if i < 0 {
			groups = append(groups, navGroup{Title: d.group})
			i = len(groups) - 1
		}
		groups[i].Links = append(groups[i].Links, navLink{d.title, d.path})
	}
	reference := navGroup{"Reference", []navLink{{"Operations", "/docs/api"}, {"Events", "/docs/events"}, {"Errors", "/docs/errors"}}}
	at := slices.IndexFunc(groups, func(g navGroup) bool { return g.Title == groupBackground || g.Title == groupAbout })
	if at < 0 {
		at = len(groups)
	}
	groups = slices.Insert(groups, at, reference)
	if at = slices.IndexFunc(groups, func(g navGroup) bool { return g.Title == groupAbout }); at < 0 {
		groups = append(groups, navGroup{Title: groupAbout})
		at = len(groups) - 1
	}
	groups[at].Links = append(groups[at].Links, navLink{"Licences", "/docs/licences"})
	return groups
}

// all lists every page.
func (s *site) all() []*page {
	pages := []*page{s.homePage()}
	pages = append(pages, s.docPages()...)
	pages = append(pages, s.operationPages()...)
	pages = append(pages, s.eventPages()...)
	pages = append(pages, s.errorPages()...)
	return append(pages, s.licencePage())
}

// failureView is the page of an address where nothing is.
type failureView struct{ Status int }

// homeView is the first page.
type homeView struct {
	Description string
	Guides      []navGroup
	Operations  int
	Events      int
	Codes       int
	Try         bool // the pages have forms
}

func (s *site) homePage() *page {
	return &page{
		path: "/docs", title: "Developer documentation", kind: "Page", summary: "Where to begin", template: "home",
		view: func() any {
			return homeView{s.contract.description, s.nav, len(s.contract.operations), len(s.eventTypes()), len(s.config.Codes), s.config.Try != nil}
		},
	}
}
