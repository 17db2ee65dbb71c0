// Package trade contains the commands about lending itself: orders and checkouts, applications
// and companies, merchants, money and the books. They call a server.
package trade

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// orderNoun is how orders are printed.
func orderNoun() terminal.Noun[client.Order] {
	return terminal.Noun[client.Order]{
		Head: []string{"KEY", "NUMBER", "COMPANY", ">AMOUNT", "STATUS", "FINANCING", "CREATED"},
		Row: func(o *client.Order) []any {
			return []any{o.Key, terminal.Maybe(o.MerchantOrderID), o.CompanyID, o.Amount, o.Status, o.FinancingStatus, o.CreatedAt}
		},
		Key:  func(o *client.Order) string { return o.Key },
		Text: printOrder,
	}
}

func printOrder(a *terminal.App, o *client.Order) error {
	pairs := []any{
		"key", o.Key, "number", o.MerchantOrderID, "company", o.CompanyID, "status", o.Status, "financing", o.FinancingStatus,
		"amount", o.Amount, "installments", terminal.Optional(o.Installments),
	}
	if t := o.Terms; t != nil {
		pairs = append(pairs, "terms", fmt.Sprintf("%s, finance charge %s, total %s, APR %s%%", t.Plan, terminal.Dollars(t.FinanceCharge), terminal.Dollars(t.TotalOfPayments), t.APR),
			"first due", t.FirstDueDate)
	}
	if o.Status == "AUTHORIZED" {
		pairs = append(pairs, "expires", o.AuthorizationExpiresAt)
	}
	if o.CaptureDate != "" {
		pairs = append(pairs, "captured", terminal.Dollars(o.CapturedAmount)+" on "+o.CaptureDate, "refunded", o.RefundedAmount, "refundable", o.RefundableAmount)
	}
	pairs = append(pairs, "cancel reason", o.CancelReason, "invoice", o.InvoiceID, "parent", o.ParentKey, "created", o.CreatedAt, "version", terminal.Optional(o.Version))
	return terminal.Facts(a.Out, pairs...)
}

// nameOf returns what people call an order: the merchant's number, or its key.
func nameOf(o *client.Order) string {
	if o.MerchantOrderID != "" {
		return terminal.Clean(o.MerchantOrderID)
	}
	return terminal.Clean(o.Key)
}

// OrdersList is the command "orders list".
type OrdersList struct {
	terminal.Remote
	terminal.Paging
	Company         int64             `placeholder:"ID" help:"Orders of this company."`
	MerchantOrderID string            `name:"merchant-order-id" placeholder:"TEXT" help:"The merchant's order number."`
	Status          terminal.WordFlag `placeholder:"STATUS" help:"${order_status}." complete:"order-status"`
	Financing       terminal.WordFlag `placeholder:"STATUS" help:"${financing_status}." complete:"financing-status"`
	CreatedFrom     terminal.DateFlag `placeholder:"DATE" help:"Created on or after this business date."`
	CreatedTo       terminal.DateFlag `placeholder:"DATE" help:"Created on or before this business date."`
	CapturedFrom    terminal.DateFlag `placeholder:"DATE" help:"Captured on or after this date."`
	CapturedTo      terminal.DateFlag `placeholder:"DATE" help:"Captured on or before this date."`
	Filter          string            `placeholder:"TEXT" help:"Filters in one string: 'status:CAPTURED financing_status:OVERDUE captured_from:2026-01-01'."`
}

func (OrdersList) Examples() []string {
	return []string{
		"orders list", "orders list --status CAPTURED --financing OVERDUE", "orders list --company 1000000001 --all --json",
		"orders list --filter 'status:CAPTURED captured_from:2026-01-01'",
	}
}

func (c *OrdersList) Run(ctx context.Context, a *terminal.App) error {
	f, err := c.filter()
	if err != nil {
		return err
	}
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, orderNoun(), f, (*client.Client).ListOrders)
}

