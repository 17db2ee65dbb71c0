package credit

// ForgetNotice erases what a notice of an adverse action has said: its reasons, what shows
// that it was sent, and the lender as it named it. That it was sent, when and how stays. One
// that was not sent is kept: it is still owed. Result is the *Notice.
type ForgetNotice struct {
	Notice string `json:"notice"`
}

func (ForgetNotice) Name() string { return "notice.forget" }

// Keys asks for the notice, and for how long the lender keeps it.
func (c ForgetNotice) Keys(*State, Env) Keys {
	return Keys{Notices: []string{c.Notice}, Lenders: []string{TheLender}}
}

func (c ForgetNotice) Admit(s *State, e Env) *Rejection {
	if r := OwnPages(e); r != nil {
		return r
	}
	if s.Notices[c.Notice] == nil {
		return NotFound.Because("There is no such notice.")
	}
	return nil
}

// Decide erases a notice when applications that were decided on the day on which it was sent
// are: Regulation B asks for twelve months of both (12 CFR 1002.12(b)).
func (c ForgetNotice) Decide(s *State, e Env) (Changes, *Rejection) {
	n := s.Notices[c.Notice]
	d := NewDraft(s, e)
	if n.SentAt.IsZero() || n.Erased() || e.Now.Before(d.monthsAfter(n.SentAt, s.TheLender().Settings.Kept().Applications)) {
		return Changes{Result: n}, nil
	}
	n = d.Notices.Edit(c.Notice)
	n.Reasons, n.Evidence, n.Lender, n.ErasedAt = nil, "", nil, e.Now
	return d.Done(n, false), nil
}

// Erased reports that nothing is kept of what a notice has said.
func (n *Notice) Erased() bool { return !n.ErasedAt.IsZero() }
