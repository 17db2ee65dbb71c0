package main

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
)

// companyNoun is how companies are printed.
func companyNoun() noun[client.Company] {
	return noun[client.Company]{
		head: []string{"ID", "NAME", "STATUS", "TIER", ">LIMIT", ">AVAILABLE", ">PAST DUE"},
		row: func(x *client.Company) []any {
			return []any{x.ID, x.Name, x.Status, maybe(x.Tier), x.CreditLine.Limit, x.CreditLine.Available, x.PastDueAmount}
		},
		key:  func(x *client.Company) string { return x.ID },
		text: printCompany,
	}
}

func printCompany(a *app, x *client.Company) error {
	reason, late := "", ""
	if r := x.StatusReason; r != nil {
		reason = strings.TrimSpace(r.Code + " " + r.Message)
	}
	if x.PastDueAmount != "" {
		late = fmt.Sprintf("%s, %d days", dollars(x.PastDueAmount), x.DaysPastDue)
	}
	agreement := ""
	if g := x.Agreement; g != nil {
		agreement = strings.TrimSpace(g.Status + " " + g.DocumentID)
	}
	line := x.CreditLine
	return facts(a.out, "id", x.ID, "name", x.Name, "status", x.Status, "reason", reason, "tier", x.Tier, "limit", line.Limit,
		"available", line.Available, "reserved", line.Reserved, "outstanding", line.Outstanding, "on hold", line.OnHold,
		"past due", late, "unapplied credit", x.UnappliedCredit, "merchants", x.Merchants, "agreement", agreement)
}

type companiesList struct {
	remote
	paging
}

// Examples are shown by -h.
func (companiesList) Examples() []string {
	return []string{"companies list", "companies list --all -q"}
}

// Run is called by the parser.
func (c *companiesList) Run(ctx context.Context, a *app) error {
	return list(ctx, a, &c.remote, c.paging, companyNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Company], error) {
		return api.ListCompanies(ctx, p, o...)
	})
}

// companyKeyed is a command about one company.
type companyKeyed struct {
	ID string `arg:"" help:"Identifier of the company: ten digits." complete:"company"`
}

type companyGet struct {
	remote
	pastFlag
	companyKeyed
}

// Examples are shown by -h.
func (companyGet) Examples() []string {
	return []string{"companies get 1000000001", "companies get 1000000001 --as-of 2026-03-31"}
}

// Run is called by the parser.
func (c *companyGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return one(ctx, a, &c.remote, companyNoun(), func(api *client.Client, o ...client.Option) (*client.Company, error) {
		return api.Company(ctx, c.ID, append(o, c.options()...)...)
	})
}

// companyPart is a command that lists what belongs to a company.
type companyPart struct {
	remote
	companyKeyed
	paging
}

type companyOrders struct {
	companyPart
	Status    wordFlag `placeholder:"STATUS" help:"CREATED, AUTHORIZED, CAPTURED, CANCELED or RETURNED." complete:"order-status"`
	Financing wordFlag `placeholder:"STATUS" help:"NONE, ACTIVE, PAID_OFF, OVERDUE or CHARGED_OFF." complete:"financing-status"`
}

// Examples are shown by -h.
func (companyOrders) Examples() []string {
	return []string{"companies orders 1000000001 --financing OVERDUE"}
}

// Run is called by the parser.
func (c *companyOrders) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	f := client.OrderFilter{Status: string(c.Status), FinancingStatus: string(c.Financing)}
	return list(ctx, a, &c.remote, c.paging, orderNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Order], error) {
		return api.ListCompanyOrders(ctx, c.ID, f, p, o...)
	})
}

type companyPayments struct {
	companyPart
	Status wordFlag `placeholder:"STATUS" help:"SCHEDULED, PENDING, SUCCEEDED, FAILED, PARTIALLY_REFUNDED, REFUNDED, RETURNED or CANCELED." complete:"payment-status"`
}

// Examples are shown by -h.
func (companyPayments) Examples() []string { return []string{"companies payments 1000000001"} }

// Run is called by the parser.
func (c *companyPayments) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return list(ctx, a, &c.remote, c.paging, paymentNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Payment], error) {
		return api.ListCompanyPayments(ctx, c.ID, client.PaymentFilter{Status: string(c.Status)}, p, o...)
	})
}

type companyInvoices struct {
	companyPart
	Status wordFlag `placeholder:"STATUS" help:"OPEN, PAID, PAST_DUE or VOID." complete:"invoice-status"`
}

// Examples are shown by -h.
func (companyInvoices) Examples() []string { return []string{"companies invoices 1000000001"} }

// Run is called by the parser.
func (c *companyInvoices) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return list(ctx, a, &c.remote, c.paging, invoiceNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Invoice], error) {
		return api.ListCompanyInvoices(ctx, c.ID, client.InvoiceFilter{Status: string(c.Status)}, p, o...)
	})
}
