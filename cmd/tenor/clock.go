package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/calendar"
	"tenor/internal/credit"
)

func clockNoun() noun[client.SandboxClock] {
	return noun[client.SandboxClock]{
		head: []string{"NOW", "FROZEN", "STATUS", "TARGET"},
		row:  func(x *client.SandboxClock) []any { return []any{x.Now, x.Frozen, x.Status, x.Target} },
		key:  func(x *client.SandboxClock) string { return x.Now.Format(time.RFC3339) },
		text: printClock,
	}
}

func printClock(a *app, x *client.SandboxClock) error {
	next, move := "nothing", ""
	if x.NextEvent != nil {
		next = fmt.Sprintf("%s  %s %s", newYork(x.NextEvent.At), x.NextEvent.Type, x.NextEvent.Object)
	}
	if x.Progress != nil && x.Target != nil && (x.Status != "ready" || x.Failed) {
		move = fmt.Sprintf("%d of %d days, until %s", x.Progress.DaysDone, x.Progress.DaysTotal, newYork(*x.Target))
		if x.Failed {
			move = "broke off: the server's log says why"
		}
	}
	runs := "runs at real speed"
	if x.Frozen {
		runs = "stands still"
	}
	return facts(a.out, "clock", newYork(x.Now)+", "+runs, "move", move, "next", next)
}

// newYork writes an instant in the business zone, to the minute.
func newYork(t time.Time) string {
	zone, err := businessZone()
	if err != nil { // the zone's data are part of this program
		return instant(&t)
	}
	return t.In(zone.Location()).Format("2006-01-02 15:04") + " New York"
}

// clockLine is what a move or a stop of the clock answers.
func clockLine(x *client.SandboxClock) string {
	if x.Status == "advancing" && x.Target != nil {
		return fmt.Sprintf("On its way to %s: %s now.", newYork(*x.Target), newYork(x.Now))
	}
	still := ""
	if x.Frozen {
		still = ", and it stands still"
	}
	return fmt.Sprintf("It is %s%s.", newYork(x.Now), still)
}

type clockShow struct{ remote }

// Examples are shown by -h.
func (clockShow) Examples() []string { return []string{"clock show", "clock show --json"} }

// Run is called by the parser.
func (c *clockShow) Run(ctx context.Context, a *app) error {
	return one(ctx, a, &c.remote, clockNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxClock, error) {
		return api.BusinessClock(ctx, o...)
	})
}

// spanFlag is a span of time: days, hours, minutes and seconds.
type spanFlag time.Duration

// UnmarshalText reads 30d, 12h or 1d12h30m.
func (f *spanFlag) UnmarshalText(text []byte) error {
	days, rest, found := strings.Cut(string(text), "d")
	if !found {
		days, rest = "0", string(text)
	}
	n, err := strconv.Atoi(days)
	var more time.Duration
	if err == nil && rest != "" {
		more, err = time.ParseDuration(rest)
	}
	span := time.Duration(n)*24*time.Hour + more
	if err != nil || n < 0 || n > 36500 || span <= 0 {
		return fmt.Errorf("%q is not a span such as 30d, 12h or 1d12h", text)
	}
	*f = spanFlag(span)
	return nil
}

// instantFlag is an instant, a minute in New York or the beginning of a business day.
type instantFlag time.Time

// UnmarshalText reads 2026-02-17T15:00:00Z, 2026-02-17T15:00 or 2026-02-17.
func (f *instantFlag) UnmarshalText(text []byte) error {
	zone, err := businessZone()
	if err != nil {
		return err
	}
	if t, err := time.Parse(time.RFC3339, string(text)); err == nil {
		*f = instantFlag(t)
		return nil
	}
	for _, form := range []string{"2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(form, string(text)); err == nil {
			*f = instantFlag(zone.At(calendar.Of(t.Year(), t.Month(), t.Day()), t.Hour(), t.Minute()))
			return nil
		}
	}
	return fmt.Errorf("%q is not a time such as 2026-02-17T15:00 (New York) or 2026-02-17", text)
}

type clockAdvance struct {
	change
	progressFlag
	Span  *spanFlag    `arg:"" optional:"" help:"How far: 30d, 12h, 1d12h."`
	To    *instantFlag `placeholder:"TIME" help:"Until this minute in New York, or the beginning of this day."`
	Until string       `placeholder:"EVENT" help:"Until something is due (next_event), or until an event of this type is made: payment.succeeded." complete:"event-type"`
	After string       `placeholder:"EVENT_ID" help:"With --until and a type: look behind this event; one that has been made since ends the move."`
	Wait  bool         `help:"Wait until the clock is there, and show how far it is."`
}

