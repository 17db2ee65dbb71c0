package credit

import (
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
)

// RequestInformation asks an applicant for documents or answers. It is the INCOMPLETE notice
// (F28). Result is the *Application.
type RequestInformation struct {
	Application string        `json:"application"`
	What        string        `json:"what"`
	Due         calendar.Date `json:"due"` // None: in two weeks
}

func (RequestInformation) Name() string { return "application.request" }

// Keys asks for the application and its checkout.
func (c RequestInformation) Keys(s *State, e Env) Keys { return applicationKeys(s, e, c.Application) }

func (c RequestInformation) Admit(s *State, e Env) *Rejection {
	return staffApplication(s, e, c.Application)
}

func (c RequestInformation) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Application(c.Application)
	due := c.Due
	if due == calendar.None {
		due = e.Today().AddDays(requestDays)
	}
	switch {
	case old.Status == ApplicationSubmitted:
		return Changes{}, InvalidTransition.With("The facts about the application are not available yet.",
			map[string]any{"from": old.Status, "to": ApplicationRequested})
	case old.Status != ApplicationInReview && old.Status != ApplicationRequested:
		return Changes{}, alreadyDecided(old)
	case strings.TrimSpace(c.What) == "":
		return Changes{}, ValidationFailed.Because("List the documents the applicant must send.")
	case due <= e.Today():
		return Changes{}, ValidationFailed.Because("The deadline must be after today.")
	}
	d := deciding(s, e)
	a := EditRecord[*Application](d, c.Application)
	d.request(a, c.What, due)
	return d.Done(a, false), nil
}

// AssignApplication says who of the staff looks at an application. Result is the *Application.
type AssignApplication struct {
	Application string `json:"application"`
	To          string `json:"to"` // "" for nobody
}

func (AssignApplication) Name() string { return "application.assign" }

// Keys asks for the application.
func (c AssignApplication) Keys(*State, Env) Keys {
	return Keys{Records: []RecordKey{{NounApplication, c.Application}}}
}

func (c AssignApplication) Admit(s *State, e Env) *Rejection {
	return staffApplication(s, e, c.Application)
}

func (c AssignApplication) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Application(c.Application)
	if old.Decided() {
		return Changes{}, alreadyDecided(old)
	}
	if old.Assigned == c.To {
		return Changes{Result: old}, nil
	}
	d := NewDraft(s, e)
	a := EditRecord[*Application](d, c.Application)
	a.Assigned = c.To
	return d.Done(a, false), nil
}

// WithdrawApplication ends an application at the applicant's word. Result is the *Application.
type WithdrawApplication struct {
	Application string `json:"application"`
}

func (WithdrawApplication) Name() string { return "application.withdraw" }

// Keys asks for the application and its checkout.
func (c WithdrawApplication) Keys(s *State, e Env) Keys { return applicationKeys(s, e, c.Application) }

func (c WithdrawApplication) Admit(s *State, e Env) *Rejection {
	return ownApplication(s, e, c.Application)
}

func (c WithdrawApplication) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Application(c.Application)
	if old.Status == ApplicationWithdrawn {
		return Changes{Result: old}, nil
	}
	if old.Decided() {
		return Changes{}, alreadyDecided(old)
	}
	d := deciding(s, e)
	a := EditRecord[*Application](d, c.Application)
	d.moot(a)
	d.lapse(a, ApplicationWithdrawn, CheckoutCanceled, EndBuyerCanceled)
	d.Mail("application_withdrawn", d.applicant(a), a.RecordHead, map[string]string{"business": a.Business.LegalName})
	return d.Done(a, false), nil
}

// lapse ends an application without a decision, and its checkout with it.
func (d *Draft) lapse(a *Application, status, checkout, reason string) {
	a.Status, a.EndedAt, a.Script = status, d.Env.Now, nil
	d.endApplication(a)
	d.recordEvent(ApplicationUpdatedEvent, a)
	if c := d.awaiting(a); c != nil {
		d.endCheckout(c, checkout, reason)
	}
}

// AttachDocument adds a file to an application. Where something was asked for, it goes back
// to a person. Result is the *Document.
type AttachDocument struct {
	Application string   `json:"application"`
	Paper       Paper    `json:"paper"`
	Secrets     []Secret `json:"-"`
}

