package money

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// F0: half_up(10.353) = 10.35, half_up(0.005) = 0.01, half_up(−0.005) = −0.01.
func TestHalfUp(t *testing.T) {
	for exact, want := range map[string]string{
		"10.353": "10.35", "0.005": "0.01", "-0.005": "-0.01", "0": "0.00", "0.0049999999999999": "0.00",
		"-0.0049999999999999": "0.00", "1.115": "1.12", "-1.115": "-1.12", "2.675": "2.68", "1.005": "1.01",
		"10.0494": "10.05", "6.7244": "6.72", "1/3": "0.33", "2/3": "0.67", "12.345": "12.35", "12.355": "12.36",
	} {
		r, ok := new(big.Rat).SetString(exact)
		if !ok {
			t.Fatal(exact)
		}
		if got := HalfUp(r.Mul(r, big.NewRat(100, 1))); got.String() != want && (got != 0 || want != "0.00") {
			t.Errorf("half_up(%s) = %s, want %s", exact, got, want)
		}
	}
	if !panics(func() { HalfUp(new(big.Rat).SetFrac(new(big.Int).Lsh(big.NewInt(1), 63), big.NewInt(1))) }) {
		t.Error("2^63 cents did not panic")
	}
}

// nearest is an independent half_up: the floor of x, and its remainder compared with a half.
func nearest(x *big.Rat) *big.Int {
	abs := new(big.Rat).Abs(x)
	floor := new(big.Int).Quo(abs.Num(), abs.Denom())
	if rest := new(big.Rat).Sub(abs, new(big.Rat).SetInt(floor)); rest.Cmp(big.NewRat(1, 2)) >= 0 {
		floor.Add(floor, big.NewInt(1))
	}
	if x.Sign() < 0 {
		floor.Neg(floor)
	}
	return floor
}

// MulDiv and HalfUp against exact rationals, over the whole of int64: the right cent, or a
// panic if there is none (MN2).
func TestMulDivIsExact(t *testing.T) {
	amount := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-int64(Max), int64(Max)), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64}))
	factor := rapid.OneOf(rapid.Int64Range(0, 10_000_000), rapid.Int64Range(0, math.MaxInt64))
	divisor := rapid.OneOf(rapid.Int64Range(1, 400), rapid.Int64Range(1, 12_000_000), rapid.Int64Range(1, math.MaxInt64))
	rapid.Check(t, func(t *rapid.T) {
		a, num, den := amount.Draw(t, "a"), factor.Draw(t, "num"), divisor.Draw(t, "den")
		exact := new(big.Rat).Mul(big.NewRat(a, 1), big.NewRat(num, den))
		want := nearest(exact)
		fits := new(big.Int).Abs(want).IsInt64()
		for name, f := range map[string]func() Amount{
			"MulDiv":      func() Amount { return MulDiv(Amount(a), num, den) },
			"Fraction.Of": func() Amount { return Fraction{num, den}.Of(Amount(a)) },
			"HalfUp":      func() Amount { return HalfUp(exact) },
		} {
			var got Amount
			if panicked := panics(func() { got = f() }); panicked == fits {
				t.Fatalf("%s: %d × %d / %d = %s, panic %v", name, a, num, den, want, panicked)
			}
			if fits && int64(got) != want.Int64() {
				t.Fatalf("%s: %d × %d / %d = %d, want %s", name, a, num, den, got, want)
			}
		}
	})
	for _, f := range []func(){
		func() { MulDiv(1, -1, 2) }, func() { MulDiv(1, 1, 0) }, func() { MulDiv(1, 1, -2) },
	} {
		if !panics(f) {
			t.Error("MulDiv took a negative factor, or a divisor that is not positive")
		}
	}
}

// F0: shares of 100.00 over 1, 1, 1 = 33.33, 33.34, 33.33.
func TestShares(t *testing.T) {
	weights := []Amount{1, 1, 1}
	for j, want := range []Amount{3333, 3334, 3333} {
		if got := Share(10_000, weights, j); got != want {
			t.Errorf("share %d is %s, want %s", j+1, got, want)
		}
	}
}

