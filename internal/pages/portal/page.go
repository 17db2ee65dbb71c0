package portal

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"tenor/internal/ui/design"
)

//go:embed templates/*.html
var templateFiles embed.FS

// site is everything that pages are made of. It is immutable once created.
type site struct {
	config    Config
	contract  *contract
	markdown  markdown
	templates *template.Template
	assets    design.Assets
	docs      []*document
	codeText  map[string]section // by code
	eventText map[string]section // by event type
	first     map[string]string  // version that introduced a name, by name
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
	if s.assets, err = design.LoadAssets("/docs/assets/"); err != nil {
		return nil, err
	}
	parts, err := design.Parts(design.English)
	if err != nil {
		return nil, err
	}
	more := template.FuncMap{"markdown": s.prose, "inline": s.running, "list": func(args ...any) []any { return args }, "capital": capital}
	if s.templates, err = parts.Funcs(more).ParseFS(templateFiles, "templates/*.html"); err != nil {
		return nil, err
	}
	if s.examples, err = readExamples(c.Examples); err != nil {
		return nil, err
	}
	if err := s.loadPictures(); err != nil {
		return nil, err
	}
	if err := s.loadDocs(); err != nil {
		return nil, err
	}
	s.nav = s.navigation()
	return s, nil
}

// prose and running convert Markdown in the contract to nodes: as blocks, or for running text.
// Their links stay within the portal.
func (s *site) prose(source string) []node { return s.markdown.nodes(source, contractLink) }

func (s *site) running(source string) []node { return s.markdown.inline(source, contractLink) }

// contractLink allows links in the contract only into the portal.
func contractLink(target string) string {
	if target == "/docs" || strings.HasPrefix(target, "/docs/") {
		return target
	}
	return ""
}

// page is one page. Its view is created when it is first requested.
type page struct {
	path     string
	title    string
	kind     string // for the search: Guide, Operation, Event, Error, Page
	summary  string // one line for lists and the search
	text     string // additional text for the search
	template string
	beside   string // what its neighbors in the tree are: a tag, a group of events, a status
	view     func() any
	parts    []part // places on the page for the search
	terms    []part // terms explained on the page

	once sync.Once
	body []byte
	tag  string
	err  error
}

// part is a place on a page: a heading and its content.
type part struct{ anchor, title, lead, text string }

// render returns the page and its entity tag.
func (p *page) render(s *site) ([]byte, string, error) {
	p.once.Do(func() {
		p.body, p.err = s.execute(p.template, frame{Title: p.title, Path: p.path, Beside: p.beside, Main: p.view()})
		sum := sha256.Sum256(p.body)
		p.tag = `"` + hex.EncodeToString(sum[:12]) + `"`
	})
	return p.body, p.tag, p.err
}

// frame is common to all pages, around their own part.
type frame struct {
	Title  string
	Kind   string // above the title, if anything
	Path   string
	Beside string // what the page's neighbors in the tree are
	Query  string // what was searched for
	Main   any

	Shell design.Docs // set by execute
}

// navGroup is a group in the navigation.
type navGroup struct {
	Title string
	Links []navLink
}

type navLink struct{ Title, Path string }

// execute renders a page.
func (s *site) execute(name string, f frame) ([]byte, error) {
	f.Shell = s.shell(f)
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

// all returns every page.
func (s *site) all() []*page {
	pages := []*page{s.homePage()}
	pages = append(pages, s.docPages()...)
	pages = append(pages, s.operationPages()...)
	pages = append(pages, s.eventPages()...)
	pages = append(pages, s.errorPages()...)
	return append(pages, s.licencePage())
}

// way is a starting point.
type way struct{ Icon, Title, Text, Href string }

// failureView is the page for an address without content.
type failureView struct{ Status int }

// homeView is the first page.
type homeView struct {
	Description string
	Ways        []way
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
			return homeView{s.contract.description, ways(), s.nav, len(s.contract.operations), len(s.eventTypes()), len(s.config.Codes), s.config.Try != nil}
		},
	}
}

// ways are where most readers begin.
func ways() []way {
	return []way{
		{"play", "Quickstart", "Finance an order, ship it and read its schedule, in five minutes and with nothing but a shell.", "/docs/guides/quickstart"},
		{"shopping-cart", "Redirect checkout in 15 minutes", "A shop's whole server, in the language of your choice.", "/docs/guides/quickstart-checkout"},
		{"code", "API reference", "Every operation, with code in five languages and recorded answers.", "/docs/api"},
	}
}

// capital capitalizes the first letter of a text.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
