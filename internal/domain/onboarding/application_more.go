package onboarding

import (
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/people"
)

// RequestInformation asks an applicant for documents or answers. It is the INCOMPLETE notice
// (F28). Result is the *Application.
type RequestInformation struct {
	Application string        `json:"application"`
	What        string        `json:"what"`
	Due         calendar.Date `json:"due"` // None: in two weeks
}

func (RequestInformation) Name() string { return "application.request" }

// Keys requests the application and its checkout.
func (c RequestInformation) Keys(s *credit.State, e credit.Env) credit.Keys {
	return applicationKeys(s, e, c.Application)
}

func (c RequestInformation) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return staffApplication(s, e, c.Application)
}

func (c RequestInformation) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Application(c.Application)
	due := c.Due
	if due == calendar.None {
		due = e.Today().AddDays(credit.RequestDays)
	}
	switch {
	case old.Status == credit.ApplicationSubmitted:
		return credit.Changes{}, credit.InvalidTransition.With("The facts about the application are not available yet.",
			map[string]any{"from": old.Status, "to": credit.ApplicationRequested})
	case old.Status != credit.ApplicationInReview && old.Status != credit.ApplicationRequested:
		return credit.Changes{}, alreadyDecided(old)
	case strings.TrimSpace(c.What) == "":
		return credit.Changes{}, credit.ValidationFailed.Because("List the documents the applicant must send.")
	case due <= e.Today():
		return credit.Changes{}, credit.ValidationFailed.Because("The deadline must be after today.")
	}
	d := deciding(s, e)
	a := credit.EditRecord[*credit.Application](d, c.Application)
	request(d, a, c.What, due)
	return d.Done(a, false), nil
}

// AssignApplication assigns an application to a staff member. Result is the
// *Application.
type AssignApplication struct {
	Application string `json:"application"`
	To          string `json:"to"` // "" for nobody
}

func (AssignApplication) Name() string { return "application.assign" }

// Keys requests the application.
func (c AssignApplication) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Records: []credit.RecordKey{{Noun: credit.NounApplication, ID: c.Application}}}
}

func (c AssignApplication) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return staffApplication(s, e, c.Application)
}

func (c AssignApplication) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Application(c.Application)
	if old.Decided() {
		return credit.Changes{}, alreadyDecided(old)
	}
	if old.Assigned == c.To {
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	a := credit.EditRecord[*credit.Application](d, c.Application)
	a.Assigned = c.To
	return d.Done(a, false), nil
}

// WithdrawApplication ends an application at the applicant's request. Result is the
// *Application.
type WithdrawApplication struct {
	Application string `json:"application"`
}

func (WithdrawApplication) Name() string { return "application.withdraw" }

// Keys requests the application and its checkout.
func (c WithdrawApplication) Keys(s *credit.State, e credit.Env) credit.Keys {
	return applicationKeys(s, e, c.Application)
}

func (c WithdrawApplication) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return ownApplication(s, e, c.Application)
}

func (c WithdrawApplication) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Application(c.Application)
	if old.Status == credit.ApplicationWithdrawn {
		return credit.Changes{Result: old}, nil
	}
	if old.Decided() {
		return credit.Changes{}, alreadyDecided(old)
	}
	d := deciding(s, e)
	a := credit.EditRecord[*credit.Application](d, c.Application)
	moot(d, a)
	lapse(d, a, credit.ApplicationWithdrawn, credit.CheckoutCanceled, lending.EndBuyerCanceled)
	d.Mail("application_withdrawn", people.Applicant(d, a), a.RecordHead, map[string]string{"business": a.Business.LegalName})
	return d.Done(a, false), nil
}

// lapse ends an application without a decision, and its checkout with it.
func lapse(d *credit.Draft, a *credit.Application, status, checkout, reason string) {
	a.Status, a.EndedAt, a.Script = status, d.Env.Now, nil
	endApplication(d, a)
	d.RecordEvent(credit.ApplicationUpdatedEvent, a)
	if c := awaiting(d, a); c != nil {
		lending.EndCheckout(d, c, checkout, reason)
	}
}

// AttachDocument adds a file to an application. If something had been requested, the
// application goes back to a person. Result is the *Document.
type AttachDocument struct {
	Application string          `json:"application"`
	Paper       credit.Paper    `json:"paper"`
	Secrets     []credit.Secret `json:"-"`
}

