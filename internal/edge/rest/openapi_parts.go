package rest

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// commonCodes returns the codes that the layer itself answers with, depending on the
// operation.
func commonCodes(op *operation) []string {
	codes := []string{CodeUnknownParameter, CodeInvalidParameter, CodeInvalidHeader, CodeNotAcceptable, CodeInternal, CodeOverloaded}
	add := func(condition bool, more ...string) {
		if condition {
			codes = append(codes, more...)
		}
	}
	path := slices.ContainsFunc(op.params.list, func(p parameter) bool { return p.in == "path" })
	add(op.params.paged, CodeInvalidCursor)
	add(!op.Public, CodeUnauthorized)
	add(!op.Public || op.PerAddress, CodeRateLimited)
	add(len(op.Scopes) > 0 || op.TenantOnly, CodeScope)
	add(path, CodeNotFound)
	add(op.hasBody(), CodeMalformed, CodeUnknownMember, CodeTooLarge, CodeMediaType, CodeValidation)
	add(op.hasBody() && !op.Reads && !op.Undecided, CodeReadOnly, CodeOutcomeUnknown)
	add(op.Method == http.MethodDelete, CodeReadOnly, CodeOutcomeUnknown)
	add(op.keyed() && !op.Reads && !op.Undecided, CodeKeyInUse, CodeKeyReused)
	add(op.Method == http.MethodPatch || op.ETag && op.Method == http.MethodGet, CodePrecondition)
	return codes
}

// statusGroups yields an operation's codes by status, both in the table's order.
func (d *document) statusGroups(op *operation) iter.Seq2[int, []string] {
	have := append(commonCodes(op), op.Problems...)
	return func(yield func(int, []string) bool) {
		status, group := 0, []string(nil)
		for _, c := range d.contract.Codes {
			if c.Status != status {
				if status != 0 && !yield(status, group) {
					return
				}
				status, group = c.Status, nil
			}
			if slices.Contains(have, c.Name) {
				group = append(group, c.Name)
			}
		}
		yield(status, group)
	}
}

// sharedResponses are the problems that many operations have in common; they are components
// of the document.
var sharedResponses = [...]struct {
	name   string
	status int
	codes  []string
}{
	{"MalformedBody", 400, []string{CodeMalformed, CodeUnknownMember, CodeUnknownParameter, CodeInvalidParameter, CodeInvalidHeader}},
	{"MalformedQuery", 400, []string{CodeUnknownParameter, CodeInvalidParameter, CodeInvalidHeader}},
	{"MalformedListQuery", 400, []string{CodeUnknownParameter, CodeInvalidParameter, CodeInvalidHeader, CodeInvalidCursor}},
	{"Unauthorized", 401, []string{CodeUnauthorized}},
	{"InsufficientScope", 403, []string{CodeScope}},
	{"NotFound", 404, []string{CodeNotFound}},
	{"MethodNotAllowed", 405, []string{CodeMethod}},
	{"NotAcceptable", 406, []string{CodeNotAcceptable}},
	{"KeyInUse", 409, []string{CodeKeyInUse}},
	{"PreconditionFailed", 412, []string{CodePrecondition}},
	{"BodyTooLarge", 413, []string{CodeTooLarge}},
	{"UnsupportedMediaType", 415, []string{CodeMediaType}},
	{"ValidationFailed", 422, []string{CodeValidation, CodeKeyReused}},
	{"RateLimited", 429, []string{CodeRateLimited}},
	{"InternalError", 500, []string{CodeInternal}},
	{"Overloaded", 503, []string{CodeOverloaded}},
	{"Unavailable", 503, []string{CodeOverloaded, CodeReadOnly, CodeOutcomeUnknown}},
}

// problem describes the problems of one status: by reference if they are shared.
func (d *document) problem(status int, names []string) object {
	for _, s := range sharedResponses {
		if s.status == status && slices.Equal(s.codes, names) {
			return component("responses", s.name)
		}
	}
	if name := ownName(status, names); d.repeated[name] > 1 {
		d.problems[name] = d.problemResponse(status, names)
		return component("responses", name)
	}
	return d.problemResponse(status, names)
}

