package accountpages

import (
	"net/http"
	"slices"
	"strings"

	"tenor/internal/office/buyer"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// stayPage is where a page's script queries the session's remaining time.
const stayPage = "/stay"

// left returns how long the session lasts.
func (v *visit) left() error {
	v.SendLeft()
	return nil
}

// stay extends the session, within its twelve hours.
func (v *visit) stay() error {
	if v.Session != nil {
		if err := v.Desk.Stay(v.Ctx(), v.Session); err != nil {
			return err
		}
	}
	return v.left()
}

// goOn passes a request to its page. That counts as activity, unless it only queries the
// remaining time.
func (v *visit) goOn(handler func(*visit) error) error {
	if v.Session == nil || v.R.URL.Path == Prefix+stayPage {
		return handler(v)
	}
	if err := v.Desk.Touch(v.Ctx(), v.Session); err != nil {
		return err
	}
	if v.R.Method == http.MethodPost {
		if err := v.DropLate(); err != nil {
			return err
		}
	} else {
		v.OfferLate()
	}
	return handler(v)
}

// timed shows on a page with a form how long it waits, and makes its script warn before that.
func (v *visit) timed(p *page) {
	if v.Session == nil || v.Person == nil {
		return
	}
	var asks []design.Field
	form := p.Form != nil
	if form {
		asks = p.Form.Fields()
	}
	for _, s := range p.Sections {
		if s.Choices != nil {
			form, asks = true, append(asks, s.Choices.asks()...)
		}
	}
	if form {
		p.Limits = []string{v.Limit(asks)}
	}
	nonce := buyer.Random(26)
	web.Rules{Nonce: nonce, Asks: true}.Harden(v.W.Header(), v.config.Secure)
	p.Time = v.TimeOf(v.timeAt, nonce, Prefix+stayPage, Prefix+"/sign-out", v.key())
}

// asks returns the fields of a form for choosing one of several cards.
func (c *choosing) asks() (all []design.Field) {
	for _, card := range c.Cards {
		for _, x := range card.Choices {
			all = append(all, x.Asks...)
		}
	}
	return slices.Concat(all, c.Fields, c.Below)
}

// late reports whether the form was submitted after its session ended, and is not one for signing
// in.
func (v *visit) late() bool {
	path := v.R.URL.Path
	return v.R.Method == http.MethodPost && v.Late != nil && v.Session == nil &&
		!slices.ContainsFunc([]string{"/sign-in", "/email", "/code", stayPage}, func(end string) bool { return strings.HasSuffix(path, end) })
}

// takeLate saves such a form, and asks for the email again.
func (v *visit) takeLate() error {
	done, status, key := v.read(func(string) bool { return true })
	defer done()
	if status != 0 {
		return v.bare(status, key)
	}
	ours, err := v.AsLate(v.lateKey, v.keepLate)
	v.companies, v.company = nil, nil
	switch {
	case err != nil:
		return err
	case !ours:
		return v.bare(http.StatusForbidden, "foreign")
	case v.merchantPath() != "":
		return v.go_(v.Carrying(v.merchantPath() + "/email"))
	}
	return v.to("/sign-in")
}

// lateKey is the key of a form from a visitor who was signed in.
func (v *visit) lateKey() string {
	if err := v.findCompany(); err != nil {
		return ""
	}
	return v.key()
}

// keepLate saves the answers: those of an application as its pages do, others with their page.
func (v *visit) keepLate() error {
	if v.merchantPath() != "" || v.R.URL.Path == Prefix+"/line" {
		return v.KeepLate()
	}
	return v.KeepLateForm(v.R.URL.Path)
}

// merchantPath is where the pages of an application begin, "" on other pages.
func (v *visit) merchantPath() string {
	merchant := v.R.PathValue("merchant")
	if merchant == "" {
		return ""
	}
	return Apply + merchant
}

// lateNotices explain why a visitor has to sign in again.
func (v *visit) lateNotices() (out []design.Notice) {
	if n := v.LateNotice(); n != nil {
		out = append(out, *n)
	}
	return out
}
