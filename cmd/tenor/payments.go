package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tenor/client"
)

type paymentsList struct {
	remote
	paging
	Company int64  `placeholder:"ID" help:"Payments of this company."`
	Order   string `placeholder:"KEY" help:"Payments that name this order."`
	Invoice string `placeholder:"ID" help:"Payments of this invoice."`
	Status  string `help:"SCHEDULED, PENDING, SUCCEEDED, FAILED, PARTIALLY_REFUNDED, REFUNDED, RETURNED or CANCELED."`
	Method  string `help:"ACH, CARD, CHECK, WIRE, CASH or OTHER."`
	From    string `placeholder:"DATE" help:"Effective, else scheduled, on or after this date."`
	To      string `placeholder:"DATE" help:"Effective, else scheduled, on or before this date."`
}

// Examples are shown by -h.
func (paymentsList) Examples() []string {
	return []string{"payments list", "payments list --order ord_…", "payments list --company 1000000001 --from 2026-01-01 --json"}
}

// Run is called by the parser.
func (c *paymentsList) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.ListPayments(ctx, client.PaymentFilter{
		CompanyID: c.Company, OrderKey: c.Order, InvoiceID: c.Invoice, Status: strings.ToUpper(c.Status), Method: strings.ToUpper(c.Method), From: c.From, To: c.To,
	}, c.at(), client.Record(&raw))
	if err != nil {
		return err
	}
	t := newTable("ID", "ORDER", ">AMOUNT", "METHOD", "STATUS", "DATE")
	return page(c.output, a, raw, p, func(p *client.Payment) string { return p.ID }, t, func(p *client.Payment) {
		date := p.EffectiveDate
		if date == "" {
			date = p.ScheduledDate
		}
		t.row(p.ID, dash(p.OrderKey), dollars(p.Amount), p.Method, p.Status, dash(date))
	})
}

// paymentKeyed is a command about one payment.
type paymentKeyed struct {
	ID string `arg:"" help:"Identifier of the payment: pay_…"`
}

type paymentGet struct {
	remote
	paymentKeyed
}

// Examples are shown by -h.
func (paymentGet) Examples() []string { return []string{"payments get pay_…"} }

// Run is called by the parser.
func (c *paymentGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.Payment(ctx, c.ID, client.Record(&raw))
	if err != nil {
		return err
	}
	return c.result(a, raw, p.ID, func() error {
		pairs := []string{
			"id", p.ID, "company", strconv.FormatInt(p.CompanyID, 10), "order", p.OrderKey, "invoice", p.InvoiceID, "amount", dollars(p.Amount),
			"method", p.Method, "status", p.Status, "effective", p.EffectiveDate, "scheduled", p.ScheduledDate, "reference", p.Reference,
			"refunded", dollars(p.RefundedAmount), "unapplied", dollars(p.UnappliedAmount),
		}
		if p.Failure != nil {
			pairs = append(pairs, "failure", strings.TrimSpace(p.Failure.Code+" "+p.Failure.Message))
		}
		if err := facts(a.out, pairs...); err != nil || len(p.Allocations) == 0 {
			return err
		}
		fmt.Fprintln(a.out)
		t := newTable("ORDER", ">INSTALLMENT", ">FEE", ">CHARGE", ">PRINCIPAL")
		for _, x := range p.Allocations {
			t.row(x.OrderKey, strconv.Itoa(x.Installment), dollars(x.Fee), dollars(x.FinanceCharge), dollars(x.Principal))
		}
		return t.print(a.out)
	})
}

type paymentRecord struct {
	change
	Amount        amountFlag `required:"" placeholder:"USD" help:"What was received."`
	Method        string     `default:"WIRE" help:"WIRE, CHECK, CASH or OTHER; ACH and CARD are collected."`
	Order         string     `xor:"target" required:"" placeholder:"KEY" help:"Pays this order."`
	Invoice       string     `xor:"target" required:"" placeholder:"ID" help:"Pays this invoice."`
	Company       int64      `xor:"target" required:"" placeholder:"ID" help:"Pays this company's orders, oldest due first."`
	EffectiveDate string     `placeholder:"DATE" help:"Day for which the money counts; absent: today."`
	Reference     string     `placeholder:"TEXT" help:"What the payer wrote."`
	ExternalID    string     `name:"external-id" placeholder:"TEXT" help:"Your own identifier of the payment, unique."`
	Memo          string     `placeholder:"TEXT" help:"A note."`
}

