package trade

import (
	"context"
	"fmt"
	"io"

	"tenor/client"
	"tenor/internal/app/terminal"
)

func letterNoun() terminal.Noun[client.NoticeLetter] {
	return terminal.Noun[client.NoticeLetter]{
		Row: func(x *client.NoticeLetter) []any { return []any{x.ApplicationID, x.Kind, x.DueOn, x.Name, x.Subject} },
		Key: func(x *client.NoticeLetter) string { return x.ApplicationID },
		Text: func(a *terminal.App, x *client.NoticeLetter) error {
			at := x.Address
			if err := terminal.Facts(a.Out, "application", x.ApplicationID, "kind", x.Kind, "due", x.DueOn, "sent", x.SentAt, "to", x.Name, "email", x.Email,
				"address", at.Street+", "+at.City+", "+at.State+" "+at.PostalCode, "subject", x.Subject); err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "\n%s\n", terminal.Clean(x.Text))
			return nil
		},
	}
}

// ApplicationNotice is the command "applications notice".
type ApplicationNotice struct {
	terminal.Remote
	terminal.Paper
	applicationKeyed
	Owner bool `help:"The notice to an owner who did not apply but whose credit report was used, ready to print and mail."`
}

func (ApplicationNotice) Examples() []string {
	return []string{"applications notice app_…", "applications notice app_… --format pdf -o notice.pdf", "applications notice app_… --owner --format pdf -o notice.pdf"}
}

func (c *ApplicationNotice) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if done, err := c.Print(a, &c.Remote, func(api *client.Client, kind string, w io.Writer) error {
		return api.ApplicationNoticeFile(ctx, c.ID, c.Owner, kind, w)
	}); done {
		return err
	}
	return terminal.One(ctx, a, &c.Remote, letterNoun(), func(api *client.Client, o ...client.Option) (*client.NoticeLetter, error) {
		return api.ApplicationNotice(ctx, c.ID, c.Owner, o...)
	})
}

// ApplicationSent is the command "applications sent".
type ApplicationSent struct {
	terminal.Change
	applicationKeyed
	Owner    bool   `help:"The notice to an owner who did not apply but whose credit report was used."`
	Channel  string `required:"" enum:"MAIL,EMAIL,PORTAL" placeholder:"CHANNEL" help:"How it was sent: MAIL, EMAIL or PORTAL."`
	Evidence string `required:"" placeholder:"TEXT" help:"Proof of sending, such as a tracking number."`
}

func (ApplicationSent) Examples() []string {
	return []string{"applications sent app_… --channel MAIL --evidence 'tracking 9400 1000 0000'", "applications sent app_… --owner --channel MAIL --evidence 'tracking 9400 1000 0001'"}
}

func (c *ApplicationSent) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, applicationNoun(), func(api *client.Client, o ...client.Option) (*client.Application, error) {
		return api.SendApplicationNotice(ctx, c.ID, client.SentNotice{Channel: c.Channel, Evidence: c.Evidence, Owner: c.Owner}, o...)
	}, func(x *client.Application) string {
		return fmt.Sprintf("Recorded: the notice for %s was sent by %s.", x.ID, c.Channel)
	})
}
