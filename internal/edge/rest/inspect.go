package rest

import "reflect"

// Document is a body that an operation accepts or answers with, or all parameters of its
// path and query: for tests that check every member of a contract.
type Document struct {
	Operation string
	Part      string // "request", "answer", "dry run", "path" or "query"
	Member           // the document as a whole, without a name
}

// Documents returns all documents of an API, except those of operations that answer by
// themselves.
func (a *API) Documents() []Document {
	var all []Document
	for _, op := range a.ops {
		add := func(part string, r *rule) {
			if r != nil {
				all = append(all, Document{op.ID, part, Member{rule: r, masking: &a.config.Contract.Masking}})
			}
		}
		if op.Raw != nil {
			continue
		}
		add("request", op.body.root)
		add("answer", op.answer)
		add("dry run", op.dryAnswer)
		for _, in := range []string{"path", "query"} {
			root := &rule{kind: kindObject}
			for _, p := range op.params.list {
				if p.in == in {
					root.members = append(root.members, member{name: p.name, rule: p.rule})
				}
			}
			add(in, root)
		}
	}
	return all
}

// Mask returns what the request log shows of the document, with the marks of what it masks.
func (d Document) Mask(body []byte, mark func(text string) string) (masked []byte, marks map[string]string) {
	return d.masking.json(d.rule, body, mark)
}

// Member is one value of a document.
type Member struct {
	Name    string
	rule    *rule
	masking *Masking
}

// Kind is "object", "array", "map", "any", "text", "boolean", "number" or "value": one of
// the API's own kinds, or an instant, that is not a number.
func (m Member) Kind() string {
	switch m.rule.kind {
	case kindObject:
		return "object"
	case kindArray:
		return "array"
	case kindMap:
		return "map"
	case kindAny:
		return "any"
	case kindString:
		return "text"
	case kindBool:
		return "boolean"
	case kindInt:
		return "number"
	case kindValue:
		if m.rule.value.Numeric {
			return "number"
		}
	}
	return "value"
}

// Members returns those of an object.
func (m Member) Members() []Member {
	var list []Member
	for _, x := range m.rule.members {
		list = append(list, Member{x.name, x.rule, m.masking})
	}
	return list
}

// Elem is the element of an array; it has the array's name.
func (m Member) Elem() Member { return Member{m.Name, m.rule.elem, m.masking} }

// Enum returns the allowed words of a text; nil: any.
func (m Member) Enum() []string { return m.rule.enum }

// Takes reports whether a text is a valid value of the member.
func (m Member) Takes(text string) bool {
	return m.rule.setText(reflect.New(m.rule.typ).Elem(), text) == nil
}

// Shows reports whether the request log shows a text in the member.
func (m Member) Shows(text string) bool { return m.masking.plain(m.rule, m.Name, text) }
