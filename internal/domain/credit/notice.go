package credit

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// noticeDays is how long after an adverse action on an existing account its notice is
// due, and how long after a request for further reasons these are (F28).
const noticeDays = 30

// NoticeText is the version of the words in which notices of an adverse action are made
// now. Other words get the next version, and those of all before are kept: what was sent
// can always be printed as it was.
const NoticeText = 1

// NoticeLender is what a notice that is made by these settings says of the lender.
func (s *LenderSettings) NoticeLender() NoticeLender {
	return NoticeLender{Creditor: s.Creditor, Contact: s.Contact, Regulator: s.Regulator, Text: NoticeText}
}

// Missing lists the lender's settings that a notice must name and does not, such as
// creditor.name; nil if it is whole.
func (x NoticeLender) Missing() []string {
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

// ClosedByRequest is the code of what the company itself has asked for.
const ClosedByRequest = "requested_by_company"

// What a notice may give as its reasons (F28).
const (
	maxReasons   = 4
	reasonLength = 200 // runes of one
)

// SpecificReason reports that a code, or words of staff, tell why something was done, and
// not only who has done it: what only names the actor is no reason for a notice (F28).
func SpecificReason(reason string) bool {
	return reason != "" && reason != "closed_by_operator" && reason != "manual_hold"
}

// dutiful reports that an act for these reasons is told by a notice. None is due for an
// action because of delinquency on the account, if it is delinquent, or one that the company
// has asked for (F28); any other reason beside such makes it due.
func dutiful(delinquent bool, reasons []string) bool {
	return slices.ContainsFunc(reasons, func(r string) bool {
		return r != ClosedByRequest && (!delinquent || r != SuspendedPastDue && r != SuspendedChargedOff)
	})
}

// delinquent reports that an order of the company is late, or that it is suspended because
// one was, or was charged off.
func (c *Company) delinquent() bool {
	return c.Servicing.Late > 0 || c.Status == CompanySuspended && (c.StatusCode == SuspendedPastDue || c.StatusCode == SuspendedChargedOff)
}

// refuseReasons checks the reasons of an adverse act: one to four, each of its own, a code
// or words, and none that is empty of meaning (F28).
func refuseReasons(reasons []string) *Rejection {
	if len(reasons) == 0 || len(reasons) > maxReasons {
		return ReasonsRequired.Because("Give one to four reasons: an adverse action notice must say why the action was taken.")
	}
	for i, r := range reasons {
		if r != strings.TrimSpace(r) || !SpecificReason(r) || utf8.RuneCountInString(r) > reasonLength {
			return ReasonsRequired.Because("Each reason must be specific: a code, or a text of up to 200 characters that says more than who acted.")
		}
		if slices.Contains(reasons[:i], r) {
			return ReasonsRequired.Because("Give each reason only once.")
		}
	}
	return nil
}

// notice records that a company must be told of an adverse action, for the reasons given,
// if a notice is due for them (F28).
func (d *Draft) notice(kind NoticeKind, company int64, reasons ...string) {
	was := d.State.Companies[company]
	if !dutiful(was != nil && was.delinquent() || d.Companies.Peek(company).delinquent(), reasons) {
		return
	}
	n := Notice{
		ID: d.IDs.Next(prefixNotice), Kind: kind, Company: company, ActionAt: d.Env.Now, ClockStart: d.Env.Today(),
		DueOn: d.Env.Today().AddDays(noticeDays), Reasons: slices.Clone(reasons), Version: 1,
	}
	d.Notices.Add(n.ID, &n)
}

// adverse lists the adverse actions on an account that a change by staff makes (F28). A
// company that has no account, or none any more, has nothing that could be taken from it.
func adverse(was, now *Company) (acts []NoticeKind) {
	if !hasAccount(was) {
		return nil
	}
	if now.Limit < was.Limit && hasAccount(now) {
		acts = append(acts, NoticeLineDecrease)
	}
	if ratesRise(was, now) {
		acts = append(acts, NoticeRateIncrease)
	}
	switch {
	case was.Status == now.Status:
	case now.Status == CompanySuspended:
		acts = append(acts, NoticeSuspension)
	case now.Status == CompanyClosed:
		acts = append(acts, NoticeClosure)
	}
	return acts
}

// hasAccount reports that a company has been approved and is not closed.
func hasAccount(c *Company) bool {
	return c.Status != CompanyPending && c.Status != CompanyDeclined && c.Status != CompanyClosed
}

// ratesRise reports that what an account buys from now on costs more: it has come into a
// worse tier, A being the best (F27).
func ratesRise(was, now *Company) bool {
	return was.Tier != "" && now.Tier > was.Tier && hasAccount(now)
}

// SendNotice records that a company has been told of an adverse action (F28), with what
// it was told of the lender: the settings may be others when the paper is asked for again.
// Result is the *Notice.
type SendNotice struct {
	Notice   string `json:"notice"`
	Channel  string `json:"channel"`
	Evidence string `json:"evidence"`
}

func (SendNotice) Name() string { return "notice.send" }

// Keys asks for the notice, and for the lender that it names.
func (c SendNotice) Keys(*State, Env) Keys {
	return Keys{Notices: []string{c.Notice}, Lenders: []string{TheLender}}
}

func (c SendNotice) Admit(s *State, _ Env) *Rejection {
	if s.Notices[c.Notice] == nil {
		return NotFound.Because("There is no such notice.")
	}
	return nil
}

func (c SendNotice) Decide(s *State, e Env) (Changes, *Rejection) {
	n := s.Notices[c.Notice]
	if !n.SentAt.IsZero() {
		return Changes{Result: n}, nil
	}
	if c.Channel == "" {
		return Changes{}, ValidationFailed.Because("Give the channel the notice was sent by.")
	}
	d := NewDraft(s, e)
	n = d.Notices.Edit(c.Notice)
	n.SentAt, n.Channel, n.Evidence, n.Late = e.Now, c.Channel, c.Evidence, e.Today() > n.DueOn
	if said := s.TheLender().Settings.NoticeLender(); said.Missing() == nil {
		n.Lender = &said
	}
	return d.Done(n, false), nil
}
