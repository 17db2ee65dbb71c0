package credit

import (
	"slices"
	"strings"
)

// NoticeDays is the deadline for the notice of an adverse action on an existing account, and
// for the answer to a request for further reasons (F28).
const NoticeDays = 30

// NoticeText is the current version of the text of adverse action notices. A changed text gets
// the next version, and all previous ones are kept, so that a notice can always be reprinted
// as sent.
const NoticeText = 1

// NoticeLender is the lender's part of a notice under these settings.
func (s *LenderSettings) NoticeLender() NoticeLender {
	return NoticeLender{Creditor: s.Creditor, Contact: s.Contact, Regulator: s.Regulator, Text: NoticeText}
}

// Missing lists the lender settings that a notice must name and that are not set, such as
// creditor.name; nil if complete.
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

// ClosedByRequest is the code of a closure that the company itself requested.
const ClosedByRequest = "requested_by_company"

// Dutiful reports whether an action for these reasons requires a notice. None is required for
// an action because of delinquency if the account is delinquent, or for one that the company
// requested (F28); any other reason in addition makes it required.
func Dutiful(delinquent bool, reasons []string) bool {
	return slices.ContainsFunc(reasons, func(r string) bool {
		return r != ClosedByRequest && (!delinquent || r != SuspendedPastDue && r != SuspendedChargedOff)
	})
}

// Delinquent reports whether an order of the company is late, or the company is suspended
// because one was late or charged off.
func (c *Company) Delinquent() bool {
	return c.Servicing.Late > 0 || c.Status == CompanySuspended && (c.StatusCode == SuspendedPastDue || c.StatusCode == SuspendedChargedOff)
}

// GiveNotice records that a company must be notified of an adverse action for the given
// reasons, if they require a notice (F28).
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

// Erased reports whether the content of a notice has been erased.
func (n *Notice) Erased() bool { return !n.ErasedAt.IsZero() }
