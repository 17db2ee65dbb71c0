package contracttest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// raw is JSON sent unmodified, or something similar to JSON.
type raw string

// write encodes a value, with members sorted by name.
func write(v any) string {
	switch v := v.(type) {
	case raw:
		return string(v)
	case map[string]any:
		parts := []string{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, text(name)+":"+write(v[name]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		parts := []string{}
		for _, x := range v {
			parts = append(parts, write(x))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func text(s string) string { return write(s) }

// fault is a value that must be refused, with the status and the code.
type fault struct {
	name   string
	value  any
	status int
	code   string
}

func invalid(name string, value any) fault { return fault{name, value, 422, "validation_failed"} }

func malformed(name, value string) fault { return fault{name, raw(value), 400, "malformed_request"} }

// has reports whether a schema accepts values of a JSON type.
func has(s *openapi3.Schema, kind string) bool {
	for _, b := range branches([]*openapi3.Schema{s}) {
		if b.Type.Includes(kind) || kind == "integer" && b.Type.Includes("number") {
			return true
		}
	}
	return false
}

// faultsOf returns values that a schema forbids.
func faultsOf(s *openapi3.Schema) []fault {
	list := wrongTypes(s)
	switch {
	case has(s, "number") && has(s, "string"):
		list = append(list, wrongDecimals(s)...)
	case has(s, "integer"):
		list = append(list, wrongIntegers(s)...)
	case has(s, "string"):
		list = append(list, wrongTexts(s)...)
	}
	switch {
	case has(s, "array"):
		list = append(list, wrongLists(s)...)
	case has(s, "object"):
		list = append(list, wrongObjects(s)...)
	}
	return list
}

// wrongTypes returns values of JSON types that the schema does not accept.
func wrongTypes(s *openapi3.Schema) []fault {
	var list []fault
	for _, x := range []struct{ kind, value string }{
		{"null", "null"}, {"boolean", "true"}, {"integer", "7"}, {"number", "1.5"}, {"string", `"no such text"`}, {"array", `[]`}, {"array", `[1]`}, {"object", `{}`},
	} {
		if !has(s, x.kind) {
			list = append(list, invalid("a value of type "+x.kind+", "+x.value, raw(x.value)))
		}
	}
	return list
}

// oddNumbers are not numbers in JSON, or not accepted as numbers by the contract.
var oddNumbers = []string{"NaN", "Infinity", "-Infinity", "0x10", "01", "+1", ".5", "1.", "1_000", "1,000", "--1", "1e"}

// wrongDecimals are A21: invalid amounts and rates. Where a number is an integer, as in a
// company's ID, they are invalid there, too.
func wrongDecimals(s *openapi3.Schema) []fault {
	list := []fault{invalid("huge", raw("99999999999999999999")), invalid("huge and negative", raw("-99999999999999999999"))}
	if s.Min == nil || *s.Min >= 0 { // what may be negative says so with its minimum
		list = append(list, invalid("negative", raw("-1")), invalid("a cent below zero", raw("-0.01")), invalid(`text "-1"`, "-1"))
	}
	for _, t := range []string{"", " 1", "1 ", "1,000", "+1", "- 1", ".5", "1.", "0x10", "١٢", "１２", "1\u00a0000", "$1", "1.00 USD", "--1", "1.2.3", "01.00", "1/2"} {
		list = append(list, invalid("text "+strconv.Quote(t), t))
	}
	for _, t := range oddNumbers {
		list = append(list, malformed("number "+t, t))
	}
	if s.Max != nil && kindOf(s) != company { // money; a rate has no maximum in its schema
		for _, t := range []string{"1e2", "1E400", "-1e2", "1e-2", "1e400"} {
			list = append(list, malformed("exponent "+t, t))
		}
	}
	if s.Max != nil {
		list = append(list, invalid("a cent above the maximum", raw(strconv.FormatFloat(*s.Max+0.01, 'f', 2, 64))))
		list = append(list, invalid("three decimals", raw("1.005")))
	} else {
		list = append(list, invalid("seven decimals", raw("0.1234567")))
	}
	if s.Min != nil && *s.Min < 0 {
		list = append(list, invalid("a cent below the minimum", raw(strconv.FormatFloat(*s.Min-0.01, 'f', 2, 64))))
	}
	if s.Min != nil && *s.Min > 0 {
		list = append(list, invalid("below the minimum", raw("0")), invalid("minus zero", raw("-0.0")), invalid("text below the minimum", "0"))
	}
	return list
}

func wrongIntegers(s *openapi3.Schema) []fault {
	list := []fault{
		invalid("a fraction", raw("1.5")), invalid("text", "3"), invalid("beyond 64 bits", raw("18446744073709551616")),
		invalid("thirty digits", raw(strings.Repeat("9", 30))),
	}
	for _, t := range oddNumbers {
		list = append(list, malformed("number "+t, t))
	}
	for _, t := range []string{"1e2", "1.0", "1E400"} {
		list = append(list, fault{"number " + t, raw(t), 0, ""}) // refused as malformed or as invalid
	}
	if s.Min != nil {
		list = append(list, invalid("below the minimum", raw(strconv.FormatFloat(*s.Min-1, 'f', 0, 64))))
	}
	if s.Max != nil {
		list = append(list, invalid("above the maximum", raw(strconv.FormatFloat(*s.Max+1, 'f', 0, 64))))
	}
	return list
}

func wrongTexts(s *openapi3.Schema) []fault {
	if s.Format == "date" || s.Format == "date-time" {
		return wrongTimes(s.Format)
	}
	list := []fault{
		invalid("a bell", "a\u0007b"), invalid("right-to-left override", "a\u202eb"), invalid("zero width", "a\u200bb"),
		invalid("a line separator", "a\u2028b"), invalid("a stack of marks", "a"+strings.Repeat("\u0301", 40)), invalid("carriage return", "a\rb"),
		malformed("NUL", `"a\u0000b"`), malformed("invalid UTF-8", "\"a\xffb\""), malformed("a lone surrogate", `"a\ud800b"`),
		malformed("a raw control character", "\"a\x01b\""), malformed("no quotes", `text`), malformed("single quotes", `'text'`),
	}
	if s.MaxLength != nil {
		most := int(*s.MaxLength)
		list = append(list, invalid("too long", strings.Repeat("x", most+1)))
		if most < 1<<20 { // for a file in Base64, three times as many bytes exceed the limit for any body
			list = append(list, invalid("too long in another script", strings.Repeat("水", most+1)))
		}
	}
	if s.MinLength > 0 {
		list = append(list, invalid("empty", ""))
	}
	if len(s.Enum) > 0 {
		first := s.Enum[0].(string)
		list = append(list, invalid("none of the list", first+"_"), invalid("empty", ""))
		if other := swapCase(first); other != first && !lowerToo(s) {
			list = append(list, invalid("other case", other))
		}
	}
	if s.Pattern != "" {
		list = append(list, invalid("against the pattern", "§ 1"), invalid("empty", ""))
	}
	switch s.Format {
	case "email":
		for _, t := range []string{"", "a", "a@", "@b.c", "a b@c.d", "Ada <a@b.c>", "a@b"} {
			list = append(list, invalid("e-mail "+strconv.Quote(t), t))
		}
	case "uri":
		for _, t := range []string{"", "shop", "//shop.example", "https://"} {
			list = append(list, invalid("address "+strconv.Quote(t), t))
		}
	}
	return list
}

// lowerToo reports whether the contract also accepts the words of a list in lower case.
func lowerToo(s *openapi3.Schema) bool { return s.Extensions["x-lower-case"] == true }

func swapCase(s string) string {
	if low := strings.ToLower(s); low != s {
		return low
	}
	return strings.ToUpper(s)
}

// wrongTimes are A27: invalid dates and instants.
func wrongTimes(format string) []fault {
	texts := []string{"", "tomorrow", "2026-02-30", "2026-13-01", "0000-01-01", "9999-12-31", "1969-12-31", "2026-1-1", "20260101", "26-01-01", " 2026-01-01", "２０２６-01-01", "2026-01-01T00:00:60Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00+25:00", "2026-01-01T00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T00:00:00Z", "1767225600"}
	if format == "date" {
		texts = append(texts, "2026-01-01T00:00:00Z")
	} else {
		texts = append(texts, "2026-01-01")
	}
	var list []fault
	for _, t := range texts {
		list = append(list, invalid("time "+strconv.Quote(t), t))
	}
	return list
}

func wrongLists(s *openapi3.Schema) []fault {
	var list []fault
	item := least(s.Items.Value)
	if s.MaxItems != nil {
		list = append(list, invalid("too many elements", slices.Repeat([]any{item}, int(*s.MaxItems)+1)))
	}
	if s.MinItems > 0 {
		list = append(list, invalid("no element", []any{}))
	}
	return list
}

func wrongObjects(s *openapi3.Schema) []fault {
	var list []fault
	for _, b := range branches([]*openapi3.Schema{s}) {
		if b.MaxProps == nil {
			continue
		}
		many := map[string]any{}
		for i := range *b.MaxProps + 1 {
			many["k"+strconv.Itoa(int(i))] = least(b.AdditionalProperties.Schema.Value)
		}
		list = append(list, invalid("too many members", many))
		if b.PropertyNames != nil {
			long := strings.Repeat("k", int(*b.PropertyNames.Value.MaxLength)+1)
			list = append(list, invalid("a name that is too long", map[string]any{long: least(b.AdditionalProperties.Schema.Value)}))
		}
		list = append(list, invalid("an empty name", map[string]any{"": least(b.AdditionalProperties.Schema.Value)}),
			malformed("a name twice", `{"k":"v","k":"v"}`))
	}
	return list
}

// least returns a small value that a schema allows.
func least(s *openapi3.Schema) any {
	s = branches([]*openapi3.Schema{s})[0]
	if len(s.Properties) == 0 && len(s.AnyOf) > 0 {
		return least(s.AnyOf[0].Value)
	}
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case len(s.Enum) > 0:
		return s.Enum[0]
	case has(s, "number"):
		return raw("1")
	case has(s, "integer"):
		return raw(strconv.FormatFloat(max(1, value(s.Min)), 'f', 0, 64))
	case has(s, "boolean"):
		return true
	case has(s, "array"):
		return []any{}
	case has(s, "object"):
		o := map[string]any{}
		for _, name := range s.Required {
			o[name] = least(s.Properties[name].Value)
		}
		return o
	case s.Format == "date":
		return "2026-01-15"
	case s.Format == "date-time":
		return "2026-01-15T00:00:00Z"
	}
	if kind := kindOf(s); kind != "" {
		return nobodys(kind)
	}
	return strings.Repeat("x", max(1, int(s.MinLength)))
}

func value(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}

// place is a position of a value in a body: the names and indexes that lead there.
type place struct {
	path     []any // string: a member; int: an element
	schema   *openapi3.Schema
	required bool // its object must have it
}

func (p place) String() string {
	out := ""
	for _, x := range p.path {
		out += fmt.Sprint("/", x)
	}
	return out
}

// places returns all positions in a body.
func places(s *openapi3.Schema, path ...any) []place {
	var list []place
	at := func(sub *openapi3.Schema, step any, required bool) {
		p := append(slices.Clone(path), step)
		list = append(list, place{p, sub, required})
		list = append(list, places(sub, p...)...)
	}
	for _, b := range branches([]*openapi3.Schema{s}) {
		for _, name := range slices.Sorted(maps.Keys(b.Properties)) {
			at(b.Properties[name].Value, name, slices.Contains(b.Required, name))
		}
		if b.Items != nil {
			at(b.Items.Value, 0, false)
		}
		if b.AdditionalProperties.Schema != nil {
			at(b.AdditionalProperties.Schema.Value, "k", false)
		}
	}
	return list
}

// gone removes a value.
type gone struct{}

// with returns the body with a value at a position; it creates missing objects and lists on the
// way.
func with(s *openapi3.Schema, body any, path []any, v any) any {
	if len(path) == 0 {
		return v
	}
	var inner *openapi3.Schema
	switch step := path[0].(type) {
	case string:
		o, ok := body.(map[string]any)
		if !ok {
			o, _ = least(s).(map[string]any)
		}
		o = maps.Clone(o)
		if o == nil {
			o = map[string]any{}
		}
		if sub, _ := below([]*openapi3.Schema{s}, step); len(sub) > 0 {
			inner = sub[0]
		}
		if _, away := v.(gone); away && len(path) == 1 {
			delete(o, step)
			return o
		}
		o[step] = with(inner, o[step], path[1:], v)
		return o
	default:
		for _, b := range branches([]*openapi3.Schema{s}) {
			if b.Items != nil {
				inner = b.Items.Value
			}
		}
		var first any
		if l, ok := body.([]any); ok && len(l) > 0 {
			first = l[0]
		}
		return []any{with(inner, first, path[1:], v)}
	}
}
