package compliance

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/permit"
)

// Guards say which permission of the lender's staff each command takes; see credit.Guarded.

// Guard implements credit.Guarded.
func (c SetLender) Guard(*credit.State) credit.Guard {
	return credit.Guard{Permission: permit.Settings, Of: credit.ObjectRef{Type: "lender", ID: credit.TheLender}}
}

// Guard implements credit.Guarded.
func (c MoveFunding) Guard(*credit.State) credit.Guard {
	return credit.Guard{Permission: permit.Post, Amount: c.Amount}
}

// Guard implements credit.Guarded.
func (c ClosePeriod) Guard(*credit.State) credit.Guard {
	return credit.Guard{Permission: permit.Post, Of: credit.ObjectRef{Type: "period", ID: c.Month.String()[:7]}}
}

// Guard implements credit.Guarded.
func (c DecideScreening) Guard(*credit.State) credit.Guard {
	return credit.Guard{Permission: permit.HoldCompanies, Of: credit.ObjectRef{Type: "screening", ID: c.Screening}}
}

// Guard implements credit.Guarded: whoever reads says so.
func (RecordRead) Guard(*credit.State) credit.Guard {
	return credit.Guard{Permission: permit.Read, Second: credit.Never}
}

// Guard implements credit.Guarded.
func (c UnfreezeCompany) Guard(s *credit.State) credit.Guard {
	return lending.GuardCompany(s, c.Company, permit.HoldCompanies, 0)
}
