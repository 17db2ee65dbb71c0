package credit

import (
	"slices"
	"strings"
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

// Dutiful reports whether an act for these reasons is told by a notice. None is due for an
// action because of delinquency on the account, if it is delinquent, or one that the company
// has asked for (F28); any other reason beside such makes it due.
func Dutiful(delinquent bool, reasons []string) bool {
	return slices.ContainsFunc(reasons, func(r string) bool {
		return r != ClosedByRequest && (!delinquent || r != SuspendedPastDue && r != SuspendedChargedOff)
	})
}

// Delinquent reports whether an order of the company is late, or that it is suspended because
// one was, or was charged off.
func (c *Company) Delinquent() bool {
	return c.Servicing.Late > 0 || c.Status == CompanySuspended && (c.StatusCode == SuspendedPastDue || c.StatusCode == SuspendedChargedOff)
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

// Erased reports whether nothing is kept of what a notice has said.
func (n *Notice) Erased() bool { return !n.ErasedAt.IsZero() }
