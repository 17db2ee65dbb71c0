package portal

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/ui/design"
)

// stages is the order in which a request is checked: the first stage that refuses it answers.
var stages = []string{
	"authentication", "rate", "route", "scope", "media type", "size", "syntax", "schema", "existence", "link",
	"idempotency", "precondition", "state", "rule",
}

// anyTime is the stage of errors that can occur at any point.
const anyTime = "any time"

// errorView is the page of one code.
type errorView struct {
	Code
	Stage      string
	Since      string
	Text       []node // meaning, causes, what to do
	Example    string // a problem document
	Stages     []stageRow
	Same       []codeRow // the codes of the same stage, in order, including this one
	Operations []navLink // that can respond with it
}

// Shown returns the example in color.
func (v errorView) Shown() design.Code {
	return design.Code{Badge: statusBadge(v.Status), Title: "Problem", Language: "json", Text: v.Example, Calm: true}
}

// stageRow is a stage in the list of stages.
type stageRow struct {
	Name string
	Here bool
}

// errorsView lists the codes by status.
type errorsView struct {
	Groups []problemsView
	Stages []stageRow
}

// group returns the heading for errors with a status.
func (c Code) group() string { return strconv.Itoa(c.Status) + " " + http.StatusText(c.Status) }

func (s *site) errorPages() []*page {
	pages := []*page{{
		path: "/docs/errors", title: "Errors", kind: "Page", summary: "Every error code: what it means and what to do.", template: "errors",
		view: func() any { return s.errorsView() },
	}}
	for _, c := range s.config.Codes {
		pages = append(pages, &page{
			path: "/docs/errors/" + c.Name, title: c.Name, kind: "Error", summary: c.Title, template: "error", beside: c.group(),
			text: "error code problem " + strings.ReplaceAll(c.Name, "_", " ") + " " + plainText(s.codeText[c.Name].nodes),
			view: func() any { return s.errorView(c) },
		})
	}
	return pages
}

func (s *site) errorsView() errorsView {
	v := errorsView{}
	for _, name := range stages {
		v.Stages = append(v.Stages, stageRow{Name: name})
	}
	for _, c := range s.config.Codes {
		if n := len(v.Groups); n == 0 || v.Groups[n-1].Status != c.Status {
			v.Groups = append(v.Groups, problemsView{Status: c.Status})
		}
		g := &v.Groups[len(v.Groups)-1]
		g.Codes = append(g.Codes, codeRow{Code: c, Path: "/docs/errors/" + c.Name})
	}
	return v
}

func (s *site) errorView(c Code) errorView {
	stage, nodes, members := readCode(s.codeText[c.Name].nodes)
	v := errorView{Code: c, Stage: stage, Since: s.since(c.Name), Text: nodes, Example: s.problem(c, members).pretty()}
	for _, name := range stages {
		v.Stages = append(v.Stages, stageRow{name, name == stage})
	}
	for _, other := range s.config.Codes {
		if at, _, _ := readCode(s.codeText[other.Name].nodes); at == stage && stage != "" {
			v.Same = append(v.Same, codeRow{Code: other, Path: "/docs/errors/" + other.Name})
		}
	}
	for _, op := range s.contract.operations {
		if slices.ContainsFunc(op.problems, func(p problems) bool { return slices.Contains(p.codes, c.Name) }) {
			v.Operations = append(v.Operations, navLink{op.name(), "/docs/api/" + op.id})
		}
	}
	return v
}

// readCode splits the text about a code: a first paragraph "Stage: rule", text, and a JSON block
// with the members of its problems.
func readCode(nodes []node) (stage string, rest []node, members value) {
	for _, n := range nodes {
		if said, ok := strings.CutPrefix(strings.TrimSpace(plainText([]node{n})), "Stage: "); ok && n.Kind == "p" && stage == "" {
			stage = strings.TrimSuffix(said, ".")
			continue
		}
		if n.Kind == "pre" && n.Lang == "json" {
			if v, err := parseValue([]byte(n.Text)); err == nil && v.kind == object {
				members = v
				continue
			}
		}
		rest = append(rest, n)
	}
	return stage, rest, members
}

// fix returns the first advice about a code, or none.
func (s *site) fix(name string) []node {
	nodes := s.codeText[name].nodes
	for i := range len(nodes) - 1 {
		if nodes[i].Kind != "heading" || strings.TrimSpace(plainText(nodes[i].Children)) != "What to do" {
			continue
		}
		advice := nodes[i+1]
		if len(advice.Children) > 0 && advice.Children[0].Kind == "li" {
			advice = advice.Children[0]
		}
		return advice.Children
	}
	return nil
}

// problem returns a document with the code, as the API would send it.
func (s *site) problem(c Code, members value) value {
	const id = "req_01KB0A4E7W0Q2S4V6X8Z0B2D4F"
	v := value{kind: object, members: []member{
		{"type", textValue(s.config.BaseURL + "/docs/errors/" + c.Name)},
		{"title", textValue(c.Title)},
		{"status", value{kind: number, text: strconv.Itoa(c.Status)}},
		{"detail", textValue(cmp.Or(members.get("detail").text, c.Title))},
		{"instance", textValue("/v1/requests/" + id)},
		{"code", textValue(c.Name)},
		{"request_id", textValue(id)},
	}}
	for _, m := range members.members {
		if m.name != "detail" {
			v.members = append(v.members, m)
		}
	}
	return v
}
