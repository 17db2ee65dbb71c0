package clientgen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// structure is a struct of the client.
type structure struct {
	name   string
	doc    string
	tag    string // of the first operation that needs it
	served bool   // a method returns it: it keeps its JSON
	sent   bool   // part of a request
	given  bool   // part of a response
	change bool   // a merge patch: null differs from absent
	fields []field
}

type field struct {
	name, json, kind string
	doc              string
	rule             string // omitempty, omitzero, or ""
}

// use is the context in which a schema is used.
type use struct {
	tag, operation string
	owner          string // the type that contains it, "" if an operation itself does
	sent           bool
	change         bool // in a merge patch: absent members are unchanged
	put            bool // in a PUT: null differs from absent
}

// structs finds the client's types, starting from the operations.
type structs struct {
	schemas ordered[*schema]
	served  map[string]bool // schemas returned by operations
	said    comments
	all     []*structure
	byName  map[string]*structure
	seen    map[string]bool
	err     error
}

// typeName returns the client's type for a schema.
func (s *structs) typeName(name string) string {
	if own, ok := typeNames()[name]; ok {
		return own
	}
	base, ending := s.baseName(name)
	if own, ok := typeNames()[base]; ok && (ending == "Prediction" || s.shared(name, base)) {
		return own
	}
	switch {
	case ending == "Prediction" || ending != "" && s.shared(name, base):
		return base
	case ending == "Input":
		return base + "Request"
	case ending == "Patch":
		return base + "Change"
	}
	return name
}

// baseName returns the schema that another one is the other direction of: Order for OrderInput
// and OrderPrediction. Request schemas are closed; a response may have such a name of its own.
func (s *structs) baseName(name string) (base, ending string) {
	base, ending = baseName(name)
	if x, ok := s.schemas.get(name); ok && ending != "Prediction" && string(x.Additional) != "false" {
		return name, ""
	}
	return base, ending
}

// shared reports whether a request has the form of the response: it is not a resource, and has no
// member that the resource lacks. Aliases of a member do not count.
func (s *structs) shared(sent, received string) bool {
	a, _ := s.schemas.get(sent)
	b, ok := s.schemas.get(received)
	if !ok || s.served[received] {
		return false
	}
	for _, p := range a.Properties {
		if _, ok := b.Properties.get(p.name); !ok && !p.value.alias() {
			return false
		}
	}
	return true
}

// alias reports whether a member is another name for one.
func (s *schema) alias() bool {
	text, ok := strings.CutPrefix(s.Description, "The same as ")
	return ok && strings.Count(text, " ") == 0
}

// add finds the type of a schema and of everything below it.
func (s *structs) add(name string, u use) string {
	own := s.typeName(name)
	key := fmt.Sprint(name, u.sent, u.change)
	if s.seen[key] {
		return own
	}
	s.seen[key] = true
	x, ok := s.schemas.get(name)
	if !ok {
		s.err = fmt.Errorf("the contract has no schema %s", name)
		return own
	}
	t := s.byName[own]
	if t == nil {
		t = &structure{name: own, tag: u.tag}
		s.byName[own] = t
		s.all = append(s.all, t)
	}
	s.describe(t, name, u)
	t.served = t.served || s.served[name] && !u.sent
	t.sent = t.sent || u.sent
	t.change = t.change || u.owner == "" && (u.change || u.put && nullable(x))
	s.members(t, x, u)
	t.given = t.given || !u.sent
	return own
}

// nullable reports whether some member may be null.
func nullable(x *schema) bool {
	return slices.ContainsFunc(x.Properties, func(p named[*schema]) bool { return p.value.Types.has("null") || p.value.AnyOf != nil })
}

// describe uses the comment of the type's declaration; the largest schema of a type determines
// which one.
func (s *structs) describe(t *structure, schema string, u use) {
	if text := s.said.of(schema, t.name); text != "" {
		if t.doc == "" || schema == t.name {
			t.doc = text
		}
		return
	}
	switch {
	case t.doc != "":
	case u.owner != "":
		t.doc = t.name + " is a part of " + u.owner + "."
	case u.sent && u.operation != "":
		t.doc = t.name + " is what " + methodName(u.operation) + " takes."
	}
}

