package rest

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Info is the OpenAPI document's information about the whole API.
type Info struct {
	Title       string
	Version     string
	Description string // Markdown
	License     string // SPDX identifier
	Servers     []string
	// Security is the security schemes, a JSON object by name. The layer knows one, bearer,
	// with the scopes of operations. Empty: only that one.
	Security string
	Webhooks []Webhook
	// Examples were recorded from the API, by operation or event type. Missing ones are
	// generated from the members' tags.
	Examples map[string]Recorded
}

// Recorded is a recorded request and its answer: JSON texts, nil if there was none.
type Recorded struct {
	Body   jsontext.Value `json:"body"`
	Answer jsontext.Value `json:"answer"`
}

// Webhook is one event type in the document.
type Webhook struct {
	Type    string // "book.added"
	Summary string
	Payload any // zero value of the envelope's type
}

// OpenAPI writes the OpenAPI 3.1 document of the table, as JSON and as YAML. The same table
// gives the same bytes.
func (a *API) OpenAPI(info Info) (jsonDoc, yamlDoc []byte, err error) {
	d := document{schemas: newSchemas(), recorded: info.Examples, types: a.types, contract: &a.config.Contract, security: info.Security, repeated: map[string]int{}, problems: map[string]object{}}
	root, err := d.build(info, a.ops)
	if err != nil {
		return nil, nil, fmt.Errorf("openapi: %w", err)
	}
	if jsonDoc, err = treeJSON(root); err != nil {
		return nil, nil, fmt.Errorf("openapi: %w", err)
	}
	if yamlDoc, err = treeYAML(root); err != nil {
		return nil, nil, fmt.Errorf("openapi: %w", err)
	}
	return jsonDoc, yamlDoc, nil
}

type document struct {
	types    types
	contract *Contract
	security string
	schemas  *schemas
	recorded map[string]Recorded
	repeated map[string]int    // number of operations with a response, by its ownName
	problems map[string]object // those shared by several, by name
}

func (d *document) build(info Info, ops []*operation) (object, error) {
	if err := d.note(info, ops); err != nil {
		return nil, err
	}
	d.countProblems(ops)
	paths, err := d.paths(ops)
	if err != nil {
		return nil, err
	}
	hooks, err := d.webhooks(info.Webhooks)
	if err != nil {
		return nil, err
	}
	components, err := d.components(paths, hooks)
	if err != nil {
		return nil, err
	}
	servers := []any{}
	for _, s := range info.Servers {
		servers = append(servers, object{{"url", s}})
	}
	head := object{{"title", info.Title}, {"version", info.Version}}.with("description", info.Description)
	if info.License != "" {
		head = append(head, pair{"license", object{{"name", info.License}, {"identifier", info.License}}})
	}
	return object{{"openapi", "3.1.0"}, {"info", head}}.
		with("servers", servers).
		with("security", []any{object{{"bearer", []any{}}}}).
		with("tags", tags(ops)).
		with("paths", paths).
		with("webhooks", hooks).
		with("components", components), nil
}

// note walks over every type first, since the name of a schema depends on whether its type
// is used in both directions.
func (d *document) note(info Info, ops []*operation) error {
	out := func(v any) error { return d.noteType(v, outward) }
	for _, op := range ops {
		if op.Raw != nil {
			continue
		}
		if op.hasBody() {
			d.schemas.note(op.body.root, inward)
		}
		if op.Response != nil {
			if err := out(op.Response); err != nil {
				return fmt.Errorf("operation %s: %w", op.ID, err)
			}
		}
		if op.Stream != nil {
			if err := d.noteType(op.Stream, inward); err != nil {
				return fmt.Errorf("operation %s: stream: %w", op.ID, err)
			}
		}
		if op.DryRun != nil {
			if err := d.noteType(op.DryRun, predicted); err != nil {
				return fmt.Errorf("operation %s: dry run: %w", op.ID, err)
			}
		}
	}
	for _, w := range info.Webhooks {
		if err := out(w.Payload); err != nil {
			return fmt.Errorf("webhook %s: %w", w.Type, err)
		}
	}
	if err := out(ProblemBody{}); err != nil {
		return err
	}
	return d.schemas.assign()
}

