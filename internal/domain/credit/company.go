package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Available is the unused part of the line. A limit cut or a returned payment can make it
// negative (F26).
func (c *Company) Available() money.Amount { return lineOf(c).available() }

// IsLinked reports whether the merchant may use the company.
func (c *Company) IsLinked(merchant string) bool {
	_, ok := slices.BinarySearch(c.Linked, merchant)
	return ok
}

// ReportKind is what the lender learned about a company (F17).
type ReportKind string

// The kinds of reports.
const (
	ReportBankruptcy ReportKind = "BANKRUPTCY" // notice of it: the automatic stay stops debits
	ReportFraud      ReportKind = "FRAUD"      // discovery of it
)

// CompanyReport is a report about a company that staff recorded. Some days after it, the
// company's orders are proposed for charge-off.
type CompanyReport struct {
	Kind   ReportKind    `json:"kind"`
	On     calendar.Date `json:"on"` // day of the notice or of the discovery
	Reason string        `json:"reason"`
	At     time.Time     `json:"at"` // when it was first recorded
}

// The days after which orders are proposed for charge-off (F17).
const (
	bankruptcyDays = 60
	fraudDays      = 90
)

// ProposesOn is the first business date on which the company's orders are proposed for
// charge-off.
func (r *CompanyReport) ProposesOn() calendar.Date {
	if r.Kind == ReportBankruptcy {
		return r.On.AddDays(bankruptcyDays)
	}
	return r.On.AddDays(fraudDays)
}

// Report is the index of a kind among a company's reports, -1 if absent.
func (c *Company) Report(k ReportKind) int {
	return slices.IndexFunc(c.Servicing.Reports, func(r CompanyReport) bool { return r.Kind == k })
}

// PausedByBankruptcy is why autopay of a bankrupt company is paused.
const PausedByBankruptcy = "bankruptcy"

// AutopayPaused is why a company's autopay does not run although it is enabled: the automatic
// stay, a return code, or returned_payments; "" if it runs.
func (c *Company) AutopayPaused() string {
	if c.Report(ReportBankruptcy) >= 0 {
		return PausedByBankruptcy
	}
	return c.Servicing.Autopay.Paused
}

// proposedNext is the first business date after the given one on which an order is proposed
// for charge-off because of a report about its company, None if there is none.
func (d *Draft) proposedNext(o *Order, l *schedule.Loan, after calendar.Date) calendar.Date {
	next := calendar.None
	if o.Servicing.Proposed || o.Terms.Unfunded || !Owes(l) {
		return next
	}
	for _, r := range d.Companies.Peek(o.Company).Servicing.Reports {
		next = Sooner(next, max(after+1, r.ProposesOn()))
	}
	return next
}

// Codes of the effects of screening on a company.
const (
	SanctionsReview  = "sanctions_review"  // ON_HOLD: a name resembles a listed one
	SanctionsMatch   = "sanctions_match"   // SUSPENDED: a person confirmed it
	SanctionsCleared = "sanctions_cleared" // ON_HOLD: a confirmed match turned out to be somebody else
)

// Names are the names of a company that are compared with sanctions lists.
func (c *Company) Names() []string {
	if c.LegalName == "" || c.LegalName == c.Name {
		return []string{c.Name}
	}
	return []string{c.Name, c.LegalName}
}

// Names are the names of a merchant that are compared with sanctions lists: its own, and the
// account holder's if it differs. The holder's name is sealed, so HolderName stands in for it.
func (m *Merchant) Names() []string {
	switch b := m.Account.Bank; {
	case b != nil && b.Holder != "":
		return []string{m.Name, HolderName(b.Holder)}
	case b != nil && b.HolderName != "" && b.HolderName != m.Name:
		return []string{m.Name, b.HolderName}
	}
	return []string{m.Name}
}

// HoldForReview keeps an APPROVED company from buying while one of its screenings waits for a
// person (F29).
func (c *Company) HoldForReview() {
	if c.Status == CompanyApproved && c.Servicing.Screened.Review != "" {
		c.Status, c.StatusCode, c.StatusMessage = CompanyOnHold, SanctionsReview, "A name of the company resembles one on a sanctions list; a person looks into it."
	}
}

// UnderSanctions reports whether a company is on hold because one of its names is under
// review.
func UnderSanctions(c *Company) bool {
	return c.Status == CompanyOnHold && c.StatusCode == SanctionsReview
}

// ScreeningWaits rejects a command that has to wait for the decision on a screening.
func ScreeningWaits(id string) *Rejection {
	return CompanyNotEligible.With("A sanctions screening is waiting for a decision.", map[string]any{"screening_id": id})
}

// Compared is the result of comparing new names with a sanctions list, computed before the
// command that adds the names. The decision uses it in the same transaction, so that a company
// resembling a listed party is ON_HOLD from the first moment (F29).
type Compared struct {
	List    string  `json:"list"` // version of the list
	Matches []Match `json:"matches"`
}
