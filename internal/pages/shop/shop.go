// Package shop is the sandbox's shop below /shop: three products, a cart, and a button to
// pay over time. It shows a developer what a shop does, and how Tenor responds.
//
//	server.go  what a shop's server does: the part to read, and to copy
//	cart.go    the cart and its cookie      address.go  where it is delivered
//	offer.go   what a cart costs over time, next to that payment option
//	log.go     what the server did and was told, for the foot of the pages
//	shop.go    the handler     page.go  its pages
//
// It has no special rights: everything goes over HTTP to the public API, with a
// merchant's token. Its pages load the scripts below /js/v1/, like any merchant's, and one
// of its own that opens a modal checkout; all of it works without them.
package shop

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/ui/web"
)

// Config is where the shop is, and where Tenor is.
type Config struct {
	API     string // base address of the API, without a trailing slash
	BaseURL string // public address of the shop's server, without a trailing slash
	// Token returns a merchant's access token with the scopes checkout:write, orders:read and
	// events:read.
	Token func(context.Context) (string, error)
	// Merchant is the seller, for the promotional widget; nil: there is none.
	Merchant func(context.Context) (string, error)
	// Clock is the sandbox's business time for the banner; nil: no banner.
	Clock func(context.Context) (string, error)
	// HTTP carries the calls; nil: a client with a time limit.
	HTTP *http.Client
	// Zone is the business zone for the times in the log; nil: UTC.
	Zone *time.Location
}

// Shop is a handler for /shop and everything below. It is safe for concurrent use.
type Shop struct {
	config Config
	site   *site
	server server
	record *record
	rules  web.Rules
	guard  *http.CrossOriginProtection
	mux    *http.ServeMux
	cookie string
	secure bool
}

//go:embed server.go
var source []byte

// New creates a shop. It fails on an invalid address, or without a token.
func New(c Config) (*Shop, error) {
	if c.Token == nil {
		return nil, errors.New("shop: there is no token")
	}
	pages, err := web.OriginOf(c.API) // the form redirects to its checkout
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" {
		return nil, errors.New("shop: the base address is none")
	}
	site, err := newSite()
	if err != nil {
		return nil, err
	}
	if c.HTTP == nil {
		c.HTTP = &http.Client{Timeout: 20 * time.Second}
	}
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	s := &Shop{
		config: c, site: site, server: server{api: c.API, shop: c.BaseURL, token: c.Token, http: c.HTTP}, record: &record{},
		rules: web.Rules{Fonts: true, Scripts: true, Asks: true, Frames: true, FormsTo: []web.Origin{pages}}, guard: http.NewCrossOriginProtection(), mux: http.NewServeMux(),
		cookie: "tenor_shop", secure: base.Scheme == "https",
	}
	if base.Port() != "" { // cookies ignore ports
		s.cookie += "_" + base.Port()
	}
	s.routes()
	return s, nil
}

func (s *Shop) routes() {
	for path, a := range s.site.assets.Files {
		s.mux.HandleFunc("GET "+path, a.Serve)
	}
	s.mux.HandleFunc("GET "+s.site.script, s.site.opener.Serve)
	s.mux.HandleFunc("GET /shop", s.shelves)
	s.mux.HandleFunc("GET /shop/cart", s.cartPage)
	s.mux.HandleFunc("POST /shop/cart", s.changeCart)
	s.mux.HandleFunc("GET /shop/address", s.addressPage)
	s.mux.HandleFunc("POST /shop/address", s.changeAddress)
	s.mux.HandleFunc("POST /shop/checkout", s.pay)
	s.mux.HandleFunc("GET /shop/sent", s.sent)
	s.mux.HandleFunc("GET /shop/thanks", s.thanks)
	s.mux.HandleFunc("GET /shop/server.go", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		web.Send(w, r, http.StatusOK, source)
	})
	s.mux.HandleFunc("/shop/", func(w http.ResponseWriter, r *http.Request) { s.missing(w, r, http.StatusNotFound) })
}

// maxForm is the largest form, in bytes.
const maxForm = 16 << 10

// ServeHTTP serves pages, which are not cached, except for the assets.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.rules.Harden(w.Header(), s.secure)
	if r.Method == http.MethodPost {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if s.guard.Check(r) != nil {
			s.missing(w, r, http.StatusForbidden)
			return
		}
		if err := r.ParseForm(); err != nil {
			s.missing(w, r, http.StatusBadRequest)
			return
		}
	}
	s.mux.ServeHTTP(w, r)
}

// serverFor returns the shop's server, with its calls logged for a cart.
func (s *Shop) serverFor(cart string) server {
	x := s.server
	x.note = func(c call) { s.record.note(cart, c) }
	return x
}

// changeCart adds a product to the cart, changes its quantity, or removes it.
func (s *Shop) changeCart(w http.ResponseWriter, r *http.Request) {
	by := map[string]int{"more": 1, "less": -1, "remove": -most}[r.PostForm.Get("act")]
	s.keep(w, s.cartOf(r).change(r.PostForm.Get("sku"), by))
	http.Redirect(w, r, "/shop/cart", http.StatusSeeOther)
}

// pay creates a checkout of the cart and redirects the buyer to it, or sends a mail. With the act
// "return" the browser goes directly to the return address, as anyone could.
func (s *Shop) pay(w http.ResponseWriter, r *http.Request) {
	c, f := s.cartOf(r), r.PostForm
	if len(c.Lines) == 0 {
		http.Redirect(w, r, "/shop/cart", http.StatusSeeOther)
		return
	}
	mode := "redirect"
	if slices.Contains([]string{"link", "modal"}, f.Get("mode")) {
		mode = f.Get("mode")
	}
	x, err := s.serverFor(c.ID).start(r.Context(), c, mode, strings.TrimSpace(f.Get("email")), f.Get("once"))
	if err != nil {
		s.refused(w, r, c, err)
		return
	}
	s.keep(w, c)
	s.record.made(c.ID, x)
	switch {
	case f.Get("act") == "return":
		q := url.Values{"order": {x.OrderKey}, "checkout": {x.ID}}
		http.Redirect(w, r, "/shop/thanks?"+q.Encode(), http.StatusSeeOther)
	case mode == "link":
		http.Redirect(w, r, "/shop/sent", http.StatusSeeOther)
	case mode == "modal" && r.Header.Get("Accept") == "application/json": // the page opens it
		w.Header().Set("Content-Type", "application/json")
		web.Send(w, r, http.StatusOK, []byte(`{"checkout_url":`+strconv.Quote(x.CheckoutURL)+`}`))
	default:
		http.Redirect(w, r, x.CheckoutURL, http.StatusSeeOther)
	}
}

// thanks is where a buyer returns. Only the API knows whether anything was bought.
func (s *Shop) thanks(w http.ResponseWriter, r *http.Request) {
	c, id := s.cartOf(r), r.URL.Query().Get("checkout")
	if !strings.HasPrefix(id, "chk_") || len(id) > 60 {
		s.missing(w, r, http.StatusNotFound)
		return
	}
	server := s.serverFor(c.ID)
	o, err := server.complete(r.Context(), id)
	if err != nil {
		s.nothing(w, r, c, err)
		return
	}
	// The purchased cart is now empty. It may be another browser's, or an older one.
	shown := c.ID
	if x, err := server.checkout(r.Context(), id); err == nil && x.RemoteID == c.ID {
		c = newCart()
		s.keep(w, c)
	}
	s.bought(w, r, c, shown, id, o)
}

// once generates a button's key.
func once() string { return rand.Text() }
