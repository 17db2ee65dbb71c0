package contracttest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tenor/internal/domain/outcome"
	"tenor/internal/edge/httpapi"
)

// TestLint checks that the document is complete: a developer who reads nothing else must find
// everything in it, and nothing false.
func TestLint(t *testing.T) {
	c := readContract(t)
	if err := c.doc.Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
	for _, bad := range append(c.bothForms(), c.lint()...) {
		t.Error(bad)
	}
}

func (c *contract) lint() []string {
	var bad []string
	bad = append(bad, c.wholeDocument()...)
	ids := map[string]bool{}
	for _, op := range c.ops {
		for _, x := range op.lint() {
			bad = append(bad, op.method+" "+op.path+": "+x)
		}
		if ids[op.OperationID] {
			bad = append(bad, "operationId "+op.OperationID+" twice")
		}
		ids[op.OperationID] = true
	}
	bad = append(bad, c.unusedComponents()...)
	return append(bad, c.webhooks()...)
}

// bothForms checks that JSON and YAML say the same.
func (c *contract) bothForms() []string {
	y, err := openapi3.NewLoader().LoadFromData(c.yml)
	if err != nil {
		return []string{"openapi.yaml: " + err.Error()}
	}
	a, errA := json.Marshal(c.doc)
	b, errB := json.Marshal(y)
	if errA != nil || errB != nil || string(a) != string(b) {
		return []string{fmt.Sprintf("openapi.json and openapi.yaml say different things (%v, %v)", errA, errB)}
	}
	return nil
}

// wholeDocument checks what is not specific to an operation.
func (c *contract) wholeDocument() (bad []string) {
	if i := c.doc.Info; i.Title == "" || i.Version == "" || i.Description == "" || i.License == nil || len(c.doc.Servers) == 0 {
		bad = append(bad, "the document does not say what it is about")
	}
	told := map[string]bool{}
	for _, tag := range c.doc.Tags {
		told[tag.Name] = true
	}
	used := map[string]bool{}
	for _, op := range c.ops {
		for _, name := range op.Tags {
			if used[name] = true; !told[name] {
				bad = append(bad, op.OperationID+": no tag "+name)
			}
		}
	}
	for name := range told {
		if !used[name] {
			bad = append(bad, "tag "+name+" is not used")
		}
	}
	for name, s := range c.doc.Components.Schemas {
		bad = append(bad, described(s.Value, "schema "+name, map[*openapi3.Schema]bool{})...)
	}
	return bad
}

// described checks that every member of a schema has a description.
func described(s *openapi3.Schema, at string, seen map[*openapi3.Schema]bool) (bad []string) {
	if seen[s] {
		return nil
	}
	seen[s] = true
	for name, p := range s.Properties {
		x := p.Value
		if p.Ref == "" && x.Description == "" && len(x.AnyOf) == 0 {
			bad = append(bad, at+"/"+name+" is not described")
		}
		if x.Type == nil && len(x.AnyOf)+len(x.OneOf)+len(x.AllOf) == 0 && p.Ref == "" && x.Description == "" {
			bad = append(bad, at+"/"+name+" has no type")
		}
		if p.Ref == "" {
			bad = append(bad, described(x, at+"/"+name, seen)...)
		}
	}
	if s.Type.Is("object") && len(s.Properties) > 0 && s.AdditionalProperties.Has != nil && !*s.AdditionalProperties.Has && len(s.Examples) == 0 && strings.Count(at, "/") == 0 {
		bad = append(bad, at+" has no example")
	}
	for _, name := range s.Required {
		if s.Properties[name] == nil {
			bad = append(bad, at+" requires "+name+", which it does not have")
		}
	}
	return bad
}

var camelCase = regexp.MustCompile(`^[a-z][a-zA-Z]+$`)

// lint returns what is wrong with an operation's description.
func (op *operation) lint() (bad []string) {
	say := func(condition bool, format string, args ...any) {
		if condition {
			bad = append(bad, fmt.Sprintf(format, args...))
		}
	}
	say(!camelCase.MatchString(op.OperationID), "operationId %q", op.OperationID)
	say(len(op.Summary) < 5 || len(op.Summary) > 80 || strings.HasSuffix(op.Summary, "."), "summary %q", op.Summary)
	say(len(op.Tags) != 1, "tags %v", op.Tags)
	say(op.Security == nil || len(*op.Security) == 0 && !op.public && !op.open, "security is not said")
	say(!op.public && !op.open && len(op.scopes) == 0, "no scope")
	for _, segment := range strings.Split(op.path, "/") {
		name := strings.Trim(segment, "{}")
		say(segment != name && op.parameter("path", name) == nil, "path parameter %s is not described", name)
	}
	for _, p := range op.Parameters {
		x := p.Value
		say(x.Description == "", "parameter %s is not described", x.Name)
		say(x.Schema == nil, "parameter %s has no schema", x.Name)
		say(x.In == "path" && (!x.Required || !strings.Contains(op.path, "{"+x.Name+"}")), "path parameter %s", x.Name)
	}
	if op.RequestBody != nil {
		for media, m := range op.RequestBody.Value.Content {
			say(m.Schema == nil, "body %s has no schema", media)
			say(m.Example == nil && strings.Contains(media, "json"), "body %s has no example", media)
		}
	}
	bad = append(bad, op.lintPairs()...)
	return append(bad, op.lintResponses()...)
}

