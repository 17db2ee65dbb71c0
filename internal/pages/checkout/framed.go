package checkout

import (
	_ "embed"
	"net/http"
	"slices"
	"strings"

	"tenor/internal/domain/lending"
	"tenor/internal/domain/onboarding"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// A modal checkout is shown in a frame of the merchant's page. There
//
//   - the session is in the address, after the checkout's token: /c/TOKEN.SESSION/STEP.
//     A cookie is neither set nor read, so that no page can frame what somebody has
//     started elsewhere. Opened outside a frame, such an address has no session;
//   - the page reports events to the surrounding page, and only to the merchant's origins;
//   - nothing leads out of the frame. Each way out is replaced by a page with a ticket:
//     the surrounding page takes it to the exit, which knows where it leads.

//go:embed scripts/frame.js
var frameScript []byte

// frameAsset is the script of framed pages.
func frameAsset() (path string, a web.Asset) {
	return web.AssetPath(Prefix+"assets/", "frame.js", frameScript), web.NewAsset("text/javascript; charset=utf-8", frameScript)
}

// frame is the data for the script of a framed page.
type frame struct {
	Script, Nonce string
	Origins       string // who may receive messages, separated by spaces
	Checkout      string
	Step          string
	// What and Ticket are set if the page is a way out.
	What, Ticket string
	Fault        bool
}

func (v *visit) modal() bool { return v.x.Checkout != nil && v.x.Checkout.Mode == onboarding.ModeModal }

// framed reports whether the page is shown in a frame, according to the browser: no script can
// fake that.
func (v *visit) framed() bool { return v.modal() && v.R.Header.Get("Sec-Fetch-Dest") == "iframe" }

// asks reports whether the script of a framed page queries the session's time: its session is the
// one in the address, as for the page itself.
func (v *visit) asks() bool {
	return v.modal() && v.step == stayStep && v.carried != "" && v.R.Header.Get("Sec-Fetch-Dest") == "empty" && v.R.Header.Get("Sec-Fetch-Site") == "same-origin"
}

// framers returns the origins whose pages may show this checkout in a frame: the merchant's, and
// in a sandbox also that of the shop to which the checkout returns.
func (v *visit) framers() (out []web.Origin) {
	if !v.modal() {
		return nil
	}
	from := v.x.Merchant.Shop.Origins
	if v.Desk.Sandbox {
		from = append(slices.Clone(from), v.exit(v.x.Checkout.ReturnURL, ""))
	}
	for _, address := range from {
		if o, err := web.OriginOf(address); err == nil && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}

// shownIn returns the policy of a document, which may be read wherever its page is.
func (v *visit) shownIn(policy string) string {
	if !v.framed() {
		return policy
	}
	return strings.Replace(policy, "frame-ancestors 'none'", web.Rules{FramedBy: v.framers()}.Ancestors(), 1)
}

// presented returns the session from the browser: in the address if framed, otherwise in the
// cookie.
func (v *visit) presented() string {
	if v.framed() || v.asks() {
		return v.carried
	}
	if c, err := v.R.Cookie(v.cookieName()); err == nil {
		return c.Value
	}
	return ""
}

// hand gives the browser a session.
func (v *visit) hand(token string) {
	if v.framed() {
		v.carried = token
		return
	}
	v.SetCookie(v.cookieName(), token, v.config.Secure)
}

// carrying returns the checkout's token for a page's address, with the session if it belongs
// there. The merchant's own files need none.
func (v *visit) carrying(name string) string {
	if v.framed() && v.carried != "" && !v.steps[name].own {
		return v.token + "." + v.carried
	}
	return v.token
}

// inFrame returns the data for a page's script, nil if it is not framed.
func (v *visit) inFrame() *frame {
	if !v.framed() {
		return nil
	}
	var origins []string
	for _, o := range v.framers() {
		origins = append(origins, string(o))
	}
	return &frame{Script: v.frameAt, Nonce: v.nonce, Origins: strings.Join(origins, " "), Checkout: v.x.Checkout.ID, Step: v.step, What: v.what, Ticket: v.way, Fault: v.id != ""}
}

// accepted is the outcome with which a buyer who has accepted returns to the shop. All others are
// reasons.
const accepted = "accepted"

// ticket proves that these pages have determined how a checkout is left.
func (v *visit) ticket(outcome string) string {
	return outcome + "." + v.Desk.Hash("checkout exit", v.x.Checkout.ID+"/"+outcome)
}

// stepOut replaces a way out of the frame.
func (v *visit) stepOut(outcome string) error {
	v.way, v.what = v.ticket(outcome), "cancel"
	switch outcome {
	case accepted:
		v.what = "complete"
	case lending.PendingReview:
		v.what = "pending"
	}
	name := v.x.Merchant.Name
	p := page{
		Shell: v.shell(0, v.Say("exit.title", name)), Title: design.Title{Text: v.Say("exit.title", name), Lead: v.Say("exit.text")},
		Acts: []design.Button{{Text: v.Say("done.go", name), Emphasis: design.Primary, Href: Prefix + v.token + "/exit?out=" + v.way, Top: true}},
	}
	p.Shell.Back = ""
	return v.show(http.StatusOK, p)
}

// exitPage redirects a browser whose checkout was framed to where its ticket says. The addresses
// are those stored with the checkout.
func (v *visit) exitPage() error {
	outcome, _, _ := strings.Cut(v.R.URL.Query().Get("out"), ".")
	if !pages.Same(v.R.URL.Query().Get("out"), v.ticket(outcome)) {
		return v.to(v.at)
	}
	if outcome == accepted {
		return v.goOut(v.x.Checkout.ReturnURL, outcome)
	}
	return v.goOut(v.x.Checkout.CancelURL, outcome)
}

// newNonce generates a nonce for each page with a script.
func newNonce() string { return buyer.Random(26) }