// Examples are shown by -h.
func (clockAdvance) Examples() []string {
	return []string{"clock advance 30d --wait", "clock advance --to 2026-02-17T15:00", "clock advance --until next_event", "clock advance --until payment.succeeded --wait"}
}

// Run is called by the parser.
func (c *clockAdvance) Run(ctx context.Context, a *app) error {
	target, err := c.target()
	if err != nil {
		return err
	}
	x, raw, err := send(ctx, a, &c.change, clockNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxClock, error) {
		return api.AdvanceClock(ctx, target, o...)
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
		return &failure{code: exitRefused, text: "no event " + clean(c.Until) + " has come: it is " + newYork(x.Now), hint: "Is anything under way that makes one? The server's log says if the move broke off."}
	}
	if x.Failed {
		return &failure{code: exitUnavailable, text: "the move broke off at " + newYork(x.Now), hint: "The server's log says why. The same command goes on from there."}
	}
	n := clockNoun()
	return c.done(a, raw, n.key(x), n.row(x), clockLine(x))
}

// target is how far the clock is to go: exactly one way to say it.
func (c *clockAdvance) target() (client.Advance, error) {
	x, given := client.Advance{Until: c.Until, After: c.After}, 0
	if c.Span != nil {
		x.Duration, given = time.Duration(*c.Span), given+1
	}
	if c.To != nil {
		x.To, given = time.Time(*c.To), given+1
	}
	if c.Until != "" {
		given++
	}
	switch {
	case given != 1:
		return x, &failure{code: exitUsage, text: "say how far with one of a span, --to and --until", hint: a1(c)}
	case c.Until != "" && c.Until != "next_event" && !slices.Contains(credit.EventTypes(), credit.EventType(c.Until)):
		return x, &failure{code: exitUsage, text: "--until knows next_event and the types of events, not " + clean(c.Until), hint: "tenor events types lists them"}
	case c.After != "" && (c.Until == "" || c.Until == "next_event"):
		return x, &failure{code: exitUsage, text: "--after goes with a type of events as --until", hint: "Such as: tenor clock advance --until payment.succeeded --after " + clean(c.After)}
	}
	return x, nil
}

// a1 is the first example.
func a1(e exampled) string { return "Such as: tenor " + e.Examples()[0] }

// pollEvery is how often a move that is under way is asked for.
const pollEvery = 200 * time.Millisecond

// wait asks how far the clock is until it is there.
func (c *clockAdvance) wait(ctx context.Context, a *app, x *client.SandboxClock) (*client.SandboxClock, client.Response, error) {
	var raw client.Response
	api, err := c.connect(a)
	if err != nil {
		return nil, raw, err
	}
	m := c.meter(a, c.output, "Advancing")
	m.unit = "days"
	defer m.end()
	for x.Status == "advancing" {
		if x.Progress != nil {
			m.at(x.Progress.DaysDone, x.Progress.DaysTotal)
		}
		select {
		case <-ctx.Done():
			return nil, raw, ctx.Err()
		case <-time.After(pollEvery):
		}
		if x, err = api.BusinessClock(ctx, client.Record(&raw)); err != nil {
			return nil, raw, err
		}
	}
	return x, raw, nil
}

type clockFreeze struct{ change }

// Examples are shown by -h.
func (clockFreeze) Examples() []string { return []string{"clock freeze"} }

// Run is called by the parser.
func (c *clockFreeze) Run(ctx context.Context, a *app) error {
	return act(ctx, a, &c.change, clockNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxClock, error) {
		return api.FreezeClock(ctx, o...)
	}, func(x *client.SandboxClock) string {
		return a.mildly(clockLine(x), "clock resume")
	})
}

type clockResume struct{ change }

// Examples are shown by -h.
func (clockResume) Examples() []string { return []string{"clock resume"} }

// Run is called by the parser.
func (c *clockResume) Run(ctx context.Context, a *app) error {
	return act(ctx, a, &c.change, clockNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxClock, error) {
		return api.ResumeClock(ctx, o...)
	}, func(x *client.SandboxClock) string {
		return a.mildly(clockLine(x), "clock freeze")
	})
}
