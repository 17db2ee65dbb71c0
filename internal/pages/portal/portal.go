// Package portal serves the developer portal: guides, the reference of
// operations, events and errors, and a search over all of them. Everything is
// rendered here, from the contract, the Markdown pages in docs, and given tables,
// so that it works without a network and always has the same
// version as the program that serves it.
//
// Files:
//
//	portal.go    the handler and its headers     page.go      pages and how they are rendered
//	contract.go  the OpenAPI document, read      schema.go    tables of members, JSON Schemas
//	guide.go     pages written in Markdown       markdown.go  Markdown, parsed into nodes
//	operation.go events.go errors.go states.go   the pages of the reference
//	snippet*.go  code in five languages          example.go   the requests shown
//	shell.go     the tree of all pages           facts.go     facts about an operation
//	search.go    the search                      licence.go   licenses of what is in the binary
//	try*.go      the forms of a sandbox          picture.go   pictures of pages
//
// Every page works without scripts; enhancements are in the script files of
// package design. No text becomes HTML except through html/template: Markdown is parsed
// into nodes, and the templates write their tags.
package portal

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"tenor/internal/domain/outcome"
	"tenor/internal/ui/web"
)

// Code is an error code of the contract.
type Code struct {
	Name   string
	Status int // HTTP status
	Title  string
}

// Config is the portal's content.
type Config struct {
	OpenAPI []byte // the contract, as JSON
	BaseURL string // the public address, without a trailing slash
	Version string // of the program
	// Docs are the Markdown pages and the licenses: the repository's docs folder, as embedded by
	// package docs.
	Docs fs.FS
	// Codes are all codes of the contract, by status and then in order of precedence.
	Codes []Code
	// Events says which command emits which events; it defines the types of the catalog.
	Events []outcome.EventRule
	// States says which command changes which statuses.
	States []outcome.StatusRule
	// Try processes the pages' forms: it is the API itself of a sandbox. Nil, as where money is
	// real, means that the pages have no forms.
	Try http.Handler
	// Examples replace examples of the contract, by operationId or event type.
	Examples map[string]Example
}

// Portal is a handler for /docs and everything below. It needs no token and is safe for
// concurrent use.
type Portal struct {
	site   *site
	pages  map[string]*page     // by path
	assets map[string]web.Asset // by path
	search index
	tries  *tries
	secure bool // served over https
}

// New reads the contract and the pages. It fails on anything that would make a page wrong: an
// invalid contract, an example that is not JSON, a Markdown page without a title.
func New(c Config) (*Portal, error) {
	s, err := newSite(c)
	if err != nil {
		return nil, fmt.Errorf("portal: %w", err)
	}
	p := &Portal{site: s, pages: map[string]*page{}, assets: s.assets.Files, secure: strings.HasPrefix(c.BaseURL, "https://")}
	if c.Try != nil {
		p.tries = &tries{api: c.Try, base: c.BaseURL, guard: http.NewCrossOriginProtection()}
	}
	for _, pg := range s.all() {
		if p.pages[pg.path] != nil {
			return nil, errors.New("portal: two pages are at " + pg.path)
		}
		p.pages[pg.path] = pg
		p.search.add(pg)
	}
	return p, nil
}

// policy allows the pages to run their own script files, which load the search, and to use their
// own font.
func policy() web.Rules { return web.Rules{Scripts: true, Asks: true, Fonts: true, Kept: true} }

// ServeHTTP answers GET and HEAD, and POST for the forms. Every response, including errors, has
// the same security headers.
func (p *Portal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	web.Harden(h, p.tries != nil, p.secure)
	h.Set("Content-Security-Policy", policy().Policy())
	path := r.URL.EscapedPath()
	if op, id, ok := p.tried(path); ok {
		p.try(w, r, op, id)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		p.failure(w, r, http.StatusMethodNotAllowed)
		return
	}
	switch a, isAsset := p.assets[path]; {
	case isAsset:
		a.Serve(w, r)
	case path == "/docs/search":
		p.find(w, r)
	case p.pages[path] != nil:
		p.page(w, r, p.pages[path])
	case len(path) > 1 && strings.HasSuffix(path, "/") && p.pages[strings.TrimRight(path, "/")] != nil:
		http.Redirect(w, r, strings.TrimRight(path, "/"), http.StatusPermanentRedirect)
	case p.pages[strings.Replace(path, "/docs/guides/", "/docs/", 1)] != nil: // a guide with a shorter address
		http.Redirect(w, r, strings.Replace(path, "/docs/guides/", "/docs/", 1), http.StatusPermanentRedirect)
	default:
		p.failure(w, r, http.StatusNotFound)
	}
}

// page sends a page, which is rendered once, when it is first requested.
func (p *Portal) page(w http.ResponseWriter, r *http.Request, pg *page) {
	if p.tries != nil && pg.template == "operation" { // its form has a key
		w.Header().Set("Cache-Control", "no-store")
		p.show(w, r, http.StatusOK, pg.template, frame{Title: pg.title, Path: pg.path, Beside: pg.beside, Main: pg.view()})
		return
	}
	body, tag, err := pg.render(p.site)
	if err != nil {
		p.failure(w, r, http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "no-cache")
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	web.Send(w, r, http.StatusOK, body)
}

// maxQuery is the maximum length of a search text, in bytes.
const maxQuery = 200

// find answers /docs/search?q=….
func (p *Portal) find(w http.ResponseWriter, r *http.Request) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		q = url.Values{} // an invalid query searches for nothing
	}
	text := strings.ToValidUTF8(q.Get("q"), "")
	if len(text) > maxQuery {
		text = strings.ToValidUTF8(text[:maxQuery], "")
	}
	v := searchView{Max: maxHits}
	v.Hits, v.Meant = p.search.find(text)
	w.Header().Set("Cache-Control", "no-store")
	p.show(w, r, http.StatusOK, "search-page", frame{Title: searchTitle(text), Path: "/docs/search", Query: text, Main: v})
}

// show renders a page for one reader.
func (p *Portal) show(w http.ResponseWriter, r *http.Request, status int, template string, f frame) {
	body, err := p.site.execute(template, f)
	if err != nil {
		p.failure(w, r, http.StatusInternalServerError)
		return
	}
	web.Send(w, r, status, body)
}

func searchTitle(text string) string {
	if text == "" {
		return "Search"
	}
	return "Search: " + text
}

// failure sends an error page.
func (p *Portal) failure(w http.ResponseWriter, r *http.Request, status int) {
	w.Header().Set("Cache-Control", "no-store")
	body, err := p.site.execute("failure", frame{Title: http.StatusText(status), Main: failureView{Status: status}})
	if err != nil {
		body = []byte(strconv.Itoa(status) + " " + http.StatusText(status) + "\n")
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	web.Send(w, r, status, body)
}
