package checkout

import (
	"net/http"
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
)

// visit is one request: what it asks for, by whom, and where the records lead.
type visit struct {
	*Pages
	pages.Call
	token     string // of the checkout
	carried   string // the session in the address of a framed page
	nonce     string // of the framed page's script
	what, way string // where it is a way out: what it tells, and with which ticket
	step      string
	id        string // of the request, on a page about a fault

	x buyer.Visit
	place
}

// place is where a checkout's records lead its visitor.
type place struct {
	at          string   // the page that is next
	open        []string // others that may be seen
	mine        bool     // the checkout is this person's, or nobody's yet
	company     *credit.Company
	choices     []*credit.Company // the businesses of which one is to be chosen
	application *credit.Application
}

// find reads the checkout with the session and the answers of this browser, and sees where
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

// know reads who sits at the browser, and sees where that leads.
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

// cookieName is the name of this checkout's session in the browser.
func (v *visit) cookieName() string {
	id := v.x.Checkout.ID
	return pages.CookieName("tenor_c"+strings.ToLower(id[max(0, len(id)-8):]), v.config.Secure)
}

// key is what a form has to send back: that of the session, or before there is one, what
// only these pages can say of the checkout's address.
func (v *visit) key() string {
	if v.Session != nil {
		return v.Session.Form
	}
	return v.firstKey()
}

func (v *visit) firstKey() string { return v.Desk.Hash("checkout form", v.token) }

// ours reports that a form with this key came from these pages. The e-mail may also come from
// a tab that was open before the session was.
func (v *visit) ours(key string) bool {
	return pages.Same(key, v.key()) || v.step == "email" && pages.Same(key, v.firstKey())
}

// may reports whether a page may be seen now.
func (v *visit) may(name string) bool { return name == v.at || slices.Contains(v.open, name) }

// path is the address of a page of this checkout.
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

// to leads on to a page.
func (v *visit) to(name string) error {
	http.Redirect(v.W, v.R, v.path(name), http.StatusSeeOther)
	return nil
}

// next leads on to where the records lead after something was done.
func (v *visit) next() error {
	if err := v.again(); err != nil {
		return err
	}
	return v.to(v.at)
}
