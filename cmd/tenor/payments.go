package main

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
)

// paymentNoun is how payments are printed.
func paymentNoun() noun[client.Payment] {
	return noun[client.Payment]{
		head: []string{"ID", "ORDER", ">AMOUNT", "METHOD", "STATUS", "DATE"},
		row: func(p *client.Payment) []any {
			date := p.EffectiveDate
			if date == "" {
				date = p.ScheduledDate
			}
			return []any{p.ID, maybe(p.OrderKey), p.Amount, p.Method, p.Status, maybe(date)}
		},
		key:  func(p *client.Payment) string { return p.ID },
		text: printPayment,
	}
}

func printPayment(a *app, p *client.Payment) error {
	failed := ""
	if p.Failure != nil {
		failed = strings.TrimSpace(p.Failure.Code + " " + p.Failure.Message)
	}
	if err := facts(a.out, "id", p.ID, "company", p.CompanyID, "order", p.OrderKey, "invoice", p.InvoiceID, "amount", p.Amount,
		"method", p.Method, "status", p.Status, "effective", p.EffectiveDate, "scheduled", p.ScheduledDate, "reference", p.Reference,
		"refunded", p.RefundedAmount, "unapplied", p.UnappliedAmount, "failure", failed); err != nil {
		return err
	}
	if len(p.Allocations) > 0 {
		t := newTable("ORDER", ">INSTALLMENT", ">FEE", ">CHARGE", ">PRINCIPAL")
		for _, x := range p.Allocations {
			t.row(maybe(x.OrderKey), x.Installment, x.Fee, x.FinanceCharge, x.Principal)
		}
		fmt.Fprintln(a.out)
		if err := a.show(t); err != nil {
			return err
		}
	}
	return showPaymentRefunds(a, p.Refunds)
}

// showPaymentRefunds lists what was given back of a payment, by whose identifiers it is
// paid if it has not arrived.
func showPaymentRefunds(a *app, list []client.PaymentRefund) error {
	if len(list) == 0 {
		return nil
	}
	t := newTable("REFUND", ">AMOUNT", "STATUS", "MADE", "REASON")
	for _, r := range list {
		t.row(r.ID, r.Amount, r.Status, r.CreatedAt, maybe(r.Reason))
	}
	fmt.Fprintln(a.out)
	return a.show(t)
}

type paymentsList struct {
	remote
	paging
	Company int64    `placeholder:"ID" help:"Payments of this company."`
	Order   string   `placeholder:"KEY" help:"Payments that name this order." complete:"order"`
	Invoice string   `placeholder:"ID" help:"Payments of this invoice."`
	Status  wordFlag `placeholder:"STATUS" help:"SCHEDULED, PENDING, SUCCEEDED, FAILED, PARTIALLY_REFUNDED, REFUNDED, RETURNED or CANCELED." complete:"payment-status"`
	Method  wordFlag `placeholder:"METHOD" help:"ACH, CARD, CHECK, WIRE, CASH or OTHER." complete:"method"`
	From    dateFlag `placeholder:"DATE" help:"Effective, or else scheduled, on or after this date."`
	To      dateFlag `placeholder:"DATE" help:"On or before this date."`
}

// Examples are shown by -h.
func (paymentsList) Examples() []string {
	return []string{"payments list --order ord_…", "payments list --from 2026-01-01 --to 2026-01-31 --all --json"}
}

// Run is called by the parser.
func (c *paymentsList) Run(ctx context.Context, a *app) error {
	if err := inOrder("--from", c.From, "--to", c.To); err != nil {
		return err
	}
	f := client.PaymentFilter{
		CompanyID: c.Company, OrderKey: c.Order, InvoiceID: c.Invoice, Status: string(c.Status), Method: string(c.Method), From: string(c.From), To: string(c.To),
	}
	return list(ctx, a, &c.remote, c.paging, paymentNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Payment], error) {
		return api.ListPayments(ctx, f, p, o...)
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
	return one(ctx, a, &c.remote, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.Payment(ctx, c.ID, o...)
	})
}

type paymentRecord struct {
	change
	Amount        amountFlag `required:"" placeholder:"USD" help:"What was received."`
	Method        wordFlag   `default:"WIRE" placeholder:"METHOD" help:"WIRE, CHECK, CASH or OTHER for what has come in; ACH or CARD to have it debited." complete:"method"`
	Order         string     `xor:"target" required:"" placeholder:"KEY" help:"Pays this order." complete:"order"`
	Invoice       string     `xor:"target" required:"" placeholder:"ID" help:"Pays this invoice."`
	Company       int64      `xor:"target" required:"" placeholder:"ID" help:"Pays this company's orders, oldest due first."`
	Account       string     `name:"payment-method" placeholder:"ID" help:"Account to debit, pm_…; absent: that of autopay."`
	ScheduledDate dateFlag   `placeholder:"DATE" help:"Day on which a debit is to settle; absent: the first one that can."`
	EffectiveDate dateFlag   `placeholder:"DATE" help:"Day for which the money counts; absent: today."`
	Reference     string     `placeholder:"TEXT" help:"What the payer wrote."`
	ExternalID    string     `name:"external-id" placeholder:"TEXT" help:"Your own identifier of the payment, unique."`
	Memo          string     `placeholder:"TEXT" help:"A note."`
	HoldExcess    bool       `help:"Keep what is not due yet for the order's next due dates, instead of paying early."`
}

