package rest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/edge/rest/value"
)

// maxDepth is the maximum nesting of objects and lists.
const maxDepth = 32

// bodyRules decodes one request type.
type bodyRules struct{ root *rule }

func (x types) body(t reflect.Type) (bodyRules, error) {
	r, err := x.rule(t, "")
	if err != nil {
		return bodyRules{}, err
	}
	if r.kind != kindObject || r.wrap != wrapNone {
		return bodyRules{}, fmt.Errorf("type %s is not an object", t)
	}
	if at := unreadable(r); at != "" {
		return bodyRules{}, fmt.Errorf("type %s: member %s cannot be read from a request", t, at)
	}
	return bodyRules{r}, nil
}

// unreadable names a member that only an answer may have.
func unreadable(r *rule) string {
	if r.kind == kindAny || r.kind == kindValue && r.value.ParametersOnly {
		return "of this kind"
	}
	if r.elem != nil {
		return unreadable(r.elem)
	}
	for _, m := range r.members {
		if unreadable(m.rule) != "" {
			return m.name
		}
	}
	return ""
}

// decode decodes a JSON body into v. The first result is a 400: the body is not
// well-formed, or has a member unknown to the type. Otherwise the second lists every member
// that violates the schema (422). v is valid only if both are empty.
//
// A body that is malformed anywhere is malformed, whatever else is wrong; the precedence is
// syntax, unknown members, schema.
func (b bodyRules) decode(body []byte, v reflect.Value) (*Problem, []FieldError) {
	if detail := prescan(body); detail != "" {
		return &Problem{Code: CodeMalformed, Detail: detail}, nil
	}
	r := reader{dec: jsontext.NewDecoder(bytes.NewBuffer(body))}
	err := r.value(b.root, v)
	if err == nil {
		if _, err = r.dec.ReadToken(); err == io.EOF {
			err = nil
		} else if err == nil {
			err = ErrTrailing
		}
	}
	switch {
	case err != nil:
		return Malformed(err), nil
	case len(r.malformed) > 0:
		return &Problem{Code: CodeMalformed, Errors: r.malformed,
			Detail: "The body has a number in an invalid format."}, nil
	case len(r.unknown) > 0:
		return &Problem{Code: CodeUnknownMember, Errors: r.unknown}, nil
	}
	if c, ok := v.Addr().Interface().(Checker); ok && len(r.invalid) == 0 {
		c.Check(func(name, code, detail string) {
			r.invalid = append(r.invalid, FieldError{Pointer: name, Code: code, Detail: detail})
		})
	}
	return nil, r.invalid
}

// ErrTrailing means that data follows the end of a body.
var ErrTrailing = errors.New("data after the document")

// Malformed locates the syntax error in our own words: the decoder's would quote the body.
func Malformed(err error) *Problem {
	code, detail, pointer := "syntax", "The body is not well-formed JSON.", ""
	var s *jsontext.SyntacticError
	if errors.As(err, &s) {
		pointer = Clip(string(s.JSONPointer))
	}
	switch {
	case errors.Is(err, ErrTrailing):
		code, detail = "trailing_data", "The body has data after the document."
	case errors.Is(err, jsontext.ErrDuplicateName):
		code, detail = "duplicate_member", "A member is given twice."
	}
	return &Problem{Code: CodeMalformed, Detail: detail, Errors: []FieldError{{Pointer: pointer, Code: code, Detail: detail}}}
}

// prescan refuses what must not reach the decoder: nothing, null, a byte order mark, NUL in
// any spelling, and depth beyond 32. It reads each byte once.
func prescan(body []byte) string {
	if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
		return "The body starts with a byte order mark."
	}
	trimmed := bytes.Trim(body, " \t\r\n")
	if len(trimmed) == 0 {
		return "The body is empty."
	}
	if string(trimmed) == "null" {
		return "The body is null."
	}
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == 0:
			return "The body contains NUL."
		case quoted && c == '\\':
			if bytes.HasPrefix(body[i+1:], []byte("u0000")) {
				return "The body contains NUL."
			}
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return "The body is nested deeper than " + strconv.Itoa(maxDepth) + "."
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return ""
}

// reader walks a body along the rules. Its methods return an error only for broken syntax,
// which ends the walk; everything else is collected.
type reader struct {
	dec                         *jsontext.Decoder
	malformed, unknown, invalid []FieldError
}

func (r *reader) report(bad *value.Violation) { r.reportAt(string(r.dec.StackPointer()), bad) }

func (r *reader) reportAt(pointer string, bad *value.Violation) {
	list := &r.invalid
	if bad.Malformed {
		list = &r.malformed
	}
	if len(*list) < MaxFieldErrors {
		*list = append(*list, FieldError{Pointer: Clip(pointer), Code: bad.Code, Detail: bad.Detail})
	}
}

// Clip truncates a pointer, so that a name of a megabyte does not fill the answer.
func Clip(pointer string) string {
	if len(pointer) <= 255 {
		return pointer
	}
	cut := 255
	for cut > 0 && !utf8.RuneStart(pointer[cut]) {
		cut--
	}
	return pointer[:cut]
}

// skip skips a value of the wrong kind. Its syntax is still checked.
func (r *reader) skip(bad *value.Violation) error {
	if err := r.dec.SkipValue(); err != nil {
		return err
	}
	r.report(bad)
	return nil
}

