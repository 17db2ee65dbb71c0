package credit

import (
	"cmp"
	"slices"

	"tenor/internal/calendar"
)

// Codes of what screening does to a company.
const (
	SanctionsReview  = "sanctions_review"  // ON_HOLD: a name resembles a listed one
	SanctionsMatch   = "sanctions_match"   // SUSPENDED: a person has confirmed it
	SanctionsCleared = "sanctions_cleared" // ON_HOLD: what was confirmed has turned out to be somebody else
)

// Names are the names of a company that are compared with sanctions lists.
func (c *Company) Names() []string {
	if c.LegalName == "" || c.LegalName == c.Name {
		return []string{c.Name}
	}
	return []string{c.Name, c.LegalName}
}

// reportDays is within how many banking days a confirmed match is reported (F29).
const reportDays = 10

// RecordScreening records that names of a company or a merchant resemble entries of a
// sanctions list (F29). Until a person has decided, an approved company is ON_HOLD and
// no money leaves to it or to the merchant. Entries that a person has found to be
// somebody else are left out, and the same again changes nothing. Result is the
// *Screening, or the *Company or *Merchant if there is nothing to decide.
type RecordScreening struct {
	Company  int64    `json:"company_id"` // or
	Merchant string   `json:"merchant_id"`
	List     string   `json:"list"` // its version
	Names    []string `json:"names"`
	Matches  []Match  `json:"matches"`
}

// Name is the command's word in the audit log.
func (RecordScreening) Name() string { return "screening.record" }

// Keys asks for the company or the merchant, then for its review.
func (c RecordScreening) Keys(s *State, _ Env) Keys {
	return subjectKeys(s, c.Company, c.Merchant)
}

func subjectKeys(s *State, company int64, merchant string) Keys {
	var k Keys
	if company != 0 {
		k.Companies = []int64{company}
	} else {
		k.Merchants = []string{merchant}
	}
	if x := s.screened(company, merchant); x != nil && x.Review != "" {
		k.Screenings = []string{x.Review}
	}
	return k
}

// screened is what is kept of screenings of a company or a merchant, nil if it is not
// there.
func (s *State) screened(company int64, merchant string) *Screened {
	if x := s.Companies[company]; company != 0 && x != nil {
		return &x.Servicing.Screened
	}
	if m := s.Merchants[merchant]; company == 0 && m != nil {
		return &m.Account.Screened
	}
	return nil
}

func (c RecordScreening) admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator || s.screened(c.Company, c.Merchant) == nil {
		return NotFound.because("There is no such company or merchant.")
	}
	return nil
}

func (c RecordScreening) decide(s *State, e Env) (Changes, *Rejection) {
	was := s.screened(c.Company, c.Merchant)
	var subject any = s.Companies[c.Company]
	if c.Company == 0 {
		subject = s.Merchants[c.Merchant]
	}
	var known []Match
	if old := s.Screenings[was.Review]; old != nil {
		known = old.Matches
	}
	fresh := slices.DeleteFunc(slices.Clone(c.Matches), func(m Match) bool {
		return slices.Contains(was.Cleared, m.Entry) || slices.ContainsFunc(known, func(k Match) bool { return k.Entry == m.Entry })
	})
	if len(fresh) == 0 {
		return Changes{Result: subject}, nil
	}
	d := newDraft(s, e)
	if was.Review != "" {
		x := d.screened.edit(was.Review)
		x.Matches, x.List, x.Names = bestFirst(slices.Concat(x.Matches, fresh)), c.List, c.Names
		return d.done(x, false), nil
	}
	x := &Screening{
		ID: d.ids.next(prefixScreening), Company: c.Company, Merchant: c.Merchant, List: c.List, Names: c.Names, Matches: bestFirst(fresh),
		Status: ScreeningOpen, OpenedAt: e.Now, ReportBy: calendar.None, Version: 1,
	}
	d.screened.add(x.ID, x)
	d.screenedOf(x).Review = x.ID
	if c.Company != 0 {
		if y := d.companies.edit(c.Company); y.Status == CompanyApproved {
			y.Status, y.StatusCode, y.StatusMessage = CompanyOnHold, SanctionsReview, "A name of the company resembles one on a sanctions list; a person looks into it."
		}
	}
	return d.done(x, true), nil
}

// bestFirst sorts matches by likeness, each entry once.
func bestFirst(list []Match) []Match {
	slices.SortStableFunc(list, func(a, b Match) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Entry, b.Entry)) })
	return slices.CompactFunc(list, func(a, b Match) bool { return a.Entry == b.Entry })
}

// screenedOf is what is kept of screenings with whom one concerns, to be changed.
func (d *draft) screenedOf(x *Screening) *Screened {
	if x.Company != 0 {
		return &d.companies.edit(x.Company).Servicing.Screened
	}
	return &d.merchants.edit(x.Merchant).Account.Screened
}

// DecideScreening is a person's decision on a screening (F29). Confirmed, the company is
// SUSPENDED, and no money of it, or to the merchant, moves. Cleared, its entries are not
// found again, and what the screening had held goes on; after a match that had been
// confirmed the company stays ON_HOLD until a person releases it. Result is the
// *Screening.
type DecideScreening struct {
	Screening string `json:"screening"`
	Confirmed bool   `json:"confirmed"`
	Reason    string `json:"reason"`
}

