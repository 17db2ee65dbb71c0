package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"tenor/client"
)

func payoutNoun() noun[client.Payout] {
	return noun[client.Payout]{
		head: []string{"ID", "DATE", "STATUS", ">GROSS", ">DISCOUNT", ">CLAWBACK", ">NET"},
		row: func(p *client.Payout) []any {
			return []any{p.ID, p.Date, p.Status, p.Gross, p.Discount, p.Clawback, p.Net}
		},
		key: func(p *client.Payout) string { return p.ID }, text: printPayout,
	}
}

func printPayout(a *app, p *client.Payout) error {
	failed := ""
	if p.Failure != nil {
		failed = p.Failure.ReturnCode + " " + p.Failure.Message
	}
	if err := facts(a.out, "id", p.ID, "merchant", p.MerchantID, "date", p.Date, "status", p.Status, "gross", p.Gross, "discount", p.Discount,
		"refunds", p.Refunds, "repaid", p.Repaid, "clawback", p.Clawback, "collected", p.Collected, "net", p.Net,
		"discount returned", p.DiscountReturned, "still owed", p.Carried, "trace", p.TraceNumber, "sent", p.SentAt, "settled", p.SettledAt, "failure", failed); err != nil || len(p.Lines) == 0 {
		return err
	}
	fmt.Fprintln(a.out)
	t := newTable("LINE", "ORDER", ">GROSS", ">DISCOUNT", ">REFUNDS", ">AMOUNT", ">NETTED")
	for _, l := range p.Lines {
		t.row(l.Kind, maybe(l.OrderKey), side(l.Gross), side(l.Discount), side(l.Refunds), l.Amount, side(l.Netted))
	}
	return a.show(t)
}

type payoutsList struct {
	remote
	paging
	Status wordFlag `placeholder:"STATUS" help:"PENDING, SENT, SETTLED or FAILED." complete:"payout-status"`
}

// Examples are shown by -h.
func (payoutsList) Examples() []string {
	return []string{"payouts list", "payouts list --status SETTLED --all --json"}
}

// Run is called by the parser.
func (c *payoutsList) Run(ctx context.Context, a *app) error {
	return list(ctx, a, &c.remote, c.paging, payoutNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Payout], error) {
		return api.ListPayouts(ctx, client.PayoutFilter{Status: string(c.Status)}, p, o...)
	})
}

type payoutGet struct {
	remote
	paper
	ID string `arg:"" help:"Identifier of the payout: po_…"`
}

// Examples are shown by -h.
func (payoutGet) Examples() []string {
	return []string{"payouts get po_…", "payouts get po_… --format pdf -o advice.pdf"}
}

// Run is called by the parser.
func (c *payoutGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if done, err := c.print(a, &c.remote, func(api *client.Client, kind string, w io.Writer) error {
		return api.PayoutFile(ctx, c.ID, kind, w)
	}); done {
		return err
	}
	return one(ctx, a, &c.remote, payoutNoun(), func(api *client.Client, o ...client.Option) (*client.Payout, error) {
		return api.Payout(ctx, c.ID, o...)
	})
}

type payoutsExport struct {
	remote
	Since  time.Time `name:"updated-since" placeholder:"TIME" help:"Payouts that changed at or after this instant, such as 2026-01-15T00:00:00Z."`
	Before time.Time `name:"updated-before" placeholder:"TIME" help:"Payouts that changed before this instant: begin the next export with it."`
	Format string    `default:"csv" enum:"csv,json" help:"csv or json."`
	Out    string    `short:"o" type:"path" placeholder:"FILE" help:"File to write; it must not exist. Absent: standard output."`
}

// Examples are shown by -h.
func (payoutsExport) Examples() []string {
	return []string{"payouts export -o payouts.csv", "payouts export --updated-since 2026-01-15T00:00:00Z --updated-before 2026-01-16T00:00:00Z"}
}

// Run is called by the parser.
func (c *payoutsExport) Run(ctx context.Context, a *app) error {
	kind := client.CSV
	if c.JSON || c.Format == "json" {
		kind = client.JSON
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	return c.write(a, c.Out, func(w io.Writer) error {
		return api.ExportPayouts(ctx, client.PayoutSpan{Since: c.Since, Before: c.Before}, kind, w)
	})
}

type payoutsHold struct {
	change
	merchantKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Why."`
}

// Examples are shown by -h.
func (payoutsHold) Examples() []string {
	return []string{"payouts hold mch_… --reason 'account is being checked'"}
}

// Run is called by the parser.
func (c *payoutsHold) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return act(ctx, a, &c.change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.HoldPayouts(ctx, c.ID, c.Reason, o...)
	}, func(m *client.Merchant) string {
		return a.mildly(fmt.Sprintf("Payouts to %s wait.", clean(m.Name)), "payouts release "+m.ID+" --reason undo")
	})
}

type payoutsRelease struct {
	change
	merchantKeyed
	audited
}

// Examples are shown by -h.
func (payoutsRelease) Examples() []string {
	return []string{"payouts release mch_… --reason 'approved by the credit desk'"}
}

// Run is called by the parser.
func (c *payoutsRelease) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return act(ctx, a, &c.change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.ReleasePayouts(ctx, c.ID, c.because(o)...)
	}, func(m *client.Merchant) string {
		return a.mildly(fmt.Sprintf("%s is paid again, from the next run on.", clean(m.Name)), "payouts hold "+m.ID+" --reason …")
	})
}
