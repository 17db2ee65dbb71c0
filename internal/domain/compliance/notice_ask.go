package compliance

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// AskDays is how many days after a notice was sent further reasons can be requested (F28).
const AskDays = 60

// RequestReasons records that a company requested the reasons for an action that it was
// notified of at most AskDays before. The answer is a notice of its own, due 30 days after the
// request arrived (F28). Result is that *Notice.
type RequestReasons struct {
	Notice   string        `json:"notice"`
	Received calendar.Date `json:"received"`         // day of the request, today or earlier
	Reasons  []string      `json:"reasons,omitzero"` // reasons to give; none: those of the notice
}

func (RequestReasons) Name() string { return "notice.ask" }

// Keys requests the notice.
func (c RequestReasons) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Notices: []string{c.Notice}}
}

func (c RequestReasons) Admit(s *credit.State, _ credit.Env) *credit.Rejection {
	if s.Notices[c.Notice] == nil {
		return credit.NotFound.Because("There is no such notice.")
	}
	return nil
}

func (c RequestReasons) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	asked := s.Notices[c.Notice]
	switch {
	case asked.Kind == credit.NoticeFurtherReasons:
		return credit.Changes{}, credit.InvalidTransition.Because("This notice already answers a request for reasons. Request the reasons of the original notice.")
	case asked.SentAt.IsZero():
		return credit.Changes{}, credit.InvalidTransition.Because("The notice has not been sent yet.")
	}
	sent := e.Zone.Date(asked.SentAt)
	if c.Received < sent || c.Received > sent.AddDays(AskDays) || c.Received > e.Today() {
		return credit.Changes{}, credit.InvalidEffectiveDate.Because("Reasons can be requested from the day the notice was sent until 60 days later, and not for a future date.")
	}
	reasons := c.Reasons
	if len(reasons) == 0 {
		reasons = asked.Reasons
	}
	if r := lending.RefuseReasons(reasons); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	n := &credit.Notice{
		ID: d.IDs.Next(credit.PrefixNotice), Kind: credit.NoticeFurtherReasons, Asked: asked.ID, Company: asked.Company, ActionAt: e.Now,
		ClockStart: c.Received, DueOn: c.Received.AddDays(credit.NoticeDays), Reasons: reasons, Version: 1,
	}
	d.Notices.Add(n.ID, n)
	return d.Done(n, true), nil
}
