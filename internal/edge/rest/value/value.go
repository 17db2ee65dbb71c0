// Package value describes types of values with a text format of their own, such as amounts
// of money and calendar dates: how one is read from a request, and how an OpenAPI document
// describes it. A package that knows such types makes a Kind of each; package rest takes
// them from its configuration and needs to know nothing else about them.
package value

import (
	"reflect"
	"regexp"
	"time"
)

// Kind describes one type of value.
type Kind struct {
	Type reflect.Type
	// Words describe the value in JSON for people: "an amount, as a number or a string".
	// Empty: "a string".
	Words string
	// Numbers means that a body may have the value as a number as well as a string.
	Numbers bool
	// Bounds parses the tags that bound the value; nil: there are none.
	Bounds func(tag reflect.StructTag) (Bounds, error)
	// Set parses a text into v, which has the type.
	Set func(v reflect.Value, text string, b Bounds) *Violation

	In  func(Bounds) Schema // what a request may contain
	Out func(Bounds) Schema // what an answer contains
	// URL is what a path or query parameter may contain, where everything is text; nil:
	// same as In.
	URL func(Bounds) Schema

	Sample  string // the text of an example
	Numeric bool   // an example is a number
	// ParametersOnly means that no body contains such a value.
	ParametersOnly bool
	// ZeroIsValue means that the zero value is an ordinary one, so that an optional
	// parameter is a pointer.
	ZeroIsValue bool
	// Guessable means that its identifiers could be found by trying: a client may name only
	// so many that do not exist.
	Guessable bool
}

// Bounds are the smallest and the largest allowed value, in the unit of the kind.
type Bounds struct{ Low, High int64 }

// Schema is a document's description of a value: its JSON types, and further keywords in
// order.
type Schema struct {
	Types    []string
	Keywords []Keyword
}

// Keyword is one member of a schema. Its value is a string, an int or a Number.
type Keyword struct {
	Name  string
	Value any
}

// Number is the text of a JSON number, so that 1200.00 keeps its decimals.
type Number string

// Violation is why a value is refused: a code and a sentence, never the value. Malformed
// marks what an API calls malformed (400) although it is valid JSON.
type Violation struct {
	Code, Detail string
	Malformed    bool
}

// TooSmall refuses a value below a limit.
func TooSmall(limit string) *Violation {
	return &Violation{Code: "below_minimum", Detail: "The value is below " + limit + "."}
}

// TooLarge refuses a value above a limit.
func TooLarge(limit string) *Violation {
	return &Violation{Code: "above_maximum", Detail: "The value is above " + limit + "."}
}

var instantText = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)

// Instant parses an RFC 3339 instant with its zone, refusing second 60, and returns it in
// UTC, in whole microseconds.
func Instant(text string) (time.Time, *Violation) {
	bad := &Violation{Code: "wrong_format", Detail: "The value is not an instant of RFC 3339 with a zone, from 1970 to 2999."}
	if !instantText.MatchString(text) {
		return time.Time{}, bad
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, bad
	}
	t = t.UTC().Truncate(time.Microsecond)
	if t.Year() < 1970 || t.Year() > 2999 {
		return time.Time{}, bad
	}
	return t, nil
}
