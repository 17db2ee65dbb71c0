package sandboxui

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// change is a member of an object that an event has changed.
type change struct {
	name     string
	old, new json.RawMessage // "": shown only as changed
}

// telling are the members whose changes say most, in order.
var telling = []string{"status", "financing_status", "limit", "available", "outstanding", "reserved", "amount", "captured_amount", "refunded_amount"}

// mostChanges is the maximum number of changes on a line.
const mostChanges = 2

// changed describes what an event has changed: status CREATED → AUTHORIZED.
func (s *Screens) changed(e event) string {
	var now map[string]json.RawMessage
	_ = json.Unmarshal(e.Data.Object, &now) // missing members are not shown
	list := slices.DeleteFunc(changes(now, e.Data.Previous), func(c change) bool { return c.name == "updated_at" || c.name == "version" })
	rank := func(c change) int {
		if i := slices.Index(telling, c.name); i >= 0 && c.old != nil {
			return i
		}
		if c.old != nil {
			return len(telling)
		}
		return len(telling) + 1
	}
	slices.SortFunc(list, func(a, b change) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a.name, b.name)) })
	if len(list) > 0 && list[0].old != nil { // changes with values say more than names
		list = slices.DeleteFunc(list, func(c change) bool { return c.old == nil })
	}
	var out []string
	for _, c := range list[:min(len(list), mostChanges)] {
		out = append(out, s.told(c))
	}
	return strings.Join(out, " · ")
}

func (s *Screens) told(c change) string {
	name := strings.ReplaceAll(c.name, "_", " ")
	if c.old == nil {
		return name
	}
	old, now := s.plain(c.old), s.plain(c.new)
	if strings.HasSuffix(name, "status") {
		old, now = inWords(old), inWords(now)
	}
	return s.say("story.changed", name, old, now)
}

// changes compares an object before and after, member by member, and also the members of nested
// objects.
func changes(now, before map[string]json.RawMessage) []change {
	var out []change
	for name, old := range before {
		var inner, innerNow map[string]json.RawMessage
		switch parts, is := plainValue(old), now[name]; {
		case parts && plainValue(is):
			if !bytes.Equal(old, is) {
				out = append(out, change{name, old, is})
			}
		case json.Unmarshal(old, &inner) == nil && inner != nil && json.Unmarshal(is, &innerNow) == nil && len(changes(innerNow, inner)) > 0:
			out = append(out, changes(innerNow, inner)...)
		default:
			out = append(out, change{name: name})
		}
	}
	return out
}

// plainValue reports whether a value has no parts.
func plainValue(v json.RawMessage) bool {
	return len(v) > 0 && v[0] != '{' && v[0] != '['
}

var isAmount = regexp.MustCompile(`^-?[0-9]+\.[0-9]{2}$`)

// plain formats a value without parts for people.
func (s *Screens) plain(v json.RawMessage) string {
	var text string
	switch {
	case string(v) == "null":
		return s.say("story.nothing")
	case isAmount.Match(v):
		return dollars(json.Number(v))
	case json.Unmarshal(v, &text) == nil:
		return text
	}
	return string(v)
}