// Examples are shown by -h.
func (paymentRecord) Examples() []string {
	return []string{"payments record --order ord_… --amount 207.06", "payments record --company 1000000001 --amount 500 --method CHECK --reference 'check 1042'"}
}

// Run is called by the parser.
func (c *paymentRecord) Run(ctx context.Context, a *app) error {
	a.subject = c.Order
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.CreatePayment(ctx, client.PaymentRequest{
		Amount: client.Amount(c.Amount), Method: strings.ToUpper(c.Method), OrderKey: c.Order, InvoiceID: c.Invoice, CompanyID: c.Company,
		EffectiveDate: c.EffectiveDate, Reference: c.Reference, ExternalID: c.ExternalID, Memo: c.Memo,
	}, c.options(&raw)...)
	if err != nil {
		return c.failed(err)
	}
	unapplied := ""
	if cents, _ := p.UnappliedAmount.Cents(); cents > 0 {
		unapplied = fmt.Sprintf(" %s pays nothing yet.", dollars(p.UnappliedAmount))
	}
	return c.done(a, raw, p.ID, "Recorded %s by %s: %s, %s.%s See: %s payments get %s", dollars(p.Amount), p.Method, p.ID, p.Status, unapplied, a.program, p.ID)
}

type paymentSchedule struct {
	remote
	orderKeyed
}

// Examples are shown by -h.
func (paymentSchedule) Examples() []string { return []string{"payments schedule ord_…"} }

// Run is called by the parser.
func (c *paymentSchedule) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	s, err := api.Schedule(ctx, c.Key, client.Record(&raw))
	if err != nil {
		return err
	}
	return c.result(a, raw, s.OrderKey, func() error {
		t := newTable(">NUMBER", "DUE", ">AMOUNT", ">PRINCIPAL", ">CHARGE", ">FEES", ">PAID", ">OUTSTANDING", "STATUS")
		for _, x := range s.Installments {
			t.row(strconv.Itoa(x.Number), x.DueDate, dollars(x.Amount), dollars(x.Principal), dollars(x.FinanceCharge), dollars(x.Fees),
				dollars(x.AmountPaid), dollars(x.AmountOutstanding), x.Status)
		}
		if err := t.print(a.out); err != nil {
			return err
		}
		_, err := fmt.Fprintf(a.out, "%s %s: total %s, paid %s, left %s\n", dash(s.Plan), s.Status, dollars(s.TotalAmount), dollars(s.TotalPaid), dollars(s.RemainingBalance))
		return err
	})
}

type paymentRefund struct {
	change
	consent
	paymentKeyed
	Amount amountFlag `placeholder:"USD" help:"What to give back; absent: all that is left."`
	Reason string     `placeholder:"TEXT" help:"Why."`
}

// Examples are shown by -h.
func (paymentRefund) Examples() []string {
	return []string{"payments refund pay_… --yes", "payments refund pay_… --amount 50 --reason 'paid twice' --yes"}
}

// Run is called by the parser.
func (c *paymentRefund) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	what := "all that is left"
	if c.Amount != "" {
		what = dollars(client.Amount(c.Amount))
	}
	if err := c.ask(a, fmt.Sprintf("Give back %s of %s?", what, c.ID)); err != nil {
		return err
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.RefundPayment(ctx, c.ID, client.RefundRequest{Amount: client.Amount(c.Amount), Reason: c.Reason}, c.options(&raw)...)
	if err != nil {
		return c.failed(err)
	}
	return c.done(a, raw, p.ID, "Refunded of %s: %s of %s. What it had paid is open again. Status %s.", p.ID, dollars(p.RefundedAmount), dollars(p.Amount), p.Status)
}

type paymentCancel struct {
	change
	consent
	paymentKeyed
}

// Examples are shown by -h.
func (paymentCancel) Examples() []string { return []string{"payments cancel pay_… --yes"} }

// Run is called by the parser.
func (c *paymentCancel) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if err := c.ask(a, fmt.Sprintf("Cancel the payment %s?", c.ID)); err != nil {
		return err
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.CancelPayment(ctx, c.ID, c.options(&raw)...)
	if err != nil {
		return c.failed(err)
	}
	return c.done(a, raw, p.ID, "Canceled %s (%s).", p.ID, dollars(p.Amount))
}
