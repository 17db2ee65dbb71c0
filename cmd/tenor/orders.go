package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tenor/client"
)

// orderNoun is how orders are printed.
func orderNoun() noun[client.Order] {
	return noun[client.Order]{
		head: []string{"KEY", "NUMBER", "COMPANY", ">AMOUNT", "STATUS", "FINANCING", "CREATED"},
		row: func(o *client.Order) []any {
			return []any{o.Key, maybe(o.MerchantOrderID), o.CompanyID, o.Amount, o.Status, o.FinancingStatus, o.CreatedAt}
		},
		key:  func(o *client.Order) string { return o.Key },
		text: printOrder,
	}
}

func printOrder(a *app, o *client.Order) error {
	pairs := []any{
		"key", o.Key, "number", o.MerchantOrderID, "company", o.CompanyID, "status", o.Status, "financing", o.FinancingStatus,
		"amount", o.Amount, "installments", optional(o.Installments),
	}
	if t := o.Terms; t != nil {
		pairs = append(pairs, "terms", fmt.Sprintf("%s, finance charge %s, total %s, APR %s%%", t.Plan, dollars(t.FinanceCharge), dollars(t.TotalOfPayments), t.APR),
			"first due", t.FirstDueDate)
	}
	if o.Status == "AUTHORIZED" {
		pairs = append(pairs, "expires", o.AuthorizationExpiresAt)
	}
	if o.CaptureDate != "" {
		pairs = append(pairs, "captured", dollars(o.CapturedAmount)+" on "+o.CaptureDate, "refunded", o.RefundedAmount, "refundable", o.RefundableAmount)
	}
	pairs = append(pairs, "cancel reason", o.CancelReason, "invoice", o.InvoiceID, "parent", o.ParentKey, "created", o.CreatedAt, "version", optional(o.Version))
	return facts(a.out, pairs...)
}

// nameOf is what people call an order: the merchant's number, or its key.
func nameOf(o *client.Order) string {
	if o.MerchantOrderID != "" {
		return clean(o.MerchantOrderID)
	}
	return clean(o.Key)
}

type ordersList struct {
	remote
	paging
	Company         int64    `placeholder:"ID" help:"Orders of this company."`
	MerchantOrderID string   `name:"merchant-order-id" placeholder:"TEXT" help:"The merchant's own order number."`
	Status          wordFlag `placeholder:"STATUS" help:"CREATED, AUTHORIZED, CAPTURED, CANCELED or RETURNED." complete:"order-status"`
	Financing       wordFlag `placeholder:"STATUS" help:"NONE, ACTIVE, PAID_OFF, OVERDUE or CHARGED_OFF." complete:"financing-status"`
	CreatedFrom     dateFlag `placeholder:"DATE" help:"Created on or after this business date."`
	CreatedTo       dateFlag `placeholder:"DATE" help:"Created on or before this business date."`
	CapturedFrom    dateFlag `placeholder:"DATE" help:"Captured on or after this date."`
	CapturedTo      dateFlag `placeholder:"DATE" help:"Captured on or before this date."`
	Filter          string   `placeholder:"TEXT" help:"Filters as one text: 'status:CAPTURED financing_status:OVERDUE captured_from:2026-01-01'."`
}

// Examples are shown by -h.
func (ordersList) Examples() []string {
	return []string{
		"orders list", "orders list --status CAPTURED --financing OVERDUE", "orders list --company 1000000001 --all --json",
		"orders list --filter 'status:CAPTURED captured_from:2026-01-01'",
	}
}

// Run is called by the parser.
func (c *ordersList) Run(ctx context.Context, a *app) error {
	f, err := c.filter()
	if err != nil {
		return err
	}
	return list(ctx, a, &c.remote, c.paging, orderNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Order], error) {
		return api.ListOrders(ctx, f, p, o...)
	})
}

// filter puts the flags and the words of --filter together.
func (c *ordersList) filter() (client.OrderFilter, error) {
	f := client.OrderFilter{
		CompanyID: c.Company, MerchantOrderID: c.MerchantOrderID, Status: string(c.Status), FinancingStatus: string(c.Financing),
		CreatedFrom: string(c.CreatedFrom), CreatedTo: string(c.CreatedTo), CapturedFrom: string(c.CapturedFrom), CapturedTo: string(c.CapturedTo),
	}
	if err := inOrder("--created-from", c.CreatedFrom, "--created-to", c.CreatedTo); err != nil {
		return f, err
	}
	if err := inOrder("--captured-from", c.CapturedFrom, "--captured-to", c.CapturedTo); err != nil {
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
			return f, &failure{code: exitUsage, text: fmt.Sprintf("--filter does not know %q%s", word, suggestion(name, names)), hint: "It knows " + strings.Join(names, " ") + ", each with a colon and a value."}
		}
		*into[name] = value
	}
	return f, nil
}

// orderKeyed is a command about one order.
type orderKeyed struct {
	Key string `arg:"" help:"Key of the order: ord_…" complete:"order"`
}

type orderGet struct {
	remote
	pastFlag
	orderKeyed
}

// Examples are shown by -h.
func (orderGet) Examples() []string {
	return []string{"orders get ord_…", "orders get ord_… --json", "orders get ord_… --as-of 2026-03-31"}
}

// Run is called by the parser.
func (c *orderGet) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	return one(ctx, a, &c.remote, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.Order(ctx, c.Key, append(o, c.options()...)...)
	})
}

type orderPayoff struct {
	remote
	orderKeyed
	Date dateFlag `placeholder:"DATE" help:"Day on which the money would count; absent: a week from today."`
}

// Examples are shown by -h.
func (orderPayoff) Examples() []string { return []string{"orders payoff ord_… --date 2026-04-01"} }

// Run is called by the parser.
func (c *orderPayoff) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	n := noun[client.Payoff]{
		row: func(p *client.Payoff) []any {
			return []any{p.OrderKey, p.Date, p.GoodThrough, p.Amount, p.Principal, p.FinanceCharge, p.Fees, p.PerDiem}
		},
		key: func(p *client.Payoff) string { return string(p.Amount) },
		text: func(a *app, p *client.Payoff) error {
			return facts(a.out, "order", p.OrderKey, "payoff", p.Amount, "good through", p.GoodThrough, "principal", p.Principal,
				"finance charge", p.FinanceCharge, "fees", p.Fees, "each day more", p.PerDiem)
		},
	}
	return one(ctx, a, &c.remote, n, func(api *client.Client, o ...client.Option) (*client.Payoff, error) {
		return api.Payoff(ctx, c.Key, string(c.Date), o...)
	})
}

type orderEventsList struct {
	remote
	orderKeyed
	paging
}

// Examples are shown by -h.
func (orderEventsList) Examples() []string { return []string{"orders events ord_…"} }

// Run is called by the parser.
func (c *orderEventsList) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	return list(ctx, a, &c.remote, c.paging, objectEventNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Event], error) {
		return api.OrderEvents(ctx, c.Key, p, o...)
	})
}
