package credit

import (
	"cmp"
	"fmt"
	"time"

	"tenor/internal/domain/underwriting"
)

// Retention is for how long what is personal is kept. Zero is the usual time of each.
//
// The settings that hold when something is looked at decide: a longer time keeps all that is
// still there, from the day on which it is set; a shorter one erases what is decided from
// then on that much sooner, and what is there already on the day that was planned for it.
type Retention struct {
	Drafts            int `json:"draft_days,omitzero"`              // what was typed and not sent
	Documents         int `json:"document_months,omitzero"`         // uploads, after the decision
	Applications      int `json:"application_months,omitzero"`      // what was said of people, after the decision
	Prequalifications int `json:"prequalification_months,omitzero"` // after the answer
	Owners            int `json:"owner_months,omitzero"`            // of an approved company, after it is closed
}

// UsualRetention is what holds unless the lender sets something else.
func UsualRetention() Retention {
	return Retention{Drafts: 30, Documents: 12, Applications: 25, Prequalifications: 12, Owners: 60}
}

// Bounds of what may be set. Regulation B asks for twelve months of what a decision on
// business credit rests on (12 CFR 1002.12(b)); owners are looked at once a year, so a shorter
// time would not be kept to.
const (
	minKept, maxKept     = 12, 240 // months
	maxDrafts            = 90      // days
	ownersLookedAtMonths = 12
)

// on is the times with what is set of x in their place.
func (r Retention) on(x Retention) Retention {
	return Retention{
		Drafts: cmp.Or(x.Drafts, r.Drafts), Documents: cmp.Or(x.Documents, r.Documents), Applications: cmp.Or(x.Applications, r.Applications),
		Prequalifications: cmp.Or(x.Prequalifications, r.Prequalifications), Owners: cmp.Or(x.Owners, r.Owners),
	}
}

// Kept is for how long what is personal is kept.
func (s *LenderSettings) Kept() Retention { return UsualRetention().on(s.Retention) }

// check refuses times that law or the way in which they are kept does not allow.
func (r Retention) check() *Rejection {
	for _, x := range []struct {
		name           string
		n, least, most int
	}{
		{"draft_days", r.Drafts, 1, maxDrafts}, {"document_months", r.Documents, minKept, maxKept}, {"application_months", r.Applications, minKept, maxKept},
		{"prequalification_months", r.Prequalifications, minKept, maxKept}, {"owner_months", r.Owners, minKept, maxKept},
	} {
		if x.n < x.least || x.n > x.most {
			return ValidationFailed.Because(fmt.Sprintf("%s is from %d to %d.", x.name, x.least, x.most))
		}
	}
	if r.Documents > r.Applications {
		return ValidationFailed.Because("document_months must not exceed application_months.")
	}
	return nil
}

// months after an instant, at the beginning of the day.
func (d *Draft) monthsAfter(at time.Time, months int) time.Time {
	return d.Env.Zone.Start(d.Env.Zone.Date(at).AddMonths(months))
}

// planForgetting sets when an application that has just ended is first looked at.
func (d *Draft) planForgetting(a *Application) {
	months := d.State.TheLender().Settings.Kept().Documents
	if a.Kind == underwriting.Estimate {
		months = d.State.TheLender().Settings.Kept().Prequalifications
	}
	a.NextAt = d.monthsAfter(a.EndedAt, months)
}

// forget erases what is personal of an application that has ended: its documents first, then
// what was said of people. Of an approved one that stays until the company has been closed for
// some years, for its owners are screened until then; whether it is closed is looked at every
// year.
func (d *Draft) forget(a *Application) {
	kept := d.State.TheLender().Settings.Kept()
	if until := d.monthsAfter(a.EndedAt, kept.Documents); len(a.Documents) > 0 && d.Env.Now.Before(until) {
		a.NextAt = until
		return
	}
	for _, id := range a.Documents {
		d.EraseDocument(id)
	}
	if a.Form == "" {
		return
	}
	if until := d.keptUntil(a, kept); d.Env.Now.Before(until) {
		a.NextAt = until
		return
	}
	for _, c := range a.claims() {
		d.Claim(c, "")
	}
	if a.Kind != underwriting.Estimate {
		a.Place = 0
	}
	contact := a.Contact
	if a.Status == ApplicationApproved {
		a.Contact = "" // the person's who has applied, and stays with her
	}
	d.Changes.Erased = append(d.Changes.Erased, RecordSecrets(a)...)
	a.Form, a.Consents.Evidence, a.Report = "", "", ""
	if a.Contact = ""; a.Status == ApplicationApproved {
		a.Contact = contact
	}
}

// keptUntil is from when on nothing personal of an application that has ended is kept; of an
// approved one whose company is not closed, when it is looked at again.
func (d *Draft) keptUntil(a *Application, kept Retention) time.Time {
	switch {
	case a.Kind == underwriting.Estimate:
		return d.monthsAfter(a.EndedAt, kept.Prequalifications)
	case a.Status != ApplicationApproved:
		return d.monthsAfter(a.EndedAt, kept.Applications)
	}
	c := d.Companies.Peek(a.Company)
	if c.Status != CompanyClosed {
		return d.monthsAfter(d.Env.Now, ownersLookedAtMonths)
	}
	closed := c.Servicing.ClosedOn
	if closed == 0 { // by a version that did not note it: no later than it was changed last
		closed = d.Env.Zone.Date(c.UpdatedAt)
	}
	return d.Env.Zone.Start(max(closed, d.Env.Zone.Date(a.EndedAt)).AddMonths(kept.Owners))
}
