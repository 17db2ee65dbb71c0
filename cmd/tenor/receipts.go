package main

import (
	"context"
	"fmt"
	"strconv"

	"tenor/client"
)

func receiptNoun() noun[client.Receipt] {
	return noun[client.Receipt]{
		head: []string{"ID", ">AMOUNT", "METHOD", "RECEIVED", ">DAYS", "STATUS", "REFERENCE", "PAYMENT"},
		row: func(x *client.Receipt) []any {
			return []any{x.ID, x.Amount, x.Method, x.ReceivedDate, strconv.Itoa(x.Days), x.Status, maybe(x.Reference), maybe(x.PaymentID)}
		},
		key: func(x *client.Receipt) string { return x.ID },
		text: func(a *app, x *client.Receipt) error {
			return facts(a.out, "id", x.ID, "amount", x.Amount, "method", x.Method, "received", x.ReceivedDate, "days", strconv.Itoa(x.Days), "status", x.Status,
				"reference", x.Reference, "note", x.Note, "payment", x.PaymentID, "sent back by", x.ReturnReference, "recorded", x.CreatedAt, "ended", x.EndedAt,
				"version", strconv.Itoa(x.Version))
		},
	}
}

type receiptsList struct {
	remote
	paging
	Status wordFlag `placeholder:"STATUS" help:"OPEN, IDENTIFIED or RETURNED." complete:"receipt-status"`
}

// Examples are shown by -h.
func (receiptsList) Examples() []string {
	return []string{"receipts list --status OPEN", "receipts list --all --json"}
}

// Run is called by the parser.
func (c *receiptsList) Run(ctx context.Context, a *app) error {
	return list(ctx, a, &c.remote, c.paging, receiptNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Receipt], error) {
		return api.ListReceipts(ctx, string(c.Status), p, o...)
	})
}

type receiptKeyed struct {
	ID string `arg:"" help:"Identifier of the receipt: rcp_…"`
}

type receiptGet struct {
	remote
	receiptKeyed
}

// Examples are shown by -h.
func (receiptGet) Examples() []string { return []string{"receipts get rcp_…"} }

// Run is called by the parser.
func (c *receiptGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return one(ctx, a, &c.remote, receiptNoun(), func(api *client.Client, o ...client.Option) (*client.Receipt, error) {
		return api.Receipt(ctx, c.ID, o...)
	})
}

type receiptRecord struct {
	change
	audited
	Amount    amountFlag `arg:"" help:"What was received."`
	Method    wordFlag   `default:"WIRE" placeholder:"METHOD" help:"CHECK, WIRE, CASH or OTHER." complete:"by-hand"`
	Received  dateFlag   `placeholder:"DATE" help:"Day on which the bank had it; absent: today."`
	Reference string     `placeholder:"TEXT" help:"What came with it, as the bank's statement has it."`
	Note      string     `placeholder:"TEXT" help:"What is known of it."`
}

// Examples are shown by -h.
func (receiptRecord) Examples() []string {
	return []string{"receipts record 207.06 --reference 'wire 2231' --received 2026-02-13 --reason 'approved by the credit desk'", "receipts record 80 --method CHECK --note 'no name on it' --dry-run --reason 'approved by the credit desk'"}
}

// Run is called by the parser.
func (c *receiptRecord) Run(ctx context.Context, a *app) error {
	r := client.ReceiptRequest{Amount: client.Amount(c.Amount), Method: string(c.Method), ReceivedDate: string(c.Received), Reference: c.Reference, Note: c.Note}
	return act(ctx, a, &c.change, receiptNoun(), func(api *client.Client, o ...client.Option) (*client.Receipt, error) {
		return api.RecordReceipt(ctx, r, c.because(o)...)
	}, func(x *client.Receipt) string {
		return fmt.Sprintf("Recorded %s by %s as %s: it stands on 2130 until you say whose it was. See: %s receipts identify %s", dollars(x.Amount), x.Method, x.ID, a.program, x.ID)
	})
}

type receiptIdentify struct {
	change
	consent
	versioned
	receiptKeyed
	audited
	Order      string `xor:"target" required:"" placeholder:"KEY" help:"It pays this order." complete:"order"`
	Invoice    string `xor:"target" required:"" placeholder:"ID" help:"It pays this invoice."`
	Company    int64  `xor:"target" required:"" placeholder:"ID" help:"It pays this company's orders, oldest due first." complete:"company"`
	Memo       string `placeholder:"TEXT" help:"A note; absent: that of the receipt."`
	HoldExcess bool   `help:"Keep what is not due yet for the order's next due dates, instead of paying early."`
}

// Examples are shown by -h.
func (receiptIdentify) Examples() []string {
	return []string{"receipts identify rcp_… --company 1000000001 --yes --reason 'approved by the credit desk'", "receipts identify rcp_… --order ord_… --dry-run --reason 'approved by the credit desk'"}
}

// Run is called by the parser.
func (c *receiptIdentify) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		whose := "order " + c.Order
		switch {
		case c.Invoice != "":
			whose = "invoice " + c.Invoice
		case c.Company != 0:
			whose = fmt.Sprintf("company %d", c.Company)
		}
		if err := c.ask(a, fmt.Sprintf("Record %s as a payment of %s?", c.ID, whose)); err != nil {
			return err
		}
	}
	whose := client.Identification{OrderKey: c.Order, InvoiceID: c.Invoice, CompanyID: c.Company, Memo: c.Memo, HoldExcess: c.HoldExcess}
	return act(ctx, a, &c.change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.IdentifyReceipt(ctx, c.ID, whose, c.because(append(o, c.options()...))...)
	}, func(p *client.Payment) string {
		return fmt.Sprintf("%s was the payment %s of %s, of %s. See: %s payments get %s", c.ID, p.ID, dollars(p.Amount), p.EffectiveDate, a.program, p.ID)
	})
}

type receiptReturn struct {
	change
	consent
	versioned
	receiptKeyed
	audited
	Reference string `required:"" placeholder:"TEXT" help:"The wire or check that has sent it back."`
}

// Examples are shown by -h.
func (receiptReturn) Examples() []string {
	return []string{"receipts return rcp_… --reference 'wire 3102' --yes --reason 'approved by the credit desk'"}
}

// Run is called by the parser.
func (c *receiptReturn) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Record that %s was sent back?", c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, receiptNoun(), func(api *client.Client, o ...client.Option) (*client.Receipt, error) {
		return api.ReturnReceipt(ctx, c.ID, c.Reference, c.because(append(o, c.options()...))...)
	}, func(x *client.Receipt) string {
		return fmt.Sprintf("Recorded that %s of %s was sent back by %s.", x.ID, dollars(x.Amount), clean(x.ReturnReference))
	})
}
