// Package apr computes the annual percentage rate by the actuarial method of
// Regulation Z, Appendix J (F19, F20), and the figures of a disclosure (F21).
//
// It is the only package that calculates in binary floating point. A rate never
// flows back into money: a Percent is shown, compared with a bound, and stored.
package apr

import (
	"errors"
	"math"

	"tenor/internal/domain/money"
)

// Percent is a rate of a year in hundredths of a percent: 1200 is 12.00 %.
type Percent int64

// String writes the percentage with two decimals and no sign: "12.00".
func (p Percent) String() string { return money.Amount(p).String() }

// Rate returns the percentage as a fraction: 12.00 % is 0.120000.
func (p Percent) Rate() money.Rate { return money.Rate(p) * (money.RateScale / 10_000) }

// ErrUndefined means that no rate exists (apr_undefined): the payments are less than the
// advances, or one side is empty.
var ErrUndefined = errors.New("apr: payments are less than advances")

// ErrTooHigh means that the rate is above 1,000 % per unit-period, where the method stops
// searching.
var ErrTooHigh = errors.New("apr: rate above 1000 % per unit-period")

// ErrFlow means that a flow has no positive amount, or is before the first advance.
var ErrFlow = errors.New("apr: flow without positive amount, or before the first advance")

// Flow is one advance or one payment.
type Flow struct {
	Amount   money.Amount
	Periods  int     // whole unit-periods since the first advance: q, t
	Fraction float64 // of a unit-period before them, at simple interest: e, f
}

const (
	highest  = 10    // per unit-period
	residual = 1e-5  // of the unit of currency, when a rate is found
	relative = 1e-12 // of the advances, where float64 cannot hold residual
	step     = 1e-14 // of 1 + i: the last step of Newton's method
)

// Solve returns the annual percentage rate, 100·w·i and not rounded, for w
// unit-periods in a year. i is the rate of one unit-period at which advances and
// payments are worth the same:
//
//	Σ A / ((1 + e·i)(1 + i)^q) = Σ P / ((1 + f·i)(1 + i)^t)
//
// The fraction bears simple interest, and i is multiplied, never compounded
// (F19). Equal sums give 0. The errors are ErrUndefined, ErrTooHigh and ErrFlow.
func Solve(advances, payments []Flow, unitsPerYear float64) (float64, error) {
	lent, err := sum(advances)
	if err != nil {
		return 0, err
	}
	paid, err := sum(payments)
	switch {
	case err != nil:
		return 0, err
	case lent == 0 || paid < lent:
		return 0, ErrUndefined
	case paid == lent:
		return 0, nil
	}
	i, err := root(advances, payments, math.Max(residual, relative*float64(lent)/100))
	return 100 * unitsPerYear * i, err
}

// Round returns a rate as displayed: two decimals, half up (F19). A rate that is a tie in
// exact arithmetic may come out of Solve a trace below it; the trace is far smaller than the
// effect of a cent.
func Round(percent float64) Percent {
	const trace = 1e-8
	return Percent(math.Floor(percent*100 + 0.5 + trace))
}

func sum(flows []Flow) (money.Amount, error) {
	total := money.Amount(0)
	for _, f := range flows {
		if f.Amount <= 0 || f.Periods < 0 || !(f.Fraction >= 0) {
			return 0, ErrFlow
		}
		total = total.Add(f.Amount)
	}
	return total, nil
}

// root finds i in [0, highest] by Newton's method inside a bracket that every step narrows.
// From 0 the steps never overshoot if one advance comes before all payments, because the value
// of the payments is then convex. A step that would leave the bracket is replaced by its
// midpoint, so that any flows converge.
func root(advances, payments []Flow, tolerance float64) (float64, error) {
	lo, hi := 0.0, float64(highest)
	if top, _ := gap(advances, payments, hi); top >= tolerance {
		return 0, ErrTooHigh
	}
	i := lo
	for range 200 {
		g, slope := gap(advances, payments, i)
		if g > 0 {
			lo = i
		} else {
			hi = i
		}
		next := i - g/slope
		if !(next >= lo && next <= hi) { // also when slope is 0
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-i) <= step*(1+i) {
			if g, _ := gap(advances, payments, next); math.Abs(g) < tolerance {
				return next, nil
			}
			break
		}
		i = next
	}
	return bisect(advances, payments, tolerance)
}

// bisect is the method exactly as in F19, for flows on which Newton's method does not
// converge.
func bisect(advances, payments []Flow, tolerance float64) (float64, error) {
	lo, hi := 0.0, float64(highest)
	for range 100 {
		mid := lo + (hi-lo)/2
		if g, _ := gap(advances, payments, mid); g > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	if g, _ := gap(advances, payments, hi); math.Abs(g) >= tolerance {
		return 0, ErrUndefined
	}
	return hi, nil
}

// gap returns the worth of the payments less that of the advances at rate i, in
// units of currency, and its slope.
func gap(advances, payments []Flow, i float64) (value, slope float64) {
	pv, ps := worth(payments, i)
	av, as := worth(advances, i)
	return pv - av, ps - as
}

// worth returns the present value of flows at rate i and its slope. Flows one
// unit-period apart share their powers, which makes schedules cheap.
func worth(flows []Flow, i float64) (value, slope float64) {
	v := 1 / (1 + i)
	power, at := 1.0, 0 // power = v^at
	for _, f := range flows {
		switch f.Periods {
		case at:
		case at + 1:
			power *= v
		default:
			power = math.Pow(v, float64(f.Periods))
		}
		at = f.Periods
		present, decline := float64(f.Amount)/100*power, float64(at)*v
		if f.Fraction != 0 {
			simple := 1 / (1 + f.Fraction*i)
			present *= simple
			decline += f.Fraction * simple
		}
		value += present
		slope -= present * decline
	}
	return value, slope
}
