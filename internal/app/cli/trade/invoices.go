package trade

import (
	"context"
	"fmt"
	"io"

	"tenor/client"
	"tenor/internal/app/terminal"
)

// invoiceNoun is how invoices are printed.
func invoiceNoun() terminal.Noun[client.Invoice] {
	return terminal.Noun[client.Invoice]{
		Head: []string{"ID", "NUMBER", "ORDER", ">DUE", ">PAID", ">BALANCE", "STATUS", "DUE DATE"},
		Row: func(i *client.Invoice) []any {
			return []any{i.ID, i.Number, i.OrderKey, i.AmountDue, i.AmountPaid, i.Balance, i.Status, terminal.Maybe(i.DueDate)}
		},
		Key:  func(i *client.Invoice) string { return i.ID },
		Text: printInvoice,
	}
}

func printInvoice(a *terminal.App, i *client.Invoice) error {
	if err := terminal.Facts(a.Out, "id", i.ID, "number", i.Number, "order", i.OrderKey, "company", i.CompanyID, "status", i.Status,
		"due", i.AmountDue, "paid", i.AmountPaid, "balance", i.Balance, "due date", i.DueDate); err != nil {
		return err
	}
	t := terminal.NewTable("LINE", "DATE", ">AMOUNT", "TEXT")
	for _, l := range i.Lines {
		t.Row(l.Kind, terminal.Maybe(l.Date), l.Amount, l.Description)
	}
	fmt.Fprintln(a.Out)
	return a.Show(t)
}

// InvoicesList is the command "invoices list".
type InvoicesList struct {
	terminal.Remote
	terminal.Paging
	Company int64             `placeholder:"ID" help:"Invoices for this company."`
	Order   string            `placeholder:"KEY" help:"Invoice for this order." complete:"order"`
	Status  terminal.WordFlag `placeholder:"STATUS" help:"${invoice_status}." complete:"invoice-status"`
}

func (InvoicesList) Examples() []string { return []string{"invoices list --status OPEN"} }

func (c *InvoicesList) Run(ctx context.Context, a *terminal.App) error {
	f := client.InvoiceFilter{CompanyID: c.Company, OrderKey: c.Order, Status: string(c.Status)}
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, invoiceNoun(), f, (*client.Client).ListInvoices)
}

// InvoiceGet is the command "invoices get".
type InvoiceGet struct {
	terminal.Remote
	terminal.Paper
	ID string `arg:"" help:"Invoice ID: inv_…"`
}

func (InvoiceGet) Examples() []string {
	return []string{"invoices get inv_…", "invoices get inv_… --format pdf -o invoice.pdf"}
}

func (c *InvoiceGet) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if done, err := c.Print(a, &c.Remote, func(api *client.Client, kind string, w io.Writer) error {
		return api.InvoiceFile(ctx, c.ID, kind, w)
	}); done {
		return err
	}
	return terminal.One(ctx, a, &c.Remote, invoiceNoun(), func(api *client.Client, o ...client.Option) (*client.Invoice, error) {
		return api.Invoice(ctx, c.ID, o...)
	})
}
