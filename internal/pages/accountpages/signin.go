package accountpages

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// signIn asks for the email address.
func (v *visit) signIn() error {
	if v.Person != nil {
		return v.to("")
	}
	return v.showSignIn(http.StatusOK, "", "")
}

func (v *visit) showSignIn(status int, value, problem string) error {
	f := v.EmailForm(v.Carrying(Prefix+"/sign-in"), value, problem)
	return v.show(status, page{
		Shell: v.shell("", v.Say("a.in.title")), Title: design.Title{Text: v.Say("a.in.title"), Lead: v.Say("a.in.lead")}, Notices: v.lateNotices(), Form: f, Summary: f.Summary(),
	})
}

// sendCode sends a code. Known and unknown addresses get the same response.
func (v *visit) sendCode() error {
	return v.mailCode(Prefix+"/code", v.showSignIn)
}

// mailCode sends a code to the email address of a form, and redirects to where it is entered.
func (v *visit) mailCode(next string, again func(status int, value, problem string) error) error {
	email, ok := pages.AddressOf(v.Answer("email"))
	if !ok {
		return again(pages.Wrong, email, v.Say("email.wrong"))
	}
	s := v.Session
	if s == nil || s.Person != "" {
		s = v.Desk.NewSession("")
	}
	s.Language = string(v.Language)
	switch err := v.Desk.SendCode(v.Ctx(), s, email, v.Address); {
	case errors.Is(err, buyer.ErrTooManyCodes):
		return again(http.StatusTooManyRequests, email, v.Say("email.many"))
	case err != nil:
		return err
	}
	v.setCookie(s.Token)
	return v.go_(next)
}

// code is where the mailed code is entered.
func (v *visit) code() error {
	if v.Session == nil || v.Session.Code == "" {
		return v.to("/sign-in")
	}
	return v.showCode(http.StatusOK, "")
}

func (v *visit) showCode(status int, problem string) error {
	f := v.CodeForm(Prefix+"/code", problem, v.link("code.again", "/sign-in", design.Ghost))
	return v.show(status, page{
		Shell: v.shell("", v.Say("code.title")), Title: design.Title{Text: v.Say("code.title"), Lead: v.Say("code.lead", v.Session.Masked())}, Form: f, Summary: f.Summary(),
	})
}

// prove accepts the code. The browser gets a new token: one that was seen before opens nothing.
func (v *visit) prove() error {
	return v.takeCode(Prefix, v.showCode, func(email, problem string) error { return v.showSignIn(pages.Wrong, email, problem) })
}

// takeCode accepts a code and redirects.
func (v *visit) takeCode(next string, again func(status int, problem string) error, over func(email, problem string) error) error {
	if v.Session == nil {
		return v.to("/sign-in")
	}
	if v.Person != nil && v.Session.Code == "" { // a second click: the first one has proved it
		return v.go_(next)
	}
	switch _, err := v.Desk.Prove(v.Ctx(), v.Session, v.Answer("code"), v.Address); {
	case errors.Is(err, buyer.ErrWrongCode):
		return again(pages.Wrong, v.Say("code.wrong"))
	case errors.Is(err, buyer.ErrNoCode):
		return over(v.Session.Email, v.Say("code.over"))
	case err != nil:
		return err
	}
	v.setCookie(v.Session.Token)
	if err := v.Know(); err != nil {
		return err
	}
	if late := v.LatePage(); late != "" && next == Prefix { // what she sent too late is offered again
		next = late
	}
	return v.go_(next)
}

// signOut ends the session: the token no longer opens anything.
func (v *visit) signOut() error {
	if err := v.Desk.EndSession(v.Ctx(), v.Session); err != nil {
		return err
	}
	v.setCookie("")
	v.Session = nil
	return v.to("/sign-in")
}

// business asks for which business, or says that she acts for none.
func (v *visit) business() error { return v.showBusinesses(http.StatusOK, "") }

func (v *visit) showBusinesses(status int, problem string) error {
	invited, err := v.invitations()
	if err != nil {
		return err
	}
	if len(v.companies) == 0 {
		return v.nobody(invited)
	}
	c := design.Choices{Name: "business", Legend: v.Say("company.title"), LegendHidden: true, Error: problem}
	for _, x := range v.companies {
		role, _ := v.Person.RoleAt(x.ID)
		c.Choices = append(c.Choices, design.Choice{
			Value: strconv.FormatInt(x.ID, 10), Text: x.Name, Detail: v.Say("role." + string(role.Role)), Chosen: v.company != nil && v.company.ID == x.ID,
		})
	}
	lead := v.Say("business.which")
	if len(v.companies) > 1 {
		lead = v.Say("company.lead")
	}
	return v.show(status, page{
		Shell: v.shell("", v.Say("company.title")), Title: design.Title{Text: v.Say("company.title"), Lead: lead}, Summary: design.Summarize(c),
		Sections: []section{invited, {Choices: &choosing{Action: Prefix + "/business", Cards: []design.Choices{c}, Acts: []design.Button{pages.Primary(v.Say("go"))}}}},
	})
}

