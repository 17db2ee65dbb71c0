package money

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
)

// Rate is an exact decimal fraction in millionths: 120000 is 0.120000, 12 %.
type Rate int64

// RateScale is the denominator of a Rate.
const RateScale = 1_000_000

// ErrRate means that a text is not a decimal rate of at most six places.
var ErrRate = errors.New("money: not a rate with at most six decimals")

// ParseRate reads a rate such as "0.12" or "0.120000". It takes no sign, no
// leading zero, no exponent and no percent sign, and nothing above 99.999999.
func ParseRate(text string) (Rate, error) {
	whole, frac, ok := split(text)
	if !ok || len(whole) > 2 || len(frac) > 6 {
		return 0, ErrRate
	}
	r := Rate(0)
	for _, c := range whole + (frac + "000000")[:6] {
		r = r*10 + Rate(c-'0')
	}
	return r, nil
}

// MustParseRate is ParseRate for literals; it panics on anything else.
func MustParseRate(text string) Rate {
	r, err := ParseRate(text)
	if err != nil {
		panic("money.MustParseRate(" + strconv.Quote(text) + ")")
	}
	return r
}

// String writes the rate with six decimals: "0.120000".
func (r Rate) String() string {
	sign, u := "", uint64(r)
	if r < 0 {
		sign, u = "-", -u
	}
	frac := strconv.FormatUint(u%RateScale+RateScale, 10)[1:]
	return sign + strconv.FormatUint(u/RateScale, 10) + "." + frac
}

// MarshalJSON writes the rate as a JSON string.
func (r Rate) MarshalJSON() ([]byte, error) { return []byte(`"` + r.String() + `"`), nil }

// UnmarshalJSON reads a JSON string by the rule of ParseRate.
func (r *Rate) UnmarshalJSON(text []byte) error {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return ErrRate
	}
	v, err := ParseRate(string(text[1 : len(text)-1]))
	if err != nil {
		return err
	}
	*r = v
	return nil
}

// Of returns half_up(a × r), the rate's share of an amount.
func (r Rate) Of(a Amount) Amount { return MulDiv(a, int64(r), RateScale) }

// Fraction is an exact non-negative ratio, used for the rate of one period.
type Fraction struct{ Num, Den int64 }

// Of returns half_up(a × f).
func (f Fraction) Of(a Amount) Amount { return MulDiv(a, f.Num, f.Den) }

// Rat returns the fraction as an exact rational.
func (f Fraction) Rat() *big.Rat { return big.NewRat(f.Num, f.Den) }

// HalfUp rounds an exact number of cents to an Amount, ties away from zero
// (F0). It panics if the result does not fit.
func HalfUp(cents *big.Rat) Amount {
	num, den := new(big.Int).Abs(cents.Num()), cents.Denom()
	num.Lsh(num, 1).Add(num, den)
	num.Quo(num, new(big.Int).Lsh(den, 1))
	if !num.IsInt64() {
		panic("money: HalfUp overflows")
	}
	a := Amount(num.Int64())
	if cents.Sign() < 0 {
		return -a
	}
	return a
}

// Share returns the j-th share (from 0) of total over the weights: the rounded cumulative
// share less the previous one. Shares sum to the total exactly and none has the opposite sign
// of the total (F0, MN5). The weights must be non-negative, their sum positive; it panics
// otherwise.
func Share(total Amount, weights []Amount, j int) Amount {
	sum := Sum(weights...)
	return Cumulative(total, Sum(weights[:j+1]...), sum) - Cumulative(total, Sum(weights[:j]...), sum)
}

// Cumulative returns half_up(total × part / whole), the running share after
// weights of part out of whole.
func Cumulative(total, part, whole Amount) Amount {
	return MulDiv(total, int64(part), int64(whole))
}

// Percent formats a rate of zero or more as a percentage with at least so many decimals, exactly:
// 0.25 is "25%".
func (r Rate) Percent(least int) string {
	whole, frac := strconv.FormatInt(int64(r)/10_000, 10), strconv.FormatInt(int64(r)%10_000+10_000, 10)[1:]
	for len(frac) > least && strings.HasSuffix(frac, "0") {
		frac = frac[:len(frac)-1]
	}
	if frac == "" {
		return whole + "%"
	}
	return whole + "." + frac + "%"
}
