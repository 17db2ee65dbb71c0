package sim

import (
	"math/big"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// The plans by name.
const (
	net30     = "NET30"
	zero      = "ZERO"
	amortized = "AMORTIZED"
	flatFee   = "FLAT_FEE"
)

// halfUp is num/den rounded to the nearest, ties away from zero, for num ≥ 0.
func halfUp(num, den int64) int64 { return (2*num + den) / (2 * den) }

// halfUpBig is halfUp of a·b/den without overflow.
func halfUpBig(a, b, den int64) int64 {
	num := new(big.Int).Mul(big.NewInt(2*a), big.NewInt(b))
	num.Add(num, big.NewInt(den))
	return num.Div(num, big.NewInt(2*den)).Int64()
}

// term is what an order's program charges for its number of installments.
// Rates are millionths.
type term struct {
	plan         string
	n            int
	annual, fee  int64
	discountRate int64
	tier         string
	unfunded     bool
}

// termOf finds a program's term; false if it is not offered (F30, F33).
func termOf(s *credit.Settings, n int, tier string, external bool) (term, bool) {
	for _, t := range s.Terms {
		if t.Installments != n {
			continue
		}
		found := term{plan: string(t.Plan), n: n, annual: int64(t.AnnualRate), fee: int64(t.MonthlyFeeRate), discountRate: int64(t.DiscountRate), tier: tier}
		if t.ByTier {
			found.annual = int64(s.TierRates[tier])
		}
		if external && s.ExternalFunding == credit.Unfunded {
			found = term{plan: zero, n: n, tier: tier, unfunded: true}
			if t.Plan == net30 {
				found.plan = net30
			}
		}
		return found, true
	}
	return term{}, false
}

// plain reports whether the model computes the plan's loans to the cent.
func (t term) plain() bool { return t.plan == zero || t.plan == net30 }

// possible reports whether an amount can be repaid on these terms: no part of a row is negative,
// and a level payment over several rows is at least 1.00 (F1–F3).
func (t term) possible(amount int64) bool {
	principal, charge := t.rows(amount)
	if t.n > 1 && principal[0]+charge[0] < 100 {
		return false
	}
	for k := range principal {
		if principal[k] < 0 || charge[k] < 0 {
			return false
		}
	}
	return true
}

// rows are the parts of the first schedule.
func (t term) rows(amount int64) (principal, charge []int64) {
	principal, charge = make([]int64, t.n), make([]int64, t.n)
	n := int64(t.n)
	if t.plan == flatFee {
		fee := halfUpBig(amount, t.fee*n, 1_000_000)
		level, part := halfUp(amount+fee, n), halfUp(amount, n)
		for k := range principal {
			principal[k], charge[k] = part, level-part
		}
		principal[n-1] = amount - part*(n-1)
		charge[n-1] = amount + fee - level*(n-1) - principal[n-1]
		return principal, charge
	}
	level, left, rate := t.level(amount), amount, t.annual
	if t.plan != amortized {
		rate = 0
	}
	for k := range principal {
		charge[k] = halfUpBig(left, rate, 12_000_000)
		principal[k] = level - charge[k]
		if k == len(principal)-1 {
			principal[k] = left
		}
		left -= principal[k]
	}
	return principal, charge
}

// level is P·i / (1 − (1+i)^−n) to the cent, P/n without interest.
func (t term) level(amount int64) int64 {
	if t.annual == 0 || t.plan != amortized {
		return halfUp(amount, int64(t.n))
	}
	i := big.NewRat(t.annual, 12_000_000)
	growth := big.NewRat(1, 1)
	for range t.n {
		growth.Mul(growth, new(big.Rat).Add(big.NewRat(1, 1), i))
	}
	l := new(big.Rat).Mul(big.NewRat(amount, 1), i)
	l.Mul(l, growth)
	l.Quo(l, growth.Sub(growth, big.NewRat(1, 1)))
	l.Add(l, big.NewRat(1, 2))
	return new(big.Int).Div(l.Num(), l.Denom()).Int64()
}

// due is the k-th due date of a capture, always from the anchor (F4).
func (t term) due(captured calendar.Date, k int) calendar.Date {
	if t.plan == net30 {
		return captured + 30
	}
	year, month, day := captured.Civil()
	months := year*12 + int(month) - 1 + k
	first := calendar.Of(months/12, time.Month(months%12+1), 1)
	last := calendar.Of((months+1)/12, time.Month((months+1)%12+1), 1) - 1
	return min(first+calendar.Date(day-1), last)
}
