package scenario

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// members compares members of a response with their expected values.
func (r *run) members(where string, answer json.RawMessage, want map[string]string) {
	for _, path := range sorted(want) {
		got, found := member(answer, path)
		if !found {
			got = "(absent)"
		}
		expected, err := r.fill(want[path], false)
		if err != nil {
			expected = err.Error()
		}
		r.differ(where+path, expected, got)
	}
}

// member reads a member of a JSON document as text: a string unquoted, anything else as written;
// null for null. A path has dots, and numbers for list positions.
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

// textOf returns a member as text, "" if there is none.
func textOf(document json.RawMessage, path string) string {
	text, _ := member(document, path)
	return text
}

// sorted returns the keys of a map in sorted order.
func sorted[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
