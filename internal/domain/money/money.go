// Package money holds amounts, currencies and exact rates.
//
// An Amount is a signed number of cents. A Rate is an exact decimal of at most six places.
// There is no floating point: amounts are read from and written to their decimal text, and
// every rounding is half up, away from zero on a tie (F0).
package money

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Amount is a signed sum of money in cents of its Currency.
type Amount int64

// Max is the largest amount that a caller may send: 10,000,000.00.
const Max Amount = 1_000_000_000

// Currency is an ISO 4217 code.
type Currency string

// USD is the only currency accepted for now.
const USD Currency = "USD"

// ErrSyntax means that a text is not a decimal amount of at most two places.
var ErrSyntax = errors.New("money: not an amount with at most two decimals")

// ErrRange means that an amount is above Max.
var ErrRange = errors.New("money: amount out of range")

// Parse reads an amount as a caller writes it: digits without sign, leading
// zeros, grouping or exponent, and at most two decimals (MN3). The largest is
// Max. Nothing is rounded.
func Parse(text string) (Amount, error) {
	whole, frac, ok := split(text)
	if !ok || len(frac) > 2 {
		return 0, ErrSyntax
	}
	if len(whole) > 8 {
		return 0, ErrRange
	}
	cents := Amount(0)
	for _, c := range whole + (frac + "00")[:2] {
		cents = cents*10 + Amount(c-'0')
	}
	if cents > Max {
		return 0, ErrRange
	}
	return cents, nil
}

// split cuts a decimal text into its digits before and after the point. It
// refuses signs, leading zeros, and a point without digits on both sides.
func split(text string) (whole, frac string, ok bool) {
	whole, frac, point := strings.Cut(text, ".")
	if whole == "" || point && frac == "" || len(whole) > 1 && whole[0] == '0' {
		return "", "", false
	}
	return whole, frac, digits(whole) && digits(frac)
}

// MustParse is Parse for literals in tests and tables; it also takes a leading
// minus sign. It panics on anything else.
func MustParse(text string) Amount {
	sign := Amount(1)
	if text != "" && text[0] == '-' {
		sign, text = -1, text[1:]
	}
	a, err := Parse(text)
	if err != nil {
		panic(fmt.Sprintf("money.MustParse(%q): %v", text, err))
	}
	return sign * a
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// String writes the amount with exactly two decimals: "1200.00", "-0.05".
func (a Amount) String() string { return string(a.Append(nil)) }

// Append appends what String returns.
func (a Amount) Append(b []byte) []byte {
	u := uint64(a)
	if a < 0 {
		b = append(b, '-')
		u = -u
	}
	b = strconv.AppendUint(b, u/100, 10)
	return append(b, '.', byte('0'+u/10%10), byte('0'+u%10))
}

// MarshalJSON writes a JSON number with exactly two decimals.
func (a Amount) MarshalJSON() ([]byte, error) { return a.Append(nil), nil }

// UnmarshalJSON reads what MarshalJSON writes, for any Amount, and nothing else: no other
// number of decimals, no string, no null. It is for our own records; caller input goes through
// Parse.
func (a *Amount) UnmarshalJSON(text []byte) error {
	s, negative := strings.CutPrefix(string(text), "-")
	whole, frac, ok := split(s)
	if !ok || len(frac) != 2 {
		return ErrSyntax
	}
	cents, err := strconv.ParseUint(whole+frac, 10, 64)
	switch {
	case err != nil, cents > 1<<63, cents == 1<<63 && !negative:
		return ErrRange
	case negative && cents == 0:
		return ErrSyntax
	case negative:
		cents = -cents
	}
	*a = Amount(cents)
	return nil
}

// Add returns a + b and panics on overflow, which only a bug can reach: every
// amount that enters is at most Max (MN2).
func (a Amount) Add(b Amount) Amount {
	c := a + b
	if (c > a) != (b > 0) && b != 0 {
		panic(fmt.Sprintf("money: overflow in %d + %d", int64(a), int64(b)))
	}
	return c
}

// Sub returns a − b under the same rule as Add.
func (a Amount) Sub(b Amount) Amount {
	c := a - b
	if (c < a) != (b > 0) && b != 0 {
		panic(fmt.Sprintf("money: overflow in %d - %d", int64(a), int64(b)))
	}
	return c
}

// Sum adds amounts under the rule of Add.
func Sum(amounts ...Amount) Amount {
	total := Amount(0)
	for _, a := range amounts {
		total = total.Add(a)
	}
	return total
}

// MulDiv returns half_up(a × num / den) for any a and 0 ≤ num, 0 < den, exact
// in 128 bits (F0). It panics if the result does not fit an Amount.
func MulDiv(a Amount, num, den int64) Amount {
	if num < 0 || den <= 0 {
		panic(fmt.Sprintf("money: MulDiv by %d/%d", num, den))
	}
	neg := a < 0
	u := uint64(a)
	if neg {
		u = -u
	}
	hi, lo := bits.Mul64(u, uint64(num))
	lo, carry := bits.Add64(lo, uint64(den)/2, 0)
	hi += carry
	if hi >= uint64(den) {
		panic("money: MulDiv overflows")
	}
	// An odd denominator has no tie, so its floored half rounds like half up.
	q, _ := bits.Div64(hi, lo, uint64(den))
	if q > 1<<63-1 {
		panic("money: MulDiv overflows")
	}
	if neg {
		return -Amount(q)
	}
	return Amount(q)
}
