package accountpages

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// you shows who is signed in, with forms for another email and signing out.
func (v *visit) you() error { return v.showYou(http.StatusOK, v.Answer("email"), "") }

func (v *visit) showYou(status int, value, problem string) error {
	who, err := v.Desk.Contact(v.Ctx(), v.Person)
	if err != nil {
		return err
	}
	f := v.EmailForm(Prefix+"/you", value, problem, v.back(""))
	f.Groups[0].Legend, f.Groups[0].Lead = v.Say("you.new"), v.Say("you.new.lead")
	name := cmp.Or(who.Name(), v.Say("you.account"))
	named := item{Icon: "user", Text: v.Say("you.name"), Detail: v.Say("you.name.lead"), Acts: []act{{Text: v.Say("you.name.change"), Href: Prefix + "/you/name"}}}
	if who.Name() == "" {
		named.Detail, named.Acts[0].Text = v.Say("you.nameless"), v.Say("you.name.add")
	}
	shell := v.shell("", v.Say("you.account"))
	shell.Help.Text = v.Say("a.questions") // above is who is signed in
	return v.show(status, page{
		Shell: shell, Title: design.Title{Text: name, Lead: v.Say("you.signed", v.Session.Masked())}, Form: f, Summary: f.Summary(),
		Sections: []section{{Items: []item{named, {Icon: "lock", Text: v.Say("you.out.title"), Acts: []act{{Text: v.Say("you.out"), Action: Prefix + "/sign-out", Name: "out", Value: "yes"}}}}}},
	})
}

// yourName asks for her name. Until she has entered it, pages and mail address her by email.
func (v *visit) yourName() error {
	who, err := v.Desk.Contact(v.Ctx(), v.Person)
	if err != nil {
		return err
	}
	return v.showName(http.StatusOK, who.FirstName, who.LastName, pages.Problems{})
}

func (v *visit) showName(status int, first, last string, wrong pages.Problems) error {
	field := func(name, value, complete string) pages.Part {
		return pages.FieldPart(design.Field{Name: name, Label: v.Say("f." + name), Value: value, Error: wrong[name], Autocomplete: complete, Max: pages.MaxAnswer, Required: true, Width: design.Half})
	}
	f := &pages.Form{Action: Prefix + "/you/name", Acts: []design.Button{pages.Primary(v.Say("you.name.go")), v.back("/you")}, Groups: []pages.Group{{
		Parts: []pages.Part{field("first_name", first, "given-name"), field("last_name", last, "family-name")},
	}}}
	return v.show(status, page{
		Shell: v.shell("", v.Say("you.name")), Title: design.Title{Text: v.Say("you.name"), Lead: v.Say("you.name.lead")}, Form: f, Summary: f.Summary(),
	})
}

// rename saves the name. Colleagues and mail use it, so the page requires a fresh proof: a stolen
// session is not enough.
func (v *visit) rename() error {
	first, last, wrong := v.Answer("first_name"), v.Answer("last_name"), pages.Problems{}
	for name, text := range map[string]string{"first_name": first, "last_name": last} { // unordered: each by itself
		if _, err := buyer.NameOf(text); err != nil {
			wrong[name] = v.Say("wrong." + name)
		}
	}
	if len(wrong) > 0 {
		return v.showName(pages.Wrong, first, last, wrong)
	}
	if err := v.Desk.Rename(v.Ctx(), v.Person, first, last, v.Session.Email, v.Address); err != nil {
		text, ok := v.refused(err)
		if !ok {
			return err
		}
		return v.showName(http.StatusConflict, first, last, pages.Problems{"first_name": text})
	}
	return v.done("/you", "name")
}

