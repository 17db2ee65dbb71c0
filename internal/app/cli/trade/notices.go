package trade

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tenor/client"
	"tenor/internal/app/terminal"
)

func noticeNoun() terminal.Noun[client.Notice] {
	return terminal.Noun[client.Notice]{
		Head: []string{"ID", "KIND", "COMPANY", "DUE", "SENT", "CHANNEL", "REASONS"},
		Row: func(x *client.Notice) []any {
			return []any{x.ID, x.Kind, strconv.FormatInt(x.CompanyID, 10), x.DueOn, x.SentAt, terminal.Maybe(x.Channel), strings.Join(x.Reasons, " ")}
		},
		Key: func(x *client.Notice) string { return x.ID },
		Text: func(a *terminal.App, x *client.Notice) error {
			pairs := []any{"id", x.ID, "kind", x.Kind, "company", x.CompanyID, "action", x.ActionAt, "due", x.DueOn, "reasons", strings.Join(x.Reasons, " "),
				"sent", x.SentAt, "late", x.Late, "channel", x.Channel, "evidence", x.Evidence, "requested for", x.AskedNoticeID}
			if x.Creditor != nil && x.Regulator != nil { // as the notice said, whatever the settings are now
				pairs = append(pairs, "creditor", x.Creditor.Name+", "+x.Creditor.Address, "contact", x.Contact,
					"regulator", x.Regulator.Name+", "+x.Regulator.Address, "ECOA text", x.ECOATextVersion)
			}
			return terminal.Facts(a.Out, pairs...)
		},
	}
}

// NoticesList is the command "notices list".
type NoticesList struct {
	terminal.Remote
	terminal.Paging
	Company int64             `placeholder:"ID" help:"To this company." complete:"company"`
	State   terminal.WordFlag `placeholder:"STATE" help:"unsent, due_soon (within ten days), overdue, or late (sent after the deadline)." complete:"notice-state"`
}

func (NoticesList) Examples() []string {
	return []string{"notices list --state unsent", "notices list --state late", "notices list --company 1000000001"}
}

func (c *NoticesList) Run(ctx context.Context, a *terminal.App) error {
	f := client.NoticeFilter{CompanyID: c.Company, State: string(c.State)}
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, noticeNoun(), f, (*client.Client).ListNotices)
}

// NoticeGet is the command "notices get".
type NoticeGet struct {
	terminal.Remote
	terminal.Paper
	ID string `arg:"" help:"Notice ID: ntc_…"`
}

func (NoticeGet) Examples() []string {
	return []string{"notices get ntc_…", "notices get ntc_… --format pdf -o notice.pdf"}
}

func (c *NoticeGet) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if done, err := c.Print(a, &c.Remote, func(api *client.Client, kind string, w io.Writer) error {
		return api.NoticeFile(ctx, c.ID, kind, w)
	}); done {
		return err
	}
	return terminal.One(ctx, a, &c.Remote, noticeNoun(), func(api *client.Client, o ...client.Option) (*client.Notice, error) {
		return api.Notice(ctx, c.ID, o...)
	})
}

// NoticeSent is the command "notices sent".
type NoticeSent struct {
	terminal.Change
	ID       string `arg:"" help:"Notice ID: ntc_…"`
	Channel  string `required:"" enum:"MAIL,EMAIL,PORTAL" placeholder:"CHANNEL" help:"How it was sent: MAIL, EMAIL or PORTAL."`
	Evidence string `required:"" placeholder:"TEXT" help:"Proof of sending, such as a tracking number."`
}

func (NoticeSent) Examples() []string {
	return []string{"notices sent ntc_… --channel MAIL --evidence 'tracking 9400 1000 0000'"}
}

func (c *NoticeSent) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, noticeNoun(), func(api *client.Client, o ...client.Option) (*client.Notice, error) {
		return api.SendNotice(ctx, c.ID, c.Channel, c.Evidence, o...)
	}, func(x *client.Notice) string {
		return fmt.Sprintf("Recorded: notice %s to company %d was sent by %s at %s.", x.ID, x.CompanyID, x.Channel, terminal.Instant(x.SentAt))
	})
}

// NoticeAsk is the command "notices ask".
type NoticeAsk struct {
	terminal.Change
	ID       string            `arg:"" help:"ID of the notice the company asks about: ntc_…"`
	Received terminal.DateFlag `required:"" placeholder:"DATE" help:"Date of the request, at most 60 days after the notice was sent."`
	Reasons  []string          `name:"reason" sep:"none" placeholder:"TEXT" help:"Reason to give, a code or text; up to four. Default: the reasons of the notice."`
}

func (NoticeAsk) Examples() []string {
	return []string{"notices ask ntc_… --received 2026-03-20", "notices ask ntc_… --received 2026-03-20 --reason credit_score --reason 'Sales fell by half.'"}
}

func (c *NoticeAsk) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, noticeNoun(), func(api *client.Client, o ...client.Option) (*client.Notice, error) {
		return api.RequestReasons(ctx, c.ID, client.FurtherReasons{ReceivedOn: string(c.Received), Reasons: c.Reasons}, o...)
	}, func(x *client.Notice) string {
		return fmt.Sprintf("Recorded: company %d must get the reasons by %s, in notice %s.", x.CompanyID, x.DueOn, x.ID)
	})
}
