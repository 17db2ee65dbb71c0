package clientgen

import (
	"fmt"
	"slices"
	"strings"
)

// source generates a struct.
func (t *structure) source() string {
	var b strings.Builder
	doc := t.doc
	if doc == "" {
		doc = t.name + " is a part of a resource."
	}
	b.WriteString(comment("", doc))
	fmt.Fprintf(&b, "type %s struct {\n", t.name)
	if t.served {
		b.WriteString("Raw\n")
	}
	for _, f := range t.fields {
		rule := ""
		if f.rule != "" {
			rule = "," + f.rule
		}
		b.WriteString(comment("\t", f.doc))
		fmt.Fprintf(&b, "%s %s `json:%q`\n", f.name, f.kind, f.json+rule)
	}
	if t.change {
		b.WriteString("\t// Clear names the members that are set to null.\nClear []string `json:\"-\"`\n")
	}
	b.WriteString("}\n\n")
	if t.change {
		fmt.Fprintf(&b, "// MarshalJSON writes what is set, and null for what Clear names.\nfunc (x %s) MarshalJSON() ([]byte, error) {\ntype plain %s\nreturn cleared(plain(x), x.Clear)\n}\n\n", t.name, t.name)
	}
	return b.String()
}

// source generates a filter.
func (f *filter) source() string {
	var b strings.Builder
	b.WriteString(comment("", f.name+" narrows a list. Members that are not set do not, and those that a list does not know are left out."))
	fmt.Fprintf(&b, "type %s struct {\n", f.name)
	for _, x := range f.fields {
		b.WriteString(comment("\t", x.doc))
		fmt.Fprintf(&b, "%s %s\n", x.name, x.kind)
	}
	b.WriteString("}\n\n")
	return b.String()
}

// source generates a method, and those derived from it.
func (m *method) source() string {
	var b strings.Builder
	if !m.onlyFile {
		b.WriteString(m.plain())
	}
	if m.walks {
		b.WriteString(m.walk())
	}
	if len(m.files) > 0 {
		b.WriteString(m.file())
	}
	return b.String()
}

// plain makes the call and decodes its response.
func (m *method) plain() string {
	options := "options"
	if m.slow {
		options = "slowly(options)"
	}
	result, call := "error", ""
	prelude, path := m.queries()
	verb := "http.Method" + m.verb[:1] + strings.ToLower(m.verb[1:])
	body := m.body
	if body == "" {
		body = "nil"
	}
	switch {
	case m.upload:
		result = "(*" + m.result + ", error)"
		call = fmt.Sprintf("return upload[%s](ctx, c, %s, mediaType, data, %s)", m.result, path, options)
	case m.item != "":
		result = "(*" + m.result + ", error)"
		call = fmt.Sprintf("return list[%s](ctx, c, %s, q, %s)", m.item, path, options)
	case m.result == "":
		call = fmt.Sprintf("_, err := c.Do(ctx, %s, %s, %s, %s...)\nreturn err", verb, path, body, options)
	default:
		result = "(*" + m.result + ", error)"
		if prelude != "" {
			path = "q.on(" + path + ")"
		}
		call = fmt.Sprintf("return send[%s](ctx, c, %s, %s, %s, %s)", m.result, verb, path, body, options)
	}
	if m.item != "" && prelude == "" {
		prelude = "q := query{}\n"
	}
	return comment("", m.doc) + fmt.Sprintf("func (c *Client) %s(%s) %s {\n%s%s\n}\n\n", m.name, m.signature(true), result, prelude, call)
}

// signature returns a list of parameters.
func (m *method) signature(page bool) string {
	all := []argument{{name: "ctx", kind: "context.Context"}}
	all = append(all, m.args...)
	if m.filter != "" {
		all = append(all, argument{name: "filter", kind: m.filter})
	}
	if m.paged && page {
		all = append(all, argument{name: "page", kind: "Paging"})
	}
	if page {
		all = append(all, argument{name: "options", kind: "...Option"})
	}
	var b strings.Builder
	for i, a := range all {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(a.name)
		if i+1 == len(all) || all[i+1].kind != a.kind {
			b.WriteString(" " + a.kind)
		}
	}
	return b.String()
}

