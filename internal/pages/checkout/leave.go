package checkout

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// exit returns a URL of the shop with its placeholders filled. It was stored with the checkout,
// and never comes from a request.
func (v *visit) exit(address, reason string) string {
	if address == "" {
		return ""
	}
	c := v.x.Checkout
	return v.config.Expand(address, map[string]string{"ORDER_KEY": c.Of, "CKKEY": c.Of, "CHECKOUT_ID": c.ID, "REASON": reason})
}

// trusts reports whether a browser may be redirected to an origin without asking: one of the
// merchant's shop. A sandbox accepts any origin, and must not become an open redirect; and a shop
// when a checkout was created may no longer be one.
func (v *visit) trusts(o web.Origin) bool {
	host := strings.TrimPrefix(strings.TrimPrefix(string(o), "https://"), "http://")
	for _, own := range []string{"localhost", "127.0.0.1", "[::1]"} {
		if host == own || strings.HasPrefix(host, own+":") {
			return true
		}
	}
	return slices.Contains(v.x.Merchant.Shop.Origins, strings.TrimSuffix(string(o), ":443"))
}

// trusted reports whether a browser may be redirected to an address without asking.
func (v *visit) trusted(address string) bool {
	o, err := web.OriginOf(address)
	return err == nil && v.trusts(o)
}

// goOut leads to an address of the shop with an outcome: at once, or with a link that shows where
// it leads. A framed page stays where it is.
func (v *visit) goOut(stored, outcome string) error {
	if v.framed() {
		return v.stepOut(outcome)
	}
	reason := outcome
	if outcome == accepted {
		reason = ""
	}
	address := v.exit(stored, reason)
	if v.trusted(address) {
		http.Redirect(v.W, v.R, address, http.StatusSeeOther)
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return v.show(http.StatusOK, page{Shell: v.shell(0, v.Say("close.title")), Title: design.Title{Text: v.Say("close.title"), Lead: v.Say("close.text")}})
	}
	return v.show(http.StatusOK, page{
		Shell: v.shell(0, v.Say("out.title")), Title: design.Title{Text: v.Say("out.title"), Lead: v.Say("out.text", u.Host)},
		Acts: []design.Button{{Text: v.Say("out.go", v.x.Merchant.Name), Emphasis: design.Primary, Href: address}},
	})
}

// leavePage asks a buyer who returns to the shop for confirmation. An ended checkout, or somebody
// else's, needs no question.
func (v *visit) leavePage() error {
	if !v.ends() {
		return v.goOut(v.x.Checkout.CancelURL, v.why())
	}
	return v.show(http.StatusOK, page{Shell: v.shell(0, v.Say("leave.title")), Post: v.path("leave"), Outcome: &design.Outcome{
		Badge: design.Badge{Text: v.Say("leave.badge")}, Title: v.Say("leave.title"), Text: v.Say("leave.text", v.x.Merchant.Name),
		Acts: []design.Button{pages.Primary(v.Say("leave.go", v.x.Merchant.Name)), v.link("leave.stay", v.at, design.Ghost)},
	}})
}

// ends reports whether leaving ends the checkout: it is open, and the visitor's.
func (v *visit) ends() bool {
	c := v.x.Checkout
	return c.Status == credit.CheckoutOpen && v.at != "ended" && v.at != "owner" && (v.mine || v.Person == nil && c.Person == "") && !v.submitted()
}

// submitted reports whether an application is being decided.
func (v *visit) submitted() bool { return v.application != nil && !v.application.Decided() }

// why returns the reason for leaving a checkout.
func (v *visit) why() string {
	c := v.x.Checkout
	switch {
	case c.Reason != "":
		return c.Reason
	case v.submitted():
		return lending.PendingReview
	}
	switch v.at {
	case "declined":
		return lending.EndDeclined
	case "unavailable":
		return lending.EndNotEligible
	case "line":
		return lending.EndInsufficientCredit
	case "ended":
		return lending.EndExpired
	}
	if slices.Contains(v.open, "decision") && v.company != nil && v.company.Available() < c.Amount {
		return lending.EndInsufficientCredit
	}
	return lending.EndBuyerCanceled
}

