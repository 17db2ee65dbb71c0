package rest

import (
	"cmp"
	"regexp"
	"strconv"

	"tenor/internal/edge/rest/value"
)

// Opt is an optional member of a merge patch (RFC 7396): it distinguishes an absent member
// from null. Null is only ever true where the member's tag says nullable.
type Opt[T any] struct {
	Set   bool // the member is present
	Null  bool // it is present and null; Value is then zero
	Value T
}

// Some returns a present member.
func Some[T any](v T) Opt[T] { return Opt[T]{Set: true, Value: v} }

func (Opt[T]) optional() {}

var (
	badNull    = &value.Violation{Code: "not_null", Detail: "The value must not be null."}
	badMissing = &value.Violation{Code: "required", Detail: "The member is missing."}
	badBool    = &value.Violation{Code: "wrong_type", Detail: "The value is neither true nor false."}
	badInt     = &value.Violation{Code: "wrong_type", Detail: "The value is not an integer."}
	badText    = &value.Violation{Code: "unprintable_text", Detail: "The text contains an unprintable character."}
)

var integerText = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// badType is the violation for a value of another JSON type, with the expected one.
func (r *rule) badType() *value.Violation {
	return &value.Violation{Code: "wrong_type", Detail: "The value has the wrong type; it must be " + r.words() + "."}
}

// words describes a value's JSON type for people.
func (r *rule) words() string {
	switch r.kind {
	case kindBool:
		return "true or false"
	case kindInt:
		return "an integer"
	case kindObject, kindMap:
		return "an object"
	case kindArray:
		return "an array"
	case kindValue:
		return cmp.Or(r.value.Words, "a string")
	}
	return "a string"
}

// parseInteger parses an integer strictly: no fraction, exponent, sign + or leading zero.
func parseInteger(text string, b value.Bounds) (int64, *value.Violation) {
	if !integerText.MatchString(text) {
		return 0, badInt
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil && text[0] == '-', err == nil && n < b.Low:
		return 0, value.TooSmall(strconv.FormatInt(b.Low, 10))
	case err != nil, n > b.High:
		return 0, value.TooLarge(strconv.FormatInt(b.High, 10))
	}
	return n, nil
}
