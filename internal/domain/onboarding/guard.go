package onboarding

import (
	"strconv"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
)

// Guards say which permission of the lender's staff each command takes; see credit.Guarded.

// Guard implements credit.Guarded.
func (c DecideApplication) Guard(s *credit.State) credit.Guard {
	g := guard(s, c.Application, permit.DecideCredit)
	if c.Approve {
		g.Amount = c.Limit
	}
	return g
}

// Guard implements credit.Guarded.
func (c RequestInformation) Guard(s *credit.State) credit.Guard {
	return guard(s, c.Application, permit.Assist)
}

// Guard implements credit.Guarded.
func (c AssignApplication) Guard(s *credit.State) credit.Guard {
	return guard(s, c.Application, permit.Assist)
}

// guard is a guard on an application, which rests on its version.
func guard(s *credit.State, application string, p permit.Permission) credit.Guard {
	g := credit.Guard{Permission: p, Of: credit.ObjectRef{Type: string(credit.NounApplication), ID: application}}
	if x := s.Application(application); x != nil {
		g.Basis = "version " + strconv.Itoa(x.Version)
	}
	return g
}
