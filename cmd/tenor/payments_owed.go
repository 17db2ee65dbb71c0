package main

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
)

type paymentsOwed struct {
	remote
	paging
}

// Examples are shown by -h.
func (paymentsOwed) Examples() []string {
	return []string{"payments owed", "payments owed --all --json"}
}

// Run is called by the parser.
func (c *paymentsOwed) Run(ctx context.Context, a *app) error {
	return list(ctx, a, &c.remote, c.paging, owedNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.OwedRefund], error) {
		return api.ListOwedRefunds(ctx, p, o...)
	})
}

func owedNoun() noun[client.OwedRefund] {
	return noun[client.OwedRefund]{
		head: []string{"PAYMENT", "COMPANY", "WHAT", ">AMOUNT", "SINCE", ">DAYS"},
		row: func(x *client.OwedRefund) []any {
			return []any{x.PaymentID, x.CompanyID, owedWhat(x), x.Amount, x.Since, x.Days}
		},
		key: func(x *client.OwedRefund) string { return x.PaymentID },
	}
}

// owedWhat says what waits: credit that is sent back, or refunds with their statuses.
func owedWhat(x *client.OwedRefund) string {
	if x.Direction == "OUT" {
		return "credit sent back"
	}
	var parts []string
	for _, r := range x.Refunds {
		parts = append(parts, r.ID+" "+r.Status)
	}
	return strings.Join(parts, ", ")
}

type paymentPayRefund struct {
	change
	consent
	paymentKeyed
	audited
	Refund    string   `arg:"" help:"Identifier of the refund: rfd_…"`
	Method    string   `xor:"way" required:"" placeholder:"ID" help:"Bank account of the company to which it goes: pm_…"`
	By        wordFlag `xor:"way" required:"" placeholder:"METHOD" help:"How it was paid by hand: CHECK, WIRE, CASH or OTHER." complete:"by-hand"`
	Reference string   `placeholder:"TEXT" help:"The number of that check or wire."`
}

// Examples are shown by -h.
func (paymentPayRefund) Examples() []string {
	return []string{"payments pay-refund pay_… rfd_… --method pm_… --yes --reason 'approved by the credit desk'", "payments pay-refund pay_… rfd_… --by CHECK --reference 1042 --yes --reason 'approved by the credit desk'"}
}

// Run is called by the parser.
func (c *paymentPayRefund) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if c.Method != "" && c.Reference != "" {
		return &failure{code: exitUsage, text: "--reference is of money that was paid by hand: it goes with --by"}
	}
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Pay the refund %s of %s?", c.Refund, c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.PayRefund(ctx, c.ID, c.Refund, client.RefundPayout{PaymentMethodID: c.Method, Method: string(c.By), Reference: c.Reference}, c.because(o)...)
	}, func(p *client.Payment) string {
		if c.Method != "" {
			return fmt.Sprintf("The refund %s of %s is on its way to %s. See: %s payments owed", c.Refund, p.ID, c.Method, a.program)
		}
		return fmt.Sprintf("The refund %s of %s is recorded as paid by %s.", c.Refund, p.ID, c.By)
	})
}

type companyAskCredit struct {
	change
	companyKeyed
}

// Examples are shown by -h.
func (companyAskCredit) Examples() []string { return []string{"companies ask-credit 1000000001"} }

// Run is called by the parser.
func (c *companyAskCredit) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return act(ctx, a, &c.change, companyNoun(), func(api *client.Client, o ...client.Option) (*client.Company, error) {
		return api.RequestCredit(ctx, c.ID, o...)
	}, func(x *client.Company) string {
		return fmt.Sprintf("%s of %s (%s) goes back within seven banking days.", dollars(x.UnappliedCredit), clean(x.Name), x.ID)
	})
}

type orderResume struct {
	change
	versioned
	orderKeyed
	Amount amountFlag `placeholder:"USD" help:"Of a debit that was not what had been agreed (R11): the amount of the corrected one."`
	On     dateFlag   `placeholder:"DATE" help:"Of such a debit: banking day on which the corrected one settles."`
}

// Examples are shown by -h.
func (orderResume) Examples() []string {
	return []string{"orders resume ord_…", "orders resume ord_… --amount 150.00 --on 2026-03-24"}
}

// Run is called by the parser.
func (c *orderResume) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	return act(ctx, a, &c.change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.ResumeCollection(ctx, c.Key, client.CorrectedEntry{Amount: client.Amount(c.Amount), ScheduledDate: string(c.On)}, append(o, c.options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Autopay collects %s again. See: %s payments schedule %s", nameOf(o), a.program, o.Key)
	})
}
