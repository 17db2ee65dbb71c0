package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/outcome"
	"tenor/internal/proof/webtest"
	"tenor/internal/ui/design"
)

// smallContract is a contract with one of everything. Each
//
// is a text that somebody may have written.
const smallContract = `{"openapi": "3.1.0", "info": {"title": "¶", "description": "¶", "version": "1"},
 "components": {
  "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}, "client": {"type": "http", "scheme": "basic"}},
  "parameters": {"Prefer": {"name": "Prefer", "in": "header", "description": "¶", "schema": {"type": "string"}}},
  "headers": {"ETag": {"description": "¶", "schema": {"type": "string"}}},
  "schemas": {
   "Order": {"type": "object", "required": ["¶"], "properties": {
     "¶": {"type": ["string", "null"], "description": "¶", "enum": ["¶", "b", null], "default": "¶", "pattern": "¶", "format": "¶", "minLength": 2, "maxLength": 3},
     "items": {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/Item"}}}},
   "Item": {"type": "object", "properties": {
     "amount": {"type": "number", "format": "decimal", "minimum": 0.01, "description": "¶"},
     "parent": {"anyOf": [{"$ref": "#/components/schemas/Item"}, {"type": "null"}], "description": "¶"},
     "notes": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 5}, "maxProperties": 1, "propertyNames": {"maxLength": 4}}}}}},
 "paths": {
  "/¶/{id}": {"post": {"operationId": "makeOrder", "summary": "¶", "description": "¶", "tags": ["¶"], "deprecated": true,
    "security": [{"bearer": ["¶", "b"]}],
    "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string", "examples": ["¶"]}},
     {"name": "¶", "in": "query", "description": "¶", "schema": {"type": "integer", "minimum": 1, "maximum": 9}},
     {"name": "as_of", "in": "query", "schema": {"type": "string"}}, {"name": "cursor", "in": "query", "schema": {"type": "string"}},
     {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}, {"name": "If-Match", "in": "header", "schema": {"type": "string"}},
     {"name": "If-None-Match", "in": "header", "schema": {"type": "string"}}, {"$ref": "#/components/parameters/Prefer"}],
    "requestBody": {"required": false, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}, "example": {"¶": "¶", "items": [{"amount": 1.00, "parent": null}]}}, "text/¶": {"schema": {"type": "string"}}}},
    "responses": {"201": {"description": "¶", "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
      "content": {"application/json": {"schema": {"oneOf": [{"$ref": "#/components/schemas/Order"}, {"type": "object"}]}, "example": {"¶": ["¶"]}}}},
     "404": {"description": "¶", "content": {"application/problem+json": {"schema": {"allOf": [{}, {"properties": {"code": {"enum": ["not_found", "¶"]}}}]}}}},
     "429": {"description": "¶"}, "default": {"description": "¶"}}}},
  "/oauth/token": {"post": {"operationId": "makeToken", "summary": "¶", "tags": ["¶"], "security": [{"client": []}, {}],
    "requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": {"¶": {"type": "string"}}}, "example": {"¶": "¶"}}}},
    "responses": {"204": {"description": "¶"}}}},
  "/open": {"get": {"operationId": "updateCompany", "security": [], "responses": {}}}},
 "webhooks": {"order.created": {"post": {"requestBody": {"content": {"application/json": {
   "schema": {"$ref": "#/components/schemas/Order"}, "example": {"type": "¶", "object": {"type": "¶"}, "data": {"object": {"key": "¶"}}}}}}}}}}`

// smallPages are Markdown pages. Each
//
// is in place of a paragraph's text.
var smallPages = map[string]string{
	"guides/quickstart.md":     "# ¶\n\n¶\n\n## ¶\n\n- ¶\n- **¶**\n\n> ¶\n\n| ¶ | b |\n|---|---|\n| ¶ | `¶` |\n\n1. ¶\n\n[¶](orders.md) and [b](https://example.com/)\n\n---\n\n```sh\n¶\n```\n\n### ¶\n\n#### ¶\n\n    ¶\n",
	"guides/orders.md":         "# Orders\n\n## One\n\n## Two\n\n## Three\n\n[¶](../reference/codes.md#not_found) [b](../reference/event-types.md#ordercreated) [c](quickstart.md#nowhere) [d](../../go.mod) [e](#one)\n",
	"decisions.md":             "# Decisions\n\n¶\n",
	"reference/codes.md":       "# Codes\n\n## not_found\n\nStage: existence.\n\n¶\n\n```json\n{\"detail\": \"¶\", \"¶\": 1}\n```\n",
	"reference/event-types.md": "# Types\n\n## order.created\n\n¶\n",
	"licences/index.txt":       "example.com/¶ MIT a.txt\n",
	"licences/a.txt":           "¶\n",
}

