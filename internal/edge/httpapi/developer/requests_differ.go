package developer

import (
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"tenor/internal/core/store"
	"tenor/internal/edge/rest"
)

// maxPlaces is the maximum number of differing places shown for a call.
const maxPlaces = 50

// differences returns the places in which two requests differ: parts of the request line,
// and pointers into the bodies. Masked values are compared by their marks.
func differences(first, other store.RequestRow) []string {
	var out []string
	for _, x := range []struct {
		name string
		same bool
	}{
		{"method", first.Method == other.Method}, {"path", first.Path == other.Path}, {"query", first.Query == other.Query},
	} {
		if !x.same {
			out = append(out, x.name)
		}
	}
	if first.RequestBody == nil || other.RequestBody == nil {
		return append(out, "body")
	}
	a, b := leaves(first), leaves(other)
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, at := range slices.Sorted(maps.Keys(all)) {
		if a[at] != b[at] && len(out) < maxPlaces {
			out = append(out, at)
		}
	}
	if len(out) == 0 {
		return []string{"bytes"}
	}
	return out
}

// leaves returns the values of a body by pointer; masked ones by their marks.
func leaves(r store.RequestRow) map[string]string {
	var body any
	out, marks := map[string]string{}, map[string]string{}
	if json.Unmarshal(r.RequestBody, &body) != nil {
		return out
	}
	_ = json.Unmarshal(r.Marks, &marks) // without marks masked values are equal
	walkLeaves(body, "", marks, out)
	return out
}

func walkLeaves(v any, at string, marks, out map[string]string) {
	if mark, masked := marks[at]; masked {
		out[at] = rest.Masked + mark
		return
	}
	switch x := v.(type) {
	case map[string]any:
		for name, sub := range x {
			walkLeaves(sub, at+"/"+name, marks, out)
		}
	case []any:
		for i, sub := range x {
			walkLeaves(sub, at+"/"+strconv.Itoa(i), marks, out)
		}
	default:
		text, _ := json.Marshal(v) // a leaf can always be encoded
		out[at] = string(text)
	}
}