func (d *document) noteType(v any, dir direction) error {
	r, err := d.types.rule(reflect.TypeOf(v), "")
	if err == nil {
		d.schemas.note(r, dir)
	}
	return err
}

func tags(ops []*operation) []any {
	var seen []string
	var list []any
	for _, op := range ops {
		if op.Tag != "" && !slices.Contains(seen, op.Tag) {
			seen = append(seen, op.Tag)
			list = append(list, object{{"name", op.Tag}})
		}
	}
	return list
}

func (d *document) paths(ops []*operation) (object, error) {
	byPath := map[string]object{}
	var order []string
	for _, op := range ops {
		o, err := d.operation(op)
		if err != nil {
			return nil, fmt.Errorf("operation %s: %w", op.ID, err)
		}
		if _, ok := byPath[op.Path]; !ok {
			order = append(order, op.Path)
		}
		byPath[op.Path] = append(byPath[op.Path], pair{strings.ToLower(op.Method), o})
	}
	slices.Sort(order)
	paths := object{}
	for _, p := range order {
		paths = append(paths, pair{p, byPath[p]})
	}
	return paths, nil
}

func (d *document) operation(op *operation) (object, error) {
	o := object{{"operationId", op.ID}}.with("summary", op.Summary).with("description", op.Doc)
	if op.Tag != "" {
		o = append(o, pair{"tags", []any{op.Tag}})
	}
	if !op.Deprecated.IsZero() {
		o = append(o, pair{"deprecated", true})
	}
	scopes := []any{}
	for _, s := range op.Scopes {
		scopes = append(scopes, s)
	}
	if op.Public {
		o = append(o, pair{"security", []any{}})
	} else {
		o = append(o, pair{"security", []any{object{{"bearer", scopes}}}})
	}
	if op.Raw != nil {
		return d.raw(op, o)
	}
	parameters, err := d.parameters(op)
	if err != nil {
		return nil, err
	}
	o = o.with("parameters", parameters)
	body, err := d.requestBody(op)
	if err != nil {
		return nil, err
	}
	o = o.with("requestBody", body)
	responses, err := d.responses(op)
	if err != nil {
		return nil, err
	}
	return append(o, pair{"responses", responses}), nil
}

// requestBody describes what an operation reads, empty if nothing.
func (d *document) requestBody(op *operation) (object, error) {
	if op.Stream != nil {
		element, example, err := d.described(op.Stream, nil, inward)
		if err != nil {
			return nil, err
		}
		list := object{{"type", "array"}, {"items", element}}
		return object{{"required", true}, {"content", content(op.Consumes, list, []any{example})}}, nil
	}
	if op.hasBody() && !slices.Contains(op.Consumes, MediaJSON) { // a file
		return object{{"required", true}, {"content", content(op.Consumes, nil, nil)}}, nil
	}
	if !op.hasBody() || len(op.body.root.members) == 0 {
		return nil, nil
	}
	schema, err := d.schemas.schema(op.body.root, inward)
	if err != nil {
		return nil, err
	}
	example, err := exampleOf(d.recorded[op.ID].Body, op.body.root, inward)
	if err != nil {
		return nil, err
	}
	return object{{"required", !op.BodyOptional}, {"content", content(op.Consumes, schema, example)}}, nil
}

// raw returns the operation's own description: members of an OpenAPI operation object, as
// JSON. Without one, only that it answers.
func (d *document) raw(op *operation, o object) (object, error) {
	if op.OpenAPI == "" {
		return append(o, pair{"responses", object{{"default", object{{"description", "See the description."}}}}}), nil
	}
	tree, err := parseTree([]byte(op.OpenAPI))
	if err != nil {
		return nil, err
	}
	more, ok := tree.(object)
	if !ok {
		return nil, fmt.Errorf("OpenAPI is not an object")
	}
	for _, m := range more { // its own description replaces the common one
		o = slices.DeleteFunc(o, func(p pair) bool { return p.key == m.key })
	}
	return append(o, more...), nil
}

