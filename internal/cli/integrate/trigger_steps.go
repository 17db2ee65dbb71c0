package integrate

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/exit"
	"tenor/internal/terminal"
)

//go:embed triggers.json
var triggersFile []byte

// triggers are the steps that cause each event type.
type triggers map[string]trigger

// trigger is one of them.
type trigger struct {
	After  string        `json:"after"`  // the steps of this event type come first
	Lender bool          `json:"lender"` // the steps need the lender's token
	Steps  []triggerStep `json:"steps"`
}

// triggerStep is a call of the API, or a move of the clock until an event comes. Exactly
// one of Call and Until is given.
type triggerStep struct {
	Name  string          `json:"name"`            // under which later steps find the answer: ${order.key}
	Call  string          `json:"call,omitempty"`  // POST /order
	As    string          `json:"as,omitempty"`    // the client that a step has made; absent: whose token it is
	Body  json.RawMessage `json:"body,omitempty"`  //
	Until string          `json:"until,omitempty"` // event type
}

// readTriggers reads the steps that came with the program.
func readTriggers() (triggers, error) {
	var all triggers
	d := json.NewDecoder(bytes.NewReader(triggersFile))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("read the triggers: %w", err)
	}
	return all, nil
}

// steps are all steps that cause an event type, in their order.
func (t triggers) steps(event string) ([]triggerStep, error) {
	var out []triggerStep
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

// triggering is steps under way.
type triggering struct {
	api    *client.Client
	events func(ctx context.Context, kind string) ([]*client.Event, error)
	begin  string                     // cursor behind what had happened before the steps
	last   string                     // the last event that is known
	waits  map[string]int             // how often each type has been waited for
	kept   map[string]json.RawMessage // answers by step
	fixed  map[string]string          // ${run} and ${server}
	now    time.Time                  // of the sandbox, after the last move
}

// newTriggering begins: what has happened before is not what the steps cause.
func newTriggering(ctx context.Context, api *client.Client) (*triggering, error) {
	r := &triggering{api: api, waits: map[string]int{}, kept: map[string]json.RawMessage{}, fixed: map[string]string{"run": rand.Text()[:8], "server": api.Address()}}
	p := api.EventPoller("")
	p.Every = terminal.PollEvery
	if _, err := p.Skip(ctx); err != nil {
		return nil, err
	}
	r.begin = p.Cursor
	r.events = func(ctx context.Context, kind string) ([]*client.Event, error) { return eventsOf(ctx, p, kind) }
	return r, nil
}

// eventsOf lists the events of a type that have come, and waits for the first.
func eventsOf(ctx context.Context, p *client.EventPoller, kind string) ([]*client.Event, error) {
	for e, err := range p.Events(ctx) {
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return nil, &exit.Failure{Code: exit.CheckFailed, Text: "the steps are done, and no " + kind + " has come"}
		case err != nil:
			return nil, err
		case e.Type == kind:
			return []*client.Event{e}, nil
		}
	}
	return nil, ctx.Err()
}

// do does a step.
func (r *triggering) do(ctx context.Context, s triggerStep) error {
	if s.Until != "" {
		return r.wait(ctx, s.Until)
	}
	call, err := r.fill(s.Call)
	if err != nil {
		return err
	}
	var body any
	if len(s.Body) > 0 {
		text, err := r.fill(string(s.Body))
		if err != nil {
			return err
		}
		body = json.RawMessage(text)
	}
	method, path, found := strings.Cut(call, " ")
	if !found {
		return fmt.Errorf("%q is no call", s.Call)
	}
	api, err := r.as(s.As)
	if err != nil {
		return err
	}
	answer, err := api.Do(ctx, method, path, body)
	if err != nil {
		return err
	}
	r.kept[s.Name] = bytes.Clone(answer.Body)
	return nil
}

// as is the client of a step: whose token it is, or one that a step has made.
func (r *triggering) as(name string) (*client.Client, error) {
	if name == "" {
		return r.api, nil
	}
	id, _ := memberOf(r.kept[name], "id")
	secret, _ := memberOf(r.kept[name], "secret")
	return client.NewWithCredentials(r.api.Address(), client.Credentials{ID: id, Secret: secret})
}

