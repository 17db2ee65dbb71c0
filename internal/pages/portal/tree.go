package portal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// value is a JSON value that preserves the order of its members and the digits of its numbers, so
// that an example is shown as it was written.
type value struct {
	kind    kind
	text    string // the content of a string, or a number or a boolean as written
	items   []value
	members []member
}

type member struct {
	name  string
	value value
}

type kind int

// absent is the kind of a missing value; reading from it gives absent again.
const (
	absent kind = iota
	null
	boolean
	number
	text
	array
	object
)

// maxDepth bounds nesting, so that a broken document causes an error and not a crash.
const maxDepth = 64

// parseValue parses one JSON document.
func parseValue(doc []byte) (value, error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	v, err := readValue(d, 0)
	if err != nil {
		return value{}, fmt.Errorf("read JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return value{}, errors.New("read JSON: something follows the document")
	}
	return v, nil
}

func readValue(d *json.Decoder, depth int) (value, error) {
	if depth > maxDepth {
		return value{}, errors.New("nested too deeply")
	}
	t, err := d.Token()
	if err != nil {
		return value{}, err
	}
	switch t := t.(type) {
	case nil:
		return value{kind: null}, nil
	case bool:
		return value{kind: boolean, text: fmt.Sprint(t)}, nil
	case json.Number:
		return value{kind: number, text: t.String()}, nil
	case string:
		return value{kind: text, text: t}, nil
	case json.Delim:
		if t == '[' {
			return readArray(d, depth)
		}
		return readObject(d, depth)
	}
	return value{}, fmt.Errorf("token of type %T", t)
}

func readArray(d *json.Decoder, depth int) (value, error) {
	v := value{kind: array}
	for d.More() {
		item, err := readValue(d, depth+1)
		if err != nil {
			return value{}, err
		}
		v.items = append(v.items, item)
	}
	_, err := d.Token()
	return v, err
}

func readObject(d *json.Decoder, depth int) (value, error) {
	v := value{kind: object}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return value{}, err
		}
		item, err := readValue(d, depth+1)
		if err != nil {
			return value{}, err
		}
		v.members = append(v.members, member{name.(string), item})
	}
	_, err := d.Token()
	return v, err
}

// at follows members by name.
func (v value) at(names ...string) value {
	for _, name := range names {
		v = v.get(name)
	}
	return v
}

func (v value) get(name string) value {
	for _, m := range v.members {
		if m.name == name {
			return m.value
		}
	}
	return value{}
}

// texts returns the strings in an array.
func (v value) texts() []string {
	var out []string
	for _, i := range v.items {
		out = append(out, i.text)
	}
	return out
}

// with returns an object with a member set: in place, or at the end.
func (v value) with(name string, to value) value {
	out := value{kind: object, members: append([]member(nil), v.members...)}
	for i, m := range out.members {
		if m.name == name {
			out.members[i].value = to
			return out
		}
	}
	out.members = append(out.members, member{name, to})
	return out
}

func textValue(s string) value { return value{kind: text, text: s} }

// pretty formats the value as people read JSON: two spaces per level, short arrays of plain
// values on one line.
func (v value) pretty() string {
	var b strings.Builder
	v.write(&b, "")
	return b.String()
}

func (v value) write(b *strings.Builder, indent string) {
	switch v.kind {
	case array:
		v.writeArray(b, indent)
	case object:
		if len(v.members) == 0 {
			b.WriteString("{}")
			return
		}
		b.WriteString("{\n")
		for i, m := range v.members {
			b.WriteString(indent + "  " + quote(m.name) + ": ")
			m.value.write(b, indent+"  ")
			b.WriteString(comma(i, len(v.members)))
		}
		b.WriteString(indent + "}")
	default:
		b.WriteString(v.scalar())
	}
}

func (v value) writeArray(b *strings.Builder, indent string) {
	if v.plain() {
		var all []string
		for _, i := range v.items {
			all = append(all, i.scalar())
		}
		b.WriteString("[" + strings.Join(all, ", ") + "]")
		return
	}
	b.WriteString("[\n")
	for i, item := range v.items {
		b.WriteString(indent + "  ")
		item.write(b, indent+"  ")
		b.WriteString(comma(i, len(v.items)))
	}
	b.WriteString(indent + "]")
}

// plain reports whether an array contains no arrays and no objects.
func (v value) plain() bool {
	for _, i := range v.items {
		if i.kind == array || i.kind == object {
			return false
		}
	}
	return true
}

func comma(i, n int) string {
	if i < n-1 {
		return ",\n"
	}
	return "\n"
}

// scalar formats a value without parts.
func (v value) scalar() string {
	switch v.kind {
	case text:
		return quote(v.text)
	case number, boolean:
		return v.text
	}
	return "null"
}

// quote encodes a JSON string. Characters outside ASCII are unchanged, and so are < and >: a page
// escapes them where necessary.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""` // cannot happen: a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
