package accountpages

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
)

// visit is one request: by whom, and for which business.
type visit struct {
	*Pages
	pages.Call
	id    string // of the request, on an error page
	files bool   // its form includes files

	companies []*credit.Company // for which she acts
	company   *credit.Company   // the one she has chosen; nil: none yet
	role      credit.PersonRole // her role there
	merchant  *credit.Merchant  // of an application
}

const cookie = "tenor_account"

// find identifies the visitor.
func (v *visit) find() (err error) {
	if v.Lender, err = v.Desk.Lender(v.Ctx()); err != nil {
		return err
	}
	if c, err := v.R.Cookie(pages.CookieName(cookie, v.config.Secure)); err == nil {
		if err := v.Known(c.Value, ""); err != nil { // a checkout's session is not valid here
			return err
		}
	}
	if err := v.Choose(v.voices); err != nil {
		return err
	}
	if err := v.Know(); err != nil || v.Person == nil {
		return err
	}
	return v.findCompany()
}

// findCompany reads the businesses for which she acts, and selects the chosen one, or the only
// one.
func (v *visit) findCompany() (err error) {
	if v.companies, err = v.Desk.Companies(v.Ctx(), v.Person); err != nil {
		return err
	}
	chosen, _ := strconv.ParseInt(v.Draft["business"], 10, 64)
	i := slices.IndexFunc(v.companies, func(c *credit.Company) bool { return c.ID == chosen })
	if i < 0 && len(v.companies) == 1 {
		i = 0
	}
	if v.company, v.role = nil, (credit.PersonRole{}); i >= 0 {
		v.company = v.companies[i]
		v.role, _ = v.Person.RoleAt(v.company.ID)
	}
	return nil
}

func (v *visit) setCookie(token string) {
	v.SetCookie(pages.CookieName(cookie, v.config.Secure), token, v.config.Secure)
}

// owns reports whether she is an owner of the business.
func (v *visit) owns() bool { return v.role.Role == credit.RoleOwner }

// pays reports whether she may pay for it.
func (v *visit) pays() bool { return v.owns() || v.role.Role == credit.RoleBuyer }

// key returns what a form must send back: a key for the session and the business for which it was
// shown, since another tab may have chosen a different one; or, before there is a session, a key
// that only these pages can know.
func (v *visit) key() string {
	switch {
	case v.Session == nil:
		return v.firstKey()
	case v.company == nil:
		return v.Session.Form
	}
	return v.Desk.Hash("account form", v.Session.Form+" "+store.CompanyKey(v.company.ID))
}

func (v *visit) firstKey() string { return v.Desk.Hash("account form", "sign in") }

// ours reports whether a form with this key came from these pages. The email may also come from a
// tab opened before the session.
func (v *visit) ours(key string) bool {
	return pages.Same(key, v.key()) || strings.HasSuffix(v.R.URL.Path, "/sign-in") && pages.Same(key, v.firstKey())
}

// to redirects to a page of the account.
func (v *visit) to(path string) error { return v.go_(Prefix + path) }

func (v *visit) go_(address string) error {
	http.Redirect(v.W, v.R, v.Carrying(address), http.StatusSeeOther)
	return nil
}

// done redirects to a page of the account that says what was done.
func (v *visit) done(path, what string) error {
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	return v.to(path + sep + "done=" + what + "." + v.did(what))
}

// did returns a value that only these pages can know about something done in this browser: a link
// from elsewhere cannot claim it.
func (v *visit) did(what string) string {
	return v.Desk.Hash("account done", v.Session.Form+" "+what)[:16]
}

// book reads what the business owes.
func (v *visit) book() (*buyer.Book, error) { return v.Desk.Book(v.Ctx(), v.company.ID) }

// refused returns the text for a rejection on a form, false if an error is not one. The domain's
// reasons are for programs; a buyer needs to know what she can do.
func (v *visit) refused(err error) (string, bool) {
	r := pages.Refused(err)
	if r == nil {
		return "", false
	}
	key := "no." + r.Code
	if text := v.Say(key); text != key {
		return text, true
	}
	return v.Say("no.other", v.Ask()), true
}
