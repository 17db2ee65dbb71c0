package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/credit"
)

func eventRow(e *client.Event) []any {
	return []any{e.CreatedAt, e.Type, e.Object.ID, e.Sequence, e.ID}
}

// eventNoun is how events of all objects are printed.
func eventNoun() noun[client.Event] {
	return noun[client.Event]{
		head: []string{"AT", "TYPE", "OBJECT", ">SEQUENCE", "ID"}, row: eventRow,
		key: func(e *client.Event) string { return e.ID },
		text: func(a *app, e *client.Event) error {
			if err := facts(a.out, "id", e.ID, "type", e.Type, "at", e.CreatedAt, "object", e.Object.Type+" "+e.Object.ID, "sequence", e.Sequence,
				"request", e.Request.ID, "idempotency key", e.Request.IdempotencyKey, "version", e.APIVersion); err != nil {
				return err
			}
			text, err := json.Marshal(e.Data)
			if err != nil {
				return err
			}
			fmt.Fprintln(a.out)
			return document(a.out, indented(text))
		},
	}
}

// objectEventNoun is how the events of one object are printed.
func objectEventNoun() noun[client.Event] {
	return noun[client.Event]{
		head: []string{">SEQUENCE", "AT", "TYPE", "ID", "REQUEST"},
		row:  func(e *client.Event) []any { return []any{e.Sequence, e.CreatedAt, e.Type, e.ID, maybe(e.Request.ID)} },
		key:  func(e *client.Event) string { return e.ID },
	}
}

// indented is a document for people.
func indented(body []byte) []byte {
	var pretty bytes.Buffer
	if json.Indent(&pretty, body, "", "  ") != nil {
		return body
	}
	return pretty.Bytes()
}

// line prints a document on one line.
func line(w io.Writer, body []byte) error {
	var flat bytes.Buffer
	if err := json.Compact(&flat, body); err != nil {
		return err
	}
	return document(w, flat.Bytes())
}

// without is an object without one of its members.
func without(body []byte, name string) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, err
	}
	delete(members, name)
	return json.Marshal(members)
}

type eventsList struct {
	remote
	paging
	Order   string   `xor:"whose" placeholder:"KEY" help:"Events of this order." complete:"order"`
	Company string   `xor:"whose" placeholder:"ID" help:"Events of this company." complete:"company"`
	From    dateFlag `placeholder:"DATE" help:"Events of this business date and later ones."`
}

// Examples are shown by -h.
func (eventsList) Examples() []string {
	return []string{"events list --from 2026-01-05", "events list --order ord_…", "events list --company 1000000001", "events list --all --json"}
}

// Run is called by the parser.
func (c *eventsList) Run(ctx context.Context, a *app) error {
	n, f := eventNoun(), client.EventFilter{CreatedFrom: string(c.From)}
	if (c.Order != "" || c.Company != "") && c.From != "" {
		return &failure{code: exitUsage, text: "--from cannot be used together with --order or --company"}
	}
	if c.Order != "" || c.Company != "" {
		n = objectEventNoun()
	}
	return list(ctx, a, &c.remote, c.paging, n, func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Event], error) {
		switch {
		case c.Order != "":
			return api.OrderEvents(ctx, c.Order, p, o...)
		case c.Company != "":
			return api.ListCompanyEvents(ctx, c.Company, p, o...)
		}
		return api.ListEvents(ctx, f, p, o...)
	})
}

type eventGet struct {
	remote
	ID string `arg:"" help:"Identifier of the event: evt_…"`
}

// Examples are shown by -h.
func (eventGet) Examples() []string { return []string{"events get evt_…"} }

// Run is called by the parser.
func (c *eventGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return one(ctx, a, &c.remote, eventNoun(), func(api *client.Client, o ...client.Option) (*client.Event, error) {
		return api.Event(ctx, c.ID, o...)
	})
}

type eventTypes struct{ output }

// Examples are shown by -h.
func (eventTypes) Examples() []string { return []string{"events types", "events types -q"} }

// eventKind is an event type as --json prints it.
type eventKind struct {
	Type       string   `json:"type"`
	Operations []string `json:"operations"` // that emit it, always or under a condition
}

