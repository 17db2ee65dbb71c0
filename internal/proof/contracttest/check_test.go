package contracttest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/rest"
)

// fixedHeaders are on every response, or are HTTP's own: the document leaves them out.
var fixedHeaders = []string{
	"Cache-Control", "Connection", "Content-Length", "Content-Security-Policy", "Content-Type", "Pragma", "Referrer-Policy",
	"Strict-Transport-Security", "X-Content-Type-Options",
}

// note counts a response.
func (c *contract) note(op *operation, a answer) {
	c.requests++
	c.seen[fmt.Sprint(op.OperationID, " ", a.status)]++
	if code := a.code(); code != "" && a.status >= 400 {
		c.seen[fmt.Sprint(op.OperationID, " ", a.status, " ", code)]++
	}
}

// problems says what is wrong with a response.
func (c *contract) problems(r request, a answer) []string {
	var bad []string
	if a.status >= 500 && !r.fault {
		bad = append(bad, fmt.Sprintf("answered %d", a.status))
	}
	if r.method != "" && r.method != r.op.method { // a method other than the document's
		return append(bad, c.otherMethod(a)...)
	}
	ref := r.op.Responses.Value(strconv.Itoa(a.status))
	if ref == nil {
		return append(bad, fmt.Sprintf("status %d is not in the document", a.status))
	}
	bad = append(bad, headersOf(r, a, ref.Value)...)
	return append(bad, c.body(r, a, ref.Value)...)
}

// otherMethod checks the response to a method that the path does not have.
func (c *contract) otherMethod(a answer) []string {
	if a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") == "" {
		return []string{fmt.Sprintf("another method: %d, Allow %q", a.status, a.header.Get("Allow"))}
	}
	return nil
}

// headersOf checks that every header is in the document, and that every documented header is
// present.
func headersOf(r request, a answer, doc *openapi3.Response) (bad []string) {
	told := map[string]bool{}
	for name := range doc.Headers {
		told[http.CanonicalHeaderKey(name)] = true
	}
	for name, values := range a.header {
		limit := strings.HasPrefix(name, "Ratelimit") && a.status >= 400 // on an error they are omitted
		if !told[name] && !slices.Contains(fixedHeaders, name) && !limit {
			bad = append(bad, "header "+name+" is not in the document")
		}
		if len(values) != 1 || values[0] == "" {
			bad = append(bad, fmt.Sprintf("header %s: %q", name, values))
		}
	}
	need := func(condition bool, names ...string) {
		for _, name := range names {
			if condition && told[http.CanonicalHeaderKey(name)] != (a.header.Get(name) != "") {
				bad = append(bad, fmt.Sprintf("header %s: %q", name, a.header.Get(name)))
			}
		}
	}
	dry, replayed := a.header.Get("Preference-Applied") != "", a.header.Get("Idempotency-Replayed") != ""
	ok := a.status < 300
	need(true, "X-Request-Id")
	need(ok, "RateLimit", "RateLimit-Policy")
	need(ok && !dry, "ETag", "Location", "Commit-Seq")
	need(ok && (r.op.reads() || dry), "As-Of-Seq")
	need(a.status == 401, "WWW-Authenticate")
	need(a.status == 405, "Allow")
	need(a.status == 429 || a.status == 503, "Retry-After")
	if bytes.Contains(a.body, []byte(`"has_more":true`)) != (a.header.Get("Link") != "") {
		bad = append(bad, fmt.Sprintf("Link %q", a.header.Get("Link")))
	}
	if replayed && !r.has("Idempotency-Key") || dry && !r.has("Prefer") {
		bad = append(bad, "a replay or a dry run that nobody has asked for")
	}
	return append(bad, wellFormed(a, doc)...)
}

// wellFormed checks headers against their schemas, which are integer or string.
func wellFormed(a answer, doc *openapi3.Response) (bad []string) {
	for name, h := range doc.Headers {
		text := a.header.Get(name)
		if text == "" || !h.Value.Schema.Value.Type.Is("integer") {
			continue
		}
		if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < 0 {
			bad = append(bad, fmt.Sprintf("header %s: %q", name, text))
		}
	}
	return bad
}

func (r request) has(header string) bool {
	return slices.ContainsFunc(r.header, func(h [2]string) bool { return strings.EqualFold(h[0], header) && h[1] != "" })
}

