package lending

import (
	"cmp"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// SubjectKeys requests a company or merchant with its open screening.
func SubjectKeys(s *credit.State, company int64, merchant string) credit.Keys {
	var k credit.Keys
	if company != 0 {
		k.Companies = []int64{company}
	} else {
		k.Merchants = []string{merchant}
	}
	if x := Screened(s, company, merchant); x != nil && x.Review != "" {
		k.Screenings = []string{x.Review}
	}
	return k
}

// Screened is the screening state of a company or merchant, nil if it does not exist.
func Screened(s *credit.State, company int64, merchant string) *credit.Screened {
	if x := s.Companies[company]; company != 0 && x != nil {
		return &x.Servicing.Screened
	}
	if m := s.Merchants[merchant]; company == 0 && m != nil {
		return &m.Account.Screened
	}
	return nil
}

// Found records new matches of a comparison that nobody has reviewed, nil if there are none,
// and reports whether that creates a screening or extends the open one.
func Found(d *credit.Draft, company int64, merchant string, f credit.Compared, names []string) (x *credit.Screening, created bool) {
	was := Screened(d.State, company, merchant)
	if was == nil { // a company being created
		was = &credit.Screened{}
	}
	var known []credit.Match
	if old := d.State.Screenings[was.Review]; old != nil {
		known = old.Matches
	}
	fresh := slices.DeleteFunc(slices.Clone(f.Matches), func(m credit.Match) bool {
		return slices.Contains(was.Cleared, m.Entry) || slices.ContainsFunc(known, func(k credit.Match) bool { return k.Entry == m.Entry })
	})
	if len(fresh) == 0 {
		return nil, false
	}
	if was.Review != "" {
		x := d.Screenings.Edit(was.Review)
		x.Matches, x.List, x.Names = bestFirst(slices.Concat(x.Matches, fresh)), f.List, names
		return x, false
	}
	x = &credit.Screening{
		ID: d.IDs.Next(credit.PrefixScreening), Company: company, Merchant: merchant, List: f.List, Names: names, Matches: bestFirst(fresh),
		Status: credit.ScreeningOpen, OpenedAt: d.Env.Now, ReportBy: calendar.None, Version: 1,
	}
	d.Screenings.Add(x.ID, x)
	ScreenedOf(d, x.Company, x.Merchant).Review = x.ID
	if company != 0 {
		d.Companies.Edit(company).HoldForReview()
	}
	return x, true
}

// bestFirst sorts matches by likeness and removes duplicate entries.
func bestFirst(list []credit.Match) []credit.Match {
	slices.SortStableFunc(list, func(a, b credit.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Entry, b.Entry))
	})
	return slices.CompactFunc(list, func(a, b credit.Match) bool { return a.Entry == b.Entry })
}

// ScreenedOf is the screening state of a company or merchant, for changing.
func ScreenedOf(d *credit.Draft, company int64, merchant string) *credit.Screened {
	if company != 0 {
		return &d.Companies.Edit(company).Servicing.Screened
	}
	return &d.Merchants.Edit(merchant).Account.Screened
}
