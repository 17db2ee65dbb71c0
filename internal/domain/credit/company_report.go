package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
)

// ReportKind is what the lender has learned about a company (F17).
type ReportKind string

// The kinds of reports.
const (
	ReportBankruptcy ReportKind = "BANKRUPTCY" // notice of it: the automatic stay stops debits
	ReportFraud      ReportKind = "FRAUD"      // its discovery
)

// CompanyReport is what staff have recorded of a company. Some days after it the company's
// orders are proposed to be charged off.
type CompanyReport struct {
	Kind   ReportKind    `json:"kind"`
	On     calendar.Date `json:"on"` // of the notice, or of the discovery
	Reason string        `json:"reason"`
	At     time.Time     `json:"at"` // when it was first recorded
}

// The days after which orders are proposed to be charged off (F17).
const (
	bankruptcyDays = 60
	fraudDays      = 90
)

// ProposesOn is the first business date on which the company's orders are proposed to be
// charged off.
func (r *CompanyReport) ProposesOn() calendar.Date {
	if r.Kind == ReportBankruptcy {
		return r.On.AddDays(bankruptcyDays)
	}
	return r.On.AddDays(fraudDays)
}

// report is the place of a kind among a company's reports, -1 if there is none.
func (c *Company) report(k ReportKind) int {
	return slices.IndexFunc(c.Servicing.Reports, func(r CompanyReport) bool { return r.Kind == k })
}

// proposes is the kind of report for which a company's orders are proposed to be charged
// off on a day, "" if for none.
func (c *Company) proposes(day calendar.Date) ReportKind {
	for i := range c.Servicing.Reports {
		if r := &c.Servicing.Reports[i]; r.ProposesOn() <= day {
			return r.Kind
		}
	}
	return ""
}

// proposedBy reports that what is reported of a company of a kind proposes its orders to be
// charged off on a day.
func (c *Company) proposedBy(k ReportKind, day calendar.Date) bool {
	at := c.report(k)
	return at >= 0 && c.Servicing.Reports[at].ProposesOn() <= day
}

// PausedByBankruptcy is why autopay of a bankrupt company is paused.
const PausedByBankruptcy = "bankruptcy"

// AutopayPaused is why autopay of a company does not run although it is on: the automatic
// stay, a return code, or returned_payments; "" if it runs.
func (c *Company) AutopayPaused() string {
	if c.report(ReportBankruptcy) >= 0 {
		return PausedByBankruptcy
	}
	return c.Servicing.Autopay.Paused
}

// stays reports that the automatic stay stops a payment: it was not asked for after the
// bankruptcy was recorded. Who asks afterwards knows of it, and answers for it.
func (c *Company) stays(p *Payment) bool {
	at := c.report(ReportBankruptcy)
	return at >= 0 && !p.CreatedAt.After(c.Servicing.Reports[at].At)
}

// ReportCompany records a notice of bankruptcy, or the discovery of fraud (F17). The
// company's orders are proposed to be charged off 60 or 90 days after it. Bankruptcy pauses
// autopay as well, and stops debits that wait for their file; fraud by itself stops nothing:
// staff hold the company. Another date of the same kind replaces the one before. Result is
// the *Company.
type ReportCompany struct {
	Company int64         `json:"company"`
	IfMatch []string      `json:"if_match,omitzero"`
	Kind    ReportKind    `json:"kind"`
	On      calendar.Date `json:"on"`
	Reason  string        `json:"reason"`
}

func (ReportCompany) Name() string { return "company.report" }

// Keys asks for the company with all its captured orders: when time next changes them.
func (c ReportCompany) Keys(s *State, _ Env) Keys { return reportKeys(s, c.Company) }

func reportKeys(s *State, company int64) Keys {
	return Keys{Companies: []int64{company}, Accounts: []int64{company}, Merchants: merchantsOf(s, s.Accounts[company])}
}

func (c ReportCompany) Admit(s *State, e Env) *Rejection { return admitLendersCompany(s, e, c.Company) }

func (c ReportCompany) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Companies[c.Company]
	if r := MatchVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	switch {
	case c.Kind != ReportBankruptcy && c.Kind != ReportFraud:
		return Changes{}, ValidationFailed.Because("A report must be BANKRUPTCY or FRAUD.")
	case c.On > e.Today():
		return Changes{}, ValidationFailed.Because("The date of a report must not be in the future.")
	}
	at := old.report(c.Kind)
	if at >= 0 && old.Servicing.Reports[at].On == c.On {
		return Changes{Result: old}, nil
	}
	d := NewDraft(s, e)
	x := d.Companies.Edit(c.Company)
	if at >= 0 {
		x.Servicing.Reports = slices.Clone(old.Servicing.Reports)
		x.Servicing.Reports[at].On, x.Servicing.Reports[at].Reason = c.On, c.Reason // it was known before
	} else {
		x.Servicing.Reports = append(slices.Clone(old.Servicing.Reports), CompanyReport{c.Kind, c.On, c.Reason, e.Now})
	}
	d.proposalsAgain(x)
	return d.Done(x, false), nil
}

