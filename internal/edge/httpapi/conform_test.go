package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/rest"
)

var fuzzSeed = flag.Uint64("fuzz-seed", 0, "seed of the requests that are made up; 0: another one each time")

// unlisted are headers that every response has, or that the document names once for all.
var unlisted = []string{
	"Content-Type", "Content-Length", "Cache-Control", "Content-Security-Policy", "Referrer-Policy", "X-Content-Type-Options",
	"Ratelimit", "Ratelimit-Policy", "Pragma", "Connection",
}

// conforms checks a response against the document: status, headers, media type, body.
func (m *matrix) conforms(op rest.Operation, r reply) {
	m.t.Helper()
	doc := m.contract().Paths.Find(op.Path).GetOperation(op.Method).Responses.Value(strconv.Itoa(r.status))
	if doc == nil {
		m.t.Errorf("%s: the document does not have the status %d: %s", op.ID, r.status, r.raw)
		return
	}
	for name := range r.header {
		known := slices.ContainsFunc(slices.Collect(maps.Keys(doc.Value.Headers)), func(h string) bool { return strings.EqualFold(h, name) })
		if !known && !slices.Contains(unlisted, name) {
			m.t.Errorf("%s %d: the document does not have the header %s", op.ID, r.status, name)
		}
	}
	if r.raw == "" {
		return
	}
	media := doc.Value.Content[r.header.Get("Content-Type")]
	if media == nil {
		m.t.Errorf("%s %d: the document does not have the media type %s", op.ID, r.status, r.header.Get("Content-Type"))
		return
	}
	if r.header.Get("Content-Type") == "application/octet-stream" {
		return
	}
	var v any
	if err := json.Unmarshal([]byte(r.raw), &v); err != nil {
		m.t.Errorf("%s %d: %v: %s", op.ID, r.status, err, r.raw)
		return
	}
	if err := m.contract().ValidateSchemaJSON(media.Schema.Value, v); err != nil {
		m.t.Errorf("%s %d: %v\n%s", op.ID, r.status, err, r.raw)
	}
}

// hostile returns values for any member: wrong types, limits, and parser breakers.
func hostile() []any {
	return []any{
		nil, true, false, "", "x", " x", strings.Repeat("y", 256), strings.Repeat("z", 5000), "\u0000", "a\u202eb", "ord_1", "mch_", "-1", "1.005", "NaN",
		"9999-99-99", "2026-02-30", "2026-01-01T00:00:00Z", "https://127.0.0.1/", "' OR 1=1 --", "<script>", json.Number("0"), json.Number("-1"),
		json.Number("0.5"), json.Number("1.005"), json.Number("99999999999999999999"), json.Number("10000000.01"), []any{}, []any{nil}, []any{"x", json.Number("1")},
		map[string]any{}, map[string]any{"x": map[string]any{"x": []any{}}},
	}
}

// TestMadeUpRequests sends every operation bodies and queries that are nearly valid (T28).
// None returns 5xx, every response matches the document, and what the document's schema
// rejects is refused without effect.
func TestMadeUpRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine asks one thing after the other: nothing for the race detector")
	}
	m := newMatrix(t)
	seed := *fuzzSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-fuzz-seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 28))
	statuses, refused := map[int]int{}, 0
	for _, op := range httpapi.Table(m.service) {
		if op.Public || op.ID == "closeCompany" { // a closed company refuses everything else
			continue
		}
		who := "a"
		if strings.HasPrefix(op.Path, "/v1/operator/") || lendersOwn(op.Path) {
			who = "ops"
		}
		objects := m.objects(m.kind(op))
		for range 40 {
			target, text := m.request(op, op.Path, objects[own])
			body, schema := m.madeUp(dice, op, text)
			if op.Method == http.MethodGet {
				target += query(dice, m.contract().Paths.Find(op.Path).GetOperation(op.Method))
			}
			before := m.head()
			r := m.plain(who, op.Method, target, body)
			statuses[r.status]++
			if r.status >= 500 {
				t.Errorf("%s %s %.300s: %d %s", op.Method, target, body, r.status, r.raw)
			}
			m.conforms(op, r)
			if schema != nil {
				refused++
				if r.status < 400 || m.head() != before && r.header.Get("Commit-Seq") == "" {
					t.Errorf("%s %s %.300s: %d, although %v", op.Method, target, body, r.status, schema)
				}
			}
			if op.Method == http.MethodDelete {
				objects[own] = m.make(m.kind(op), m.house.a)
			}
		}
		m.tidy()
	}
	t.Logf("answers by status: %v; %d bodies that the schema refuses", statuses, refused)
	if refused < 100 || statuses[200] < 100 || statuses[400] < 100 || statuses[422] < 100 {
		t.Errorf("the requests are not what they should be: %v, %d", statuses, refused)
	}
}

