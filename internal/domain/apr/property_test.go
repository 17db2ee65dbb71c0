package apr

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

func drawAmounts(t *rapid.T, n int) []money.Amount {
	list := make([]money.Amount, n)
	for i := range list {
		list[i] = money.Amount(rapid.Int64Range(1, 100_000_000).Draw(t, "amount"))
	}
	return list
}

func drawTiming(t *rapid.T) Timing {
	switch rapid.IntRange(0, 3).Draw(t, "timing") {
	case 0:
		return SinglePayment(rapid.IntRange(1, 366).Draw(t, "days"))
	case 1:
		odd := rapid.IntRange(-11, 21).Draw(t, "odd days")
		return OddFirst(odd, 31+odd)
	}
	return Regular()
}

// amortize builds the rows of F1 on its own, with exact rationals.
func amortize(principal money.Amount, annual money.Rate, n int) []money.Amount {
	i := new(big.Rat).Quo(big.NewRat(int64(annual), money.RateScale), big.NewRat(12, 1))
	factor, power := new(big.Rat), big.NewRat(1, 1) // Σ (1+i)^−k
	down := new(big.Rat).Inv(new(big.Rat).Add(i, big.NewRat(1, 1)))
	for range n {
		power.Mul(power, down)
		factor.Add(factor, power)
	}
	charge := func(balance money.Amount) money.Amount {
		return money.HalfUp(new(big.Rat).Mul(big.NewRat(int64(balance), 1), i))
	}
	payment := money.HalfUp(factor.Quo(big.NewRat(int64(principal), 1), factor))
	rows := make([]money.Amount, n)
	balance := principal
	for k := range n - 1 {
		rows[k] = payment
		balance -= payment - charge(balance)
	}
	rows[n-1] = balance + charge(balance)
	return rows
}

// F40.10: without odd days, AMORTIZED is its annual rate within 0.02 points.
func TestAmortizedRateIsAnnualRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		principal := money.Amount(rapid.Int64Range(500_00, int64(money.Max)).Draw(t, "principal"))
		annual := money.Rate(rapid.Int64Range(0, 600_000).Draw(t, "annual rate"))
		n := rapid.IntRange(1, 36).Draw(t, "installments")
		got, err := OfSchedule(principal, amortize(principal, annual, n), Regular())
		if err != nil {
			t.Fatal(err)
		}
		if off := int64(got) - (int64(annual)+50)/100; off < -2 || off > 2 {
			t.Errorf("rate %s for an annual rate of %s", got, annual)
		}
	})
}

// F40.10: a higher charge never lowers the rate.
func TestRateNeverFallsWithTheCharge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payments := drawAmounts(t, rapid.IntRange(1, 36).Draw(t, "installments"))
		total := int64(money.Sum(payments...))
		principal := money.Amount(rapid.Int64Range(max(1, total/5), total).Draw(t, "principal"))
		timing := drawTiming(t)
		less, err := OfSchedule(principal, payments, timing)
		if errors.Is(err, ErrTooHigh) {
			t.Skip("above the bound")
		}
		if err != nil {
			t.Fatal(err)
		}
		dearer := slices.Clone(payments)
		dearer[rapid.IntRange(0, len(dearer)-1).Draw(t, "row")] += money.Amount(rapid.Int64Range(1, 10_000).Draw(t, "more charge"))
		more, err := OfSchedule(principal, dearer, timing)
		if err != nil && !errors.Is(err, ErrTooHigh) {
			t.Fatal(err)
		}
		if err == nil && more < less {
			t.Errorf("rate %s with more charge, %s with less", more, less)
		}
	})
}

// The fast search and bisection as in F19 find the same rate, and both sides have the same
// value at it.
func TestSolveAgreesWithBisection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flows := func(label string, n, last int) []Flow {
			list := make([]Flow, n)
			for i, a := range drawAmounts(t, n) {
				list[i] = Flow{a, rapid.IntRange(0, last).Draw(t, label), rapid.SampledFrom([]float64{0, 8. / 14, 19. / 30, 1}).Draw(t, "fraction")}
			}
			return list
		}
		advances := flows("advance", rapid.IntRange(1, 3).Draw(t, "advances"), 2)
		payments := flows("payment", rapid.IntRange(1, 40).Draw(t, "payments"), 60)
		percent, err := Solve(advances, payments, 12)
		if errors.Is(err, ErrUndefined) || errors.Is(err, ErrTooHigh) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		i := percent / 1200
		lent, _ := sum(advances)
		if g, _ := gap(advances, payments, i); math.Abs(g) > math.Max(residual, relative*float64(lent)/100) {
			t.Errorf("at %v one side is worth %v more", i, g)
		}
		lo, hi := 0.0, 10.0
		for hi-lo >= 1e-12 {
			mid := lo + (hi-lo)/2
			if g, _ := gap(advances, payments, mid); g > 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		// If an advance follows a payment there may be more than one rate.
		ordered := true
		for _, p := range payments {
			ordered = ordered && p.Periods > 3
		}
		if ordered && math.Abs(i-lo) > 1e-11*(1+i) {
			t.Errorf("rate %v, by bisection %v", i, lo)
		}
	})
}

// The solver finds the exact rate of a single payment.
func TestSinglePaymentAgreesWithSolve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		principal := money.Amount(rapid.Int64Range(1, int64(money.Max)).Draw(t, "principal"))
		payment := principal + money.Amount(rapid.Int64Range(0, 10*int64(principal)).Draw(t, "charge"))
		days := rapid.IntRange(1, 366).Draw(t, "days")
		exact, err := OfSchedule(principal, []money.Amount{payment}, SinglePayment(days))
		if err != nil {
			t.Fatal(err)
		}
		percent, err := Solve([]Flow{{Amount: principal}}, []Flow{{payment, 1, 0}}, 365/float64(days))
		if err != nil {
			t.Fatal(err)
		}
		if off := int64(exact) - int64(Round(percent)); off < -1 || off > 1 || math.Abs(float64(exact)-percent*100) > 0.5+1e-6 {
			t.Errorf("exact %s, solved %v", exact, percent)
		}
	})
}

// Any dates give a result or an error, independently of the order in which flows are listed.
func TestFromDatesTakesAnyOrder(t *testing.T) {
	start := calendar.MustParse("2026-01-31")
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string, n, within int) []Dated {
			list := make([]Dated, n)
			for i, a := range drawAmounts(t, n) {
				list[i] = Dated{a, start.AddDays(rapid.IntRange(0, within).Draw(t, label))}
			}
			return list
		}
		advances := draw("advance", rapid.IntRange(1, 2).Draw(t, "advances"), 10)
		payments := draw("payment", rapid.IntRange(1, 12).Draw(t, "payments"), 1200)
		want, wantErr := FromDates(advances, payments)
		slices.Reverse(advances)
		slices.Reverse(payments)
		got, err := FromDates(advances, payments)
		if got != want || !errors.Is(err, wantErr) {
			t.Errorf("%s %v, reversed %s %v", want, wantErr, got, err)
		}
	})
}
