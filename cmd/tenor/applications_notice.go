package main

import (
	"context"
	"fmt"
	"io"

	"tenor/client"
)

func letterNoun() noun[client.NoticeLetter] {
	return noun[client.NoticeLetter]{
		row: func(x *client.NoticeLetter) []any { return []any{x.ApplicationID, x.Kind, x.DueOn, x.Name, x.Subject} },
		key: func(x *client.NoticeLetter) string { return x.ApplicationID },
		text: func(a *app, x *client.NoticeLetter) error {
			at := x.Address
			if err := facts(a.out, "application", x.ApplicationID, "kind", x.Kind, "due", x.DueOn, "sent", x.SentAt, "to", x.Name, "email", x.Email,
				"address", at.Street+", "+at.City+", "+at.State+" "+at.PostalCode, "subject", x.Subject); err != nil {
				return err
			}
			fmt.Fprintf(a.out, "\n%s\n", clean(x.Text))
			return nil
		},
	}
}

type applicationNotice struct {
	remote
	paper
	applicationKeyed
	Owner bool `help:"The notice to the owner whose credit report was used and who has not applied, to be posted."`
}

// Examples are shown by -h.
func (applicationNotice) Examples() []string {
	return []string{"applications notice app_…", "applications notice app_… --format pdf -o notice.pdf", "applications notice app_… --owner --format pdf -o notice.pdf"}
}

// Run is called by the parser.
func (c *applicationNotice) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if done, err := c.print(a, &c.remote, func(api *client.Client, kind string, w io.Writer) error {
		if c.Owner {
			return api.OwnerNoticeFile(ctx, c.ID, kind, w)
		}
		return api.ApplicationNoticeFile(ctx, c.ID, kind, w)
	}); done {
		return err
	}
	return one(ctx, a, &c.remote, letterNoun(), func(api *client.Client, o ...client.Option) (*client.NoticeLetter, error) {
		if c.Owner {
			return api.OwnerNotice(ctx, c.ID, o...)
		}
		return api.ApplicationNotice(ctx, c.ID, o...)
	})
}

type applicationSent struct {
	change
	applicationKeyed
	Owner    bool   `help:"The notice to the owner whose credit report was used and who has not applied."`
	Channel  string `required:"" enum:"MAIL,EMAIL,PORTAL" placeholder:"CHANNEL" help:"How it was sent: MAIL, EMAIL or PORTAL."`
	Evidence string `required:"" placeholder:"TEXT" help:"What shows it, such as a tracking number."`
}

// Examples are shown by -h.
func (applicationSent) Examples() []string {
	return []string{"applications sent app_… --channel MAIL --evidence 'tracking 9400 1000 0000'", "applications sent app_… --owner --channel MAIL --evidence 'tracking 9400 1000 0001'"}
}

// Run is called by the parser.
func (c *applicationSent) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return act(ctx, a, &c.change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		if c.Owner {
			return api.SendOwnerNotice(ctx, c.ID, c.Channel, c.Evidence, o...)
		}
		return api.SendApplicationNotice(ctx, c.ID, c.Channel, c.Evidence, o...)
	}, func(x *client.Application) string {
		return fmt.Sprintf("Recorded: the notice of %s was sent by %s.", x.ID, c.Channel)
	})
}
