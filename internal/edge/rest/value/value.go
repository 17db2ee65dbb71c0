// Package value describes types of values that have a text of their own, such as amounts of
// money and dates of a calendar: how one is read from a request, and what an OpenAPI document
// says of it. A package that knows such types makes a Kind of each; package rest takes them
// by its configuration and needs to know nothing else of them.
package value

import (
	"reflect"
	"regexp"
	"time"
)

// Kind describes one type of value.
type Kind struct {
	Type reflect.Type
	// Words are what a value is in JSON, for people: "an amount, as a number or a string".
	// Empty: "a string".
	Words string
	// Numbers says that a body may have the value as a number as well as a string.
	Numbers bool
	// Bounds reads the tags that bound the value; nil: there are none.
	Bounds func(tag reflect.StructTag) (Bounds, error)
	// Set reads a text into v, which has the type.
	Set func(v reflect.Value, text string, b Bounds) *Violation

	In  func(Bounds) Schema // what a request may hold
	Out func(Bounds) Schema // what an answer holds
	// URL is what a parameter of a path or a query may hold, where everything is a text;
	// nil: as In.
	URL func(Bounds) Schema

	Sample  string // the text of an example
	Numeric bool   // an example is a number
	// ParametersOnly says that no body has such a value.
	ParametersOnly bool
	// ZeroIsValue says that the zero value is one like any other, so that a parameter which
	// need not be there is a pointer.
	ZeroIsValue bool
	// Guessable says that what it names could be found by trying: a client may name only so
	// many in vain.
	Guessable bool
}

// Bounds are the smallest and the largest value that are allowed, in the unit of the kind.
type Bounds struct{ Low, High int64 }

// Schema is what a document says of a value: its types in JSON, and further keywords in
// their order.
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
// marks what an API calls malformed (400) although it is JSON.
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

// Instant reads an instant of RFC 3339 with its zone, second 60 refused, and returns it in
// UTC, whole microseconds.
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
