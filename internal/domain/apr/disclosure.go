package apr

import "tenor/internal/domain/money"

// Figures are the numbers of a disclosure (F21). All of them come from the rows of the
// schedule, so that what is disclosed is what is collected.
type Figures struct {
	Funding        money.Amount // principal, all of which goes to the merchant
	FinanceCharge  money.Amount // Total less Funding
	APR            Percent
	Total          money.Amount // of all payments
	First          money.Amount // first payment; differs from Payment after an odd first period (F6)
	Payment        money.Amount // the regular payment
	Last           money.Amount
	Count          int          // of payments
	AverageMonthly money.Amount // half_up(Total / TermMonths)
	TermMonths     int
}

// Disclose returns the figures for a schedule as OfSchedule takes it, with its
// errors. A single payment within a month has a term of one month.
func Disclose(principal money.Amount, amounts []money.Amount, timing Timing) (Figures, error) {
	percent, err := OfSchedule(principal, amounts, timing)
	if err != nil {
		return Figures{}, err
	}
	n := len(amounts)
	f := Figures{
		Funding:    principal,
		APR:        percent,
		Total:      money.Sum(amounts...),
		First:      amounts[0],
		Payment:    amounts[0],
		Last:       amounts[n-1],
		Count:      n,
		TermMonths: n,
	}
	if n > 2 {
		f.Payment = amounts[1]
	}
	f.FinanceCharge = f.Total.Sub(principal)
	f.AverageMonthly = money.MulDiv(f.Total, 1, int64(f.TermMonths))
	return f, nil
}
