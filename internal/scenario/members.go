package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reference is what is replaced in a step or a statement: ${order.key} is a member of
// an answer that was kept, ${day 03-15} a day of the scenario's year, ${at 03-15T10:00}
// an instant of it.
var reference = regexp.MustCompile(`\$\{[^}]*\}`)

// fill replaces the references in a text. A body stays JSON: what is put in stands
// between quotation marks already.
func (r *run) fill(text string) (string, error) {
	var failed error
	out := reference.ReplaceAllStringFunc(text, func(ref string) string {
		inner := ref[2 : len(ref)-1]
		if day, found := strings.CutPrefix(inner, "day "); found {
			return fmt.Sprintf("%04d-%s", r.year, day)
		}
		if at, found := strings.CutPrefix(inner, "at "); found {
			t, err := r.moment(at)
			if err != nil {
				failed = err
			}
			return t.UTC().Format("2006-01-02T15:04:05Z")
		}
		name, path, _ := strings.Cut(inner, ".")
		value, found := member(r.kept[name], path)
		if !found {
			failed = fmt.Errorf("%s is not known", ref)
		}
		return value
	})
	return out, failed
}

// members compares members of an answer with what they must be.
func (r *run) members(where string, answer json.RawMessage, want map[string]string) {
	for _, path := range sorted(want) {
		got, found := member(answer, path)
		if !found {
			got = "(absent)"
		}
		expected, err := r.fill(want[path])
		if err != nil {
			expected = err.Error()
		}
		r.differ(where+path, expected, got)
	}
}

// member reads a member of a JSON document as text: a string as it is, anything else as
// it is written; null for null. A path has dots, and numbers for places in a list.
func member(document json.RawMessage, path string) (string, bool) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	var x any
	if d.Decode(&x) != nil {
		return "", false
	}
	for _, name := range strings.Split(path, ".") {
		found := false
		switch in := x.(type) {
		case map[string]any:
			x, found = in[name]
		case []any:
			if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(in) {
				x, found = in[i], true
			}
		}
		if !found {
			return "", false
		}
	}
	switch v := x.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case nil:
		return "null", true
	}
	b, err := json.Marshal(x)
	return string(b), err == nil
}

// textOf is a member as text, "" if there is none.
func textOf(document json.RawMessage, path string) string {
	text, _ := member(document, path)
	return text
}

// sorted lists the keys of a map in their order.
func sorted[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
