package accountpages

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// people lists who acts for the business.
func (v *visit) people() error {
	all, err := v.Desk.People(v.Ctx(), v.company)
	if err != nil {
		return err
	}
	s := section{}
	for _, x := range all {
		one := item{Icon: "user", Text: x.Contact.Email, Badge: &design.Badge{Text: v.roleName(x.Role)}}
		if name := x.Contact.Name(); name != "" {
			one.Text, one.Detail = name, x.Contact.Email
		}
		if x.Role.Invited != "" {
			one.Badge = &design.Badge{Tone: design.Warn, Text: v.Say("people.invited", v.roleName(x.Role))}
		}
		if v.owns() {
			one.Acts = []act{{Text: v.Say("people.change"), Label: one.Text, Href: Prefix + "/people/" + x.Person.ID}}
		}
		s.Items = append(s.Items, one)
	}
	if v.owns() {
		s.Acts = []design.Button{{Text: v.Say("people.invite"), Emphasis: design.Primary, Icon: "plus", Href: Prefix + "/people/invite"}}
	}
	return v.show(http.StatusOK, page{
		Shell: v.shell("people", v.Say("a.tab.people")), Title: design.Title{Text: v.Say("a.tab.people"), Lead: v.Say("people.lead", v.company.Name)}, Sections: []section{s},
	})
}

// roleName says what a person may do.
func (v *visit) roleName(r credit.PersonRole) string {
	if r.Role == credit.RoleBuyer {
		return v.Say("people.buyer", v.Money(r.Limit))
	}
	return v.Say("role." + string(r.Role))
}

// roles returns the cards to choose from. A buyer's asks for the order limit.
func (v *visit) roles(chosen credit.Role, limit string, wrong pages.Problems, gone bool) design.Choices {
	c := design.Choices{Name: "role", Legend: v.Say("people.role"), Error: wrong["role"]}
	for _, r := range []credit.Role{credit.RoleOwner, credit.RoleBuyer, credit.RoleViewer} {
		x := design.Choice{Value: string(r), Text: v.Say("role." + string(r)), Detail: v.Say("people." + string(r)), Chosen: r == chosen}
		if r == credit.RoleBuyer {
			x.Asks = []design.Field{v.limitField(limit, wrong)}
		}
		c.Choices = append(c.Choices, x)
	}
	if gone {
		c.Choices = append(c.Choices, design.Choice{Value: "none", Text: v.Say("people.none"), Detail: v.Say("people.none.more")})
	}
	return c
}

func (v *visit) limitField(value string, wrong pages.Problems) design.Field {
	return design.Field{Name: "limit", Label: v.Say("people.limit"), Value: value, Error: wrong["limit"], Prefix: "$", InputMode: "decimal", Autocomplete: "off", Digits: true, Max: 20, Required: true, Width: design.Half}
}

// readRole reads the chosen role, with its limit.
func (v *visit) readRole(wrong pages.Problems) (r credit.Role, limit money.Amount) {
	r = credit.Role(v.Answer("role"))
	if !slices.Contains([]credit.Role{credit.RoleOwner, credit.RoleBuyer, credit.RoleViewer}, r) {
		wrong["role"] = v.Say("people.wrong.role")
	}
	if r != credit.RoleBuyer {
		return r, 0
	}
	limit, ok := pages.Dollars(v.Answer("limit"))
	if !ok {
		wrong["limit"] = v.Say("people.wrong.limit")
	}
	return r, limit
}

// invite asks whom to invite.
func (v *visit) invite() error { return v.showInvite(http.StatusOK, pages.Problems{}) }

func (v *visit) showInvite(status int, wrong pages.Problems) error {
	f := func(name, complete string, w design.Width) design.Field {
		return design.Field{Name: name, Label: v.Say("f." + name), Value: v.Answer(name), Error: wrong[name], Autocomplete: complete, Max: pages.MaxAnswer, Required: true, Width: w}
	}
	email := design.Field{Name: "email", Label: v.Say("email.label"), Value: v.Answer("email"), Error: wrong["email"], Type: "email", Autocomplete: "off", InputMode: "email", Max: pages.MaxAnswer, Required: true, Unspelled: true}
	c := &choosing{
		Action: Prefix + "/people/invite", Fields: []design.Field{f("first_name", "off", design.Half), f("last_name", "off", design.Half), email},
		Cards: []design.Choices{v.roles(credit.Role(v.Answer("role")), v.Answer("limit"), wrong, false)}, Acts: []design.Button{pages.Primary(v.Say("people.send")), v.back("/people")},
	}
	p := page{
		Shell: v.shell("people", v.Say("people.invite")), Title: design.Title{Text: v.Say("people.invite"), Lead: v.Say("people.invite.lead")},
		Summary: design.Summarize(c.Fields[0], c.Fields[1], c.Fields[2], c.Cards[0]), Sections: []section{{Choices: c}},
	}
	if text := wrong["refused"]; text != "" {
		p.Notices = []design.Notice{{Tone: design.Warn, Icon: "triangle-alert", Title: text, Spoken: design.Alert}}
	}
	return v.show(status, p)
}

