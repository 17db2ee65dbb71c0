package checkout

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// startPage is page 0: what this is, for whom and how much.
func (v *visit) startPage() error {
	if v.at != "start" {
		return v.to(v.at)
	}
	name, total := v.x.Merchant.Name, v.Money(v.x.Checkout.Amount)
	acts := []design.Button{v.link("start.go", "email", design.Primary), v.link("back.shop", "leave", design.Ghost)}
	after := v.Say("start.return", name)
	if v.x.Checkout.ReturnURL == "" {
		after = v.Say("start.stay")
	}
	return v.show(http.StatusOK, page{
		Shell: v.shell(1, v.Say("start.title")), Title: design.Title{Text: v.Say("start.head", total, name), Lead: v.Say("start.lead")},
		Next: []design.Next{
			{Text: v.Say("start.1"), Detail: v.Say("start.1.more")}, {Text: v.Say("start.2"), Detail: v.Say("start.2.more")},
			{Text: v.Say("start.3"), Detail: v.Say("start.3.more")},
		},
		Acts: acts, After: after, Limits: []string{v.openUntil()},
	})
}

// emailPage is page 1: the email address for the code.
func (v *visit) emailPage() error { return v.showEmail(http.StatusOK, v.knownEmail(), "") }

// knownEmail returns the address to propose: what was entered, or what the shop has sent. One
// that was proved here is not shown.
func (v *visit) knownEmail() string {
	switch s := v.Session; {
	case s != nil && s.Person != "":
		return ""
	case s != nil && s.Email != "":
		return s.Email
	case v.x.Checkout.Person != "": // somebody has proved one: the next person must enter hers
		return ""
	case v.x.Buyer.Email != "":
		return v.x.Buyer.Email
	case v.x.Checkout.Billing != nil:
		return v.x.Checkout.Billing.Email
	}
	return ""
}

func (v *visit) showEmail(status int, value, problem string) error {
	f := v.EmailForm(v.path("email"), value, problem, v.link("back", "start", design.Ghost))
	p := page{
		Shell: v.shell(1, v.Say("email.title")), Title: design.Title{Text: v.Say("email.title"), Lead: v.Say("email.lead")}, Form: f, Summary: f.Summary(),
	}
	if late := v.LateNotice(); late != nil {
		p.Notices = append(p.Notices, *late)
	}
	if p.Shell.Notices == nil {
		p.Shell.Notices = []design.Notice{{Icon: "lock", Title: v.Say("why"), Text: v.Say("email.why", v.x.Merchant.Name)}}
	}
	return v.show(status, p)
}

// sendCode sends a code. Known and unknown addresses get the same response.
func (v *visit) sendCode() error {
	email, ok := pages.AddressOf(v.Answer("email"))
	if !ok {
		return v.showEmail(wrong, email, v.Say("email.wrong"))
	}
	s := v.Session
	if s == nil {
		s = v.Desk.NewSession(v.x.Checkout.ID)
	}
	s.Language = string(v.Language)
	if v.mine && v.x.Checkout.Person != "" {
		s.From = v.Person.ID
	}
	switch err := v.Desk.SendCode(v.Ctx(), s, email, v.Address); {
	case errors.Is(err, buyer.ErrTooManyCodes):
		return v.showEmail(http.StatusTooManyRequests, email, v.Say("email.many"))
	case err != nil:
		return err
	}
	v.hand(s.Token)
	return v.to("code")
}

// codePage is where the mailed code is entered.
func (v *visit) codePage() error {
	if v.Session == nil || v.Session.Code == "" {
		return v.to("email")
	}
	return v.showCode(http.StatusOK, "")
}

func (v *visit) showCode(status int, problem string) error {
	f := v.CodeForm(v.path("code"), problem, v.link("code.again", "email", design.Ghost))
	return v.show(status, page{
		Shell: v.shell(1, v.Say("code.title")), Title: design.Title{Text: v.Say("code.title"), Lead: v.Say("code.lead", v.Session.Masked())}, Form: f, Summary: f.Summary(),
	})
}

