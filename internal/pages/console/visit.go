package console

import (
	"errors"
	"net/http"
	"strings"

	"tenor/internal/office/signin"
	"tenor/internal/pages"
)

// visit is one request.
type visit struct {
	*Pages
	w       http.ResponseWriter
	r       *http.Request
	address string // the client's network address
	route   string // which page it is: an address may have a secret
	visitor *signin.Visitor
	waiting map[string]int    // how much waits in each section
	names   map[string]string // of colleagues, as far as they were read
}

func (v *visit) desk() *signin.Desk { return v.config.Desk }

// say returns a text of the catalog.
func (v *visit) say(key string, args ...any) string { return v.texts.Say(key, args...) }

const cookie = "tenor_console"

// find identifies the visitor.
func (v *visit) find() error {
	c, err := v.r.Cookie(pages.CookieName(cookie, v.config.Secure))
	if err != nil {
		return nil //nolint:nilerr // there is no cookie
	}
	if v.visitor, err = v.desk().Session(v.r.Context(), c.Value); err != nil || v.visitor == nil {
		return err
	}
	if v.waiting, err = v.counted(v.r.Context()); err != nil {
		return err
	}
	return v.desk().Touch(v.r.Context(), v.visitor.Session)
}

func (v *visit) setCookie(token string) {
	http.SetCookie(v.w, &http.Cookie{
		Name: pages.CookieName(cookie, v.config.Secure), Value: token, Path: "/", Secure: v.config.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// enter gives the browser a session's token, and redirects.
func (v *visit) enter(s *signin.Session, to string) error {
	v.setCookie(s.Token)
	http.Redirect(v.w, v.r, to, http.StatusSeeOther)
	return nil
}

// to redirects to a page of the console.
func (v *visit) to(path string) error {
	http.Redirect(v.w, v.r, Prefix+path, http.StatusSeeOther)
	return nil
}

// key returns what a form must send back: the session's, or before there is one a key that only
// these pages can know.
func (v *visit) key() string {
	if v.visitor == nil {
		return v.desk().Hash("console form", "sign in")
	}
	return v.visitor.Form
}

const maxForm = 64 << 10

// readForm reads a form that this browser got from these pages and nobody else's (A45). If it is
// refused, it returns a status and the key of its text.
func (v *visit) readForm() (status int, key string) {
	if v.guard.Check(v.r) != nil {
		return http.StatusForbidden, "foreign"
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	var over *http.MaxBytesError
	switch err := v.r.ParseForm(); {
	case errors.As(err, &over):
		return http.StatusRequestEntityTooLarge, "large"
	case err != nil:
		return http.StatusBadRequest, "broken"
	}
	given := v.r.PostForm.Get("form")
	first := v.desk().Hash("console form", "sign in")
	if !pages.Same(given, v.key()) && !(strings.HasPrefix(v.r.URL.Path, Prefix+"/sign-in") && pages.Same(given, first)) {
		return http.StatusForbidden, "foreign"
	}
	return 0, ""
}

// answer returns a form value, on one line.
func (v *visit) answer(name string) string { return oneLine(v.r.PostForm.Get(name)) }

// oneLine is a text on one line, as long as an answer may be.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if r := []rune(text); len(r) > pages.MaxAnswer {
		return string(r[:pages.MaxAnswer])
	}
	return text
}

// secret returns a password as typed: spaces belong to it.
func (v *visit) secret(name string) string { return v.r.PostForm.Get(name) }