// ownName is the name of a shared response without a chosen name:
// 403.insufficient_scope.company_not_linked.
func ownName(status int, names []string) string {
	return strconv.Itoa(status) + "." + strings.Join(names, ".")
}

// countProblems finds the problems that several operations share.
func (d *document) countProblems(ops []*operation) {
	for _, op := range ops {
		if op.Raw != nil {
			continue
		}
		for status, codes := range d.statusGroups(op) {
			d.repeated[ownName(status, codes)]++
		}
	}
}

func (d *document) problemResponse(status int, names []string) object {
	enum := []any{}
	text := ""
	for _, n := range names {
		enum = append(enum, n)
		text += "- `" + n + "`: " + d.contract.code(n).Title + "\n"
	}
	headers := object{{"X-Request-Id", component("headers", "RequestId")}}
	switch status {
	case 401:
		headers = append(headers, pair{"WWW-Authenticate", component("headers", "WWWAuthenticate")})
	case 405:
		headers = append(headers, pair{"Allow", component("headers", "Allow")})
	case 409, 429, 503:
		headers = append(headers, pair{"Retry-After", component("headers", "RetryAfter")})
	}
	switch status {
	case 409, 412, 422:
		headers = append(headers, pair{"Commit-Seq", component("headers", "CommitSeq")},
			pair{"As-Of-Seq", component("headers", "AsOfSeq")},
			pair{"Idempotency-Replayed", component("headers", "IdempotencyReplayed")},
			pair{"Preference-Applied", component("headers", "PreferenceApplied")})
	case 403, 404:
		headers = append(headers, pair{"Preference-Applied", component("headers", "PreferenceApplied")})
	}
	code := d.contract.code(names[0])
	example := object{{"type", "https://api.example.com" + d.contract.ErrorPages + code.Name}, {"title", code.Title}, {"status", status},
		{"detail", code.Title}, {"instance", d.contract.RequestPages + "req_01JQZ5S3V8N4T6W2X9Y0A1B2C3"}, {"code", code.Name},
		{"request_id", "req_01JQZ5S3V8N4T6W2X9Y0A1B2C3"}}
	schema := object{{"allOf", []any{component("schemas", "Problem"),
		object{{"type", "object"}, {"properties", object{{"code", object{{"enum", enum}}}}}}}}}
	return object{{"description", text}, {"headers", headers}, {"content", object{{MediaProblem, object{{"schema", schema}, {"example", example}}}}}}
}

