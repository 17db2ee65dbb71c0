package credit

import (
	"cmp"
	"slices"

	"tenor/internal/domain/calendar"
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

// Names are the names of a merchant that are compared with sanctions lists: its own, and
// that of the holder of its account, if it is another. The holder's is sealed: HolderName
// stands for it.
func (m *Merchant) Names() []string {
	switch b := m.Account.Bank; {
	case b != nil && b.Holder != "":
		return []string{m.Name, HolderName(b.Holder)}
	case b != nil && b.HolderName != "" && b.HolderName != m.Name:
		return []string{m.Name, b.HolderName}
	}
	return []string{m.Name}
}

// reportDays is within how many banking days a confirmed match is reported (F29).
const reportDays = 10

// RecordScreening records that names of a company or a merchant resemble entries of a
// sanctions list (F29). Until a person has decided, an approved company is ON_HOLD and
// no money leaves to it or to the merchant. Entries that a person has found to be
// somebody else are left out, and the same again changes nothing. Names are those that
// were compared: if they are still all that it has, it counts as screened, and what
// waited for that goes on. Result is the *Screening, or the *Company or *Merchant if
// there is nothing to decide.
type RecordScreening struct {
	Company  int64    `json:"company_id"` // or
	Merchant string   `json:"merchant_id"`
	List     string   `json:"list"` // its version
	Names    []string `json:"names"`
	Matches  []Match  `json:"matches"`
}

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

func (c RecordScreening) Admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator || s.screened(c.Company, c.Merchant) == nil {
		return NotFound.Because("There is no such company or merchant.")
	}
	return nil
}

func (c RecordScreening) Decide(s *State, e Env) (Changes, *Rejection) {
	d := NewDraft(s, e)
	subject, names := d.subject(c.Company, c.Merchant)
	screened := s.screened(c.Company, c.Merchant).Unscreened && slices.Equal(c.Names, names)
	if screened {
		d.screenedOf(c.Company, c.Merchant).Unscreened = false
	}
	x, created := d.found(c)
	switch {
	case x != nil:
		return d.Done(x, created), nil
	case !screened:
		return Changes{Result: subject}, nil
	case s.screened(c.Company, c.Merchant).Review == "":
		d.goOn(c.Company) // what was cleared while a name had not been compared yet
	}
	subject, _ = d.subject(c.Company, c.Merchant)
	return d.Done(subject, false), nil
}

// subject is a company or a merchant as it stands, with its names.
func (d *Draft) subject(company int64, merchant string) (any, []string) {
	if company != 0 {
		x := d.Companies.Peek(company)
		return x, x.Names()
	}
	m := d.Merchants.Peek(merchant)
	return m, m.Names()
}

// found records what a comparison has found and nobody has looked at, nil if that is
// nothing; and whether it makes a screening, or goes into the one that waits.
func (d *Draft) found(c RecordScreening) (x *Screening, created bool) {
	was := d.State.screened(c.Company, c.Merchant)
	if was == nil { // a company that is being made
		was = &Screened{}
	}
	var known []Match
	if old := d.State.Screenings[was.Review]; old != nil {
		known = old.Matches
	}
	fresh := slices.DeleteFunc(slices.Clone(c.Matches), func(m Match) bool {
		return slices.Contains(was.Cleared, m.Entry) || slices.ContainsFunc(known, func(k Match) bool { return k.Entry == m.Entry })
	})
	if len(fresh) == 0 {
		return nil, false
	}
	if was.Review != "" {
		x := d.Screenings.Edit(was.Review)
		x.Matches, x.List, x.Names = bestFirst(slices.Concat(x.Matches, fresh)), c.List, c.Names
		return x, false
	}
	x = &Screening{
		ID: d.IDs.Next(prefixScreening), Company: c.Company, Merchant: c.Merchant, List: c.List, Names: c.Names, Matches: bestFirst(fresh),
		Status: ScreeningOpen, OpenedAt: d.Env.Now, ReportBy: calendar.None, Version: 1,
	}
	d.Screenings.Add(x.ID, x)
	d.screenedOf(x.Company, x.Merchant).Review = x.ID
	if c.Company != 0 {
		d.Companies.Edit(c.Company).holdForReview()
	}
	return x, true
}

// holdForReview keeps an APPROVED company from buying while a screening of it waits for a
// person (F29).
func (c *Company) holdForReview() {
	if c.Status == CompanyApproved && c.Servicing.Screened.Review != "" {
		c.Status, c.StatusCode, c.StatusMessage = CompanyOnHold, SanctionsReview, "A name of the company resembles one on a sanctions list; a person looks into it."
	}
}

// bestFirst sorts matches by likeness, each entry once.
func bestFirst(list []Match) []Match {
	slices.SortStableFunc(list, func(a, b Match) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Entry, b.Entry)) })
	return slices.CompactFunc(list, func(a, b Match) bool { return a.Entry == b.Entry })
}

// screenedOf is what is kept of screenings with a company or a merchant, to be changed.
func (d *Draft) screenedOf(company int64, merchant string) *Screened {
	if company != 0 {
		return &d.Companies.Edit(company).Servicing.Screened
	}
	return &d.Merchants.Edit(merchant).Account.Screened
}

