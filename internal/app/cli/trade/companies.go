package trade

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
	"tenor/internal/app/terminal"
)

// CompanyNoun is how companies are printed.
func CompanyNoun() terminal.Noun[client.Company] {
	return terminal.Noun[client.Company]{
		Head: []string{"ID", "NAME", "STATUS", "TIER", ">LIMIT", ">AVAILABLE", ">PAST DUE"},
		Row: func(x *client.Company) []any {
			return []any{x.ID, x.Name, x.Status, terminal.Maybe(x.Tier), x.CreditLine.Limit, x.CreditLine.Available, x.PastDueAmount}
		},
		Key:  func(x *client.Company) string { return x.ID },
		Text: printCompany,
	}
}

func printCompany(a *terminal.App, x *client.Company) error {
	reason, late := "", ""
	if r := x.StatusReason; r != nil {
		reason = strings.TrimSpace(r.Code + " " + r.Message)
	}
	if x.PastDueAmount != "" {
		late = fmt.Sprintf("%s, %d days", terminal.Dollars(x.PastDueAmount), x.DaysPastDue)
	}
	agreement := strings.TrimSpace(x.Agreement.Status + " " + x.Agreement.DocumentID)
	line := x.CreditLine
	return terminal.Facts(a.Out, "id", x.ID, "name", x.Name, "status", x.Status, "reason", reason, "tier", x.Tier, "limit", line.Limit,
		"available", line.Available, "reserved", line.Reserved, "outstanding", line.Outstanding, "on hold", line.OnHold,
		"past due", late, "unapplied credit", x.UnappliedCredit, "merchants", x.Merchants, "agreement", agreement)
}

// CompaniesList is the command "companies list".
type CompaniesList struct {
	terminal.Remote
	terminal.Paging
}

func (CompaniesList) Examples() []string {
	return []string{"companies list", "companies list --all -q"}
}

func (c *CompaniesList) Run(ctx context.Context, a *terminal.App) error {
	return terminal.List(ctx, a, &c.Remote, c.Paging, CompanyNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Company], error) {
		return api.ListCompanies(ctx, p, o...)
	})
}

// companyKeyed is a command about one company.
type companyKeyed struct {
	ID string `arg:"" help:"Company ID: ten digits." complete:"company"`
}

// CompanyGet is the command "companies get".
type CompanyGet struct {
	terminal.Remote
	terminal.PastFlag
	companyKeyed
}

func (CompanyGet) Examples() []string {
	return []string{"companies get 1000000001", "companies get 1000000001 --as-of 2026-03-31"}
}

func (c *CompanyGet) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, CompanyNoun(), c.ID, (*client.Client).Company, c.Options()...)
}

// companyPart is a command that lists what belongs to a company.
type companyPart struct {
	terminal.Remote
	companyKeyed
	terminal.Paging
}

// CompanyOrders is the command "companies orders".
type CompanyOrders struct {
	companyPart
	Status    terminal.WordFlag `placeholder:"STATUS" help:"${order_status}." complete:"order-status"`
	Financing terminal.WordFlag `placeholder:"STATUS" help:"${financing_status}." complete:"financing-status"`
}

func (CompanyOrders) Examples() []string {
	return []string{"companies orders 1000000001 --financing OVERDUE"}
}

func (c *CompanyOrders) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	f := client.OrderFilter{Status: string(c.Status), FinancingStatus: string(c.Financing)}
	return terminal.List(ctx, a, &c.Remote, c.Paging, orderNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Order], error) {
		return api.ListCompanyOrders(ctx, c.ID, f, p, o...)
	})
}

// CompanyPayments is the command "companies payments".
type CompanyPayments struct {
	companyPart
	Status terminal.WordFlag `placeholder:"STATUS" help:"${payment_status}." complete:"payment-status"`
}

func (CompanyPayments) Examples() []string { return []string{"companies payments 1000000001"} }

func (c *CompanyPayments) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.List(ctx, a, &c.Remote, c.Paging, paymentNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Payment], error) {
		return api.ListCompanyPayments(ctx, c.ID, client.PaymentFilter{Status: string(c.Status)}, p, o...)
	})
}

// CompanyInvoices is the command "companies invoices".
type CompanyInvoices struct {
	companyPart
	Status terminal.WordFlag `placeholder:"STATUS" help:"${invoice_status}." complete:"invoice-status"`
}

func (CompanyInvoices) Examples() []string { return []string{"companies invoices 1000000001"} }

func (c *CompanyInvoices) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.List(ctx, a, &c.Remote, c.Paging, invoiceNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Invoice], error) {
		return api.ListCompanyInvoices(ctx, c.ID, client.InvoiceFilter{Status: string(c.Status)}, p, o...)
	})
}
