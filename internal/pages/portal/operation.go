package portal

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/ui/design"
)

// operationView is the page of one operation.
type operationView struct {
	ID, Method, Path, Tag string
	Doc                   string // Markdown
	Deprecated            bool
	Token, Credentials    bool // the caller's authentication, if any
	Facts                 []fact
	Parameters            []parameterGroup
	Body                  bodyView
	Answer                answerView
	Snippets              []snippet
	Try                   *tryView // nil: no form
	Problems              []problemsView
	States                []stateGroup
	Events                []emission
}

// fact is a line about an operation.
type fact struct {
	Label string
	Text  []node
}

type parameterGroup struct {
	Title  string
	Fields []field
}

type bodyView struct {
	Media    []string
	Required bool
	Fields   []field
}

type answerView struct {
	Status  int
	Text    string // "Created"
	Media   []string
	Headers []field
	Fields  []field
	Example string // JSON
	// Recorded means that the example is a real response, and not the contract's, which has every
	// member.
	Recorded bool
	Shown    bool // the contract has a success
}

// Code returns the example in color.
func (v answerView) Code() design.Code {
	return design.Code{Badge: statusBadge(v.Status), Title: v.Text, Language: "json", Text: v.Example, Calm: true, Bounded: true}
}

// statusBadge returns an HTTP status as a badge.
func statusBadge(status int) *design.Badge {
	b := &design.Badge{Tone: design.Good, Text: strconv.Itoa(status)}
	if status >= 300 {
		b.Tone = design.Bad
	}
	return b
}

// Tabs returns the snippets in color.
func (v operationView) Tabs() design.Tabs {
	t := design.Tabs{Label: "Language"}
	for _, s := range v.Snippets {
		t.Code = append(t.Code, design.Code{Title: s.Language, Language: s.Name, Text: s.Code, Bounded: true})
	}
	return t
}

type problemsView struct {
	Status int
	Codes  []codeRow
	Text   string // Markdown, in place of codes without pages
}

// codeRow is a code in a list.
type codeRow struct {
	Code
	Path string
	Fix  []node // the first advice
}

// emission is an event that an operation emits, or an operation that emits an event.
type emission struct {
	Doing     string // what the operation does: "capture"
	Always    []navLink
	Sometimes []conditional
}

type conditional struct {
	navLink
	Condition string // may be Markdown
}

// generalHeaders are described once, on the overview page of operations.
var generalHeaders = []string{"X-Request-Id", "traceparent"}

func (s *site) operationPages() []*page {
	pages := []*page{{
		path: "/docs/api", title: "Operations", kind: "Page", summary: "Every operation of the HTTP interface.", template: "operations",
		view: func() any { return s.operationsView() },
	}}
	for _, op := range s.contract.operations {
		pages = append(pages, &page{
			path: "/docs/api/" + op.id, title: op.name(), kind: "Operation", summary: op.method + " " + op.path, template: "operation", beside: cmp.Or(op.tag, "Other"),
			text: strings.Join(append(append([]string{op.id, op.doc, op.tag}, op.scopes...), s.memberNames(op)...), " "),
			view: func() any { return s.operationView(op) },
		})
	}
	return pages
}

func general(p parameter) bool { return slices.Contains(generalHeaders, p.name) }

func (op *operation) name() string { return cmp.Or(op.summary, op.id) }

// memberNames returns what a search finds an operation by.
func (s *site) memberNames(op *operation) []string {
	var names []string
	for _, p := range op.parameters {
		if !general(p) {
			names = append(names, p.name)
		}
	}
	for _, f := range s.contract.fields(op.body.schema) {
		names = append(names, f.Name)
	}
	return names
}

// operationsView lists the operations by tag.
type operationsView struct {
	Tags    []tagView
	Hosts   string  // the server's address
	General []field // headers allowed on every request
	Try     bool    // the pages have forms
}

type tagView struct {
	Tag        string
	ID         string // anchor
	Operations []operationRow
}