// lintPairs checks statements that belong together: a status that only a header or a body can
// cause, and that header or body.
func (op *operation) lintPairs() (bad []string) {
	has := func(status string) bool { return op.Responses.Value(status) != nil }
	both := func(a, b bool, what string) {
		if a != b {
			bad = append(bad, what)
		}
	}
	if op.public {
		return nil
	}
	both(has("412"), op.parameter("header", "If-Match") != nil, "412, or If-Match, without the other")
	both(has("304"), op.parameter("header", "If-None-Match") != nil, "304, or If-None-Match, without the other")
	both(has("401"), !op.open, "401 of what asks for no token, or none")
	both(has("403"), len(op.scopes) > 0, "403, or a scope, without the other")
	both(has("413"), has("415"), "413 or 415 without the other")
	both(op.parameter("header", "Idempotency-Key") != nil, op.method == http.MethodPost || op.method == http.MethodPatch, "Idempotency-Key")
	if op.kind != "" && !has("404") {
		bad = append(bad, "an object in the path, and no 404")
	}
	for _, status := range []string{"400", "406", "429", "500", "503"} {
		both(has(status), true, "no "+status)
	}
	if (op.method == http.MethodPost || op.method == http.MethodPatch) && (!has("413") || !has("422")) {
		bad = append(bad, "a body, and no 413, 415 or 422")
	}
	return bad
}

// lintResponses requires a description, a request ID and a schema with an example for every
// response; and the codes, with their own status, for every problem.
func (op *operation) lintResponses() (bad []string) {
	for _, status := range op.statuses() {
		r := op.Responses.Value(strconv.Itoa(status)).Value
		at := strconv.Itoa(status)
		if r.Description == nil || *r.Description == "" {
			bad = append(bad, at+" is not described")
		}
		for name, h := range r.Headers {
			if h.Value.Description == "" || h.Value.Schema == nil {
				bad = append(bad, at+": header "+name+" is not described")
			}
		}
		if r.Headers["X-Request-Id"] == nil {
			bad = append(bad, at+" has no X-Request-Id")
		}
		if len(r.Content) == 0 && status != 204 && status != 304 {
			bad = append(bad, at+" has no body")
		}
		for media, m := range r.Content {
			if m.Schema == nil || m.Schema.Value.IsEmpty() {
				bad = append(bad, at+": "+media+" has no schema")
			}
			if status >= 400 && !op.public && media != mediaProblem {
				bad = append(bad, at+" is no problem")
			}
			if media == mediaProblem {
				bad = append(bad, codesOf(status, m)...)
			}
		}
	}
	return bad
}

func codesOf(status int, m *openapi3.MediaType) (bad []string) {
	if len(m.Schema.Value.AllOf) != 2 {
		return []string{fmt.Sprint(status, " does not tell its codes")}
	}
	codes := m.Schema.Value.AllOf[1].Value.Properties["code"].Value.Enum
	if len(codes) == 0 {
		return []string{fmt.Sprint(status, " has no code")}
	}
	for _, name := range codes {
		if code, ok := httpapi.LookupCode(name.(string)); !ok || code.Status != status {
			bad = append(bad, fmt.Sprint(status, " has the code ", name))
		}
	}
	return bad
}

var anyRef = regexp.MustCompile(`"\$ref":\s*"#/components/([a-zA-Z]+)/([^"]+)"`)

// unusedComponents returns components that nothing refers to. Schemes are named in security
// requirements.
func (c *contract) unusedComponents() (bad []string) {
	used := map[string]bool{"responses/MethodNotAllowed": true} // of a path, so no operation refers to it
	for _, m := range anyRef.FindAllStringSubmatch(string(c.json), -1) {
		used[m[1]+"/"+m[2]] = true
	}
	for _, op := range c.ops {
		for _, s := range *op.Security {
			for name := range s {
				used["securitySchemes/"+name] = true
			}
		}
	}
	var tree struct {
		Components map[string]map[string]any `json:"components"`
	}
	if err := json.Unmarshal(c.json, &tree); err != nil {
		return []string{err.Error()}
	}
	for kind, parts := range tree.Components {
		for name := range parts {
			if !used[kind+"/"+name] {
				bad = append(bad, "component "+kind+"/"+name+" is not used")
			}
		}
	}
	slices.Sort(bad)
	return bad
}

// webhooks checks that the document contains every event type that a command emits, and no other.
func (c *contract) webhooks() (bad []string) {
	want := map[string]bool{}
	for _, e := range outcome.EventTypes() {
		if want[string(e)] = true; c.doc.Webhooks[string(e)] == nil {
			bad = append(bad, "no webhook "+string(e))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.doc.Webhooks)) {
		if !want[name] {
			bad = append(bad, "webhook "+name+" is no event type")
			continue
		}
		post := c.doc.Webhooks[name].Post
		if post == nil || post.Summary == "" || post.RequestBody == nil || post.RequestBody.Value.Content[mediaJSON] == nil || len(post.Parameters) < 3 {
			bad = append(bad, "webhook "+name+" is not whole")
		}
	}
	return bad
}
