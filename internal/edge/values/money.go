package values

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"tenor/internal/domain/money"
	"tenor/internal/edge/rest/value"
)

// amounts are read as a number or a string and written as a number. The tag minimum is the
// smallest: 0.01 where money moves, below zero where an amount has a sign.
func amounts() value.Kind {
	return value.Kind{
		Type: reflect.TypeFor[money.Amount](), Words: "an amount, as a number or a string", Numbers: true, Bounds: amountBounds,
		Set: func(v reflect.Value, text string, b value.Bounds) *value.Violation {
			a, bad := parseMoney(text, money.Amount(b.Low))
			if bad == nil {
				v.SetInt(int64(a))
			}
			return bad
		},
		In: amountIn, Out: func(value.Bounds) value.Schema {
			return value.Schema{Types: []string{"number"}, Keywords: []value.Keyword{{Name: "format", Value: "decimal"}}}
		},
		Sample: "100.00", Numeric: true,
	}
}

func amountBounds(tag reflect.StructTag) (value.Bounds, error) {
	b := value.Bounds{High: int64(money.Max)}
	low, ok := tag.Lookup("minimum")
	if !ok {
		return b, nil
	}
	digits, below := strings.CutPrefix(low, "-")
	a, err := money.Parse(digits)
	if err != nil {
		return b, fmt.Errorf("tag minimum: %w", err)
	}
	if b.Low = int64(a); below {
		b.Low = -b.Low
	}
	return b, nil
}

func amountIn(b value.Bounds) value.Schema {
	sign := ""
	if b.Low < 0 {
		sign = "-?"
	}
	return value.Schema{Types: []string{"number", "string"}, Keywords: []value.Keyword{
		{Name: "format", Value: "decimal"}, {Name: "minimum", Value: value.Number(money.Amount(b.Low).String())},
		{Name: "maximum", Value: value.Number(money.Max.String())}, {Name: "pattern", Value: "^" + sign + `(0|[1-9][0-9]{0,7})(\.[0-9]{1,2})?$`},
	}}
}

var (
	decimalText  = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	exponentText = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?[eE][+-]?[0-9]+|NaN|Infinity|Inf)$`)
)

// parseMoney parses an amount from its raw text. lowest is the smallest allowed amount.
func parseMoney(text string, lowest money.Amount) (money.Amount, *value.Violation) {
	if digits, below := strings.CutPrefix(text, "-"); below && lowest < 0 {
		a, bad := parseMoney(digits, 0)
		if bad == nil && -a < lowest {
			bad = value.TooSmall(lowest.String())
		}
		return -a, bad
	}
	a, err := money.Parse(text)
	switch {
	case err == nil && a >= lowest:
		return a, nil
	case err == nil:
		return 0, value.TooSmall(lowest.String())
	case errors.Is(err, money.ErrRange):
		return 0, value.TooLarge(money.Max.String())
	case exponentText.MatchString(text):
		return 0, &value.Violation{Code: "malformed_number", Detail: "An amount must be digits only, without an exponent.", Malformed: true}
	case len(text) > 1 && text[0] == '-' && decimalText.MatchString(text[1:]):
		return 0, value.TooSmall(lowest.String())
	case decimalText.MatchString(text):
		return 0, &value.Violation{Code: "too_many_decimals", Detail: "An amount has at most two decimals."}
	}
	return 0, &value.Violation{Code: "wrong_format", Detail: "The value is not an amount of money."}
}

// rates are read as a string or a number and written as a string.
func rates() value.Kind {
	return value.Kind{
		Type: reflect.TypeFor[money.Rate](), Words: "a rate, as a number or a string", Numbers: true,
		Set: func(v reflect.Value, text string, _ value.Bounds) *value.Violation {
			rate, err := money.ParseRate(text)
			if err != nil {
				return BadRate()
			}
			v.SetInt(int64(rate))
			return nil
		},
		In: func(value.Bounds) value.Schema {
			return value.Schema{Types: []string{"string", "number"}, Keywords: []value.Keyword{
				{Name: "format", Value: "decimal"}, {Name: "pattern", Value: `^[0-9]{1,2}(\.[0-9]{1,6})?$`}}}
		},
		Out:    func(value.Bounds) value.Schema { return text(value.Keyword{Name: "format", Value: "decimal"}) },
		Sample: "0.120000",
	}
}

// BadRate is the violation for a text that is not a rate.
func BadRate() *value.Violation {
	return &value.Violation{Code: "wrong_format", Detail: "The value is not a decimal rate with at most six decimals."}
}
