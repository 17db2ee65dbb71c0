package scenario

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"tenor/client"
)

//go:embed triggers.json
var triggersFile []byte

// Triggers are the steps that trigger each event type.
type Triggers map[string]Trigger

// Trigger is one of them.
type Trigger struct {
	After  string `json:"after"`  // this event type's steps come first
	Lender bool   `json:"lender"` // the steps need the lender's token
	Steps  []Step `json:"steps"`
}

// ReadTriggers reads the steps built into the program.
func ReadTriggers() (Triggers, error) {
	var all Triggers
	d := json.NewDecoder(bytes.NewReader(triggersFile))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("read the triggers: %w", err)
	}
	return all, nil
}

// Steps returns all steps that trigger an event type, in order.
func (t Triggers) Steps(event string) ([]Step, error) {
	var out []Step
	for range len(t) + 1 {
		x, found := t[event]
		if !found {
			return nil, fmt.Errorf("triggers: there is no %q", event)
		}
		out = slices.Concat(x.Steps, out)
		if x.After == "" {
			return out, nil
		}
		event = x.After
	}
	return nil, fmt.Errorf("triggers: %q comes after itself", event)
}

// Cause plays steps as a client, or as clients that steps have created. A refusal is an error.
type Cause struct {
	script *script
	api    *client.Client
	poller *client.EventPoller
}

// NewCause starts a Cause: events from before it do not count as caused by the steps.
func NewCause(ctx context.Context, api *client.Client) (*Cause, error) {
	c := &Cause{api: api, poller: api.EventPoller("")}
	c.poller.Every = pollEvery
	if _, err := c.poller.Skip(ctx); err != nil {
		return nil, err
	}
	c.script = &script{
		send: c.send, kept: map[string]json.RawMessage{}, waits: map[string]int{}, from: c.poller.Cursor,
		fixed: map[string]string{"run": rand.Text()[:8], "server": api.Address()},
	}
	return c, nil
}

// send makes a call as the caller that a step names: a client created by a step, or the token's
// owner.
func (c *Cause) send(ctx context.Context, k call) (client.Response, error) {
	api := c.api
	if k.as != "" && k.as != asLender && k.as != asShop {
		made, err := client.NewWithCredentials(c.api.Address(), client.Credentials{ID: textOf(c.script.kept[k.as], "id"), Secret: textOf(c.script.kept[k.as], "secret")})
		if err != nil {
			return client.Response{}, err
		}
		api = made
	}
	var body any
	if len(k.body) > 0 {
		body = k.body
	}
	a, err := api.Do(ctx, k.method, k.path, body)
	if err != nil {
		return client.Response{}, err
	}
	return *a, nil
}

// Do plays a step.
func (c *Cause) Do(ctx context.Context, x Step) error {
	_, err := c.script.do(ctx, &x)
	return err
}

// Now returns the sandbox's time after the last move.
func (c *Cause) Now() time.Time { return c.script.now }

// Identifier returns the key or ID in a step's response, "" if it has none.
func (c *Cause) Identifier(step string) string {
	for _, name := range []string{"key", "id"} {
		if text, found := member(c.script.kept[step], name); found {
			return text
		}
	}
	return ""
}

// ErrSilent means that the steps emitted no event.
var ErrSilent = errors.New("no event has come")

// Events lists the received events of a type, and waits for the first one.
func (c *Cause) Events(ctx context.Context, kind string) ([]*client.Event, error) {
	for e, err := range c.poller.Events(ctx) {
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return nil, ErrSilent
		case err != nil:
			return nil, err
		case e.Type == kind:
			return []*client.Event{e}, nil
		}
	}
	return nil, ctx.Err()
}
