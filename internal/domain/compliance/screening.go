// Package compliance decides what the law requires of a lender besides its loans: sanctions
// screening, notices, data retention, the lender's own settings, its allowance for losses and
// its closed months.
//
// screening.go is about sanctions lists. notice.go sends notices, notice_ask.go answers
// requests for reasons, notice_forget.go and retention.go erase. reseal.go reseals values with
// another key, read.go records who has read personal data. lender.go, provision.go and
// books.go maintain the lender's settings and books.
package compliance

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// reportDays is the number of banking days within which a confirmed match must be reported
// (F29).
const reportDays = 10

// RecordScreening records that names of a company or a merchant resemble entries of a
// sanctions list (F29). Until a person has decided, an approved company is ON_HOLD and no
// money is sent to it or to the merchant. Entries that a person found to be somebody else are
// left out. It is idempotent. Names are the names compared: if the subject still has no
// others, it counts as screened, and what waited for that continues. Result is the *Screening,
// or the *Company or *Merchant if there is nothing to decide.
type RecordScreening struct {
	Company  int64          `json:"company_id"` // or
	Merchant string         `json:"merchant_id"`
	List     string         `json:"list"` // its version
	Names    []string       `json:"names"`
	Matches  []credit.Match `json:"matches"`
}

func (RecordScreening) Name() string { return "screening.record" }

// Keys requests the company or the merchant, then its review.
func (c RecordScreening) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return lending.SubjectKeys(s, c.Company, c.Merchant)
}

func (c RecordScreening) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if !e.Actor.Operator || lending.Screened(s, c.Company, c.Merchant) == nil {
		return credit.NotFound.Because("There is no such company or merchant.")
	}
	return nil
}

func (c RecordScreening) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	d := credit.NewDraft(s, e)
	subject, names := subjectOf(d, c.Company, c.Merchant)
	screened := lending.Screened(s, c.Company, c.Merchant).Unscreened && slices.Equal(c.Names, names)
	if screened {
		lending.ScreenedOf(d, c.Company, c.Merchant).Unscreened = false
	}
	x, created := lending.Found(d, c.Company, c.Merchant, credit.Compared{List: c.List, Matches: c.Matches}, c.Names)
	switch {
	case x != nil:
		return d.Done(x, created), nil
	case !screened:
		return credit.Changes{Result: subject}, nil
	case lending.Screened(s, c.Company, c.Merchant).Review == "":
		goOn(d, c.Company) // cleared while a name had not been compared yet
	}
	subject, _ = subjectOf(d, c.Company, c.Merchant)
	return d.Done(subject, false), nil
}

// subjectOf is a company or merchant in its current state, with its names.
func subjectOf(d *credit.Draft, company int64, merchant string) (any, []string) {
	if company != 0 {
		x := d.Companies.Peek(company)
		return x, x.Names()
	}
	m := d.Merchants.Peek(merchant)
	return m, m.Names()
}

// DecideScreening is a person's decision on a screening (F29). If confirmed, the company is
// SUSPENDED, and no money of it, or to the merchant, moves. If cleared, its entries are not
// matched again, and what the screening held continues: at once, or when every name that the
// subject now has has been compared. After a confirmed match the company stays ON_HOLD until a
// person releases it. Result is the *Screening.
type DecideScreening struct {
	Screening string   `json:"screening"`
	IfMatch   []string `json:"if_match,omitzero"` // versions in quotes; nil: any
	Confirmed bool     `json:"confirmed"`
	Reason    string   `json:"reason"`
}

func (DecideScreening) Name() string { return "screening.decide" }

// Keys requests the screening, then its subject.
func (c DecideScreening) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := credit.Keys{Screenings: []string{c.Screening}}
	if x := s.Screenings[c.Screening]; x != nil {
		subject := lending.SubjectKeys(s, x.Company, x.Merchant)
		k.Companies, k.Merchants = subject.Companies, subject.Merchants
	}
	return k
}

func (c DecideScreening) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if !e.Actor.Operator || s.Screenings[c.Screening] == nil {
		return credit.NotFound.Because("There is no such screening.")
	}
	return nil
}

