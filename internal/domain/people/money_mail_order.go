package people

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// TellStatement notifies a company's owners that the statement of the month that just ended is
// ready, if it has anything to show. It is idempotent. Result is the *Company.
type TellStatement struct {
	Company int64         `json:"company_id"`
	Month   calendar.Date `json:"month"` // its last day
}

func (TellStatement) Name() string { return "company.statement" }

// WritesOwners implements credit.OwnersWriter.
func (TellStatement) WritesOwners(credit.Env) bool { return true }

// Keys requests the company; its people come with it.
func (c TellStatement) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Companies: []int64{c.Company}}
}

func (c TellStatement) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := credit.OwnPages(e); r != nil {
		return r
	}
	if s.Companies[c.Company] == nil {
		return credit.NotFound.Because("There is no such company.")
	}
	return nil
}

func (c TellStatement) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	x := s.Companies[c.Company]
	if c.Month != e.Today().AddMonths(-1).EndOfMonth() {
		return credit.Changes{}, credit.ValidationFailed.Because("Only the statement of the month that just ended can be announced.")
	}
	if !x.StatementDue(e.Zone, c.Month) {
		return credit.Changes{Result: x}, nil
	}
	d := credit.NewDraft(s, e)
	d.Companies.Edit(c.Company).Servicing.Told.Stated = c.Month
	d.TellMoney(c.Company, "statement_ready", "", credit.MaxReturnedMails, map[string]string{"month": c.Month.String()})
	return d.Done(d.Companies.Peek(c.Company), false), nil
}
