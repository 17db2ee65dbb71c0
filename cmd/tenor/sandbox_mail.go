package main

import (
	"context"
	"time"

	"tenor/client"
)

// sandboxMessage is a message that a sandbox would have sent.
type sandboxMessage struct {
	client.Raw
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`
	To      string    `json:"to"`
	Name    string    `json:"name"`
	Subject string    `json:"subject"`
	Date    time.Time `json:"date"`
	Object  struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	} `json:"object"`
	Text string `json:"text"`
}

func mailNoun() noun[sandboxMessage] {
	return noun[sandboxMessage]{
		head: []string{"DATE", "KIND", "TO", "SUBJECT", "ID"},
		row:  func(x *sandboxMessage) []any { return []any{x.Date, x.Kind, x.Name, x.Subject, x.ID} },
		key:  func(x *sandboxMessage) string { return x.ID },
		text: func(a *app, x *sandboxMessage) error {
			to := x.Name
			if x.To != "" {
				to += " <" + x.To + ">"
			}
			if err := facts(a.out, "id", x.ID, "to", to, "subject", x.Subject, "date", newYork(x.Date), "about", x.Object.Type+" "+x.Object.ID); err != nil {
				return err
			}
			return document(a.out, []byte("\n"+x.Text))
		},
	}
}

type mailList struct {
	remote
	paging
	Kind wordFlag `placeholder:"KIND" help:"NOTICE, INVOICE, STATEMENT or PAYOUT_ADVICE." complete:"mail-kind"`
}

// Examples are shown by -h.
func (mailList) Examples() []string {
	return []string{"sandbox mail list", "sandbox mail list --kind INVOICE"}
}

// Run is called by the parser.
func (c *mailList) Run(ctx context.Context, a *app) error {
	return list(ctx, a, &c.remote, c.paging, mailNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[sandboxMessage], error) {
		return get[client.Page[sandboxMessage]](ctx, api, onPage(pathOf("sandbox", "mail"), p, "kind", string(c.Kind)), o...)
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
	return one(ctx, a, &c.remote, mailNoun(), func(api *client.Client, o ...client.Option) (*sandboxMessage, error) {
		return get[sandboxMessage](ctx, api, pathOf("sandbox", "mail", c.ID), o...)
	})
}