// written puts a text everywhere.
func written(text string) Config {
	jsonText := strings.Trim(quote(text), `"`)
	c := Config{
		OpenAPI: []byte(strings.ReplaceAll(smallContract, "¶", jsonText)), BaseURL: testBase, Version: text, Docs: fstest.MapFS{},
		Codes: []Code{{"not_found", 404, text}},
		Events: []outcome.EventRule{
			{Command: "order.create", Operation: text, Always: []credit.EventType{"order.created"}},
			{Command: "company.update", Operation: text, When: []outcome.ConditionalEvent{{Event: "order.created", Condition: text}}},
			{Command: "order.x", Operation: text, When: []outcome.ConditionalEvent{{Event: "order.created", Condition: text}}},
		},
		States: []outcome.StatusRule{
			{Command: "company.update", Operation: text, Object: "company", Member: text, To: []string{text}},
			{Command: "company.update", Operation: text, Object: "company", Member: "status", From: []string{text, "b"}, Condition: text},
		},
		Examples: map[string]Example{"makeOrder": {Path: map[string]string{"id": text}, Query: "a=" + url.QueryEscape(text)}},
	}
	c.Try = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("X-Odd", text)
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"code": ` + quote(text) + `, "odd": ` + quote(text) + `}`))
	})
	files := c.Docs.(fstest.MapFS)
	for name, page := range smallPages {
		at := text
		switch {
		case strings.HasSuffix(name, "index.txt"):
			at = strings.Join(strings.Fields(text), "")
		case strings.Contains(page, `{"detail"`):
			at = jsonText
		}
		files[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(page, "¶", at))}
	}
	return c
}

// marked are texts with a meaning in Markdown, so they may produce other tags, but never
// dangerous ones.
var marked = []string{
	`]]>`, `<![CDATA[ x ]]>`, "\u2028line",
	`[x](javascript:alert(1))`, `[x](JaVaScRiPt:alert(1))`, `[x](data:text/html,x)`, `[x](vbscript:x)`, `[x](//evil.example/)`, `[x](/\evil.example)`,
	`[x]( javascript:alert(1))`, `[x](&#106;avascript:alert(1))`, `<javascript:alert(1)>`, `<https://evil.example/"onclick="x>`, `![x](javascript:alert(1))`,
	`![x](https://evil.example/x.png)`, "`</code><script>alert(1)</script>`", `**<script>**`, `[x](https://e.example "onclick=alert(1)")`,
	`[x](https://e.example/"><script>)`, `<div onclick=x>**b**</div>`, `<!-- x`, "a\n\n<script>\nalert(1)\n</script>\n\nb", `http://evil.example/`,
	`[<img src=x onerror=x>](orders.md)`, `[x](http://evil.example/)`, `[x](../../../etc/passwd)`, `[x]: javascript:alert(1)`, "# h1\n## h2\n###### h6",
}

// everything requests every page of a portal, a search and an error.
func everything(t *testing.T, p *Portal, query string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for at := range p.pages {
		out[at] = get(p, at).Body.String()
	}
	out["search"] = get(p, "/docs/search?q="+url.QueryEscape(query)).Body.String()
	for _, op := range p.site.contract.operations {
		if p.tries == nil || !op.mayBeTried() {
			continue
		}
		form := url.Values{"body": {query}, "media": {query}, "token": {query}}
		for _, part := range op.parameters {
			form.Set(part.in+"."+part.name, query)
		}
		w := post(p, "/docs/api/"+op.id+"/try", form)
		if at := w.Header().Get("Location"); at != "" {
			w = get(p, strings.TrimSuffix(at, "#answer"))
		}
		out["answer of "+op.id] = w.Body.String()
	}
	out["failure"] = get(p, "/docs/"+url.PathEscape(query+"?")).Body.String()
	return out
}

// TestHostileText puts hostile texts everywhere in the contract, the guides, the tables and the
// search: the tags stay those of a harmless text (A43).
func TestHostileText(t *testing.T) {
	want := map[string]string{}
	p := open(t, written("harmless text"))
	for at, page := range everything(t, p, "nothing has this") {
		want[at] = webtest.Skeleton(read(t, p, page))
	}
	for i, text := range webtest.Hostile() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			p := open(t, written(text))
			for at, page := range everything(t, p, "nothing has this "+text) {
				all := read(t, p, page)
				webtest.CheckSafe(t, at, all)
				if got := webtest.Skeleton(all); got != want[at] {
					t.Errorf("%s: the text %q changes the tags:\n%s", at, text, webtest.Difference(got, want[at]))
				}
			}
		})
	}
}

