package integrate

import (
	"bytes"
	"context"
	"errors"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// MailShow is the command "mail show".
type MailShow struct{ MailGet }

func (MailShow) Examples() []string { return []string{"mail show mail_…"} }

// MailCommand is the command "mail list".
type MailCommand struct {
	terminal.Remote
	Kind   terminal.WordFlag `placeholder:"KIND" help:"Messages of this kind, such as CODE or CHECKOUT_LINK." complete:"mail-kind"`
	Follow bool              `short:"f" help:"Keep running and print new messages as they arrive."`
	Every  time.Duration     `default:"2s" help:"With --follow: polling interval."`
}

func (MailCommand) Examples() []string {
	return []string{"mail list", "mail list --follow", "mail list --kind CODE --json"}
}

// Run is called by the parser. It prints the newest messages of a sandbox's mailbox, oldest
// first, and then new ones as they arrive.
func (c *MailCommand) Run(ctx context.Context, a *terminal.App) error {
	if c.Every <= 0 {
		return &exit.Failure{Code: exit.Usage, Text: "--every must be greater than zero"}
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for {
		if err := c.look(ctx, a, api, seen); err != nil {
			return endOf(err, c.Follow)
		}
		if !c.Follow {
			return nil
		}
		if err := api.Clock.Sleep(ctx, c.Every); err != nil {
			return endOf(err, true)
		}
	}
}

// endOf turns the interruption of an endless stream into success.
func endOf(err error, follows bool) error {
	if follows && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// look prints the unseen messages of the newest page.
func (c *MailCommand) look(ctx context.Context, a *terminal.App, api *client.Client, seen map[string]bool) error {
	page, err := api.ListSandboxMail(ctx, client.SandboxMailFilter{Kind: string(c.Kind)}, client.Paging{Limit: 20})
	if err != nil {
		return err
	}
	n := mailNoun()
	for i := len(page.Data) - 1; i >= 0; i-- {
		m := &page.Data[i]
		if seen[m.ID] {
			continue
		}
		seen[m.ID] = true
		switch {
		case c.JSON:
			err = terminal.Document(a.Out, append(bytes.Clone(m.JSON()), '\n'))
		case c.Plain:
			err = terminal.Record(a.Out, n.Row(m))
		case c.Quiet:
			err = terminal.Document(a.Out, []byte(terminal.Clean(m.ID)+"\n"))
		default:
			err = n.Text(a, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