// content lists a body's media types. Those that are not JSON are text or bytes.
func content(types []string, schema object, example any) object {
	o := object{}
	for _, t := range types {
		if t == MediaJSON || strings.HasSuffix(t, "+json") {
			o = append(o, pair{t, object{{"schema", schema}, {"example", example}}})
		} else {
			o = append(o, pair{t, object{{"schema", object{{"type", "string"}}}}})
		}
	}
	return o
}

func (d *document) parameters(op *operation) ([]any, error) {
	var list []any
	for _, p := range op.params.list {
		schema, err := d.schemas.schema(p.rule, inward)
		if err != nil {
			return nil, err
		}
		if p.rule.kind == kindValue && p.rule.value.URL != nil { // in a URL everything is text
			x := p.rule.value.URL(p.rule.bounds)
			schema = object{{"type", x.Types[0]}}.keywords(x)
		}
		o := object{{"name", p.name}, {"in", p.in}}.with("description", p.rule.doc)
		if p.required {
			o = append(o, pair{"required", true})
		}
		list = append(list, append(o, pair{"schema", schema}))
	}
	if op.params.paged {
		list = append(list, component("parameters", "Cursor"))
	}
	add := func(condition bool, name string) {
		if condition {
			list = append(list, component("parameters", name))
		}
	}
	add(op.keyed(), "IdempotencyKey")
	add(op.Method == http.MethodPatch || op.Method == http.MethodDelete || op.ETag && op.Method != http.MethodPost || slices.Contains(op.Problems, CodePrecondition), "IfMatch")
	add(op.ETag && op.Method == http.MethodGet, "IfNoneMatch")
	add(op.DryRun != nil, "Prefer")
	add(true, "RequestId")
	add(true, "Traceparent")
	return list, nil
}

func component(kind, name string) object {
	return object{{"$ref", "#/components/" + kind + "/" + name}}
}

func (d *document) responses(op *operation) (object, error) {
	success := object{{"description", http.StatusText(op.Success)}, {"headers", successHeaders(op)}}
	foreseen, err := d.foreseen(op)
	if err != nil {
		return nil, err
	}
	if op.Response != nil {
		schema, example, err := d.described(op.Response, d.recorded[op.ID].Answer, outward)
		if err != nil {
			return nil, err
		}
		if op.Success == http.StatusOK && foreseen != nil {
			schema = object{{"oneOf", []any{schema, foreseen}}}
		}
		success = append(success, pair{"content", content(op.Produces, schema, example)})
	} else if op.Success != http.StatusNoContent {
		success = append(success, pair{"content", content(op.Produces, object{}, object{})})
	}
	o := object{{strconv.Itoa(op.Success), success}}
	if op.Again != "" {
		found := *op
		found.Success = http.StatusOK
		o = append(o, pair{"200", append(object{{"description", op.Again}, {"headers", successHeaders(&found)}}, success[2:]...)})
	}
	if op.Success != http.StatusOK && foreseen != nil {
		o = append(o, pair{"200", object{{"description", "With `Prefer: dry-run`: what the call would do."},
			{"headers", foreseenHeaders()}, {"content", object{{MediaJSON, object{{"schema", foreseen}}}}}}})
	}
	if op.Waits != nil {
		schema, example, err := d.described(op.Waits, nil, outward)
		if err != nil {
			return nil, err
		}
		accepted := *op
		accepted.Success, accepted.ETag = http.StatusAccepted, false
		headers := append(successHeaders(&accepted), pair{"Location", component("headers", "Location")})
		o = append(o, pair{"202", object{{"description", "For a client of the lender: nothing is done yet, it waits for a second person."},
			{"headers", headers}, {"content", content([]string{MediaJSON}, schema, example)}}})
	}
	if op.ETag && op.Method == http.MethodGet {
		o = append(o, pair{"304", object{{"description", "Not Modified"}, {"headers", successHeaders(op)}}})
	}
	for status, codes := range d.statusGroups(op) {
		if len(codes) > 0 {
			o = append(o, pair{strconv.Itoa(status), d.problem(status, codes)})
		}
	}
	return o, nil
}

