package compliance

import "tenor/internal/domain/credit"

// ForgetNotice erases the content of an adverse action notice: its reasons, the evidence of
// sending, and the lender as it named it. That it was sent, when and how, stays. A notice that
// was not sent is kept, because it is still owed. Result is the *Notice.
type ForgetNotice struct {
	Notice string `json:"notice"`
}

func (ForgetNotice) Name() string { return "notice.forget" }

// Keys requests the notice, and the lender for its retention settings.
func (c ForgetNotice) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Notices: []string{c.Notice}, Lenders: []string{credit.TheLender}}
}

func (c ForgetNotice) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := credit.OwnPages(e); r != nil {
		return r
	}
	if s.Notices[c.Notice] == nil {
		return credit.NotFound.Because("There is no such notice.")
	}
	return nil
}

// Decide erases a notice at the same age as applications decided on the day it was sent:
// Regulation B requires twelve months for both (12 CFR 1002.12(b)).
func (c ForgetNotice) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	n := s.Notices[c.Notice]
	d := credit.NewDraft(s, e)
	if n.SentAt.IsZero() || n.Erased() || e.Now.Before(monthsAfter(d, n.SentAt, s.TheLender().Settings.Kept().Applications)) {
		return credit.Changes{Result: n}, nil
	}
	n = d.Notices.Edit(c.Notice)
	n.Reasons, n.Evidence, n.Lender, n.ErasedAt = nil, "", nil, e.Now
	return d.Done(n, false), nil
}
