package portal

import (
	"fmt"
	"slices"
	"strings"
)

// field is one row of a table of members.
type field struct {
	Name     string // full path: cart_items[].name
	Level    int    // nesting depth, 0 at the top
	Type     string
	Required bool // in a request: it must be sent
	Optional bool // in a response: it may be absent
	Nullable bool
	Limits   []string
	Pattern  string // regular expression of the whole value
	Enum     []string
	Default  string
	Doc      string // Markdown
}

// maxLevel is the maximum depth of a table of members: nothing in the contract is deeper, and
// recursive types end there.
const maxLevel = 8

// fields returns the members of a schema, depth first, in the contract's order.
func (c *contract) fields(schema value) []field {
	var out []field
	c.collect(schema, "", 0, &out)
	return out
}

// answerFields are the fields of a response: there it is worth noting which members may be
// absent, rather than which are always present.
func (c *contract) answerFields(schema value) []field {
	fields := c.fields(schema)
	for i := range fields {
		fields[i].Required, fields[i].Optional = false, !fields[i].Required
	}
	return fields
}

// collect appends the rows for a schema's content: an object's members, or those of an array's
// items.
func (c *contract) collect(schema value, prefix string, level int, out *[]field) {
	if level >= maxLevel {
		return
	}
	s, _ := c.plain(schema)
	if items := s.get("items"); items.kind == object {
		c.collect(items, prefix+"[]", level, out)
		return
	}
	required := s.get("required").texts()
	for _, p := range s.get("properties").members {
		f := c.field(p.value)
		f.Name, f.Level, f.Required = join(prefix, p.name), level, slices.Contains(required, p.name)
		*out = append(*out, f)
		c.collect(p.value, f.Name, level+1, out)
	}
	for _, part := range s.get("allOf").items {
		c.collect(part, prefix, level, out)
	}
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

// plain resolves references and removes "or null" from a schema.
func (c *contract) plain(schema value) (s value, nullable bool) {
	for range maxDepth {
		s, err := c.deref(schema)
		if err != nil {
			return value{}, nullable
		}
		choices := s.get("anyOf").items
		if first := s.get("oneOf").items; len(first) > 0 { // a resource, or the result of a dry run
			schema = first[0]
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(choices), func(v value) bool { return v.get("type").text == "null" })
		if len(rest) != 1 {
			return s, nullable || slices.Contains(types(s), "null")
		}
		schema, nullable = rest[0], nullable || len(rest) < len(choices)
	}
	return value{}, nullable
}

// types returns the types that a schema allows.
func types(s value) []string {
	t := s.get("type")
	if t.kind == text {
		return []string{t.text}
	}
	return t.texts()
}

// field describes a schema without its name. A description next to a reference takes precedence
// over that of the referenced type.
func (c *contract) field(schema value) field {
	s, nullable := c.plain(schema)
	f := field{Type: c.typeName(s), Nullable: nullable, Limits: limits(s), Pattern: pattern(s), Doc: schema.get("description").text}
	if f.Doc == "" {
		f.Doc = s.get("description").text
	}
	for _, e := range s.get("enum").items {
		if e.kind == text {
			f.Enum = append(f.Enum, e.text)
		}
	}
	if d := s.get("default"); d.kind != absent && d.kind != object {
		f.Default = d.text
	}
	return f
}

// typeName returns a value's type in a developer's words.
func (c *contract) typeName(s value) string {
	list := slices.DeleteFunc(slices.Clone(types(s)), func(t string) bool { return t == "null" })
	format := s.get("format").text
	switch {
	case format == "decimal":
		return "decimal"
	case format == "date":
		return "date"
	case format == "date-time":
		return "instant"
	case slices.Equal(list, []string{"array"}):
		items, _ := c.plain(s.get("items"))
		return "array of " + c.typeName(items)
	case slices.Equal(list, []string{"object"}):
		if more := s.get("additionalProperties"); more.kind == object {
			inner, _ := c.plain(more)
			return "map of " + c.typeName(inner)
		}
		return "object"
	case len(list) == 0:
		if s.get("properties").kind == object || s.get("allOf").kind == array {
			return "object"
		}
		return "any JSON"
	}
	return strings.Join(list, " or ")
}

// limits describes the constraints on a value.
func limits(s value) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	between(s.get("minLength").text, s.get("maxLength").text, "character", add)
	between(s.get("minItems").text, s.get("maxItems").text, "item", add)
	between(s.get("minProperties").text, s.get("maxProperties").text, "entry", add)
	if n := s.at("propertyNames", "maxLength").text; n != "" {
		add("names of at most %s characters", n)
	}
	if n := s.at("additionalProperties", "maxLength").text; n != "" {
		add("values of at most %s characters", n)
	}
	switch low, high := s.get("minimum").text, s.get("maximum").text; {
	case low != "" && high != "":
		add("from %s to %s", low, high)
	case low != "":
		add("at least %s", low)
	case high != "":
		add("at most %s", high)
	}
	switch format := s.get("format").text; format {
	case "", "decimal", "date", "date-time":
	default:
		add("format %s", format)
	}
	return out
}

// pattern returns the regular expression that a value must match. That of an amount adds nothing
// and is omitted.
func pattern(s value) string {
	if s.get("format").text == "decimal" {
		return ""
	}
	return s.get("pattern").text
}

// between describes how many of something are allowed.
func between(low, high, what string, add func(format string, args ...any)) {
	switch {
	case low != "" && low != "0" && high != "":
		add("%s to %s", low, plural(high, what))
	case high != "":
		add("at most %s", plural(high, what))
	case low != "" && low != "0":
		add("at least %s", plural(low, what))
	}
}

func plural(n, what string) string {
	if n == "1" {
		return n + " " + what
	}
	return n + " " + several(what)
}

// several returns the plural of a noun.
func several(what string) string {
	if stem, found := strings.CutSuffix(what, "y"); found {
		return stem + "ies"
	}
	return what + "s"
}

// standalone returns a schema with everything it refers to, as a self-contained JSON Schema.
func (c *contract) standalone(schema value) value {
	defs := value{kind: object}
	var gather func(v value) value
	gather = func(v value) value {
		if ref := v.get("$ref"); ref.kind == text {
			name := ref.text[strings.LastIndex(ref.text, "/")+1:]
			if defs.get(name).kind == absent {
				target, err := c.deref(v)
				if err != nil {
					return value{kind: object}
				}
				defs = defs.with(name, value{kind: object}) // recursive types end here
				defs = defs.with(name, gather(target))
			}
			v = v.with("$ref", textValue("#/$defs/"+name))
		}
		out := value{kind: v.kind, text: v.text}
		for _, i := range v.items {
			out.items = append(out.items, gather(i))
		}
		for _, m := range v.members {
			if m.name != "examples" || m.value.kind != array { // shown next to it
				out.members = append(out.members, member{m.name, gather(m.value)})
			}
		}
		return out
	}
	body := gather(schema)
	out := value{kind: object, members: append([]member{{"$schema", textValue("https://json-schema.org/draft/2020-12/schema")}}, body.members...)}
	if len(defs.members) > 0 {
		out = out.with("$defs", defs)
	}
	return out
}