// foreseen returns the schema of a dry run's answer, nil if the operation has none.
func (d *document) foreseen(op *operation) (object, error) {
	if op.DryRun == nil {
		return nil, nil
	}
	schema, _, err := d.described(op.DryRun, nil, predicted)
	return schema, err
}

// described returns the schema and the example of an answer's type.
func (d *document) described(v any, own jsontext.Value, dir direction) (schema object, example any, err error) {
	r, err := d.types.rule(reflect.TypeOf(v), "")
	if err != nil {
		return nil, nil, err
	}
	if schema, err = d.schemas.schema(r, dir); err != nil {
		return nil, nil, err
	}
	example, err = exampleOf(own, r, dir)
	return schema, example, err
}

// foreseenHeaders returns those of a dry run's answer.
func foreseenHeaders() object {
	return object{{"X-Request-Id", component("headers", "RequestId")}, {"RateLimit", component("headers", "RateLimit")},
		{"RateLimit-Policy", component("headers", "RateLimitPolicy")}, {"As-Of-Seq", component("headers", "AsOfSeq")},
		{"Preference-Applied", component("headers", "PreferenceApplied")}}
}

func successHeaders(op *operation) object {
	o := object{{"X-Request-Id", component("headers", "RequestId")}}
	add := func(condition bool, header, name string) {
		if condition {
			o = append(o, pair{header, component("headers", name)})
		}
	}
	read := op.Method == http.MethodGet || op.Reads
	add(!op.Public, "RateLimit", "RateLimit")
	add(!op.Public, "RateLimit-Policy", "RateLimitPolicy")
	add(op.PerAddress, "Access-Control-Allow-Origin", "AllowOrigin")
	add(op.ETag, "ETag", "ETag")
	add(op.Success == http.StatusCreated, "Location", "Location")
	add(op.params.paged, "Link", "Link")
	add(!op.Public && !op.Undecided && (read || op.DryRun != nil), "As-Of-Seq", "AsOfSeq")
	add(!op.Public && !op.Undecided && !read, "Commit-Seq", "CommitSeq")
	add(op.keyed() && !op.Reads && !op.Undecided, "Idempotency-Replayed", "IdempotencyReplayed")
	add(op.DryRun != nil, "Preference-Applied", "PreferenceApplied")
	add(len(op.Produces) > 1, "Vary", "Vary")
	add(slices.Contains(op.Produces, MediaOctets), "Content-Disposition", "ContentDisposition")
	add(!op.Deprecated.IsZero(), "Deprecation", "Deprecation")
	add(!op.Sunset.IsZero(), "Sunset", "Sunset")
	return o
}

func (d *document) webhooks(hooks []Webhook) (object, error) {
	o := object{}
	for _, w := range hooks {
		r, err := d.types.rule(reflect.TypeOf(w.Payload), "")
		if err != nil {
			return nil, fmt.Errorf("webhook %s: %w", w.Type, err)
		}
		schema, err := d.schemas.schema(r, outward)
		if err != nil {
			return nil, fmt.Errorf("webhook %s: %w", w.Type, err)
		}
		example, err := exampleOf(d.recorded[w.Type].Answer, r, outward)
		if err != nil {
			return nil, fmt.Errorf("webhook %s: %w", w.Type, err)
		}
		o = append(o, pair{w.Type, object{{"post", object{{"operationId", "on." + w.Type}, {"summary", w.Summary}, {"security", []any{}},
			{"parameters", []any{component("parameters", "WebhookId"), component("parameters", "WebhookTimestamp"), component("parameters", "WebhookSignature")}},
			{"requestBody", object{{"required", true}, {"content", content([]string{MediaJSON}, schema, example)}}},
			{"responses", object{{"2XX", object{{"description", "Received. Any other status is retried."}}}}}}}}})
	}
	return o, nil
}

// exampleOf returns the recorded example, or one generated from the tags.
func exampleOf(recorded jsontext.Value, r *rule, d direction) (any, error) {
	if recorded == nil || recorded.Kind() == 'n' {
		return sample(r, d), nil
	}
	return parseTree(recorded)
}
