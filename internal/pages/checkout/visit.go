package checkout

import (
	"net/http"
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
)

// visit is one request: what it requests, by whom, and where the records lead.
type visit struct {
	*Pages
	pages.Call
	token     string // of the checkout
	carried   string // session in a framed page's address
	nonce     string // of the framed page's script
	what, way string // for a way out: what it reports, and with which ticket
	step      string
	id        string // of the request, on an error page

	x buyer.Visit
	place
}

// place is where a checkout's records lead its visitor.
type place struct {
	at          string   // the next page
	open        []string // other pages that may be seen
	mine        bool     // the checkout is this person's, or nobody's yet
	company     *credit.Company
	choices     []*credit.Company // the businesses to choose from
	application *credit.Application
}

// find reads the checkout with the session and the answers of this browser, and determines where
// they lead.
func (v *visit) find() (err error) {
	d := v.Desk
	if v.x, err = d.Find(v.Ctx(), v.token); err != nil {
		return err
	}
	if v.Lender, err = d.Lender(v.Ctx()); err != nil {
		return err
	}
	v.rules().Harden(v.W.Header(), v.config.Secure)
	if shown := v.presented(); shown != "" {
		if err := v.Known(shown, v.x.Checkout.ID); err != nil {
			return err
		}
		if v.Session == nil && v.Late == nil {
			v.carried = ""
		}
	}
	if err := v.Choose(v.voices); err != nil {
		return err
	}
	return v.know()
}

// know identifies the visitor, and determines where that leads.
func (v *visit) know() error {
	if err := v.Know(); err != nil {
		return err
	}
	return v.route()
}

// again rereads the checkout after a change.
func (v *visit) again() (err error) {
	if v.x, err = v.Desk.Visit(v.Ctx(), v.x.Checkout.ID); err != nil {
		return err
	}
	return v.know()
}

// cookieName returns the name of this checkout's session cookie.
func (v *visit) cookieName() string {
	id := v.x.Checkout.ID
	return pages.CookieName("tenor_c"+strings.ToLower(id[max(0, len(id)-8):]), v.config.Secure)
}

// key returns what a form must send back: the session's key, or, before there is one, a key that
// only these pages can know for the checkout's address.
func (v *visit) key() string {
	if v.Session != nil {
		return v.Session.Form
	}
	return v.firstKey()
}

func (v *visit) firstKey() string { return v.Desk.Hash("checkout form", v.token) }

// ours reports whether a form with this key came from these pages. The email may also come from a
// tab opened before the session.
func (v *visit) ours(key string) bool {
	return pages.Same(key, v.key()) || v.step == "email" && pages.Same(key, v.firstKey())
}

// may reports whether a page may be seen now.
func (v *visit) may(name string) bool { return name == v.at || slices.Contains(v.open, name) }

// path returns the path of a page of this checkout.
func (v *visit) path(name string) string {
	if name == "start" {
		return v.Carrying(Prefix + v.carrying(name))
	}
	at := Prefix + v.carrying(name) + "/" + name
	if v.steps[name].own {
		return at
	}
	return v.Carrying(at)
}

// to redirects to a page.
func (v *visit) to(name string) error {
	http.Redirect(v.W, v.R, v.path(name), http.StatusSeeOther)
	return nil
}

// next redirects to where the records lead after a change.
func (v *visit) next() error {
	if err := v.again(); err != nil {
		return err
	}
	return v.to(v.at)
}
