package schedule

import (
	"math/big"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// smallestLevel is the smallest level payment of a schedule of several rows (F1).
const smallestLevel money.Amount = 100

// levelPayment returns half_up(P / Σ_k Π_{j≤k} 1/(1+φ_j)), which is F1's closed
// formula when all period rates are equal. The sum is kept as one fraction of
// integers and divided once.
func levelPayment(principal money.Amount, rates []money.Fraction) money.Amount {
	num, den := new(big.Int), big.NewInt(1)
	factor := new(big.Int)
	for k := len(rates) - 1; k >= 0; k-- {
		num.Add(num, den).Mul(num, factor.SetInt64(rates[k].Den))
		den.Mul(den, factor.SetInt64(rates[k].Num+rates[k].Den))
	}
	den.Mul(den, factor.SetInt64(2*int64(principal))).Add(den, num)
	return money.Amount(den.Quo(den, num.Lsh(num, 1)).Int64())
}

// part is the principal and charge of one row before it has a date.
type part struct{ principal, charge money.Amount }

// levelParts splits a level payment into rows (F1, F3). The odd days' charge adjusts the first
// row's charge (F6), not its principal.
func levelParts(principal, level money.Amount, rates []money.Fraction, odd money.Amount) []part {
	parts := make([]part, len(rates))
	balance := principal
	for k, rate := range rates {
		charge := rate.Of(balance)
		pr := level - charge
		if k == len(rates)-1 {
			pr = balance
		}
		if k == 0 {
			charge += odd
		}
		parts[k] = part{pr, charge}
		balance -= pr
	}
	return parts
}

// flatParts returns the level payment and rows of FLAT_FEE (F2).
func flatParts(t Terms) (money.Amount, []part) {
	n := money.Amount(t.Installments)
	fee := money.MulDiv(t.Principal, int64(t.MonthlyFeeRate)*int64(n), money.RateScale)
	level := money.MulDiv(t.Principal+fee, 1, int64(n))
	if t.LevelPayment != 0 {
		level = t.LevelPayment
	}
	pr := money.MulDiv(t.Principal, 1, int64(n))
	parts := make([]part, n)
	for k := range parts {
		parts[k] = part{pr, level - pr}
	}
	last := t.Principal - pr*(n-1)
	parts[n-1] = part{last, t.Principal + fee - level*(n-1) - last}
	return level, parts
}

// rowsOf makes rows of parts, or rejects them (F1).
func rowsOf(level money.Amount, parts []part, dates []calendar.Date) ([]Row, error) {
	if len(parts) > 1 && level < smallestLevel {
		return nil, ErrTerm
	}
	rows := make([]Row, len(parts))
	for k, p := range parts {
		if p.principal < 0 || p.charge < 0 {
			return nil, ErrTerm
		}
		rows[k] = Row{Number: k + 1, DueDate: dates[k], Principal: p.principal, Charge: p.charge, PaidOn: calendar.None}
	}
	return rows, nil
}
