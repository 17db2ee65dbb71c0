package journal

import (
	"encoding/json"
	"slices"
	"strings"
)

// Shown returns a command's members as people may see them: without credentials, and without what
// is derived from them, at every depth.
func Shown(m Members) Members {
	out := Members{}
	for name, value := range m { // unordered: into a map
		if hidden(name) {
			continue
		}
		var inner Members
		var list []Members
		switch {
		case json.Unmarshal(value, &inner) == nil && inner != nil:
			value = encoded(Shown(inner))
		case json.Unmarshal(value, &list) == nil && !slices.ContainsFunc(list, func(m Members) bool { return m == nil }):
			items := make([]Members, len(list))
			for i, x := range list {
				items[i] = Shown(x)
			}
			value = encoded(items)
		}
		out[name] = value
	}
	return out
}

// ShownCommand is Shown for a command as it is stored; what cannot be read shows nothing.
func ShownCommand(payload []byte) Members {
	m := Members{}
	if json.Unmarshal(payload, &m) != nil {
		return Members{}
	}
	return Shown(m)
}

func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null") // what was read can be written
	}
	return b
}

// hidden reports whether members with this name contain credentials, or something derived from
// them: sealed values, hashes of secrets and tokens, a processor's token for a card, and the
// fingerprint by which an account is found again.
func hidden(name string) bool {
	return slices.Contains([]string{"sealed", "fingerprint", "secret", "token"}, name) || strings.HasSuffix(name, "hash")
}
