package trade

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tenor/client"
	"tenor/internal/app/terminal"
)

func bankNoticeNoun() terminal.Noun[client.BankNotice] {
	return terminal.Noun[client.BankNotice]{
		Head: []string{"ID", "RECEIVED", "RAIL", "KIND", "CODE", ">AMOUNT", "RESULT", "FILE", "TRANSFER", "REVIEWED"},
		Row: func(x *client.BankNotice) []any {
			return []any{x.ID, x.ReceivedAt, x.Rail, x.Kind, terminal.Maybe(x.Code), x.Amount, x.Result, terminal.Maybe(x.FromFile), terminal.Maybe(x.TransferID), x.ReviewedAt}
		},
		Key: func(x *client.BankNotice) string { return x.ID },
		Text: func(a *terminal.App, x *client.BankNotice) error {
			trace := ""
			if x.Trace != 0 {
				trace = strconv.FormatInt(x.Trace, 10)
			}
			return terminal.Facts(a.Out, "id", x.ID, "rail", x.Rail, "said", strings.TrimSpace(x.Kind+" "+x.Code), "message", x.Message, "received", x.ReceivedAt,
				"in file", x.FromFile, "of our file", x.AboutFile, "entry", trace, "amount", x.Amount, "account", x.AccountLast4, "reference", x.Reference,
				"transfer", x.TransferID, "result", x.Result, "dispute by", x.DisputeBy, "reviewed", x.ReviewedAt, "by", x.ReviewedBy, "note", x.ReviewNote)
		},
	}
}

// BankNoticesList is the command "ledger bank-notices".
type BankNoticesList struct {
	terminal.Remote
	terminal.Paging
	Waiting bool `help:"Only those not reviewed yet."`
}

func (BankNoticesList) Examples() []string {
	return []string{"ledger bank-notices --waiting", "ledger bank-notices --all --json"}
}

func (c *BankNoticesList) Run(ctx context.Context, a *terminal.App) error {
	f := client.BankNoticeFilter{Waiting: c.Waiting}
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, bankNoticeNoun(), f, (*client.Client).ListBankNotices)
}

// BankNoticeGet is the command "ledger bank-notice".
type BankNoticeGet struct {
	terminal.Remote
	ID string `arg:"" help:"Notice ID: bkn_…"`
}

func (BankNoticeGet) Examples() []string { return []string{"ledger bank-notice bkn_…"} }

func (c *BankNoticeGet) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, bankNoticeNoun(), c.ID, (*client.Client).BankNotice)
}

// BankReview is the command "ledger review".
type BankReview struct {
	terminal.Remote
	ID   string `arg:"" help:"Notice ID: bkn_…"`
	Note string `required:"" placeholder:"TEXT" help:"What was done, and the result."`
}

func (BankReview) Examples() []string {
	return []string{"ledger review bkn_… --note 'Not ours: the bank is returning it.'", "ledger review bkn_… --note 'Disputed with R68; the money came back on 3 March.'"}
}

// Run is called by the parser. A reviewed notice keeps its first note.
func (c *BankReview) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	x, err := api.ReviewBankNotice(ctx, c.ID, c.Note, client.Record(&raw))
	if err != nil {
		return err
	}
	text := "Recorded; its alarm is closed."
	if x.ReviewNote != c.Note {
		text = fmt.Sprintf("Already reviewed by %s: %s", x.ReviewedBy, x.ReviewNote)
	}
	return told(a, c.Output, bankNoticeNoun(), raw, x, text)
}
