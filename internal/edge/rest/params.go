package rest

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"tenor/internal/edge/rest/value"
)

// maxParameters bounds the query: no operation has so many.
const maxParameters = 64

// Page is embedded in the parameters of a list and adds limit and cursor.
type Page struct {
	Limit int       `query:"limit" minimum:"1" maximum:"100" default:"25" doc:"Maximum number of items." example:"25"`
	After *Position // where the page begins; nil for the first page
}

// paramRules decodes one parameter struct. Its fields have `query:"name"` or `path:"name"`
// and the tags of rule. Optional dates and instants are pointers, because their zero is a
// value.
type paramRules struct {
	list    []parameter
	byQuery map[string]int
	paged   bool
	page    []int // index of the Page
}

type parameter struct {
	in       string // query or path
	name     string
	index    []int
	required bool
	rule     *rule
}

func (x types) params(t reflect.Type) (paramRules, error) {
	p := paramRules{byQuery: map[string]int{}}
	if err := p.fields(x, t, nil); err != nil {
		return paramRules{}, fmt.Errorf("type %s: %w", t, err)
	}
	for i, x := range p.list {
		if x.in != "query" {
			continue
		}
		if _, ok := p.byQuery[x.name]; ok {
			return paramRules{}, fmt.Errorf("type %s: duplicate parameter %s", t, x.name)
		}
		p.byQuery[x.name] = i
	}
	return p, nil
}

func (p *paramRules) fields(known types, t reflect.Type, prefix []int) error {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(prefix), i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			if f.Type == reflect.TypeFor[Page]() {
				p.paged, p.page = true, index
			}
			if err := p.fields(known, f.Type, index); err != nil {
				return err
			}
			continue
		}
		x := parameter{in: "query", name: f.Tag.Get("query"), index: index, required: f.Tag.Get("required") == "true"}
		if x.name == "" {
			x.in, x.name, x.required = "path", f.Tag.Get("path"), true
		}
		if x.name == "" {
			if f.Type == reflect.TypeFor[*Position]() {
				continue
			}
			return fmt.Errorf("field %s is neither query nor path", f.Name)
		}
		r, err := known.rule(f.Type, f.Tag)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", x.name, err)
		}
		switch r.kind {
		case kindAny, kindObject, kindArray, kindMap:
			return fmt.Errorf("parameter %s: type %s", x.name, f.Type)
		case kindInstant, kindValue:
			if (r.kind == kindInstant || r.value.ZeroIsValue) && r.wrap == wrapNone && x.in == "query" && !x.required {
				return fmt.Errorf("parameter %s: an optional %s must be a pointer", x.name, f.Type)
			}
		}
		x.rule = r
		p.list = append(p.list, x)
	}
	return nil
}

// set parses one value into its field.
func (x parameter) set(v reflect.Value, text string) *value.Violation {
	f := v.FieldByIndex(x.index)
	switch x.rule.wrap {
	case wrapPointer:
		f.Set(reflect.New(x.rule.typ))
		f = f.Elem()
	case wrapOpt:
		f.Field(0).SetBool(true)
		f = f.Field(2)
	}
	return x.rule.setText(f, text)
}

// query parses a query string. It refuses unknown and repeated parameters, and every value
// that the tags do not allow; all of them are reported. The cursor is returned unopened,
// because opening it needs the server's key.
func (p paramRules) query(raw string, v reflect.Value) (cursor string, _ *Problem) {
	if strings.Count(raw, "&") >= maxParameters {
		return "", InvalidParameter("query", "The query has too many parameters.")
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return "", InvalidParameter("query", "The query is not well-formed.")
	}
	var unknown, invalid []FieldError
	for _, name := range slices.Sorted(maps.Keys(values)) {
		i, ok := p.byQuery[name]
		cursorHere := p.paged && name == "cursor"
		switch {
		case !ok && !cursorHere:
			unknown = append(unknown, FieldError{Parameter: Clip(name), Code: CodeUnknownParameter,
				Detail: "Unknown parameter."})
		case len(values[name]) > 1:
			invalid = append(invalid, FieldError{Parameter: name, Code: "duplicate_parameter", Detail: "The parameter appears twice."})
		case cursorHere:
			cursor = values[name][0]
		default:
			if bad := p.list[i].set(v, values[name][0]); bad != nil {
				invalid = append(invalid, FieldError{Parameter: name, Code: bad.Code, Detail: bad.Detail})
			}
		}
	}
	for _, x := range p.list {
		if x.in != "query" || values.Has(x.name) {
			continue
		}
		if x.required {
			invalid = append(invalid, FieldError{Parameter: x.name, Code: badMissing.Code, Detail: "The parameter is missing."})
		}
		if x.rule.preset != "" {
			x.set(v, x.rule.preset)
		}
	}
	switch {
	case len(unknown) > 0:
		return "", &Problem{Code: CodeUnknownParameter, Errors: append(unknown, invalid...)}
	case len(invalid) > 0:
		return "", &Problem{Code: CodeInvalidParameter, Errors: invalid}
	}
	return cursor, p.agree(v)
}

// agree calls the parameters' own Check, for combinations such as from and to.
func (p paramRules) agree(v reflect.Value) *Problem {
	c, ok := v.Addr().Interface().(Checker)
	if !ok {
		return nil
	}
	var invalid []FieldError
	c.Check(func(name, code, detail string) {
		invalid = append(invalid, FieldError{Parameter: name, Code: code, Detail: detail})
	})
	if len(invalid) == 0 {
		return nil
	}
	return &Problem{Code: CodeInvalidParameter, Errors: invalid}
}

// path parses the identifiers in the path. An impossible one is answered like one that does
// not exist.
func (p paramRules) path(value func(name string) string, v reflect.Value) bool {
	for _, x := range p.list {
		if x.in == "path" && x.set(v, value(x.name)) != nil {
			return false
		}
	}
	return true
}
