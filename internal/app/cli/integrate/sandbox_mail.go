package integrate

import (
	"context"

	"tenor/client"
	"tenor/internal/app/terminal"
)

func mailNoun() terminal.Noun[client.SandboxMail] {
	return terminal.Noun[client.SandboxMail]{
		Head: []string{"DATE", "KIND", "TO", "SUBJECT", "ID"},
		Row:  func(x *client.SandboxMail) []any { return []any{x.Date, x.Kind, x.Name, x.Subject, x.ID} },
		Key:  func(x *client.SandboxMail) string { return x.ID },
		Text: func(a *terminal.App, x *client.SandboxMail) error {
			to := x.Name
			if x.To != "" {
				to += " <" + x.To + ">"
			}
			if err := terminal.Facts(a.Out, "id", x.ID, "to", to, "subject", x.Subject, "language", x.Language, "date", terminal.NewYork(x.Date), "about", x.Object.Type+" "+x.Object.ID); err != nil {
				return err
			}
			return terminal.Document(a.Out, []byte("\n"+x.Text))
		},
	}
}

// MailList is the command "sandbox mail list".
type MailList struct {
	terminal.Remote
	terminal.Paging
	Kind terminal.WordFlag `placeholder:"KIND" help:"${statement_mail}." complete:"mail-kind"`
}

func (MailList) Examples() []string {
	return []string{"sandbox mail list", "sandbox mail list --kind INVOICE"}
}

func (c *MailList) Run(ctx context.Context, a *terminal.App) error {
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, mailNoun(), client.SandboxMailFilter{Kind: string(c.Kind)}, (*client.Client).ListSandboxMail)
}

// MailGet is the command "sandbox mail get".
type MailGet struct {
	terminal.Remote
	ID string `arg:"" help:"Message ID: mail_…"`
}

func (MailGet) Examples() []string { return []string{"sandbox mail get mail_…"} }

func (c *MailGet) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, mailNoun(), c.ID, (*client.Client).SandboxMail)
}
