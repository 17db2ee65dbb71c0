package portal

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// shown renders nodes as a page does, without the white space between blocks.
func shown(t *testing.T, s *site, nodes []node) string {
	t.Helper()
	var out bytes.Buffer
	if err := s.templates.ExecuteTemplate(&out, "nodes", nodes); err != nil {
		t.Fatal(err)
	}
	keys := regexp.MustCompile(`(?s)<button class="copy".*?</button><span class="copied"[^>]*></span>`)
	return strings.ReplaceAll(strings.TrimSpace(keys.ReplaceAllString(uncolored(out.String()), "")), ">\n<", "><")
}

func TestMarkdown(t *testing.T) {
	s := open(t, written("x")).site
	to := func(target string) string {
		if strings.HasPrefix(target, "here") {
			return "/docs/" + target
		}
		return ""
	}
	for source, want := range map[string]string{
		"one\ntwo":                      "<p>one\ntwo</p>",
		"a *b* **c** `d*e*` \\*f\\*":    "<p>a <em>b</em> <strong>c</strong> <code>d*e*</code> *f*</p>",
		"## A b\n\n### A b\n\n###### C": `<h2 id="a-b">A b</h2><h3 id="a-b-1">A b</h3><h4 id="c">C</h4>`,
		"- a\n- b\n  - c":               "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>",
		"3. a\n4. b":                    `<ol start="3"><li>a</li><li>b</li></ol>`,
		"- a\n\n- b":                    "<ul><li><p>a</p></li><li><p>b</p></li></ul>",
		"> a":                           "<blockquote><p>a</p></blockquote>",
		"```sh test\necho '<b>'\n```":   `<figure class="codebox"><figcaption><span class="title">Shell</span></figcaption><pre tabindex="0"><code>echo &#39;&lt;b&gt;&#39;` + "\n</code></pre></figure>",
		"| a | b |\n|---|---|\n| `c \\| d` | e |": `<div class="table-container panel" tabindex="0"><table class="table"><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>` +
			`<tr><td><code>c <wbr>| <wbr>d</code></td><td>e</td></tr></table></div>`,
		"[a](here#b)":                   `<p><a href="/docs/here#b">a</a></p>`,
		"[a](gone.md)":                  "<p>a</p>",
		"[a](https://e.example/?a&b)":   `<p><a href="https://e.example/?a&amp;b" rel="external noopener noreferrer">a</a></p>`,
		"<https://e.example/>":          `<p><a href="https://e.example/" rel="external noopener noreferrer">https://e.example/</a></p>`,
		"<a@e.example>":                 "<p>a@e.example</p>",
		"[a](http://e.example)":         "<p>a</p>",
		"![a](https://e.example/x.png)": "<p>a</p>",
		"a <b>c</b> &lt; &copy;":        "<p>a &lt;b&gt;c&lt;/b&gt; &lt; ©</p>",
		"<div>\nx\n</div>":              "<p>&lt;div&gt;\nx\n&lt;/div&gt;</p>",
		"a\n\n---\n\nb":                 "<p>a</p><hr><p>b</p>",
		"":                              "",
	} {
		if got := shown(t, s, s.markdown.nodes(source, to)); got != want {
			t.Errorf("%q becomes\n%s\ninstead of\n%s", source, got, want)
		}
	}
	if got := shown(t, s, s.markdown.inline("a `b`", nil)); got != "a <code>b</code>" {
		t.Errorf("in running text: %s", got)
	}
}

// Pictures in the docs folder are shown with their description and size; others are replaced by
// their description.
func TestPictures(t *testing.T) {
	var drawn bytes.Buffer
	if err := png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	c := written("x")
	c.Docs.(fstest.MapFS)["pictures/home.png"] = &fstest.MapFile{Data: drawn.Bytes()}
	p := open(t, c)
	got := shown(t, p.site, p.site.markdown.nodes("![The *first* page](../pictures/home.png) ![gone](../pictures/gone.png)", p.site.linkFrom("guides/orders.md")))
	form := regexp.MustCompile(`^<p><a href="(/docs/pictures/home-[0-9a-f]{12}\.png)"><img src="(/docs/[^"]*)" width="30" height="20" alt="The first page" loading="lazy"></a> gone</p>$`)
	m := form.FindStringSubmatch(got)
	if m == nil || m[1] != m[2] {
		t.Fatalf("it is shown as %s", got)
	}
	w := get(p, m[1])
	if w.Code != 200 || w.Header().Get("Content-Type") != "image/png" || !bytes.Equal(w.Body.Bytes(), drawn.Bytes()) {
		t.Errorf("%s: %d %s", m[1], w.Code, w.Header().Get("Content-Type"))
	}
	c.Docs.(fstest.MapFS)["pictures/broken.png"] = &fstest.MapFile{Data: []byte("no picture")}
	if _, err := New(c); err == nil || !strings.Contains(err.Error(), "pictures/broken.png") {
		t.Errorf("a file that is no picture: %v", err)
	}
}

