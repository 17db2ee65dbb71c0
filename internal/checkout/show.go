package checkout

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"

	"tenor/internal/credit"
	"tenor/internal/design"
	"tenor/internal/money"
	"tenor/internal/web"
)

//go:embed templates/*.html
var templateFiles embed.FS

func (p *Pages) parse() (*template.Template, error) {
	parts, err := design.Parts(p.language)
	if err != nil {
		return nil, err
	}
	all, err := parts.Funcs(template.FuncMap{"text": p.texts.say}).ParseFS(templateFiles, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("checkout: %w", err)
	}
	return all, nil
}

// page is what a page shows; each has some of its parts.
type page struct {
	Shell   design.Checkout
	Title   design.Title
	Summary design.Summary
	Notices []design.Notice // above the rest
	Outcome *design.Outcome
	Post    string // where the acts of the outcome go; "": they are links
	Next    []design.Next
	Form    *form
	Plans   *plans
	Accept  *acceptance
	Repay   *repayment
	After   string
	Acts    []design.Button // links below
	Key     string
}

// form is a form of fields.
type form struct {
	Action, Key string
	Groups      []group
	Acts        []design.Button
	Files       bool
	After       string
}

// group is a part of a form under a heading.
type group struct {
	Legend, Lead string
	Parts        []part
}

// part is one of its members.
type part struct {
	Field *design.Field
	Check *design.Check
	Act   *design.Button
}

func field(f design.Field) part { return part{Field: &f} }
func check(c design.Check) part { return part{Check: &c} }

// summary gathers what is wrong in a form.
func (f *form) summary() design.Summary {
	var all []design.Faulty
	for _, g := range f.Groups {
		for _, p := range g.Parts {
			switch {
			case p.Field != nil:
				all = append(all, *p.Field)
			case p.Check != nil:
				all = append(all, *p.Check)
			}
		}
	}
	return design.Summarize(all...)
}

// rules allow what a form of this checkout may lead to: the shop, where it is trusted.
func (v *visit) rules() web.Rules {
	r := web.Rules{}
	for _, url := range []string{v.x.Checkout.ReturnURL, v.x.Checkout.CancelURL} {
		if o, err := web.OriginOf(v.exit(url, "")); err == nil && v.trusts(o) && !slices.Contains(r.FormsTo, o) {
			r.FormsTo = append(r.FormsTo, o)
		}
	}
	return r
}

// shell is the frame of a page: at which of the steps it is, 0 for none.
func (v *visit) shell(step int, title string) design.Checkout {
	s := design.Checkout{
		Page: design.Page{Title: title, Assets: v.config.Assets}, Lender: v.lender.Creditor.Name, Step: step, Help: v.path("help"),
	}
	if step > 0 {
		s.Steps = []string{v.say("step.email"), v.say("step.business"), v.say("step.terms"), v.say("step.repay"), v.say("step.accept")}
	}
	if v.config.Desk.Sandbox {
		s.Banner = &design.Banner{Time: v.config.Desk.Now().In(v.config.Desk.Zone.Location()).Format("Jan 2, 2006 15:04")}
	}
	c := v.x.Checkout
	if c == nil {
		s.Merchant, s.Help = v.say("nobody"), "#main"
		return s
	}
	s.Merchant, s.Site, s.Order = v.x.Merchant.Name, v.x.Merchant.Name, v.order()
	s.Logo, s.Sheet, s.Foot = v.logo(), v.sheet(), v.foot()
	if v.may("leave") {
		s.Back = v.path("leave")
	}
	if v.session != nil && v.session.Person != "" {
		who := design.Notice{Icon: "user", Text: v.say("who", v.session.Masked())}
		if v.may("email") {
			who.Links = []design.Link{{Text: v.say("who.not"), Href: v.path("email")}}
		}
		s.Notices = append(s.Notices, who)
	}
	return s
}

// order is what is bought.
func (v *visit) order() *design.Order {
	c := v.x.Checkout
	o := &design.Order{At: v.x.Merchant.Name, Total: c.Amount}
	for _, x := range c.Cart {
		o.Lines = append(o.Lines, design.Line{Text: x.Name, Detail: strconv.Itoa(x.Quantity) + " × " + v.money(x.Price), Amount: times(x)})
	}
	if x := c.Charges; x != nil {
		for _, l := range []design.Line{{Text: v.say("order.shipping"), Amount: x.Shipping}, {Text: v.say("order.tax"), Amount: x.Tax}, {Text: v.say("order.discount"), Amount: -x.DiscountAmount}} {
			if l.Amount != 0 {
				o.Lines = append(o.Lines, l)
			}
		}
	}
	return o
}

// times is what a line of the cart costs.
func times(x credit.CartItem) money.Amount { return x.Price * money.Amount(x.Quantity) }

// show answers with a page.
func (v *visit) show(status int, p page) error {
	var b bytes.Buffer
	p.Shell.Failed, p.Key = p.Shell.Failed || len(p.Summary.Problems) > 0, v.key()
	if p.Form != nil {
		p.Form.Key = p.Key
	}
	if err := v.templates.ExecuteTemplate(&b, "page", p); err != nil {
		return fmt.Errorf("checkout: %w", err)
	}
	web.Send(v.w, v.r, status, b.Bytes())
	return nil
}

// wrong is the status of a form that comes back.
const wrong = http.StatusUnprocessableEntity

// stop answers that a request is not taken, and why: a page with one sentence.
func (v *visit) stop(status int, key string) error {
	p := page{Title: design.Title{Text: v.say(key + ".title"), Lead: v.say(key + ".text")}}
	if v.x.Checkout == nil { // nothing is known of what was asked for: every such answer is the same
		p.Shell = v.shell(0, p.Title.Text)
		return v.bare(status, p)
	}
	if v.id != "" {
		p.Title.Lead = v.withReach(p.Title.Lead + " " + v.say("fault.id", v.id, v.contact()))
	}
	p.Shell = v.shell(0, p.Title.Text)
	p.Acts = []design.Button{{Text: v.say("again"), Emphasis: design.Primary, Href: v.path(v.step)}}
	return v.show(status, p)
}

// bare is show for who has no checkout.
func (v *visit) bare(status int, p page) error {
	if v.id != "" {
		p.Title.Lead += " " + v.say("fault.id", v.id, v.contact())
	}
	var b bytes.Buffer
	if err := v.templates.ExecuteTemplate(&b, "page", p); err != nil {
		return fmt.Errorf("checkout: %w", err)
	}
	web.Send(v.w, v.r, status, b.Bytes())
	return nil
}

// contact is whom to ask.
func (v *visit) contact() string {
	for _, text := range []string{v.lender.Contact, v.config.Contact, v.lender.Creditor.Address, v.lender.Creditor.Name} {
		if text != "" {
			return text
		}
	}
	return v.say("contact.none")
}

func primary(text string) design.Button { return design.Button{Text: text, Emphasis: design.Primary} }

func (v *visit) link(text, step string, e design.Emphasis) design.Button {
	return design.Button{Text: v.say(text), Emphasis: e, Href: v.path(step)}
}
