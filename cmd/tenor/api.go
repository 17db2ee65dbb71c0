package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"tenor/client"
)

// apiCall is what all calls of any path have in common.
type apiCall struct {
	Path string   `arg:"" help:"Path with its query, such as /v1/orders?limit=5."`
	Data []string `short:"d" sep:"none" placeholder:"NAME=VALUE" help:"A member of the body, or of the query of a read. Numbers, true, false, null, objects and lists are taken as JSON, the rest as text."`
}

type apiGet struct {
	remote
	apiCall
}

// Examples are shown by -h.
func (apiGet) Examples() []string { return []string{"api get /v1/orders -d limit=5"} }

// Run is called by the parser.
func (c *apiGet) Run(ctx context.Context, a *app) error {
	path, query, _ := strings.Cut(c.Path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return &failure{code: exitUsage, text: "the query of the path cannot be read"}
	}
	for _, d := range c.Data {
		name, value, err := pair(d)
		if err != nil {
			return err
		}
		values.Add(name, value)
	}
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	r, err := api.Do(ctx, "GET", path, nil)
	if err != nil {
		return err
	}
	return answer(a, c.output, r)
}

// apiChange is a call with a body.
type apiChange struct {
	change
	apiCall
	Body string `placeholder:"FILE" help:"The body as it is, from a file or - for standard input."`
}

type apiPost struct{ apiChange }

// Examples are shown by -h.
func (apiPost) Examples() []string {
	return []string{"api post /order -d company_id=1000000001 -d amount=1200.00", "api post /payment --body payment.json"}
}

// Run is called by the parser.
func (c *apiPost) Run(ctx context.Context, a *app) error { return c.send(ctx, a, "POST") }

type apiPut struct{ apiChange }

// Examples are shown by -h.
func (apiPut) Examples() []string {
	return []string{"api put /v1/operator/merchants/mch_…/limits --body limits.json"}
}

// Run is called by the parser.
func (c *apiPut) Run(ctx context.Context, a *app) error { return c.send(ctx, a, "PUT") }

type apiPatch struct{ apiChange }

// Examples are shown by -h.
func (apiPatch) Examples() []string {
	return []string{"api patch /v1/order/ord_… -d status=CAPTURED"}
}

// Run is called by the parser.
func (c *apiPatch) Run(ctx context.Context, a *app) error { return c.send(ctx, a, "PATCH") }

func (c *apiChange) send(ctx context.Context, a *app, method string) error {
	body, err := c.body(a)
	if err != nil {
		return err
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	if c.DryRun {
		var preview client.Preview
		r, err := api.Do(ctx, method, c.Path, body, client.DryRun(&preview))
		if err != nil {
			return err
		}
		return answer(a, c.output, r)
	}
	if err := c.draw(a, api.Address()); err != nil {
		return err
	}
	r, err := api.Do(ctx, method, c.Path, body, client.IdempotencyKey(c.IdempotencyKey))
	if err != nil {
		return c.failed(ctx, err)
	}
	return answer(a, c.output, r)
}

type apiDelete struct {
	remote
	Path string `arg:"" help:"Path of what is deleted, such as /v1/webhooks/whk_…"`
}

// Examples are shown by -h.
func (apiDelete) Examples() []string { return []string{"api delete /v1/webhooks/whk_…"} }

// Run is called by the parser. There is nothing to print of an answer that is empty.
func (c *apiDelete) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	r, err := api.Do(ctx, "DELETE", c.Path, nil)
	if err != nil {
		return err
	}
	if len(r.Body) == 0 {
		if c.JSON {
			return document(a.out, []byte("null"))
		}
		c.say(a, "Done: %d %s.", r.Status, http.StatusText(r.Status))
		return nil
	}
	return answer(a, c.output, r)
}

func (c *apiChange) body(a *app) (json.RawMessage, error) {
	if c.Body != "" {
		text, err := a.readAll(c.Body)
		if err != nil {
			return nil, &failure{code: exitUsage, text: "read body", err: err}
		}
		if !json.Valid(text) || len(c.Data) > 0 {
			return nil, &failure{code: exitUsage, text: "the body must be one JSON document, and without -d"}
		}
		return text, nil
	}
	var out bytes.Buffer
	for i, d := range c.Data {
		name, value, err := pair(d)
		if err != nil {
			return nil, err
		}
		member, err := json.Marshal(name)
		if err != nil {
			return nil, &failure{code: exitUsage, text: "write body", err: err}
		}
		out.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		out.Write(member)
		out.WriteByte(':')
		out.Write(literal(value))
	}
	if out.Len() == 0 {
		out.WriteByte('{')
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// pair splits name=value.
func pair(d string) (name, value string, err error) {
	name, value, ok := strings.Cut(d, "=")
	if !ok || name == "" {
		return "", "", &failure{code: exitUsage, text: fmt.Sprintf("-d %q is not NAME=VALUE", d)}
	}
	return name, value, nil
}

// literal is a value as JSON: itself, digit for digit, if it is JSON and no
// string, else the text of it.
func literal(value string) json.RawMessage {
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	text, _ := json.Marshal(value) // a string can always be written
	return text
}

// answer prints what the server said: as it came, or indented for people.
func answer(a *app, o output, r *client.Response) error {
	if o.JSON || o.Plain {
		return document(a.out, r.Body)
	}
	return document(a.out, indented(r.Body))
}
