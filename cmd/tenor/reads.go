package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tenor/client"
)

type companiesList struct {
	remote
	paging
}

// Examples are shown by -h.
func (companiesList) Examples() []string { return []string{"companies list"} }

// Run is called by the parser.
func (c *companiesList) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.ListCompanies(ctx, c.at(), client.Record(&raw))
	if err != nil {
		return err
	}
	t := newTable("ID", "NAME", "STATUS", "TIER", ">LIMIT", ">AVAILABLE", ">PAST DUE")
	return page(c.output, a, raw, p, func(x *client.Company) string { return x.ID }, t, func(x *client.Company) {
		t.row(x.ID, x.Name, x.Status, dash(x.Tier), dollars(x.CreditLine.Limit), dollars(x.CreditLine.Available), dollars(x.PastDueAmount))
	})
}

type companyGet struct {
	remote
	ID string `arg:"" help:"Identifier of the company: ten digits."`
}

// Examples are shown by -h.
func (companyGet) Examples() []string { return []string{"companies get 1000000001"} }

// Run is called by the parser.
func (c *companyGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	x, err := api.Company(ctx, c.ID, client.Record(&raw))
	if err != nil {
		return err
	}
	return c.result(a, raw, x.ID, func() error {
		reason := ""
		if r := x.StatusReason; r != nil {
			reason = strings.TrimSpace(r.Code + " " + r.Message)
		}
		line := x.CreditLine
		return facts(a.out, "id", x.ID, "name", x.Name, "status", x.Status, "reason", reason, "tier", x.Tier, "limit", dollars(line.Limit),
			"available", dollars(line.Available), "reserved", dollars(line.Reserved), "outstanding", dollars(line.Outstanding), "on hold", dollars(line.OnHold),
			"past due", fmt.Sprintf("%s, %d days", dollars(x.PastDueAmount), x.DaysPastDue), "unapplied credit", dollars(x.UnappliedCredit),
			"merchants", strings.Join(x.Merchants, " "))
	})
}

type invoicesList struct {
	remote
	paging
	Company int64  `placeholder:"ID" help:"Invoices of this company."`
	Order   string `placeholder:"KEY" help:"The invoice of this order."`
	Status  string `help:"OPEN, PAID, PAST_DUE or VOID."`
}

// Examples are shown by -h.
func (invoicesList) Examples() []string { return []string{"invoices list --status OPEN"} }

// Run is called by the parser.
func (c *invoicesList) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	f := client.InvoiceFilter{CompanyID: c.Company, OrderKey: c.Order, Status: strings.ToUpper(c.Status)}
	p, err := api.ListInvoices(ctx, f, c.at(), client.Record(&raw))
	if err != nil {
		return err
	}
	t := newTable("ID", "NUMBER", "ORDER", ">DUE", ">PAID", ">BALANCE", "STATUS", "DUE DATE")
	return page(c.output, a, raw, p, func(i *client.Invoice) string { return i.ID }, t, func(i *client.Invoice) {
		t.row(i.ID, i.Number, i.OrderKey, dollars(i.AmountDue), dollars(i.AmountPaid), dollars(i.Balance), i.Status, dash(i.DueDate))
	})
}

type invoiceGet struct {
	remote
	ID string `arg:"" help:"Identifier of the invoice: inv_…"`
}

// Examples are shown by -h.
func (invoiceGet) Examples() []string { return []string{"invoices get inv_…"} }

// Run is called by the parser.
func (c *invoiceGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	i, err := api.Invoice(ctx, c.ID, client.Record(&raw))
	if err != nil {
		return err
	}
	return c.result(a, raw, i.ID, func() error {
		if err := facts(a.out, "id", i.ID, "number", i.Number, "order", i.OrderKey, "company", strconv.FormatInt(i.CompanyID, 10), "status", i.Status,
			"due", dollars(i.AmountDue), "paid", dollars(i.AmountPaid), "balance", dollars(i.Balance), "due date", i.DueDate); err != nil {
			return err
		}
		t := newTable("LINE", "DATE", ">AMOUNT", "TEXT")
		for _, l := range i.Lines {
			t.row(l.Kind, dash(l.Date), dollars(l.Amount), l.Description)
		}
		fmt.Fprintln(a.out)
		return t.print(a.out)
	})
}

type ledgerEntries struct {
	remote
	Order string `required:"" placeholder:"KEY" help:"The order."`
}

// Examples are shown by -h.
func (ledgerEntries) Examples() []string { return []string{"ledger entries --order ord_…"} }

// Run is called by the parser.
func (c *ledgerEntries) Run(ctx context.Context, a *app) error {
	a.subject = c.Order
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.OrderLedger(ctx, c.Order, client.Paging{}, client.Record(&raw)) // all of it is one page
	if err != nil {
		return err
	}
	t := newTable("DATE", "EVENT", "ACCOUNT", "NAME", ">DEBIT", ">CREDIT", "ENTRY")
	return page(c.output, a, raw, p, func(e *client.Entry) string { return e.ID }, t, func(e *client.Entry) {
		for i, x := range e.Postings {
			head := []string{e.BookDate, e.Event, e.ID}
			if i > 0 {
				head = []string{"", "", ""}
			}
			t.row(head[0], head[1], strconv.Itoa(x.Account), x.AccountName, side(x.Debit), side(x.Credit), head[2])
		}
	})
}

// side leaves the empty side of a posting empty.
func side(a client.Amount) string {
	if cents, ok := a.Cents(); ok && cents == 0 {
		return ""
	}
	return dollars(a)
}
