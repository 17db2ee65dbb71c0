package portal

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/getkin/kin-openapi/openapi3"

	"tenor/docs"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/outcome"
)

// TestEveryCodeIsTold requires a section on each code: its stage, its meaning, its causes, what
// to do, and valid members of its problems. The domain defines the stage of its codes.
func TestEveryCodeIsTold(t *testing.T) {
	p := realPortal(t)
	decided := map[string]string{}
	for _, r := range credit.Reasons() {
		decided[r.Code] = map[credit.Stage]string{
			credit.StageExistence: "existence", credit.StageLink: "link", credit.StagePrecondition: "precondition",
			credit.StageState: "state", credit.StageRule: "rule",
		}[r.Stage]
	}
	// The edge returns these first, by schema and by scope.
	delete(decided, "validation_failed")
	delete(decided, "insufficient_scope")
	told := map[string]bool{}
	for _, c := range p.site.config.Codes {
		told[c.Name] = true
		nodes := p.site.codeText[c.Name].nodes
		stage, text, members := readCode(nodes)
		if !slices.Contains(append(stages, anyTime), stage) {
			t.Errorf("%s: the stage %q is none", c.Name, stage)
		}
		if want := decided[c.Name]; want != "" && stage != want {
			t.Errorf("%s: the domain refuses it in the stage %s, the page says %s", c.Name, want, stage)
		}
		if words := plainText(text); len(words) < 150 || !strings.Contains(words, "Common causes\n") || !strings.Contains(words, "What to do\n") {
			t.Errorf("%s: says too little: %q", c.Name, words)
		}
		for _, m := range members.members {
			if slices.Contains([]string{"type", "title", "status", "instance", "code", "request_id"}, m.name) {
				t.Errorf("%s: %s is for the server to say", c.Name, m.name)
			}
		}
	}
	for name := range p.site.codeText {
		if !told[name] {
			t.Errorf("there is no code %s", name)
		}
	}
	if len(told) < 40 {
		t.Errorf("only %d codes", len(told))
	}
}

// TestProblemPage reads one page like a developer who followed a problem's type.
func TestProblemPage(t *testing.T) {
	w := get(realPortal(t), "/docs/errors/insufficient_credit")
	for _, want := range []string{
		"http://localhost:8080/docs/errors/insufficient_credit", `&#34;available&#34;: 200.00`, `aria-current="true">rule</li>`,
		`href="/docs/api/createOrder">Create an order</a>`, "term_not_available", "422",
	} {
		if !strings.Contains(uncolored(w.Body.String()), want) {
			t.Errorf("the page does not say %s", want)
		}
	}
}

