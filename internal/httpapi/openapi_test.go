package httpapi

import (
	"bytes"
	"context"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

func TestOpenAPI(t *testing.T) {
	f := newFixture(t)
	info := Info{Title: "Widgets", Version: "1", License: "Apache-2.0", Servers: []string{"https://api.example.com"},
		Webhooks: []Webhook{{Type: "widget.created", Summary: "A widget was created", Payload: widget{}}}}
	doc, yaml, err := f.api.OpenAPI(info)
	if err != nil {
		t.Fatal(err)
	}
	again, _, _ := newFixture(t).api.OpenAPI(info)
	if !bytes.Equal(doc, again) {
		t.Error("the document is not the same twice")
	}
	for name, text := range map[string][]byte{"json": doc, "yaml": yaml} {
		parsed, err := openapi3.NewLoader().LoadFromData(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := parsed.Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Logf("\n%s", yaml)
}