// newEmail sends a code to another address. Until that is proved, she signs in with her current
// one.
func (v *visit) newEmail() error {
	email, ok := pages.AddressOf(v.Answer("email"))
	switch {
	case !ok:
		return v.showYou(pages.Wrong, email, v.Say("email.wrong"))
	case !v.Desk.Fresh(v.Session):
		return v.to("/again?to=%2Fyou")
	case strings.EqualFold(email, v.Session.Email):
		return v.showYou(pages.Wrong, email, v.Say("you.same"))
	}
	if waits, err := v.undecided(); err != nil || waits {
		if err != nil {
			return err
		}
		return v.showYou(http.StatusConflict, email, v.Say("you.waits"))
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

// undecided reports whether an application under her email is undecided: its approval makes the
// holder of that email an owner.
func (v *visit) undecided() (bool, error) {
	all, err := v.Desk.Applications(v.Ctx(), v.Session.Email)
	return slices.ContainsFunc(all, func(a *credit.Application) bool { return !a.Decided() }), err
}

// newEmailCode is where that code is entered.
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

// proveEmail accepts the code: from now on she signs in with the new address, and both addresses
// are notified.
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
	if waits, err := v.undecided(); err != nil || waits {
		if err != nil {
			return err
		}
		return v.showYou(http.StatusConflict, "", v.Say("you.waits"))
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

// again requires a fresh proof of the email, before anything that could hand the account to
// someone who found an open browser.
func (v *visit) again() error { return v.showAgain(http.StatusOK, "") }

// nextPage returns where she wanted to go: only pages of the account are allowed.
func (v *visit) nextPage() string {
	to := v.R.URL.Query().Get("to")
	if to == "" {
		to = v.Answer("to")
	}
	if !strings.HasPrefix(to, "/") || strings.ContainsAny(to, "\\?#") || strings.Contains(to, "//") {
		return ""
	}
	return to
}

func (v *visit) showAgain(status int, problem string) error {
	c := &choosing{Action: Prefix + "/again", Hidden: []hidden{{"to", v.nextPage()}}, Acts: []design.Button{pages.Primary(v.Say("email.go")), v.back("")}}
	p := page{Shell: v.shell("", v.Say("again.title")), Title: design.Title{Text: v.Say("again.title"), Lead: v.Say("again.lead", v.Session.Masked())}, Sections: []section{{Choices: c}}}
	if problem != "" {
		p.Notices = []design.Notice{{Tone: design.Warn, Icon: "triangle-alert", Title: problem, Spoken: design.Alert}}
	}
	return v.show(status, p)
}

// sendAgain sends a code only to the email with which she is signed in.
func (v *visit) sendAgain() error {
	to := v.nextPage()
	switch err := v.Desk.SendAgain(v.Ctx(), v.Session, v.Address); {
	case errors.Is(err, buyer.ErrTooManyCodes):
		return v.showAgain(http.StatusTooManyRequests, v.Say("email.many"))
	case err != nil:
		return err
	}
	return v.to("/again/code?to=" + url.QueryEscape(to))
}

func (v *visit) againCode() error { return v.showAgainCode(http.StatusOK, "") }

func (v *visit) showAgainCode(status int, problem string) error {
	f := v.CodeForm(Prefix+"/again/code?to="+url.QueryEscape(v.nextPage()), problem, v.back("/again"))
	return v.show(status, page{
		Shell: v.shell("", v.Say("code.title")), Title: design.Title{Text: v.Say("code.title"), Lead: v.Say("code.lead", v.Session.Masked())}, Form: f, Summary: f.Summary(),
	})
}

// proveAgain accepts the code and redirects to where she wanted to go.
func (v *visit) proveAgain() error {
	to := v.nextPage()
	switch err := v.Desk.ProveAgain(v.Ctx(), v.Session, v.Answer("code")); {
	case errors.Is(err, buyer.ErrWrongCode):
		return v.showAgainCode(pages.Wrong, v.Say("code.wrong"))
	case errors.Is(err, buyer.ErrNoCode):
		return v.showAgain(pages.Wrong, v.Say("code.over"))
	case err != nil:
		return err
	}
	v.setCookie(v.Session.Token)
	return v.to(to)
}