// Examples are shown by -h.
func (paymentRecord) Examples() []string {
	return []string{
		"payments record --order ord_… --amount 207.06", "payments record --company 1000000001 --amount 500 --method CHECK --reference 'check 1042'",
		"payments record --order ord_… --amount 207.06 --method ACH", "payments record --order ord_… --amount 207.06 --dry-run",
	}
}

// Run is called by the parser.
func (c *paymentRecord) Run(ctx context.Context, a *app) error {
	a.subject = c.Order
	r := client.PaymentRequest{
		Amount: client.Amount(c.Amount), Method: string(c.Method), OrderKey: c.Order, InvoiceID: c.Invoice, CompanyID: c.Company,
		PaymentMethodID: c.Account, ScheduledDate: string(c.ScheduledDate), EffectiveDate: string(c.EffectiveDate), Reference: c.Reference, ExternalID: c.ExternalID, Memo: c.Memo,
		HoldExcess: c.HoldExcess,
	}
	return act(ctx, a, &c.change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.CreatePayment(ctx, r, o...)
	}, func(p *client.Payment) string {
		unapplied := ""
		if cents, _ := p.UnappliedAmount.Cents(); cents > 0 {
			unapplied = fmt.Sprintf(" %s pays nothing yet.", dollars(p.UnappliedAmount))
		}
		return fmt.Sprintf("Recorded %s by %s: %s, %s.%s See: %s payments get %s", dollars(p.Amount), p.Method, p.ID, p.Status, unapplied, a.program, p.ID)
	})
}

type paymentSchedule struct {
	remote
	pastFlag
	orderKeyed
}

// Examples are shown by -h.
func (paymentSchedule) Examples() []string {
	return []string{"payments schedule ord_…", "payments schedule ord_… --as-of 2026-03-31"}
}

// Run is called by the parser. An installment is a record.
func (c *paymentSchedule) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	s, err := api.Schedule(ctx, c.Key, append(c.options(), client.Record(&raw))...)
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		return document(a.out, raw.Body)
	case c.Quiet && !c.Plain:
		_, err := fmt.Fprintln(a.out, clean(s.OrderKey))
		return err
	}
	if err := c.table(a, scheduleTable(s)); err != nil || c.Plain {
		return err
	}
	if err := showFees(a, s); err != nil {
		return err
	}
	if n := len(s.DisputeHolds); n > 0 {
		fmt.Fprintf(a.out, "Dispute hold from %s; days count again from %s.\n", clean(s.DisputeHolds[n-1].From), clean(s.DisputeHolds[n-1].Until))
	}
	_, err = fmt.Fprintf(a.out, "%s %s: total %s, paid %s, left %s\n", dash(clean(s.Plan)), clean(s.Status), dollars(s.TotalAmount), dollars(s.TotalPaid), dollars(s.RemainingBalance))
	return err
}

// showFees lists the fees of a schedule, by whose identifiers they are waived.
func showFees(a *app, s *client.Schedule) error {
	t := newTable("FEE", "KIND", ">INSTALLMENT", "ASSESSED", ">AMOUNT", ">PAID", ">WAIVED")
	n := 0
	for _, x := range s.Installments {
		for _, f := range x.FeeItems {
			n++
			t.row(f.ID, f.Kind, x.Number, f.AssessedOn, f.Amount, f.Paid, f.Waived)
		}
	}
	if n == 0 {
		return nil
	}
	return a.show(t)
}

type paymentRefund struct {
	change
	moneyBack
	paymentKeyed
	Amount amountFlag `placeholder:"USD" help:"What to give back; absent: all that is left."`
	Reason string     `placeholder:"TEXT" help:"Why."`
}

// Examples are shown by -h.
func (paymentRefund) Examples() []string {
	return []string{"payments refund pay_… --yes", "payments refund pay_… --amount 50 --reason 'paid twice' --yes", "payments refund pay_… --dry-run"}
}

// Run is called by the parser.
func (c *paymentRefund) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	amount := client.Amount(c.Amount)
	if !c.DryRun {
		if err := c.approve(a, amount, func() (refundable, error) { return c.read(ctx, a) }); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.RefundPayment(ctx, c.ID, client.RefundRequest{Amount: amount, Reason: c.Reason}, o...)
	}, func(p *client.Payment) string {
		return fmt.Sprintf("Refunded of %s: %s of %s. What it had paid is open again. Status %s.", p.ID, dollars(p.RefundedAmount), dollars(p.Amount), p.Status)
	})
}

func (c *paymentRefund) read(ctx context.Context, a *app) (refundable, error) {
	api, err := c.connect(a)
	if err != nil {
		return refundable{}, err
	}
	p, err := api.Payment(ctx, c.ID)
	if err != nil {
		return refundable{}, err
	}
	paid, _ := p.Amount.Cents()
	back, _ := p.RefundedAmount.Cents()
	return refundable{name: p.ID, key: p.ID, left: client.OfCents(paid - back)}, nil
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
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Cancel the payment %s?", c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.CancelPayment(ctx, c.ID, o...)
	}, func(p *client.Payment) string { return fmt.Sprintf("Canceled %s (%s).", p.ID, dollars(p.Amount)) })
}