// sendInvitation invites a person.
func (v *visit) sendInvitation() error {
	wrong := pages.Problems{}
	who := buyer.Contact{FirstName: v.Answer("first_name"), LastName: v.Answer("last_name")}
	for _, name := range []string{"first_name", "last_name"} {
		if v.Answer(name) == "" {
			wrong[name] = v.Say("wrong." + name)
		}
	}
	var ok bool
	if who.Email, ok = pages.AddressOf(v.Answer("email")); !ok {
		wrong["email"] = v.Say("email.wrong")
	}
	role, limit := v.readRole(wrong)
	if len(wrong) > 0 {
		return v.showInvite(pages.Wrong, wrong)
	}
	err := v.Desk.Invite(v.Ctx(), v.Person.ID, v.company.ID, who, role, limit, v.Address)
	switch {
	case errors.Is(err, buyer.ErrTooManyInvitations):
		return v.showInvite(http.StatusTooManyRequests, pages.Problems{"refused": v.Say("people.many")})
	case err != nil:
		text, ok := v.refused(err)
		if !ok {
			return err
		}
		return v.showInvite(http.StatusConflict, pages.Problems{"refused": text})
	}
	return v.done("/people", "invited")
}

// colleague asks for a person's new role.
func (v *visit) colleague() error { return v.showColleague(http.StatusOK, pages.Problems{}) }

// chosen returns the colleague whose page it is, nil if there is none.
func (v *visit) chosen() (*buyer.Colleague, error) {
	all, err := v.Desk.People(v.Ctx(), v.company)
	i := slices.IndexFunc(all, func(x buyer.Colleague) bool { return x.Person.ID == v.R.PathValue("person") })
	if i < 0 {
		return nil, err
	}
	return &all[i], err
}

func (v *visit) showColleague(status int, wrong pages.Problems) error {
	x, err := v.chosen()
	if err != nil {
		return err
	}
	if x == nil {
		return v.stop(http.StatusNotFound, "lost")
	}
	limit := v.Answer("limit")
	if limit == "" && x.Role.Limit > 0 {
		limit = x.Role.Limit.String()
	}
	name := cmp.Or(x.Contact.Name(), x.Contact.Email)
	c := &choosing{
		Action: Prefix + "/people/" + x.Person.ID, Cards: []design.Choices{v.roles(x.Role.Role, limit, wrong, true)},
		Acts: []design.Button{pages.Primary(v.Say("people.save")), v.back("/people")},
	}
	p := page{
		Shell: v.shell("people", name), Title: design.Title{Text: name, Lead: x.Contact.Email}, Summary: design.Summarize(c.Cards[0]), Sections: []section{{Choices: c}},
	}
	if text := wrong["refused"]; text != "" {
		p.Notices = []design.Notice{{Tone: design.Warn, Icon: "triangle-alert", Title: text, Spoken: design.Alert}}
	}
	return v.show(status, p)
}

// changeRole changes a person's role, or ends it.
func (v *visit) changeRole() error {
	x, err := v.chosen()
	if err != nil {
		return err
	}
	if x == nil {
		return v.to("/people")
	}
	wrong := pages.Problems{}
	role, limit := credit.Role(""), money.Amount(0)
	if v.Answer("role") != "none" {
		role, limit = v.readRole(wrong)
	}
	if len(wrong) > 0 {
		return v.showColleague(pages.Wrong, wrong)
	}
	if err := v.Desk.SetRole(v.Ctx(), v.Person.ID, v.company.ID, x.Person.ID, role, limit, v.Address); err != nil {
		text, ok := v.refused(err)
		if !ok {
			return err
		}
		if r := pages.Refused(err); r.Code == credit.OwnerRequired.Code {
			text = v.Say("people.last")
		}
		return v.showColleague(http.StatusConflict, pages.Problems{"refused": text})
	}
	return v.done("/people", "role")
}
