package credit

import "cmp"

// Retention is for how long what is personal is kept. Zero is the usual time of each.
//
// The settings that hold when something is looked at decide: a longer time keeps all that is
// still there, from the day on which it is set; a shorter one erases what is decided from
// then on that much sooner, and what is there already on the day that was planned for it.
type Retention struct {
	Drafts            int `json:"draft_days,omitzero"`              // what was typed and not sent
	Documents         int `json:"document_months,omitzero"`         // uploads, after the decision
	Applications      int `json:"application_months,omitzero"`      // what was said of people, after the decision
	Prequalifications int `json:"prequalification_months,omitzero"` // after the answer
	Owners            int `json:"owner_months,omitzero"`            // of an approved company, after it is closed
}

// UsualRetention is what holds unless the lender sets something else.
func UsualRetention() Retention {
	return Retention{Drafts: 30, Documents: 12, Applications: 25, Prequalifications: 12, Owners: 60}
}

// On is the times with what is set of x in their place.
func (r Retention) On(x Retention) Retention {
	return Retention{
		Drafts: cmp.Or(x.Drafts, r.Drafts), Documents: cmp.Or(x.Documents, r.Documents), Applications: cmp.Or(x.Applications, r.Applications),
		Prequalifications: cmp.Or(x.Prequalifications, r.Prequalifications), Owners: cmp.Or(x.Owners, r.Owners),
	}
}

// Kept is for how long what is personal is kept.
func (s *LenderSettings) Kept() Retention { return UsualRetention().On(s.Retention) }
