package httpapi

import (
	"errors"

	"tenor/internal/money"
	"tenor/internal/store"
	"tenor/internal/underwriting"
	"tenor/internal/wire"
)

type prequalificationBody struct {
	FICO          *int             `json:"owner_score" minimum:"300" maximum:"850" doc:"FICO score of the owner, as the owner knows it." example:"720"`
	AnnualRevenue *money.Amount    `json:"annual_revenue" doc:"Annual revenue." example:"300000.00"`
	Months        *int             `json:"months_in_business" minimum:"0" maximum:"12000" doc:"Months since the business was formed." example:"60"`
	Bank          *bankFiguresBody `json:"bank" doc:"Figures of the business's account; its balance counts with a requested_limit."`
	Requested     *money.Amount    `json:"requested_limit" minimum:"500.00" doc:"The line that would be asked for." example:"10000.00"`
}

func (s *Service) prequalify(c *Call, _ *None, b *prequalificationBody) (Answer, error) {
	g := underwriting.Given{AnnualRevenue: b.AnnualRevenue, Months: b.Months, Requested: b.Requested}
	if b.FICO != nil {
		g.Score = &underwriting.Score{FICO: *b.FICO}
	}
	if k := b.Bank; k != nil {
		g.Bank = &underwriting.Bank{AverageBalance: k.AverageBalance, ReturnedItems: k.ReturnedItems}
	}
	x, err := underwriting.Prequalify(underwriting.Default(), g)
	if errors.Is(err, underwriting.ErrNothingGiven) {
		return Answer{}, Invalid("/annual_revenue", "required", "Give at least one factor that has points: a score, a revenue, an age or figures of a bank.")
	}
	if err != nil {
		return Answer{}, err
	}
	w := wire.NewPrequalification(x)
	return s.read(c, func(store.View) (Answer, error) { return OK(&w), nil })
}