// Run is called by the parser. It asks nobody: the types are those of this release.
func (c *eventTypes) Run(_ context.Context, a *app) error {
	kinds := eventKinds()
	if c.JSON {
		body, err := json.Marshal(struct {
			Data []eventKind `json:"data"`
		}{kinds})
		if err != nil {
			return err
		}
		return document(a.out, body)
	}
	t := newTable("TYPE", "COMES OF")
	for _, k := range kinds {
		if c.Quiet && !c.Plain {
			fmt.Fprintln(a.out, k.Type)
			continue
		}
		t.row(k.Type, strings.Join(k.Operations, ", "))
	}
	return c.table(a, t)
}

// eventKinds lists the event types with the operations that emit them.
func eventKinds() []eventKind {
	by := map[credit.EventType][]string{}
	for _, r := range credit.EventTable() {
		types := slices.Clone(r.Always)
		for _, w := range r.When {
			types = append(types, w.Event)
		}
		slices.Sort(types)
		for _, t := range slices.Compact(types) {
			if !slices.Contains(by[t], r.Operation) {
				by[t] = append(by[t], r.Operation)
			}
		}
	}
	var kinds []eventKind
	for _, t := range credit.EventTypes() {
		kinds = append(kinds, eventKind{string(t), by[t]})
	}
	return kinds
}

// typesFlag chooses event types.
type typesFlag struct {
	Events []string `placeholder:"TYPE" help:"Only these types; order.* stands for all that begin so, * for every type." complete:"event-type"`
}

// check finds types that there are not.
func (f typesFlag) check() error {
	var known []string
	for _, t := range credit.EventTypes() {
		known = append(known, string(t))
	}
	for _, t := range f.Events {
		if stem, ok := strings.CutSuffix(t, "*"); ok && slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, stem) }) {
			continue
		}
		if !slices.Contains(known, t) {
			return &failure{code: exitUsage, text: fmt.Sprintf("there is no event type %q%s", t, suggestion(t, known)), hint: "tenor events types lists them."}
		}
	}
	return nil
}

// wants reports whether a type is one of those that were chosen.
func (f typesFlag) wants(kind string) bool {
	return len(f.Events) == 0 || slices.ContainsFunc(f.Events, func(t string) bool {
		stem, all := strings.CutSuffix(t, "*")
		return kind == t || all && strings.HasPrefix(kind, stem)
	})
}

// names are the chosen types, each written out: nil if none was chosen, an empty list for
// every one, those of later versions included.
func (f typesFlag) names() []string {
	if len(f.Events) == 0 {
		return nil
	}
	if slices.Contains(f.Events, "*") {
		return []string{}
	}
	var out []string
	for _, t := range credit.EventTypes() {
		if f.wants(string(t)) {
			out = append(out, string(t))
		}
	}
	return out
}

// follow is where a stream of events begins.
type follow struct {
	From   dateFlag      `placeholder:"DATE" help:"Begin with the events of this business date; absent: with what comes from now on."`
	Cursor string        `help:"Go on where an earlier run stopped, as it said. With --from the same date as then."`
	Every  time.Duration `default:"2s" help:"How often to look."`
}

// start returns a poller that stands where the stream is to begin.
func (f follow) start(ctx context.Context, api *client.Client) (*client.EventPoller, error) {
	if f.Every <= 0 {
		return nil, &failure{code: exitUsage, text: "--every must be above zero"}
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

// again says how to go on after the end of a stream.
func (f follow) again(a *app, o output, p *client.EventPoller) {
	if p.Cursor == "" {
		return
	}
	from := ""
	if f.From != "" {
		from = " --from " + string(f.From)
	}
	o.say(a, "Go on from here with%s --cursor %s", from, clean(p.Cursor))
}

type eventsTail struct {
	remote
	follow
	typesFlag
	Count int `placeholder:"N" help:"Stop after so many events."`
}

// Examples are shown by -h.
func (eventsTail) Examples() []string {
	return []string{"events tail", "events tail --events order.*,payment.returned --json", "events tail --from 2026-01-05"}
}

// Run is called by the parser.
func (c *eventsTail) Run(ctx context.Context, a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	p, err := c.start(ctx, api)
	if err != nil {
		return err
	}
	defer func() { c.again(a, c.output, p) }()
	n := 0
	for e, err := range p.Events(ctx) {
		if err != nil {
			return err
		}
		if !c.wants(e.Type) {
			continue
		}
		if err := tellEvent(a, c.output, e); err != nil {
			return err
		}
		if n++; n == c.Count {
			return nil
		}
	}
	return nil
}
