package trade

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
	"tenor/internal/app/terminal"
)

// paymentNoun is how payments are printed.
func paymentNoun() terminal.Noun[client.Payment] {
	return terminal.Noun[client.Payment]{
		Head: []string{"ID", "ORDER", ">AMOUNT", "METHOD", "STATUS", "DATE"},
		Row: func(p *client.Payment) []any {
			date := p.EffectiveDate
			if date == "" {
				date = p.ScheduledDate
			}
			return []any{p.ID, terminal.Maybe(p.OrderKey), p.Amount, p.Method, p.Status, terminal.Maybe(date)}
		},
		Key:  func(p *client.Payment) string { return p.ID },
		Text: printPayment,
	}
}

func printPayment(a *terminal.App, p *client.Payment) error {
	failed := ""
	if p.Failure != nil {
		failed = strings.TrimSpace(p.Failure.Code + " " + p.Failure.Message)
	}
	if err := terminal.Facts(a.Out, "id", p.ID, "company", p.CompanyID, "order", p.OrderKey, "invoice", p.InvoiceID, "amount", p.Amount,
		"method", p.Method, "status", p.Status, "effective", p.EffectiveDate, "scheduled", p.ScheduledDate, "reference", p.Reference,
		"refunded", p.RefundedAmount, "unapplied", p.UnappliedAmount, "failure", failed); err != nil {
		return err
	}
	if len(p.Allocations) > 0 {
		t := terminal.NewTable("ORDER", ">INSTALLMENT", ">FEE", ">CHARGE", ">PRINCIPAL")
		for _, x := range p.Allocations {
			t.Row(terminal.Maybe(x.OrderKey), x.Installment, x.Fee, x.FinanceCharge, x.Principal)
		}
		fmt.Fprintln(a.Out)
		if err := a.Show(t); err != nil {
			return err
		}
	}
	return showPaymentRefunds(a, p.Refunds)
}

// showPaymentRefunds lists a payment's refunds, with the IDs by which outstanding ones are paid.
func showPaymentRefunds(a *terminal.App, list []client.PaymentRefund) error {
	if len(list) == 0 {
		return nil
	}
	t := terminal.NewTable("REFUND", ">AMOUNT", "STATUS", "MADE", "REASON")
	for _, r := range list {
		t.Row(r.ID, r.Amount, r.Status, r.CreatedAt, terminal.Maybe(r.Reason))
	}
	fmt.Fprintln(a.Out)
	return a.Show(t)
}

// PaymentsList is the command "payments list".
type PaymentsList struct {
	terminal.Remote
	terminal.Paging
	Company int64             `placeholder:"ID" help:"Payments by this company."`
	Order   string            `placeholder:"KEY" help:"Payments for this order." complete:"order"`
	Invoice string            `placeholder:"ID" help:"Payments for this invoice."`
	Status  terminal.WordFlag `placeholder:"STATUS" help:"${payment_status}." complete:"payment-status"`
	Method  terminal.WordFlag `placeholder:"METHOD" help:"${method}." complete:"method"`
	From    terminal.DateFlag `placeholder:"DATE" help:"Effective date, or scheduled date if not yet effective, on or after this date."`
	To      terminal.DateFlag `placeholder:"DATE" help:"The same, on or before this date."`
}

func (PaymentsList) Examples() []string {
	return []string{"payments list --order ord_…", "payments list --from 2026-01-01 --to 2026-01-31 --all --json"}
}

func (c *PaymentsList) Run(ctx context.Context, a *terminal.App) error {
	if err := terminal.InOrder("--from", c.From, "--to", c.To); err != nil {
		return err
	}
	f := client.PaymentFilter{
		CompanyID: c.Company, OrderKey: c.Order, InvoiceID: c.Invoice, Status: string(c.Status), Method: string(c.Method), From: string(c.From), To: string(c.To),
	}
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, paymentNoun(), f, (*client.Client).ListPayments)
}

