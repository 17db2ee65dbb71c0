package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"
)

var widgetInfo = Info{Title: "Widgets", Version: "1", Description: "Things.", License: "Apache-2.0", Servers: []string{"https://api.example.com"},
	Webhooks: []Webhook{{Type: "widget.created", Summary: "A widget was created", Payload: widget{}}}}

// publish returns the fixture's document, read back.
func publish(t *testing.T, f *fixture) *openapi3.T {
	t.Helper()
	doc, _, err := f.api.OpenAPI(widgetInfo)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := openapi3.NewLoader().LoadFromData(doc)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestOpenAPIIsValid(t *testing.T) {
	doc, yaml, err := newFixture(t).api.OpenAPI(widgetInfo)
	if err != nil {
		t.Fatal(err)
	}
	again, _, _ := newFixture(t).api.OpenAPI(widgetInfo)
	if !bytes.Equal(doc, again) {
		t.Error("the document is not the same twice")
	}
	var both []string
	for name, text := range map[string][]byte{"json": doc, "yaml": yaml} {
		parsed, err := openapi3.NewLoader().LoadFromData(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := parsed.Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		back, err := json.Marshal(parsed)
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, string(back))
	}
	if both[0] != both[1] {
		t.Error("JSON and YAML say different things")
	}
}

// TestOpenAPIIsComplete looks for every operation of the table, under its canonical path
// only, and for every code that a test of this package can get.
func TestOpenAPIIsComplete(t *testing.T) {
	f := newFixture(t)
	doc := publish(t, f)
	n := 0
	for _, item := range doc.Paths.Map() {
		n += len(item.Operations())
	}
	if n != len(f.table()) {
		t.Errorf("%d operations in the document, %d in the table", n, len(f.table()))
	}
	for _, op := range f.table() {
		item := doc.Paths.Find(op.Path)
		if item == nil || item.GetOperation(op.Method) == nil || item.GetOperation(op.Method).OperationID != op.ID {
			t.Errorf("%s is missing", op.ID)
		}
	}
	post := doc.Paths.Find("/widget").Post
	for status, codes := range map[string][]string{"400": {"malformed_request", "unknown_member", "unknown_parameter", "invalid_parameter", "invalid_header"},
		"403": {"insufficient_scope", "company_not_linked"}, "422": {"validation_failed", "idempotency_key_reused", "insufficient_credit"}} {
		var got []string
		for _, v := range post.Responses.Value(status).Value.Content[MediaProblem].Schema.Value.AllOf[1].Value.Properties["code"].Value.Enum {
			got = append(got, v.(string))
		}
		if !slices.Equal(got, codes) {
			t.Errorf("%s: %v", status, got)
		}
	}
	if doc.Webhooks["widget.created"] == nil {
		t.Error("the webhook is missing")
	}
}

// TestAnswersConform checks answers of every kind against the document: status, body and
// headers.
func TestAnswersConform(t *testing.T) {
	f := newFixture(t)
	f.more = true
	doc := publish(t, f)
	tests := []struct {
		path, method string
		w            *httptest.ResponseRecorder
	}{
		{"/widget", "POST", f.do("POST", "/widget", goodBody)},
		{"/widget", "POST", f.do("POST", "/widget", goodBody, "Prefer: dry-run")},
		{"/widget", "POST", f.do("POST", "/widget", `{"zzz":1}`)},
		{"/widget", "POST", f.do("POST", "/widget", `{"amount":-1}`)},
		{"/widget", "POST", f.do("POST", "/widget", goodBody, "-Authorization")},
		{"/widget", "POST", f.do("POST", "/widget", goodBody, "Authorization: Bearer other")},
		{"/widget", "POST", f.do("POST", "/widget", goodBody, "Accept: text/html")},
		{"/widget", "POST", f.do("POST", "/widget", goodBody, "Content-Type: text/html")},
		{"/v1/widget/{key}", "GET", f.do("GET", "/v1/widget/wid_1", "")},
		{"/v1/widget/{key}", "GET", f.do("GET", "/v1/widget/wid_1", "", `If-None-Match: "3"`)},
		{"/v1/widget/{key}", "GET", f.do("GET", "/v1/widget/wid_1", "", `If-Match: "2"`)},
		{"/v1/widget/{key}", "GET", f.do("GET", "/v1/widget/wid_panic", "")},
		{"/v1/widget/{key}", "GET", f.do("GET", "/v1/widget/wid_unknown", "")},
		{"/v1/widget/{key}", "DELETE", f.do("DELETE", "/v1/widget/wid_1", "", "Authorization: Bearer operator")},
		{"/v1/widgets", "GET", f.do("GET", "/v1/widgets", "")},
		{"/v1/widgets", "GET", f.do("GET", "/v1/widgets?cursor=x", "")},
		{"/v1/widgets", "GET", f.do("GET", "/v1/widgets?limit=0", "")},
	}
	for _, tt := range tests {
		name := tt.method + " " + tt.path + " " + strconv.Itoa(tt.w.Code)
		ref := doc.Paths.Find(tt.path).GetOperation(tt.method).Responses.Value(strconv.Itoa(tt.w.Code))
		if ref == nil {
			t.Errorf("%s is not in the document", name)
			continue
		}
		for header := range tt.w.Header() {
			switch header {
			case "Content-Type", "Content-Length", "Cache-Control", "Content-Security-Policy", "Referrer-Policy", "Strict-Transport-Security", "X-Content-Type-Options":
				continue
			}
			if tt.w.Code >= 400 && strings.HasPrefix(header, "Ratelimit") {
				continue
			}
			if !slices.ContainsFunc(headerNames(ref.Value), func(h string) bool { return strings.EqualFold(h, header) }) {
				t.Errorf("%s: header %s is not in the document", name, header)
			}
		}
		if tt.w.Body.Len() == 0 {
			continue
		}
		media := ref.Value.Content[tt.w.Header().Get("Content-Type")]
		if media == nil {
			t.Errorf("%s: media type %s is not in the document", name, tt.w.Header().Get("Content-Type"))
			continue
		}
		var v any
		readJSON(t, tt.w, &v)
		if err := doc.ValidateSchemaJSON(media.Schema.Value, v); err != nil {
			t.Errorf("%s: %v\n%s", name, err, tt.w.Body)
		}
	}
}

func headerNames(r *openapi3.Response) []string {
	var names []string
	for n := range r.Headers {
		names = append(names, n)
	}
	return names
}

func TestYAML(t *testing.T) {
	tree := object{{"a", []any{object{{"b", number("1.00")}, {"c", []any{}}}, "x: y", []any{true, nil}}}, {"y", object{}}, {"200", "2026-03-02"}, {"d", object{{"/e/f", "#"}}},
		{"example", object{{"g", object{{"h", []any{object{}}}}}}}}
	got, err := treeYAML(tree)
	if err != nil {
		t.Fatal(err)
	}
	want := `a:
  - b: 1.00
    c: []
  - "x: y"
  - [true,null]
"y": {}
"200": "2026-03-02"
d: {"/e/f":"#"}
example: {"g":{"h":[{}]}}
`
	if string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestComponentNames(t *testing.T) {
	for want, v := range map[string]any{
		"Widget": widget{}, "WidgetList": List[widget]{}, "WidgetListList": List[List[widget]]{}, "List": List[jsontext.Value]{},
		"ListList": List[List[jsontext.Value]]{}, "Problem": ProblemBody{},
	} {
		if got := componentName(reflect.TypeOf(v)); got != want {
			t.Errorf("%T: %s, want %s", v, got, want)
		}
	}
}
