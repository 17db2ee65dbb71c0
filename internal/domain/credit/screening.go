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

// SubjectKeys asks for a company or a merchant with the screening of it that is open.
func SubjectKeys(s *State, company int64, merchant string) Keys {
	var k Keys
	if company != 0 {
		k.Companies = []int64{company}
	} else {
		k.Merchants = []string{merchant}
	}
	if x := s.Screened(company, merchant); x != nil && x.Review != "" {
		k.Screenings = []string{x.Review}
	}
	return k
}

// Screened is what is kept of screenings of a company or a merchant, nil if it is not
// there.
func (s *State) Screened(company int64, merchant string) *Screened {
	if x := s.Companies[company]; company != 0 && x != nil {
		return &x.Servicing.Screened
	}
	if m := s.Merchants[merchant]; company == 0 && m != nil {
		return &m.Account.Screened
	}
	return nil
}

// Found records what a comparison has found and nobody has looked at, nil if that is
// nothing; and whether it makes a screening, or goes into the one that waits.
func (d *Draft) Found(company int64, merchant string, f Compared, names []string) (x *Screening, created bool) {
	was := d.State.Screened(company, merchant)
	if was == nil { // a company that is being made
		was = &Screened{}
	}
	var known []Match
	if old := d.State.Screenings[was.Review]; old != nil {
		known = old.Matches
	}
	fresh := slices.DeleteFunc(slices.Clone(f.Matches), func(m Match) bool {
		return slices.Contains(was.Cleared, m.Entry) || slices.ContainsFunc(known, func(k Match) bool { return k.Entry == m.Entry })
	})
	if len(fresh) == 0 {
		return nil, false
	}
	if was.Review != "" {
		x := d.Screenings.Edit(was.Review)
		x.Matches, x.List, x.Names = bestFirst(slices.Concat(x.Matches, fresh)), f.List, names
		return x, false
	}
	x = &Screening{
		ID: d.IDs.Next(prefixScreening), Company: company, Merchant: merchant, List: f.List, Names: names, Matches: bestFirst(fresh),
		Status: ScreeningOpen, OpenedAt: d.Env.Now, ReportBy: calendar.None, Version: 1,
	}
	d.Screenings.Add(x.ID, x)
	d.ScreenedOf(x.Company, x.Merchant).Review = x.ID
	if company != 0 {
		d.Companies.Edit(company).holdForReview()
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

// ScreenedOf is what is kept of screenings with a company or a merchant, to be changed.
func (d *Draft) ScreenedOf(company int64, merchant string) *Screened {
	if company != 0 {
		return &d.Companies.Edit(company).Servicing.Screened
	}
	return &d.Merchants.Edit(merchant).Account.Screened
}

// UnderSanctions reports that a company is held because a name of it is looked into.
func UnderSanctions(c *Company) bool {
	return c.Status == CompanyOnHold && c.StatusCode == SanctionsReview
}

// ScreeningWaits refuses what waits for the decision on a screening.
func ScreeningWaits(id string) *Rejection {
	return CompanyNotEligible.With("A screening waits for a decision.", map[string]any{"screening_id": id})
}
