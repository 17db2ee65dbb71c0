package underwriting

import (
	"cmp"
	"math/big"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// points are the points of every factor, in the order of F27's table. A missing one has 0.
func (p Policy) points(in Inputs, today calendar.Date) []FactorPoints {
	return []FactorPoints{
		{CreditScore, p.scorePoints(in.OwnerScore), p.Scores[len(p.Scores)-1].Points},
		{AnnualRevenue, p.revenuePoints(in.AnnualRevenue), p.Revenues[len(p.Revenues)-1].Points},
		{TimeInBusiness, p.monthsPoints(in.Months(today)), p.Months[len(p.Months)-1].Points},
		{BankBalance, given(in.Bank != nil && in.Bank.AverageBalance >= p.Payment(in.Requested), p.BalancePoints), p.BalancePoints},
		{ReturnedItems, given(in.Bank != nil && in.Bank.ReturnedItems == 0, p.ReturnsPoints), p.ReturnsPoints},
		{BusinessCreditFile, given(in.BusinessFile != nil && in.BusinessFile.Present && in.BusinessFile.Clean, p.FilePoints), p.FilePoints},
	}
}

func given(holds bool, points int) int {
	if holds {
		return points
	}
	return 0
}

// scorePoints are the points of the highest band that a score reaches, 0 if it is missing or
// below the first.
func (p Policy) scorePoints(s Score) (points int) {
	if !s.Valid() {
		return 0
	}
	for _, b := range p.Scores {
		if s.FICO != 0 && s.FICO >= b.From || s.FICO == 0 && s.Scale >= b.Scale {
			points = b.Points
		}
	}
	return points
}

// scoreTooLow reports whether a score exists and is below the first band.
func (p Policy) scoreTooLow(s Score) bool {
	first := p.Scores[0]
	return s.Valid() && (s.FICO != 0 && s.FICO < first.From || s.FICO == 0 && s.Scale < first.Scale)
}

func (p Policy) revenuePoints(revenue money.Amount) (points int) {
	for _, b := range p.Revenues {
		if revenue >= b.From {
			points = b.Points
		}
	}
	return points
}

func (p Policy) monthsPoints(months int) (points int) {
	for _, b := range p.Months {
		if months >= b.From {
			points = b.Points
		}
	}
	return points
}

// Payment is one month's level payment on a limit, by F1 with the policy's rows and rate:
// half_up(P·r / (1 − (1+r)^−n)), which an average bank balance must cover.
func (p Policy) Payment(limit money.Amount) money.Amount {
	if limit <= 0 {
		return 0
	}
	n := int64(p.PaymentRows)
	if p.PaymentRate == 0 {
		return money.MulDiv(limit, 1, n)
	}
	r := big.NewRat(int64(p.PaymentRate), 12*money.RateScale)
	grown := new(big.Rat).Add(big.NewRat(1, 1), r)
	power := big.NewRat(1, 1)
	for range n {
		power.Mul(power, grown)
	}
	// P·r·q / (q − 1) with q = (1+r)^n, the same without a negative power.
	top := new(big.Rat).Mul(r, power)
	top.Mul(top, big.NewRat(int64(limit), 1))
	return money.HalfUp(top.Quo(top, power.Sub(power, big.NewRat(1, 1))))
}

// LimitOf is the limit of F27: the least of the policy's maximum, the requested limit and the
// tier's share of the revenue, rounded down to a step. A result below the policy's
// minimum means no line.
func (p Policy) LimitOf(t Tier, requested, revenue money.Amount) money.Amount {
	limit := max(0, min(p.MaxLimit, requested, shareOf(t, revenue)))
	return limit - limit%p.LimitStep
}

// shareOf is a tier's share of a revenue, rounded down: half a cent must not lift a limit over
// a step.
func shareOf(t Tier, revenue money.Amount) money.Amount {
	x := new(big.Int).Mul(big.NewInt(int64(revenue)), big.NewInt(int64(t.Share)))
	x.Div(x, big.NewInt(money.RateScale))
	if !x.IsInt64() {
		return 1<<63 - 1
	}
	return money.Amount(x.Int64())
}

// Lost are the factors that cost points, most first, ties in table order, at most four (F27).
func Lost(points []FactorPoints) []Reason {
	cost := slices.Clone(points)
	cost = slices.DeleteFunc(cost, func(f FactorPoints) bool { return f.Points >= f.Max })
	slices.SortStableFunc(cost, func(a, b FactorPoints) int { return cmp.Compare(b.Max-b.Points, a.Max-a.Points) })
	var out []Reason
	for _, f := range cost {
		out = append(out, f.Factor)
	}
	return firstFour(out)
}

// whyLess are the reasons why less is granted than requested. If more points would not have
// helped, they are the policy's maximum or its steps instead. A notice always has one (F28).
func (p Policy) whyLess(points []FactorPoints, t Tier, in Inputs) []Reason {
	share := shareOf(t, in.AnnualRevenue)
	switch reasons := Lost(points); {
	case in.Requested > p.MaxLimit && share >= p.MaxLimit:
		return []Reason{LimitMaximum}
	case share >= in.Requested:
		return []Reason{LimitStep}
	case len(reasons) == 0:
		return []Reason{AnnualRevenue}
	default:
		return reasons
	}
}
