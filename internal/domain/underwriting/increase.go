package underwriting

import (
	"math/big"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// increase lists which conditions of F26 a higher line does not meet. Each of them leaves the
// decision to a person.
func (p Policy) increase(in Inputs, today calendar.Date) []string {
	l := in.Line
	if l == nil {
		return []string{"The line that is to be raised is not known."}
	}
	var why []string
	for _, c := range []struct {
		unmet bool
		text  string
	}{
		{in.Requested <= l.Limit, "No more is asked for than the line that there is."},
		{l.WorstDPD >= p.IncreaseDPD, "An order is past due."},
		{l.PaidInstallments < p.IncreaseInstallments, "Too few installments are paid."},
		{l.OpenedOn == calendar.None || l.OpenedOn.DaysUntil(today) < p.IncreaseAge, "The line is too young."},
		{!above(l.Used, l.Limit, p.IncreaseUse), "Too little of the line is used."},
		{in.BureauOn == calendar.None || in.BureauOn.DaysUntil(today) >= p.IncreaseBureauDays, "The bureau's data are too old."},
		{above(in.Requested-l.LowestLimit, l.LowestLimit, p.IncreaseShare), "More is asked for than a line may rise by at once."},
	} {
		if c.unmet {
			why = append(why, c.text)
		}
	}
	return why
}

// above reports part > share × whole, exactly.
func above(part, whole money.Amount, share money.Rate) bool {
	left := new(big.Int).Mul(big.NewInt(int64(part)), big.NewInt(money.RateScale))
	right := new(big.Int).Mul(big.NewInt(int64(whole)), big.NewInt(int64(share)))
	return left.Cmp(right) > 0
}