// leave ends the checkout, if the visitor may end it, and leads to the shop.
func (v *visit) leave() error {
	reason := v.why()
	if v.ends() {
		if err := v.Desk.End(v.Ctx(), v.x.Checkout.ID, reason, v.Address); pages.Refused(err) != nil {
			return v.next()
		} else if err != nil {
			return err
		}
	}
	back := v.exit(v.x.Checkout.CancelURL, reason)
	if err := v.again(); err != nil {
		return err
	}
	if !v.trusted(back) && v.may("leave") { // a page with the link
		return v.to("leave")
	}
	return v.goOut(v.x.Checkout.CancelURL, reason)
}

// endedPage is page X: expired, left, ended by the shop, or finished.
func (v *visit) endedPage() error {
	c, key := v.x.Checkout, "ended"
	cancel := []design.Button{v.link("back.shop", "leave", design.Primary)}
	switch {
	case c.Status == credit.CheckoutCompleted, c.Status == credit.CheckoutAccepted && c.ExpiresAt.After(v.Desk.Now()):
		key, cancel = "finished", nil
	case c.Status == credit.CheckoutExpired, !c.Ended():
		key = "expired"
	case c.Reason == lending.EndMerchantCanceled:
		key = "merchant"
	case c.Reason == lending.EndBuyerCanceled:
		key = "left"
	}
	if !v.may("leave") || c.CancelURL == "" {
		cancel = nil
	}
	return v.show(http.StatusOK, page{Shell: v.shell(0, v.Say(key+".title")), Outcome: &design.Outcome{
		Badge: design.Badge{Text: v.Say(key + ".badge")}, Title: v.Say(key + ".title"), Text: v.Say(key+".text", v.x.Merchant.Name), Acts: cancel,
		Points: []design.Point{{Icon: "shopping-cart", Text: v.Say("ended.order", v.Money(c.Amount))}},
	}})
}

// changedPage is page M: the shop has replaced this order with another one.
func (v *visit) changedPage() error {
	o := &design.Outcome{
		Badge: design.Badge{Tone: design.Warn, Text: v.Say("changed.badge")}, Title: v.Say("changed.title"), Text: v.Say("changed.over"),
		Acts: []design.Button{v.link("back.shop", "leave", design.Primary)},
	}
	if at := strings.LastIndex(v.x.Replacement, Prefix); at >= 0 {
		token := v.x.Replacement[at+len(Prefix):]
		next, err := v.Desk.Find(v.Ctx(), token)
		if err != nil {
			return err
		}
		o.Text = v.Say("changed.text", v.x.Merchant.Name, v.Money(v.x.Checkout.Amount), v.Money(next.Checkout.Amount))
		o.Acts = []design.Button{{Text: v.Say("changed.go", v.Money(next.Checkout.Amount)), Emphasis: design.Primary, Href: Prefix + token, Top: v.framed()}, v.link("back.shop", "leave", design.Ghost)}
	}
	return v.show(http.StatusOK, page{Shell: v.shell(0, v.Say("changed.badge")), Outcome: o})
}

// helpPage says whom to ask. Every page links to it.
func (v *visit) helpPage() error {
	p := page{Shell: v.shell(0, v.Say("help")), Title: design.Title{Text: v.Say("help.title"), Lead: v.Say("help.lead", v.Ask())}}
	p.Next = nil
	p.Notices = []design.Notice{
		{Icon: "badge-dollar-sign", Title: v.Say("help.money"), Text: v.Say("help.money.text")},
		{Icon: "store", Title: v.Say("help.order"), Text: v.withReach(v.Say("help.order.text", v.x.Merchant.Name))},
		{Icon: "lock", Title: v.Say("help.data"), Text: v.Say("help.data.text", v.x.Merchant.Name)},
	}
	if v.company != nil {
		p.Notices = append([]design.Notice{{Icon: "building-2", Title: v.Say("help.business"), Text: v.Say("help.business.text", v.Ask())}}, p.Notices...)
	}
	p.Acts = []design.Button{v.link("help.back", v.at, design.Primary)}
	return v.show(http.StatusOK, p)
}
