// Package portal serves the developer portal: guides, the reference of
// operations, events and errors, and a search over all of them. Everything is
// rendered here, of the contract, of the Markdown pages in docs, and of tables
// that it is given, so that it works without a network and is always of the same
// version as the program that serves it.
//
// Where to look:
//
//	portal.go    the handler and its headers     page.go      pages and how they are rendered
//	contract.go  the OpenAPI document, read      schema.go    tables of members, JSON Schemas
//	guide.go     pages written in Markdown       markdown.go  Markdown, parsed into nodes
//	operation.go events.go errors.go states.go   the pages of the reference
//	snippet*.go  code in five languages          example.go   the requests that it shows
//	shell.go     the tree of all pages           facts.go     what holds for an operation
//	search.go    the search                      licence.go   licences of what is in the binary
//	try*.go      the forms of a sandbox          picture.go   pictures of pages
//
// Every page works without script; what is better with it is in the script files of
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

// Code is a code of the contract's errors.
type Code struct {
	Name   string
	Status int // HTTP status
	Title  string
}

// Config says what the portal shows.
type Config struct {
	OpenAPI []byte // the contract, as JSON
	BaseURL string // the public address, without a slash at its end
	Version string // of the program
	// Docs are the pages in Markdown and the licences: the folder docs of the
	// repository, as package docs embeds it.
	Docs fs.FS
	// Codes are all codes of the contract, by status and then in order of
	// precedence.
	Codes []Code
	// Events says which command emits which events; the types of the catalogue are
	// those that it names.
	Events []outcome.EventRule
	// States says which command changes which statuses.
	States []outcome.StatusRule
	// Try answers what readers send with the forms of the pages: the API itself of a
	// sandbox. Nil, as it is where money is real: the pages have no forms.
	Try http.Handler
	// Examples replace examples of the contract, by operationId or event type.
	Examples map[string]Example
}

// Portal is a handler for everything at and below /docs. It needs no token and is
// safe for concurrent use.
type Portal struct {
	site   *site
	pages  map[string]*page     // by path
	assets map[string]web.Asset // by path
	search index
	tries  *tries
	secure bool // it is reached by https
}

// New reads the contract and the pages. It fails on what would give a page that
// is not true: a contract that cannot be read, an example that is no JSON, a
// Markdown page without a title.
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

// policy is what the pages may do: run their own script files, which read the search, and
// use their own font.
func policy() web.Rules { return web.Rules{Scripts: true, Asks: true, Fonts: true, Kept: true} }

// ServeHTTP answers GET and HEAD, and POST of the forms. Every answer, also one of
// an error, has the same headers of security.
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
	case p.pages[strings.Replace(path, "/docs/guides/", "/docs/", 1)] != nil: // a guide that has a shorter address
		http.Redirect(w, r, strings.Replace(path, "/docs/guides/", "/docs/", 1), http.StatusPermanentRedirect)
	default:
		p.failure(w, r, http.StatusNotFound)
	}
}

// page sends a page, which is rendered once, when it is first asked for.
func (p *Portal) page(w http.ResponseWriter, r *http.Request, pg *page) {
	if p.tries != nil && pg.template == "operation" { // its form has a key of its own
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

// maxQuery is the longest text that is searched for, in bytes.
const maxQuery = 200

// find answers /docs/search?q=….
func (p *Portal) find(w http.ResponseWriter, r *http.Request) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		q = url.Values{} // what is not a query asks for nothing
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

// show makes a page for one reader.
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

// failure sends a page for what cannot be shown.
func (p *Portal) failure(w http.ResponseWriter, r *http.Request, status int) {
	w.Header().Set("Cache-Control", "no-store")
	body, err := p.site.execute("failure", frame{Title: http.StatusText(status), Main: failureView{Status: status}})
	if err != nil {
		body = []byte(strconv.Itoa(status) + " " + http.StatusText(status) + "\n")
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	web.Send(w, r, status, body)
}
