// Package demo plays the worked example as a story through the API, and creates the demo data of
// a sandbox, with or without history.
package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/stage"
	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
	"tenor/internal/core/verify"
	"tenor/internal/domain/calendar"
	"tenor/internal/edge/resource"
)

// Command is the command "demo".
type Command struct {
	JSON   bool   `name:"json" help:"Print one JSON object per line."`
	Fast   bool   `help:"Do not pause."`
	Keep   bool   `help:"Keep the private copy running at the end, and print its URLs."`
	Seed   int64  `default:"42" help:"Seed of the IDs created by calls."`
	Server string `placeholder:"URL" help:"Run it in this running sandbox, whose clock must not be past 2026-01-10. TENOR_TOKEN must be a lender token with the scope sandbox."`
}

func (Command) Examples() []string {
	return []string{"demo", "demo --keep", "demo --fast --json", "demo --server http://localhost:8080"}
}

// StoryBegins is the day on which the story begins; a private copy's clock starts there.
const StoryBegins = "2026-01-10"

// Pause is how long one line of the story is shown before the next.
const Pause = 800 * time.Millisecond

func (c *Command) Run(ctx context.Context, a *terminal.App) error {
	zone, err := clock.BusinessZone()
	if err != nil {
		return err
	}
	if c.Server != "" {
		if c.Keep {
			return &exit.Failure{Code: exit.Usage, Text: "--keep and --server cannot be used together"}
		}
		desk, err := client.New(c.Server, a.Getenv("TENOR_TOKEN"))
		if err != nil {
			return &exit.Failure{Code: exit.Usage, Text: "--server must look like http://localhost:8080"}
		}
		return c.play(ctx, a, &story{a: a, c: c, zone: zone, desk: desk})
	}
	return c.private(ctx, a, zone)
}

// private plays the story in a sandbox of its own, which is removed afterwards.
func (c *Command) private(ctx context.Context, a *terminal.App, zone calendar.Zone) (err error) {
	// A debit of the story is returned on purpose: the log is only for a story that fails.
	var log bytes.Buffer
	defer func() {
		if err != nil {
			_, _ = a.Err.Write(log.Bytes()) // the error itself follows
		}
	}()
	x, err := stage.OpenPrivate(ctx, a.Wall, &log, Makers(), zone.At(calendar.MustParse(StoryBegins), 9, 0), node.Seeds(c.Seed))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Shut()) }()
	desk, err := client.New(x.URL, x.Desk)
	if err != nil {
		return err
	}
	if err := c.play(ctx, a, &story{a: a, c: c, zone: zone, desk: desk, node: x.Node()}); err != nil || !c.Keep {
		return err
	}
	fmt.Fprintf(a.Out, "\n  export TENOR_URL=%s\n  export TENOR_TOKEN=%s\n\nThis is a lender token. Try %s orders list. Stop with Ctrl+C.\n", x.URL, x.Desk, a.Program)
	<-ctx.Done()
	return nil
}

// play tells the story and checks its books.
func (c *Command) play(ctx context.Context, a *terminal.App, s *story) (err error) {
	begin := a.Wall()
	if !c.JSON {
		where := fmt.Sprintf("seed %d · private copy, your data is not touched", c.Seed)
		if c.Server != "" {
			where = "at " + s.desk.Address()
		}
		fmt.Fprintf(a.Out, "tenor demo · %s · %s buys from %s\n\n", where, StoryCompany, StoryMerchant)
	}
	if s.inbox, err = listenForEvents(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.inbox.close()) }()
	for _, part := range []func(context.Context) error{s.prepare, s.buys, s.begins, s.bounces, s.refunds, s.ends} {
		if err := part(ctx); err != nil {
			return s.storyFailed(err)
		}
	}
	sum, err := s.check(ctx)
	if err != nil {
		return s.storyFailed(err)
	}
	return c.conclude(a, sum, a.Wall().Sub(begin))
}

// storyFailed wraps an error of the story. A refusal by the server or the story is a failed
// check.
func (s *story) storyFailed(err error) error {
	var f *exit.Failure
	var p *client.Problem
	if errors.As(err, &f) || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.As(err, &p) && (p.Status == 401 || p.Status == 403) {
		return err
	}
	return &exit.Failure{Code: exit.CheckFailed, Text: fmt.Sprintf("the story failed after line %d", s.line), Err: err}
}

// Sum is the result of the story.
type Sum struct {
	Debits    client.Amount `json:"debits"`
	Credits   client.Amount `json:"credits"`
	Entries   int           `json:"entries"`
	Equal     bool          `json:"equal"`    // to the worked example
	Verified  *bool         `json:"verified"` // recomputed from events: equal; null if not possible
	Paid      client.Amount `json:"paid"`
	Principal client.Amount `json:"principal"`
	Charge    client.Amount `json:"finance_charge"`
	Fee       client.Amount `json:"fee"`
	Webhooks  int           `json:"webhooks"`
}

// conclude prints the result.
func (c *Command) conclude(a *terminal.App, sum Sum, took time.Duration) error {
	if c.JSON {
		b, err := json.Marshal(sum)
		if err != nil {
			return err
		}
		return terminal.Document(a.Out, b)
	}
	debits, _ := sum.Debits.Cents()
	credits, _ := sum.Credits.Cents()
	verified := "equal"
	if sum.Verified == nil {
		verified = "run tenor verify"
	}
	fmt.Fprintf(a.Out, "\nBooks     debits %s = credits %s (memo accounts apart) · difference %s · recomputed from events: %s\n",
		plainly(sum.Debits), plainly(sum.Credits), plainly(client.OfCents(debits-credits)), verified)
	fmt.Fprintf(a.Out, "Buyer     paid %s = principal %s + charge %s + fee %s\n", plainly(sum.Paid), plainly(sum.Principal), plainly(sum.Charge), plainly(sum.Fee))
	fmt.Fprintln(a.Out, "Webhooks  every event received, signature verified, in order per object, no gaps")
	end := "Explore it: " + a.Program + " demo --keep"
	if c.Keep {
		end = "Still running:"
	}
	if c.Server != "" {
		end = "Explore it: " + a.Program + " orders list"
	}
	_, err := fmt.Fprintf(a.Out, "Done in %d s. %s\n", int(took.Seconds()+0.5), end)
	return err
}

// verified recomputes the private copy's books; nil on another server.
func (s *story) verified(ctx context.Context) (*bool, error) {
	if s.node == nil {
		return nil, nil
	}
	r, err := verify.Run(ctx, s.node.DB, verify.Options{Scratch: node.Temporary, Zone: s.zone, EncodeEvent: node.EncodeEvent, Wire: resource.APIVersion, Open: s.node.Ring.Open})
	if err != nil {
		return nil, fmt.Errorf("recompute the books: %w", err)
	}
	if !r.Clean() {
		return nil, fmt.Errorf("the books differ when recomputed from events: %d violations, the first: %v", len(r.Violations)+r.More, r.Violations[0])
	}
	clean := true
	return &clean, nil
}
