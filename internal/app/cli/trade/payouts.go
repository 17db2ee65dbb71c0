package trade

import (
	"context"
	"fmt"
	"io"
	"time"

	"tenor/client"
	"tenor/internal/app/terminal"
)

func payoutNoun() terminal.Noun[client.Payout] {
	return terminal.Noun[client.Payout]{
		Head: []string{"ID", "DATE", "STATUS", ">GROSS", ">DISCOUNT", ">CLAWBACK", ">NET"},
		Row: func(p *client.Payout) []any {
			return []any{p.ID, p.Date, p.Status, p.Gross, p.Discount, p.Clawback, p.Net}
		},
		Key: func(p *client.Payout) string { return p.ID }, Text: printPayout,
	}
}

func printPayout(a *terminal.App, p *client.Payout) error {
	failed := ""
	if p.Failure != nil {
		failed = p.Failure.ReturnCode + " " + p.Failure.Message
	}
	if err := terminal.Facts(a.Out, "id", p.ID, "merchant", p.MerchantID, "date", p.Date, "status", p.Status, "gross", p.Gross, "discount", p.Discount,
		"refunds", p.Refunds, "repaid", p.Repaid, "clawback", p.Clawback, "collected", p.Collected, "net", p.Net,
		"discount returned", p.DiscountReturned, "carried over", p.Carried, "trace", p.TraceNumber, "sent", p.SentAt, "settled", p.SettledAt, "failure", failed); err != nil || len(p.Lines) == 0 {
		return err
	}
	fmt.Fprintln(a.Out)
	t := terminal.NewTable("LINE", "ORDER", ">GROSS", ">DISCOUNT", ">REFUNDS", ">AMOUNT", ">NETTED")
	for _, l := range p.Lines {
		t.Row(l.Kind, terminal.Maybe(l.OrderKey), terminal.Side(l.Gross), terminal.Side(l.Discount), terminal.Side(l.Refunds), l.Amount, terminal.Side(l.Netted))
	}
	return a.Show(t)
}

// PayoutsList is the command "payouts list".
type PayoutsList struct {
	terminal.Remote
	terminal.Paging
	Status terminal.WordFlag `placeholder:"STATUS" help:"${payout_status}." complete:"payout-status"`
}

func (PayoutsList) Examples() []string {
	return []string{"payouts list", "payouts list --status SETTLED --all --json"}
}

func (c *PayoutsList) Run(ctx context.Context, a *terminal.App) error {
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, payoutNoun(), client.PayoutFilter{Status: string(c.Status)}, (*client.Client).ListPayouts)
}

// PayoutGet is the command "payouts get".
type PayoutGet struct {
	terminal.Remote
	terminal.Paper
	ID string `arg:"" help:"Payout ID: po_…"`
}

func (PayoutGet) Examples() []string {
	return []string{"payouts get po_…", "payouts get po_… --format pdf -o advice.pdf"}
}

func (c *PayoutGet) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if done, err := c.Print(a, &c.Remote, func(api *client.Client, kind string, w io.Writer) error {
		return api.PayoutFile(ctx, c.ID, kind, w)
	}); done {
		return err
	}
	return terminal.One(ctx, a, &c.Remote, payoutNoun(), func(api *client.Client, o ...client.Option) (*client.Payout, error) {
		return api.Payout(ctx, c.ID, o...)
	})
}

// PayoutsExport is the command "payouts export".
type PayoutsExport struct {
	terminal.Remote
	Since  time.Time `name:"updated-since" placeholder:"TIME" help:"Payouts changed at or after this instant, such as 2026-01-15T00:00:00Z."`
	Before time.Time `name:"updated-before" placeholder:"TIME" help:"Payouts changed before this instant; start the next export with it."`
	Format string    `default:"csv" enum:"csv,json" help:"csv or json."`
	Out    string    `short:"o" type:"path" placeholder:"FILE" help:"Output file; it must not exist. Default: standard output."`
}

func (PayoutsExport) Examples() []string {
	return []string{"payouts export -o payouts.csv", "payouts export --updated-since 2026-01-15T00:00:00Z --updated-before 2026-01-16T00:00:00Z"}
}

func (c *PayoutsExport) Run(ctx context.Context, a *terminal.App) error {
	kind := client.CSV
	if c.JSON || c.Format == "json" {
		kind = client.JSON
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	return c.Write(a, c.Out, func(w io.Writer) error {
		return api.ExportPayouts(ctx, c.Since, c.Before, kind, w)
	})
}

// PayoutsHold is the command "payouts hold".
type PayoutsHold struct {
	terminal.Change
	merchantKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Reason."`
}

func (PayoutsHold) Examples() []string {
	return []string{"payouts hold mch_… --reason 'verifying the account'"}
}

func (c *PayoutsHold) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.HoldPayouts(ctx, c.ID, c.Reason, o...)
	}, func(m *client.Merchant) string {
		return a.WithUndo(fmt.Sprintf("Payouts to %s are on hold.", terminal.Clean(m.Name)), "payouts release "+m.ID+" --reason undo")
	})
}

// PayoutsRelease is the command "payouts release".
type PayoutsRelease struct {
	terminal.Change
	merchantKeyed
	terminal.Audited
}

func (PayoutsRelease) Examples() []string {
	return []string{"payouts release mch_… --reason 'approved by underwriting'"}
}

func (c *PayoutsRelease) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.ReleasePayouts(ctx, c.ID, c.Reason, o...)
	}, func(m *client.Merchant) string {
		return a.WithUndo(fmt.Sprintf("Payouts to %s resume with the next run.", terminal.Clean(m.Name)), "payouts hold "+m.ID+" --reason …")
	})
}
