package design

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// JSON is a document as a tree: template "json". Long parts can be folded, with and without
// scripts.
type JSON struct {
	Label       string // the document's name for screen readers; "" is JSON
	Name        string // as a member; "" at the top and in a list
	Kind        string // of a scalar, as in a Piece
	Text        string // of a scalar, as written
	Open, Close string // brackets of a list or an object; "" for a scalar
	Items       []JSON
	Last        bool // no comma follows
	Shut        bool // initially folded
}

// Limits of what is shown as a tree.
const (
	maxDepth = 40  // levels
	folds    = 4   // an object or a list with more lines can be folded
	shut     = 120 // one with more lines is initially folded
)

// errDepth is returned for a document that is too deep to be shown as a tree.
var errDepth = errors.New("design: nested too deeply")

// ReadJSON parses one document. Members keep their order, and numbers their digits. It returns
// false for invalid or too deeply nested JSON.
func ReadJSON(document []byte) (JSON, bool) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	x, err := readJSON(d, 0)
	if err != nil {
		return JSON{}, false
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return JSON{}, false
	}
	x.Last = true
	return x, true
}

func readJSON(d *json.Decoder, depth int) (JSON, error) {
	if depth > maxDepth {
		return JSON{}, errDepth
	}
	t, err := d.Token()
	if err != nil {
		return JSON{}, err
	}
	switch t := t.(type) {
	case json.Number:
		return JSON{Kind: number, Text: t.String()}, nil
	case bool:
		return JSON{Kind: number, Text: map[bool]string{true: "true", false: "false"}[t]}, nil
	case string:
		return JSON{Kind: text, Text: quoted(t)}, nil
	case json.Delim:
		return readItems(d, depth, t)
	}
	return JSON{Kind: number, Text: "null"}, nil
}

// readItems reads what is between brackets.
func readItems(d *json.Decoder, depth int, open json.Delim) (JSON, error) {
	x := JSON{Open: open.String(), Close: map[json.Delim]string{'{': "}", '[': "]"}[open]}
	for d.More() {
		named := ""
		if open == '{' {
			t, err := d.Token()
			if err != nil {
				return JSON{}, err
			}
			s, _ := t.(string) // a decoder returns nothing else here
			named = quoted(s)
		}
		item, err := readJSON(d, depth+1)
		if err != nil {
			return JSON{}, err
		}
		item.Name = named
		x.Items = append(x.Items, item)
	}
	if n := len(x.Items); n > 0 {
		x.Items[n-1].Last = true
	}
	x.Shut = depth > 0 && x.Lines() > shut
	_, err := d.Token()
	return x, err
}

// Lines returns how many lines the value takes when nothing is folded.
func (x JSON) Lines() int {
	if len(x.Items) == 0 {
		return 1
	}
	n := 2
	for _, i := range x.Items {
		n += i.Lines()
	}
	return n
}

// Folds reports whether the value is long enough to be folded.
func (x JSON) Folds() bool { return x.Lines() > folds }

// Pretty formats the document as text, with two spaces per level.
func (x JSON) Pretty() string {
	var b strings.Builder
	x.write(&b, "")
	return b.String()
}

func (x JSON) write(b *strings.Builder, indent string) {
	if x.Name != "" {
		b.WriteString(x.Name + ": ")
	}
	b.WriteString(x.Text + x.Open)
	for _, i := range x.Items {
		b.WriteString("\n" + indent + "  ")
		i.write(b, indent+"  ")
	}
	if len(x.Items) > 0 {
		b.WriteString("\n" + indent)
	}
	b.WriteString(x.Close)
	if !x.Last {
		b.WriteString(",")
	}
}

// quoted encodes a JSON string. Characters outside ASCII are unchanged.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""` // cannot happen: a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