// filter combines the flags and the words of --filter.
func (c *OrdersList) filter() (client.OrderFilter, error) {
	f := client.OrderFilter{
		CompanyID: c.Company, MerchantOrderID: c.MerchantOrderID, Status: string(c.Status), FinancingStatus: string(c.Financing),
		CreatedFrom: string(c.CreatedFrom), CreatedTo: string(c.CreatedTo), CapturedFrom: string(c.CapturedFrom), CapturedTo: string(c.CapturedTo),
	}
	if err := terminal.InOrder("--created-from", c.CreatedFrom, "--created-to", c.CreatedTo); err != nil {
		return f, err
	}
	if err := terminal.InOrder("--captured-from", c.CapturedFrom, "--captured-to", c.CapturedTo); err != nil {
		return f, err
	}
	into := map[string]*string{
		"merchant_order_id": &f.MerchantOrderID, "status": &f.Status, "financing_status": &f.FinancingStatus, "created_from": &f.CreatedFrom,
		"created_to": &f.CreatedTo, "captured_from": &f.CapturedFrom, "captured_to": &f.CapturedTo,
	}
	for word := range strings.FieldsSeq(c.Filter) {
		name, value, ok := strings.Cut(word, ":")
		if name == "company_id" && ok {
			if _, err := fmt.Sscan(value, &f.CompanyID); err == nil {
				continue
			}
		}
		if into[name] == nil || !ok {
			names := []string{"company_id"}
			for n := range into {
				names = append(names, n)
			}
			slices.Sort(names)
			return f, &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("--filter has no %q%s", word, terminal.Suggestion(name, names)), Hint: "Filters: " + strings.Join(names, " ") + ", each followed by a colon and a value."}
		}
		*into[name] = value
	}
	return f, nil
}

// orderKeyed is a command about one order.
type orderKeyed struct {
	Key string `arg:"" help:"Order key: ord_…" complete:"order"`
}

// OrderGet is the command "orders get".
type OrderGet struct {
	terminal.Remote
	terminal.PastFlag
	orderKeyed
}

func (OrderGet) Examples() []string {
	return []string{"orders get ord_…", "orders get ord_… --json", "orders get ord_… --as-of 2026-03-31"}
}

func (c *OrderGet) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, orderNoun(), c.Key, (*client.Client).Order, c.Options()...)
}

// OrderPayoff is the command "orders payoff".
type OrderPayoff struct {
	terminal.Remote
	orderKeyed
	Date terminal.DateFlag `placeholder:"DATE" help:"Payoff date. Default: a week from today."`
}

func (OrderPayoff) Examples() []string { return []string{"orders payoff ord_… --date 2026-04-01"} }

func (c *OrderPayoff) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	n := terminal.Noun[client.Payoff]{
		Row: func(p *client.Payoff) []any {
			return []any{p.OrderKey, p.Date, p.GoodThrough, p.Amount, p.Principal, p.FinanceCharge, p.Fees, p.PerDiem}
		},
		Key: func(p *client.Payoff) string { return string(p.Amount) },
		Text: func(a *terminal.App, p *client.Payoff) error {
			return terminal.Facts(a.Out, "order", p.OrderKey, "payoff", p.Amount, "good through", p.GoodThrough, "principal", p.Principal,
				"finance charge", p.FinanceCharge, "fees", p.Fees, "per diem", p.PerDiem)
		},
	}
	return terminal.One(ctx, a, &c.Remote, n, func(api *client.Client, o ...client.Option) (*client.Payoff, error) {
		return api.Payoff(ctx, c.Key, string(c.Date), o...)
	})
}

// OrderEventsList is the command "orders events".
type OrderEventsList struct {
	terminal.Remote
	orderKeyed
	terminal.Paging
}

func (OrderEventsList) Examples() []string { return []string{"orders events ord_…"} }

func (c *OrderEventsList) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, terminal.ObjectEventNoun(), c.Key, (*client.Client).ListOrderEvents)
}