// TestEveryEventIsTold requires a section, a payload and a schema for each emitted event type,
// and for no other.
func TestEveryEventIsTold(t *testing.T) {
	c := realConfig(t)
	p := open(t, c)
	doc, err := openapi3.NewLoader().LoadFromData(c.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	types := p.site.eventTypes()
	for _, want := range outcome.EventTypes() {
		if !slices.Contains(types, string(want)) {
			t.Errorf("%s has no page", want)
		}
	}
	if len(types) != len(outcome.EventTypes()) || len(p.site.eventText) != len(types) {
		t.Errorf("%d types, %d pages, %d sections", len(outcome.EventTypes()), len(types), len(p.site.eventText))
	}
	for _, at := range types {
		if words := plainText(p.site.eventText[at].nodes); len(words) < 40 {
			t.Errorf("%s: says too little: %q", at, words)
		}
		v := p.site.eventView(at)
		if len(v.Causes) == 0 {
			t.Errorf("nothing emits %s", at)
		}
		checkPayload(t, doc, p.site.contract, at, v)
	}
}

// checkPayload compares a page's example with the contract's own schema, and checks that the
// page's schema is self-contained.
func checkPayload(t *testing.T, doc *openapi3.T, c *contract, at string, v eventView) {
	t.Helper()
	var payload, schema any
	if err := json.Unmarshal([]byte(v.Example), &payload); err != nil {
		t.Errorf("%s: the example: %v", at, err)
		return
	}
	if err := json.Unmarshal([]byte(v.Schema), &schema); err != nil {
		t.Errorf("%s: the schema: %v", at, err)
	}
	i := slices.IndexFunc(c.hooks, func(h hook) bool { return h.kind == at })
	if i < 0 {
		t.Errorf("the contract does not describe %s", at)
		return
	}
	name := c.hooks[i].schema.get("$ref").text
	ref := doc.Components.Schemas[name[strings.LastIndex(name, "/")+1:]]
	if ref == nil {
		t.Fatalf("%s: the contract has no schema %s", at, name)
	}
	if err := ref.Value.VisitJSON(payload); err != nil {
		t.Errorf("%s: the example breaks the schema: %v", at, err)
	}
	object := payload.(map[string]any)["object"].(map[string]any)
	if payload.(map[string]any)["type"] != at || object["id"] == nil || object["type"] != v.Object {
		t.Errorf("%s: the example is of %v", at, object)
	}
	defs, _ := schema.(map[string]any)["$defs"].(map[string]any)
	for _, part := range strings.Split(v.Schema, `"$ref": "`)[1:] {
		to, _, _ := strings.Cut(part, `"`)
		if def, local := strings.CutPrefix(to, "#/$defs/"); !local || defs[def] == nil {
			t.Errorf("%s: the schema refers to %s", at, to)
		}
	}
}

// TestHistory checks that everything in released versions still exists, and that a page names the
// version that introduced something.
func TestHistory(t *testing.T) {
	p := realPortal(t)
	for name, version := range p.site.first {
		_, isCode := p.site.codeText[name]
		if p.site.contract.find(name) == nil && !isCode && !slices.Contains(p.site.eventTypes(), name) {
			t.Errorf("version %s had %s, which is gone", version, name)
		}
	}
	c := written("x")
	c.Docs.(fstest.MapFS)[historyFile] = &fstest.MapFile{Data: []byte("# History\n\n## 0.3.0\n\n`updateCompany`, `order.created`\n\n## 0.4.0\n\n- `not_found`\n")}
	p = open(t, c)
	for at, want := range map[string]string{
		"/docs/api/updateCompany": "version 0.3.0", "/docs/api/makeOrder": "version x", "/docs/events/order.created": "Since version 0.3.0",
		"/docs/errors/not_found": "since version 0.4.0",
	} {
		if page := get(p, at).Body.String(); !strings.Contains(page, want) {
			t.Errorf("%s does not say %s", at, want)
		}
	}
}

// TestOperationPage reads one page like a developer who wants to capture.
func TestOperationPage(t *testing.T) {
	page := get(realPortal(t), "/docs/api/updateOrder").Body.String()
	for _, want := range []string{
		`<code>AUTHORIZED</code></td><td><code>CAPTURED</code></td><td class="min-w-48 whitespace-normal">always</td>`, `id="states">Statuses before and after</h2>`,
		"Use a JSON library to write the body.", `>Since</dt><dd class="tall text-end text-pretty">version 0.0.0-test</dd>`, `<code class="key">TENOR_TOKEN</code>`,
		`merchant_order_id</code> <span class="text-sm text-muted-foreground">string or null</span>`, `key</code> <span class="text-sm text-muted-foreground">string</span> <span class="text-sm font-medium text-primary">required</span></dt>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	for _, noise := range []string{"traceparent", "may be absent"} {
		if strings.Contains(page, noise) {
			t.Errorf("the page says %s", noise)
		}
	}
	index := get(realPortal(t), "/docs/api").Body.String()
	if !strings.Contains(index, "traceparent") || strings.Index(index, `id="orders"`) > strings.Index(index, `id="oauth"`) {
		t.Error("the operations are not in the order of the contract's tags, or the headers of every request are missing")
	}
	if page := get(realPortal(t), "/docs/api/getCompany").Body.String(); !strings.Contains(page, `merchants</code> <span class="text-sm text-muted-foreground">array of string</span> <span class="text-sm text-muted-foreground">may be absent</span>`) {
		t.Error("only the operator sees a company's merchants, and the page does not say that they may be absent")
	}
}

// TestEveryCommandHasItsOperations checks which operation submits each command that emits events,
// and that each named operation exists.
func TestEveryCommandHasItsOperations(t *testing.T) {
	p := realPortal(t)
	for _, r := range p.site.config.Events {
		if len(r.Always)+len(r.When) > 0 && len(emitting[r.Command]) == 0 != slices.Contains(unasked, r.Command) {
			t.Errorf("%s emits events, and it is not said which operation submits it, or that none does", r.Command)
		}
	}
	for command, ids := range emitting {
		if !slices.ContainsFunc(p.site.config.Events, func(r outcome.EventRule) bool { return r.Command == command }) {
			t.Errorf("there is no command %s", command)
		}
		for _, id := range ids {
			if p.site.contract.find(id) == nil {
				t.Errorf("%s: there is no operation %s", command, id)
			}
		}
	}
}

// TestShelf checks that every guide is shown, and that every listed page exists.
func TestShelf(t *testing.T) {
	guides, err := fs.Glob(docs.Files, "guides/*.md")
	if err != nil || len(guides) < 11 {
		t.Fatalf("%d guides, %v", len(guides), err)
	}
	var shown []string
	for _, at := range shelf {
		shown = append(shown, at.file)
		if _, err := fs.Stat(docs.Files, at.file); err != nil {
			t.Errorf("%s: %v", at.file, err)
		}
	}
	for _, g := range guides {
		if !slices.Contains(shown, g) {
			t.Errorf("%s is not shown", g)
		}
	}
	p := realPortal(t)
	checkLicences(t, p)
	for _, d := range p.site.docs {
		if d.lead == "" && d.path != "/docs/changelog" {
			t.Errorf("%s does not begin with a paragraph", d.file)
		}
	}
}

// checkLicences compares the modules on the page with those of the index, and looks for a text that
// stands twice.
func checkLicences(t *testing.T, p *Portal) {
	t.Helper()
	index, err := fs.ReadFile(docs.Files, "licences/index.txt")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	texts := map[string]bool{}
	for _, l := range p.site.licences {
		shown += len(l.Modules)
		if texts[l.Name+l.Text] {
			t.Errorf("the text of %v stands twice", l.Modules)
		}
		texts[l.Name+l.Text] = true
	}
	if lines := strings.Count(string(index), "\n"); shown != lines || lines < 10 {
		t.Errorf("%d modules are shown of %d", shown, lines)
	}
}

// TestSearch finds operations, members, events, codes, guides and their headings, without network
// access.
func TestSearch(t *testing.T) {
	p := realPortal(t)
	for query, want := range map[string]string{
		"createOrder":            "/docs/api/createOrder",
		"capture a part":         "/docs/api/capturePart",
		"/v1/order/{key}/payoff": "/docs/api/getPayoff",
		"hold_excess":            "/docs/api/recordPayment",
		"order.captured":         "/docs/events/order.captured",
		"captured webhook":       "/docs/events/order.captured",
		"insufficient_credit":    "/docs/errors/insufficient_credit",
		"INSUFFICIENT CREDIT":    "/docs/errors/insufficient_credit",
		"verifying a signature":  "/docs/webhooks#verifying-a-signature",
		"idempotency":            "/docs/guides/idempotency",
		"clawback":               "/docs/glossary",
		"setCreditLine":          "/docs/api/setCreditLine",
		"overlap_seconds":        "/docs/api/rollClient",
		"MPL kong MIT":           "",
		"insuficient_credit":     "/docs/errors/insufficient_credit", // a missing letter
		"captrue an order":       "/docs/api/updateOrder",            // two swapped letters
		"idempotancy":            "/docs/guides/idempotency",         // a wrong letter
		"clawbackk":              "/docs/glossary",                   // an extra letter
		"authentikatoin":         "/docs/guides/authentication",      // two errors in a long word
		"refnud":                 "/docs/guides/refunds#refunding-an-order",
		"zzzz":                   "",
		"":                       "",
	} {
		hits, _ := p.search.find(query)
		found := slices.IndexFunc(hits, func(h hit) bool { return h.Path == want })
		switch {
		case want == "" && len(hits) > 0:
			t.Errorf("%q finds %v", query, hits[0])
		case want != "" && (found < 0 || found > 4):
			t.Errorf("%q does not find %s among the first: %v", query, want, hits[:min(5, len(hits))])
		}
	}
	captures, meant := p.search.find("capture")
	if meant != "" {
		t.Errorf("capture is taken for %q", meant)
	}
	for _, h := range captures {
		if strings.ContainsAny(h.Summary, "$|") || len(h.Summary) > 300 {
			t.Errorf("the summary of %s is %q", h.Title, h.Summary)
		}
	}
	if hits, _ := p.search.find("e"); len(hits) != maxHits {
		t.Errorf("%d hits of very many", len(hits))
	}
	page := get(p, "/docs/search?q=insufficient_credit").Body.String()
	if !strings.Contains(page, `href="/docs/errors/insufficient_credit"`) || !strings.Contains(page, `value="insufficient_credit"`) {
		t.Error("the page does not show what was found, or what was searched")
	}
	if page := get(p, "/docs/search?q=insuficient").Body.String(); !strings.Contains(page, `places with <b class="font-semibold text-foreground">insufficient</b>`) || !strings.Contains(page, `value="insuficient"`) {
		t.Error("the page does not say for which word a misspelled one was taken")
	}
	if long := get(p, "/docs/search?q="+strings.Repeat("ä", 10_000)); long.Code != 200 || long.Body.Len() > 20_000 {
		t.Errorf("a long query: %d with %d bytes", long.Code, long.Body.Len())
	}
}
