package integrate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

const (
	tailBehind = time.Minute // calls are logged when they are answered, not in the order in which they arrived
	tailMost   = 1000        // maximum calls per look
)

// RequestsTail is the command "requests tail".
type RequestsTail struct {
	terminal.Remote
	callsFlag
	Count int           `placeholder:"N" help:"Stop after this many calls."`
	Every time.Duration `default:"1s" help:"Polling interval."`
}

func (RequestsTail) Examples() []string {
	return []string{"requests tail", "requests tail --status 4xx", "requests tail --method POST --json"}
}

func (c *RequestsTail) Run(ctx context.Context, a *terminal.App) error {
	if c.Every <= 0 {
		return &exit.Failure{Code: exit.Usage, Text: "--every must be greater than zero"}
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	t := tail{api: api, filter: c.filter(), seen: map[string]time.Time{}}
	if _, err := t.look(ctx); err != nil { // existing calls are not printed
		return endOf(err, true)
	}
	for n := 0; ; {
		if err := api.Clock.Sleep(ctx, c.Every); err != nil {
			return endOf(err, true)
		}
		calls, err := t.look(ctx)
		if err != nil {
			return endOf(err, true)
		}
		for i := range calls {
			if err := tellCall(a, c.Output, &calls[i]); err != nil {
				return err
			}
			if n++; n == c.Count {
				return nil
			}
		}
	}
}

// tellCall prints one call on a line.
func tellCall(a *terminal.App, o terminal.Output, r *client.LoggedRequest) error {
	switch {
	case o.JSON:
		return terminal.Line(a.Out, r.JSON())
	case o.Plain:
		return terminal.Record(a.Out, requestNoun().Row(r))
	case o.Quiet:
		_, err := fmt.Fprintln(a.Out, terminal.Clean(r.ID))
		return err
	}
	_, err := fmt.Fprintf(a.Out, "%s  %d  %-6s %s  %d ms  %s  %s\n", terminal.Instant(&r.At), r.Status, terminal.Clean(r.Method), terminal.Clean(r.Path), r.DurationMS, terminal.Clean(r.Code), terminal.Clean(r.RequestID))
	return err
}

// tail finds new calls.
type tail struct {
	api    *client.Client
	filter client.RequestFilter
	newest time.Time
	seen   map[string]time.Time
}

// look returns the calls since the last look, oldest first. It leaves out reads of the log
// itself, or the tail would report itself.
func (t *tail) look(ctx context.Context) ([]client.LoggedRequest, error) {
	var out []client.LoggedRequest
	f, looked := t.filter, 0
	if !t.newest.IsZero() {
		f.From = t.newest.Add(-tailBehind)
	}
	for r, err := range t.api.Requests(ctx, f) {
		if err != nil {
			return nil, err
		}
		if looked++; looked > tailMost || t.newest.IsZero() && looked > 100 {
			break
		}
		if _, seen := t.seen[r.ID]; !seen && r.Operation != "listRequests" && r.Operation != "getRequest" {
			out = append(out, *r)
		}
		t.seen[r.ID] = r.At
	}
	for _, at := range t.seen {
		if at.After(t.newest) {
			t.newest = at
		}
	}
	maps.DeleteFunc(t.seen, func(_ string, at time.Time) bool { return at.Before(t.newest.Add(-2 * tailBehind)) })
	slices.Reverse(out)
	return out, nil
}