// members merges the members of a schema into those that its type already has.
func (s *structs) members(t *structure, x *schema, u use) {
	for i, f := range t.fields {
		if _, ok := x.Properties.get(f.json); !ok && u.sent && f.rule == "" {
			t.fields[i].rule = omitted(f.kind)
		}
	}
	for _, p := range x.Properties {
		if p.value.alias() {
			continue
		}
		required := slices.Contains(x.Required, p.name)
		f := field{name: memberName(p.name), json: p.name, doc: p.value.Description}
		f.kind = s.kind(t.name+f.name, p.value, use{tag: u.tag, owner: t.name, sent: u.sent, change: u.change}, required)
		if u.sent && !required || t.sent && !u.sent {
			f.rule = omitted(f.kind)
		}
		f.doc = sentence(f.doc, p.value)
		if at := slices.IndexFunc(t.fields, func(o field) bool { return o.json == p.name }); at >= 0 {
			t.fields[at] = joined(t, t.fields[at], f, u)
			continue
		}
		t.fields = append(t.fields, f)
	}
}

// joined is one field of a type with several schemas.
func joined(t *structure, have, other field, u use) field {
	switch {
	case u.sent: // optional if it is optional anywhere
		have.rule = cmp.Or(other.rule, have.rule)
	case !t.given:
		have.kind, have.doc = other.kind, other.doc
	}
	return have
}

// omitted returns how an unset value is omitted. An empty list is set.
func omitted(kind string) string {
	if !strings.HasPrefix(kind, "*") && !strings.HasPrefix(kind, "map") && !plain(kind) {
		return "omitzero"
	}
	return "omitempty"
}

// plain reports whether a type is one of Go's own, or an amount.
func plain(kind string) bool {
	return slices.Contains([]string{"string", "int", "int64", "bool", "Amount", "json.RawMessage"}, kind)
}

// kind returns the Go type of a schema.
func (s *structs) kind(owner string, x *schema, u use, required bool) string {
	if name, nullable := x.refers(); name != "" {
		own := s.add(name, u)
		if nullable || u.sent && !required {
			return "*" + own
		}
		return own
	}
	nullable := x.Types.has("null")
	switch kind := x.Types.first(); {
	case len(x.Types) > 3 || kind == "":
		return "json.RawMessage"
	case kind == "array":
		return "[]" + s.kind(owner, x.Items, u, true)
	case kind == "object":
		return s.object(owner, x, u)
	case kind == "number":
		return "Amount"
	case kind == "boolean":
		if nullable || u.sent && !required && (u.change || string(x.Default) == "true") {
			return "*bool"
		}
		return "bool"
	case kind == "integer":
		return whole(x, nullable, u.sent && !required)
	case x.Format == "date-time":
		if nullable && !u.sent {
			return "*time.Time"
		}
		return "time.Time"
	case nullable && s.nested(owner):
		return "*string"
	}
	return "string"
}

// nested reports whether a value is in a map: there is no other way to express null.
func (s *structs) nested(owner string) bool { return strings.HasSuffix(owner, "[]") }

// whole returns the type of an integer. It is a pointer if both null and 0 are possible, or if
// omitting it differs from 0.
func whole(x *schema, nullable, optional bool) string {
	kind := "int"
	if x.Format == "int64" {
		kind = "int64"
	}
	zero := x.Minimum == nil || *x.Minimum <= 0
	preset := x.Default != nil && string(x.Default) != "0"
	if nullable && x.Minimum != nil && zero || optional && preset && zero {
		return "*" + kind
	}
	return kind
}

// object returns a map with one kind of values, or an anonymous struct.
func (s *structs) object(owner string, x *schema, u use) string {
	values := &schema{}
	if json.Unmarshal(x.Additional, values) == nil && (values.Types != nil || values.Ref != "") {
		return "map[string]" + s.kind(owner+"[]", values, u, true)
	}
	if x.Properties == nil {
		return "map[string]json.RawMessage"
	}
	t := &structure{name: owner, tag: u.tag, sent: u.sent}
	s.all = append(s.all, t)
	s.members(t, x, u)
	return owner
}

// mostWords is the maximum number of words listed in a comment.
const mostWords = 12

// sentence describes a member, with its possible words.
func sentence(doc string, x *schema) string {
	var words []string
	for _, e := range x.Enum {
		if e.Kind() == '"' {
			words = append(words, strings.Trim(string(e), `"`))
		}
	}
	if x.Items != nil {
		return sentence(doc, &schema{Enum: x.Items.Enum})
	}
	if len(words) < 2 || len(words) > mostWords {
		return doc
	}
	return strings.TrimSpace(doc + " One of " + strings.Join(words, ", ") + ".")
}
