package checkout

import (
	"errors"
	"net/http"
	"net/mail"
	"strconv"
	"strings"

	"tenor/internal/buyer"
	"tenor/internal/credit"
	"tenor/internal/design"
)

// startPage is page 0: what this is, for whom and how much.
func (v *visit) startPage() error {
	if v.at != "start" {
		return v.to(v.at)
	}
	name, total := v.x.Merchant.Name, v.money(v.x.Checkout.Amount)
	acts := []design.Button{v.link("start.go", "email", design.Primary), v.link("back.shop", "leave", design.Ghost)}
	after := v.say("start.return", name)
	if v.x.Checkout.ReturnURL == "" {
		after = v.say("start.stay")
	}
	return v.show(http.StatusOK, page{
		Shell: v.shell(1, v.say("start.title")), Title: design.Title{Text: v.say("start.head", total, name), Lead: v.say("start.lead")},
		Next: []design.Next{
			{Text: v.say("start.1"), Detail: v.say("start.1.more")}, {Text: v.say("start.2"), Detail: v.say("start.2.more")},
			{Text: v.say("start.3"), Detail: v.say("start.3.more")},
		},
		Acts: acts, After: after,
	})
}

// emailPage is page 1: whom to send a code.
func (v *visit) emailPage() error { return v.showEmail(http.StatusOK, v.knownEmail(), "") }

// knownEmail is the address to propose: what was typed, or what the shop has said. One that
// was proved here is not shown.
func (v *visit) knownEmail() string {
	switch s := v.session; {
	case s != nil && s.Person != "":
		return ""
	case s != nil && s.Email != "":
		return s.Email
	case v.x.Checkout.Person != "": // somebody has proved one: whoever comes now types it
		return ""
	case v.x.Buyer.Email != "":
		return v.x.Buyer.Email
	case v.x.Checkout.Billing != nil:
		return v.x.Checkout.Billing.Email
	}
	return ""
}

func (v *visit) showEmail(status int, value, problem string) error {
	f := &form{Action: v.path("email"), Groups: []group{{Parts: []part{field(design.Field{
		Name: "email", Label: v.say("email.label"), Hint: v.say("email.hint"), Value: value, Error: problem, Type: "email", Autocomplete: "email", InputMode: "email",
		Max: maxAnswer, Required: true, Unspelled: true, Width: design.TwoThirds,
	})}}}}
	f.Acts = []design.Button{primary(v.say("email.go")), v.link("back", "start", design.Ghost)}
	p := page{
		Shell: v.shell(1, v.say("email.title")), Title: design.Title{Text: v.say("email.title"), Lead: v.say("email.lead")}, Form: f, Summary: f.summary(),
	}
	if p.Shell.Notices == nil {
		p.Shell.Notices = []design.Notice{{Icon: "lock", Title: v.say("why"), Text: v.say("email.why", v.x.Merchant.Name)}}
	}
	return v.show(status, p)
}

// addressOf is an e-mail as somebody has typed it, false if it is none.
func addressOf(text string) (string, bool) {
	a, err := mail.ParseAddress(text)
	if err != nil || a.Address != text || !strings.Contains(text[strings.LastIndex(text, "@"):], ".") {
		return text, false
	}
	return text, true
}

// sendCode sends a code. Known and unknown addresses are answered alike.
func (v *visit) sendCode() error {
	email, ok := addressOf(v.answer("email"))
	if !ok {
		return v.showEmail(wrong, email, v.say("email.wrong"))
	}
	s := v.session
	if s == nil {
		s = v.config.Desk.NewSession(v.x.Checkout.ID)
	}
	switch err := v.config.Desk.SendCode(v.ctx(), s, email, v.address); {
	case errors.Is(err, buyer.ErrTooManyCodes):
		return v.showEmail(http.StatusTooManyRequests, email, v.say("email.many"))
	case err != nil:
		return err
	}
	v.setCookie(s.Token)
	return v.to("code")
}

// codePage is where the code is typed that was mailed.
func (v *visit) codePage() error {
	if v.session == nil || v.session.Code == "" {
		return v.to("email")
	}
	return v.showCode(http.StatusOK, "")
}

func (v *visit) showCode(status int, problem string) error {
	hint := v.say("code.hint")
	if v.config.Desk.Sandbox {
		hint = v.say("code.sandbox")
	}
	f := &form{Action: v.path("code"), Groups: []group{{Parts: []part{field(design.Field{
		Name: "code", Label: v.say("code.label"), Hint: hint, Error: problem, Autocomplete: "one-time-code", InputMode: "numeric", Max: 20, Digits: true,
		Required: true, Unspelled: true, Width: design.Half,
	})}}}}
	f.Acts = []design.Button{primary(v.say("code.go")), v.link("code.again", "email", design.Ghost)}
	return v.show(status, page{
		Shell: v.shell(1, v.say("code.title")), Title: design.Title{Text: v.say("code.title"), Lead: v.say("code.lead", v.session.Masked())}, Form: f, Summary: f.summary(),
	})
}

