// Package integrate contains the commands for developers who build on Tenor: API calls, clients,
// events and webhooks, the request log, and a sandbox with its clock, bank, mail and stories.
package integrate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// apiCall is common to calls of any path.
type apiCall struct {
	Path string   `arg:"" help:"Path with query, such as /v1/orders?limit=5."`
	Data []string `short:"d" sep:"none" placeholder:"NAME=VALUE" help:"Member of the body, or query parameter of a GET. Numbers, true, false, null, objects and arrays are read as JSON, everything else as text."`
}

// APIGet is the command "api get".
type APIGet struct {
	terminal.Remote
	apiCall
}

func (APIGet) Examples() []string { return []string{"api get /v1/orders -d limit=5"} }

func (c *APIGet) Run(ctx context.Context, a *terminal.App) error {
	path, query, _ := strings.Cut(c.Path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return &exit.Failure{Code: exit.Usage, Text: "invalid query in the path"}
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
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	r, err := api.Do(ctx, "GET", path, nil)
	if err != nil {
		return err
	}
	return answer(a, c.Output, r)
}

// apiChange is a call with a body.
type apiChange struct {
	terminal.Change
	apiCall
	Body string `placeholder:"FILE" help:"Send this file as the body, unchanged; - for standard input."`
}

// APIPost is the command "api post".
type APIPost struct{ apiChange }

func (APIPost) Examples() []string {
	return []string{"api post /order -d company_id=1000000001 -d amount=1200.00", "api post /payment --body payment.json"}
}

func (c *APIPost) Run(ctx context.Context, a *terminal.App) error { return c.send(ctx, a, "POST") }

// APIPut is the command "api put".
type APIPut struct{ apiChange }

func (APIPut) Examples() []string {
	return []string{"api put /v1/operator/merchants/mch_…/limits --body limits.json"}
}

func (c *APIPut) Run(ctx context.Context, a *terminal.App) error { return c.send(ctx, a, "PUT") }

// APIPatch is the command "api patch".
type APIPatch struct{ apiChange }

func (APIPatch) Examples() []string {
	return []string{"api patch /v1/order/ord_… -d status=CAPTURED"}
}

func (c *APIPatch) Run(ctx context.Context, a *terminal.App) error { return c.send(ctx, a, "PATCH") }

func (c *apiChange) send(ctx context.Context, a *terminal.App, method string) error {
	body, err := c.body(a)
	if err != nil {
		return err
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	if c.DryRun {
		var preview client.Preview
		r, err := api.Do(ctx, method, c.Path, body, client.DryRun(&preview))
		if err != nil {
			return err
		}
		return answer(a, c.Output, r)
	}
	if err := c.Draw(a, api.Address()); err != nil {
		return err
	}
	r, err := api.Do(ctx, method, c.Path, body, client.IdempotencyKey(c.IdempotencyKey))
	if err != nil {
		return c.Failed(ctx, err)
	}
	return answer(a, c.Output, r)
}

// APIDelete is the command "api delete".
type APIDelete struct {
	terminal.Remote
	Path string `arg:"" help:"Path to delete, such as /v1/webhooks/whk_…"`
}

func (APIDelete) Examples() []string { return []string{"api delete /v1/webhooks/whk_…"} }

// Run is called by the parser. An empty response prints nothing.
func (c *APIDelete) Run(ctx context.Context, a *terminal.App) error {
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	r, err := api.Do(ctx, "DELETE", c.Path, nil)
	if err != nil {
		return err
	}
	if len(r.Body) == 0 {
		if c.JSON {
			return terminal.Document(a.Out, []byte("null"))
		}
		c.Say(a, "Done: %d %s.", r.Status, http.StatusText(r.Status))
		return nil
	}
	return answer(a, c.Output, r)
}

func (c *apiChange) body(a *terminal.App) (json.RawMessage, error) {
	if c.Body != "" {
		text, err := a.ReadAll(c.Body)
		if err != nil {
			return nil, &exit.Failure{Code: exit.Usage, Text: "read body", Err: err}
		}
		if !json.Valid(text) || len(c.Data) > 0 {
			return nil, &exit.Failure{Code: exit.Usage, Text: "the body must be one JSON document; do not combine it with -d"}
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
			return nil, &exit.Failure{Code: exit.Usage, Text: "write body", Err: err}
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
		return "", "", &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("-d %q is not NAME=VALUE", d)}
	}
	return name, value, nil
}

// literal returns a value as JSON: unchanged, digit for digit, if it is JSON and not a string,
// otherwise as a string.
func literal(value string) json.RawMessage {
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	text, _ := json.Marshal(value) // a string always encodes
	return text
}

// answer prints the server's response: unchanged, or indented for people.
func answer(a *terminal.App, o terminal.Output, r *client.Response) error {
	if o.JSON || o.Plain {
		return terminal.Document(a.Out, r.Body)
	}
	return terminal.Document(a.Out, terminal.Indented(r.Body))
}