// components returns the parts that the paths and the webhooks refer to, and the answer to
// a method that a path does not have, which no operation describes.
func (d *document) components(paths, hooks object) (object, error) {
	body, err := d.types.rule(reflect.TypeFor[ProblemBody](), "")
	if err != nil {
		return nil, err
	}
	if _, err := d.schemas.schema(body, outward); err != nil {
		return nil, err
	}
	all := object{}
	for _, name := range d.schemas.order {
		all = append(all, pair{name, d.schemas.built[name]})
	}
	used := references([]any{paths, hooks})
	unused := func(kind string) func(pair) bool {
		return func(p pair) bool { return !used["#/components/"+kind+"/"+p.key] }
	}
	responses := object{}
	for _, s := range sharedResponses {
		if s.status == http.StatusMethodNotAllowed || used["#/components/responses/"+s.name] {
			responses = append(responses, pair{s.name, d.problemResponse(s.status, s.codes)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.problems)) {
		responses = append(responses, pair{name, d.problems[name]})
	}
	maps.Copy(used, references(responses))
	security, err := parseTree([]byte(cmp.Or(d.security, `{"bearer": {"type": "http", "scheme": "bearer", "description": "The names in a security requirement are scopes."}}`)))
	if err != nil {
		return nil, fmt.Errorf("security schemes: %w", err)
	}
	return object{{"securitySchemes", security},
		{"parameters", slices.DeleteFunc(headerParameters(), unused("parameters"))}, {"headers", slices.DeleteFunc(responseHeaders(), unused("headers"))},
		{"responses", responses}, {"schemas", all}}, nil
}

// references returns the parts that a tree refers to.
func references(tree any) map[string]bool {
	used := map[string]bool{}
	switch t := tree.(type) {
	case object:
		for _, p := range t {
			if text, ok := p.value.(string); ok && p.key == "$ref" {
				used[text] = true
			}
			maps.Copy(used, references(p.value))
		}
	case []any:
		for _, x := range t {
			maps.Copy(used, references(x))
		}
	}
	return used
}

func headerParameters() object {
	text := func(max int) object { return object{{"type", "string"}, {"maxLength", max}} }
	header := func(name, doc string, schema object) object {
		return object{{"name", name}, {"in", "header"}, {"description", doc}, {"schema", schema}}
	}
	must := func(o object) object { return append(o, pair{"required", true}) }
	return object{
		{"Cursor", object{{"name", "cursor"}, {"in", "query"},
			{"description", "`next_cursor` of the previous page, with the same filters."}, {"schema", text(maxCursor)}}},
		{"IdempotencyKey", header("Idempotency-Key", "1 to 255 visible ASCII characters, bare or in quotes. The same key with the same request returns the first response again.", text(512))},
		{"IfMatch", header("If-Match", "The ETag the resource must still have; otherwise 412.", text(4096))},
		{"IfNoneMatch", header("If-None-Match", "ETags the caller has; if one is current, the response is 304.", text(4096))},
		{"Prefer", header("Prefer", "`dry-run`: make every check and change nothing.", text(255))},
		{"RequestId", header("X-Request-Id", "Your ID for the request, up to 128 characters of `A-Za-z0-9._-`. Other values are replaced.", text(255))},
		{"Traceparent", header("traceparent", "W3C trace context.", text(512))},
		{"WebhookId", must(header("webhook-id", "The same for every attempt of one event.", text(255)))},
		{"WebhookTimestamp", must(header("webhook-timestamp", "Time of the attempt, in seconds since 1970.", text(20)))},
		{"WebhookSignature", must(header("webhook-signature", "`v1,` and the HMAC-SHA256 over `id.timestamp.body`, one per valid secret.", text(1024)))},
	}
}

func responseHeaders() object {
	header := func(kind, doc string) object {
		return object{{"description", doc}, {"schema", object{{"type", kind}}}}
	}
	return object{
		{"RequestId", header("string", "Identifies this request in every log line.")},
		{"RateLimit", header("string", "What is left: `\"default\";r=99;t=1` (t: seconds until fully replenished).")},
		{"AllowOrigin", header("string", "`*`: any page can read the response.")},
		{"RateLimitPolicy", header("string", "The client's limit: `\"default\";q=600;w=60`.")},
		{"ETag", header("string", "Changes whenever the resource changes.")},
		{"Location", header("string", "Canonical path of the new resource.")},
		{"Link", header("string", "`rel=\"next\"`: the next page.")},
		{"CommitSeq", header("integer", "Position of the decision in the order of all commits.")},
		{"AsOfSeq", header("integer", "The read includes every commit up to this one.")},
		{"IdempotencyReplayed", header("string", "`true`: the response of an earlier request with this key.")},
		{"PreferenceApplied", header("string", "`dry-run`: nothing was changed.")},
		{"RetryAfter", header("integer", "Seconds to wait before the next attempt.")},
		{"WWWAuthenticate", header("string", "`Bearer`.")},
		{"Allow", header("string", "The methods the resource supports.")},
		{"Vary", header("string", "Accept: the response has several formats.")},
		{"ContentDisposition", header("string", "File download, with a file name.")},
		{"Deprecation", header("string", "Since when the operation is deprecated (RFC 9745).")},
		{"Sunset", header("string", "When the operation ends (RFC 8594).")},
	}
}
