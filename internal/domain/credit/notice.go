package credit

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// NoticeDays is how long after an adverse action on an existing account its notice is
// due, and how long after a request for further reasons these are (F28).
const NoticeDays = 30

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

// Dutiful reports that an act for these reasons is told by a notice. None is due for an
// action because of delinquency on the account, if it is delinquent, or one that the company
// has asked for (F28); any other reason beside such makes it due.
func Dutiful(delinquent bool, reasons []string) bool {
	return slices.ContainsFunc(reasons, func(r string) bool {
		return r != ClosedByRequest && (!delinquent || r != SuspendedPastDue && r != SuspendedChargedOff)
	})
}

// Delinquent reports that an order of the company is late, or that it is suspended because
// one was, or was charged off.
func (c *Company) Delinquent() bool {
	return c.Servicing.Late > 0 || c.Status == CompanySuspended && (c.StatusCode == SuspendedPastDue || c.StatusCode == SuspendedChargedOff)
}

// RefuseReasons checks the reasons of an adverse act: one to four, each of its own, a code
// or words, and none that is empty of meaning (F28).
func RefuseReasons(reasons []string) *Rejection {
	if len(reasons) == 0 || len(reasons) > maxReasons {
		return ReasonsRequired.Because("Give one to four reasons: a notice of an adverse action says why it was taken.")
	}
	for i, r := range reasons {
		if r != strings.TrimSpace(r) || !SpecificReason(r) || utf8.RuneCountInString(r) > reasonLength {
			return ReasonsRequired.Because("Each reason is specific: a code, or up to 200 characters in words, that tells more than who has acted.")
		}
		if slices.Contains(reasons[:i], r) {
			return ReasonsRequired.Because("Each reason is given once.")
		}
	}
	return nil
}

// GiveNotice records that a company must be told of an adverse action, for the reasons given,
// if a notice is due for them (F28).
func (d *Draft) GiveNotice(kind NoticeKind, company int64, reasons ...string) {
	was := d.State.Companies[company]
	if !Dutiful(was != nil && was.Delinquent() || d.Companies.Peek(company).Delinquent(), reasons) {
		return
	}
	n := Notice{
		ID: d.IDs.Next(PrefixNotice), Kind: kind, Company: company, ActionAt: d.Env.Now, ClockStart: d.Env.Today(),
		DueOn: d.Env.Today().AddDays(NoticeDays), Reasons: slices.Clone(reasons), Version: 1,
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
