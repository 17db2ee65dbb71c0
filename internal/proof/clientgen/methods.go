package clientgen

import (
	"fmt"
	"slices"
	"strings"
)

// method is a method of the client.
type method struct {
	name, tag, doc string
	id             string
	verb, path     string
	args           []argument
	query          []argument // arguments and filter members that go into the query
	filter         string     // type of the filter, "" without one
	paged          bool
	body           string // an expression, "" if none
	result         string // type of the result, "" if none
	item           string // for a list: type of its elements
	slow           bool
	files          []string // media types other than JSON
	upload         bool     // the body is a file
	onlyFile       bool     // there is no JSON
	walks          bool     // another method walks all its pages
}

type argument struct{ name, kind, json string }

// filter is the filter of one kind of list.
type filter struct {
	name, tag string
	fields    []field
}

// generator generates the client for a document.
type generator struct {
	structs structs
	methods []*method
	filters []*filter
}

// method generates the method of an operation.
func (g *generator) method(o *operation) error {
	m := &method{
		name: methodName(o.ID), id: o.ID, tag: o.tag(), verb: o.verb, path: o.path, slow: o.slow, files: o.answer().others(),
		doc: strings.TrimSpace(says(methodName(o.ID), o.Summary) + "\n\n" + o.Description),
	}
	for _, p := range o.Parameters {
		if p.In == "path" {
			m.args = append(m.args, argument{argumentName(p.Name), "string", ""})
		}
	}
	g.answer(m, o)
	g.body(m, o)
	g.parameters(m, o)
	if strings.HasPrefix(o.ID, "export") {
		m.name = plural(m.item) // ExportEntries is the file
	}
	g.methods = append(g.methods, m)
	return g.structs.err
}

func (g *generator) answer(m *method, o *operation) {
	s := o.answer().media("application/json")
	if s == nil {
		m.onlyFile = len(m.files) > 0
		return
	}
	name, _ := s.refers()
	if list, ok := g.structs.schemas.get(name); ok && strings.HasSuffix(name, "List") {
		data, _ := list.Properties.get("data")
		item, _ := data.Items.refers()
		m.item = g.structs.add(item, use{tag: m.tag, operation: o.ID})
		m.result = "Page[" + m.item + "]"
		return
	}
	m.result = g.structs.add(name, use{tag: m.tag, operation: o.ID})
}

// body turns what an operation reads into arguments.
func (g *generator) body(m *method, o *operation) {
	writes := m.verb != "GET" && m.verb != "DELETE"
	s := o.Body.media("application/json")
	switch {
	case !writes:
		return
	case s == nil && len(o.Body.others()) > 0:
		m.upload = true
		m.args = append(m.args, argument{"mediaType", "string", ""}, argument{"data", "[]byte", ""})
		return
	case s == nil:
		m.body = "struct{}{}"
		return
	}
	name, _ := s.refers()
	x, _ := g.structs.schemas.get(name)
	if x == nil {
		return
	}
	if flat(x) {
		m.body = g.flattened(m, x)
		return
	}
	u := use{tag: m.tag, operation: o.ID, sent: true, change: strings.HasSuffix(name, "Patch"), put: m.verb == "PUT"}
	own := g.structs.add(name, u)
	arg := "request"
	if strings.HasSuffix(own, "Change") {
		arg = "change"
	}
	m.args = append(m.args, argument{arg, own, ""})
	m.body = arg
}

// mostArguments is the maximum number of members of a body that become arguments.
const mostArguments = 3

func flat(x *schema) bool {
	return len(x.Properties) <= mostArguments && len(x.Required) == len(x.Properties)
}

// flattened turns each member of a body into an argument.
func (g *generator) flattened(m *method, x *schema) string {
	var members []string
	for _, p := range x.Properties {
		name := argumentName(p.name)
		kind := g.structs.kind(memberName(p.name), p.value, use{tag: m.tag, operation: m.id, sent: true}, true)
		m.args = append(m.args, argument{name, kind, ""})
		if kind == "time.Time" {
			name += ".UTC()"
		}
		members = append(members, fmt.Sprintf("%q: %s", p.name, name))
	}
	return "map[string]any{" + strings.Join(members, ", ") + "}"
}

// parameters turns the query into a filter, or arguments.
func (g *generator) parameters(m *method, o *operation) {
	var query []argument
	var fields []field
	for _, p := range o.Parameters {
		switch {
		case p.In != "query" || p.Name == "limit" || p.Name == "as_of" && p.Schema.Format == "": // an option: AsOf
		case p.Name == "cursor":
			m.paged = true
		default:
			kind := strings.TrimPrefix(g.structs.kind("", p.Schema, use{}, true), "*")
			if p.Schema.digits() {
				kind = "int64"
			}
			query = append(query, argument{argumentName(p.Name), kind, p.Name})
			fields = append(fields, field{name: memberName(p.Name), json: p.Name, kind: kind, doc: sentence(p.Description, p.Schema)})
		}
	}
	m.query = query
	switch {
	case m.paged && len(query) > 0:
		m.filter = g.filter(m.item, m.tag, fields)
	case !m.paged:
		m.args = append(m.args, query...)
	}
}

// digits reports whether a text is a number: a company's ID is one in a resource.
func (s *schema) digits() bool { return strings.HasPrefix(s.Pattern, "^[1-9][0-9]{") }

// filter returns the filter shared by all lists with such elements.
func (g *generator) filter(item, tag string, fields []field) string {
	name := item + "Filter"
	if own, ok := filterNames()[item]; ok {
		name = own + "Filter"
	}
	at := slices.IndexFunc(g.filters, func(f *filter) bool { return f.name == name })
	if at < 0 {
		at = len(g.filters)
		g.filters = append(g.filters, &filter{name: name, tag: tag})
	}
	f := g.filters[at]
	for _, x := range fields {
		if !slices.ContainsFunc(f.fields, func(o field) bool { return o.json == x.json }) {
			f.fields = append(f.fields, x)
		}
	}
	return name
}
