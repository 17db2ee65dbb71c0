// Package storefront serves what merchants' own pages load: the scripts below /js/v1/, and
// the page with the terms that the promotional widget links to.
//
//	scripts/promo.js     <tenor-promo>, which shows what an amount costs over time
//	scripts/checkout.js  openCheckout, which shows a checkout in a dialog of the merchant's page
//	scripts/*.d.ts       their types
//	terms.go             the page with the terms
//
// The scripts store nothing in a browser and do not track readers. A change
// that affects merchants gets another version number in the address.
package storefront

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"tenor/internal/edge/throttle"
	"tenor/internal/office/buyer"
	"tenor/internal/office/promotion"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

const (
	// Scripts is the path of the scripts.
	Scripts = "/js/v1/"
	// assets is the path of the files of the terms page.
	assets = "/promotions/assets/"
	// kept is how long a browser caches a script: short, so that a mistake is fixed soon.
	kept = "public, max-age=600"
)

//go:embed scripts/*.js scripts/*.ts
var scriptFiles embed.FS

//go:embed templates/*.html
var templateFiles embed.FS

// Config configures the pages. Desk and Address are required.
type Config struct {
	Desk *buyer.Desk
	// Secure means that the pages are served over https.
	Secure bool
	// Address returns the network address of a request's client, as far as it can be trusted.
	Address func(*http.Request) string
	Limit   int // requests per minute from one network address; 0: 600
	Log     *slog.Logger
}

// Pages is a handler for every path that Serves accepts. It is safe for concurrent use.
type Pages struct {
	config    Config
	scripts   map[string]script
	files     design.Assets
	templates *template.Template
	sentences promotion.Writer
	addresses *throttle.Throttle
}

// script is a file with its entity tag.
type script struct {
	web.Asset
	tag string
}

// Serves reports whether a path belongs to these pages.
func Serves(path string) bool {
	return strings.HasPrefix(path, Scripts) || strings.HasPrefix(path, assets) || path == promotion.TermsPath
}

// New creates the pages. It fails if a file cannot be read.
func New(c Config) (*Pages, error) {
	if c.Desk == nil || c.Address == nil {
		return nil, errors.New("storefront: the configuration lacks Desk or Address")
	}
	if c.Limit <= 0 {
		c.Limit = 600
	}
	p := &Pages{config: c, scripts: map[string]script{}, addresses: throttle.New(c.Limit, time.Minute, 100_000)}
	var err error
	if p.files, err = design.LoadAssets(assets); err != nil {
		return nil, err
	}
	if p.sentences, err = promotion.NewWriter(promotion.English, promotion.Version); err != nil {
		return nil, err
	}
	parts, err := design.Parts(promotion.English)
	if err != nil {
		return nil, err
	}
	if p.templates, err = parts.ParseFS(templateFiles, "templates/*.html"); err != nil {
		return nil, fmt.Errorf("storefront: %w", err)
	}
	return p, p.load()
}

// load reads the scripts.
func (p *Pages) load() error {
	names, err := fs.Glob(scriptFiles, "scripts/*")
	if err != nil {
		return fmt.Errorf("storefront: %w", err)
	}
	for _, name := range names {
		b, err := scriptFiles.ReadFile(name)
		if err != nil {
			return fmt.Errorf("storefront: %w", err)
		}
		media := "text/javascript; charset=utf-8"
		if strings.HasSuffix(name, ".ts") { // for editors, not for browsers
			media = "text/plain; charset=utf-8"
		}
		sum := sha256.Sum256(b)
		p.scripts[Scripts+path.Base(name)] = script{web.NewAsset(media, b), `W/"` + hex.EncodeToString(sum[:8]) + `"`}
	}
	return nil
}

// ServeHTTP serves a script or the page.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s, ok := p.scripts[r.URL.Path]; ok {
		p.serveScript(w, r, s)
		return
	}
	web.Rules{Fonts: true}.Harden(w.Header(), p.config.Secure)
	switch a, ok := p.files.Files[r.URL.Path]; {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		p.refuse(w, r, http.StatusMethodNotAllowed)
	case ok:
		a.Serve(w, r)
	case r.URL.Path == promotion.TermsPath:
		p.terms(w, r)
	default:
		p.refuse(w, r, http.StatusNotFound)
	}
}

// serveScript sends a script to any page: it involves no secret and no cookie.
func (p *Pages) serveScript(w http.ResponseWriter, r *http.Request, s script) {
	h := w.Header()
	web.Harden(h, false, p.config.Secure)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Access-Control-Allow-Origin", "*")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	h.Set("ETag", s.tag)
	if r.Header.Get("If-None-Match") == s.tag {
		h.Set("Cache-Control", kept)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	s.ServeFor(w, r, kept)
}