// wait moves the clock until an event of a type comes. What the steps have caused may
// have come already, or come while the clock is asked: a sandbox does by itself what is
// due now.
func (r *triggering) wait(ctx context.Context, kind string) error {
	r.waits[kind]++
	came, err := r.came(ctx, kind)
	if err != nil {
		return err
	}
	var x *client.SandboxClock
	if came >= r.waits[kind] {
		if x, err = r.api.BusinessClock(ctx); err == nil {
			r.now = x.Now
		}
		return err
	}
	x, err = r.api.AdvanceClock(ctx, client.Advance{Until: kind, After: r.last})
	for err == nil && x.Status == "advancing" {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(terminal.PollEvery):
		}
		x, err = r.api.BusinessClock(ctx)
	}
	if err != nil {
		return err
	}
	r.now = x.Now
	if x.Failed {
		return &exit.Failure{Code: exit.Unavailable, Text: "the clock broke off at " + terminal.NewYork(x.Now), Hint: "The server's log says why."}
	}
	return nil
}

// came counts the events of a type since the steps have begun.
func (r *triggering) came(ctx context.Context, kind string) (n int, err error) {
	for cursor := r.begin; ; {
		page, err := r.api.ListEvents(ctx, client.EventFilter{}, client.Paging{Limit: terminal.MaxPage, Cursor: cursor})
		if err != nil {
			return n, err
		}
		for _, e := range page.Data {
			if r.last = e.ID; e.Type == kind {
				n++
			}
		}
		if !page.HasMore {
			return n, nil
		}
		cursor = page.NextCursor
	}
}

// stepReference is what is replaced in a step: ${order.key} is a member of an answer.
var stepReference = regexp.MustCompile(`\$\{[^}]*\}`)

// fill replaces the references of a text. A body stays JSON: what is put in stands
// between quotation marks already, and is written as JSON writes it there.
func (r *triggering) fill(text string) (string, error) {
	var failed error
	out := stepReference.ReplaceAllStringFunc(text, func(reference string) string {
		name, path, _ := strings.Cut(reference[2:len(reference)-1], ".")
		value, found := r.fixed[name]
		if !found {
			value, found = memberOf(r.kept[name], path)
		}
		if !found {
			failed = &exit.Failure{Code: exit.Usage, Text: "nothing is known of " + reference, Hint: "A step that was skipped made it: give its value with --override."}
		}
		quoted, err := json.Marshal(value)
		if err != nil {
			failed = err
		}
		return strings.Trim(string(quoted), `"`)
	})
	return out, failed
}

// memberOf reads a member of a JSON document as text. A path has dots.
func memberOf(document json.RawMessage, path string) (string, bool) {
	for name := range strings.SplitSeq(path, ".") {
		var members map[string]json.RawMessage
		if json.Unmarshal(document, &members) != nil {
			return "", false
		}
		value, found := members[name]
		if !found || string(value) == "null" {
			return "", false
		}
		document = value
	}
	var text string
	if json.Unmarshal(document, &text) == nil {
		return text, true
	}
	return string(document), len(document) > 0
}

// identifierOf is what an answer is called by, "" if by nothing.
func identifierOf(answer json.RawMessage) string {
	for _, name := range []string{"key", "id"} {
		if text, found := memberOf(answer, name); found {
			return text
		}
	}
	return ""
}

// withMember is a JSON object with another value of a member: JSON if it is that, else
// text.
func withMember(body json.RawMessage, path []string, value string) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &members); err != nil {
			return nil, errors.New("it is no member of an object")
		}
	}
	if len(path) > 1 {
		inner, err := withMember(members[path[0]], path[1:], value)
		if err != nil {
			return nil, err
		}
		members[path[0]] = inner
		return json.Marshal(members)
	}
	if members[path[0]] = json.RawMessage(value); !json.Valid(members[path[0]]) {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		members[path[0]] = text
	}
	return json.Marshal(members)
}
