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
	tag    string // of the operation that needs it first
	served bool   // a method answers with it: it keeps its own text
	sent   bool   // it is a part of a request
	given  bool   // it is a part of an answer
	change bool   // it is a merge patch: null is not the same as absent
	fields []field
}

type field struct {
	name, json, kind string
	doc              string
	rule             string // omitempty, omitzero, or ""
}

// use is how a schema is used where it is met.
type use struct {
	tag, operation string
	owner          string // the type that has it, "" if an operation itself does
	sent           bool
	change         bool // in a merge patch: what is absent stays
	put            bool // in what is put: null is not the same as absent
}

// structs finds the types of the client, from the operations down.
type structs struct {
	schemas ordered[*schema]
	served  map[string]bool // schemas that are answered with
	said    comments
	all     []*structure
	byName  map[string]*structure
	seen    map[string]bool
	err     error
}

// typeName is the client's type of a schema.
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

// baseName is the schema of which another one is the other direction: Order of OrderInput and
// OrderPrediction. What is sent is closed; an answer may have such a name of its own.
func (s *structs) baseName(name string) (base, ending string) {
	base, ending = baseName(name)
	if x, ok := s.schemas.get(name); ok && ending != "Prediction" && string(x.Additional) != "false" {
		return name, ""
	}
	return base, ending
}

// shared says whether what is sent has the form of what is received: it is no resource, and
// has no member that the resource lacks. Other names of a member do not count.
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

// alias says whether a member is another name of one.
func (s *schema) alias() bool {
	text, ok := strings.CutPrefix(s.Description, "The same as ")
	return ok && strings.Count(text, " ") == 0
}

// add finds the type of a schema and of all that is below it.
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

// nullable says whether some member may be null.
func nullable(x *schema) bool {
	return slices.ContainsFunc(x.Properties, func(p named[*schema]) bool { return p.value.Types.has("null") || p.value.AnyOf != nil })
}

// describe takes the comment of where the type is declared; the longest schema of a type is
// the one that says what it is.
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

// members joins the members of a schema to those that its type has already.
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

// joined is one field of a type that has several schemas.
func joined(t *structure, have, other field, u use) field {
	switch {
	case u.sent: // it is left out if it may be anywhere
		have.rule = cmp.Or(other.rule, have.rule)
	case !t.given:
		have.kind, have.doc = other.kind, other.doc
	}
	return have
}

// omitted says how a value that is not set is left out. An empty list is set.
func omitted(kind string) string {
	if !strings.HasPrefix(kind, "*") && !strings.HasPrefix(kind, "map") && !plain(kind) {
		return "omitzero"
	}
	return "omitempty"
}

// plain says whether a type is one of Go's own, or an amount.
func plain(kind string) bool {
	return slices.Contains([]string{"string", "int", "int64", "bool", "Amount", "json.RawMessage"}, kind)
}

// kind is the Go type of a schema.
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

// nested says whether a value is one of a map: there is no other way to say null.
func (s *structs) nested(owner string) bool { return strings.HasSuffix(owner, "[]") }

// whole is the type of a whole number. Where it may be null and 0 it is a pointer, and where 0 is
// not what it is if it is left out.
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

// object is a map of one kind of values, or a struct without a name of its own.
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

// mostWords is how many words a comment lists.
const mostWords = 12

// sentence is what is said of a member, with the words that it can be.
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
