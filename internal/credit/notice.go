package credit

import (
	"slices"
	"strings"
)

// noticeDays is how long after an adverse action on an existing account its notice is
// due (F28).
const noticeDays = 30

// NoticeText is the version of the words in which notices of an adverse action are made
// now. Other words get the next version, and those of all before are kept: what was sent
// can always be printed as it was.
const NoticeText = 1

// Said is what a notice that is made by these settings says of the lender.
func (s *LenderSettings) Said() Said {
	return Said{Creditor: s.Creditor, Contact: s.Contact, Regulator: s.Regulator, Text: NoticeText}
}

// Missing lists the lender's settings that a notice must name and does not, such as
// creditor.name; nil if it is whole.
func (x Said) Missing() []string {
	var missing []string
	for _, m := range []struct{ name, value string }{
		{"creditor.name", x.Creditor.Name}, {"creditor.address", x.Creditor.Address},
		{"regulator.name", x.Regulator.Name}, {"regulator.address", x.Regulator.Address},
	} {
		if strings.TrimSpace(m.value) == "" {
			missing = append(missing, m.name)
		}
	}
	return missing
}

// notice records that a company must be told of an adverse action, for the reason
// given (F28). None is due for an action because of delinquency on the account, or one
// that the company has asked for.
func (d *draft) notice(kind NoticeKind, company int64, reason string) {
	if slices.Contains([]string{SuspendedPastDue, SuspendedChargedOff, ClosedByRequest}, reason) {
		return
	}
	var reasons []string
	if reason != "" {
		reasons = []string{reason}
	}
	n := Notice{
		ID: d.ids.next(prefixNotice), Kind: kind, Company: company, ActionAt: d.e.Now, ClockStart: d.e.Today(),
		DueOn: d.e.Today().AddDays(noticeDays), Reasons: reasons, Version: 1,
	}
	d.notices.add(n.ID, &n)
}

// ClosedByRequest is the code of a closure that the company has asked for.
const ClosedByRequest = "company_wish"

// adverse records the notices of what staff have done to a company.
func (d *draft) adverse(was, now *Company) {
	if now.Limit < was.Limit {
		d.notice(NoticeLineDecrease, now.ID, now.StatusCode)
	}
	if ratesRise(was, now) {
		d.notice(NoticeRateIncrease, now.ID, now.StatusCode)
	}
	if was.Status == now.Status {
		return
	}
	switch now.Status {
	case CompanySuspended:
		d.notice(NoticeSuspension, now.ID, now.StatusCode)
	case CompanyClosed:
		d.notice(NoticeClosure, now.ID, now.StatusCode)
	}
}

// ratesRise reports that what an account buys from now on costs more: it has come into a
// worse tier, A being the best (F27). A company that has no account, or none any more, buys
// nothing.
func ratesRise(was, now *Company) bool {
	account := func(c *Company) bool {
		return c.Status != CompanyPending && c.Status != CompanyDeclined && c.Status != CompanyClosed
	}
	return was.Tier != "" && now.Tier > was.Tier && account(was) && account(now)
}

// SendNotice records that a company has been told of an adverse action (F28), with what
// it was told of the lender: the settings may be others when the paper is asked for again.
// Result is the *Notice.
type SendNotice struct {
	Notice   string `json:"notice"`
	Channel  string `json:"channel"`
	Evidence string `json:"evidence"`
}

// Name is the command's word in the audit log.
func (SendNotice) Name() string { return "notice.send" }

// Keys asks for the notice, and for the lender that it names.
func (c SendNotice) Keys(*State, Env) Keys {
	return Keys{Notices: []string{c.Notice}, Lenders: []string{TheLender}}
}

func (c SendNotice) admit(s *State, _ Env) *Rejection {
	if s.Notices[c.Notice] == nil {
		return NotFound.because("There is no such notice.")
	}
	return nil
}

func (c SendNotice) decide(s *State, e Env) (Changes, *Rejection) {
	n := s.Notices[c.Notice]
	if !n.SentAt.IsZero() {
		return Changes{Result: n}, nil
	}
	if c.Channel == "" {
		return Changes{}, ValidationFailed.because("Say by which channel the notice was sent.")
	}
	d := newDraft(s, e)
	n = d.notices.edit(c.Notice)
	n.SentAt, n.Channel, n.Evidence = e.Now, c.Channel, c.Evidence
	if said := s.TheLender().Settings.Said(); said.Missing() == nil {
		n.Said = &said
	}
	return d.done(n, false), nil
}
