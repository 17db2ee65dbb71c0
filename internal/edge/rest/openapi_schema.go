package rest

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"tenor/internal/edge/rest/value"
)

// direction is whether a schema describes what callers send or receive. A request is closed
// and may accept a value as number or text; an answer is open, since members may be added
// to it, and has one form. The answer of a dry run has null for identifiers and instants
// that do not exist yet.
type direction uint8

const (
	inward direction = 1 << iota
	outward
	predicted
)

// towards is the direction in which a rule is described: a dry run's rule without such
// members is described as any answer.
func (r *rule) towards(d direction) direction {
	if d == predicted && !r.holdsDrawn() {
		return outward
	}
	return d
}

func (r *rule) holdsDrawn() bool {
	return r.elem != nil && r.elem.holdsDrawn() ||
		slices.ContainsFunc(r.members, func(m member) bool { return m.undrawn || m.rule.holdsDrawn() })
}

// schemas collects the component schemas of a document.
type schemas struct {
	used  map[reflect.Type]direction
	names map[named]string
	built map[string]object
	order []string
}

type named struct {
	typ reflect.Type
	dir direction
}

func newSchemas() *schemas {
	return &schemas{used: map[reflect.Type]direction{}, names: map[named]string{}, built: map[string]object{}}
}

// note records in which directions the structs below a rule are used.
func (s *schemas) note(r *rule, d direction) {
	d = r.towards(d)
	if r.kind == kindObject && r.typ.Name() != "" {
		s.used[r.typ] |= d
	}
	if r.elem != nil {
		s.note(r.elem, d)
	}
	for _, m := range r.members {
		s.note(m.rule, d)
	}
}

// assign names every noted struct. Answers have the plain names; a request with the same
// name gets the suffix Input, a dry run Prediction.
func (s *schemas) assign() error {
	types := slices.SortedFunc(maps.Keys(s.used), func(a, b reflect.Type) int { return strings.Compare(a.String(), b.String()) })
	taken := map[string]reflect.Type{}
	suffix := map[direction]string{inward: "Input", predicted: "Prediction"}
	for _, d := range []direction{outward, inward, predicted} {
		for _, t := range types {
			if s.used[t]&d == 0 {
				continue
			}
			name := componentName(t)
			if taken[name] != nil {
				name += suffix[d]
			}
			if other := taken[name]; other != nil {
				return fmt.Errorf("schema %s: both %s and %s", name, other, t)
			}
			taken[name] = t
			s.names[named{t, d}] = name
		}
	}
	return nil
}

// componentName is the struct's name in the document: orderBody is Order, List[Order] is
// OrderList, List[Event[Value]] is EventList.
func componentName(t reflect.Type) string {
	name := strings.TrimSuffix(plainName(t.Name()), "Body")
	return strings.ToUpper(name[:1]) + name[1:]
}

// plainName turns a Go name with type arguments, each with its import path, into one word.
// An argument of arbitrary JSON is left out.
func plainName(name string) string {
	outer, inner, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	outer = strings.TrimSuffix(outer[strings.LastIndexAny(outer, "./")+1:], "Of")
	if inner == "" || strings.HasSuffix(inner, "jsontext.Value") {
		return outer
	}
	return plainName(inner) + outer
}

// schema returns the schema of a rule: a reference for a named struct.
func (s *schemas) schema(r *rule, d direction) (object, error) {
	var o object
	var err error
	switch r.kind {
	case kindObject:
		return s.object(r, d)
	case kindArray:
		var items object
		if items, err = s.schema(r.elem, d); err == nil {
			o = typed("array", r.nullable).with("description", r.doc).with("items", items)
			if d == inward {
				o = limit(o, "minItems", r.minItems, 0)
				o = append(o, pair{"maxItems", r.maxItems})
			}
		}
	case kindMap:
		var values object
		if values, err = s.schema(r.elem, d); err == nil {
			o = typed("object", r.nullable).with("description", r.doc).with("additionalProperties", values)
			if d == inward {
				o = append(o, pair{"maxProperties", r.maxItems}, pair{"propertyNames", object{{"maxLength", r.maxLen}}})
			}
		}
	default:
		o = scalar(r, d)
	}
	if err != nil {
		return nil, err
	}
	if r.example != "" {
		o = o.with("examples", []any{sample(r, d)})
	}
	if r.preset != "" {
		o = append(o, pair{"default", literal(r, r.preset, d)})
	}
	return o, nil
}

func typed(name string, nullable bool) object {
	if nullable {
		return object{{"type", []any{name, "null"}}}
	}
	return object{{"type", name}}
}

func limit(o object, key string, value, preset int) object {
	if value == preset {
		return o
	}
	return append(o, pair{key, value})
}

// scalar describes a single value.
func scalar(r *rule, d direction) object {
	switch r.kind {
	case kindAny:
		o := object{}
		if r.nullable { // some readers of the document assume that null does not match a schema without a type
			o = object{{"type", []any{"object", "array", "string", "number", "boolean", "null"}}}
		}
		return o.with("description", r.doc)
	case kindBool:
		return typed("boolean", r.nullable).with("description", r.doc)
	case kindInt:
		return integer(r)
	case kindValue:
		if d == inward {
			return ownSchema(r.value.In(r.bounds), r)
		}
		return ownSchema(r.value.Out(r.bounds), r)
	case kindInstant:
		return typed("string", r.nullable).with("description", r.doc).with("format", "date-time")
	}
	return textSchema(r, d, typed("string", r.nullable).with("description", r.doc))
}