func (AttachDocument) Name() string { return "application.document" }

// Keys requests the application and its checkout.
func (c AttachDocument) Keys(s *credit.State, e credit.Env) credit.Keys {
	return applicationKeys(s, e, c.Application)
}

func (c AttachDocument) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return ownApplication(s, e, c.Application)
}

func (c AttachDocument) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Application(c.Application)
	switch {
	case old.Decided():
		return credit.Changes{}, alreadyDecided(old)
	case len(old.Documents) >= credit.MaxDocuments:
		return credit.Changes{}, credit.LimitExceeded.With("An application can have at most 10 documents.", map[string]any{"limit": "documents", "maximum": credit.MaxDocuments})
	}
	d := deciding(s, e)
	a := credit.EditRecord[*credit.Application](d, c.Application)
	paper := c.Paper
	paper.Kind = credit.DocumentUpload
	doc := d.File(paper, a.RecordHead)
	d.Changes.Secrets = c.Secrets
	a.Documents = append(slices.Clone(a.Documents), doc.ID)
	if a.Status == credit.ApplicationRequested {
		a.CompleteAt = e.Now
		review(d, a)
	}
	return d.Done(doc, true), nil
}

// ServiceApplication does what is due on an application: it expires if requested information
// has not arrived, runs a sandbox's script, and erases personal data step by step. Result is
// the *Application.
type ServiceApplication struct {
	Application string `json:"application"`
}

func (ServiceApplication) Name() string { return "application.service" }

// Keys requests the application and what its decision changes.
func (c ServiceApplication) Keys(s *credit.State, e credit.Env) credit.Keys {
	return applicationKeys(s, e, c.Application)
}

func (c ServiceApplication) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return staffApplication(s, e, c.Application)
}

func (c ServiceApplication) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Application(c.Application)
	if old.NextAt.IsZero() || old.NextAt.After(e.Now) || old.Status == credit.ApplicationSubmitted {
		return credit.Changes{Result: old}, nil // facts are for RecordFacts
	}
	d := deciding(s, e)
	a := credit.EditRecord[*credit.Application](d, c.Application)
	a.NextAt = time.Time{}
	switch {
	case a.Decided():
		compliance.Forget(d, a)
	case len(a.Script) > 0:
		playScript(d, a)
	case a.Status == credit.ApplicationRequested:
		lapse(d, a, credit.ApplicationExpired, credit.CheckoutExpired, lending.EndExpired)
		d.Mail("application_expired", people.Applicant(d, a), a.RecordHead, map[string]string{"business": a.Business.LegalName})
	}
	return d.Done(a, false), nil
}

// SendApplicationNotice records that an application's notice was sent by a channel other than
// mail (F28): the applicant's, or that of the owner whose credit report was used. Result is
// the *Application.
type SendApplicationNotice struct {
	Application string `json:"application"`
	Owner       bool   `json:"owner,omitzero"` // the owner's notice
	Channel     string `json:"channel"`
	Evidence    string `json:"evidence"`
}

func (SendApplicationNotice) Name() string { return "application.notice" }

// Keys requests the application.
func (c SendApplicationNotice) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Records: []credit.RecordKey{{Noun: credit.NounApplication, ID: c.Application}}}
}

func (c SendApplicationNotice) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return staffApplication(s, e, c.Application)
}

func (c SendApplicationNotice) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Application(c.Application)
	owed := old.Duty
	if c.Owner {
		owed = old.OwnerDuty
	}
	switch {
	case owed == nil:
		return credit.Changes{}, credit.NotFound.Because("No notice is due for the application.")
	case !owed.SentAt.IsZero():
		return credit.Changes{Result: old}, nil
	case c.Channel == "":
		return credit.Changes{}, credit.ValidationFailed.Because("Give the channel the notice was sent by.")
	}
	d := credit.NewDraft(s, e)
	a := credit.EditRecord[*credit.Application](d, c.Application)
	duty := *owed
	duty.SentAt, duty.Channel, duty.Evidence = e.Now, c.Channel, c.Evidence
	if c.Owner {
		a.OwnerDuty = &duty
	} else {
		a.Duty = &duty
	}
	return d.Done(a, false), nil
}
