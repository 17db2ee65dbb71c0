package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tenor/client"
)

type triggerCommand struct {
	remote
	Event    string   `arg:"" help:"Event type, such as payment.returned; list: all that can be caused." complete:"event-type"`
	Override []string `sep:"none" placeholder:"STEP.MEMBER=VALUE" help:"Send another value: order.amount=500, or order.terms={…} as JSON."`
	Skip     []string `placeholder:"STEP" help:"Leave a step out. What later steps need of it must be overridden."`
	Steps    bool     `help:"Show the steps, and do nothing."`
}

// Examples are shown by -h.
func (triggerCommand) Examples() []string {
	return []string{"trigger order.captured", "trigger payment.returned --override account.account_number=100000010", "trigger list",
		"trigger order.refunded --skip company --override order.company_id=1000000001", "trigger order.canceled --steps"}
}

// Run is called by the parser. Nothing is made up: the steps are calls of the API, and
// the event is what comes of them.
func (c *triggerCommand) Run(ctx context.Context, a *app) error {
	all, err := readTriggers()
	if err != nil {
		return err
	}
	if c.Event == "list" {
		return c.list(a, all)
	}
	t, found := all[c.Event]
	if !found {
		names := slices.Sorted(maps.Keys(all))
		return &failure{code: exitUsage, text: fmt.Sprintf("no steps cause %q%s", c.Event, suggestion(c.Event, names)), hint: a.program + " trigger list shows what can be caused."}
	}
	steps, err := all.steps(c.Event)
	if err != nil {
		return err
	}
	if steps, err = c.changed(steps); err != nil {
		return err
	}
	if c.Steps {
		return c.show(a, steps)
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	r, err := newTriggering(ctx, api)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if err := r.do(ctx, s); err != nil {
			if t.Lender {
				c.say(a, "This needs the lender's token, with the scope sandbox: %s token --operator", a.program)
			}
			return fmt.Errorf("step %s: %w", s.Name, err)
		}
		if s.Until != "" {
			c.say(a, "%-12s until %s: %s", s.Name, s.Until, newYork(r.now))
		} else {
			c.say(a, "%-12s %s %s", s.Name, s.Call, clean(identifierOf(r.kept[s.Name])))
		}
	}
	return c.report(ctx, a, r)
}

// list shows what can be caused.
func (c *triggerCommand) list(a *app, all triggers) error {
	type row struct {
		Event  string `json:"event"`
		Steps  int    `json:"steps"`
		Lender bool   `json:"lender"` // it needs the lender's token
	}
	var rows []row
	t := newTable("EVENT", ">STEPS", "TOKEN")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		steps, err := all.steps(name)
		if err != nil {
			return err
		}
		whose := "merchant"
		if all[name].Lender {
			whose = "lender"
		}
		rows = append(rows, row{name, len(steps), all[name].Lender})
		t.row(name, len(steps), whose)
		if c.Quiet && !c.Plain && !c.JSON {
			fmt.Fprintln(a.out, name)
		}
	}
	switch {
	case c.JSON:
		body, err := json.Marshal(map[string]any{"data": rows, "has_more": false, "next_cursor": nil})
		if err != nil {
			return err
		}
		return document(a.out, body)
	case c.Quiet && !c.Plain:
		return nil
	}
	return c.table(a, t)
}

// show prints steps as they would be done.
func (c *triggerCommand) show(a *app, steps []triggerStep) error {
	body, err := json.MarshalIndent(map[string]any{"event": c.Event, "steps": steps}, "", "  ")
	if err != nil {
		return err
	}
	return document(a.out, body)
}

// changed applies --skip and --override.
func (c *triggerCommand) changed(steps []triggerStep) ([]triggerStep, error) {
	find := func(name string) (int, error) {
		i := slices.IndexFunc(steps, func(s triggerStep) bool { return s.Name == name })
		if i < 0 {
			var names []string
			for _, s := range steps {
				names = append(names, s.Name)
			}
			return 0, &failure{code: exitUsage, text: fmt.Sprintf("%s has no step %q", c.Event, name), hint: "Its steps: " + strings.Join(names, " ")}
		}
		return i, nil
	}
	for _, o := range c.Override {
		path, value, found := strings.Cut(o, "=")
		name, member, deep := strings.Cut(path, ".")
		if !found || !deep || member == "" {
			return nil, &failure{code: exitUsage, text: fmt.Sprintf("--override must look like order.amount=500, not %q", o)}
		}
		i, err := find(name)
		if err != nil {
			return nil, err
		}
		if steps[i].Body, err = withMember(steps[i].Body, strings.Split(member, "."), value); err != nil {
			return nil, &failure{code: exitUsage, text: fmt.Sprintf("--override %s: %v", path, err)}
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

// patienceForTrigger is how long events are looked for that have been caused. It only
// ends a hang.
const patienceForTrigger = time.Minute

// report prints the events that came of the steps.
func (c *triggerCommand) report(ctx context.Context, a *app, r *triggering) error {
	ctx, cancel := context.WithTimeout(ctx, patienceForTrigger)
	defer cancel()
	found, err := r.events(ctx, c.Event)
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
		return document(a.out, body)
	}
	p := client.Page[client.Event]{}
	for _, e := range found {
		p.Data = append(p.Data, *e)
	}
	return eventNoun().printPage(a, c.output, client.Response{}, &p)
}
