package store

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// nested is a column that stores a slice, map, struct or pointer as JSON text. A nil slice,
// map or pointer is NULL, so that it decodes as nil.
func nested[T, V any](name string, at func(*T) *V) Column[T] {
	return Column[T]{name, JSON,
		func(r *T) Value { return encodeJSON(at(r)) },
		func(r *T, v Value) error {
			var none V
			*at(r) = none
			if v.Null {
				return nil
			}
			return json.Unmarshal([]byte(v.Text), at(r))
		}}
}

var canonical = json.JoinOptions(json.Deterministic(true), json.FormatNilSliceAsNull(true),
	json.FormatNilMapAsNull(true), jsontext.AllowInvalidUTF8(true))

// encodeJSON writes a value in one canonical form: members in order of the type, maps
// sorted by name. The edges accept only valid UTF-8, and the types are our own, so nothing
// else can fail.
func encodeJSON(v any) Value {
	text, err := json.Marshal(v, canonical)
	if err != nil {
		panic(fmt.Sprintf("store: encode %T: %v", v, err))
	}
	if string(text) == "null" {
		return Value{Kind: JSON, Null: true}
	}
	return Value{Kind: JSON, Text: string(text)}
}
