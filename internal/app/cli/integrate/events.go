package integrate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
	"tenor/internal/domain/outcome"
)

// EventsList is the command "events list".
type EventsList struct {
	terminal.Remote
	terminal.Paging
	Order   string            `xor:"whose" placeholder:"KEY" help:"Events of this order." complete:"order"`
	Company string            `xor:"whose" placeholder:"ID" help:"Events of this company." complete:"company"`
	From    terminal.DateFlag `placeholder:"DATE" help:"Events on or after this business date."`
}

func (EventsList) Examples() []string {
	return []string{"events list --from 2026-01-05", "events list --order ord_…", "events list --company 1000000001", "events list --all --json"}
}

func (c *EventsList) Run(ctx context.Context, a *terminal.App) error {
	n, f := terminal.EventNoun(), client.EventFilter{CreatedFrom: string(c.From)}
	if (c.Order != "" || c.Company != "") && c.From != "" {
		return &exit.Failure{Code: exit.Usage, Text: "--from cannot be used together with --order or --company"}
	}
	if c.Order != "" || c.Company != "" {
		n = terminal.ObjectEventNoun()
	}
	return terminal.List(ctx, a, &c.Remote, c.Paging, n, func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Event], error) {
		switch {
		case c.Order != "":
			return api.ListOrderEvents(ctx, c.Order, p, o...)
		case c.Company != "":
			return api.ListCompanyEvents(ctx, c.Company, p, o...)
		}
		return api.ListEvents(ctx, f, p, o...)
	})
}

// EventGet is the command "events get".
type EventGet struct {
	terminal.Remote
	ID string `arg:"" help:"Event ID: evt_…"`
}

func (EventGet) Examples() []string { return []string{"events get evt_…"} }

func (c *EventGet) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, terminal.EventNoun(), c.ID, (*client.Client).Event)
}

// EventTypes is the command "events types".
type EventTypes struct{ terminal.Output }

func (EventTypes) Examples() []string { return []string{"events types", "events types -q"} }

// Run is called by the parser. It calls no server: the types are those of this release.
func (c *EventTypes) Run(_ context.Context, a *terminal.App) error {
	kinds := terminal.EventKinds()
	if c.JSON {
		body, err := json.Marshal(struct {
			Data []terminal.EventKind `json:"data"`
		}{kinds})
		if err != nil {
			return err
		}
		return terminal.Document(a.Out, body)
	}
	t := terminal.NewTable("TYPE", "EMITTED BY")
	for _, k := range kinds {
		if c.Quiet && !c.Plain {
			fmt.Fprintln(a.Out, k.Type)
			continue
		}
		t.Row(k.Type, strings.Join(k.Operations, ", "))
	}
	return c.Table(a, t)
}

// typesFlag chooses event types.
type typesFlag struct {
	Events []string `placeholder:"TYPE" help:"Only these types; order.* matches every type with that prefix, * every type." complete:"event-type"`
}

// check finds types that do not exist.
func (f typesFlag) check() error {
	var known []string
	for _, t := range outcome.EventTypes() {
		known = append(known, string(t))
	}
	for _, t := range f.Events {
		if stem, ok := strings.CutSuffix(t, "*"); ok && slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, stem) }) {
			continue
		}
		if !slices.Contains(known, t) {
			return &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("there is no event type %q%s", t, terminal.Suggestion(t, known)), Hint: "tenor events types lists them."}
		}
	}
	return nil
}

// wants reports whether a type was chosen.
func (f typesFlag) wants(kind string) bool {
	return len(f.Events) == 0 || slices.ContainsFunc(f.Events, func(t string) bool {
		stem, all := strings.CutSuffix(t, "*")
		return kind == t || all && strings.HasPrefix(kind, stem)
	})
}

// names returns the chosen types, each spelled out: nil if none was chosen, an empty list for
// all, including those of later versions.
func (f typesFlag) names() []string {
	if len(f.Events) == 0 {
		return nil
	}
	if slices.Contains(f.Events, "*") {
		return []string{}
	}
	var out []string
	for _, t := range outcome.EventTypes() {
		if f.wants(string(t)) {
			out = append(out, string(t))
		}
	}
	return out
}

// follow is where a stream of events starts.
type follow struct {
	From   terminal.DateFlag `placeholder:"DATE" help:"Start with the events of this business date. Default: only new events."`
	Cursor string            `help:"Continue where an earlier run stopped, with the cursor it printed and the same --from."`
	Every  time.Duration     `default:"2s" help:"Polling interval."`
}

// start returns a poller positioned at the start of the stream.
func (f follow) start(ctx context.Context, api *client.Client) (*client.EventPoller, error) {
	if f.Every <= 0 {
		return nil, &exit.Failure{Code: exit.Usage, Text: "--every must be greater than zero"}
	}
	p := api.EventPoller(f.Cursor)
	p.Every, p.Filter.CreatedFrom = f.Every, string(f.From)
	if f.From == "" && f.Cursor == "" {
		if _, err := p.Skip(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// again says how to continue after the end of a stream.
func (f follow) again(a *terminal.App, o terminal.Output, p *client.EventPoller) {
	if p.Cursor == "" {
		return
	}
	from := ""
	if f.From != "" {
		from = " --from " + string(f.From)
	}
	o.Say(a, "Continue from here with%s --cursor %s", from, terminal.Clean(p.Cursor))
}

// EventsTail is the command "events tail".
type EventsTail struct {
	terminal.Remote
	follow
	typesFlag
	Count int `placeholder:"N" help:"Stop after this many events."`
}

func (EventsTail) Examples() []string {
	return []string{"events tail", "events tail --events order.*,payment.returned --json", "events tail --from 2026-01-05"}
}

func (c *EventsTail) Run(ctx context.Context, a *terminal.App) error {
	if err := c.check(); err != nil {
		return err
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	p, err := c.start(ctx, api)
	if err != nil {
		return err
	}
	defer func() { c.again(a, c.Output, p) }()
	n := 0
	for e, err := range p.Events(ctx) {
		if err != nil {
			return err
		}
		if !c.wants(e.Type) {
			continue
		}
		if err := terminal.TellEvent(a, c.Output, e); err != nil {
			return err
		}
		if n++; n == c.Count {
			return nil
		}
	}
	return nil
}
