package contracttest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestChecksCanFail plants faults in a good response. Each must be found, or the tests in this
// package prove nothing.
func TestChecksCanFail(t *testing.T) {
	c := readContract(t)
	w := in(t, c)
	r := w.good(c.find("getOrder"))
	good := w.send(r)
	refused := r
	refused.object = nobodys("ord")
	problem := w.send(refused)
	if good.status != 200 || problem.status != 404 {
		t.Fatal(good.status, problem.status)
	}
	set := func(name, value string) func(*answer) { return func(a *answer) { a.header.Set(name, value) } }
	text := func(old, new string) func(*answer) {
		return func(a *answer) {
			if !strings.Contains(string(a.body), old) {
				t.Errorf("no %s in %s", old, a.body)
			}
			a.body = []byte(strings.Replace(string(a.body), old, new, 1))
		}
	}
	plants := []struct {
		name  string
		in    answer
		plant func(*answer)
	}{
		{"a status that is not documented", good, func(a *answer) { a.status = 202 }},
		{"a fault of the server", problem, func(a *answer) { a.status = 500 }},
		{"no As-Of-Seq", good, func(a *answer) { a.header.Del("As-Of-Seq") }},
		{"an As-Of-Seq that is no number", good, set("As-Of-Seq", "late")},
		{"no ETag", good, func(a *answer) { a.header.Del("ETag") }},
		{"no RateLimit", good, func(a *answer) { a.header.Del("RateLimit") }},
		{"no request id", good, func(a *answer) { a.header.Del("X-Request-Id") }},
		{"a header that is not documented", good, set("X-Powered-By", "x")},
		{"a header twice", good, func(a *answer) { a.header.Add("ETag", `"9"`) }},
		{"another media type", good, set("Content-Type", "text/html")},
		{"a replay that nobody asked for", good, set("Idempotency-Replayed", "true")},
		{"no JSON", good, text("}", "")},
		{"two documents", good, func(a *answer) { a.body = append(a.body, "{}"...) }},
		{"a member that is not documented", good, text(`"version"`, `"_v":1,"version"`)},
		{"a member deep inside that is not documented", good, text(`"plan"`, `"_p":1,"plan"`)},
		{"a member that is missing", good, text(`"version"`, `"metadata"`)},
		{"another type", good, text(`"version":`, `"version":null,"_":`)},
		{"another value of a list", good, text(`"CAPTURED"`, `"SHIPPED"`)},
		{"another code", problem, text(`"not_found"`, `"gone"`)},
		{"a code of another status", problem, text(`"code":"not_found"`, `"code":"invalid_cursor"`)},
		{"another request", problem, text(`"request_id":"req_`, `"request_id":"req_0`)},
		{"another title", problem, text("There is no such resource.", "No.")},
	}
	for _, x := range plants {
		of := r
		if x.in.status == 404 {
			of = refused
		}
		a := answer{x.in.status, x.in.header.Clone(), append([]byte(nil), x.in.body...)}
		if bad := c.problems(of, a); len(bad) > 0 {
			t.Fatalf("a good answer is refused: %q", bad)
		}
		x.plant(&a)
		if bad := c.problems(of, a); len(bad) == 0 {
			t.Errorf("not seen: %s", x.name)
		}
	}
}

// TestOtherFormsCanFail plants faults in good documents and tables.
func TestOtherFormsCanFail(t *testing.T) {
	c := readContract(t)
	w := in(t, c)
	for _, x := range []struct{ operation, form, old, new string }{
		{"getInvoice", "text/html", "</html>", ""},
		{"getInvoice", mediaPDF, "%%EOF", ""},
		{"exportEntries", "text/csv", ",", ",,"},
		{"exportEntries", "text/plain", "a", "\xff"},
	} {
		w.object("ord", w.a)
		r := w.good(c.find(x.operation))
		r.header = [][2]string{{"Accept", x.form}}
		a := w.send(r)
		if !bytes.Contains(a.body, []byte(x.old)) || len(c.problems(r, a)) > 0 {
			t.Fatalf("%s as %s: %d %s", x.operation, x.form, a.status, clip(a.body))
		}
		plain := answer{a.status, a.header.Clone(), a.body}
		plain.header.Set("Content-Type", "image/png")
		a.body = bytes.Replace(a.body, []byte(x.old), []byte(x.new), 1)
		if len(c.problems(r, a)) == 0 || len(c.problems(r, plain)) == 0 {
			t.Errorf("%s as %s: a fault is not seen", x.operation, x.form)
		}
	}
}

// TestLintCanFail plants faults in the OpenAPI document, one after the other.
func TestLintCanFail(t *testing.T) {
	c := readContract(t)
	order := c.find("getOrder")
	response := order.Responses.Value("304").Value
	amount := c.doc.Components.Schemas["Order"].Value.Properties["amount"].Value
	js := string(c.json)
	less := func(status string) func() func() {
		return func() func() {
			r := order.Responses.Value(status)
			order.Responses.Delete(status)
			return func() { order.Responses.Set(status, r) }
		}
	}
	for name, plant := range map[string]func() (undo func()){
		"no summary":                swap(&order.Summary, ""),
		"no tag":                    swap(&order.Tags, nil),
		"a tag that there is not":   swap(&order.Tags, []string{"Things"}),
		"no scope":                  swap(&order.scopes, nil),
		"an operationId twice":      swap(&order.OperationID, "listOrders"),
		"a parameter less":          swap(&order.Parameters, order.Parameters[1:]),
		"a member without a text":   swap(&amount.Description, ""),
		"a problem without a code":  swap(&response.Content, openapi3.Content{mediaProblem: openapi3.NewMediaType().WithSchema(openapi3.NewObjectSchema())}),
		"a component too many":      swap(&c.json, []byte(strings.Replace(js, `"components": {`, `"components": {"examples":{"X":{}},`, 1))),
		"a status less":             less("404"),
		"a status that is not told": less("401"),
		"a webhook less": func() func() {
			hook := c.doc.Webhooks["order.captured"]
			delete(c.doc.Webhooks, "order.captured")
			return func() { c.doc.Webhooks["order.captured"] = hook }
		},
		"a webhook too many": func() func() {
			c.doc.Webhooks["order.lost"] = c.doc.Webhooks["order.captured"]
			return func() { delete(c.doc.Webhooks, "order.lost") }
		},
	} {
		undo := plant()
		if len(c.lint()) == 0 {
			t.Errorf("not seen: %s", name)
		}
		undo()
	}
	c.yml = []byte(strings.Replace(string(c.yml), "Tenor", "Tenour", 1))
	if len(c.bothForms()) == 0 {
		t.Error("not seen: another YAML")
	}
	if bad := c.lint(); len(bad) > 0 {
		t.Errorf("the document is not whole again: %q", bad)
	}
}

// swap sets a value, and restores it.
func swap[T any](at *T, to T) func() func() {
	return func() func() {
		was := *at
		*at = to
		return func() { *at = was }
	}
}
