package portal

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// contract is the OpenAPI document, as needed by the pages.
type contract struct {
	root        value
	title       string
	description string
	tags        []string // in display order
	operations  []*operation
	hooks       []hook
}

// operation is one operation of the contract.
type operation struct {
	id, method, path, tag string
	summary, doc          string // doc is Markdown
	deprecated            bool
	access                access
	scopes                []string
	parameters            []parameter
	body                  body
	answers               []answer
	problems              []problems
}

// access is an operation's authentication.
type access int

const (
	public      access = iota
	token              // an access token
	credentials        // the client's ID and secret, by HTTP Basic
)

// parameter is a value in the path, the query or a header.
type parameter struct {
	name, in, doc string
	required      bool
	schema        value
	example       string
}

// body is a request body; schema is absent if there is none.
type body struct {
	required bool
	media    []string
	schema   value
	example  value
}

// answer is a successful response.
type answer struct {
	status      int
	description string
	headers     []parameter
	media       []string
	schema      value
	example     value
}

// problems are the codes with one status; for an operation with its own error format, such as
// OAuth's, only the contract's description.
type problems struct {
	status      int
	codes       []string
	description string
}

// hook is an event as described by the contract.
type hook struct {
	kind    string
	schema  value
	example value
}

const (
	jsonMedia = "application/json"
	formMedia = "application/x-www-form-urlencoded"
)

// readContract parses an OpenAPI document. It fails if no page can be made from it: invalid JSON,
// a dangling reference, an operation without a name.
func readContract(doc []byte) (*contract, error) {
	root, err := parseValue(doc)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	c := &contract{root: root, title: root.at("info", "title").text, description: root.at("info", "description").text}
	for _, tag := range root.get("tags").items {
		c.tags = append(c.tags, tag.get("name").text)
	}
	for _, path := range root.get("paths").members {
		for _, method := range path.value.members {
			if !slices.Contains([]string{"get", "post", "put", "patch", "delete"}, method.name) {
				continue
			}
			op, err := c.operation(strings.ToUpper(method.name), path.name, method.value)
			if err != nil {
				return nil, fmt.Errorf("contract: %s %s: %w", method.name, path.name, err)
			}
			c.operations = append(c.operations, op)
		}
	}
	for _, h := range root.get("webhooks").members {
		content := h.value.at("post", "requestBody", "content", jsonMedia)
		c.hooks = append(c.hooks, hook{h.name, content.get("schema"), content.get("example")})
	}
	return c, nil
}

// find returns the operation with an ID, nil if there is none.
func (c *contract) find(id string) *operation {
	for _, op := range c.operations {
		if op.id == id {
			return op
		}
	}
	return nil
}

// deref follows a reference within the document.
func (c *contract) deref(v value) (value, error) {
	for range maxDepth {
		ref := v.get("$ref")
		if ref.kind != text {
			return v, nil
		}
		names, local := strings.CutPrefix(ref.text, "#/")
		if v = c.root.at(strings.Split(names, "/")...); !local || v.kind == absent {
			return value{}, fmt.Errorf("nothing is at %s", ref.text)
		}
	}
	return value{}, errors.New("a reference leads to itself")
}

func (c *contract) operation(method, path string, v value) (*operation, error) {
	op := &operation{
		id: v.get("operationId").text, method: method, path: path, summary: v.get("summary").text, doc: v.get("description").text,
		deprecated: v.get("deprecated").text == "true",
	}
	if !pathSegment(op.id) {
		return nil, errors.New("its operationId is no name that an address can have")
	}
	if tags := v.get("tags").texts(); len(tags) > 0 {
		op.tag = tags[0]
	}
	security := v.get("security")
	if security.kind == absent {
		security = c.root.get("security")
	}
	for _, s := range security.items {
		for _, scheme := range s.members {
			op.scopes = append(op.scopes, scheme.value.texts()...)
			if op.access = token; c.root.at("components", "securitySchemes", scheme.name, "scheme").text == "basic" {
				op.access = credentials
			}
		}
	}
	var err error
	for _, p := range v.get("parameters").items {
		if p, err = c.deref(p); err != nil {
			return nil, err
		}
		op.parameters = append(op.parameters, readParameter(p.get("name").text, p.get("in").text, p))
	}
	if op.body, err = c.body(v.get("requestBody")); err != nil {
		return nil, err
	}
	return op, c.responses(op, v.get("responses"))
}

// pathSegment reports whether a name can be used in an address unescaped.
func pathSegment(s string) bool {
	return s != "" && s != "." && s != ".." && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

func readParameter(name, in string, v value) parameter {
	p := parameter{name: name, in: in, doc: v.get("description").text, required: v.get("required").text == "true", schema: v.get("schema")}
	if p.doc == "" {
		p.doc = p.schema.get("description").text
	}
	for _, e := range append([]value{v.get("example"), p.schema.get("example")}, p.schema.get("examples").items...) {
		if e.kind != absent && p.example == "" {
			p.example = e.text
		}
	}
	return p
}

func (c *contract) body(v value) (body, error) {
	v, err := c.deref(v)
	if err != nil {
		return body{}, err
	}
	b := body{required: v.get("required").text == "true"}
	for _, m := range v.get("content").members {
		b.media = append(b.media, m.name)
		if b.schema.kind == absent || m.name == jsonMedia {
			b.schema, b.example = m.value.get("schema"), m.value.get("example")
		}
	}
	return b, nil
}

// responses classifies responses: successes, and the codes of the others.
func (c *contract) responses(op *operation, all value) error {
	for _, r := range all.members {
		v, err := c.deref(r.value)
		if err != nil {
			return err
		}
		status, err := strconv.Atoi(r.name)
		if err != nil {
			continue // "default": a response without its own description
		}
		if status >= 400 {
			op.problems = append(op.problems, problems{status, c.codes(v), v.get("description").text})
			continue
		}
		a := answer{status: status, description: v.get("description").text}
		for _, h := range v.get("headers").members {
			if h.value, err = c.deref(h.value); err != nil {
				return err
			}
			a.headers = append(a.headers, readParameter(h.name, "header", h.value))
		}
		for _, m := range v.get("content").members {
			a.media = append(a.media, m.name)
			if a.schema.kind == absent || m.name == jsonMedia {
				a.schema, a.example = m.value.get("schema"), m.value.get("example")
			}
		}
		op.answers = append(op.answers, a)
	}
	return nil
}

// codes returns the possible codes of a problem response.
func (c *contract) codes(response value) []string {
	var codes []string
	for _, m := range response.get("content").members {
		for _, part := range m.value.at("schema", "allOf").items {
			codes = append(codes, part.at("properties", "code", "enum").texts()...)
		}
	}
	return codes
}

// takes reports whether a request may have a header.
func (op *operation) takes(header string) bool {
	return slices.ContainsFunc(op.parameters, func(p parameter) bool { return p.in == "header" && strings.EqualFold(p.name, header) })
}

// in returns the parameters in one place.
func (op *operation) in(place string) []parameter {
	return slices.DeleteFunc(slices.Clone(op.parameters), func(p parameter) bool { return p.in != place })
}

// success returns the first response that is neither a redirect nor "not modified": what a call
// normally gets. The second result is false if the contract has none.
func (op *operation) success() (answer, bool) {
	best := answer{}
	for _, a := range op.answers {
		if a.status < 300 && (best.status == 0 || best.schema.kind == absent && a.schema.kind != absent) {
			best = a
		}
	}
	return best, best.status != 0
}
