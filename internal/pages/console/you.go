package console

import (
	"errors"
	"net/http"
	"strings"

	"tenor/internal/office/signin"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// you shows one's own access.
func (v *visit) you() error {
	m := v.visitor
	return v.show(http.StatusOK, page{
		Shell: v.shell("", v.say("you.title")), Title: design.Title{Text: v.say("you.title")},
		Facts: []design.Fact{
			{Label: v.say("you.name"), Text: m.Name}, {Label: v.say("in.email"), Text: m.Email}, {Label: v.say("you.roles"), Text: v.roles(m.Staff.Roles)},
			{Label: v.say("you.recovery"), Text: v.say("you.recovery.left", len(m.Staff.Recovery))},
		},
		Acts: []design.Button{
			{Text: v.say("you.password"), Href: Prefix + "/you/password"}, {Text: v.say("you.new"), Href: Prefix + "/you/recovery/new"},
		},
		Out: v.say("out"), Key: v.key(),
	})
}

// password asks for the present and the next password.
func (v *visit) password() error { return v.showPassword(http.StatusOK, "", "") }

func (v *visit) showPassword(status int, problem, flaw string) error {
	return v.showForm(status, "password", &pages.Form{Action: v.r.URL.Path, Groups: []pages.Group{{Parts: []pages.Part{
		pages.FieldPart(design.Field{Name: "present", Label: v.say("password.present"), Error: problem, Type: "password", Autocomplete: "current-password", Required: true, Unspelled: true, Width: design.TwoThirds}),
		pages.FieldPart(design.Field{Name: "next", Label: v.say("password.next"), Hint: v.say("setup.password.hint"), Error: flaw, Type: "password", Autocomplete: "new-password", Required: true, Unspelled: true, Width: design.TwoThirds}),
	}}}, Acts: []design.Button{pages.Primary(v.say("password.go"))}})
}

func (v *visit) changePassword() error {
	next := v.secret("next")
	if flaw := v.visitor.Flaw(next); flaw != "" {
		return v.showPassword(pages.Wrong, "", v.say("flaw."+string(flaw)))
	}
	s, err := v.desk().ChangePassword(v.r.Context(), v.visitor, v.secret("present"), next, v.address)
	switch {
	case errors.Is(err, signin.ErrSlow):
		return v.showPassword(http.StatusTooManyRequests, v.say("in.slow"), "")
	case errors.Is(err, signin.ErrWrong):
		return v.showPassword(pages.Wrong, v.say("password.wrong"), "")
	case err != nil:
		return err
	}
	return v.enter(s, Prefix+"/you")
}

// recovery shows the new recovery codes, until the member says that they are saved.
func (v *visit) recovery() error {
	if len(v.visitor.Codes) == 0 {
		return v.to("/you")
	}
	return v.show(http.StatusOK, page{
		Shell: v.plain(v.say("recovery.title")), Title: design.Title{Text: v.say("recovery.title"), Lead: v.say("recovery.lead")}, Codes: v.visitor.Codes,
		Form: &pages.Form{Action: v.r.URL.Path, Key: v.key(), Acts: []design.Button{pages.Primary(v.say("recovery.go"))}},
	})
}

func (v *visit) recoverySaved() error {
	if err := v.desk().CodesSaved(v.r.Context(), v.visitor.Session); err != nil {
		return err
	}
	return v.to("")
}

// newRecovery asks whether to replace the recovery codes.
func (v *visit) newRecovery() error {
	return v.showForm(http.StatusOK, "renew", &pages.Form{Action: v.r.URL.Path, Acts: []design.Button{pages.Primary(v.say("renew.go"))}})
}

func (v *visit) drawRecovery() error {
	s, err := v.desk().NewCodes(v.r.Context(), v.visitor, v.address)
	if err != nil {
		return err
	}
	return v.enter(s, Prefix+"/you/recovery")
}

// initials are those of a name, for the button of one's own access.
func initials(c signin.Contact) string {
	return design.Brand{Name: strings.Join(strings.Fields(c.Name+" "+c.Email), " ")}.Initials()
}