// value reads one value with its wrapping.
func (r *reader) value(rl *rule, v reflect.Value) error {
	null := r.dec.PeekKind() == 'n'
	if null && !rl.nullable {
		return r.skip(badNull)
	}
	switch rl.wrap {
	case wrapOpt:
		v.Field(0).SetBool(true)
		if !null {
			return r.bare(rl, v.Field(2))
		}
		v.Field(1).SetBool(true)
	case wrapPointer:
		if !null {
			inner := reflect.New(rl.typ)
			v.Set(inner)
			return r.bare(rl, inner.Elem())
		}
		v.SetZero()
	default:
		if !null {
			return r.bare(rl, v)
		}
		// As if the member were absent: the template's default stays.
	}
	return r.dec.SkipValue()
}

// bare reads one value that is not null.
func (r *reader) bare(rl *rule, v reflect.Value) error {
	k := r.dec.PeekKind()
	switch rl.kind {
	case kindObject, kindMap:
		if k != '{' {
			return r.skip(rl.badType())
		}
		if rl.kind == kindMap {
			return r.mapping(rl, v)
		}
		return r.object(rl, v)
	case kindArray:
		if k != '[' {
			return r.skip(rl.badType())
		}
		return r.array(rl, v)
	}
	if !rl.takes(k) {
		return r.skip(rl.badType())
	}
	tok, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	if bad := rl.setText(v, tok.String()); bad != nil {
		r.report(bad)
	}
	return nil
}

// takes reports whether a scalar may be written as this kind of JSON.
func (r *rule) takes(k jsontext.Kind) bool {
	switch r.kind {
	case kindBool:
		return k == 't' || k == 'f'
	case kindInt:
		return k == '0'
	case kindValue:
		return k == '"' || k == '0' && r.value.Numbers
	}
	return k == '"'
}

func (r *reader) object(rl *rule, v reflect.Value) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	v.Set(rl.template)
	var few [64]bool
	seen := few[:]
	if len(rl.members) > len(few) {
		seen = make([]bool, len(rl.members))
	}
	for r.dec.PeekKind() != '}' {
		i, known, err := r.name(rl)
		if err != nil {
			return err
		}
		if !known {
			if err := r.dec.SkipValue(); err != nil {
				return err
			}
			if len(r.unknown) < MaxFieldErrors {
				r.unknown = append(r.unknown, FieldError{Pointer: Clip(string(r.dec.StackPointer())), Code: CodeUnknownMember,
					Detail: "Unknown member."})
			}
			continue
		}
		seen[i] = true
		if err := r.value(rl.members[i].rule, v.FieldByIndex(rl.members[i].index)); err != nil {
			return err
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	for i, m := range rl.members {
		if m.required && !seen[i] {
			r.reportAt(string(r.dec.StackPointer())+"/"+m.name, badMissing)
		}
	}
	return nil
}

// name reads a member's name and looks it up, exactly as written.
func (r *reader) name(rl *rule) (int, bool, error) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return 0, false, err
	}
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		i, ok := rl.byName[string(inner)]
		return i, ok, nil
	}
	plain, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return 0, false, err
	}
	i, ok := rl.byName[string(plain)]
	return i, ok, nil
}

func (r *reader) array(rl *rule, v reflect.Value) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	n := 0
	list := reflect.MakeSlice(rl.typ, 0, 0)
	for r.dec.PeekKind() != ']' {
		// An excess element is still read, because syntax comes before schema, but into a
		// place of its own.
		item := reflect.New(rl.typ.Elem()).Elem()
		if err := r.value(rl.elem, item); err != nil {
			return err
		}
		if n++; n <= rl.maxItems {
			list = reflect.Append(list, item)
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	if n > rl.maxItems {
		r.report(&value.Violation{Code: "too_many_items", Detail: "The list has more than " + strconv.Itoa(rl.maxItems) + " elements."})
	}
	if n < rl.minItems {
		r.report(&value.Violation{Code: "too_few_items", Detail: "The list has fewer than " + strconv.Itoa(rl.minItems) + " elements."})
	}
	v.Set(list)
	return nil
}

func (r *reader) mapping(rl *rule, v reflect.Value) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	n := 0
	m := reflect.MakeMap(rl.typ)
	keys := rule{maxLen: rl.maxLen, minLen: 1}
	for r.dec.PeekKind() != '}' {
		tok, err := r.dec.ReadToken()
		if err != nil {
			return err
		}
		key, bad := keys.text(strings.Clone(tok.String()))
		item := reflect.New(rl.typ.Elem()).Elem()
		if err := r.value(rl.elem, item); err != nil {
			return err
		}
		if n++; n > rl.maxItems {
			continue
		}
		if bad == nil && m.MapIndex(reflect.ValueOf(key).Convert(rl.typ.Key())).IsValid() {
			bad = &value.Violation{Code: "duplicate_key", Detail: "Two names are the same in Unicode normal form C."}
		}
		if bad != nil {
			r.report(bad)
			continue
		}
		m.SetMapIndex(reflect.ValueOf(key).Convert(rl.typ.Key()), item)
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	if n > rl.maxItems {
		r.report(&value.Violation{Code: "too_many_members", Detail: "The object has more than " + strconv.Itoa(rl.maxItems) + " members."})
	}
	v.Set(m)
	return nil
}