// paymentKeyed is a command about one payment.
type paymentKeyed struct {
	ID string `arg:"" help:"Payment ID: pay_…"`
}

// PaymentGet is the command "payments get".
type PaymentGet struct {
	terminal.Remote
	paymentKeyed
}

func (PaymentGet) Examples() []string { return []string{"payments get pay_…"} }

func (c *PaymentGet) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, paymentNoun(), c.ID, (*client.Client).Payment)
}

// PaymentRecord is the command "payments record".
type PaymentRecord struct {
	terminal.Change
	Amount        terminal.AmountFlag `required:"" placeholder:"USD" help:"Amount received."`
	Method        terminal.WordFlag   `default:"WIRE" placeholder:"METHOD" help:"WIRE, CHECK, CASH or OTHER for money received; ACH or CARD to debit it." complete:"method"`
	Order         string              `xor:"target" required:"" placeholder:"KEY" help:"Apply it to this order." complete:"order"`
	Invoice       string              `xor:"target" required:"" placeholder:"ID" help:"Apply it to this invoice."`
	Company       int64               `xor:"target" required:"" placeholder:"ID" help:"Apply it to this company's orders, oldest due first."`
	Account       string              `name:"payment-method" placeholder:"ID" help:"Account to debit: pm_…. Default: the autopay account."`
	ScheduledDate terminal.DateFlag   `placeholder:"DATE" help:"Settlement date of a debit. Default: the earliest possible."`
	EffectiveDate terminal.DateFlag   `placeholder:"DATE" help:"Effective date. Default: today."`
	Reference     string              `placeholder:"TEXT" help:"Remittance text from the payer."`
	ExternalID    string              `name:"external-id" placeholder:"TEXT" help:"Your own unique ID for the payment."`
	Memo          string              `placeholder:"TEXT" help:"Note."`
	HoldExcess    bool                `help:"Hold any excess for the next due dates instead of prepaying."`
}

func (PaymentRecord) Examples() []string {
	return []string{
		"payments record --order ord_… --amount 207.06", "payments record --company 1000000001 --amount 500 --method CHECK --reference 'check 1042'",
		"payments record --order ord_… --amount 207.06 --method ACH", "payments record --order ord_… --amount 207.06 --dry-run",
	}
}

func (c *PaymentRecord) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Order
	r := client.PaymentRequest{
		Amount: client.Amount(c.Amount), Method: string(c.Method), OrderKey: c.Order, InvoiceID: c.Invoice, CompanyID: c.Company,
		PaymentMethodID: c.Account, ScheduledDate: string(c.ScheduledDate), EffectiveDate: string(c.EffectiveDate), Reference: c.Reference, ExternalID: c.ExternalID, Memo: c.Memo,
		HoldExcess: c.HoldExcess,
	}
	return terminal.Act(ctx, a, &c.Change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.RecordPayment(ctx, r, o...)
	}, func(p *client.Payment) string {
		unapplied := ""
		if cents, _ := p.UnappliedAmount.Cents(); cents > 0 {
			unapplied = fmt.Sprintf(" %s is unapplied.", terminal.Dollars(p.UnappliedAmount))
		}
		return fmt.Sprintf("Recorded %s by %s: %s, %s.%s See: %s payments get %s", terminal.Dollars(p.Amount), p.Method, p.ID, p.Status, unapplied, a.Program, p.ID)
	})
}

// PaymentSchedule is the command "payments schedule".
type PaymentSchedule struct {
	terminal.Remote
	terminal.PastFlag
	orderKeyed
}

func (PaymentSchedule) Examples() []string {
	return []string{"payments schedule ord_…", "payments schedule ord_… --as-of 2026-03-31"}
}