type operationRow struct {
	ID, Method, Path, Name string
	Scopes                 []string
}

func (s *site) operationsView() operationsView {
	v := operationsView{Hosts: s.config.BaseURL, Try: s.config.Try != nil}
	for _, op := range s.contract.operations {
		if len(v.General) == 0 {
			v.General = s.parameterFields(slices.DeleteFunc(op.in("header"), func(p parameter) bool { return !general(p) }))
		}
		tag := cmp.Or(op.tag, "Other")
		i := slices.IndexFunc(v.Tags, func(t tagView) bool { return t.Tag == tag })
		if i < 0 {
			v.Tags = append(v.Tags, tagView{Tag: tag, ID: slug(tag)})
			i = len(v.Tags) - 1
		}
		v.Tags[i].Operations = append(v.Tags[i].Operations, operationRow{op.id, op.method, op.path, op.name(), op.scopes})
	}
	slices.SortStableFunc(v.Tags, func(a, b tagView) int {
		return cmp.Compare(slices.Index(s.contract.tags, a.Tag), slices.Index(s.contract.tags, b.Tag))
	})
	return v
}

func (s *site) operationView(op *operation) operationView {
	v := operationView{
		ID: op.id, Method: op.method, Path: op.path, Tag: op.tag, Doc: op.doc, Deprecated: op.deprecated,
		Token: op.access == token, Credentials: op.access == credentials,
		Parameters: s.parameterGroups(op),
		Body:       bodyView{op.body.media, op.body.required, s.contract.fields(op.body.schema)},
		Answer:     s.answerView(op),
		Facts:      s.facts(op),
		States:     s.states(op.id),
		Events:     s.emissions(op.id),
	}
	for _, group := range op.problems {
		g := problemsView{Status: group.status}
		if len(group.codes) == 0 {
			g.Text = group.description
		}
		for _, name := range group.codes {
			row := s.codeRow(name, group.status)
			row.Fix = s.fix(name)
			g.Codes = append(g.Codes, row)
		}
		v.Problems = append(v.Problems, g)
	}
	v.Snippets = newCall(op, s.examples[op.id]).snippets()
	if s.config.Try != nil && op.mayBeTried() {
		v.Try = s.tryView(op, nil)
	}
	return v
}

// codeRow finds a code in the table. One that is missing has no page.
func (s *site) codeRow(name string, status int) codeRow {
	for _, c := range s.config.Codes {
		if c.Name == name {
			return codeRow{Code: c, Path: "/docs/errors/" + name}
		}
	}
	return codeRow{Code: Code{Name: name, Status: status}}
}

func (s *site) parameterGroups(op *operation) []parameterGroup {
	var groups []parameterGroup
	for _, g := range []struct{ in, title string }{{"path", "In the path"}, {"query", "In the query"}, {"header", "In headers"}} {
		fields := s.parameterFields(slices.DeleteFunc(op.in(g.in), general))
		if len(fields) > 0 {
			groups = append(groups, parameterGroup{g.title, fields})
		}
	}
	return groups
}

func (s *site) parameterFields(list []parameter) []field {
	var fields []field
	for _, p := range list {
		f := s.contract.field(p.schema)
		f.Name, f.Required, f.Doc = p.name, p.required, p.doc
		fields = append(fields, f)
	}
	return fields
}

func (s *site) answerView(op *operation) answerView {
	a, ok := op.success()
	if !ok {
		return answerView{}
	}
	example := a.example
	e := s.examples[op.id]
	if e.answer.kind != absent {
		example = e.answer
	}
	status := cmp.Or(e.Status, a.status)
	v := answerView{
		Status: status, Text: http.StatusText(status), Media: a.media, Headers: s.parameterFields(a.headers),
		Fields: s.contract.answerFields(a.schema), Recorded: e.answer.kind != absent, Shown: true,
	}
	if example.kind != absent {
		v.Example = example.pretty()
	}
	return v
}