// body checks a body against its schema.
func (c *contract) body(r request, a answer, doc *openapi3.Response) []string {
	if len(doc.Content) == 0 || a.status == http.StatusNotModified {
		if len(a.body) > 0 {
			return []string{"a body that is not in the document"}
		}
		return nil
	}
	kind, charset, _ := strings.Cut(a.header.Get("Content-Type"), "; ")
	if strings.HasPrefix(kind, "text/") != (charset == "charset=utf-8") || charset != "" && charset != "charset=utf-8" {
		return []string{"media type " + a.header.Get("Content-Type")}
	}
	media := doc.Content[kind]
	if media == nil && r.op.public && a.status == http.StatusServiceUnavailable && a.header.Get("Content-Type") == mediaProblem {
		media = openapi3.NewMediaType().WithSchemaRef(c.doc.Components.Schemas["Problem"]) // its description mentions it
	}
	if media == nil {
		return []string{fmt.Sprintf("media type %q is not in the document", a.header.Get("Content-Type"))}
	}
	if !strings.HasSuffix(kind, "json") {
		return otherForm(kind, a.body)
	}
	v, err := decode(a.body)
	if err != nil {
		return []string{err.Error()}
	}
	var bad []string
	if err := c.doc.ValidateSchemaJSON(media.Schema.Value, v); err != nil {
		bad = append(bad, "the body is not what the document says: "+err.Error())
	}
	if a.header.Get("Content-Type") == mediaProblem {
		return append(bad, problem(r, a)...)
	}
	return append(bad, untold(v, "", media.Schema.Value)...)
}

// otherForm checks that a body that is not JSON matches its media type.
func otherForm(kind string, body []byte) []string {
	ok := utf8.Valid(body) || kind == mediaPDF
	switch kind {
	case mediaPDF:
		ok = bytes.HasPrefix(body, []byte("%PDF-")) && bytes.HasSuffix(bytes.TrimSpace(body), []byte("%%EOF"))
	case "text/html":
		ok = ok && bytes.HasPrefix(body, []byte("<!doctype html>")) && bytes.HasSuffix(bytes.TrimSpace(body), []byte("</html>"))
	case "text/csv":
		rows, err := csv.NewReader(bytes.NewReader(body)).ReadAll() // as many fields in every row
		ok = ok && err == nil && len(rows) > 0
	case "text/plain":
	case "application/octet-stream": // a file can be anything
		ok = len(body) > 0
	default:
		ok = false // the check must be extended for it
	}
	if !ok {
		return []string{"the body is no " + kind}
	}
	return nil
}

// decode reads exactly one JSON document.
func decode(body []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("the body is no JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("the body has more than one document")
	}
	return v, nil
}

// problem checks a problem against RFC 9457 and the table of codes.
func problem(r request, a answer) (bad []string) {
	var p rest.ProblemBody
	if err := json.Unmarshal(a.body, &p); err != nil {
		return []string{err.Error()}
	}
	code, ok := httpapi.LookupCode(p.Code)
	if !ok || code.Status != a.status || p.Status != a.status || code.Title != p.Title {
		bad = append(bad, fmt.Sprintf("code %q, status %d, title %q", p.Code, p.Status, p.Title))
	}
	if p.Type != base+"/docs/errors/"+p.Code {
		bad = append(bad, "type "+p.Type)
	}
	own := a.header.Get("X-Request-Id") == p.RequestID && p.Instance == "/v1/requests/"+p.RequestID
	if !own && a.header.Get("Idempotency-Replayed") == "" { // a stored refusal names the first request
		bad = append(bad, fmt.Sprintf("request %s, instance %s, header %s", p.RequestID, p.Instance, a.header.Get("X-Request-Id")))
	}
	if p.Detail == "" {
		bad = append(bad, "no detail")
	}
	return bad
}

// untold returns members that are missing from the schemas. A response may have members that a
// reader does not know, but our document must include them all.
func untold(v any, at string, schemas ...*openapi3.Schema) (bad []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			sub, free := below(schemas, name)
			if len(sub) == 0 && !free {
				bad = append(bad, "member "+at+"/"+name+" is not in the document")
				continue
			}
			bad = append(bad, untold(x, at+"/"+name, sub...)...)
		}
	case []any:
		var items []*openapi3.Schema
		for _, s := range branches(schemas) {
			if s.Items != nil {
				items = append(items, s.Items.Value)
			}
		}
		for i, x := range v {
			bad = append(bad, untold(x, at+"/"+strconv.Itoa(i), items...)...)
		}
	}
	return bad
}

// branches returns schemas with all their alternatives and parts.
func branches(list []*openapi3.Schema) (all []*openapi3.Schema) {
	for _, s := range list {
		all = append(all, s)
		for _, group := range []openapi3.SchemaRefs{s.AllOf, s.AnyOf, s.OneOf} {
			for _, x := range group {
				all = append(all, branches([]*openapi3.Schema{x.Value})...)
			}
		}
	}
	return all
}

// below returns the schemas of a member. free means that any member is allowed, because no schema
// defines members at all.
func below(list []*openapi3.Schema, name string) (sub []*openapi3.Schema, free bool) {
	free = true
	for _, s := range branches(list) {
		if p := s.Properties[name]; p != nil {
			sub = append(sub, p.Value)
		}
		if s.AdditionalProperties.Schema != nil {
			sub = append(sub, s.AdditionalProperties.Schema.Value)
		}
		if len(s.Properties) > 0 || s.AdditionalProperties.Schema != nil {
			free = false
		}
	}
	return sub, free
}