func (AttachDocument) Name() string { return "application.document" }

// Keys asks for the application and its checkout.
func (c AttachDocument) Keys(s *State, e Env) Keys { return applicationKeys(s, e, c.Application) }

func (c AttachDocument) Admit(s *State, e Env) *Rejection {
	return ownApplication(s, e, c.Application)
}

func (c AttachDocument) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Application(c.Application)
	switch {
	case old.Decided():
		return Changes{}, alreadyDecided(old)
	case len(old.Documents) >= maxDocuments:
		return Changes{}, LimitExceeded.With("An application can have at most 10 documents.", map[string]any{"limit": "documents", "maximum": maxDocuments})
	}
	d := deciding(s, e)
	a := EditRecord[*Application](d, c.Application)
	paper := c.Paper
	paper.Kind = DocumentUpload
	doc := d.File(paper, a.RecordHead)
	d.Changes.Secrets = c.Secrets
	a.Documents = append(slices.Clone(a.Documents), doc.ID)
	if a.Status == ApplicationRequested {
		a.CompleteAt = e.Now
		d.review(a)
	}
	return d.Done(doc, true), nil
}

// ServiceApplication does what time brings: it expires when what was asked for has not come,
// goes through a sandbox's script, and is forgotten part by part. Result is the *Application.
type ServiceApplication struct {
	Application string `json:"application"`
}

func (ServiceApplication) Name() string { return "application.service" }

// Keys asks for the application and what its decision changes.
func (c ServiceApplication) Keys(s *State, e Env) Keys { return applicationKeys(s, e, c.Application) }

func (c ServiceApplication) Admit(s *State, e Env) *Rejection {
	return staffApplication(s, e, c.Application)
}

func (c ServiceApplication) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Application(c.Application)
	if old.NextAt.IsZero() || old.NextAt.After(e.Now) || old.Status == ApplicationSubmitted {
		return Changes{Result: old}, nil // facts are for RecordFacts
	}
	d := deciding(s, e)
	a := EditRecord[*Application](d, c.Application)
	a.NextAt = time.Time{}
	switch {
	case a.Decided():
		d.forget(a)
	case len(a.Script) > 0:
		d.playScript(a)
	case a.Status == ApplicationRequested:
		d.lapse(a, ApplicationExpired, CheckoutExpired, EndExpired)
		d.Mail("application_expired", d.applicant(a), a.RecordHead, map[string]string{"business": a.Business.LegalName})
	}
	return d.Done(a, false), nil
}

// SendApplicationNotice records that the notice of an application has gone by another way
// than mail (F28): the applicant's, or that of the owner whose credit report was used. Result
// is the *Application.
type SendApplicationNotice struct {
	Application string `json:"application"`
	Owner       bool   `json:"owner,omitzero"` // that of the owner
	Channel     string `json:"channel"`
	Evidence    string `json:"evidence"`
}

func (SendApplicationNotice) Name() string { return "application.notice" }

// Keys asks for the application.
func (c SendApplicationNotice) Keys(*State, Env) Keys {
	return Keys{Records: []RecordKey{{NounApplication, c.Application}}}
}

func (c SendApplicationNotice) Admit(s *State, e Env) *Rejection {
	return staffApplication(s, e, c.Application)
}

func (c SendApplicationNotice) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Application(c.Application)
	owed := old.Duty
	if c.Owner {
		owed = old.OwnerDuty
	}
	switch {
	case owed == nil:
		return Changes{}, NotFound.Because("No notice is due for the application.")
	case !owed.SentAt.IsZero():
		return Changes{Result: old}, nil
	case c.Channel == "":
		return Changes{}, ValidationFailed.Because("Give the channel the notice was sent by.")
	}
	d := NewDraft(s, e)
	a := EditRecord[*Application](d, c.Application)
	duty := *owed
	duty.SentAt, duty.Channel, duty.Evidence = e.Now, c.Channel, c.Evidence
	if c.Owner {
		a.OwnerDuty = &duty
	} else {
		a.Duty = &duty
	}
	return d.Done(a, false), nil
}
