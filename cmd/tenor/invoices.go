package main

import (
	"context"
	"fmt"
	"io"

	"tenor/client"
)

// invoiceNoun is how invoices are printed.
func invoiceNoun() noun[client.Invoice] {
	return noun[client.Invoice]{
		head: []string{"ID", "NUMBER", "ORDER", ">DUE", ">PAID", ">BALANCE", "STATUS", "DUE DATE"},
		row: func(i *client.Invoice) []any {
			return []any{i.ID, i.Number, i.OrderKey, i.AmountDue, i.AmountPaid, i.Balance, i.Status, maybe(i.DueDate)}
		},
		key:  func(i *client.Invoice) string { return i.ID },
		text: printInvoice,
	}
}

func printInvoice(a *app, i *client.Invoice) error {
	if err := facts(a.out, "id", i.ID, "number", i.Number, "order", i.OrderKey, "company", i.CompanyID, "status", i.Status,
		"due", i.AmountDue, "paid", i.AmountPaid, "balance", i.Balance, "due date", i.DueDate); err != nil {
		return err
	}
	t := newTable("LINE", "DATE", ">AMOUNT", "TEXT")
	for _, l := range i.Lines {
		t.row(l.Kind, maybe(l.Date), l.Amount, l.Description)
	}
	fmt.Fprintln(a.out)
	return a.show(t)
}

type invoicesList struct {
	remote
	paging
	Company int64    `placeholder:"ID" help:"Invoices of this company."`
	Order   string   `placeholder:"KEY" help:"The invoice of this order." complete:"order"`
	Status  wordFlag `placeholder:"STATUS" help:"OPEN, PAID, PAST_DUE or VOID." complete:"invoice-status"`
}

// Examples are shown by -h.
func (invoicesList) Examples() []string { return []string{"invoices list --status OPEN"} }

// Run is called by the parser.
func (c *invoicesList) Run(ctx context.Context, a *app) error {
	f := client.InvoiceFilter{CompanyID: c.Company, OrderKey: c.Order, Status: string(c.Status)}
	return list(ctx, a, &c.remote, c.paging, invoiceNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Invoice], error) {
		return api.ListInvoices(ctx, f, p, o...)
	})
}

type invoiceGet struct {
	remote
	paper
	ID string `arg:"" help:"Identifier of the invoice: inv_…"`
}

// Examples are shown by -h.
func (invoiceGet) Examples() []string {
	return []string{"invoices get inv_…", "invoices get inv_… --format pdf -o invoice.pdf"}
}

// Run is called by the parser.
func (c *invoiceGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if done, err := c.print(a, &c.remote, func(api *client.Client, kind string, w io.Writer) error {
		return api.InvoiceFile(ctx, c.ID, kind, w)
	}); done {
		return err
	}
	return one(ctx, a, &c.remote, invoiceNoun(), func(api *client.Client, o ...client.Option) (*client.Invoice, error) {
		return api.Invoice(ctx, c.ID, o...)
	})
}
