package client

import (
	"errors"
	"strconv"
	"strings"
)

// Amount is a sum of money as decimal text, such as "1200.00". In JSON it is a number; it never
// passes through a float. The empty Amount is unset.
type Amount string

// ErrAmount means that a text is not an amount.
var ErrAmount = errors.New("client: not an amount with at most two decimals")

// ParseAmount parses an amount: digits without leading zeros, and at most two decimals. It
// accepts a minus sign; the server refuses it where it is not allowed.
func ParseAmount(text string) (Amount, error) {
	a := Amount(text)
	if _, ok := a.Cents(); !ok {
		return "", ErrAmount
	}
	return a, nil
}

// OfCents returns the amount of a number of cents, with two decimals.
func OfCents(cents int64) Amount {
	sign, u := "", uint64(cents)
	if cents < 0 {
		sign, u = "-", -u
	}
	frac := strconv.FormatUint(u%100+100, 10)[1:]
	return Amount(sign + strconv.FormatUint(u/100, 10) + "." + frac)
}

// Cents returns the amount in cents, or false if it is not a valid amount.
func (a Amount) Cents() (int64, bool) {
	text, negative := strings.CutPrefix(string(a), "-")
	whole, frac, point := strings.Cut(text, ".")
	if whole == "" || point && frac == "" || len(frac) > 2 || len(whole) > 1 && whole[0] == '0' || len(whole) > 16 {
		return 0, false
	}
	cents := int64(0)
	for _, c := range whole + (frac + "00")[:2] {
		if c < '0' || c > '9' {
			return 0, false
		}
		cents = cents*10 + int64(c-'0')
	}
	if negative {
		cents = -cents
	}
	return cents, true
}

// MarshalJSON writes the amount as a number, digit for digit.
func (a Amount) MarshalJSON() ([]byte, error) {
	if _, ok := a.Cents(); !ok {
		return nil, ErrAmount
	}
	return []byte(a), nil
}

// UnmarshalJSON reads a number, or a string with a number; null changes nothing.
func (a *Amount) UnmarshalJSON(text []byte) error {
	s := string(text)
	if s == "null" {
		return nil
	}
	if len(s) > 1 && s[0] == '"' {
		s = s[1 : len(s)-1]
	}
	got, err := ParseAmount(s)
	if err != nil {
		return err
	}
	*a = got
	return nil
}
