package main

import (
	"context"
	"fmt"
	"time"

	"tenor/client"
)

// payout is what a merchant is paid.
type payout struct {
	client.Raw
	ID         string          `json:"id"`
	MerchantID string          `json:"merchant_id"`
	Status     string          `json:"status"`
	Date       string          `json:"date"`
	Gross      client.Amount   `json:"gross"`
	Discount   client.Amount   `json:"discount"`
	Refunds    client.Amount   `json:"refunds"`
	Repaid     client.Amount   `json:"repaid"`
	Clawback   client.Amount   `json:"clawback"`
	Collected  client.Amount   `json:"collected"`
	Net        client.Amount   `json:"net"`
	Failure    *client.Failure `json:"failure"`
	SentAt     *time.Time      `json:"sent_at"`
	SettledAt  *time.Time      `json:"settled_at"`
	Lines      []struct {
		Kind     string        `json:"kind"`
		OrderKey string        `json:"order_key"`
		Gross    client.Amount `json:"gross"`
		Discount client.Amount `json:"discount"`
		Refunds  client.Amount `json:"refunds"`
		Amount   client.Amount `json:"amount"`
		Netted   client.Amount `json:"netted"`
	} `json:"lines"`
}

func payoutNoun() noun[payout] {
	return noun[payout]{
		head: []string{"ID", "DATE", "STATUS", ">GROSS", ">DISCOUNT", ">CLAWBACK", ">NET"},
		row: func(p *payout) []any {
			return []any{p.ID, p.Date, p.Status, p.Gross, p.Discount, p.Clawback, p.Net}
		},
		key: func(p *payout) string { return p.ID }, text: printPayout,
	}
}

func printPayout(a *app, p *payout) error {
	failed := ""
	if p.Failure != nil {
		failed = p.Failure.ReturnCode + " " + p.Failure.Message
	}
	if err := facts(a.out, "id", p.ID, "merchant", p.MerchantID, "date", p.Date, "status", p.Status, "gross", p.Gross, "discount", p.Discount,
		"refunds", p.Refunds, "repaid", p.Repaid, "clawback", p.Clawback, "collected", p.Collected, "net", p.Net,
		"sent", p.SentAt, "settled", p.SettledAt, "failure", failed); err != nil || len(p.Lines) == 0 {
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
	return list(ctx, a, &c.remote, c.paging, payoutNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[payout], error) {
		return get[client.Page[payout]](ctx, api, onPage("/v1/payouts", p, "status", string(c.Status)), o...)
	})
}

type payoutGet struct {
	remote
	ID string `arg:"" help:"Identifier of the payout: po_…"`
}

// Examples are shown by -h.
func (payoutGet) Examples() []string { return []string{"payouts get po_…"} }

// Run is called by the parser.
func (c *payoutGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return one(ctx, a, &c.remote, payoutNoun(), func(api *client.Client, o ...client.Option) (*payout, error) {
		return get[payout](ctx, api, pathOf("payouts", c.ID), o...)
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
	return actOn(ctx, a, &c.change, merchantNoun(), post(map[string]any{"reason": c.Reason}, "operator", "merchants", c.ID, "payouts", "hold"), func(m *client.Merchant) string {
		return a.mildly(fmt.Sprintf("Payouts to %s wait.", clean(m.Name)), "payouts release "+m.ID)
	})
}

type payoutsRelease struct {
	change
	merchantKeyed
}

// Examples are shown by -h.
func (payoutsRelease) Examples() []string { return []string{"payouts release mch_…"} }

// Run is called by the parser.
func (c *payoutsRelease) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return actOn(ctx, a, &c.change, merchantNoun(), post(nil, "operator", "merchants", c.ID, "payouts", "release"), func(m *client.Merchant) string {
		return a.mildly(fmt.Sprintf("%s is paid again, from the next run on.", clean(m.Name)), "payouts hold "+m.ID+" --reason …")
	})
}