// queries fills the query, if there is one.
func (m *method) queries() (prelude, path string) {
	path = m.address()
	if len(m.query) == 0 && !m.paged {
		return "", path
	}
	var b strings.Builder
	b.WriteString("q := query{}\n")
	for _, a := range m.query {
		value := a.name
		if m.filter != "" {
			value = "filter." + memberName(a.json)
		}
		switch a.kind {
		case "int64":
			fmt.Fprintf(&b, "q.number(%q, %s)\n", a.json, value)
		case "int":
			fmt.Fprintf(&b, "q.number(%q, int64(%s))\n", a.json, value)
		case "bool":
			fmt.Fprintf(&b, "q.flag(%q, %s)\n", a.json, value)
		case "time.Time":
			fmt.Fprintf(&b, "q.instant(%q, %s)\n", a.json, value)
		case "Amount":
			fmt.Fprintf(&b, "q.text(%q, string(%s))\n", a.json, value)
		default:
			fmt.Fprintf(&b, "q.text(%q, %s)\n", a.json, value)
		}
	}
	if m.paged {
		b.WriteString("q.paging(page)\n")
	}
	return b.String(), path
}

// address returns the path as an expression.
func (m *method) address() string {
	if !strings.Contains(m.path, "{") {
		return fmt.Sprintf("%q", m.path)
	}
	var parts []string
	for p := range strings.SplitSeq(strings.TrimPrefix(m.path, "/"), "/") {
		if strings.HasPrefix(p, "{") {
			parts = append(parts, argumentName(strings.Trim(p, "{}")))
		} else {
			parts = append(parts, fmt.Sprintf("%q", p))
		}
	}
	return "at(" + strings.Join(parts, ", ") + ")"
}

// names returns the arguments of a call to the method itself.
func (m *method) names() string {
	names := []string{"ctx"}
	for _, a := range m.args {
		names = append(names, a.name)
	}
	if m.filter != "" {
		names = append(names, "filter")
	}
	return strings.Join(names, ", ")
}

// walk walks all pages.
func (m *method) walk() string {
	name := strings.TrimPrefix(m.name, "List")
	return comment("", fmt.Sprintf("%s walks all pages of %s.", name, m.name)) +
		fmt.Sprintf("func (c *Client) %s(%s) iter.Seq2[*%s, error] {\nreturn each(func(page Paging) (*%s, error) { return c.%s(%s, page) })\n}\n\n",
			name, m.signature(false), m.item, m.result, m.name, m.names())
}

// file writes another media type of a resource.
func (m *method) file() string {
	name, doc := m.name+"File", fmt.Sprintf("%sFile writes what %s answers as %s.", m.name, m.name, strings.Join(m.files, " or "))
	if strings.HasPrefix(m.id, "export") {
		name = methodName(m.id)
		doc = name + strings.TrimPrefix(doc, m.name+"File")
	}
	if m.onlyFile {
		name, doc = m.name, m.doc
	}
	f := *m
	media := fmt.Sprintf("%q", m.files[0])
	f.args = slices.Clone(m.args)
	if len(m.files) > 1 || m.files[0] != "application/octet-stream" {
		f.args = append(f.args, argument{name: "mediaType", kind: "string"})
		media = "mediaType"
	}
	f.args = append(f.args, argument{name: "w", kind: "io.Writer"})
	prelude, path := m.queries()
	if prelude != "" {
		path = "q.on(" + path + ")"
	}
	return comment("", doc) + fmt.Sprintf("func (c *Client) %s(%s) error {\n%s_, err := c.Download(ctx, %s, %s, w, options...)\nreturn err\n}\n\n",
		name, f.signature(true), prelude, path, media)
}