func (c DecideScreening) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old, to := s.Screenings[c.Screening], credit.ScreeningCleared
	if c.Confirmed {
		to = credit.ScreeningConfirmed
	}
	switch r := credit.MatchVersion(c.IfMatch, old.Version); {
	case r != nil:
		return credit.Changes{}, r
	case old.Status == to:
		return credit.Changes{Result: old}, nil
	case old.Status == credit.ScreeningCleared:
		return credit.Changes{}, credit.InvalidTransition.Because("The screening was cleared. A new match opens a new screening.")
	case c.Reason == "":
		return credit.Changes{}, credit.ValidationFailed.Because("Say why.")
	}
	d := credit.NewDraft(s, e)
	x := d.Screenings.Edit(c.Screening)
	x.Status, x.DecidedAt, x.Reason, x.ReportBy = to, e.Now, c.Reason, calendar.None
	if c.Confirmed {
		x.ReportBy = e.Today().AddBankingDays(reportDays)
		lending.ScreenedOf(d, x.Company, x.Merchant).Stopped = true
		stopCompany(d, x.Company, credit.SanctionsMatch, "A name of the company is on a sanctions list.")
		return d.Done(x, false), nil
	}
	of := lending.ScreenedOf(d, x.Company, x.Merchant)
	of.Review, of.Stopped, of.Cleared = "", false, slices.Clone(of.Cleared)
	for _, m := range x.Matches {
		of.Cleared = append(of.Cleared, m.Entry)
	}
	slices.Sort(of.Cleared)
	of.Cleared = slices.Compact(of.Cleared)
	goOn(d, x.Company)
	return d.Done(x, false), nil
}

// stopCompany suspends a company for compliance, whatever its status. A CLOSED one stays
// closed, and its money does not move either.
func stopCompany(d *credit.Draft, company int64, code, message string) {
	if company == 0 {
		return
	}
	c := d.Companies.Edit(company)
	if c.Status == credit.CompanyClosed {
		c.Servicing.Frozen = code
		return
	}
	told := c.Status == credit.CompanySuspended && credit.Dutiful(c.Delinquent(), []string{c.StatusCode})
	c.Status, c.StatusCode, c.StatusMessage, c.Servicing.ManualRelease = credit.CompanySuspended, code, message, true
	if !told {
		d.GiveNotice(credit.NoticeSuspension, company, code)
	}
}

// goOn ends a screening's effects on a company.
func goOn(d *credit.Draft, company int64) {
	if company == 0 {
		return
	}
	c := d.Companies.Edit(company)
	switch {
	case credit.UnderSanctions(c) && c.Servicing.Screened.Unscreened: // the next comparison releases it, or finds its new name
	case credit.UnderSanctions(c):
		c.Status, c.StatusCode, c.StatusMessage = credit.CompanyApproved, "", ""
	case c.Status == credit.CompanySuspended && c.StatusCode == credit.SanctionsMatch:
		c.Status, c.StatusCode, c.StatusMessage = credit.CompanyOnHold, credit.SanctionsCleared, "The match has turned out to be somebody else; a person lets the company buy again."
		c.Servicing.ManualRelease = false
	case c.Servicing.Frozen == credit.SanctionsMatch:
		c.Servicing.Frozen = ""
	}
}

// UnfreezeCompany allows the money of a CLOSED company to move again after a compliance
// suspension stopped it (F23). Result is the *Company.
type UnfreezeCompany struct {
	Company int64    `json:"company"`
	IfMatch []string `json:"if_match"`
	Reason  string   `json:"reason"`
}

func (UnfreezeCompany) Name() string { return "company.unfreeze" }

// Keys requests the company.
func (c UnfreezeCompany) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Companies: []int64{c.Company}}
}

func (c UnfreezeCompany) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if !e.Actor.Operator || s.Companies[c.Company] == nil {
		return credit.NotFound.Because("There is no such company.")
	}
	return nil
}

func (c UnfreezeCompany) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Companies[c.Company]
	switch r := credit.MatchVersion(c.IfMatch, old.Version); {
	case r != nil:
		return credit.Changes{}, r
	case old.Servicing.Frozen == "":
		return credit.Changes{Result: old}, nil
	case old.Servicing.Screened.Review != "":
		return credit.Changes{}, credit.ScreeningWaits(old.Servicing.Screened.Review)
	case c.Reason == "":
		return credit.Changes{}, credit.ValidationFailed.Because("Say why.")
	}
	d := credit.NewDraft(s, e)
	d.Companies.Edit(c.Company).Servicing.Frozen = ""
	return d.Done(d.Companies.Peek(c.Company), false), nil
}
