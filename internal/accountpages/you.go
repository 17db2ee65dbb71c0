package accountpages

import (
	"errors"
	"net/http"
	"strings"

	"tenor/internal/buyer"
	"tenor/internal/design"
	"tenor/internal/pages"
)

// you is who is signed in, with another e-mail and the way out.
func (v *visit) you() error { return v.showYou(http.StatusOK, "", "") }

func (v *visit) showYou(status int, value, problem string) error {
	who, err := v.Desk.Contact(v.Ctx(), v.Person)
	if err != nil {
		return err
	}
	f := v.EmailForm(Prefix+"/you", value, problem, v.back(""))
	f.Groups[0].Legend, f.Groups[0].Lead = v.Say("you.new"), v.Say("you.new.lead")
	name := who.Name()
	if name == "" {
		name = v.Session.Masked()
	}
	return v.show(status, page{
		Shell: v.shell("", v.Say("you.account")), Title: design.Title{Text: name, Lead: v.Say("you.signed", v.Session.Masked())}, Form: f, Summary: f.Summary(),
		Sections: []section{{Items: []item{{Icon: "lock", Text: v.Say("you.out.title"), Detail: v.Say("you.out.text"), Acts: []act{{Text: v.Say("you.out"), Action: Prefix + "/sign-out", Name: "out", Value: "yes"}}}}}},
	})
}

// newEmail sends a code to another address. Until that is proved, she signs in with the one
// that she has.
func (v *visit) newEmail() error {
	email, ok := pages.AddressOf(v.Answer("email"))
	switch {
	case !ok:
		return v.showYou(pages.Wrong, email, v.Say("email.wrong"))
	case strings.EqualFold(email, v.Session.Email):
		return v.showYou(pages.Wrong, email, v.Say("you.same"))
	}
	err := v.Desk.SendChangeCode(v.Ctx(), v.Session, email, v.Address)
	switch {
	case err == nil:
		return v.to("/you/code")
	case errors.Is(err, buyer.ErrTooManyCodes):
		return v.showYou(http.StatusTooManyRequests, email, v.Say("email.many"))
	}
	return err
}

// newEmailCode is where that code is typed.
func (v *visit) newEmailCode() error { return v.showNewCode(http.StatusOK, "") }

func (v *visit) showNewCode(status int, problem string) error {
	if v.Session.Change == "" {
		return v.to("/you")
	}
	f := v.CodeForm(Prefix+"/you/code", problem, v.back("/you"))
	return v.show(status, page{
		Shell: v.shell("", v.Say("code.title")), Title: design.Title{Text: v.Say("code.title"), Lead: v.Say("code.lead", buyer.Masked(v.Session.Change))}, Form: f, Summary: f.Summary(),
	})
}

// proveEmail takes the code: she signs in with the new address from now on, and both hear of it.
func (v *visit) proveEmail() error {
	if v.Session.Change == "" {
		return v.to("/you")
	}
	email, err := v.Desk.ProveChange(v.Ctx(), v.Session, v.Answer("code"))
	switch {
	case errors.Is(err, buyer.ErrWrongCode):
		return v.showNewCode(pages.Wrong, v.Say("code.wrong"))
	case errors.Is(err, buyer.ErrNoCode):
		return v.showYou(pages.Wrong, "", v.Say("code.over"))
	case err != nil:
		return err
	}
	switch err := v.Desk.ChangeEmail(v.Ctx(), v.Person, email, v.Address); {
	case pages.Refused(err) != nil:
		return v.showYou(pages.Wrong, email, v.Say("you.taken"))
	case err != nil:
		return err
	}
	if err := v.Desk.Renamed(v.Ctx(), v.Session, email); err != nil {
		return err
	}
	return v.done("/you", "email")
}
