package credit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/underwriting"
)

// maxRefusals is how many prequalifications of a merchant may be a no on a day. Each mails a
// notice to an address that the merchant names and nobody has proved; a merchant's shop asks
// for a few, and whoever has stolen its token would ask for thousands.
const maxRefusals = 50

// Prequalify decides a prequalification by the policy and records it (F27). It is an
// application of a kind of its own that is decided at once: it is about no company and no tax
// number, waits for nothing and approves nothing. A no is an adverse action: its notice goes
// by mail (F28).
//
// The figures are personal. They stand in the vault under Form, and the log keeps the handle;
// what was decided of them it keeps beside the command (Tell), and the record has the version
// of the policy. So the log gives the same record whether the figures are still there or not,
// and for as long as they are, DecidedOtherwise decides them again. Result is the *Application.
type Prequalify struct {
	LegalName string   `json:"legal_name"`
	Email     string   `json:"email"`   // keyed hash, another one than that of applicants and people
	Form      string   `json:"form"`    // handle: who asks, with the Figures
	Contact   string   `json:"contact"` // handle: email and names
	Figures   Figures  `json:"-"`
	Secrets   []Secret `json:"-"`

	was *Estimated // of a command out of the log: what was decided; nobody else can say it
}

// Figures are what decides of the form of a prequalification. Whoever seals the form embeds
// them in it.
type Figures struct {
	Given underwriting.Given `json:"given"`
}

// Estimated is what was decided, as the log tells it.
type Estimated struct {
	Status  string   `json:"status"`
	Policy  int      `json:"policy_version"`
	Reasons []string `json:"reasons,omitempty"`
}

// estimatedBy is what a policy decides of an answer.
func estimatedBy(x underwriting.Prequalification) Estimated {
	if x.Pass {
		return Estimated{Status: ApplicationEstimated, Policy: x.Policy}
	}
	return Estimated{ApplicationDeclined, x.Policy, codes(x.Reasons)}
}

// Estimated is what was decided of a prequalification.
func (a *Application) Estimated() Estimated {
	x := Estimated{Status: a.Status, Policy: a.PolicyVersion()}
	if a.Decision != nil {
		x.Reasons = a.Decision.Reasons
	}
	return x
}

// firstPolicy decided the prequalifications that do not say which policy did.
const firstPolicy = 1

// PolicyVersion is the version of the policy that has decided a prequalification.
func (a *Application) PolicyVersion() int { return cmp.Or(a.Policy, firstPolicy) }

// Answer is what was answered to a prequalification with these figures, by the policy that
// decided it. It is worked out anew: none is kept.
func (a *Application) Answer(f Figures) (underwriting.Prequalification, error) {
	p, ok := underwriting.Version(a.PolicyVersion())
	if !ok {
		return underwriting.Prequalification{}, fmt.Errorf("%w %d", ErrPolicy, a.PolicyVersion())
	}
	return underwriting.Prequalify(p, f.Given)
}

// ErrPolicy says that this program does not have a version of the policy.
var ErrPolicy = errors.New("credit: no policy of version")

// DecidedOtherwise decides a prequalification again from its figures, by the policy of its own
// version, and says what it should be; "" if it is that.
func (a *Application) DecidedOtherwise(p underwriting.Policy, f Figures) string {
	x, err := underwriting.Prequalify(p, f.Given)
	if err != nil {
		return "it has no figures that decide it"
	}
	is, want := a.Estimated(), estimatedBy(x)
	if is.Status != want.Status || !slices.Equal(is.Reasons, want.Reasons) {
		return fmt.Sprintf("it is %s for %q; by policy %d its figures make it %s for %q", is.Status, is.Reasons, p.Version, want.Status, want.Reasons)
	}
	return ""
}

// Decided is the command out of the log, with what was decided of it.
func (c Prequalify) Decided(x Estimated) Prequalify {
	c.was = &x
	return c
}

// answer decides the figures; out of the log it is what was decided of them.
func (c Prequalify) answer() (Estimated, *Rejection) {
	if c.was != nil {
		return *c.was, nil
	}
	x, err := underwriting.Prequalify(underwriting.Default(), c.Figures.Given)
	if err != nil {
		return Estimated{}, ValidationFailed.Because("Give at least one scored factor: a credit score, a revenue, an age, or bank figures.")
	}
	return estimatedBy(x), nil
}

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

func (c Prequalify) Admit(s *State, e Env) *Rejection {
	if s.Merchants[e.Actor.Merchant] == nil {
		return NotFound.Because("There is no such merchant.")
	}
	return nil
}

func (c Prequalify) Decide(s *State, e Env) (Changes, *Rejection) {
	claim, place := estimateClaim(e.Actor.Merchant, c.Email, e.Today()), refusalPlace(s, e)
	switch {
	case c.LegalName == "" || c.Email == "" || c.Contact == "" || c.Form == "":
		return Changes{}, ValidationFailed.Because("A prequalification needs a business and an applicant.")
	case s.Claims[claim] != "": // also of a yes: else the refusal would tell of a no without a notice
		return Changes{}, LimitExceeded.With("This applicant was declined today and got the notice. Ask again tomorrow.",
			map[string]any{"limit": "prequalifications_refused_a_day", "maximum": 1})
	case place == 0: // also of a yes, for the same reason
		return Changes{}, LimitExceeded.With("Too many of this merchant's prequalifications were declined today. Ask again tomorrow.",
			map[string]any{"limit": "prequalifications_refused_a_merchant_a_day", "maximum": maxRefusals})
	}
	out, r := c.answer() // last: the log tells nothing of one that was refused before
	if r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
	a := &Application{
		RecordHead: d.NewRecord(prefixApplication, ApplicationEstimated), Kind: underwriting.Estimate, Form: c.Form, Contact: c.Contact,
		Business: Business{LegalName: c.LegalName, FormedOn: calendar.None}, EndedAt: e.Now, Policy: out.Policy,
	}
	a.Merchant, a.Of = e.Actor.Merchant, c.Email
	d.planForgetting(a)
	AddRecord(d, a)
	d.Changes.Secrets = c.Secrets
	if out.Status == ApplicationDeclined {
		a.Place = place
		d.refuseEstimate(a, out.Reasons)
		for _, x := range a.estimateClaims() {
			d.Claim(x, a.ID)
		}
	}
	return d.Done(a, true), nil
}

// refuseEstimate makes a prequalification a no, which owes a notice.
func (d *Draft) refuseEstimate(a *Application, reasons []string) {
	a.Status, a.Decision = ApplicationDeclined, &ApplicationDecision{At: d.Env.Now, By: PolicyActor, Reasons: reasons}
	d.oweNotice(a, NoticeDecline)
	a.Duty.Mail = d.Mail("prequalification_declined", addressee{contact: a.Contact}, a.RecordHead, map[string]string{"business": a.Business.LegalName}).ID
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