// DecideScreening is a person's decision on a screening (F29). Confirmed, the company is
// SUSPENDED, and no money of it, or to the merchant, moves. Cleared, its entries are not
// found again, and what the screening had held goes on: at once, or when every name that
// it has by now has been compared. After a match that had been confirmed the company
// stays ON_HOLD until a person releases it. Result is the *Screening.
type DecideScreening struct {
	Screening string   `json:"screening"`
	IfMatch   []string `json:"if_match,omitzero"` // versions in quotes; nil: any
	Confirmed bool     `json:"confirmed"`
	Reason    string   `json:"reason"`
}

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

func (c DecideScreening) Admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator || s.Screenings[c.Screening] == nil {
		return NotFound.Because("There is no such screening.")
	}
	return nil
}

func (c DecideScreening) Decide(s *State, e Env) (Changes, *Rejection) {
	old, to := s.Screenings[c.Screening], ScreeningCleared
	if c.Confirmed {
		to = ScreeningConfirmed
	}
	switch r := MatchVersion(c.IfMatch, old.Version); {
	case r != nil:
		return Changes{}, r
	case old.Status == to:
		return Changes{Result: old}, nil
	case old.Status == ScreeningCleared:
		return Changes{}, InvalidTransition.Because("The screening was cleared. A new match opens a new screening.")
	case c.Reason == "":
		return Changes{}, ValidationFailed.Because("Say why.")
	}
	d := NewDraft(s, e)
	x := d.Screenings.Edit(c.Screening)
	x.Status, x.DecidedAt, x.Reason, x.ReportBy = to, e.Now, c.Reason, calendar.None
	if c.Confirmed {
		x.ReportBy = e.Today().AddBankingDays(reportDays)
		d.screenedOf(x.Company, x.Merchant).Stopped = true
		d.stopCompany(x.Company, SanctionsMatch, "A name of the company is on a sanctions list.")
		return d.Done(x, false), nil
	}
	of := d.screenedOf(x.Company, x.Merchant)
	of.Review, of.Stopped, of.Cleared = "", false, slices.Clone(of.Cleared)
	for _, m := range x.Matches {
		of.Cleared = append(of.Cleared, m.Entry)
	}
	slices.Sort(of.Cleared)
	of.Cleared = slices.Compact(of.Cleared)
	d.goOn(x.Company)
	return d.Done(x, false), nil
}

// stopCompany suspends a company for compliance, whatever its status is; one that is
// CLOSED stays so, and its money does not move either.
func (d *Draft) stopCompany(company int64, code, message string) {
	if company == 0 {
		return
	}
	c := d.Companies.Edit(company)
	if c.Status == CompanyClosed {
		c.Servicing.Frozen = code
		return
	}
	told := c.Status == CompanySuspended && dutiful(c.delinquent(), []string{c.StatusCode})
	c.Status, c.StatusCode, c.StatusMessage, c.Servicing.ManualRelease = CompanySuspended, code, message, true
	if !told {
		d.notice(NoticeSuspension, company, code)
	}
}

// goOn ends what a screening has done to a company.
func (d *Draft) goOn(company int64) {
	if company == 0 {
		return
	}
	c := d.Companies.Edit(company)
	switch {
	case underSanctions(c) && c.Servicing.Screened.Unscreened: // the next comparison lets it go on, or finds its new name
	case underSanctions(c):
		c.Status, c.StatusCode, c.StatusMessage = CompanyApproved, "", ""
	case c.Status == CompanySuspended && c.StatusCode == SanctionsMatch:
		c.Status, c.StatusCode, c.StatusMessage = CompanyOnHold, SanctionsCleared, "The match has turned out to be somebody else; a person lets the company buy again."
		c.Servicing.ManualRelease = false
	case c.Servicing.Frozen == SanctionsMatch:
		c.Servicing.Frozen = ""
	}
}

// underSanctions reports that a company is held because a name of it is looked into.
func underSanctions(c *Company) bool {
	return c.Status == CompanyOnHold && c.StatusCode == SanctionsReview
}

// UnfreezeCompany lets the money of a CLOSED company move again that a compliance
// suspension has stopped (F23). Result is the *Company.
type UnfreezeCompany struct {
	Company int64    `json:"company"`
	IfMatch []string `json:"if_match"`
	Reason  string   `json:"reason"`
}

func (UnfreezeCompany) Name() string { return "company.unfreeze" }

// Keys asks for the company.
func (c UnfreezeCompany) Keys(*State, Env) Keys { return Keys{Companies: []int64{c.Company}} }

func (c UnfreezeCompany) Admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator || s.Companies[c.Company] == nil {
		return NotFound.Because("There is no such company.")
	}
	return nil
}

func (c UnfreezeCompany) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Companies[c.Company]
	switch r := MatchVersion(c.IfMatch, old.Version); {
	case r != nil:
		return Changes{}, r
	case old.Servicing.Frozen == "":
		return Changes{Result: old}, nil
	case old.Servicing.Screened.Review != "":
		return Changes{}, screeningOpen(old.Servicing.Screened.Review)
	case c.Reason == "":
		return Changes{}, ValidationFailed.Because("Say why.")
	}
	d := NewDraft(s, e)
	d.Companies.Edit(c.Company).Servicing.Frozen = ""
	return d.Done(d.Companies.Peek(c.Company), false), nil
}

// screeningOpen refuses what waits for the decision on a screening.
func screeningOpen(id string) *Rejection {
	return CompanyNotEligible.With("A sanctions screening is waiting for a decision.", map[string]any{"screening_id": id})
}