func withoutReport(c *Company, k ReportKind) []CompanyReport {
	return slices.DeleteFunc(slices.Clone(c.Servicing.Reports), func(r CompanyReport) bool { return r.Kind == k })
}

// WithdrawReport takes back what was reported of a company, such as a bankruptcy that was
// dismissed. What was proposed for it is proposed no more, and debits are made again.
// Result is the *Company.
type WithdrawReport struct {
	Company int64      `json:"company"`
	IfMatch []string   `json:"if_match,omitzero"`
	Kind    ReportKind `json:"kind"`
	Reason  string     `json:"reason"`
}

func (WithdrawReport) Name() string { return "company.withdraw_report" }

// Keys asks for the company with all its captured orders.
func (c WithdrawReport) Keys(s *State, _ Env) Keys { return reportKeys(s, c.Company) }

func (c WithdrawReport) Admit(s *State, e Env) *Rejection {
	return admitLendersCompany(s, e, c.Company)
}

func (c WithdrawReport) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Companies[c.Company]
	if r := MatchVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	if old.report(c.Kind) < 0 {
		return Changes{Result: old}, nil
	}
	d := NewDraft(s, e)
	x := d.Companies.Edit(c.Company)
	if x.Servicing.Reports = withoutReport(old, c.Kind); len(x.Servicing.Reports) == 0 {
		x.Servicing.Reports = nil
	}
	d.proposalsAgain(x)
	if c.Kind == ReportBankruptcy {
		for _, key := range s.Accounts[c.Company] { // what the stay has kept from being collected (F12)
			if o := d.Orders.Peek(key); !o.External {
				d.collectRest(key)
			}
		}
	}
	return d.Done(x, false), nil
}

// proposalsAgain looks at the proposals that were made for a report of a company, and at
// when its orders are to be looked at next.
func (d *Draft) proposalsAgain(c *Company) {
	today := d.Env.Today()
	for _, key := range d.State.Accounts[c.ID] {
		o, l := d.standing(key)
		if o.Servicing.ProposedFor != "" && !c.proposedBy(o.Servicing.ProposedFor, today) {
			dpd, x := o.DPD(l, today), d.Orders.Edit(key)
			x.Servicing.ProposedFor = c.proposes(today)
			x.Servicing.Proposed = x.Servicing.ProposedFor != "" || dpd > 0 && d.orderSettings(key).ChargeOffDue(dpd)
		}
		d.timedAgain(d.Orders.Peek(key))
	}
}

// propose proposes to charge an order off once it is so late, or once a report of its
// company is so old (F17, F37).
func (d *Draft) propose(o *Order, l *schedule.Loan, day calendar.Date, dpd int) {
	if o.Servicing.Proposed || o.Terms.Unfunded {
		return
	}
	late, reported := dpd > 0 && d.orderSettings(o.Key).ChargeOffDue(dpd), d.Companies.Peek(o.Company).proposes(day)
	if !late && (reported == "" || !owes(l)) {
		return
	}
	mark := &d.Orders.Edit(o.Key).Servicing
	mark.Proposed = true
	if !late {
		mark.ProposedFor = reported
	}
}

// proposedNext is the first business date after one on which an order is proposed to be
// charged off for a report of its company, None if it is not.
func (d *Draft) proposedNext(o *Order, l *schedule.Loan, after calendar.Date) calendar.Date {
	next := calendar.None
	if o.Servicing.Proposed || o.Terms.Unfunded || !owes(l) {
		return next
	}
	for _, r := range d.Companies.Peek(o.Company).Servicing.Reports {
		next = sooner(next, max(after+1, r.ProposesOn()))
	}
	return next
}

// unpropose ends a proposal: the order is late no more, and if it was made for a report of
// the company nothing is owed.
func unpropose(o *Order, l *schedule.Loan, today calendar.Date) {
	mark := &o.Servicing
	if mark.Proposed && o.DPD(l, today) == 0 && (mark.ProposedFor == "" || !owes(l)) {
		mark.Proposed, mark.ProposedFor = false, ""
	}
}
