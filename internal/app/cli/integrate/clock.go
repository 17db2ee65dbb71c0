package integrate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/outcome"
)

func clockNoun() terminal.Noun[client.SandboxClock] {
	return terminal.Noun[client.SandboxClock]{
		Head: []string{"NOW", "FROZEN", "STATUS", "TARGET"},
		Row:  func(x *client.SandboxClock) []any { return []any{x.Now, x.Frozen, x.Status, x.Target} },
		Key:  func(x *client.SandboxClock) string { return x.Now.Format(time.RFC3339) },
		Text: printClock,
	}
}

func printClock(a *terminal.App, x *client.SandboxClock) error {
	next, move := "nothing", ""
	if x.NextEvent != nil {
		next = fmt.Sprintf("%s  %s %s", terminal.NewYork(x.NextEvent.At), x.NextEvent.Type, x.NextEvent.Object)
	}
	if x.Progress != nil && x.Target != nil && (x.Status != "ready" || x.Failed) {
		move = fmt.Sprintf("%d of %d days, to %s", x.Progress.DaysDone, x.Progress.DaysTotal, terminal.NewYork(*x.Target))
		if x.Failed {
			move = "stopped early; see the server's log"
		}
	}
	runs := "running at real speed"
	if x.Frozen {
		runs = "stopped"
	}
	return terminal.Facts(a.Out, "clock", terminal.NewYork(x.Now)+", "+runs, "move", move, "next", next)
}

// clockLine describes the clock after a move or a stop.
func clockLine(x *client.SandboxClock) string {
	if x.Status == "advancing" && x.Target != nil {
		return fmt.Sprintf("Advancing to %s; now at %s.", terminal.NewYork(*x.Target), terminal.NewYork(x.Now))
	}
	still := ""
	if x.Frozen {
		still = "; the clock is stopped"
	}
	return fmt.Sprintf("It is %s%s.", terminal.NewYork(x.Now), still)
}

// ClockShow is the command "clock show".
type ClockShow struct{ terminal.Remote }

func (ClockShow) Examples() []string { return []string{"clock show", "clock show --json"} }

func (c *ClockShow) Run(ctx context.Context, a *terminal.App) error {
	return terminal.One(ctx, a, &c.Remote, clockNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxClock, error) {
		return api.SandboxClock(ctx, o...)
	})
}

// ClockAdvance is the command "clock advance".
type ClockAdvance struct {
	terminal.Change
	terminal.ProgressFlag
	Span  *terminal.SpanFlag    `arg:"" optional:"" help:"How far to advance: 30d, 12h, 1d12h."`
	To    *terminal.InstantFlag `placeholder:"TIME" help:"Advance to this minute, Eastern time, or to the start of this day."`
	Until string                `placeholder:"EVENT" help:"Advance until something is due (next_event), or until an event of this type is emitted: payment.succeeded." complete:"event-type"`
	After string                `placeholder:"EVENT_ID" help:"With --until and a type: count events after this one, including those already emitted."`
	Wait  bool                  `help:"Wait until the clock gets there, showing progress."`
}

func (ClockAdvance) Examples() []string {
	return []string{"clock advance 30d --wait", "clock advance --to 2026-02-17T15:00", "clock advance --until next_event", "clock advance --until payment.succeeded --wait"}
}

func (c *ClockAdvance) Run(ctx context.Context, a *terminal.App) error {
	target, err := c.target()
	if err != nil {
		return err
	}
	x, raw, err := terminal.Send(ctx, a, &c.Change, clockNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxClock, error) {
		return api.AdvanceSandboxClock(ctx, target, o...)
	})
	if x == nil || err != nil {
		return err
	}
	if c.Wait && x.Status == "advancing" {
		if x, raw, err = c.wait(ctx, a, x); err != nil {
			return err
		}
	}
	if x.Failed && c.Until != "" {
		return &exit.Failure{Code: exit.Refused, Text: "no " + terminal.Clean(c.Until) + " event was emitted; it is now " + terminal.NewYork(x.Now), Hint: "Check that something is due that emits it. If the clock stopped early, the server's log says why."}
	}
	if x.Failed {
		return &exit.Failure{Code: exit.Unavailable, Text: "the clock stopped early, at " + terminal.NewYork(x.Now), Hint: "The server's log says why. Run the same command to continue."}
	}
	n := clockNoun()
	return c.Done(a, raw, n.Key(x), n.Row(x), clockLine(x))
}

// target returns how far to move the clock; exactly one of the flags must say so.
func (c *ClockAdvance) target() (client.ClockAdvance, error) {
	x, given := client.ClockAdvance{Until: c.Until, After: c.After}, 0
	if c.Span != nil {
		x.Duration, given = time.Duration(*c.Span).Truncate(time.Second).String(), given+1
	}
	if c.To != nil {
		x.To, given = time.Time(*c.To).UTC(), given+1
	}
	if c.Until != "" {
		given++
	}
	switch {
	case given != 1:
		return x, &exit.Failure{Code: exit.Usage, Text: "give one of SPAN, --to or --until", Hint: terminal.Such(c)}
	case c.Until != "" && c.Until != "next_event" && !slices.Contains(outcome.EventTypes(), credit.EventType(c.Until)):
		return x, &exit.Failure{Code: exit.Usage, Text: "--until takes next_event or an event type, not " + terminal.Clean(c.Until), Hint: "tenor events types lists them."}
	case c.After != "" && (c.Until == "" || c.Until == "next_event"):
		return x, &exit.Failure{Code: exit.Usage, Text: "--after requires --until with an event type", Hint: "Example: tenor clock advance --until payment.succeeded --after " + terminal.Clean(c.After)}
	}
	return x, nil
}

// wait polls until the clock has arrived.
func (c *ClockAdvance) wait(ctx context.Context, a *terminal.App, x *client.SandboxClock) (*client.SandboxClock, client.Response, error) {
	var raw client.Response
	api, err := c.Connect(a)
	if err != nil {
		return nil, raw, err
	}
	m := c.Meter(a, c.Output, "Advancing")
	m.Unit = "days"
	defer m.End()
	for x.Status == "advancing" {
		if x.Progress != nil {
			m.At(x.Progress.DaysDone, x.Progress.DaysTotal)
		}
		select {
		case <-ctx.Done():
			return nil, raw, ctx.Err()
		case <-time.After(terminal.PollEvery):
		}
		if x, err = api.SandboxClock(ctx, client.Record(&raw)); err != nil {
			return nil, raw, err
		}
	}
	return x, raw, nil
}

// ClockFreeze is the command "clock freeze".
type ClockFreeze struct{ terminal.Change }

func (ClockFreeze) Examples() []string { return []string{"clock freeze"} }

func (c *ClockFreeze) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Act(ctx, a, &c.Change, clockNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxClock, error) {
		return api.FreezeSandboxClock(ctx, o...)
	}, func(x *client.SandboxClock) string {
		return a.WithUndo(clockLine(x), "clock resume")
	})
}

// ClockResume is the command "clock resume".
type ClockResume struct{ terminal.Change }

func (ClockResume) Examples() []string { return []string{"clock resume"} }

func (c *ClockResume) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Act(ctx, a, &c.Change, clockNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxClock, error) {
		return api.ResumeSandboxClock(ctx, o...)
	}, func(x *client.SandboxClock) string {
		return a.WithUndo(clockLine(x), "clock freeze")
	})
}
