package lending

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// proposes is the kind of report that proposes a company's orders for charge-off on a day, ""
// if none.
func proposes(c *credit.Company, day calendar.Date) credit.ReportKind {
	for i := range c.Servicing.Reports {
		if r := &c.Servicing.Reports[i]; r.ProposesOn() <= day {
			return r.Kind
		}
	}
	return ""
}

// proposedBy reports whether a company's report of a kind proposes its orders for charge-off
// on a day.
func proposedBy(c *credit.Company, k credit.ReportKind, day calendar.Date) bool {
	at := c.Report(k)
	return at >= 0 && c.Servicing.Reports[at].ProposesOn() <= day
}

// Stays reports whether the automatic stay stops a payment: it was not requested after the
// bankruptcy was recorded. Whoever requests one afterwards knows of it and is responsible.
func Stays(c *credit.Company, p *credit.Payment) bool {
	at := c.Report(credit.ReportBankruptcy)
	return at >= 0 && !p.CreatedAt.After(c.Servicing.Reports[at].At)
}

// ReportCompany records a notice of bankruptcy or the discovery of fraud (F17). The company's
// orders are proposed for charge-off 60 or 90 days later. Bankruptcy also pauses autopay and
// stops debits that wait for their file. Fraud alone stops nothing: staff put the company on
// hold. A new date for the same kind replaces the previous one. Result is the *Company.
type ReportCompany struct {
	Company int64             `json:"company"`
	IfMatch []string          `json:"if_match,omitzero"`
	Kind    credit.ReportKind `json:"kind"`
	On      calendar.Date     `json:"on"`
	Reason  string            `json:"reason"`
}

func (ReportCompany) Name() string { return "company.report" }

// Keys requests the company with all its captured orders, whose next service times change.
func (c ReportCompany) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return reportKeys(s, c.Company)
}

func reportKeys(s *credit.State, company int64) credit.Keys {
	return credit.Keys{Companies: []int64{company}, Accounts: []int64{company}, Merchants: credit.MerchantsOf(s, s.Accounts[company])}
}

func (c ReportCompany) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return AdmitLendersCompany(s, e, c.Company)
}

func (c ReportCompany) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Companies[c.Company]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	switch {
	case c.Kind != credit.ReportBankruptcy && c.Kind != credit.ReportFraud:
		return credit.Changes{}, credit.ValidationFailed.Because("A report must be BANKRUPTCY or FRAUD.")
	case c.On > e.Today():
		return credit.Changes{}, credit.ValidationFailed.Because("The date of a report must not be in the future.")
	}
	at := old.Report(c.Kind)
	if at >= 0 && old.Servicing.Reports[at].On == c.On {
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	x := d.Companies.Edit(c.Company)
	if at >= 0 {
		x.Servicing.Reports = slices.Clone(old.Servicing.Reports)
		x.Servicing.Reports[at].On, x.Servicing.Reports[at].Reason = c.On, c.Reason // already known: only date and reason change
	} else {
		x.Servicing.Reports = append(slices.Clone(old.Servicing.Reports), credit.CompanyReport{Kind: c.Kind, On: c.On, Reason: c.Reason, At: e.Now})
	}
	proposalsAgain(d, x)
	return d.Done(x, false), nil
}

func withoutReport(c *credit.Company, k credit.ReportKind) []credit.CompanyReport {
	return slices.DeleteFunc(slices.Clone(c.Servicing.Reports), func(r credit.CompanyReport) bool { return r.Kind == k })
}

// WithdrawReport withdraws a report about a company, such as a bankruptcy that was dismissed.
// Proposals based on it are withdrawn, and debits resume. Result is the *Company.
type WithdrawReport struct {
	Company int64             `json:"company"`
	IfMatch []string          `json:"if_match,omitzero"`
	Kind    credit.ReportKind `json:"kind"`
	Reason  string            `json:"reason"`
}

func (WithdrawReport) Name() string { return "company.withdraw_report" }

// Keys requests the company with all its captured orders.
func (c WithdrawReport) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return reportKeys(s, c.Company)
}

func (c WithdrawReport) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return AdmitLendersCompany(s, e, c.Company)
}

func (c WithdrawReport) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Companies[c.Company]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	if old.Report(c.Kind) < 0 {
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	x := d.Companies.Edit(c.Company)
	if x.Servicing.Reports = withoutReport(old, c.Kind); len(x.Servicing.Reports) == 0 {
		x.Servicing.Reports = nil
	}
	proposalsAgain(d, x)
	if c.Kind == credit.ReportBankruptcy {
		for _, key := range s.Accounts[c.Company] { // what the stay kept from being collected (F12)
			if o := d.Orders.Peek(key); !o.External {
				CollectRest(d, key)
			}
		}
	}
	return d.Done(x, false), nil
}

// proposalsAgain re-evaluates the proposals based on a company's reports, and when its orders
// are to be served next.
func proposalsAgain(d *credit.Draft, c *credit.Company) {
	today := d.Env.Today()
	for _, key := range d.State.Accounts[c.ID] {
		o, l := d.Standing(key)
		if o.Servicing.ProposedFor != "" && !proposedBy(c, o.Servicing.ProposedFor, today) {
			dpd, x := o.DPD(l, today), d.Orders.Edit(key)
			x.Servicing.ProposedFor = proposes(c, today)
			x.Servicing.Proposed = x.Servicing.ProposedFor != "" || dpd > 0 && d.OrderSettings(key).ChargeOffDue(dpd)
		}
		timedAgain(d, d.Orders.Peek(key))
	}
}

// propose proposes an order for charge-off once it is late enough, or a report about its
// company old enough (F17, F37).
func propose(d *credit.Draft, o *credit.Order, l *schedule.Loan, day calendar.Date, dpd int) {
	if o.Servicing.Proposed || o.Terms.Unfunded {
		return
	}
	late, reported := dpd > 0 && d.OrderSettings(o.Key).ChargeOffDue(dpd), proposes(d.Companies.Peek(o.Company), day)
	if !late && (reported == "" || !credit.Owes(l)) {
		return
	}
	mark := &d.Orders.Edit(o.Key).Servicing
	mark.Proposed = true
	if !late {
		mark.ProposedFor = reported
	}
}

// unpropose ends a proposal once the order is not late and, if a report caused it, nothing is
// owed.
func unpropose(o *credit.Order, l *schedule.Loan, today calendar.Date) {
	mark := &o.Servicing
	if mark.Proposed && o.DPD(l, today) == 0 && (mark.ProposedFor == "" || !credit.Owes(l)) {
		mark.Proposed, mark.ProposedFor = false, ""
	}
}
