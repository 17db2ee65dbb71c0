package trade

import (
	"context"
	"fmt"
	"strconv"

	"tenor/client"
	"tenor/internal/app/terminal"
)

func receiptNoun() terminal.Noun[client.Receipt] {
	return terminal.Noun[client.Receipt]{
		Head: []string{"ID", ">AMOUNT", "METHOD", "RECEIVED", ">DAYS", "STATUS", "REFERENCE", "PAYMENT"},
		Row: func(x *client.Receipt) []any {
			return []any{x.ID, x.Amount, x.Method, x.ReceivedDate, strconv.Itoa(x.Days), x.Status, terminal.Maybe(x.Reference), terminal.Maybe(x.PaymentID)}
		},
		Key: func(x *client.Receipt) string { return x.ID },
		Text: func(a *terminal.App, x *client.Receipt) error {
			return terminal.Facts(a.Out, "id", x.ID, "amount", x.Amount, "method", x.Method, "received", x.ReceivedDate, "days", strconv.Itoa(x.Days), "status", x.Status,
				"reference", x.Reference, "note", x.Note, "payment", x.PaymentID, "returned by", x.ReturnReference, "recorded", x.CreatedAt, "ended", x.EndedAt,
				"version", strconv.Itoa(x.Version))
		},
	}
}

// ReceiptsList is the command "receipts list".
type ReceiptsList struct {
	terminal.Remote
	terminal.Paging
	Status terminal.WordFlag `placeholder:"STATUS" help:"${receipt_status}." complete:"receipt-status"`
}

func (ReceiptsList) Examples() []string {
	return []string{"receipts list --status OPEN", "receipts list --all --json"}
}

func (c *ReceiptsList) Run(ctx context.Context, a *terminal.App) error {
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, receiptNoun(), client.ReceiptFilter{Status: string(c.Status)}, (*client.Client).ListReceipts)
}

type receiptKeyed struct {
	ID string `arg:"" help:"Receipt ID: rcp_…"`
}

// ReceiptGet is the command "receipts get".
type ReceiptGet struct {
	terminal.Remote
	receiptKeyed
}

func (ReceiptGet) Examples() []string { return []string{"receipts get rcp_…"} }

func (c *ReceiptGet) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, receiptNoun(), c.ID, (*client.Client).Receipt)
}

// ReceiptRecord is the command "receipts record".
type ReceiptRecord struct {
	terminal.Change
	terminal.Audited
	Amount    terminal.AmountFlag `arg:"" help:"Amount received."`
	Method    terminal.WordFlag   `default:"WIRE" placeholder:"METHOD" help:"${by_hand}." complete:"by-hand"`
	Received  terminal.DateFlag   `placeholder:"DATE" help:"Date the bank received it. Default: today."`
	Reference string              `placeholder:"TEXT" help:"Remittance text, as on the bank's statement."`
	Note      string              `placeholder:"TEXT" help:"Note."`
}

func (ReceiptRecord) Examples() []string {
	return []string{"receipts record 207.06 --reference 'wire 2231' --received 2026-02-13 --reason 'approved by underwriting'", "receipts record 80 --method CHECK --note 'no name on it' --dry-run --reason 'approved by underwriting'"}
}

func (c *ReceiptRecord) Run(ctx context.Context, a *terminal.App) error {
	r := client.ReceiptRequest{Amount: client.Amount(c.Amount), Method: string(c.Method), ReceivedDate: string(c.Received), Reference: c.Reference, Note: c.Note}
	return terminal.Act(ctx, a, &c.Change, receiptNoun(), func(api *client.Client, o ...client.Option) (*client.Receipt, error) {
		return api.RecordReceipt(ctx, r, c.WithReason(o)...)
	}, func(x *client.Receipt) string {
		return fmt.Sprintf("Recorded %s by %s as %s; held on account 2130 until identified. To identify it: %s receipts identify %s", terminal.Dollars(x.Amount), x.Method, x.ID, a.Program, x.ID)
	})
}

// ReceiptIdentify is the command "receipts identify".
type ReceiptIdentify struct {
	terminal.Change
	terminal.Consent
	terminal.Versioned
	receiptKeyed
	terminal.Audited
	Order      string `xor:"target" required:"" placeholder:"KEY" help:"Apply it to this order." complete:"order"`
	Invoice    string `xor:"target" required:"" placeholder:"ID" help:"Apply it to this invoice."`
	Company    int64  `xor:"target" required:"" placeholder:"ID" help:"Apply it to this company's orders, oldest due first." complete:"company"`
	Memo       string `placeholder:"TEXT" help:"Note. Default: the receipt's note."`
	HoldExcess bool   `help:"Hold any excess for the next due dates instead of prepaying."`
}

func (ReceiptIdentify) Examples() []string {
	return []string{"receipts identify rcp_… --company 1000000001 --yes --reason 'approved by underwriting'", "receipts identify rcp_… --order ord_… --dry-run --reason 'approved by underwriting'"}
}

func (c *ReceiptIdentify) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if !c.DryRun {
		whose := "order " + c.Order
		switch {
		case c.Invoice != "":
			whose = "invoice " + c.Invoice
		case c.Company != 0:
			whose = fmt.Sprintf("company %d", c.Company)
		}
		if err := c.Ask(a, false, fmt.Sprintf("Record %s as a payment by %s?", c.ID, whose)); err != nil {
			return err
		}
	}
	whose := client.Identification{OrderKey: c.Order, InvoiceID: c.Invoice, CompanyID: c.Company, Memo: c.Memo, HoldExcess: c.HoldExcess}
	return terminal.Act(ctx, a, &c.Change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.IdentifyReceipt(ctx, c.ID, whose, c.WithReason(append(o, c.Options()...))...)
	}, func(p *client.Payment) string {
		return fmt.Sprintf("Identified %[1]s: payment %[2]s of %[3]s, effective %[4]s. See: %s payments get %s", c.ID, p.ID, terminal.Dollars(p.Amount), p.EffectiveDate, a.Program, p.ID)
	})
}

// ReceiptReturn is the command "receipts return".
type ReceiptReturn struct {
	terminal.Change
	terminal.Consent
	terminal.Versioned
	receiptKeyed
	terminal.Audited
	Reference string `required:"" placeholder:"TEXT" help:"Wire or check number of the return."`
}

func (ReceiptReturn) Examples() []string {
	return []string{"receipts return rcp_… --reference 'wire 3102' --yes --reason 'approved by underwriting'"}
}

func (c *ReceiptReturn) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Record that %s was returned?", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, receiptNoun(), func(api *client.Client, o ...client.Option) (*client.Receipt, error) {
		return api.ReturnReceipt(ctx, c.ID, c.Reference, c.Reason, append(o, c.Options()...)...)
	}, func(x *client.Receipt) string {
		return fmt.Sprintf("Recorded: %s (%s) was returned by %s.", x.ID, terminal.Dollars(x.Amount), terminal.Clean(x.ReturnReference))
	})
}