// Name is the command's word in the audit log.
func (DecideScreening) Name() string { return "screening.decide" }

// Keys asks for the screening, then for whom it concerns.
func (c DecideScreening) Keys(s *State, _ Env) Keys {
	k := Keys{Screenings: []string{c.Screening}}
	if x := s.Screenings[c.Screening]; x != nil {
		subject := subjectKeys(s, x.Company, x.Merchant)
		k.Companies, k.Merchants = subject.Companies, subject.Merchants
	}
	return k
}

func (c DecideScreening) admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator || s.Screenings[c.Screening] == nil {
		return NotFound.because("There is no such screening.")
	}
	return nil
}

func (c DecideScreening) decide(s *State, e Env) (Changes, *Rejection) {
	old, to := s.Screenings[c.Screening], ScreeningCleared
	if c.Confirmed {
		to = ScreeningConfirmed
	}
	switch {
	case old.Status == to:
		return Changes{Result: old}, nil
	case old.Status == ScreeningCleared:
		return Changes{}, InvalidTransition.because("The screening has been cleared; what is found again is a new one.")
	case c.Reason == "":
		return Changes{}, ValidationFailed.because("Say why.")
	}
	d := newDraft(s, e)
	x := d.screened.edit(c.Screening)
	x.Status, x.DecidedAt, x.Reason, x.ReportBy = to, e.Now, c.Reason, calendar.None
	if c.Confirmed {
		x.ReportBy = e.Today().AddBankingDays(reportDays)
		d.screenedOf(x).Stopped = true
		d.stopCompany(x.Company, SanctionsMatch, "A name of the company is on a sanctions list.")
		return d.done(x, false), nil
	}
	of := d.screenedOf(x)
	of.Review, of.Stopped, of.Cleared = "", false, slices.Clone(of.Cleared)
	for _, m := range x.Matches {
		of.Cleared = append(of.Cleared, m.Entry)
	}
	slices.Sort(of.Cleared)
	of.Cleared = slices.Compact(of.Cleared)
	d.goOn(x.Company)
	return d.done(x, false), nil
}

// stopCompany suspends a company for compliance, whatever its status is; one that is
// CLOSED stays so, and its money does not move either.
func (d *draft) stopCompany(company int64, code, message string) {
	if company == 0 {
		return
	}
	c := d.companies.edit(company)
	if c.Status == CompanyClosed {
		c.Servicing.Frozen = code
		return
	}
	was := c.Status
	c.Status, c.StatusCode, c.StatusMessage, c.Servicing.Deep = CompanySuspended, code, message, true
	if was != CompanySuspended {
		d.notice(NoticeSuspension, company, code)
	}
}

// goOn ends what a screening has done to a company.
func (d *draft) goOn(company int64) {
	if company == 0 {
		return
	}
	c := d.companies.edit(company)
	switch {
	case c.Status == CompanyOnHold && c.StatusCode == SanctionsReview:
		c.Status, c.StatusCode, c.StatusMessage = CompanyApproved, "", ""
	case c.Status == CompanySuspended && c.StatusCode == SanctionsMatch:
		c.Status, c.StatusCode, c.StatusMessage = CompanyOnHold, SanctionsCleared, "The match has turned out to be somebody else; a person lets the company buy again."
		c.Servicing.Deep = false
	case c.Servicing.Frozen == SanctionsMatch:
		c.Servicing.Frozen = ""
	}
}

// UnfreezeCompany lets the money of a CLOSED company move again that a compliance
// suspension has stopped (F23). Result is the *Company.
type UnfreezeCompany struct {
	Company int64    `json:"company"`
	IfMatch []string `json:"if_match"`
	Reason  string   `json:"reason"`
}

// Name is the command's word in the audit log.
func (UnfreezeCompany) Name() string { return "company.unfreeze" }

// Keys asks for the company.
func (c UnfreezeCompany) Keys(*State, Env) Keys { return Keys{Companies: []int64{c.Company}} }

func (c UnfreezeCompany) admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator || s.Companies[c.Company] == nil {
		return NotFound.because("There is no such company.")
	}
	return nil
}

func (c UnfreezeCompany) decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Companies[c.Company]
	switch r := matchesVersion(c.IfMatch, old.Version); {
	case r != nil:
		return Changes{}, r
	case old.Servicing.Frozen == "":
		return Changes{Result: old}, nil
	case old.Servicing.Screened.Review != "":
		return Changes{}, screeningOpen(old.Servicing.Screened.Review)
	case c.Reason == "":
		return Changes{}, ValidationFailed.because("Say why.")
	}
	d := newDraft(s, e)
	d.companies.edit(c.Company).Servicing.Frozen = ""
	return d.done(d.companies.peek(c.Company), false), nil
}

// screeningOpen refuses what waits for the decision on a screening.
func screeningOpen(id string) *Rejection {
	return CompanyNotEligible.with("A screening waits for a decision.", map[string]any{"screening_id": id})
}