func integer(r *rule) object {
	o := typed("integer", r.nullable).with("description", r.doc)
	if r.typ.Kind() == reflect.Int64 { // identifiers and sequences do not fit in 32 bits
		o = o.with("format", "int64")
	}
	bits := r.typ.Bits()
	if r.bounds.Low != math.MinInt64>>(64-bits) {
		o = append(o, pair{"minimum", int(r.bounds.Low)})
	}
	if r.bounds.High != math.MaxInt64>>(64-bits) {
		o = append(o, pair{"maximum", int(r.bounds.High)})
	}
	return o
}

// ownSchema is a kind's schema with the description of its member.
func ownSchema(x value.Schema, r *rule) object {
	o := typed(x.Types[0], r.nullable)
	if len(x.Types) > 1 {
		list := []any{}
		for _, name := range x.Types {
			list = append(list, name)
		}
		if r.nullable {
			list = append(list, "null")
		}
		o = object{{"type", list}}
	}
	return o.with("description", r.doc).keywords(x)
}

// keywords appends a kind's keywords.
func (o object) keywords(x value.Schema) object {
	for _, k := range x.Keywords {
		o = append(o, pair{k.Name, k.Value})
	}
	return o
}

func textSchema(r *rule, d direction, o object) object {
	o = o.with("format", r.format)
	if r.enum != nil {
		values := []any{}
		for _, e := range r.enum {
			values = append(values, e)
		}
		if r.nullable {
			values = append(values, nil)
		}
		if o = append(o, pair{"enum", values}); r.caseless && d == inward {
			o = append(o, pair{"x-lower-case", true}) // as enum keywords, generators would treat them as duplicates
		}
		return o
	}
	if d == inward {
		o = limit(o, "minLength", r.minLen, 0)
		o = append(o, pair{"maxLength", r.maxLen})
	}
	if r.pattern != nil {
		o = append(o, pair{"pattern", r.pattern.String()})
	}
	return o
}

func (s *schemas) object(r *rule, d direction) (object, error) {
	d = r.towards(d)
	body, err := s.members(r, d)
	if err != nil {
		return nil, err
	}
	if r.typ.Name() == "" {
		if r.nullable {
			body[0].value = []any{"object", "null"}
		}
		return body.with("description", r.doc), nil
	}
	name := s.names[named{r.typ, d}]
	if _, done := s.built[name]; !done {
		s.built[name] = append(body, pair{"examples", []any{sample(r, d)}})
		s.order = append(s.order, name)
		slices.Sort(s.order)
	}
	ref := object{{"$ref", "#/components/schemas/" + name}}
	if r.nullable {
		return object{{"anyOf", []any{ref, object{{"type", "null"}}}}}.with("description", r.doc), nil
	}
	return ref.with("description", r.doc), nil
}

func (s *schemas) members(r *rule, d direction) (object, error) {
	properties := object{}
	required := []any{}
	for _, m := range r.members {
		rule := m.rule
		if d == predicted && m.undrawn {
			undrawn := *rule
			undrawn.nullable = true
			rule = &undrawn
		}
		schema, err := s.schema(rule, d)
		if err != nil {
			return nil, err
		}
		properties = append(properties, pair{m.name, schema})
		if d == inward && m.required || d != inward && m.always {
			required = append(required, m.name)
		}
	}
	o := object{{"type", "object"}}.with("required", required).with("properties", properties)
	if d == inward {
		o = append(o, pair{"additionalProperties", false})
	}
	return o, nil
}

// sample generates an example that fits the rule. In a request it has the required members
// and those with an example of their own; in an answer every member.
func sample(r *rule, d direction) any {
	switch {
	case r.example != "":
		return literal(r, r.example, d)
	case r.preset != "":
		return literal(r, r.preset, d)
	}
	switch r.kind {
	case kindObject:
		o := object{}
		for _, m := range r.members {
			if d != inward && (m.always || m.rule.kind == kindObject) || m.required || m.rule.example != "" {
				o = append(o, pair{m.name, sample(m.rule, d)})
			}
		}
		return o
	case kindArray:
		return []any{sample(r.elem, d)}
	case kindMap:
		return object{{"channel", sample(r.elem, d)}}
	case kindAny:
		return object{}
	}
	if r.nullable && d != inward {
		return nil
	}
	return literal(r, sampleText(r), d)
}

func sampleText(r *rule) string {
	switch r.kind {
	case kindBool:
		return "false"
	case kindInt:
		return fmt.Sprint(max(r.bounds.Low, min(1, r.bounds.High)))
	case kindInstant:
		return "2026-03-02T15:04:05Z"
	case kindValue:
		return r.value.Sample
	}
	switch {
	case r.enum != nil:
		return r.enum[0]
	case r.prefix != "":
		return r.prefix + "01JQZ5S3V8N4T6W2X9Y0A1B2C3"
	case r.format == "email":
		return "billing@example.com"
	case strings.HasPrefix(r.format, "uri"):
		return "https://example.com/"
	}
	return strings.Repeat("text", max(1, (r.minLen+3)/4))
}

// literal converts the text of an example or default to the JSON that the rule accepts.
func literal(r *rule, text string, d direction) any {
	switch r.kind {
	case kindBool:
		return text == "true"
	case kindInt:
		return number(text)
	case kindValue:
		if r.value.Numeric {
			return number(text)
		}
	case kindArray, kindMap, kindObject, kindAny:
		if v, err := parseTree([]byte(text)); err == nil {
			return v
		}
	}
	return text
}