// TestLinksOfPages follows links as written for a code host.
func TestLinksOfPages(t *testing.T) {
	to := realPortal(t).site.linkFrom("guides/orders.md")
	for target, want := range map[string]string{
		"refunds.md":                                "/docs/guides/refunds",
		"refunds.md#what-is-rejected":               "/docs/guides/refunds#what-is-rejected",
		"webhooks.md":                               "/docs/webhooks",
		"#statuses":                                 "#statuses",
		"../decisions.md":                           "/docs/decisions",
		"../accounting.md#when-the-past-changes":    "/docs/guides/accounting#when-the-past-changes",
		"../events.md":                              "/docs/events",
		"../reference/errors.md":                    "/docs/errors",
		"../reference/codes.md#insufficient_credit": "/docs/errors/insufficient_credit",
		"../reference/event-types.md#ordercaptured": "/docs/events/order.captured",
		"../reference/event-types.md":               "/docs/events",
		"../../api/openapi.yaml":                    "/openapi.yaml",
		"../../README.md":                           "",
		"../../internal/domain/credit":              "",
		"mailto:a@e.example":                        "",
		"/etc/passwd":                               "",
		"../../../../etc/passwd":                    "",
	} {
		if got := to(target); got != want {
			t.Errorf("%s leads to %q instead of %q", target, got, want)
		}
	}
}

// TestFields reads the table of a schema's members.
func TestFields(t *testing.T) {
	c, err := readContract([]byte(strings.ReplaceAll(smallContract, "¶", "x")))
	if err != nil {
		t.Fatal(err)
	}
	got := c.fields(c.find("makeOrder").body.schema)
	var names []string
	for _, f := range got {
		names = append(names, f.Name)
	}
	if len(got) < 6 || got[0].Name != "x" || !got[0].Required || !got[0].Nullable || strings.Join(got[0].Enum, " ") != "x b" || got[0].Default != "x" {
		t.Fatalf("fields %+v", got)
	}
	if strings.Join(got[0].Limits, "; ") != "2 to 3 characters; format x" || got[0].Pattern != "x" {
		t.Errorf("limits %q, pattern %q", got[0].Limits, got[0].Pattern)
	}
	if got[1].Type != "array of object" || got[1].Limits[0] != "at least 1 item" {
		t.Errorf("a list is %+v", got[1])
	}
	if got[2].Name != "items[].amount" || got[2].Type != "decimal" || got[2].Level != 1 || got[2].Limits[0] != "at least 0.01" {
		t.Errorf("an amount is %+v", got[2])
	}
	if got[3].Name != "items[].parent" || got[3].Type != "object" || !got[3].Nullable || got[3].Doc != "x" {
		t.Errorf("an object that may be null is %+v", got[3])
	}
	if deep := strings.Count(names[len(names)-1], ".") + strings.Count(strings.Join(names, " "), "parent"); deep < 3 || deep > 200 {
		t.Errorf("a type that holds itself: %q", names)
	}
	if notes := got[len(got)-1]; notes.Type != "map of string" || strings.Join(notes.Limits, "; ") != "at most 1 entry; names of at most 4 characters; values of at most 5 characters" {
		t.Errorf("a map is %+v", notes)
	}
}

// TestExamplesReplaceTheContracts uses recorded examples.
func TestExamplesReplaceTheContracts(t *testing.T) {
	c := realConfig(t)
	all, err := ReadExamples([]byte(`{
	  "updateOrder": {"path": {"key": "ord_RECORDED"}, "body": {"amount": 7.00}, "status": 202, "answer": {"recorded": 1.10}},
	  "listOrders": {"query": "status=RETURNED"},
	  "extendOrder": {"body": null},
	  "order.captured": {"answer": {"type": "order.captured", "recorded": true}}}`))
	if err != nil {
		t.Fatal(err)
	}
	c.Examples = all
	p := open(t, c)
	for path, wants := range map[string][]string{
		"/docs/api/updateOrder":       {"ord_RECORDED", "7.00", "202 Accepted", "&#34;recorded&#34;: 1.10"},
		"/docs/api/listOrders":        {"status=RETURNED", "Status: &#34;RETURNED&#34;"},
		"/docs/api/createOrder":       {"PO-10042"},
		"/docs/events/order.captured": {"&#34;recorded&#34;: true"},
	} {
		page := uncolored(get(p, path).Body.String())
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s does not show %s", path, want)
			}
		}
	}
	if strings.Contains(get(p, "/docs/api/extendOrder").Body.String(), "-d &#39;") {
		t.Error("a request without a body has one")
	}
	if _, err := ReadExamples([]byte(`[]`)); err == nil {
		t.Error("a list of examples is taken")
	}
	c.Examples = map[string]Example{"updateOrder": {Body: json.RawMessage(`{`)}}
	if _, err := New(c); err == nil {
		t.Error("an example that is no JSON is taken")
	}
}

func TestValues(t *testing.T) {
	v, err := parseValue([]byte(`{"b": 1.10, "a": [1, "x\u00e9<"], "c": {}, "d": [], "e": null, "f": true, "g": [{"h": 1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = "{\n  \"b\": 1.10,\n  \"a\": [1, \"xé<\"],\n  \"c\": {},\n  \"d\": [],\n  \"e\": null,\n  \"f\": true,\n  \"g\": [\n    {\n      \"h\": 1\n    }\n  ]\n}"
	if got := v.pretty(); got != want {
		t.Errorf("written\n%s", got)
	}
	if v.at("c", "x", "y").kind != absent || v.get("b").text != "1.10" {
		t.Error("members are not found")
	}
}
