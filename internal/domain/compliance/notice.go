package compliance

import "tenor/internal/domain/credit"

// SendNotice records that a company has been notified of an adverse action (F28), with the
// notice's statement about the lender: the settings may have changed when the paper is
// requested again. Result is the *Notice.
type SendNotice struct {
	Notice   string `json:"notice"`
	Channel  string `json:"channel"`
	Evidence string `json:"evidence"`
}

func (SendNotice) Name() string { return "notice.send" }

// Keys requests the notice, and the lender that it names.
func (c SendNotice) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Notices: []string{c.Notice}, Lenders: []string{credit.TheLender}}
}

func (c SendNotice) Admit(s *credit.State, _ credit.Env) *credit.Rejection {
	if s.Notices[c.Notice] == nil {
		return credit.NotFound.Because("There is no such notice.")
	}
	return nil
}

func (c SendNotice) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	n := s.Notices[c.Notice]
	if !n.SentAt.IsZero() {
		return credit.Changes{Result: n}, nil
	}
	if c.Channel == "" {
		return credit.Changes{}, credit.ValidationFailed.Because("Give the channel the notice was sent by.")
	}
	d := credit.NewDraft(s, e)
	n = d.Notices.Edit(c.Notice)
	n.SentAt, n.Channel, n.Evidence, n.Late = e.Now, c.Channel, c.Evidence, e.Today() > n.DueOn
	if said := s.TheLender().Settings.NoticeLender(); said.Missing() == nil {
		n.Lender = &said
	}
	return d.Done(n, false), nil
}
