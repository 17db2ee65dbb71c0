package checkout

import (
	"net/http"

	"tenor/internal/domain/credit"
	"tenor/internal/ui/design"
)

// Steps for a page's script to query the session's time, and to sign out.
const (
	stayStep = "stay"
	outStep  = "sign-out"
)

// left returns how long the session lasts.
func (v *visit) left() error {
	v.SendLeft()
	return nil
}

// stay extends the session, within its twelve hours.
func (v *visit) stay() error {
	if v.Session != nil {
		if err := v.Desk.Stay(v.Ctx(), v.Session); err != nil {
			return err
		}
	}
	return v.left()
}

// signOut ends the session: the token no longer opens anything. Answers are kept.
func (v *visit) signOut() error {
	if v.Session != nil {
		if err := v.Desk.EndSession(v.Ctx(), v.Session); err != nil {
			return err
		}
		if !v.framed() {
			v.hand("")
		}
		v.Session, v.carried = nil, ""
	}
	return v.next()
}

// timed shows on a page how long it waits, and makes its script warn before that.
func (v *visit) timed(p *page) {
	form := p.Form != nil || p.Plans != nil || p.Repay != nil || p.Accept != nil
	signedIn := v.Session != nil && v.Session.Person != ""
	if form && signedIn {
		p.Limits = append(p.Limits, v.Limit(p.asks()))
	}
	if form && v.x.Checkout.Status == credit.CheckoutOpen {
		p.Limits = append(p.Limits, v.openUntil())
	}
	if !signedIn {
		return
	}
	r := v.rules()
	if r.Nonce == "" {
		v.nonce = newNonce()
		r.Nonce = v.nonce
	}
	r.Asks = true
	r.Harden(v.W.Header(), v.config.Secure)
	p.Time = v.TimeOf(v.timeAt, v.nonce, v.path(stayStep), v.path(outStep), v.key())
}

// asks returns the fields of a page whose answers might be lost.
func (p *page) asks() (all []design.Field) {
	if p.Form != nil {
		all = p.Form.Fields()
	}
	if p.Repay != nil && p.Repay.Choose != nil {
		for _, x := range p.Repay.Choose.Choices.Choices {
			all = append(all, x.Asks...)
		}
	}
	return all
}

// openUntil says when the checkout expires, and what happens then.
func (v *visit) openUntil() string {
	return v.Say("time.open", v.Moment(v.x.Checkout.ExpiresAt), v.x.Merchant.Name)
}

// stopOrKeep answers a refused form. If the session has expired, the form is saved, and the email
// must be proved again.
func (v *visit) stopOrKeep(status int, key string) error {
	if status != http.StatusForbidden || v.R.PostForm == nil || v.step == stayStep {
		return v.stop(status, key)
	}
	ours, err := v.AsLate(v.key, v.KeepLate)
	if err != nil {
		return err
	}
	if !ours {
		return v.stop(status, key)
	}
	if err := v.know(); err != nil {
		return err
	}
	if !v.may("email") { // the checkout has ended meanwhile
		return v.to(v.at)
	}
	return v.to("email")
}
