package checkout

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"slices"
	"strings"

	"tenor/internal/buyer"
	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/money"
)

// visit is one request: what it asks for, by whom, and where the records lead.
type visit struct {
	*Pages
	w       http.ResponseWriter
	r       *http.Request
	address string
	token   string // of the checkout
	step    string
	id      string // of the request, on a page about a fault

	x       buyer.Visit
	lender  credit.LenderSettings
	session *buyer.Session // nil: none of this checkout
	person  *credit.Person // who has proved the e-mail
	draft   buyer.Draft

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

func (v *visit) ctx() context.Context { return v.r.Context() }

// today is the business date.
func (v *visit) today() calendar.Date { return v.config.Desk.Zone.Date(v.config.Desk.Now()) }

// find reads the checkout with the session and the answers of this browser, and sees where
// they lead.
func (v *visit) find() (err error) {
	d := v.config.Desk
	if v.x, err = d.Find(v.ctx(), v.token); err != nil {
		return err
	}
	if v.lender, err = d.Lender(v.ctx()); err != nil {
		return err
	}
	v.rules().Harden(v.w.Header(), v.config.Secure)
	if c, err := v.r.Cookie(v.cookieName()); err == nil {
		if v.session, err = d.Session(v.ctx(), c.Value); err != nil {
			return err
		}
		if s := v.session; s != nil && s.Checkout != v.x.Checkout.ID {
			v.session = nil
		}
	}
	return v.know()
}

// know reads who sits at the browser, and sees where that leads.
func (v *visit) know() (err error) {
	v.person, v.draft = nil, buyer.Draft{}
	if s := v.session; s != nil && s.Person != "" {
		if v.person, err = v.config.Desk.Person(v.ctx(), s.Person); err != nil {
			return err
		}
		if v.draft, err = v.config.Desk.Draft(v.ctx(), s); err != nil {
			return err
		}
	}
	return v.route()
}

// again reads the checkout anew, after something was done.
func (v *visit) again() (err error) {
	if v.x, err = v.config.Desk.Visit(v.ctx(), v.x.Checkout.ID); err != nil {
		return err
	}
	return v.know()
}

// cookieName is the name of this checkout's session in the browser. The prefix binds it to
// this host and to https, which a sandbox on a machine of one's own does not have.
func (v *visit) cookieName() string {
	id := v.x.Checkout.ID
	name := "tenor_c" + strings.ToLower(id[max(0, len(id)-8):])
	if v.config.Secure {
		return "__Host-" + name
	}
	return name
}

func (v *visit) setCookie(token string) {
	http.SetCookie(v.w, &http.Cookie{
		Name: v.cookieName(), Value: token, Path: "/", Secure: v.config.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// key is what a form has to send back: that of the session, or before there is one, what
// only these pages can say of the checkout's address.
func (v *visit) key() string {
	if v.session != nil {
		return v.session.Form
	}
	return v.firstKey()
}

func (v *visit) firstKey() string { return v.config.Desk.Hash("checkout form", v.token) }

// ours reports that a form with this key came from these pages. The e-mail may also come from
// a tab that was open before the session was.
func (v *visit) ours(key string) bool {
	return same(key, v.key()) || v.step == "email" && same(key, v.firstKey())
}

// may reports whether a page may be seen now.
func (v *visit) may(name string) bool { return name == v.at || slices.Contains(v.open, name) }

// path is the address of a page of this checkout.
func (v *visit) path(name string) string {
	if name == "start" {
		return Prefix + v.token
	}
	return Prefix + v.token + "/" + name
}

// to leads on to a page.
func (v *visit) to(name string) error {
	http.Redirect(v.w, v.r, v.path(name), http.StatusSeeOther)
	return nil
}

// next leads on to where the records lead after something was done.
func (v *visit) next() error {
	if err := v.again(); err != nil {
		return err
	}
	return v.to(v.at)
}

// keep keeps answers.
func (v *visit) keep(answers buyer.Draft) error {
	if err := v.config.Desk.SaveDraft(v.ctx(), v.session, answers); err != nil {
		return err
	}
	for name, text := range answers {
		v.draft[name] = text
	}
	return nil
}

// maxAnswer is the most characters of one answer.
const maxAnswer = 200

// answer is what a form says for a name, on one line.
func (v *visit) answer(name string) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(v.r.PostForm.Get(name), "")), " ")
	if r := []rune(text); len(r) > maxAnswer {
		return string(r[:maxAnswer])
	}
	return text
}

func (v *visit) answers(names ...string) buyer.Draft {
	out := buyer.Draft{}
	for _, name := range names {
		out[name] = v.answer(name)
	}
	return out
}

// refused is the rejection behind an error, nil if it is none.
func refused(err error) *credit.Rejection {
	var r *credit.Rejection
	if errors.As(err, &r) {
		return r
	}
	return nil
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (v *visit) money(a money.Amount) string        { return v.language.Money(a) }
func (v *visit) day(d calendar.Date) string         { return v.language.LongDay(d) }
func (v *visit) say(key string, args ...any) string { return v.texts.say(key, args...) }
