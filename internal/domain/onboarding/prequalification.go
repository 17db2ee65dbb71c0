package onboarding

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
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
	LegalName string          `json:"legal_name"`
	Email     string          `json:"email"`   // keyed hash, another one than that of applicants and people
	Form      string          `json:"form"`    // handle: who asks, with the Figures
	Contact   string          `json:"contact"` // handle: email and names
	Figures   credit.Figures  `json:"-"`
	Secrets   []credit.Secret `json:"-"`

	was *credit.Estimated // of a command out of the log: what was decided; nobody else can say it
}

// Decided is the command out of the log, with what was decided of it.
func (c Prequalify) Decided(x credit.Estimated) Prequalify {
	c.was = &x
	return c
}

// answer decides the figures; out of the log it is what was decided of them.
func (c Prequalify) answer() (credit.Estimated, *credit.Rejection) {
	if c.was != nil {
		return *c.was, nil
	}
	x, err := underwriting.Prequalify(underwriting.Default(), c.Figures.Given)
	if err != nil {
		return credit.Estimated{}, credit.ValidationFailed.Because("Give at least one scored factor: a credit score, a revenue, an age, or bank figures.")
	}
	return credit.EstimatedBy(x), nil
}

func (Prequalify) Name() string { return "application.prequalify" }

// Keys requests the lender and the merchant, for the no that somebody may have had today, and for the places
// of all noes of the day.
func (c Prequalify) Keys(_ *credit.State, e credit.Env) credit.Keys {
	if e.Actor.Merchant == "" {
		return credit.Keys{}
	}
	k := credit.Keys{Lenders: []string{credit.TheLender}, Merchants: []string{e.Actor.Merchant}, Claims: []credit.Claim{credit.EstimateClaim(e.Actor.Merchant, c.Email, e.Today())}}
	for place := 1; place <= maxRefusals; place++ {
		k.Claims = append(k.Claims, credit.RefusalClaim(e.Actor.Merchant, place, e.Today()))
	}
	return k
}

// refusalPlace is the first place of today that is free, 0 if none is.
func refusalPlace(s *credit.State, e credit.Env) int {
	for place := 1; place <= maxRefusals; place++ {
		if s.Claims[credit.RefusalClaim(e.Actor.Merchant, place, e.Today())] == "" {
			return place
		}
	}
	return 0
}

func (c Prequalify) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if s.Merchants[e.Actor.Merchant] == nil {
		return credit.NotFound.Because("There is no such merchant.")
	}
	return nil
}

func (c Prequalify) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	claim, place := credit.EstimateClaim(e.Actor.Merchant, c.Email, e.Today()), refusalPlace(s, e)
	switch {
	case c.LegalName == "" || c.Email == "" || c.Contact == "" || c.Form == "":
		return credit.Changes{}, credit.ValidationFailed.Because("A prequalification needs a business and an applicant.")
	case s.Claims[claim] != "": // also of a yes: else the refusal would tell of a no without a notice
		return credit.Changes{}, credit.LimitExceeded.With("This applicant was declined today and got the notice. Ask again tomorrow.",
			map[string]any{"limit": "prequalifications_refused_a_day", "maximum": 1})
	case place == 0: // also of a yes, for the same reason
		return credit.Changes{}, credit.LimitExceeded.With("Too many of this merchant's prequalifications were declined today. Ask again tomorrow.",
			map[string]any{"limit": "prequalifications_refused_a_merchant_a_day", "maximum": maxRefusals})
	}
	out, r := c.answer() // last: the log tells nothing of one that was refused before
	if r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	a := &credit.Application{
		RecordHead: d.NewRecord(credit.PrefixApplication, credit.ApplicationEstimated), Kind: underwriting.Estimate, Form: c.Form, Contact: c.Contact,
		Business: credit.Business{LegalName: c.LegalName, FormedOn: calendar.None}, EndedAt: e.Now, Policy: out.Policy,
	}
	a.Merchant, a.Of = e.Actor.Merchant, c.Email
	compliance.PlanForgetting(d, a)
	credit.AddRecord(d, a)
	d.Changes.Secrets = c.Secrets
	if out.Status == credit.ApplicationDeclined {
		a.Place = place
		refuseEstimate(d, a, out.Reasons)
		for _, x := range a.EstimateClaims() {
			d.Claim(x, a.ID)
		}
	}
	return d.Done(a, true), nil
}

// refuseEstimate makes a prequalification a no, which owes a notice.
func refuseEstimate(d *credit.Draft, a *credit.Application, reasons []string) {
	a.Status, a.Decision = credit.ApplicationDeclined, &credit.ApplicationDecision{At: d.Env.Now, By: PolicyActor, Reasons: reasons}
	oweNotice(d, a, credit.NoticeDecline)
	a.Duty.Mail = d.Mail("prequalification_declined", credit.Addressee{Contact: a.Contact}, a.RecordHead, map[string]string{"business": a.Business.LegalName}).ID
}