// Run is called by the parser. Each installment is a record.
func (c *PaymentSchedule) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	s, err := api.Schedule(ctx, c.Key, append(c.Options(), client.Record(&raw))...)
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		return terminal.Document(a.Out, raw.Body)
	case c.Quiet && !c.Plain:
		_, err := fmt.Fprintln(a.Out, terminal.Clean(s.OrderKey))
		return err
	}
	if err := c.Table(a, terminal.ScheduleTable(s)); err != nil || c.Plain {
		return err
	}
	if err := showFees(a, s); err != nil {
		return err
	}
	if n := len(s.DisputeHolds); n > 0 {
		fmt.Fprintf(a.Out, "Dispute hold from %s until %s.\n", terminal.Clean(s.DisputeHolds[n-1].From), terminal.Clean(s.DisputeHolds[n-1].Until))
	}
	_, err = fmt.Fprintf(a.Out, "%s %s: total %s, paid %s, left %s\n", terminal.Dash(terminal.Clean(s.Plan)), terminal.Clean(s.Status), terminal.Dollars(s.TotalAmount), terminal.Dollars(s.TotalPaid), terminal.Dollars(s.RemainingBalance))
	return err
}

// showFees lists the fees of a schedule, with the IDs by which they are waived.
func showFees(a *terminal.App, s *client.Schedule) error {
	t := terminal.NewTable("FEE", "KIND", ">INSTALLMENT", "ASSESSED", ">AMOUNT", ">PAID", ">WAIVED")
	n := 0
	for _, x := range s.Installments {
		for _, f := range x.FeeItems {
			n++
			t.Row(f.ID, f.Kind, x.Number, f.AssessedOn, f.Amount, f.Paid, f.Waived)
		}
	}
	if n == 0 {
		return nil
	}
	return a.Show(t)
}

// PaymentRefund is the command "payments refund".
type PaymentRefund struct {
	terminal.Change
	terminal.MoneyBack
	paymentKeyed
	Amount terminal.AmountFlag `placeholder:"USD" help:"Amount to refund. Default: everything not yet refunded."`
	Reason string              `placeholder:"TEXT" help:"Reason."`
}

func (PaymentRefund) Examples() []string {
	return []string{"payments refund pay_… --yes", "payments refund pay_… --amount 50 --reason 'paid twice' --yes", "payments refund pay_… --dry-run"}
}

func (c *PaymentRefund) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	amount := client.Amount(c.Amount)
	if !c.DryRun {
		if err := c.Approve(a, amount, func() (terminal.Refundable, error) { return c.read(ctx, a) }); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.RefundPayment(ctx, c.ID, client.RefundRequest{Amount: amount, Reason: c.Reason}, o...)
	}, func(p *client.Payment) string {
		return fmt.Sprintf("Refunded %[2]s of %[3]s from %[1]s. What it paid is unpaid again. Status %[4]s.", p.ID, terminal.Dollars(p.RefundedAmount), terminal.Dollars(p.Amount), p.Status)
	})
}

func (c *PaymentRefund) read(ctx context.Context, a *terminal.App) (terminal.Refundable, error) {
	api, err := c.Connect(a)
	if err != nil {
		return terminal.Refundable{}, err
	}
	p, err := api.Payment(ctx, c.ID)
	if err != nil {
		return terminal.Refundable{}, err
	}
	paid, _ := p.Amount.Cents()
	back, _ := p.RefundedAmount.Cents()
	return terminal.Refundable{Name: p.ID, Key: p.ID, Left: client.OfCents(paid - back)}, nil
}

// PaymentCancel is the command "payments cancel".
type PaymentCancel struct {
	terminal.Change
	terminal.Consent
	paymentKeyed
}

func (PaymentCancel) Examples() []string { return []string{"payments cancel pay_… --yes"} }

func (c *PaymentCancel) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Cancel payment %s?", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.CancelPayment(ctx, c.ID, o...)
	}, func(p *client.Payment) string {
		return fmt.Sprintf("Canceled %s (%s).", p.ID, terminal.Dollars(p.Amount))
	})
}
