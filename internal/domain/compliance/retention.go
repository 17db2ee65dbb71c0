package compliance

import (
	"fmt"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/underwriting"
)

// Bounds on retention settings. Regulation B requires twelve months for what a decision on
// business credit is based on (12 CFR 1002.12(b)). Owners are checked once a year, so a
// shorter time could not be kept.
const (
	minKept, maxKept     = 12, 240 // months
	maxDrafts            = 90      // days
	ownersLookedAtMonths = 12
)

// checkRetention rejects times that the law or the erasure schedule does not allow.
func checkRetention(r credit.Retention) *credit.Rejection {
	for _, x := range []struct {
		name           string
		n, least, most int
	}{
		{"draft_days", r.Drafts, 1, maxDrafts}, {"document_months", r.Documents, minKept, maxKept}, {"application_months", r.Applications, minKept, maxKept},
		{"prequalification_months", r.Prequalifications, minKept, maxKept}, {"owner_months", r.Owners, minKept, maxKept},
	} {
		if x.n < x.least || x.n > x.most {
			return credit.ValidationFailed.Because(fmt.Sprintf("%s is from %d to %d.", x.name, x.least, x.most))
		}
	}
	if r.Documents > r.Applications {
		return credit.ValidationFailed.Because("document_months must not exceed application_months.")
	}
	return nil
}

// monthsAfter is the start of the day that is a number of months after an instant.
func monthsAfter(d *credit.Draft, at time.Time, months int) time.Time {
	return d.Env.Zone.Start(d.Env.Zone.Date(at).AddMonths(months))
}

// PlanForgetting sets when an application that has just ended is first checked for erasure.
func PlanForgetting(d *credit.Draft, a *credit.Application) {
	months := d.State.TheLender().Settings.Kept().Documents
	if a.Kind == underwriting.Estimate {
		months = d.State.TheLender().Settings.Kept().Prequalifications
	}
	a.NextAt = monthsAfter(d, a.EndedAt, months)
}

// Forget erases the personal data of an application that has ended: its documents first, then
// what was stated about people. For an approved one the latter stays until the company has
// been closed for some years, because its owners are screened until then; every year it is
// checked whether the company is closed.
func Forget(d *credit.Draft, a *credit.Application) {
	kept := d.State.TheLender().Settings.Kept()
	if until := monthsAfter(d, a.EndedAt, kept.Documents); len(a.Documents) > 0 && d.Env.Now.Before(until) {
		a.NextAt = until
		return
	}
	for _, id := range a.Documents {
		d.EraseDocument(id)
	}
	if a.Form == "" {
		return
	}
	if until := keptUntil(d, a, kept); d.Env.Now.Before(until) {
		a.NextAt = until
		return
	}
	for _, c := range a.Claims() {
		d.Claim(c, "")
	}
	if a.Kind != underwriting.Estimate {
		a.Place = 0
	}
	contact := a.Contact
	if a.Status == credit.ApplicationApproved {
		a.Contact = "" // belongs to the applicant's person record, and stays there
	}
	d.Changes.Erased = append(d.Changes.Erased, a.Secrets()...)
	a.Form, a.Consents.Evidence, a.Report = "", "", ""
	if a.Contact = ""; a.Status == credit.ApplicationApproved {
		a.Contact = contact
	}
}

// keptUntil is when the personal data of an ended application expires; for an approved one
// whose company is not closed, when to check again.
func keptUntil(d *credit.Draft, a *credit.Application, kept credit.Retention) time.Time {
	switch {
	case a.Kind == underwriting.Estimate:
		return monthsAfter(d, a.EndedAt, kept.Prequalifications)
	case a.Status != credit.ApplicationApproved:
		return monthsAfter(d, a.EndedAt, kept.Applications)
	}
	c := d.Companies.Peek(a.Company)
	if c.Status != credit.CompanyClosed {
		return monthsAfter(d, d.Env.Now, ownersLookedAtMonths)
	}
	closed := c.Servicing.ClosedOn
	if closed == 0 { // closed by a version that did not record it: no later than its last change
		closed = d.Env.Zone.Date(c.UpdatedAt)
	}
	return d.Env.Zone.Start(max(closed, d.Env.Zone.Date(a.EndedAt)).AddMonths(kept.Owners))
}