// nobody is for a visitor who acts for no business: it shows her applications, if any.
func (v *visit) nobody(invited section) error {
	all, err := v.Desk.Applications(v.Ctx(), v.Session.Email)
	if err != nil {
		return err
	}
	if len(invited.Items) > 0 {
		return v.show(http.StatusOK, page{Shell: v.shell("", v.Say("invited.title")), Title: design.Title{Text: v.Say("invited.title")}, Sections: []section{invited}})
	}
	o := &design.Outcome{Badge: design.Badge{Text: v.Say("a.none.badge")}, Title: v.Say("a.none.title"), Text: v.Say("a.none.text", v.Session.Masked(), v.Ask())}
	for _, a := range all {
		if !a.Decided() {
			o.Points = append(o.Points, design.Point{Icon: "clock", Text: v.Say("a.none.review", a.Business.LegalName)})
		} else if a.Status == credit.ApplicationDeclined {
			o.Points = append(o.Points, design.Point{Icon: "mail", Text: v.Say("a.none.declined", a.Business.LegalName)})
		}
	}
	o.Acts = []design.Button{v.link("a.none.other", "/you", design.Outline)}
	return v.show(http.StatusOK, page{Shell: v.shell("", o.Title), Outcome: o})
}

// invitations lists the businesses that have invited her, each to accept or decline, and those
// that she can leave.
func (v *visit) invitations() (s section, err error) {
	all, err := v.Desk.Invitations(v.Ctx(), v.Person)
	for _, c := range all {
		role, _ := v.Person.Offered(c.ID)
		s.Items = append(s.Items, item{Icon: "mail", Text: v.Say("invited.to", c.Name), Detail: v.roleName(role), Acts: []act{
			{Text: v.Say("invited.accept"), Label: c.Name, Action: Prefix + "/invitation", Name: "accept", Value: store.CompanyKey(c.ID)},
			{Text: v.Say("invited.decline"), Label: c.Name, Action: Prefix + "/invitation", Name: "leave", Value: store.CompanyKey(c.ID)},
		}})
	}
	for _, c := range v.companies {
		role, _ := v.Person.RoleAt(c.ID)
		s.Items = append(s.Items, item{Icon: "store", Text: c.Name, Detail: v.roleName(role), Acts: []act{
			{Text: v.Say("invited.leave"), Label: c.Name, Action: Prefix + "/invitation", Name: "leave", Value: store.CompanyKey(c.ID)},
		}})
	}
	return s, err
}

// answerInvitation is her own decision on a role: she accepts, declines, or leaves.
func (v *visit) answerInvitation() error {
	accept := v.Answer("accept") != ""
	id, _ := strconv.ParseInt(cmp.Or(v.Answer("accept"), v.Answer("leave")), 10, 64)
	if _, ok := v.Person.Offered(id); !ok {
		return v.to("/business")
	}
	if err := v.Desk.Answer(v.Ctx(), v.Person.ID, id, accept, v.Address); err != nil {
		if pages.Refused(err) == nil {
			return err
		}
		return v.showBusinesses(http.StatusConflict, v.Say("people.last"))
	}
	if !accept {
		return v.done("/business", "left")
	}
	if err := v.Keep(clean(buyer.Draft{"business": store.CompanyKey(id)})); err != nil {
		return err
	}
	return v.to("")
}

// chooseBusiness saves for which business the pages are.
func (v *visit) chooseBusiness() error {
	chosen := v.Answer("business")
	for _, c := range v.companies {
		if chosen == strconv.FormatInt(c.ID, 10) {
			if err := v.Keep(clean(buyer.Draft{"business": chosen})); err != nil {
				return err
			}
			return v.to("")
		}
	}
	return v.showBusinesses(pages.Wrong, v.Say("company.wrong"))
}

// clean removes a payment in progress from the answers: it was for another business, or is done.
func clean(with buyer.Draft) buyer.Draft {
	out := buyer.Draft{"pay_for": "", "pay_order": "", "pay_amount": "", "pay_method": "", "pay_once": ""}
	for name, text := range with {
		out[name] = text
	}
	return out
}

// help says whom to ask.
func (v *visit) help() error {
	return v.show(http.StatusOK, page{
		Shell: v.shell("", v.Say("help.title")), Title: design.Title{Text: v.Say("help.title"), Lead: v.Say("help.lead", v.Ask())},
		Notices: []design.Notice{
			{Icon: "calendar-days", Title: v.Say("a.help.late"), Text: v.Say("a.help.late.text")},
			{Icon: "landmark", Title: v.Say("a.help.debit"), Text: v.Say("a.help.debit.text", v.Ask())},
			{Icon: "lock", Title: v.Say("a.help.safe"), Text: v.Say("a.help.safe.text", v.Ask())},
		},
		Acts: []design.Button{v.link("a.home", "", design.Primary)},
	})
}
