package rest

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/edge/rest/value"
)

// The OpenAPI document is built as a tree of object, []any, string, bool, nil and number,
// in reading order, and written as JSON and as YAML. Equal trees give equal bytes.

type object []pair

type pair struct {
	key   string
	value any
}

// number is the text of a JSON number, so that 1200.00 keeps its decimals.
type number = value.Number

// with appends a member, unless its value is empty.
func (o object) with(key string, value any) object {
	switch v := value.(type) {
	case string:
		if v == "" {
			return o
		}
	case object:
		if len(v) == 0 {
			return o
		}
	case []any:
		if len(v) == 0 {
			return o
		}
	}
	return append(o, pair{key, value})
}

// parseTree parses JSON into a tree, keeping the order of members.
func parseTree(text []byte) (any, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	v, err := readTree(dec)
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return v, nil
}

func readTree(dec *jsontext.Decoder) (any, error) {
	tok, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return tok.Bool(), nil
	case '"':
		return strings.Clone(tok.String()), nil
	case '0':
		return number(strings.Clone(tok.String())), nil
	case '[':
		list := []any{}
		for dec.PeekKind() != ']' {
			v, err := readTree(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := dec.ReadToken()
		return list, err
	}
	o := object{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := strings.Clone(name.String())
		v, err := readTree(dec)
		if err != nil {
			return nil, err
		}
		o = append(o, pair{key, v})
	}
	_, err = dec.ReadToken()
	return o, err
}

// treeJSON writes a tree as indented JSON.
func treeJSON(v any) ([]byte, error) {
	compact, err := appendJSON(nil, v)
	if err != nil {
		return nil, err
	}
	out := jsontext.Value(compact)
	if err := out.Indent(jsontext.WithIndent("  ")); err != nil {
		return nil, fmt.Errorf("indent: %w", err)
	}
	return append(out, '\n'), nil
}

func appendJSON(b []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return fmt.Appendf(b, "%t", v), nil
	case number:
		return append(b, v...), nil
	case int:
		return fmt.Appendf(b, "%d", v), nil
	case string:
		return jsontext.AppendQuote(b, v)
	case []any:
		b = append(b, '[')
		for i, x := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendJSON(b, x); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case object:
		b = append(b, '{')
		for i, p := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = jsontext.AppendQuote(b, p.key); err != nil {
				return nil, err
			}
			if b, err = appendJSON(append(b, ':'), p.value); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
	return nil, fmt.Errorf("tree: type %T", v)
}

// treeYAML writes a tree as YAML 1.2 in block style, with examples and short values in one
// line. Texts are quoted as in JSON, which YAML understands, so that none is taken for a
// number or a date.
func treeYAML(v any) ([]byte, error) { return appendYAML(nil, v, 0) }

var plainKey = regexp.MustCompile(`^(/|[A-Za-z$_])[A-Za-z0-9$_./-]*$`)

// plainExcept are keys that some YAML readers take for a boolean.
var plainExcept = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null)$`)

func appendYAML(b []byte, v any, depth int) (_ []byte, err error) {
	indent := strings.Repeat("  ", depth)
	switch v := v.(type) {
	case object:
		for _, p := range v {
			b = append(b, indent...)
			if plainKey.MatchString(p.key) && !plainExcept.MatchString(p.key) {
				b = append(b, p.key...)
			} else if b, err = jsontext.AppendQuote(b, p.key); err != nil {
				return nil, err
			}
			if p.key == "example" || p.key == "examples" {
				b, err = appendLine(append(b, ':'), p.value)
			} else {
				b, err = appendYAMLValue(append(b, ':'), p.value, depth)
			}
			if err != nil {
				return nil, err
			}
		}
	case []any:
		for _, x := range v {
			start := len(b)
			if o, ok := x.(object); ok && len(o) > 0 { // its first member follows the dash
				if b, err = appendYAML(b, o, depth+1); err != nil {
					return nil, err
				}
				copy(b[start:], indent+"- ")
				continue
			}
			b = append(append(b, indent...), '-')
			if b, err = appendYAMLValue(b, x, depth); err != nil {
				return nil, err
			}
		}
	default:
		return appendYAMLValue(b, v, depth)
	}
	return b, nil
}

// appendYAMLValue writes what follows "key:" or "-".
func appendYAMLValue(b []byte, v any, depth int) (_ []byte, err error) {
	switch x := v.(type) {
	case object:
		if len(x) > 1 || len(x) == 1 && !leaf(x[0].value) {
			return appendYAML(append(b, '\n'), x, depth+1)
		}
	case []any:
		if !fitsLine(x) {
			return appendYAML(append(b, '\n'), x, depth+1)
		}
	}
	return appendLine(b, v)
}

// longestLine is the maximum length of a one-line list, without what precedes it.
const longestLine = 80

// fitsLine reports whether a list is short, and contains only scalars.
func fitsLine(list []any) bool {
	if slices.ContainsFunc(list, func(x any) bool { return !leaf(x) }) {
		return false
	}
	text, err := appendJSON(nil, list)
	return err == nil && len(text) <= longestLine
}

// leaf reports whether a value has no members.
func leaf(v any) bool {
	switch v.(type) {
	case object, []any:
		return false
	}
	return true
}

// appendLine writes a value in one line, as JSON.
func appendLine(b []byte, v any) (_ []byte, err error) {
	if b, err = appendJSON(append(b, ' '), v); err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}
