package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tenor/client"
)

func bankNoticeNoun() noun[client.BankNotice] {
	return noun[client.BankNotice]{
		head: []string{"ID", "RECEIVED", "RAIL", "KIND", "CODE", ">AMOUNT", "RESULT", "FILE", "TRANSFER", "REVIEWED"},
		row: func(x *client.BankNotice) []any {
			return []any{x.ID, x.ReceivedAt, x.Rail, x.Kind, maybe(x.Code), x.Amount, x.Result, maybe(x.FromFile), maybe(x.TransferID), x.ReviewedAt}
		},
		key: func(x *client.BankNotice) string { return x.ID },
		text: func(a *app, x *client.BankNotice) error {
			trace := ""
			if x.Trace != 0 {
				trace = strconv.Itoa(x.Trace)
			}
			return facts(a.out, "id", x.ID, "rail", x.Rail, "said", strings.TrimSpace(x.Kind+" "+x.Code), "message", x.Message, "received", x.ReceivedAt,
				"in file", x.FromFile, "of our file", x.AboutFile, "entry", trace, "amount", x.Amount, "account", x.AccountLast4, "charge", x.Reference,
				"transfer", x.TransferID, "result", x.Result, "dispute by", x.DisputeBy, "reviewed", x.ReviewedAt, "by", x.ReviewedBy, "note", x.ReviewNote)
		},
	}
}

type bankNoticesList struct {
	remote
	paging
	Waiting bool `help:"Only those that no person has seen to."`
}

// Examples are shown by -h.
func (bankNoticesList) Examples() []string {
	return []string{"ledger bank-notices --waiting", "ledger bank-notices --all --json"}
}

// Run is called by the parser.
func (c *bankNoticesList) Run(ctx context.Context, a *app) error {
	f := client.BankNoticeFilter{Waiting: c.Waiting}
	return list(ctx, a, &c.remote, c.paging, bankNoticeNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.BankNotice], error) {
		return api.ListBankNotices(ctx, f, p, o...)
	})
}

type bankNoticeGet struct {
	remote
	ID string `arg:"" help:"Identifier of the notice: bkn_…"`
}

// Examples are shown by -h.
func (bankNoticeGet) Examples() []string { return []string{"ledger bank-notice bkn_…"} }

// Run is called by the parser.
func (c *bankNoticeGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return one(ctx, a, &c.remote, bankNoticeNoun(), func(api *client.Client, o ...client.Option) (*client.BankNotice, error) {
		return api.BankNotice(ctx, c.ID, o...)
	})
}

type bankReview struct {
	remote
	ID   string `arg:"" help:"Identifier of the notice: bkn_…"`
	Note string `required:"" placeholder:"TEXT" help:"What was done about it, and what came of it."`
}

// Examples are shown by -h.
func (bankReview) Examples() []string {
	return []string{"ledger review bkn_… --note 'Not ours: the bank takes it back.'", "ledger review bkn_… --note 'Disputed with R68; the money came back on 3 March.'"}
}

// Run is called by the parser. A notice that was reviewed keeps its first note.
func (c *bankReview) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	x, err := api.ReviewBankNotice(ctx, c.ID, c.Note, client.Record(&raw))
	if err != nil {
		return err
	}
	text := "Noted; its alarm has ended."
	if x.ReviewNote != c.Note {
		text = fmt.Sprintf("It was reviewed before, by %s: %s", x.ReviewedBy, x.ReviewNote)
	}
	return told(a, c.output, bankNoticeNoun(), raw, x, text)
}
