package portal

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
)

// Example is a request that works, and its response. It replaces the example of the contract. The
// JSON form is a file with recorded examples: an object with operationIds, or event types, as
// names and examples as values.
type Example struct {
	// Path contains the values of path parameters.
	Path map[string]string `json:"path,omitempty"`
	// Query is the query string, encoded, without a question mark.
	Query string `json:"query,omitempty"`
	// Body is the request body: JSON, also for a form, whose fields are its members. Absent: the
	// contract's example; null: no body.
	Body json.RawMessage `json:"body,omitempty"`
	// Status is the response status; 0: that of the contract's success.
	Status int `json:"status,omitempty"`
	// Answer is the response body, or an event's payload. Absent: the contract's example.
	Answer json.RawMessage `json:"answer,omitempty"`
}

// ReadExamples parses a file of examples.
func ReadExamples(file []byte) (map[string]Example, error) {
	var all map[string]Example
	if err := json.Unmarshal(file, &all); err != nil {
		return nil, fmt.Errorf("read examples: %w", err)
	}
	return all, nil
}

// requestFile holds requests that show what an operation is for, where the
// contract's example, which has every member, would not be taken.
//
//go:embed content/requests.json
var requestFile embed.FS

func ownRequests() (map[string]Example, error) {
	b, err := requestFile.ReadFile("content/requests.json")
	if err != nil {
		return nil, err
	}
	return ReadExamples(b)
}

// recorded is an example with parsed JSON.
type recorded struct {
	Example
	body, answer value // absent if not given
}

// record parses the JSON of an example.
func (e Example) record() (r recorded, err error) {
	r.Example = e
	if e.Body != nil {
		if r.body, err = parseValue(e.Body); err != nil {
			return r, err
		}
	}
	if e.Answer != nil {
		r.answer, err = parseValue(e.Answer)
	}
	return r, err
}

// readExamples merges the given examples over the portal's own.
func readExamples(given map[string]Example) (map[string]recorded, error) {
	all, err := ownRequests()
	if err != nil {
		return nil, err
	}
	maps.Copy(all, given)
	out := map[string]recorded{}
	for name, e := range all {
		if out[name], err = e.record(); err != nil {
			return nil, fmt.Errorf("example of %s: %w", name, err)
		}
	}
	return out, nil
}

// call is one request with its values, for the code samples.
type call struct {
	op    *operation
	path  string // with its values
	query string // encoded
	body  value  // absent: none
	form  bool   // the body is a form
	key   string // Idempotency-Key, "" if the operation takes none
}

// target returns the path with its query.
func (c *call) target() string {
	if c.query == "" {
		return c.path
	}
	return c.path + "?" + c.query
}

// usualValues are used for path parameters without an example in the contract.
var usualValues = map[string]string{"company_id": "1000000001"}

// newCall fills an operation with an example's values.
func newCall(op *operation, e recorded) *call {
	c := &call{op: op, path: op.path, query: e.Query, body: op.body.example}
	for _, p := range op.in("path") {
		v := cmp.Or(e.Path[p.name], p.example, usualValues[p.name], p.name)
		c.path = strings.ReplaceAll(c.path, "{"+p.name+"}", url.PathEscape(v))
	}
	if e.body.kind != absent {
		c.body = e.body
	}
	if c.body.kind == null || len(op.body.media) == 0 {
		c.body = value{}
	}
	c.form = len(op.body.media) > 0 && op.body.media[0] == formMedia
	if op.takes("Idempotency-Key") {
		c.key = kebab(op.id) + "-1"
	}
	return c
}

// kebab converts captureOrder to capture-order.
func kebab(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fields returns the members of a form, encoded.
func (c *call) fields() string {
	var all []string
	for _, m := range c.body.members {
		all = append(all, url.QueryEscape(m.name)+"="+url.QueryEscape(m.value.text))
	}
	return strings.Join(all, "&")
}

// header is one header of a request.
type header struct{ name, value string }

// headers returns the headers in the code samples, except Authorization.
func (c *call) headers() []header {
	var out []header
	if c.key != "" {
		out = append(out, header{"Idempotency-Key", c.key})
	}
	switch {
	case c.form:
		out = append(out, header{"Content-Type", formMedia})
	case c.body.kind != absent:
		out = append(out, header{"Content-Type", jsonMedia})
	}
	return out
}

// snippet is a request in one language.
type snippet struct {
	Language string // its usual name
	Name     string // for anchors and tests: curl, go, php, javascript, python
	Code     string
}

// snippets returns the call in every language.
func (c *call) snippets() []snippet {
	return []snippet{
		{"curl", "curl", c.curl()},
		{"Go", "go", c.golang()},
		{"PHP", "php", c.php()},
		{"JavaScript", "javascript", c.javascript()},
		{"Python", "python", c.python()},
	}
}
