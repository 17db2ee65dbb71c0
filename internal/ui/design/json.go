package design

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// JSON is a document as a tree: template "json". What is long can be folded, with script
// and without.
type JSON struct {
	Label       string // what a screen reader calls the document; "" is JSON
	Name        string // of the member that it is; "" at the top and in a list
	Kind        string // of a scalar, as a Piece has it
	Text        string // of a scalar, as it was written
	Open, Close string // brackets of a list or an object; "" of a scalar
	Items       []JSON
	Last        bool // no comma follows
	Shut        bool // it is folded at first
}

// Limits of what is shown as a tree.
const (
	maxDepth = 40  // levels
	folds    = 4   // an object or a list of more lines can be folded
	shut     = 120 // one of more lines is folded at first
)

// errDepth is returned for a document that is too deep to be shown as a tree.
var errDepth = errors.New("design: nested too deeply")

// ReadJSON reads one document. Members keep their order, and numbers their digits. false:
// it is no JSON, or too deep.
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

// readItems reads what stands between brackets.
func readItems(d *json.Decoder, depth int, open json.Delim) (JSON, error) {
	x := JSON{Open: open.String(), Close: map[json.Delim]string{'{': "}", '[': "]"}[open]}
	for d.More() {
		named := ""
		if open == '{' {
			t, err := d.Token()
			if err != nil {
				return JSON{}, err
			}
			s, _ := t.(string) // a decoder gives nothing else here
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

// Lines is how many lines the value takes when nothing is folded.
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

// Pretty is the document as a text, two spaces a level.
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

// quoted writes a string of JSON. Characters outside ASCII stay as they are.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""` // cannot happen: a string can always be written
	}
	return strings.TrimSuffix(b.String(), "\n")
}
