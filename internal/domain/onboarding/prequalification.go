package onboarding

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/underwriting"
)

// maxRefusals is how many prequalifications of a merchant may be refused in a day. Each mails
// a notice to an unproved address that the merchant names: a shop requests a few, and the
// thief of its token would request thousands.
const maxRefusals = 50

// Prequalify decides a prequalification by the policy and records it (F27). It is a kind of
// application that is decided at once: it involves no company and no tax number, waits for
// nothing and approves nothing. A refusal is an adverse action: its notice goes by mail (F28).
//
// The figures are personal. They are in the vault under Form, and the log has only the handle.
// The decision is logged next to the command (Tell), and the record has the policy version. So
// the log gives the same record whether or not the figures still exist, and as long as they
// do, DecidedOtherwise can decide them again. Result is the *Application.
type Prequalify struct {
	LegalName string          `json:"legal_name"`
	Email     string          `json:"email"`   // keyed hash, different from that of applicants and people
	Form      string          `json:"form"`    // handle: who requests it, with the Figures
	Contact   string          `json:"contact"` // handle: email and names
	Figures   credit.Figures  `json:"-"`
	Secrets   []credit.Secret `json:"-"`

	was *credit.Estimated // for a command from the log: the decision; nobody else can set it
}

// Decided returns the command as read from the log, with its decision.
func (c Prequalify) Decided(x credit.Estimated) Prequalify {
	c.was = &x
	return c
}

// answer decides the figures; for a command from the log it returns the logged decision.
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

// Keys requests the lender and the merchant, the applicant's refusal of today, and all of
// today's slots for refusals.
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

// refusalPlace is today's first free slot, 0 if none is.
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
	case s.Claims[claim] != "": // even for a pass: otherwise the rejection would reveal a refusal without a notice
		return credit.Changes{}, credit.LimitExceeded.With("This applicant was declined today and got the notice. Ask again tomorrow.",
			map[string]any{"limit": "prequalifications_refused_a_day", "maximum": 1})
	case place == 0: // even for a pass, for the same reason
		return credit.Changes{}, credit.LimitExceeded.With("Too many of this merchant's prequalifications were declined today. Ask again tomorrow.",
			map[string]any{"limit": "prequalifications_refused_a_merchant_a_day", "maximum": maxRefusals})
	}
	out, r := c.answer() // last: the log has no decision for one that was rejected before
	if r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	a := &credit.Application{
		RecordHead: d.NewRecord(credit.NounApplication), Kind: underwriting.Estimate, Form: c.Form, Contact: c.Contact,
		Business: credit.Business{LegalName: c.LegalName, FormedOn: calendar.None}, EndedAt: e.Now, Policy: out.Policy,
	}
	a.Merchant, a.Of, a.Status = e.Actor.Merchant, c.Email, credit.ApplicationEstimated
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

// refuseEstimate makes a prequalification a refusal, which owes a notice.
func refuseEstimate(d *credit.Draft, a *credit.Application, reasons []string) {
	a.Status, a.Decision = credit.ApplicationDeclined, &credit.ApplicationDecision{At: d.Env.Now, By: PolicyActor, Reasons: reasons}
	oweNotice(d, a, credit.NoticeDecline)
	a.Duty.Mail = d.Mail("prequalification_declined", credit.Addressee{Contact: a.Contact}, a.RecordHead, map[string]string{"business": a.Business.LegalName}).ID
}
