package console

import (
	"errors"
	"net/http"

	"tenor/internal/office/credential"
	"tenor/internal/office/signin"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// signIn asks for e-mail and password.
func (v *visit) signIn() error {
	if v.visitor != nil && v.visitor.Signed {
		return v.to("")
	}
	if err := v.unclaimed(); err != nil {
		return err
	}
	return v.showSignIn(http.StatusOK, "", "")
}

func (v *visit) showSignIn(status int, email, problem string) error {
	return v.showForm(status, "in", &pages.Form{Action: v.here(), Groups: []pages.Group{{Parts: []pages.Part{
		pages.FieldPart(design.Field{
			Name: "email", Label: v.say("in.email"), Value: email, Error: problem, Type: "email", Autocomplete: "username", InputMode: "email", Max: pages.MaxAnswer, Required: true, Unspelled: true,
		}),
		pages.FieldPart(design.Field{Name: "password", Label: v.say("in.password"), Type: "password", Autocomplete: "current-password", Required: true, Unspelled: true}),
	}}}, Acts: []design.Button{pages.Primary(v.say("in.go"))}})
}

// here is the address of the form that is shown, with where it leads.
func (v *visit) here() string {
	if q := v.r.URL.RawQuery; q != "" && v.r.URL.Query().Has("to") {
		return v.r.URL.Path + "?" + q
	}
	return v.r.URL.Path
}

// givePassword is the first step. Unknown e-mails and wrong passwords get the same answer.
func (v *visit) givePassword() error {
	email := v.answer("email")
	s, err := v.desk().Password(v.r.Context(), email, v.secret("password"), v.address)
	switch {
	case errors.Is(err, signin.ErrSlow):
		return v.showSignIn(http.StatusTooManyRequests, email, v.say("in.slow"))
	case errors.Is(err, signin.ErrWrong):
		return v.showSignIn(pages.Wrong, email, v.say("in.wrong"))
	case err != nil:
		return err
	}
	return v.enter(s, Prefix+"/code"+toOf(v.next()))
}

// toOf carries where a step leads over to the next step.
func toOf(next string) string {
	if next == Prefix {
		return ""
	}
	return "?to=" + next
}

// code asks for a one-time code.
func (v *visit) code() error {
	if v.visitor.Signed {
		return v.to("")
	}
	return v.showCode(http.StatusOK, "")
}

func (v *visit) showCode(status int, problem string) error {
	return v.showForm(status, "code", v.codeForm(v.say("code.hint"), v.say("code.go"), problem))
}

func (v *visit) codeForm(hint, act, problem string) *pages.Form {
	return &pages.Form{Action: v.here(), Groups: []pages.Group{{Parts: []pages.Part{pages.FieldPart(design.Field{
		Name: "code", Label: v.say("code.label"), Hint: hint, Error: problem, Autocomplete: "one-time-code", Max: 40, Digits: true, Required: true, Unspelled: true, Width: design.TwoThirds,
	})}}}, Acts: []design.Button{pages.Primary(act)}}
}

// giveCode is the second step.
func (v *visit) giveCode() error {
	if v.visitor.Signed { // a second click
		return v.to("")
	}
	s, err := v.desk().Code(v.r.Context(), v.visitor, v.answer("code"), v.address)
	switch {
	case errors.Is(err, signin.ErrSlow):
		v.visitor = nil
		v.setCookie("")
		return v.showSignIn(http.StatusTooManyRequests, "", v.say("in.slow"))
	case errors.Is(err, signin.ErrWrong):
		return v.showCode(pages.Wrong, v.say("code.wrong"))
	case err != nil:
		return err
	}
	return v.enter(s, v.next())
}

// again asks for a one-time code before what needs a fresh proof.
func (v *visit) again() error { return v.showAgain(http.StatusOK, "") }

func (v *visit) showAgain(status int, problem string) error {
	return v.showForm(status, "again", v.codeForm(v.say("again.hint"), v.say("again.go"), problem))
}

func (v *visit) giveAgain() error {
	s, err := v.desk().Again(v.r.Context(), v.visitor, v.answer("code"))
	switch {
	case errors.Is(err, signin.ErrSlow):
		return v.showAgain(http.StatusTooManyRequests, v.say("in.slow"))
	case errors.Is(err, signin.ErrWrong):
		return v.showAgain(pages.Wrong, v.say("code.wrong"))
	case err != nil:
		return err
	}
	return v.enter(s, v.next())
}

// signOut ends the session: the token no longer opens anything.
func (v *visit) signOut() error {
	if err := v.desk().SignOut(v.r.Context(), v.visitor.Session); err != nil {
		return err
	}
	v.setCookie("")
	return v.to("/sign-in")
}

// setUp shows what the link of an invitation opens.
func (v *visit) setUp() error { return v.showSetUp(http.StatusOK, "", "") }

// link opens the link of the address, and answers if it is not valid.
func (v *visit) link() (*signin.SetUp, error) {
	x, err := v.desk().SetUp(v.r.Context(), v.r.PathValue("member"), v.r.PathValue("token"))
	if errors.Is(err, signin.ErrLink) {
		_ = v.bare(http.StatusGone, "link")
		return nil, errLed
	}
	return x, err
}

func (v *visit) showSetUp(status int, flaw, problem string) error {
	x, err := v.link()
	if err != nil {
		return err
	}
	qr, err := credential.QR(x.Address)
	if err != nil {
		return err
	}
	f := &pages.Form{Action: v.r.URL.Path, Groups: []pages.Group{
		{Legend: v.say("setup.password"), Parts: []pages.Part{pages.FieldPart(design.Field{
			Name: "password", Label: v.say("in.password"), Hint: v.say("setup.password.hint"), Error: flaw, Type: "password", Autocomplete: "new-password", Required: true, Unspelled: true, Width: design.TwoThirds,
		})}},
		{Legend: v.say("setup.codes"), Lead: v.say("setup.codes.lead"), Parts: []pages.Part{pages.FieldPart(design.Field{
			Name: "code", Label: v.say("setup.code"), Hint: v.say("setup.code.hint"), Error: problem, Autocomplete: "one-time-code", InputMode: "numeric", Max: 40, Digits: true, Required: true, Unspelled: true, Width: design.TwoThirds,
		})}},
	}, Acts: []design.Button{pages.Primary(v.say("setup.go"))}}
	return v.show(status, page{
		Shell: v.plain(v.say("setup.title", x.Name)), Title: design.Title{Text: v.say("setup.title", x.Name), Lead: v.say("setup.lead", x.Email)}, Summary: f.Summary(),
		QR: &qrCode{QRCode: qr, Label: v.say("setup.qr"), Key: design.Key{ID: "secret", Label: v.say("setup.secret"), Value: grouped(x.Secret), Whole: true}}, Form: f,
	})
}

// grouped writes a secret in groups of four, as people type it.
func grouped(secret string) string {
	var out []byte
	for i := range len(secret) {
		if i > 0 && i%4 == 0 {
			out = append(out, ' ')
		}
		out = append(out, secret[i])
	}
	return string(out)
}

// enroll uses the link up.
func (v *visit) enroll() error {
	x, err := v.link()
	if err != nil {
		return err
	}
	password := v.secret("password")
	if flaw := x.Flaw(password); flaw != "" {
		return v.showSetUp(pages.Wrong, v.say("flaw."+string(flaw)), "")
	}
	s, err := v.desk().Enroll(v.r.Context(), x, v.r.PathValue("token"), password, v.answer("code"), v.address)
	switch {
	case errors.Is(err, signin.ErrSlow):
		return v.showSetUp(http.StatusTooManyRequests, "", v.say("in.slow"))
	case errors.Is(err, signin.ErrWrong):
		return v.showSetUp(pages.Wrong, "", v.say("code.wrong"))
	case errors.Is(err, signin.ErrLink):
		return v.bare(http.StatusGone, "link")
	case err != nil:
		return err
	}
	return v.enter(s, Prefix+"/you/recovery")
}
