package httpapi

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tenor/internal/calendar"
	"tenor/internal/money"
)

// Opt is an optional member of a merge patch (RFC 7396): it tells a member that
// is absent from one that is null. Null is only ever true where the member's
// tag says nullable.
type Opt[T any] struct {
	Set   bool // the member is present
	Null  bool // it is present and null; Value is then zero
	Value T
}

// Some returns a member that is present.
func Some[T any](v T) Opt[T] { return Opt[T]{Set: true, Value: v} }

func (Opt[T]) optional() {}

// CompanyID is a company's identifier: ten digits, in JSON a string (as in the
// Company) or an integer (as in the Order). It is written as an integer; a
// Company's own id uses CompanyIDText.
type CompanyID int64

// String writes the ten digits.
func (id CompanyID) String() string { return strconv.FormatInt(int64(id), 10) }

// CompanyIDText is a CompanyID that is written as a JSON string.
type CompanyIDText int64

// MarshalJSON writes the ten digits as a JSON string.
func (id CompanyIDText) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.FormatInt(int64(id), 10) + `"`), nil
}

// AsOf is the value of an as_of parameter: a past instant, or a past business
// date, which stands for its end. That it is past is for the handler to check.
type AsOf struct {
	Instant time.Time     // zero if a date was given
	Date    calendar.Date // calendar.None if an instant was given
}

// violation is why a value is refused: a code and a sentence, never the value.
// malformed marks what the contract calls malformed (400) although it is JSON.
type violation struct {
	code, detail string
	malformed    bool
}

var (
	badNull    = &violation{code: "not_null", detail: "The value may not be null."}
	badMissing = &violation{code: "required", detail: "The member is missing."}
	badMoney   = &violation{code: "wrong_format", detail: "The value is not an amount of money."}
	badCents   = &violation{code: "too_many_decimals", detail: "An amount has at most two decimals."}
	badPower   = &violation{code: "malformed_number", detail: "An amount is written with digits only, without an exponent.", malformed: true}
	badDate    = &violation{code: "wrong_format", detail: "The value is not a date of the form YYYY-MM-DD from 1970 to 2999."}
	badInstant = &violation{code: "wrong_format", detail: "The value is not an instant of RFC 3339 with a zone, from 1970 to 2999."}
	badAsOf    = &violation{code: "wrong_format", detail: "The value is neither a date (YYYY-MM-DD) nor an instant of RFC 3339 with a zone."}
	badRate    = &violation{code: "wrong_format", detail: "The value is not a decimal rate with at most six decimals."}
	badCompany = &violation{code: "wrong_format", detail: "A company's identifier has ten digits."}
	badBool    = &violation{code: "wrong_type", detail: "The value is neither true nor false."}
	badInt     = &violation{code: "wrong_type", detail: "The value is not an integer."}
	badText    = &violation{code: "unprintable_text", detail: "The text contains a character that is not printable."}
)

var (
	decimalText  = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	exponentText = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?[eE][+-]?[0-9]+|NaN|Infinity|Inf)$`)
	instantText  = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)
	integerText  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
)

// parseMoney reads an amount from its raw text. lowest is the smallest amount
// that is allowed: 0.01 where money moves, below zero where an amount has a sign.
func parseMoney(text string, lowest money.Amount) (money.Amount, *violation) {
	if digits, below := strings.CutPrefix(text, "-"); below && lowest < 0 {
		a, bad := parseMoney(digits, 0)
		if bad == nil && -a < lowest {
			bad = tooSmall(lowest.String())
		}
		return -a, bad
	}
	a, err := money.Parse(text)
	switch {
	case err == nil && a >= lowest:
		return a, nil
	case err == nil:
		return 0, tooSmall(lowest.String())
	case errors.Is(err, money.ErrRange):
		return 0, tooLarge(money.Max.String())
	case exponentText.MatchString(text):
		return 0, badPower
	case len(text) > 1 && text[0] == '-' && decimalText.MatchString(text[1:]):
		return 0, tooSmall(lowest.String())
	case decimalText.MatchString(text):
		return 0, badCents
	}
	return 0, badMoney
}

// badType is the answer to a value of another type of JSON, which says what it is to be.
func (r *rule) badType() *violation {
	return &violation{code: "wrong_type", detail: "The value has the wrong type; it is to be " + r.kind.words() + "."}
}

// words are what a value of a kind is in JSON, for people.
func (k kind) words() string {
	switch k {
	case kindBool:
		return "true or false"
	case kindInt:
		return "an integer"
	case kindMoney:
		return "an amount, as a number or a string"
	case kindRate:
		return "a rate, as a number or a string"
	case kindCompany, kindCompanyText:
		return "ten digits, as a number or a string"
	case kindObject, kindMap:
		return "an object"
	case kindArray:
		return "an array"
	}
	return "a string"
}

func tooSmall(limit string) *violation {
	return &violation{code: "below_minimum", detail: "The value is below " + limit + "."}
}

func tooLarge(limit string) *violation {
	return &violation{code: "above_maximum", detail: "The value is above " + limit + "."}
}

// parseInteger reads an integer strictly: no fraction, exponent, sign + or
// leading zero.
func parseInteger(text string, low, high int64) (int64, *violation) {
	if !integerText.MatchString(text) {
		return 0, badInt
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil && text[0] == '-', err == nil && n < low:
		return 0, tooSmall(strconv.FormatInt(low, 10))
	case err != nil, n > high:
		return 0, tooLarge(strconv.FormatInt(high, 10))
	}
	return n, nil
}

// parseInstant reads an instant of RFC 3339 with its zone, second 60 refused,
// and returns it in UTC, whole microseconds.
func parseInstant(text string) (time.Time, *violation) {
	if !instantText.MatchString(text) {
		return time.Time{}, badInstant
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, badInstant
	}
	t = t.UTC().Truncate(time.Microsecond)
	if t.Year() < 1970 || t.Year() > 2999 {
		return time.Time{}, badInstant
	}
	return t, nil
}

func parseAsOf(text string) (AsOf, *violation) {
	if len(text) == len("2006-01-02") {
		d, err := calendar.Parse(text)
		if err != nil {
			return AsOf{}, badAsOf
		}
		return AsOf{Date: d}, nil
	}
	t, bad := parseInstant(text)
	if bad != nil {
		return AsOf{}, badAsOf
	}
	return AsOf{Instant: t, Date: calendar.None}, nil
}

func parseCompany(text string) (int64, *violation) {
	if len(text) != 10 || text[0] == '0' {
		return 0, badCompany
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, badCompany
	}
	return n, nil
}
