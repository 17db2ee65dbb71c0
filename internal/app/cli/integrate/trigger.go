package integrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/scenario"
	"tenor/internal/app/terminal"
)

// TriggerCommand is the command "trigger".
type TriggerCommand struct {
	terminal.Remote
	Event    string   `arg:"" help:"Event type, such as payment.returned; list shows the types that can be triggered." complete:"event-type"`
	Override []string `sep:"none" placeholder:"STEP.MEMBER=VALUE" help:"Change a value: order.amount=500, or order.terms={…} as JSON."`
	Skip     []string `placeholder:"STEP" help:"Skip a step. Values that later steps take from it must be overridden."`
	Steps    bool     `help:"Show the steps without running them."`
}

func (TriggerCommand) Examples() []string {
	return []string{"trigger order.captured", "trigger payment.returned --override account.account_number=100000010", "trigger list",
		"trigger order.refunded --skip company --override order.company_id=1000000001", "trigger order.canceled --steps"}
}

// Run is called by the parser. Nothing is faked: the steps are API calls, and the event is their
// result.
func (c *TriggerCommand) Run(ctx context.Context, a *terminal.App) error {
	all, err := scenario.ReadTriggers()
	if err != nil {
		return err
	}
	if c.Event == "list" {
		return c.list(a, all)
	}
	t, found := all[c.Event]
	if !found {
		names := slices.Sorted(maps.Keys(all))
		return &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("%q cannot be triggered%s", c.Event, terminal.Suggestion(c.Event, names)), Hint: a.Program + " trigger list shows the types that can be triggered."}
	}
	steps, err := all.Steps(c.Event)
	if err != nil {
		return err
	}
	if steps, err = c.changed(steps); err != nil {
		return err
	}
	if c.Steps {
		return c.show(a, steps)
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	r, err := scenario.NewCause(ctx, api)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if err := r.Do(ctx, s); err != nil {
			if t.Lender {
				c.Say(a, "This needs a lender token with the scope sandbox: %s token --operator", a.Program)
			}
			return fmt.Errorf("step %s: %w", s.Name, worded(r, err))
		}
		if s.Until != "" {
			c.Say(a, "%-12s until %s: %s", s.Name, s.Until, terminal.NewYork(r.Now()))
		} else {
			c.Say(a, "%-12s %s %s", s.Name, s.Call, terminal.Clean(r.Identifier(s.Name)))
		}
	}
	return c.report(ctx, a, r)
}

// list shows the events that can be triggered.
func (c *TriggerCommand) list(a *terminal.App, all scenario.Triggers) error {
	type row struct {
		Event  string `json:"event"`
		Steps  int    `json:"steps"`
		Lender bool   `json:"lender"` // needs the lender's token
	}
	var rows []row
	t := terminal.NewTable("EVENT", ">STEPS", "TOKEN")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		steps, err := all.Steps(name)
		if err != nil {
			return err
		}
		whose := "merchant"
		if all[name].Lender {
			whose = "lender"
		}
		rows = append(rows, row{Event: name, Steps: len(steps), Lender: all[name].Lender})
		t.Row(name, len(steps), whose)
		if c.Quiet && !c.Plain && !c.JSON {
			fmt.Fprintln(a.Out, name)
		}
	}
	switch {
	case c.JSON:
		body, err := json.Marshal(map[string]any{"data": rows, "has_more": false, "next_cursor": nil})
		if err != nil {
			return err
		}
		return terminal.Document(a.Out, body)
	case c.Quiet && !c.Plain:
		return nil
	}
	return c.Table(a, t)
}

// show prints the steps without running them.
func (c *TriggerCommand) show(a *terminal.App, steps []scenario.Step) error {
	body, err := json.MarshalIndent(map[string]any{"event": c.Event, "steps": steps}, "", "  ")
	if err != nil {
		return err
	}
	return terminal.Document(a.Out, body)
}

// changed applies --skip and --override.
func (c *TriggerCommand) changed(steps []scenario.Step) ([]scenario.Step, error) {
	find := func(name string) (int, error) {
		i := slices.IndexFunc(steps, func(s scenario.Step) bool { return s.Name == name })
		if i < 0 {
			var names []string
			for _, s := range steps {
				names = append(names, s.Name)
			}
			return 0, &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("%s has no step %q", c.Event, name), Hint: "Its steps: " + strings.Join(names, " ")}
		}
		return i, nil
	}
	for _, o := range c.Override {
		path, value, found := strings.Cut(o, "=")
		name, member, deep := strings.Cut(path, ".")
		if !found || !deep || member == "" {
			return nil, &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("--override must look like order.amount=500, not %q", o)}
		}
		i, err := find(name)
		if err != nil {
			return nil, err
		}
		if steps[i].Body, err = withMember(steps[i].Body, strings.Split(member, "."), value); err != nil {
			return nil, &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("--override %s: %v", path, err)}
		}
	}
	for _, name := range c.Skip {
		i, err := find(name)
		if err != nil {
			return nil, err
		}
		steps = slices.Delete(steps, i, i+1)
	}
	return steps, nil
}

// patienceForTrigger is how long to look for the triggered events. It only prevents a hang.
const patienceForTrigger = time.Minute

// report prints the events that the steps triggered.
func (c *TriggerCommand) report(ctx context.Context, a *terminal.App, r *scenario.Cause) error {
	ctx, cancel := context.WithTimeout(ctx, patienceForTrigger)
	defer cancel()
	found, err := r.Events(ctx, c.Event)
	if errors.Is(err, scenario.ErrSilent) {
		return &exit.Failure{Code: exit.CheckFailed, Text: "all steps ran, but no " + c.Event + " was emitted"}
	}
	if err != nil {
		return err
	}
	if c.JSON {
		list := make([]json.RawMessage, len(found))
		for i, e := range found {
			list[i] = json.RawMessage(e.JSON())
		}
		body, err := json.Marshal(map[string]any{"data": list, "has_more": false, "next_cursor": nil})
		if err != nil {
			return err
		}
		return terminal.Document(a.Out, body)
	}
	p := client.Page[client.Event]{}
	for _, e := range found {
		p.Data = append(p.Data, *e)
	}
	return terminal.EventNoun().PrintPage(a, c.Output, client.Response{}, &p)
}

// worded adds advice to the error of a failed step.
func worded(r *scenario.Cause, err error) error {
	var unknown *scenario.UnknownError
	switch {
	case errors.As(err, &unknown):
		return &exit.Failure{Code: exit.Usage, Text: "no value for " + unknown.Reference, Hint: "A skipped step would have set it. Give it with --override."}
	case errors.Is(err, scenario.ErrClock):
		return &exit.Failure{Code: exit.Unavailable, Text: "the clock stopped early, at " + terminal.NewYork(r.Now()), Hint: "The server's log says why."}
	}
	return err
}

// withMember sets a member of a JSON object: to the value as JSON if it is valid JSON, otherwise
// as a string.
func withMember(body json.RawMessage, path []string, value string) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &members); err != nil {
			return nil, errors.New("not a member of an object")
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