// MN5: shares sum to the total, none is negative, each is within a cent of its
// exact part, and a weight of zero gets nothing.
func TestSharesSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := Amount(rapid.Int64Range(0, int64(Max)).Draw(t, "total"))
		weights := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Amount {
			return Amount(rapid.Int64Range(0, int64(Max)).Draw(t, "weight"))
		}), 1, 40).Draw(t, "weights")
		whole := Sum(weights...)
		if whole == 0 {
			t.Skip("no weight")
		}
		sum := Amount(0)
		for j, w := range weights {
			share := Share(total, weights, j)
			sum += share
			if share < 0 || w == 0 && share != 0 {
				t.Errorf("share %d of %s over %v is %s", j, total, weights, share)
			}
			off := new(big.Rat).Mul(big.NewRat(int64(total), 1), big.NewRat(int64(w), int64(whole)))
			if off.Sub(off, big.NewRat(int64(share), 1)).Abs(off).Cmp(big.NewRat(1, 1)) > 0 {
				t.Errorf("share %d of %s over %v is %s, more than a cent off", j, total, weights, share)
			}
			if Share(-total, weights, j) != -share {
				t.Errorf("share %d of -%s is not the opposite", j, total)
			}
		}
		if sum != total {
			t.Errorf("shares of %s over %v sum to %s", total, weights, sum)
		}
	})
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]Rate{
		"0": 0, "0.12": 120_000, "0.120000": 120_000, "0.0999": 99_900, "0.000001": 1, "1": 1_000_000, "99.999999": 99_999_999,
	} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("ParseRate(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-0.1", "+0.1", "0.1234567", ".12", "0.", "00.12", "100", "12%", "1e-1", "0,12", " 0.12", "０.12"} {
		if got, err := ParseRate(text); !errors.Is(err, ErrRate) {
			t.Errorf("ParseRate(%q) = %s, want it refused", text, got)
		}
	}
}

func TestRateFormat(t *testing.T) {
	for r, want := range map[Rate]string{0: "0.000000", 120_000: "0.120000", 1: "0.000001", 12_345_678: "12.345678", -120_000: "-0.120000"} {
		if got := r.String(); got != want {
			t.Errorf("%d is written %s, want %s", int64(r), got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r, back := Rate(rapid.Int64Range(0, 99_999_999).Draw(t, "rate")), Rate(-1)
		b, err := json.Marshal(r)
		if err != nil || json.Unmarshal(b, &back) != nil || back != r {
			t.Errorf("%d written as %s, read as %d, %v", r, b, back, err)
		}
	})
	for _, text := range []string{`0.12`, `""`, `"12%"`, `null`, `"`, `{}`} {
		r := Rate(7)
		if err := r.UnmarshalJSON([]byte(text)); err == nil || r != 7 {
			t.Errorf("read %s as %s", text, r)
		}
	}
}

// A rate's share of an amount equals the exact decimal's.
func TestRateOf(t *testing.T) {
	for _, test := range []struct{ rate, amount, want string }{
		{"0.05", "207.06", "10.35"},     // late fee, F10
		{"0.05", "1153.51", "57.68"},    // 57.6755
		{"0.03", "1200.00", "36.00"},    // merchant discount
		{"0.01", "1004.94", "10.05"},    // 10.0494
		{"0.029", "104.65", "3.03"},     // card cost without its 0.30
		{"0.000001", "5000.00", "0.01"}, // a tie
	} {
		if got := MustParseRate(test.rate).Of(MustParse(test.amount)).String(); got != test.want {
			t.Errorf("%s of %s = %s, want %s", test.rate, test.amount, got, test.want)
		}
	}
	// Microsoft Excel function reference: IPMT(0.1/12, 1, 36, 8000) = −66.67 and
	// CUMIPMT(0.09/12, 360, 125000, 1, 1, 0) = −937.50, one period of a rate.
	for _, test := range []struct {
		annual          Rate
		principal, want string
	}{{100_000, "8000.00", "66.67"}, {90_000, "125000.00", "937.50"}} {
		period := Fraction{int64(test.annual), 12 * RateScale}
		if got := period.Of(MustParse(test.principal)).String(); got != test.want {
			t.Errorf("a month at %s on %s is %s, want %s", test.annual, test.principal, got, test.want)
		}
	}
	if got := (Fraction{120_000, 12 * RateScale}).Rat(); got.Cmp(big.NewRat(1, 100)) != 0 {
		t.Errorf("12 %% a year is %s a month", got)
	}
}