// prove accepts the code. The browser gets a new token: one that was seen before opens nothing.
func (v *visit) prove() error {
	if v.Session == nil {
		return v.to("email")
	}
	if v.Person != nil && v.Session.Code == "" { // a second click: the first one has proved it
		return v.to(v.at)
	}
	v.Session.Taken = v.x.Checkout.Taken
	p, err := v.Desk.Prove(v.Ctx(), v.Session, v.Answer("code"), v.Address)
	switch {
	case errors.Is(err, buyer.ErrWrongCode):
		return v.showCode(wrong, v.Say("code.wrong"))
	case errors.Is(err, buyer.ErrNoCode):
		return v.showEmail(wrong, v.Session.Email, v.Say("code.over"))
	case err != nil:
		return err
	}
	v.hand(v.Session.Token)
	if err := v.again(); err != nil {
		return err
	}
	if v.x.Checkout.Person == "" && v.x.Checkout.Status == credit.CheckoutOpen {
		return v.settle(p)
	}
	return v.to(v.at)
}

// settle records who goes through the checkout, if that is clear: for the one company that she
// may accept for, or for an unknown one.
func (v *visit) settle(p *credit.Person) error {
	company := int64(0)
	switch {
	case v.at == "company" && len(v.choices) == 1:
		company = v.choices[0].ID
	case v.at != "business" && v.at != "you":
		return v.to(v.at)
	}
	err := v.Desk.Enter(v.Ctx(), v.x.Checkout.ID, p.ID, company, v.Address)
	if err != nil && pages.Refused(err) == nil {
		return err
	}
	return v.next()
}

// companyPage is page 1b: for which business.
func (v *visit) companyPage() error { return v.showCompanies(http.StatusOK, "") }

func (v *visit) showCompanies(status int, problem string) error {
	c := design.Choices{Name: "company", Legend: v.Say("company.title"), LegendHidden: true, Error: problem}
	for _, x := range v.choices {
		c.Choices = append(c.Choices, design.Choice{Value: strconv.FormatInt(x.ID, 10), Text: x.Name, Detail: line(x.BillingAddress)})
	}
	if v.x.Checkout.Named == 0 {
		c.Choices = append(c.Choices, design.Choice{Value: "new", Text: v.Say("company.new"), Detail: v.Say("company.new.more")})
	}
	return v.show(status, page{
		Shell: v.shell(2, v.Say("company.title")), Title: design.Title{Text: v.Say("company.title"), Lead: v.Say("company.lead")},
		Summary: design.Summarize(c), Plans: &plans{Action: v.path("company"), Key: v.key(), Choices: c, Acts: []design.Button{pages.Primary(v.Say("go"))}},
	})
}

// line formats an address on one line.
func line(a credit.CompanyAddress) string {
	text := strings.Join([]string{a.Street, a.City, strings.TrimSpace(a.State + " " + a.PostalCode)}, ", ")
	return strings.Trim(strings.ReplaceAll(text, ", , ", ", "), ", ")
}

// chooseCompany records which business the order is for.
func (v *visit) chooseCompany() error {
	chosen := v.Answer("company")
	for _, c := range v.choices {
		if chosen != strconv.FormatInt(c.ID, 10) {
			continue
		}
		if err := v.Keep(forgotten(buyer.Draft{"company": chosen, "plan": ""})); err != nil {
			return err
		}
		if v.mayEnter(c) {
			return v.enter(c.ID)
		}
		return v.next()
	}
	if chosen != "new" || v.x.Checkout.Named != 0 {
		return v.showCompanies(wrong, v.Say("company.wrong"))
	}
	if err := v.Keep(forgotten(buyer.Draft{"company": "", "plan": ""})); err != nil {
		return err
	}
	return v.enter(0)
}

func (v *visit) enter(company int64) error {
	err := v.Desk.Enter(v.Ctx(), v.x.Checkout.ID, v.Person.ID, company, v.Address)
	if err != nil && pages.Refused(err) == nil {
		return err
	}
	return v.next()
}

// outsiderPage is for a visitor who does not act for the company that the shop named.
func (v *visit) outsiderPage() error {
	return v.show(http.StatusOK, page{Shell: v.shell(0, v.Say("outsider.title")), Outcome: &design.Outcome{
		Badge: design.Badge{Text: v.Say("outsider.badge")}, Title: v.Say("outsider.title"), Text: v.Say("outsider.text", v.x.Merchant.Name),
		Acts: []design.Button{v.link("outsider.go", "email", design.Primary), v.link("back.shop", "leave", design.Ghost)},
	}})
}
