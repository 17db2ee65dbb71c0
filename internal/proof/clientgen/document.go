package clientgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// document is the part of an OpenAPI document that is read.
type document struct {
	Paths      ordered[ordered[*operation]] `json:"paths"`
	Components struct {
		Schemas    ordered[*schema]   `json:"schemas"`
		Parameters ordered[parameter] `json:"parameters"`
	} `json:"components"`
}

// operation is one method of a path.
type operation struct {
	ID          string            `json:"operationId"`
	Summary     string            `json:"summary"`
	Description string            `json:"description"`
	Tags        []string          `json:"tags"`
	Parameters  []parameter       `json:"parameters"`
	Body        *content          `json:"requestBody"`
	Responses   ordered[*content] `json:"responses"`

	verb, path string
	slow       bool
}

type parameter struct {
	Ref         string  `json:"$ref"`
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Description string  `json:"description"`
	Required    bool    `json:"required"`
	Schema      *schema `json:"schema"`
}

// content is a body or a response, by media type.
type content struct {
	Content ordered[struct {
		Schema *schema `json:"schema"`
	}] `json:"content"`
}

// schema is a JSON schema.
type schema struct {
	Ref         string           `json:"$ref"`
	Types       kinds            `json:"type"`
	Format      string           `json:"format"`
	Description string           `json:"description"`
	Enum        []jsontext.Value `json:"enum"`
	Pattern     string           `json:"pattern"`
	Minimum     *float64         `json:"minimum"`
	Default     jsontext.Value   `json:"default"`
	Required    []string         `json:"required"`
	Properties  ordered[*schema] `json:"properties"`
	Items       *schema          `json:"items"`
	Additional  jsontext.Value   `json:"additionalProperties"`
	AnyOf       []*schema        `json:"anyOf"`
	OneOf       []*schema        `json:"oneOf"`
}

// kinds are the JSON types of a value: one, or a list.
type kinds []string

// UnmarshalJSON reads both forms.
func (k *kinds) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		*k = kinds{""}
		return json.Unmarshal(text, &(*k)[0])
	}
	return json.Unmarshal(text, (*[]string)(k))
}

func (k kinds) has(name string) bool { return slices.Contains(k, name) }

// first returns the type of a value in responses.
func (k kinds) first() string {
	if len(k) == 0 {
		return ""
	}
	return k[0]
}

// ordered is a JSON object whose members keep their order.
type ordered[T any] []named[T]

type named[T any] struct {
	name  string
	value T
}

// UnmarshalJSONFrom reads the members one by one.
func (o *ordered[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		m := named[T]{name: name.String()}
		if err := json.UnmarshalDecode(d, &m.value); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	_, err := d.ReadToken()
	return err
}

func (o ordered[T]) get(name string) (value T, ok bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return value, false
}

// read parses a document and resolves its references.
func read(text []byte) (*document, error) {
	d := &document{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	for _, p := range d.Paths {
		for _, m := range p.value {
			m.value.verb, m.value.path = strings.ToUpper(m.name), p.name
			for i, x := range m.value.Parameters {
				if shared, ok := d.Components.Parameters.get(last(x.Ref)); ok && x.Ref != "" {
					m.value.Parameters[i] = shared
				}
			}
		}
	}
	return d, nil
}

// last is the last part of a reference.
func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// refers returns the name of the schema that a schema refers to, and whether null is allowed
// instead. Of several the first one counts: the others are its dry runs.
func (s *schema) refers() (name string, nullable bool) {
	if s.Ref != "" {
		return last(s.Ref), false
	}
	for _, x := range slices.Concat(s.OneOf, s.AnyOf) {
		if x.Ref != "" {
			return last(x.Ref), s.AnyOf != nil
		}
	}
	return "", false
}

// media returns the schema of one media type, nil if there is none.
func (c *content) media(name string) *schema {
	if c == nil {
		return nil
	}
	m, _ := c.Content.get(name)
	return m.Schema
}

// others returns the media types other than JSON.
func (c *content) others() []string {
	var all []string
	if c != nil {
		for _, m := range c.Content {
			if !strings.HasSuffix(m.name, "json") {
				all = append(all, m.name)
			}
		}
	}
	return all
}

// answer returns the successful response.
func (o *operation) answer() *content {
	for _, r := range o.Responses {
		if strings.HasPrefix(r.name, "2") {
			return r.value
		}
	}
	return nil
}

// tag returns the noun of an operation.
func (o *operation) tag() string {
	if len(o.Tags) == 0 {
		return "client"
	}
	return strings.ReplaceAll(strings.ToLower(o.Tags[0]), " ", "_")
}
