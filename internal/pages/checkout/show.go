package checkout

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strconv"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

//go:embed templates/*.html
var templateFiles embed.FS

// page is the content of a page; each page has some of its parts.
type page struct {
	Shell   design.Checkout
	Title   design.Title
	Summary design.Summary
	Notices []design.Notice // above the rest
	Outcome *design.Outcome
	Post    string // where the outcome's actions are submitted; "": they are links
	Next    []design.Next
	Form    *pages.Form
	Plans   *plans
	Accept  *acceptance
	Repay   *repayment
	After   string
	Acts    []design.Button // links below
	Key     string
	Frame   *frame // nil if the page is not framed
	Limits  []string
	Time    *pages.Time // nil if nobody is signed in
}

// rules allow the target of this checkout's forms: the shop, if it is trusted.
func (v *visit) rules() web.Rules {
	r := web.Rules{FramedBy: v.framers()}
	if v.framed() { // none of its forms leads out
		v.nonce = newNonce()
		r.Nonce = v.nonce
		return r
	}
	for _, url := range []string{v.x.Checkout.ReturnURL, v.x.Checkout.CancelURL} {
		if o, err := web.OriginOf(v.exit(url, "")); err == nil && v.trusts(o) && !slices.Contains(r.FormsTo, o) {
			r.FormsTo = append(r.FormsTo, o)
		}
	}
	return r
}

// shell returns the frame of a page with its step, 0 for none.
func (v *visit) shell(step int, title string) design.Checkout {
	s := design.Checkout{
		Page: design.Page{Title: title, Assets: v.config.Assets}, Lender: v.Lender.Creditor.Name, Step: step, Help: v.path("help"),
	}
	if step > 0 {
		s.Steps = []string{v.Say("step.email"), v.Say("step.business"), v.Say("step.terms"), v.Say("step.repay"), v.Say("step.accept")}
	}
	if v.Desk.Sandbox {
		s.Banner = &design.Banner{Time: v.Clock()}
	}
	c := v.x.Checkout
	if c == nil {
		s.Merchant, s.Help = v.Say("nobody"), "#main"
		return s
	}
	s.Merchant, s.Site, s.Order = v.x.Merchant.Name, v.x.Merchant.Name, v.order()
	s.Logo, s.Sheet, s.Foot = v.logo(), v.sheet(), append(v.foot(), v.OtherLanguage())
	if v.may("leave") {
		s.Back = v.path("leave")
	}
	if v.Session != nil && v.Session.Person != "" {
		who := design.Notice{Icon: "user", Text: v.Say("who", v.Session.Masked())}
		if v.may("email") {
			who.Links = []design.Link{{Text: v.Say("who.not"), Href: v.path("email")}}
		}
		s.Notices = append(s.Notices, who)
	}
	return s
}

// order describes the purchase.
func (v *visit) order() *design.Order {
	c := v.x.Checkout
	o := &design.Order{At: v.x.Merchant.Name, Total: c.Amount}
	for _, x := range c.Cart {
		o.Lines = append(o.Lines, design.Line{Text: x.Name, Detail: strconv.Itoa(x.Quantity) + " × " + v.Money(x.Price), Amount: times(x)})
	}
	if x := c.Charges; x != nil {
		for _, l := range []design.Line{{Text: v.Say("order.shipping"), Amount: x.Shipping}, {Text: v.Say("order.tax"), Amount: x.Tax}, {Text: v.Say("order.discount"), Amount: -x.DiscountAmount}} {
			if l.Amount != 0 {
				o.Lines = append(o.Lines, l)
			}
		}
	}
	return o
}

// times returns the price of a cart line.
func times(x credit.CartItem) money.Amount { return x.Price * money.Amount(x.Quantity) }

// show answers with a page.
func (v *visit) show(status int, p page) error {
	var b bytes.Buffer
	v.timed(&p)
	p.Frame = v.inFrame()
	p.Shell.Failed, p.Key = p.Shell.Failed || len(p.Summary.Problems) > 0, v.key()
	if p.Form != nil {
		p.Form.Key = p.Key
	}
	if err := v.Templates.ExecuteTemplate(&b, "page", p); err != nil {
		return fmt.Errorf("checkout: %w", err)
	}
	web.Send(v.W, v.R, status, b.Bytes())
	return nil
}

// wrong is the status of a form that comes back.
const wrong = pages.Wrong

// stop refuses a request with a reason: a page with one sentence.
func (v *visit) stop(status int, key string) error {
	p := page{Title: design.Title{Text: v.Say(key + ".title"), Lead: v.Say(key + ".text")}}
	if v.x.Checkout == nil { // nothing is known about the request: all such responses are the same
		p.Shell = v.shell(0, p.Title.Text)
		return v.bare(status, p)
	}
	if v.id != "" {
		p.Title.Lead = v.withReach(p.Title.Lead + " " + v.Say("fault.id", v.id, v.Ask()))
	}
	p.Shell = v.shell(0, p.Title.Text)
	p.Acts = []design.Button{{Text: v.Say("again"), Emphasis: design.Primary, Href: v.path(v.step)}}
	return v.show(status, p)
}

// bare is show for a visitor without a checkout.
func (v *visit) bare(status int, p page) error {
	if v.id != "" {
		p.Title.Lead += " " + v.Say("fault.id", v.id, v.Ask())
	}
	var b bytes.Buffer
	if err := v.Templates.ExecuteTemplate(&b, "page", p); err != nil {
		return fmt.Errorf("checkout: %w", err)
	}
	web.Send(v.W, v.R, status, b.Bytes())
	return nil
}

func (v *visit) link(text, step string, e design.Emphasis) design.Button {
	return design.Button{Text: v.Say(text), Emphasis: e, Href: v.path(step)}
}
