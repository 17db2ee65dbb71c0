package credit

import (
	"strconv"

	"tenor/internal/calendar"
	"tenor/internal/underwriting"
)

// maxRefusals is how many prequalifications of a merchant may be a no on a day. Each mails a
// notice to an address that the merchant names and nobody has proved; a merchant's shop asks
// for a few, and whoever has stolen its token would ask for thousands.
const maxRefusals = 50

// Prequalify records an estimate of a line and what came of it (F27). It is an application of
// a kind of its own that is decided at once: it is about no company and no tax number, waits
// for nothing and approves nothing. A no is an adverse action: its notice goes by mail (F28).
// What was asked and answered stands in the vault under Form. Result is the *Application.
type Prequalify struct {
	LegalName string   `json:"legal_name"`
	Email     string   `json:"email"`   // keyed hash, another one than that of applicants and people
	Form      string   `json:"form"`    // handle: who asks, the figures and the answer
	Contact   string   `json:"contact"` // handle: email and names
	Pass      bool     `json:"pass"`
	Reasons   []string `json:"reasons"` // codes, of a no
	Secrets   []Secret `json:"-"`
}

// Name is the command's word in the audit log.
func (Prequalify) Name() string { return "application.prequalify" }

// Keys asks for the lender and the merchant, for the no that somebody may have had today, and for the places
// of all noes of the day.
func (c Prequalify) Keys(_ *State, e Env) Keys {
	if e.Actor.Merchant == "" {
		return Keys{}
	}
	k := Keys{Lenders: []string{TheLender}, Merchants: []string{e.Actor.Merchant}, Claims: []Claim{estimateClaim(e.Actor.Merchant, c.Email, e.Today())}}
	for place := 1; place <= maxRefusals; place++ {
		k.Claims = append(k.Claims, refusalClaim(e.Actor.Merchant, place, e.Today()))
	}
	return k
}

// estimateClaim is held by the prequalification that a merchant's applicant was refused on a
// day: there is one, so that a merchant has one notice a day sent to an address.
func estimateClaim(merchant, email string, day calendar.Date) Claim {
	return Claim{Kind: ClaimEstimate, Scope: merchant, Name: email + " " + day.String()}
}

// refusalClaim is one of the places that a merchant has on a day for prequalifications that
// are a no.
func refusalClaim(merchant string, place int, day calendar.Date) Claim {
	return Claim{Kind: ClaimRefusalPlace, Scope: merchant, Name: strconv.Itoa(place) + " " + day.String()}
}

// refusalPlace is the first place of today that is free, 0 if none is.
func refusalPlace(s *State, e Env) int {
	for place := 1; place <= maxRefusals; place++ {
		if s.Claims[refusalClaim(e.Actor.Merchant, place, e.Today())] == "" {
			return place
		}
	}
	return 0
}

func (c Prequalify) admit(s *State, e Env) *Rejection {
	if s.Merchants[e.Actor.Merchant] == nil {
		return NotFound.because("There is no such merchant.")
	}
	return nil
}

func (c Prequalify) decide(s *State, e Env) (Changes, *Rejection) {
	claim, place := estimateClaim(e.Actor.Merchant, c.Email, e.Today()), refusalPlace(s, e)
	switch {
	case c.LegalName == "" || c.Email == "" || c.Contact == "" || c.Form == "":
		return Changes{}, ValidationFailed.because("A prequalification names a business and who asks for it.")
	case c.Pass != (len(c.Reasons) == 0):
		return Changes{}, ValidationFailed.because("A no has its reasons, and a yes has none.")
	case s.Claims[claim] != "": // also of a yes: else the refusal would tell of a no without a notice
		return Changes{}, LimitExceeded.with("This applicant has had a no today, and the notice of it. Ask again tomorrow.",
			map[string]any{"limit": "prequalifications_refused_a_day", "maximum": 1})
	case place == 0: // also of a yes, for the same reason
		return Changes{}, LimitExceeded.with("This merchant's prequalifications have been refused too often today. Ask again tomorrow.",
			map[string]any{"limit": "prequalifications_refused_a_merchant_a_day", "maximum": maxRefusals})
	}
	if !c.Pass {
		if r := refuseReasons(c.Reasons); r != nil {
			return Changes{}, r
		}
	}
	d := newDraft(s, e)
	a := &Application{
		RecordHead: d.newRecord(prefixApplication, ApplicationEstimated), Kind: underwriting.Estimate, Form: c.Form, Contact: c.Contact,
		Business: Business{LegalName: c.LegalName, FormedOn: calendar.None}, EndedAt: e.Now,
	}
	a.Merchant, a.Of = e.Actor.Merchant, c.Email
	d.planForgetting(a)
	addRecord(d, a)
	d.c.Secrets = c.Secrets
	if !c.Pass {
		a.Place = place
		d.refuseEstimate(a, c.Reasons)
		for _, x := range a.estimateClaims() {
			d.claim(x, a.ID)
		}
	}
	return d.done(a, true), nil
}

// refuseEstimate makes a prequalification a no, which owes a notice.
func (d *draft) refuseEstimate(a *Application, reasons []string) {
	a.Status, a.Decision = ApplicationDeclined, &ApplicationDecision{At: d.e.Now, By: PolicyActor, Reasons: reasons}
	d.oweNotice(a, NoticeDecline)
	a.Duty.Mail = d.mail("prequalification_declined", addressee{contact: a.Contact}, a.RecordHead, map[string]string{"business": a.Business.LegalName}).ID
}

// estimateClaims are the names that a prequalification holds: none once it is forgotten.
func (a *Application) estimateClaims() []Claim {
	if a.Kind != underwriting.Estimate || a.Duty == nil || a.Contact == "" {
		return nil
	}
	claims := []Claim{estimateClaim(a.Merchant, a.Of, a.Duty.ClockStart)}
	if a.Place != 0 { // of versions before the bound none has one
		claims = append(claims, refusalClaim(a.Merchant, a.Place, a.Duty.ClockStart))
	}
	return claims
}

// soundEstimate is sound for a prequalification.
func (a *Application) soundEstimate() string {
	switch {
	case a.Status != ApplicationEstimated && a.Status != ApplicationDeclined || a.EndedAt.IsZero():
		return "it is a prequalification that is not decided"
	case a.Company != 0 || a.Checkout != "" || a.Business.EIN != "" || a.Requested != 0:
		return "it is a prequalification, and about more than an estimate"
	case (a.Status == ApplicationDeclined) != (a.Decision != nil) || (a.Decision != nil) != (a.Duty != nil):
		return "it is a no without a decision and a notice, or the reverse"
	case a.Place < 0 || a.Place != 0 && a.Duty == nil:
		return "it has a place among the noes of its day, and is none"
	case a.Decision != nil && (a.Decision.Approved || len(a.Decision.Reasons) == 0):
		return "it is a prequalification that approves something, or a no without reasons"
	}
	return ""
}
