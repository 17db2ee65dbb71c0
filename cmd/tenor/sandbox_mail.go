package main

import (
	"context"

	"tenor/client"
)

func mailNoun() noun[client.SandboxMail] {
	return noun[client.SandboxMail]{
		head: []string{"DATE", "KIND", "TO", "SUBJECT", "ID"},
		row:  func(x *client.SandboxMail) []any { return []any{x.Date, x.Kind, x.Name, x.Subject, x.ID} },
		key:  func(x *client.SandboxMail) string { return x.ID },
		text: func(a *app, x *client.SandboxMail) error {
			to := x.Name
			if x.To != "" {
				to += " <" + x.To + ">"
			}
			if err := facts(a.out, "id", x.ID, "to", to, "subject", x.Subject, "language", x.Language, "date", newYork(x.Date), "about", x.Object.Type+" "+x.Object.ID); err != nil {
				return err
			}
			return document(a.out, []byte("\n"+x.Text))
		},
	}
}

type mailList struct {
	remote
	paging
	Kind wordFlag `placeholder:"KIND" help:"NOTICE, INVOICE, STATEMENT, PAYOUT_ADVICE, REVERSAL or ACCOUNT_CHANGE." complete:"mail-kind"`
}

// Examples are shown by -h.
func (mailList) Examples() []string {
	return []string{"sandbox mail list", "sandbox mail list --kind INVOICE"}
}

// Run is called by the parser.
func (c *mailList) Run(ctx context.Context, a *app) error {
	return list(ctx, a, &c.remote, c.paging, mailNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.SandboxMail], error) {
		return api.ListSandboxMail(ctx, string(c.Kind), p, o...)
	})
}

type mailGet struct {
	remote
	ID string `arg:"" help:"Identifier of the message: mail_…"`
}

// Examples are shown by -h.
func (mailGet) Examples() []string { return []string{"sandbox mail get mail_…"} }

// Run is called by the parser.
func (c *mailGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return one(ctx, a, &c.remote, mailNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxMail, error) {
		return api.SandboxMail(ctx, c.ID, o...)
	})
}