// TestHostileMarkdown does the same with texts interpreted by Markdown: whatever tags they
// produce, none executes anything or leads to an unsafe address (A44).
func TestHostileMarkdown(t *testing.T) {
	for i, text := range marked {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			c := written("harmless text")
			files := c.Docs.(fstest.MapFS)
			for _, name := range []string{"guides/quickstart.md", "reference/codes.md", "reference/event-types.md"} {
				page := string(files[name].Data)
				files[name] = &fstest.MapFile{Data: []byte(page + "\n" + text + "\n")}
			}
			c.OpenAPI = []byte(strings.ReplaceAll(smallContract, `"description": "¶"`, `"description": `+quote(text)))
			c.Events[1].When[0].Condition, c.Events[2].When[0].Condition, c.States[1].Condition = text, text, text
			p := open(t, c)
			for at, page := range everything(t, p, text) {
				webtest.CheckSafe(t, at, read(t, p, page))
				if strings.Contains(page, "ZgotmplZ") {
					t.Errorf("%s: a link was refused only by the template", at)
				}
			}
		})
	}
}

// TestFixtures renders every page with nothing, one and many.
func TestFixtures(t *testing.T) {
	used := map[string]bool{"search-page": true, "failure": true, "attempt": true}
	parts, err := design.Parts(design.English)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts.Templates() { // covered by the design's own tests
		used[part.Name()] = true
	}
	many := realConfig(t)
	many.Try = newLive(t).api
	for name, c := range map[string]Config{
		"empty": {OpenAPI: []byte(`{}`), BaseURL: testBase},
		"one":   written("one"),
		"many":  many,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, c)
			for at, page := range everything(t, p, "order") {
				all := read(t, p, page)
				webtest.CheckSafe(t, at, all)
				webtest.CheckForm(t, at, all)
			}
			for at, pg := range p.pages {
				used[pg.template] = true
				if w := get(p, at); w.Code != http.StatusOK {
					t.Errorf("%s answers %d", at, w.Code)
				}
			}
		})
	}
	own := []string{"", "top", "bottom", "plain-top", "plain-bottom", "page-title", "section-head", "part-head", "nodes", "node", "node-heading", "members", "code-link", "statuses", "stages", "try-form", "try-field"}
	for _, tmpl := range open(t, written("x")).site.templates.Templates() {
		if name := tmpl.Name(); !used[name] && !slices.Contains(own, name) && !strings.HasSuffix(name, ".html") {
			t.Errorf("no page was made with the template %s", name)
		}
	}
}

// TestRefused lists inputs from which no portal can be created.
func TestRefused(t *testing.T) {
	good := func() Config { return written("x") }
	for name, change := range map[string]func(*Config){
		"no contract":   func(c *Config) { c.OpenAPI = nil },
		"no JSON":       func(c *Config) { c.OpenAPI = []byte(`{"paths":`) },
		"two documents": func(c *Config) { c.OpenAPI = []byte(`{} {}`) },
		"too deep":      func(c *Config) { c.OpenAPI = []byte(strings.Repeat("[", 200) + strings.Repeat("]", 200)) },
		"reference to nothing": func(c *Config) {
			c.OpenAPI = []byte(`{"paths":{"/x":{"get":{"operationId":"x","parameters":[{"$ref":"#/components/x"}]}}}}`)
		},
		"reference to itself": func(c *Config) {
			c.OpenAPI = []byte(`{"a":{"$ref":"#/a"},"paths":{"/x":{"get":{"operationId":"x","requestBody":{"$ref":"#/a"}}}}}`)
		},
		"reference elsewhere": func(c *Config) {
			c.OpenAPI = []byte(`{"paths":{"/x":{"get":{"operationId":"x","requestBody":{"$ref":"https://e.example/#/a"}}}}}`)
		},
		"operation without name": func(c *Config) { c.OpenAPI = []byte(`{"paths":{"/x":{"get":{}}}}`) },
		"name that is a path":    func(c *Config) { c.OpenAPI = []byte(`{"paths":{"/x":{"get":{"operationId":"../x"}}}}`) },
		"two of one name": func(c *Config) {
			c.OpenAPI = []byte(`{"paths":{"/x":{"get":{"operationId":"x"},"post":{"operationId":"x"}}}}`)
		},
		"page without title":   func(c *Config) { c.Docs = fstest.MapFS{"decisions.md": {Data: []byte("words\n")}} },
		"licence without text": func(c *Config) { c.Docs = fstest.MapFS{"licences/index.txt": {Data: []byte("a MIT gone.txt\n")}} },
		"line of no licence":   func(c *Config) { c.Docs = fstest.MapFS{"licences/index.txt": {Data: []byte("a\n")}} },
	} {
		t.Run(name, func(t *testing.T) {
			c := good()
			change(&c)
			if _, err := New(c); err == nil {
				t.Error("it is taken")
			}
		})
	}
	if _, err := New(good()); err != nil {
		t.Error(err)
	}
}