// head returns the last decided command.
func (m *matrix) head() (q int64) {
	m.t.Helper()
	if err := m.backend.View(context.Background(), func(v store.View) error { q = v.Seq(); return nil }); err != nil {
		m.t.Fatal(err)
	}
	return q
}

// tidy deletes all endpoints, since a merchant can have only so many.
func (m *matrix) tidy() {
	m.t.Helper()
	var all []*credit.Endpoint
	err := m.backend.View(context.Background(), func(v store.View) (err error) {
		all, err = store.ListEndpoints(v, "", store.Page{Limit: 2 * credit.MaxEndpoints})
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, x := range all {
		m.act("", access.DeleteEndpoint{Endpoint: x.ID})
	}
}

// madeUp changes a body somewhere. The error is the schema's objection to it, nil if there
// is none.
func (m *matrix) madeUp(dice *rand.Rand, op rest.Operation, text string) (string, error) {
	m.t.Helper()
	doc := m.contract().Paths.Find(op.Path).GetOperation(op.Method)
	if doc.RequestBody == nil || doc.RequestBody.Value.Content["application/json"] == nil { // no body, or a file
		return text, nil
	}
	schema := doc.RequestBody.Value.Content["application/json"].Schema
	if text == "" {
		text = "{}"
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var body any
	if err := d.Decode(&body); err != nil {
		m.t.Fatalf("%s: %v", op.ID, err)
	}
	if list, ok := body.([]any); ok {
		list[0] = change(dice, list[0].(map[string]any), schema.Value.Items.Value)
	} else {
		body = change(dice, body.(map[string]any), schema.Value)
	}
	out, err := json.Marshal(body)
	if err != nil {
		m.t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(out, &plain); err != nil {
		m.t.Fatal(err)
	}
	return string(out), m.contract().ValidateSchemaJSON(schema.Value, plain)
}

// change gives one member another value, removes one, or adds one.
func change(dice *rand.Rand, body map[string]any, schema *openapi3.Schema) map[string]any {
	names := slices.Sorted(maps.Keys(schema.Properties))
	values := hostile()
	switch n := dice.IntN(10); {
	case n == 0 && len(body) > 0:
		delete(body, slices.Sorted(maps.Keys(body))[dice.IntN(len(body))])
	case n == 1:
		body["unheard_of"] = values[dice.IntN(len(values))]
	case n == 2: // unchanged
	case len(names) > 0:
		body[names[dice.IntN(len(names))]] = values[dice.IntN(len(values))]
	}
	return body
}

// query makes up a query from the operation's parameters and others.
func query(dice *rand.Rand, doc *openapi3.Operation) string {
	var names []string
	for _, p := range doc.Parameters {
		if p.Value.In == "query" {
			names = append(names, p.Value.Name)
		}
	}
	names = append(names, "unheard_of")
	values := []string{"", "1", "0", "101", "-1", "x", "2026-01-10", "2026-02-30", "2026-01-10T00:00:00Z", "2999-01-01", "%00", "%ff", "1000000001", "true", strings.Repeat("9", 300)}
	var out bytes.Buffer
	for i := range dice.IntN(3) {
		sep := "&"
		if i == 0 {
			sep = "?"
		}
		fmt.Fprintf(&out, "%s%s=%s", sep, names[dice.IntN(len(names))], values[dice.IntN(len(values))])
	}
	return out.String()
}
