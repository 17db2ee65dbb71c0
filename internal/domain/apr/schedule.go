package apr

import "tenor/internal/domain/money"

// Timing is when the payments of a monthly schedule fall, as counted by F20. The zero Timing
// is Regular.
type Timing struct {
	days int // from the first advance to the first payment, 0 for a month
	odd  int // by which the first period is longer or shorter than a month
}

// Regular is a schedule whose due dates are counted in months from the day of the advance
// (F4). Every due date counts as a whole unit-period, whatever the lengths of the months in
// between (F20).
func Regular() Timing { return Timing{} }

// SinglePayment is one payment after a number of days, above 0. The term itself
// is the unit-period: w = 365/days.
func SinglePayment(days int) Timing { return Timing{days: days} }

// OddFirst is a schedule whose first period is oddDays longer than a month, or
// shorter if oddDays is negative; its first payment falls days after the
// advance (F6, F20). Without odd days it is Regular.
func OddFirst(oddDays, days int) Timing {
	if oddDays == 0 {
		return Regular()
	}
	return Timing{days: days, odd: oddDays}
}

// OfSchedule returns the rate of an advance of principal repaid by amounts, one a month in due
// date order. The errors are those of Solve.
func OfSchedule(principal money.Amount, amounts []money.Amount, timing Timing) (Percent, error) {
	if len(amounts) == 1 && timing.days > 0 {
		return single(principal, amounts[0], timing.days)
	}
	var space [36]Flow // the longest term offered
	payments := space[:0]
	whole, fraction := 1, 0.0
	switch {
	case timing.odd > 0:
		fraction = float64(timing.odd) / 30
	case timing.days > 0:
		whole, fraction = 0, float64(timing.days)/30
	}
	for k, a := range amounts {
		payments = append(payments, Flow{a, whole + k, fraction})
	}
	percent, err := Solve([]Flow{{Amount: principal}}, payments, 12)
	if err != nil {
		return 0, err
	}
	return Round(percent), nil
}

// single is the exact rate of one payment: 100 · 365/days · charge/principal.
func single(principal, payment money.Amount, days int) (Percent, error) {
	switch {
	case principal <= 0 || payment <= 0:
		return 0, ErrFlow
	case payment < principal:
		return 0, ErrUndefined
	case payment/(highest+1) >= principal && payment > (highest+1)*principal:
		return 0, ErrTooHigh
	}
	years := money.MulDiv(principal, int64(days), 1) // × 365
	return Percent(money.MulDiv(payment-principal, 365*10_000, int64(years))), nil
}