// prove takes the code. The browser gets a new token: one that was seen before opens nothing.
func (v *visit) prove() error {
	if v.session == nil {
		return v.to("email")
	}
	if v.person != nil && v.session.Code == "" { // a second click: the first one has proved it
		return v.to(v.at)
	}
	p, err := v.config.Desk.Prove(v.ctx(), v.session, v.answer("code"), v.address)
	switch {
	case errors.Is(err, buyer.ErrWrongCode):
		return v.showCode(wrong, v.say("code.wrong"))
	case errors.Is(err, buyer.ErrNoCode):
		return v.showEmail(wrong, v.session.Email, v.say("code.over"))
	case err != nil:
		return err
	}
	v.setCookie(v.session.Token)
	if err := v.again(); err != nil {
		return err
	}
	if v.x.Checkout.Person == "" && v.x.Checkout.Status == credit.CheckoutOpen {
		return v.settle(p)
	}
	return v.to(v.at)
}

// settle records who goes through the checkout, if that is clear: for the one company that
// she may accept for, or for one that is not known yet.
func (v *visit) settle(p *credit.Person) error {
	company := int64(0)
	switch {
	case v.at == "company" && len(v.choices) == 1:
		company = v.choices[0].ID
	case v.at != "business" && v.at != "you":
		return v.to(v.at)
	}
	err := v.config.Desk.Enter(v.ctx(), v.x.Checkout.ID, p.ID, company, v.address)
	if err != nil && refused(err) == nil {
		return err
	}
	return v.next()
}

// companyPage is page 1b: for which business.
func (v *visit) companyPage() error { return v.showCompanies(http.StatusOK, "") }

func (v *visit) showCompanies(status int, problem string) error {
	c := design.Choices{Name: "company", Legend: v.say("company.title"), LegendHidden: true, Error: problem}
	for _, x := range v.choices {
		c.Choices = append(c.Choices, design.Choice{Value: strconv.FormatInt(x.ID, 10), Text: x.Name, Detail: line(x.BillingAddress)})
	}
	if v.x.Checkout.Named == 0 {
		c.Choices = append(c.Choices, design.Choice{Value: "new", Text: v.say("company.new"), Detail: v.say("company.new.more")})
	}
	return v.show(status, page{
		Shell: v.shell(2, v.say("company.title")), Title: design.Title{Text: v.say("company.title"), Lead: v.say("company.lead")},
		Summary: design.Summarize(c), Plans: &plans{Action: v.path("company"), Key: v.key(), Choices: c, Acts: []design.Button{primary(v.say("go"))}},
	})
}

// line is an address on one line.
func line(a credit.CompanyAddress) string {
	text := strings.Join([]string{a.Street, a.City, strings.TrimSpace(a.State + " " + a.PostalCode)}, ", ")
	return strings.Trim(strings.ReplaceAll(text, ", , ", ", "), ", ")
}

// chooseCompany records for which business the order is.
func (v *visit) chooseCompany() error {
	chosen := v.answer("company")
	for _, c := range v.choices {
		if chosen != strconv.FormatInt(c.ID, 10) {
			continue
		}
		if err := v.keep(forgotten(buyer.Draft{"company": chosen, "plan": ""})); err != nil {
			return err
		}
		if v.mayEnter(c) {
			return v.enter(c.ID)
		}
		return v.next()
	}
	if chosen != "new" || v.x.Checkout.Named != 0 {
		return v.showCompanies(wrong, v.say("company.wrong"))
	}
	if err := v.keep(forgotten(buyer.Draft{"company": "", "plan": ""})); err != nil {
		return err
	}
	return v.enter(0)
}

func (v *visit) enter(company int64) error {
	err := v.config.Desk.Enter(v.ctx(), v.x.Checkout.ID, v.person.ID, company, v.address)
	if err != nil && refused(err) == nil {
		return err
	}
	return v.next()
}

// outsiderPage is for somebody who does not act for the company that the shop has named.
func (v *visit) outsiderPage() error {
	return v.show(http.StatusOK, page{Shell: v.shell(0, v.say("outsider.title")), Outcome: &design.Outcome{
		Badge: design.Badge{Text: v.say("outsider.badge")}, Title: v.say("outsider.title"), Text: v.say("outsider.text", v.x.Merchant.Name),
		Acts: []design.Button{v.link("outsider.go", "email", design.Primary), v.link("back.shop", "leave", design.Ghost)},
	}})
}

// elsewherePage is what another browser sees of a checkout that somebody has begun.
func (v *visit) elsewherePage() error {
	return v.show(http.StatusOK, page{Shell: v.shell(0, v.say("elsewhere.title")), Outcome: &design.Outcome{
		Badge: design.Badge{Text: v.say("elsewhere.badge")}, Title: v.say("elsewhere.title"), Text: v.say("elsewhere.text"),
		Acts: []design.Button{v.link("elsewhere.go", "email", design.Primary)},
	}})
}
