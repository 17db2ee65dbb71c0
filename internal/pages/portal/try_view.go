package portal

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"tenor/internal/ui/design"
)

// tryView is the form of an operation.
type tryView struct {
	ID, Method, Path string
	Token            bool // it needs an access token
	Operator         bool // of the lender
	Changes          bool // it may change something
	Needed, Optional []tryField
	Media            []string // of the body, if there are several
	Body             string
	HasBody          bool
	BodyNeeded       bool
}

// tryField is one value in a request.
type tryField struct {
	Name     string // of the form field: path.key
	Label    string
	Place    string // "path", "query" or "header"
	Doc      string // Markdown
	Value    string
	Choices  []string // the possible values, if limited
	Required bool
}

// lendersScope reports whether only a client of the lender can have a scope.
func lendersScope(s string) bool {
	return strings.HasPrefix(s, "operator:") || strings.HasSuffix(s, ":manage")
}

// tryView creates a form with the values sent before, or with those of the example. If it changes
// something, it has a key generated for the form: sent twice, it takes effect once.
func (s *site) tryView(op *operation, sent url.Values) *tryView {
	v := &tryView{
		ID: op.id, Method: op.method, Path: op.path, Token: op.access == token, Changes: op.method != http.MethodGet,
		Operator: slices.ContainsFunc(op.scopes, lendersScope),
		HasBody:  len(op.body.media) > 0, BodyNeeded: op.body.required,
	}
	if len(op.body.media) > 1 {
		v.Media = op.body.media
	}
	if v.Body = sent.Get("body"); sent == nil && v.HasBody {
		v.Body = newCall(op, s.examples[op.id]).body.example()
	}
	for _, place := range []string{"path", "query", "header"} {
		for _, p := range op.in(place) {
			if general(p) {
				continue
			}
			f := tryField{
				Name: place + "." + p.name, Label: p.name, Place: place, Doc: p.doc, Required: p.required,
				Choices: s.contract.field(p.schema).Enum, Value: sent.Get(place + "." + p.name),
			}
			switch {
			case p.name == "Idempotency-Key":
				f.Value = "try-" + rand.Text()
			case sent == nil && place == "path":
				f.Value = usualValues[p.name]
			}
			if f.Required || p.name == "Idempotency-Key" {
				v.Needed = append(v.Needed, f)
			} else {
				v.Optional = append(v.Optional, f)
			}
		}
	}
	return v
}

// example returns a body as shown in a form, empty if there is none.
func (v value) example() string {
	if v.kind == absent {
		return ""
	}
	return v.pretty()
}

// attemptView is the page of a sent request.
type attemptView struct {
	Operation navLink
	Refusal   string // why nothing was sent; then all except the form is empty
	Method    string
	Target    string
	Request   string
	Status    int
	Text      string // "Created"
	Problem   codeRow
	Headers   []headerRow
	Body      string
	JSON      bool   // the body is JSON
	Note      string // why the body is incomplete
	Key       string // the Idempotency-Key sent
	Try       *tryView
}

// BodyCode returns the body in color.
func (v attemptView) BodyCode() design.Code {
	c := design.Code{Badge: statusBadge(v.Status), Title: v.Text, Text: v.Body, Calm: true}
	if v.JSON {
		c.Language = "json"
	}
	return c
}

// RequestCode returns the request as sent.
func (v attemptView) RequestCode() design.Code {
	return design.Code{Title: "HTTP", Text: v.Request}
}

// headerRow is a response header.
type headerRow struct{ Name, Value string }

func (s *site) attemptView(a *attempt) attemptView {
	v := attemptView{
		Operation: navLink{a.op.name(), "/docs/api/" + a.op.id}, Method: a.op.method, Target: a.target(), Request: a.request,
		Status: a.answer.status, Text: http.StatusText(a.answer.status), Key: a.values.Get("header.Idempotency-Key"), Try: s.tryView(a.op, a.values),
	}
	for _, name := range slices.Sorted(maps.Keys(a.answer.header)) {
		v.Headers = append(v.Headers, headerRow{name, strings.Join(a.answer.header[name], ", ")})
	}
	body, media := a.answer.body.Bytes(), a.answer.header.Get("Content-Type")
	kept, _, err := mime.ParseMediaType(media)
	switch read, invalid := parseValue(body); {
	case a.answer.size > len(body):
		v.Note = fmt.Sprintf("These are the first %d of its %d bytes.", len(body), a.answer.size)
		v.Body = strings.ToValidUTF8(string(body), "")
	case invalid == nil:
		v.Body, v.JSON = read.pretty(), true
		if code := read.get("code").text; err == nil && kept == "application/problem+json" {
			v.Problem = s.codeRow(code, a.answer.status)
		}
	case utf8.Valid(body):
		v.Body = string(body)
	default:
		v.Note = fmt.Sprintf("It has %d bytes of %s, which is no text.", a.answer.size, cmp.Or(media, "no media type"))
	}
	return v
}
