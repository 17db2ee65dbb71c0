// Package pages is shared by the pages of the buyer's side:
// the checkout, an application without a cart, and the account.
//
//	Call     one request: visitor, language, and answers so far
//	Texts    the catalog of all texts on these pages, one for each language
//	Voices   the supported languages, and which of them a visitor gets
//	Form     a form with its errors
//	ask.go   the questions of an application         answers.go  parsing answers
//	higher.go  those of a higher line                bank.go     those about a bank account
//	signin.go  email and code                        upload.go   files
//	time.go    how long a session lasts, and late forms
//
// It decides nothing and redirects nowhere: the packages that show the pages determine
// their addresses and their order.
package pages

import (
	"context"
	"crypto/subtle"
	"errors"
	"html/template"
	"mime/multipart"
	"net/http"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/office/buyer"
	"tenor/internal/ui/design"
)

// Call is one request of such pages.
type Call struct {
	Desk      *buyer.Desk
	Language  design.Language
	Texts     Texts
	Templates *template.Template
	Preferred design.Language // from the browser
	asked     design.Language // requested by an address of these pages, "" if none
	Lender    credit.LenderSettings
	Contact   string // whom to ask, if the lender's settings do not say

	W       http.ResponseWriter
	R       *http.Request
	Address string // the client's network address

	Session *buyer.Session // nil: none for these pages
	Late    *buyer.Session // an expired session; nil if there was none recently
	Person  *credit.Person // who has proved the email
	Draft   buyer.Draft
}

// Ctx returns the request's context.
func (c *Call) Ctx() context.Context { return c.R.Context() }

// Today returns the business date.
func (c *Call) Today() calendar.Date { return c.Desk.Zone.Date(c.Desk.Now()) }

// Say returns a text of the catalog.
func (c *Call) Say(key string, args ...any) string { return c.Texts.Say(key, args...) }

// Money formats an amount.
func (c *Call) Money(a money.Amount) string { return c.Language.Money(a) }

// Day formats a date.
func (c *Call) Day(d calendar.Date) string { return c.Language.LongDay(d) }

// Clock formats the business date and time, as a sandbox shows them.
func (c *Call) Clock() string {
	return c.Language.Day(c.Today()) + c.Desk.Now().In(c.Desk.Zone.Location()).Format(" 15:04")
}

// MaxAnswer is the maximum length of an answer, in characters.
const MaxAnswer = 200

// Answer returns a form value, on one line.
func (c *Call) Answer(name string) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(c.R.PostForm.Get(name), "")), " ")
	if r := []rune(text); len(r) > MaxAnswer {
		return string(r[:MaxAnswer])
	}
	return text
}

// Text returns a form value of several lines, cut to a number of characters.
func (c *Call) Text(name string, most int) string {
	text := strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(c.R.PostForm.Get(name), ""), "\r\n", "\n"))
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

// Answers returns several form values.
func (c *Call) Answers(names ...string) buyer.Draft {
	out := buyer.Draft{}
	for _, name := range names {
		out[name] = c.Answer(name)
	}
	return out
}

// Keep saves answers.
func (c *Call) Keep(answers buyer.Draft) error {
	if err := c.Desk.SaveDraft(c.Ctx(), c.Session, answers); err != nil {
		return err
	}
	for name, text := range answers {
		c.Draft[name] = text
	}
	return nil
}

// Know reads who has proved the session's email, with her answers so far. If she has chosen
// another language on these pages, it also becomes the language of her mail.
func (c *Call) Know() (err error) {
	c.Person, c.Draft = nil, buyer.Draft{}
	if s := c.Session; s != nil && s.Person != "" {
		if c.Person, err = c.Desk.Person(c.Ctx(), s.Person); err != nil {
			return err
		}
		if c.Person == nil || c.Person.Of != c.Desk.EmailHash(s.Email) { // she has another email now: proving the old one no longer counts
			c.Session, c.Person = nil, nil
			return nil
		}
		if c.asked != "" && c.Person.Language != string(c.asked) {
			if c.Person, err = c.Desk.Speak(c.Ctx(), c.Person, string(c.asked), c.Address); err != nil {
				return err
			}
		}
		c.Draft, err = c.Desk.Draft(c.Ctx(), s)
	}
	return err
}

// Ask returns whom to ask about the financing.
func (c *Call) Ask() string {
	for _, text := range []string{c.Lender.Contact, c.Contact, c.Lender.Creditor.Address, c.Lender.Creditor.Name} {
		if text != "" {
			return text
		}
	}
	return c.Say("contact.none")
}

const maxForm = 64 << 10

// ReadForm reads a form that this browser got from these pages and nobody else's (A45): ours
// reports whether its key is one of theirs. If the form is refused, it returns a status and the
// key of its text.
func (c *Call) ReadForm(guard *http.CrossOriginProtection, files bool, ours func(key string) bool) (status int, key string) {
	if guard.Check(c.R) != nil {
		return http.StatusForbidden, "foreign"
	}
	most, parse := int64(maxForm), c.R.ParseForm
	if files {
		most = MaxUpload + maxForm
		parse = func() error { return c.R.ParseMultipartForm(most) }
	}
	c.R.Body = http.MaxBytesReader(c.W, c.R.Body, most)
	var over *http.MaxBytesError
	switch err := parse(); {
	case errors.As(err, &over), errors.Is(err, multipart.ErrMessageTooLarge):
		return http.StatusRequestEntityTooLarge, "large"
	case err != nil:
		return http.StatusBadRequest, "broken"
	case !ours(c.R.PostForm.Get("form")):
		return http.StatusForbidden, "foreign"
	}
	return 0, ""
}

// SetCookie sets a session cookie. Over https, its name gets a prefix that binds the cookie to
// this host.
func (c *Call) SetCookie(name, token string, secure bool) {
	http.SetCookie(c.W, &http.Cookie{Name: name, Value: token, Path: "/", Secure: secure, HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

// CookieName returns the name of a session's cookie: with __Host- before it over https.
func CookieName(name string, secure bool) string {
	if secure {
		return "__Host-" + name
	}
	return name
}

// Refused returns the rejection in an error, nil if there is none.
func Refused(err error) *credit.Rejection {
	var r *credit.Rejection
	if errors.As(err, &r) {
		return r
	}
	return nil
}

// Same compares two texts in constant time.
func Same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// Templates returns the shared parts together with the templates of these pages and of a
// package's own.
func Templates(l design.Language, t Texts) (*template.Template, error) {
	parts, err := design.Parts(l)
	if err != nil {
		return nil, err
	}
	return parts.Funcs(template.FuncMap{"text": t.Say}).ParseFS(templateFiles, "templates/*.html")
}
