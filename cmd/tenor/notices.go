package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tenor/client"
)

func noticeNoun() noun[client.Notice] {
	return noun[client.Notice]{
		head: []string{"ID", "KIND", "COMPANY", "DUE", "SENT", "CHANNEL", "REASONS"},
		row: func(x *client.Notice) []any {
			return []any{x.ID, x.Kind, strconv.FormatInt(x.CompanyID, 10), x.DueOn, x.SentAt, maybe(x.Channel), strings.Join(x.Reasons, " ")}
		},
		key: func(x *client.Notice) string { return x.ID },
		text: func(a *app, x *client.Notice) error {
			pairs := []any{"id", x.ID, "kind", x.Kind, "company", x.CompanyID, "action", x.ActionAt, "due", x.DueOn, "reasons", strings.Join(x.Reasons, " "),
				"sent", x.SentAt, "too late", x.Late, "channel", x.Channel, "evidence", x.Evidence, "asked on", x.Asked}
			if x.Creditor != nil && x.Regulator != nil { // what it said, whatever is set now
				pairs = append(pairs, "creditor", x.Creditor.Name+", "+x.Creditor.Address, "contact", x.Contact,
					"regulator", x.Regulator.Name+", "+x.Regulator.Address, "ECOA text", x.ECOAText)
			}
			return facts(a.out, pairs...)
		},
	}
}

type noticesList struct {
	remote
	paging
	Company int64    `placeholder:"ID" help:"To this company." complete:"company"`
	State   wordFlag `placeholder:"STATE" help:"unsent, due_soon (within ten days), overdue, or late: sent after their day." complete:"notice-state"`
}

// Examples are shown by -h.
func (noticesList) Examples() []string {
	return []string{"notices list --state unsent", "notices list --state late", "notices list --company 1000000001"}
}

// Run is called by the parser.
func (c *noticesList) Run(ctx context.Context, a *app) error {
	f := client.NoticeFilter{CompanyID: c.Company, State: string(c.State)}
	return list(ctx, a, &c.remote, c.paging, noticeNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Notice], error) {
		return api.ListNotices(ctx, f, p, o...)
	})
}

type noticeGet struct {
	remote
	paper
	ID string `arg:"" help:"Identifier of the notice: ntc_…"`
}

// Examples are shown by -h.
func (noticeGet) Examples() []string {
	return []string{"notices get ntc_…", "notices get ntc_… --format pdf -o notice.pdf"}
}

// Run is called by the parser.
func (c *noticeGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if done, err := c.print(a, &c.remote, func(api *client.Client, kind string, w io.Writer) error {
		return api.NoticeFile(ctx, c.ID, kind, w)
	}); done {
		return err
	}
	return one(ctx, a, &c.remote, noticeNoun(), func(api *client.Client, o ...client.Option) (*client.Notice, error) {
		return api.Notice(ctx, c.ID, o...)
	})
}

type noticeSent struct {
	change
	ID       string `arg:"" help:"Identifier of the notice: ntc_…"`
	Channel  string `required:"" enum:"MAIL,EMAIL,PORTAL" placeholder:"CHANNEL" help:"How it was sent: MAIL, EMAIL or PORTAL."`
	Evidence string `required:"" placeholder:"TEXT" help:"What shows it, such as a tracking number."`
}

// Examples are shown by -h.
func (noticeSent) Examples() []string {
	return []string{"notices sent ntc_… --channel MAIL --evidence 'tracking 9400 1000 0000'"}
}

// Run is called by the parser.
func (c *noticeSent) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return act(ctx, a, &c.change, noticeNoun(), func(api *client.Client, o ...client.Option) (*client.Notice, error) {
		return api.SendNotice(ctx, c.ID, c.Channel, c.Evidence, o...)
	}, func(x *client.Notice) string {
		return fmt.Sprintf("Recorded: the notice %s to %d was sent by %s at %s.", x.ID, x.CompanyID, x.Channel, instant(x.SentAt))
	})
}

type noticeAsk struct {
	change
	ID       string   `arg:"" help:"Identifier of the notice on which the company asks: ntc_…"`
	Received dateFlag `required:"" placeholder:"DATE" help:"Day on which the request came in, at most 60 days after the notice was sent."`
	Reasons  []string `name:"reason" sep:"none" placeholder:"TEXT" help:"A reason that will be given, a code or words; up to four times. Without: those of the notice."`
}

// Examples are shown by -h.
func (noticeAsk) Examples() []string {
	return []string{"notices ask ntc_… --received 2026-03-20", "notices ask ntc_… --received 2026-03-20 --reason credit_score --reason 'Sales have halved.'"}
}

// Run is called by the parser.
func (c *noticeAsk) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return act(ctx, a, &c.change, noticeNoun(), func(api *client.Client, o ...client.Option) (*client.Notice, error) {
		return api.RequestReasons(ctx, c.ID, string(c.Received), c.Reasons, o...)
	}, func(x *client.Notice) string {
		return fmt.Sprintf("Recorded: the reasons are due to %d by %s, with the notice %s.", x.CompanyID, x.DueOn, x.ID)
	})
}
